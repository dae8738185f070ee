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
 * Split a query at each & into NAME=VALUE, and decode both; a name without = has the value
 * "". *N is the number of parameters.  False, as where a query comes with the address, when
 * there are more than MOST, or one has a NUL byte: the rest would be another question.
 */
bool query_parse(struct weft_arena *arena, const char *query, struct parameter *parameters,
                 size_t most, size_t *n, struct weft_err *err) WEFT_MUST_CHECK;

#endif
