/* SPDX-License-Identifier: Apache-2.0 */
/* Parses queries that come in the body of a request: "view?begin=5&under=%235". */
#ifndef WEFT_SERVE_QUERY_H
#define WEFT_SERVE_QUERY_H

#include "serve/exchange.h"

/*
 * Decodes the first LENGTH bytes of TEXT into ARENA: + is a space and %XX a byte.  A %
 * without two hexadecimal digits stays, and a %00 ends the text.
 */
char *query_decode(struct weft_arena *arena, const char *text, size_t length);

/*
 * Splits a query at each & into NAME=VALUE, and decodes both; a name without = has the
 * value "". *N is the number of parameters.  Fails, as for a query in an address, if there
 * are more than MOST, or if one has a NUL byte: the rest would be another question.
 */
bool query_parse(struct weft_arena *arena, const char *query, struct parameter *parameters,
                 size_t most, size_t *n, struct weft_err *err) WEFT_MUST_CHECK;

#endif
