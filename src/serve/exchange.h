/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One request and its answer.  http.c receives and checks it, a worker runs its route,
 * which writes the answer into the exchange, and http.c sends that.
 */
#ifndef WEFT_SERVE_EXCHANGE_H
#define WEFT_SERVE_EXCHANGE_H

#include <stdio.h>

#include "base/job.h"
#include "base/json.h"
#include "base/memory.h"
#include "serve/kept.h"
#include "serve/searches.h"
#include "serve/server.h"
#include "serve/traces.h"

struct parameter {
    const char *name, *value;
};

/* A trace that an answer is made of.  There may be two of a number: it was reloaded
   meanwhile. */
struct taken_trace {
    struct weft_trace *trace;
    size_t index;
    struct taken_trace *next;
};

/* Resources of one answer, all its panels together. */
struct taken {
    uint64_t pixels;
    struct taken_trace *traces; /* held, until the answer is made; each once */
};

struct exchange {
    struct service *service;
    const char *path; /* below the prefix: "/view/overview.svg" */
    bool post;
    const struct parameter *parameters;
    size_t n_parameters;
    const char *body; /* of a POST, terminated */
    size_t body_size;
    struct weft_job *job;     /* cancelled when nobody needs the answer any more */
    struct weft_arena *arena; /* the worker's; emptied when the answer is written */
    struct taken *taken;      /* set by routes_answer */

    /* The answer. */
    unsigned status;
    const char *type;     /* a literal */
    const char *filename; /* in the arena of the exchange: offered for saving, or NULL */
    char *content;        /* malloc'ed; NULL when static_content is the answer */
    const void *static_content;
    size_t size;
    size_t damaged; /* parts of the trace that it leaves out: the header Weft-Damaged */
    bool gzip;      /* static_content is compressed */
};

struct weft_shelf;

/* State shared by all routes. It does not change, but for traces and shelf, which have
   locks. */
struct service {
    struct traces *traces;
    struct weft_shelf *shelf; /* what views keep between frames (view/prepare.h) */
    struct searches *searches;
    char **source_roots;     /* real paths, NULL-terminated */
    char *layout;            /* or NULL */
    struct kept *kept;       /* long settings (kept.h) */
    _Atomic uint64_t pixels; /* of the pictures that are being made */
};

/* A parameter's value, or NULL. */
const char *exchange_get(const struct exchange *exchange, const char *name);
/* A parameter as a whole number from MINIMUM to MAXIMUM; FALLBACK when absent or anything
 * else. */
long long exchange_number(const struct exchange *exchange, const char *name,
                          long long minimum, long long maximum, long long fallback);

/*
 * The same, where FALLBACK would be the answer to another question than was asked: false,
 * with *ERR, when the parameter is there and is anything else.
 */
bool exchange_whole(const struct exchange *exchange, const char *name, long long minimum,
                    long long maximum, long long fallback, long long *number,
                    struct weft_err *err) WEFT_MUST_CHECK;
/* The same for a number of an entity, which may be any of 64 bits. */
bool exchange_id(const struct exchange *exchange, const char *name, uint64_t fallback,
                 uint64_t *id, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Make a picture of this size, together with others that this answer or other answers make
 * now; false, with the answer written, when that is more than request_limits.h allows.
 */
bool exchange_take_pixels(struct exchange *exchange, double width, double height);

/*
 * Write an answer: begin gives a stream, end keeps what was written as the answer of the
 * type.  Between them nothing else of the exchange's answer is touched.
 */
FILE *exchange_begin(struct exchange *exchange);
void exchange_end(struct exchange *exchange, FILE *stream, const char *type);

/*
 * The same for an answer of one JSON value, which the caller writes between the two calls.
 */
void exchange_begin_json(struct exchange *exchange, struct weft_json *json);
void exchange_end_json(struct exchange *exchange, struct weft_json *json);

/* Answer with an error of one sentence, as JSON: {"error": ...}. */
void exchange_fail(struct exchange *exchange, unsigned status, const char *fmt, ...)
    WEFT_PRINTF(3, 4);
/* The same with the sentence of *ERR, and the status that fits its code. */
void exchange_fail_with(struct exchange *exchange, const struct weft_err *err);

#endif
