/* SPDX-License-Identifier: Apache-2.0 */
/* The query of an address, for those that come in a request's body: "view?begin=5&under=%235". */
#ifndef WEFT_SERVE_QUERY_H
#define WEFT_SERVE_QUERY_H

#include "serve/exchange.h"

/*
 * The first LENGTH bytes of TEXT with + as a space and %XX as a byte; a % that no two digits
 * follow stands for itself.  Ends at a %00.  Lives in the arena.
 */
char *query_decode(struct weft_arena *arena, const char *text, size_t length);

/*
 * The NAME=VALUE of a query, separated by &, decoded; at most MOST, how many.  What has no = is
 * left out.
 */
size_t query_parse(struct weft_arena *arena, const char *query,
                   struct parameter *parameters, size_t most);

#endif
