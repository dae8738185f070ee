/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds traces open for a request until its answer is made, and counts its part of the
 * pixels that all pictures together may have.
 */
#ifndef WEFT_SERVE_HOLDING_H
#define WEFT_SERVE_HOLDING_H

#include "serve/request.h"

/* Two held traces may have one index, if the trace was reloaded meanwhile. */
struct held_trace {
    struct weft_trace *trace;
    size_t index;
    struct held_trace *next;
};

struct holding {
    uint64_t pixels;           /* of all pictures in the answer together */
    struct held_trace *traces; /* each once */
};

/* Returns trace INDEX of the server, opened and held; NULL with *REFUSAL. */
struct weft_trace *hold_trace(const struct request *request, size_t index,
                              struct refusal *refusal) WEFT_MUST_CHECK;
/* Like hold_trace(), for the index in the request's parameter trace=N, by default 0. */
struct weft_trace *hold_asked_trace(const struct request *request,
                                    struct refusal *refusal) WEFT_MUST_CHECK;
/*
 * Counts the pixels of a picture of this size; false with *REFUSAL if this answer, or all
 * that are made now, then has more than request_limits.h allows.
 */
bool hold_pixels(const struct request *request, double width, double height,
                 struct refusal *refusal) WEFT_MUST_CHECK;

/* Returns false with *REFUSAL if the file of a held trace has changed since its opening. */
bool holding_intact(const struct request *request, struct refusal *refusal) WEFT_MUST_CHECK;
/* Releases traces and pixels; returns how many parts of the traces are damaged. */
size_t holding_release(const struct request *request);

#endif
