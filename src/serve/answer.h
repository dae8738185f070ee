/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to an HTTP request: functions by which a route makes it; http.c sends it. */
#ifndef WEFT_SERVE_ANSWER_H
#define WEFT_SERVE_ANSWER_H

#include <stdio.h>

#include "base/json_writer.h"
#include "serve/request_parameters.h"

/*
 * The answer to one HTTP request.  Zeroed before its route runs, which sets it by the
 * functions below; the server sends it and frees `content`.
 */
struct answer {
    unsigned status;      /* of HTTP, such as 200 */
    const char *type;     /* the content type: a literal, "image/svg+xml" */
    const char *filename; /* a literal: offered for saving, or NULL */
    char *content;        /* malloc'ed; NULL when static_content is the answer */
    /* the workbench's page, not freed; NULL when `content` is the answer */
    const void *static_content;
    size_t size;    /* bytes of the one that is the answer */
    size_t damaged; /* number of damaged parts of its traces: the header Weft-Damaged */
    bool gzip;      /* the answer is compressed: the header Content-Encoding */
};

/*
 * Drops the content that ANSWER has, and returns a stream in memory, never NULL, to which
 * to write it anew, until answer_end().
 */
FILE *answer_begin(struct answer *answer);
/*
 * Closes STREAM, of answer_begin(), and makes what was written there the answer's content,
 * of content type TYPE (a literal), status 200.
 */
void answer_end(struct answer *answer, FILE *stream, const char *type);
/*
 * Drops the content that ANSWER has, and sets *JSON to write one JSON value as the new one,
 * until answer_end_json().
 */
void answer_begin_json(struct answer *answer, struct weft_json *json);
/*
 * Makes the JSON value written since answer_begin_json() the answer's content, of type
 * "application/json", with status 200.
 */
void answer_end_json(struct answer *answer, struct weft_json *json);

/*
 * Makes an error the answer, instead of any content that it has: {"error": TEXT} in JSON,
 * with the HTTP STATUS, and not for saving.
 */
void answer_fail(struct answer *answer, unsigned status, const char *text);
/*
 * Makes a refusal the answer, by answer_fail(): its text with its status, or, with status
 * 0, the text of its err with 409 (cancelled), 400 (wrong usage, format or size) or 500.
 */
void answer_refuse(struct answer *answer, const struct refusal *refusal);

#endif
