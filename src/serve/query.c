/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memmem */
#include "serve/query.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

char *query_decode(struct weft_arena *arena, const char *text, size_t length)
{
    char *out = weft_arena_alloc(arena, length + 1), *end = out;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '%' && length - i > 2 && isxdigit((unsigned char)text[i + 1])
            && isxdigit((unsigned char)text[i + 2])) {
            char digits[3] = { text[i + 1], text[i + 2], '\0' };
            *end++ = (char)strtol(digits, NULL, 16);
            i += 2;
        } else {
            *end++ = text[i] == '+' ? ' ' : text[i];
        }
    }
    *end = '\0';
    return out;
}

bool query_parse(struct weft_arena *arena, const char *query, struct parameter *parameters,
                 size_t most, size_t *n, struct weft_err *err)
{
    *n = 0;
    for (size_t length; *query; query += length + (query[length] == '&')) {
        length = strcspn(query, "&");
        size_t name = strcspn(query, "=&"), value = name + (name < length);
        if (!length)
            continue;
        if (*n == most)
            return weft_fail(err, WEFT_ERR_USAGE, "too many parameters");
        if (memmem(query, length, "%00", 3))
            return weft_fail(err, WEFT_ERR_USAGE, "a parameter has a NUL byte");
        parameters[(*n)++] =
            (struct parameter){ query_decode(arena, query, name),
                                query_decode(arena, query + value, length - value) };
    }
    return true;
}
