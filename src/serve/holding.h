/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds traces open for a request until its answer is made, and counts its part of the
 * pixels that all pictures together may have.
 */
#ifndef WEFT_SERVE_HOLDING_H
#define WEFT_SERVE_HOLDING_H

#include "serve/request.h"

/*
 * A trace that a request holds open, in the request's arena.  Two held traces may have one
 * index, if the trace was reloaded meanwhile.
 */
struct held_trace {
    struct weft_trace *trace;
    size_t index;
    struct held_trace *next;
};

/* The traces and pixels that a request holds until holding_release(); zeroed at first. */
struct holding {
    uint64_t pixels;           /* of all pictures in the answer together */
    struct held_trace *traces; /* each once */
};

/*
 * Returns trace INDEX (less than traces_count()) of the server, opened if need be and held
 * until holding_release().  NULL with *REFUSAL if it cannot be opened, or, with status
 * 410, if its file has changed since.
 */
struct weft_trace *hold_trace(const struct request *request, size_t index,
                              struct refusal *refusal) WEFT_MUST_CHECK;
/*
 * Like hold_trace(), for the index in the request's parameter trace=N, by default 0;
 * refuses a wrong number with status 404.
 */
struct weft_trace *hold_asked_trace(const struct request *request,
                                    struct refusal *refusal) WEFT_MUST_CHECK;
/*
 * Counts the pixels of a picture of WIDTH x HEIGHT pixels until holding_release(); false
 * with *REFUSAL if this answer (status 413), or all that are made now (503), then has more
 * than LIMIT_PIXELS or LIMIT_ALL_PIXELS.
 */
bool hold_pixels(const struct request *request, double width, double height,
                 struct refusal *refusal) WEFT_MUST_CHECK;

/*
 * Returns false with *REFUSAL (status 410) if the file of a trace that the request holds
 * has changed since it was opened: what was read from it may be wrong.
 */
bool holding_intact(const struct request *request, struct refusal *refusal) WEFT_MUST_CHECK;
/*
 * Releases the traces and pixels that the request holds, once; returns how many parts of
 * these traces were found damaged.
 */
size_t holding_release(const struct request *request);

#endif
