/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds traces open for a request until its answer is made, and counts its part of the
 * pixels that all pictures together may have.
 */
#ifndef WEFT_SERVE_HELD_TRACES_H
#define WEFT_SERVE_HELD_TRACES_H

#include "serve/request_parameters.h"

/*
 * A trace that a request holds open, in the request's arena.  Two held traces may have one
 * index, if the trace was reloaded meanwhile.
 */
struct held_trace {
    struct weft_trace *trace;
    size_t index; /* among the server's traces (serve/traces.h) */
    struct held_trace *next;
};

/* A filtered source that a request holds, in the request's arena. */
struct held_source {
    const struct weft_source *source;
    struct held_source *next;
};

/* The traces and pixels that a request holds until holding_release(); zeroed at first. */
struct holding {
    uint64_t pixels;             /* of all pictures in the answer together */
    struct held_trace *traces;   /* each once */
    struct held_source *sources; /* one for each hold_source() with filters */
};

/*
 * Returns trace INDEX (less than traces_count()) of the server, opened first if need be,
 * for which it waits, and held until holding_release().  NULL with *REFUSAL: its err, with
 * status 0, if it cannot be opened; status 410 if its file has changed since.
 */
struct weft_trace *hold_trace(const struct request *request, size_t index,
                              struct refusal *refusal) WEFT_MUST_CHECK;
/*
 * Returns trace N of the server, by the request's parameter trace=N, by default 0; opened
 * first if need be, for which it waits, and held until holding_release().  NULL with
 * *REFUSAL: status 404 for a wrong number, 410 if its file has changed since; its err, with
 * status 0, if it cannot be opened.
 */
struct weft_trace *hold_asked_trace(const struct request *request,
                                    struct refusal *refusal) WEFT_MUST_CHECK;
/*
 * Returns TRACE, which the request holds, as the request's parameter filters=TEXT leaves it
 * (doc/filters.md; TEXT or the key of a kept one), until holding_release().  Without the
 * parameter the server's own filters count (weft view --filters); an empty one means none:
 * then it is the trace's own source.  NULL with refusal->err if a line of the text is
 * wrong.
 */
const struct weft_source *hold_source(const struct request *request,
                                      const struct weft_trace *trace,
                                      struct refusal *refusal) WEFT_MUST_CHECK;
/*
 * Counts the pixels of a picture of WIDTH x HEIGHT pixels, not negative, fractions cut off,
 * until holding_release().  False with *REFUSAL if this answer's pictures together then
 * have more than LIMIT_PIXELS (status 413), or those of all answers that are made now more
 * than LIMIT_ALL_PIXELS (503).
 */
bool hold_pixels(const struct request *request, double width, double height,
                 struct refusal *refusal) WEFT_MUST_CHECK;

/*
 * Returns false with *REFUSAL (status 410) if the file of a trace that the request holds
 * has changed since it was opened: what was read from it may be wrong.
 */
bool holding_intact(const struct request *request, struct refusal *refusal) WEFT_MUST_CHECK;
/*
 * Releases the traces and pixels that the request holds; call it once, and use none of the
 * traces afterwards.  Returns how many parts of these traces were found damaged.
 */
size_t holding_release(const struct request *request);

#endif
