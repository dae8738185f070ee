/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request, which its route only reads, and the refusal of one.  Also splits and decodes
 * queries that come in a body: "view?begin=5&under=%235".
 */
#ifndef WEFT_SERVE_REQUEST_PARAMETERS_H
#define WEFT_SERVE_REQUEST_PARAMETERS_H

#include "base/memory.h"
#include "base/progress_and_cancel.h"
#include "serve/server_state.h"

/* A parameter of a request's query, decoded; its texts are in an arena. */
struct parameter {
    const char *name, *value;
};

/* A complete request; the server makes it, and it lives until its answer is made. */
struct request {
    const char *path; /* below the prefix, without the query: "/view/overview.svg" */
    const char *rest; /* of the path, behind the route's own: "overview.svg", or "" */
    bool post;        /* else it is a GET */
    const struct parameter *parameters; /* of the query, in its order */
    size_t n_parameters;
    const char *body; /* text, terminated; "" without one */
    struct service *service;
    struct weft_job *job;     /* cancelled when nobody needs the answer any more */
    struct weft_arena *arena; /* the worker's; emptied when the answer is written */
    struct holding *holding;  /* set, like `rest`, by routes_answer() */
};

/*
 * Why a request is refused: `text` with the HTTP `status`; with status 0, `err` and the
 * status that fits its code (answer_refuse()).
 */
struct refusal { /* zeroed at first */
    struct weft_err err;
    unsigned status; /* 0: the one that fits err.code */
    char text[1024]; /* a sentence; unused with status 0 */
};
/*
 * Sets *REFUSAL to the HTTP STATUS, not 0, and the printed text (cut to 1023 bytes), and
 * returns false.
 */
bool refuse(struct refusal *refusal, unsigned status, const char *fmt, ...)
    WEFT_PRINTF(3, 4);

/*
 * Returns the value of the first parameter called NAME, decoded; "" if it has none; NULL if
 * there is no such parameter.  It lives as long as the request.
 */
const char *request_get(const struct request *request, const char *name);
/*
 * Returns parameter NAME as a whole number from MINIMUM to MAXIMUM; FALLBACK if it is
 * absent, empty or anything else.
 */
long long request_number(const struct request *request, const char *name, long long minimum,
                         long long maximum, long long fallback);
/*
 * Sets *NUMBER to parameter NAME, a whole number from MINIMUM to MAXIMUM; to FALLBACK if it
 * is absent or empty.  Returns false with WEFT_ERR_USAGE, and any *NUMBER, if it is
 * anything else: FALLBACK would answer another question.
 */
bool request_whole(const struct request *request, const char *name, long long minimum,
                   long long maximum, long long fallback, long long *number,
                   struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Sets *ID to parameter NAME, the id of an entity: any number of 64 bits without a sign; to
 * FALLBACK if it is absent or empty.  Returns false with WEFT_ERR_USAGE, and any *ID, if it
 * is anything else.
 */
bool request_id(const struct request *request, const char *name, uint64_t fallback,
                uint64_t *id, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the number in the parameter trace=N, the index of one of the server's traces
 * (traces_entry()); -1 if the parameter is missing or there is no such trace.
 */
long long request_trace(const struct request *request);
/*
 * Sets *INDEX to the number in the parameter trace=N, the index of one of the server's
 * traces; false with *REFUSAL (status 404), and any *INDEX, if the parameter is missing or
 * there is no such trace.
 */
bool request_trace_index(const struct request *request, size_t *index,
                         struct refusal *refusal) WEFT_MUST_CHECK;

/*
 * Returns the first LENGTH bytes of TEXT decoded, in ARENA: + is a space and %XX a byte.  A
 * % without two hexadecimal digits stays, and a %00 ends the text.
 */
char *request_decode(struct weft_arena *arena, const char *text, size_t length);
/*
 * Splits QUERY at each & into parameters NAME=VALUE, decoded in ARENA, and sets the first
 * *N of PARAMETERS, an array of MOST; a name without = has the value "".  Returns false
 * with WEFT_ERR_USAGE if there are more than MOST, or if QUERY has a %00: what is before it
 * would be another question.
 */
bool request_split(struct weft_arena *arena, const char *query,
                   struct parameter *parameters, size_t most, size_t *n,
                   struct weft_err *err) WEFT_MUST_CHECK;

#endif
