/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/answer.h"

#include <stdlib.h>

FILE *answer_begin(struct answer *answer)
{
    free(answer->content);
    answer->content = NULL;
    answer->size = 0;
    return weft_text_begin(&answer->content, &answer->size);
}

void answer_end(struct answer *answer, FILE *stream, const char *type)
{
    weft_text_end(stream);
    answer->type = type;
    answer->status = 200;
}

void answer_begin_json(struct answer *answer, struct weft_json *json)
{
    weft_json_begin(json, answer_begin(answer));
}

void answer_end_json(struct answer *answer, struct weft_json *json)
{
    weft_json_end(json);
    answer_end(answer, json->stream, "application/json");
}

void answer_fail(struct answer *answer, unsigned status, const char *text)
{
    struct weft_json json;
    answer->filename = NULL; /* a refusal is not saved in the place of a picture */
    answer_begin_json(answer, &json);
    weft_json_object(&json, NULL);
    weft_json_text(&json, "error", text);
    weft_json_close(&json);
    answer_end_json(answer, &json);
    answer->status = status;
}

void answer_refuse(struct answer *answer, const struct refusal *refusal)
{
    enum weft_err_code code = refusal->err.code;
    /* A request may hold a file's text, which has a format, and may ask for too much. */
    bool asked =
        code == WEFT_ERR_USAGE || code == WEFT_ERR_FORMAT || code == WEFT_ERR_LIMIT;
    char text[1024];
    weft_err_format(&refusal->err, text, sizeof text);
    if (refusal->status)
        answer_fail(answer, refusal->status, refusal->text);
    else
        answer_fail(answer, code == WEFT_ERR_CANCELLED ? 409 : asked ? 400 : 500, text);
}
