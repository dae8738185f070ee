/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells of one wait for whose message it was (awaited_processor.h), and which row ended it:
 * that of its wake-up (wakings.h), or the one that came last to a collective operation.
 * Both are what the table of waits counts.
 */
#ifndef WEFT_ANALYSE_WHO_ENDED_WAIT_H
#define WEFT_ANALYSE_WHO_ENDED_WAIT_H

#include "analyse/awaited_processor.h"

/* The row that a wait is asked for. */
enum weft_wait_row {
    WEFT_WAIT_PARTNER, /* for whose message it was */
    WEFT_WAIT_WAKER,   /* which ended it */
};

/* The parts that are made once for a trace, to answer. */
struct weft_wait_ends_finder;
/*
 * Returns a finder for SOURCE, which is borrowed; weft_wait_ends_finder_free() frees it.
 * Reads the calls of collective operations.  NULL with WEFT_ERR_CANCELLED if JOB (may be
 * NULL) is cancelled.
 */
struct weft_wait_ends_finder *
weft_wait_ends_finder_new(const struct weft_source *source, struct weft_job *job,
                          struct weft_err *err) WEFT_MUST_CHECK;
/* Frees FINDER; NULL is fine. */
void weft_wait_ends_finder_free(struct weft_wait_ends_finder *finder);
/* Returns the bytes of memory that FINDER takes, without the source. */
size_t weft_wait_ends_finder_bytes(const struct weft_wait_ends_finder *finder);

/*
 * Returns true if a state whose value has ROLE waits for something: it is blocked, sleeps,
 * or sends and waits until the message is taken.
 */
bool weft_is_wait(enum weft_role role);
/*
 * Returns the processor for whose message STATE, on TRACK, an index in schema->tracks,
 * waited; its container is WEFT_NONE if that is not known.  O(log n) and the messages
 * during the wait.  Any number of threads at once.
 */
struct weft_waited_for weft_partner_of_wait(const struct weft_wait_ends_finder *finder,
                                            uint32_t track, const struct weft_state *state);
/*
 * Returns the container that ended STATE, a wait on TRACK, an index in schema->tracks;
 * WEFT_NONE if that is not known.  Costs as weft_partner_of_wait().
 */
uint32_t weft_waker_of_wait(const struct weft_wait_ends_finder *finder, uint32_t track,
                            const struct weft_state *state);

/*
 * Returns false if SCHEMA's trace surely tells WHICH row of no state; looks at tables only.
 */
bool weft_may_know_row_of_waits(const struct weft_schema *schema, enum weft_wait_row which);
/*
 * Returns true if FINDER decides about STATE, on TRACK, an index in schema->tracks, as the
 * terms "partner" and "waker" of selections do, and sets *ROW to the container, WEFT_NONE
 * if it is not known.  False: the state is no wait, or the trace has no messages; then its
 * PARTNER is what its own field of role partner says, and it has no WAKER.  Costs as
 * weft_partner_of_wait().
 */
bool weft_row_of_wait(const struct weft_wait_ends_finder *finder, enum weft_wait_row which,
                      uint32_t track, const struct weft_state *state, uint32_t *row);

/*
 * Asks about all waits of a window, row by row: messages are read in parts that fit in
 * memory, which costs a tenth of asking for each wait by weft_row_of_wait().  For one
 * thread, which alone uses the finder meanwhile.  The first five are the caller's.
 */
struct weft_wait_part {
    struct weft_wait_ends_finder *finder;
    enum weft_wait_row which;
    struct weft_span window;
    uint32_t index, n; /* part INDEX, from 0, of N, by weft_wait_parts() */
    bool reads;        /* the rest is of the functions below */
    uint32_t track;
    void *asker;
};
/* Returns into how many parts, 1 or more, the rows are split, to ask about WHICH. */
uint32_t weft_wait_parts(const struct weft_wait_ends_finder *finder,
                         enum weft_wait_row which, struct weft_span window);
/*
 * Reads the messages of PART, until weft_wait_part_end().  Returns false with
 * WEFT_ERR_CANCELLED, and nothing to end.
 */
bool weft_wait_part_begin(struct weft_wait_part *part, struct weft_job *job,
                          struct weft_err *err) WEFT_MUST_CHECK;
/* Returns true if PART is that of the rows of CONTAINER, an index. */
bool weft_wait_part_has(const struct weft_wait_part *part, uint32_t container);
/*
 * Returns what weft_row_of_wait() does, for STATE on TRACK, whose container PART has.
 * Fastest for the states of a track in order.
 */
bool weft_row_of_next_wait(struct weft_wait_part *part, uint32_t track,
                           const struct weft_state *state, uint32_t *row);
/* Ends PART. */
void weft_wait_part_end(struct weft_wait_part *part);

#endif
