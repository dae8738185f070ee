/* SPDX-License-Identifier: Apache-2.0 */
/* How long threads wanted a processor and had none: time in states of role ready. */
#ifndef WEFT_ANALYSE_READY_TIME_H
#define WEFT_ANALYSE_READY_TIME_H

#include "base/memory.h"
#include "store/source.h"

/*
 * The tracks on which threads are ready.  weft_ready_find fills it; it is only read then,
 * by any number of threads.
 */
struct weft_ready {
    const struct weft_source *source;
    /*
     * By container: index in the schema's tracks of its first track whose type has states
     * of role ready that occur in the trace; or WEFT_NONE.
     */
    const uint32_t *track_of;
    const uint8_t *classes; /* by value: 0 if its role is a kind of ready, else 1 */
    bool known; /* some state of the trace was ready; else it may not record that at all */
};

/*
 * Sets *OUT to the tracks of SOURCE, which is kept; the arrays are in ARENA, and both must
 * outlive *OUT.  Reads tables only.
 */
void weft_ready_find(const struct weft_source *source, struct weft_arena *arena,
                     struct weft_ready *out);

enum { WEFT_READY_QUERIES = 64 }; /* questions that are answered at once */
/*
 * Adds up the time that threads were ready, in rounds of WEFT_READY_QUERIES questions to
 * the source.  The caller sets `ready`, and all else to 0; nothing needs to be freed.
 */
struct weft_ready_sum {
    const struct weft_ready *ready;
    struct weft_class_query queries[WEFT_READY_QUERIES]; /* [n] not yet answered */
    size_t n;
    int64_t ticks; /* sum of the answers so far */
};

/*
 * Adds to SUM the question how long the innermost state of CONTAINER was ready in WINDOW,
 * which is half-open; weft_ready_answer() returns the sum of all.  No effect if the window
 * is empty, or CONTAINER is WEFT_NONE or has no track of such states (ready->track_of).
 * Answers all questions when there are WEFT_READY_QUERIES.
 */
void weft_ready_ask(struct weft_ready_sum *sum, uint32_t container,
                    struct weft_span window);
/*
 * Answers the open questions; returns the ticks of all questions since SUM was 0, at most
 * INT64_MAX.  Unreadable parts of the trace count as not ready.
 */
int64_t weft_ready_answer(struct weft_ready_sum *sum);

#endif
