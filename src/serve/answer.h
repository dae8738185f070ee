/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a request, which its route only writes; http.c sends it. */
#ifndef WEFT_SERVE_ANSWER_H
#define WEFT_SERVE_ANSWER_H

#include <stdio.h>

#include "base/json.h"
#include "serve/request.h"

struct answer {
    unsigned status;
    const char *type;     /* a literal */
    const char *filename; /* a literal: offered for saving, or NULL */
    char *content;        /* malloc'ed; NULL when static_content is the answer */
    const void *static_content;
    size_t size;
    size_t damaged; /* damaged parts of its traces: the header Weft-Damaged */
    bool gzip;      /* static_content is compressed */
};

/*
 * Write an answer: answer_begin() drops what was written before and returns a stream;
 * answer_end() makes what was written there the answer, of content type TYPE, status 200.
 */
FILE *answer_begin(struct answer *answer);
void answer_end(struct answer *answer, FILE *stream, const char *type);
/*
 * Like answer_begin() and answer_end(), for an answer of one JSON value, which the caller
 * writes between the two calls.
 */
void answer_begin_json(struct answer *answer, struct weft_json *json);
void answer_end_json(struct answer *answer, struct weft_json *json);

/* Makes an error of one sentence the answer, as JSON: {"error": ...}. */
void answer_fail(struct answer *answer, unsigned status, const char *text);
/* Makes a refusal the answer, by answer_fail(). */
void answer_refuse(struct answer *answer, const struct refusal *refusal);

#endif
