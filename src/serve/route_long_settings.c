/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Long settings: a POST keeps its body and answers with its key, a GET with key= answers
 * with the text.
 */
#include <string.h>

#include "serve/routes.h"

static bool keep(const struct request *request, struct answer *answer,
                 struct refusal *refusal)
{
    char key[TEXT_CACHE_KEY];
    if (!text_cache_put(request->service->texts, request->body, key, &refusal->err))
        return false;
    struct weft_json json;
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    weft_json_text(&json, "key", key);
    weft_json_close(&json);
    answer_end_json(answer, &json);
    return true;
}

bool route_settings(const struct request *request, struct answer *answer,
                    struct refusal *refusal)
{
    const char *key = request_get(request, "key"), *text = NULL;
    if (request->post)
        return keep(request, answer, refusal);
    if (key && text_cache_is_key(key))
        text = text_cache_get(request->service->texts, key, request->arena);
    if (!text)
        return refuse(refusal, 404, "nothing is kept under that key");
    struct weft_json json;
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    weft_json_text(&json, "text", text);
    weft_json_close(&json);
    answer_end_json(answer, &json);
    return true;
}
