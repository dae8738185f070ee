/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts how many processors of a list were busy, in overhead and idle at once: for how
 * long exactly k of them were (the concurrency profile of Heath and Finger 2003, section
 * 5.1), and the counts as they change.
 *
 * All changes are read once, in slabs of time, and sorted.  Each slab keeps for how long
 * each count held in it, so a window is some slabs and the changes of the two slabs at its
 * edges: some ten thousand changes, or thirty times the number of processors.  Memory: at
 * most 24 bytes a processor and slab, and less than a byte a change.
 */
#ifndef WEFT_MODEL_CONCURRENCY_H
#define WEFT_MODEL_CONCURRENCY_H

#include "domains/messages/model/utilization.h"

/* Sizes of the steps of the work, in changes. */
struct weft_concurrency_sizes {
    size_t part; /* sorted by a thread at once, about */
    size_t most; /* sorted by a thread at once, at most, unless all are within one tick */
    size_t slab; /* in a slab */
    size_t sum;  /* between two kept sums */
    size_t few;  /* read for a picture; windows with more use the sums */
};
/*
 * Returns the default sizes: 64 MB a thread, and slabs that take little memory beside their
 * changes.
 */
struct weft_concurrency_sizes weft_concurrency_sizes(uint32_t n_processors);

struct weft_concurrency_slab {
    int64_t begin;
    struct { /* by class: ticks that the counts from LOW on held */
        uint32_t low, n;
        size_t first; /* index in weft_concurrency.ticks */
    } of[WEFT_CLASSES];
};

/* Processor-ticks in each class from the span's begin to TIME. */
struct weft_count_sum {
    int64_t time;
    double spent[WEFT_CLASSES]; /* ticks */
};

struct weft_concurrency {
    const struct weft_utilization *utilization;
    struct weft_processor_list list; /* a copy */
    struct weft_concurrency_sizes sizes;
    /* [n_slabs + 1], the last begins at the span's end */
    struct weft_concurrency_slab *slabs;
    size_t n_slabs, capacity;
    int64_t *ticks;
    size_t n_ticks, ticks_capacity;
    /* [n_sums], at least one every sizes.sum changes and every 1/65536 of the span */
    struct weft_count_sum *sums;
    size_t n_sums, sums_capacity;
};

/*
 * Makes the slabs of the processors of LIST.  SIZES may be NULL, for the default.
 * UTILIZATION is borrowed and must outlive the result.  O(changes), on several threads,
 * with 64 MB a thread meanwhile.  Returns NULL with WEFT_ERR_CANCELLED.
 */
struct weft_concurrency *weft_concurrency_make(const struct weft_utilization *utilization,
                                               struct weft_processor_list list,
                                               const struct weft_concurrency_sizes *sizes,
                                               struct weft_job *job,
                                               struct weft_err *err) WEFT_MUST_CHECK;
void weft_concurrency_free(struct weft_concurrency *concurrency);
size_t weft_concurrency_bytes(const struct weft_concurrency *concurrency);

/*
 * Fills TICKS[WEFT_CLASSES][list.n + 1] with the ticks of WINDOW, which lies in the span,
 * during which exactly k processors were in each class.  The sum over k is the window's
 * length, less the time in which the class of any processor is unknown.
 */
void weft_concurrency_profile(const struct weft_concurrency *concurrency,
                              struct weft_span window, int64_t *ticks);

/*
 * Fills SHARES[columns][WEFT_CLASSES] with the average number of processors in each class,
 * in each of COLUMNS equal parts of WINDOW, which lies in the span.  Their sum is less than
 * list.n where the trace is damaged.  Exact if the window holds some hundred thousand
 * changes or fewer; else each column may be wrong by the effect of 256 changes at each of
 * its edges.
 */
void weft_concurrency_shares(const struct weft_concurrency *concurrency,
                             struct weft_span window, size_t columns, float *shares);

/*
 * Visits the counts at the begin of WINDOW, which lies in the span, then at each change of
 * any of them.  VISIT returns false to stop.  Reads all changes of the window.  Returns
 * false with WEFT_ERR_CANCELLED.
 */
bool weft_count_changes(const struct weft_utilization *utilization,
                        struct weft_processor_list list, struct weft_span window,
                        bool (*visit)(void *user, int64_t time,
                                      const uint32_t counts[WEFT_CLASSES]),
                        void *user, struct weft_job *job,
                        struct weft_err *err) WEFT_MUST_CHECK;

#endif
