/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of addresses that are in the body of a request: "view?begin=5&under=%235". */
#ifndef WEFT_SERVE_QUERY_H
#define WEFT_SERVE_QUERY_H

#include "serve/exchange.h"

/*
 * Decode the first LENGTH bytes of TEXT into ARENA: + is a space and %XX a byte.  A % that
 * is not followed by two hexadecimal digits stays, and a %00 ends the text.
 */
char *query_decode(struct weft_arena *arena, const char *text, size_t length);

/*
 * Split a query at each & into NAME=VALUE, and decode both; a part without = is left out.
 * Returns the number of parameters, at most MOST.
 */
size_t query_parse(struct weft_arena *arena, const char *query,
                   struct parameter *parameters, size_t most);

#endif
