/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long settings: a POST keeps its body and answers with its key, a GET with key= answers
 * with the text.
 */
#include <string.h>

#include "serve/routes.h"

static void keep(struct exchange *exchange)
{
    struct weft_err err = { 0 };
    char key[KEPT_KEY];
    if (!kept_put(exchange->service->kept, exchange->body, key, &err)) {
        exchange_fail_with(exchange, &err);
        return;
    }
    struct weft_json json;
    exchange_begin_json(exchange, &json);
    weft_json_object(&json, NULL);
    weft_json_text(&json, "key", key);
    weft_json_close(&json);
    exchange_end_json(exchange, &json);
}

void route_settings(struct exchange *exchange, const char *rest)
{
    const char *key = exchange_get(exchange, "key"), *text = NULL;
    (void)rest;
    if (exchange->post) {
        keep(exchange);
        return;
    }
    if (key && kept_is_key(key))
        text = kept_get(exchange->service->kept, key, exchange->arena);
    if (!text) {
        exchange_fail(exchange, 404, "nothing is kept under that key");
        return;
    }
    struct weft_json json;
    exchange_begin_json(exchange, &json);
    weft_json_object(&json, NULL);
    weft_json_text(&json, "text", text);
    weft_json_close(&json);
    exchange_end_json(exchange, &json);
}
