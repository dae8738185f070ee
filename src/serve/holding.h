/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The traces that a request holds until its answer is made, and its part of the pixels that
 * all pictures together may have.
 */
#ifndef WEFT_SERVE_HOLDING_H
#define WEFT_SERVE_HOLDING_H

#include "serve/request.h"

/* There may be two of a number: it was reloaded meanwhile. */
struct held_trace {
    struct weft_trace *trace;
    size_t index;
    struct held_trace *next;
};

struct holding {
    uint64_t pixels;           /* of all panels together */
    struct held_trace *traces; /* each once */
};

/* Returns the trace of that number, opened; NULL with *REFUSAL. */
struct weft_trace *hold_trace(const struct request *request, size_t index,
                              struct refusal *refusal) WEFT_MUST_CHECK;
/* The same for the number trace=N, by default 0. */
struct weft_trace *hold_asked_trace(const struct request *request,
                                    struct refusal *refusal) WEFT_MUST_CHECK;
/*
 * Takes the pixels of a picture of this size; false with *REFUSAL if this answer, or all
 * that are made now, then had more than request_limits.h allows.
 */
bool hold_pixels(const struct request *request, double width, double height,
                 struct refusal *refusal) WEFT_MUST_CHECK;

/* False with *REFUSAL if the file of a held trace has changed since it was opened. */
bool holding_intact(const struct request *request, struct refusal *refusal) WEFT_MUST_CHECK;
/* Gives all back, and returns how many parts of the traces are damaged. */
size_t holding_release(const struct request *request);

#endif
