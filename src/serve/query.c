/* SPDX-License-Identifier: Apache-2.0 */
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

size_t query_parse(struct weft_arena *arena, const char *query,
                   struct parameter *parameters, size_t most)
{
    size_t n = 0;
    while (*query && n < most) {
        size_t length = strcspn(query, "&"), name = strcspn(query, "=&");
        if (name < length)
            parameters[n++] = (struct parameter){ query_decode(arena, query, name),
                                                  query_decode(arena, query + name + 1,
                                                               length - name - 1) };
        query += length + (query[length] == '&');
    }
    return n;
}
