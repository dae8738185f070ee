/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many of some processors were busy, in overhead and idle at once: for how long exactly k of
 * them (the concurrency profile of Heath and Finger 2003, section 5.1), and the counts as they
 * change.
 *
 * All changes are read once, in slabs of time, and put into order.  For each slab there is kept
 * for how long each count was taken in it, so a window is some slabs and the changes of the two
 * at its edges: some ten thousand of them, or thirty times as many as there are processors.
 * Memory: 24 bytes a processor and slab at most, and less than a byte a change.
 */
#ifndef WEFT_MODEL_CONCURRENCY_H
#define WEFT_MODEL_CONCURRENCY_H

#include "domains/messages/model/utilization.h"

/* How much is done at once, in changes. */
struct weft_concurrency_sizes {
    size_t part; /* that a thread puts into order, about ... */
    size_t most; /* ... and at most, if they are not all at one time */
    size_t slab; /* in a slab */
    size_t sum;  /* between two sums */
    size_t few;  /* that are read for a picture, before sums are asked */
};
/* 64 MB a thread; and slabs that are small beside what they sum. */
struct weft_concurrency_sizes weft_concurrency_sizes(uint32_t n_processors);

struct weft_concurrency_slab {
    int64_t begin;
    struct { /* by class: ticks of the counts from low on */
        uint32_t low, n;
        size_t first; /* in `ticks` */
    } of[WEFT_CLASSES];
};

/* For how long all of them together were in each class, from the span's begin on. */
struct weft_count_sum {
    int64_t time;
    double spent[WEFT_CLASSES]; /* ticks */
};

struct weft_concurrency {
    const struct weft_utilization *utilization;
    struct weft_processor_list list; /* a copy */
    struct weft_concurrency_sizes sizes;
    struct weft_concurrency_slab *slabs; /* [n_slabs], and one at the span's end */
    size_t n_slabs, capacity;
    int64_t *ticks;
    size_t n_ticks, ticks_capacity;
    struct weft_count_sum *sums; /* [n_sums]: after each 256 changes, and not seldom */
    size_t n_sums, sums_capacity;
};

/*
 * Of the processors of LIST.  SIZES: NULL for those above.  UTILIZATION stays the caller's,
 * and outlives it.  O(changes), on several threads, and 64 MB a thread meanwhile.  Error:
 * WEFT_ERR_CANCELLED.
 */
struct weft_concurrency *weft_concurrency_make(const struct weft_utilization *utilization,
                                               struct weft_processor_list list,
                                               const struct weft_concurrency_sizes *sizes,
                                               struct weft_job *job,
                                               struct weft_err *err) WEFT_MUST_CHECK;
void weft_concurrency_free(struct weft_concurrency *concurrency);
size_t weft_concurrency_bytes(const struct weft_concurrency *concurrency);

/*
 * For how many ticks of a window of the span exactly k processors were in each class:
 * TICKS[WEFT_CLASSES][list.n + 1].  The sum of each class is the window's length, but for what
 * cannot be read: while one of them is not known, nobody knows how many there are.
 */
void weft_concurrency_profile(const struct weft_concurrency *concurrency,
                              struct weft_span window, int64_t *ticks);

/*
 * How many were in each class on average in each of COLUMNS equal parts of a window of the span:
 * SHARES[columns][WEFT_CLASSES], which are fewer than all where the trace is damaged.  Exact
 * where the window holds some hundred thousand changes or less; else each column may be wrong by
 * what 256 changes can do at each of its edges.
 */
void weft_concurrency_shares(const struct weft_concurrency *concurrency,
                             struct weft_span window, size_t columns, float *shares);

/*
 * Visit the counts of the processors of a list in a window of the span: first those at its
 * begin, then whenever one of them is another one.  VISIT returns false to stop.  Reads all
 * changes of the window, and steps JOB; false: it was cancelled.
 */
bool weft_count_changes(const struct weft_utilization *utilization,
                        struct weft_processor_list list, struct weft_span window,
                        bool (*visit)(void *user, int64_t time,
                                      const uint32_t counts[WEFT_CLASSES]),
                        void *user, struct weft_job *job,
                        struct weft_err *err) WEFT_MUST_CHECK;

#endif
