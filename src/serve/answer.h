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
    size_t damaged; /* parts of the trace that it leaves out: the header Weft-Damaged */
    bool gzip;      /* static_content is compressed */
};

/*
 * Write an answer: begin drops what was written before and gives a stream, end keeps what
 * was written as the answer of the type, with status 200.
 */
FILE *answer_begin(struct answer *answer);
void answer_end(struct answer *answer, FILE *stream, const char *type);
/*
 * The same for an answer of one JSON value, which the caller writes between the two calls.
 */
void answer_begin_json(struct answer *answer, struct weft_json *json);
void answer_end_json(struct answer *answer, struct weft_json *json);

/* Makes an error of one sentence the answer, as JSON: {"error": ...}. */
void answer_fail(struct answer *answer, unsigned status, const char *text);
void answer_refuse(struct answer *answer, const struct refusal *refusal);

#endif
