/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/exchange.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "serve/request_limits.h"

const char *exchange_get(const struct exchange *exchange, const char *name)
{
    for (size_t i = 0; i < exchange->n_parameters; i++)
        if (strcmp(exchange->parameters[i].name, name) == 0)
            return exchange->parameters[i].value;
    return NULL;
}

long long exchange_number(const struct exchange *exchange, const char *name,
                          long long minimum, long long maximum, long long fallback)
{
    const char *text = exchange_get(exchange, name);
    char *end;
    if (!text || !*text)
        return fallback;
    long long number = strtoll(text, &end, 10);
    return *end || number < minimum || number > maximum ? fallback : number;
}

bool exchange_whole(const struct exchange *exchange, const char *name, long long minimum,
                    long long maximum, long long fallback, long long *number,
                    struct weft_err *err)
{
    const char *text = exchange_get(exchange, name);
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

bool exchange_id(const struct exchange *exchange, const char *name, uint64_t fallback,
                 uint64_t *id, struct weft_err *err)
{
    const char *text = exchange_get(exchange, name);
    *id = fallback;
    if (!text || !*text)
        return true;
    errno = 0;
    *id = strtoull(text, NULL, 10);
    return (!text[strspn(text, "0123456789")] && !errno)
           || weft_fail(err, WEFT_ERR_USAGE, "bad %s '%s' (right: the number of an entity)",
                        name, text);
}

bool exchange_take_pixels(struct exchange *exchange, double width, double height)
{
    struct taken *taken = exchange->taken;
    uint64_t pixels = (uint64_t)width * (uint64_t)height;
    if (taken->pixels + pixels > LIMIT_PIXELS) {
        exchange_fail(exchange, 413,
                      "a picture has at most %d million pixels, its panels included",
                      LIMIT_PIXELS >> 20);
        return false;
    }
    taken->pixels += pixels;
    if (atomic_fetch_add(&exchange->service->pixels, pixels) + pixels <= LIMIT_ALL_PIXELS)
        return true;
    exchange_fail(exchange, 503, "too many large pictures are being made; ask again");
    return false;
}

FILE *exchange_begin(struct exchange *exchange)
{
    free(exchange->content);
    exchange->content = NULL;
    exchange->size = 0;
    return weft_text_begin(&exchange->content, &exchange->size);
}

void exchange_end(struct exchange *exchange, FILE *stream, const char *type)
{
    weft_text_end(stream);
    exchange->type = type;
    if (!exchange->status)
        exchange->status = 200;
}

void exchange_begin_json(struct exchange *exchange, struct weft_json *json)
{
    weft_json_begin(json, exchange_begin(exchange));
}

void exchange_end_json(struct exchange *exchange, struct weft_json *json)
{
    weft_json_end(json);
    exchange_end(exchange, json->stream, "application/json");
}

static void fail_with_text(struct exchange *exchange, unsigned status, const char *text)
{
    struct weft_json json;
    exchange_begin_json(exchange, &json);
    weft_json_object(&json, NULL);
    weft_json_text(&json, "error", text);
    weft_json_close(&json);
    exchange->status = status;
    exchange_end_json(exchange, &json);
}

void exchange_fail(struct exchange *exchange, unsigned status, const char *fmt, ...)
{
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    fail_with_text(exchange, status, text);
}

void exchange_fail_with(struct exchange *exchange, const struct weft_err *err)
{
    /*
     * What a request says of itself may be a file's text, of a format, or ask for too much.
     */
    bool asked = err->code == WEFT_ERR_USAGE || err->code == WEFT_ERR_FORMAT
                 || err->code == WEFT_ERR_LIMIT;
    char text[1024];
    weft_err_format(err, text, sizeof text);
    fail_with_text(exchange,
                   err->code == WEFT_ERR_CANCELLED ? 409
                   : asked                         ? 400
                                                   : 500,
                   text);
}
