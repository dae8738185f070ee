/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memmem */
#include "serve/request_parameters.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool refuse(struct refusal *refusal, unsigned status, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(refusal->text, sizeof refusal->text, fmt, args);
    va_end(args);
    refusal->status = status;
    return false;
}

const char *request_get(const struct request *request, const char *name)
{
    for (size_t i = 0; i < request->n_parameters; i++)
        if (strcmp(request->parameters[i].name, name) == 0)
            return request->parameters[i].value;
    return NULL;
}

long long request_number(const struct request *request, const char *name, long long minimum,
                         long long maximum, long long fallback)
{
    const char *text = request_get(request, name);
    char *end;
    if (!text || !*text)
        return fallback;
    long long number = strtoll(text, &end, 10);
    return *end || number < minimum || number > maximum ? fallback : number;
}

bool request_whole(const struct request *request, const char *name, long long minimum,
                   long long maximum, long long fallback, long long *number,
                   struct weft_err *err)
{
    const char *text = request_get(request, name);
    char *end;
    *number = fallback;
    if (!text || !*text)
        return true;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return (!*end && !errno && *number >= minimum && *number <= maximum)
           || weft_fail(err, WEFT_ERR_USAGE, "bad %s '%s' (right: %lld to %lld)", name,
                        text, minimum, maximum);
}

bool request_id(const struct request *request, const char *name, uint64_t fallback,
                uint64_t *id, struct weft_err *err)
{
    const char *text = request_get(request, name);
    *id = fallback;
    if (!text || !*text)
        return true;
    errno = 0;
    *id = strtoull(text, NULL, 10);
    return (!text[strspn(text, "0123456789")] && !errno)
           || weft_fail(err, WEFT_ERR_USAGE, "bad %s '%s' (right: the number of an entity)",
                        name, text);
}

long long request_trace(const struct request *request)
{
    return request_number(request, "trace", 0,
                          (long long)traces_count(request->service->traces) - 1, -1);
}

bool request_trace_index(const struct request *request, size_t *index,
                         struct refusal *refusal)
{
    long long number = request_trace(request);
    *index = (size_t)number;
    return number >= 0 || refuse(refusal, 404, "there is no trace of that number");
}

char *request_decode(struct weft_arena *arena, const char *text, size_t length)
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

bool request_split(struct weft_arena *arena, const char *query,
                   struct parameter *parameters, size_t most, size_t *n,
                   struct weft_err *err)
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
            (struct parameter){ request_decode(arena, query, name),
                                request_decode(arena, query + value, length - value) };
    }
    return true;
}
