/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts how many processors of a list were busy, in overhead and idle at once: for how
 * long exactly k of them were (the concurrency profile of Heath and Finger 2003, section
 * 5.1), and the counts as they change.
 *
 * All changes of class are read once and sorted by time.  A slab is an interval of time
 * with 65536 changes, or 32 a processor if these are more; it keeps for how long each count
 * held, so the answer for a window comes from the slabs in it and from changes that are
 * read at its two edges, up to a slab each.  Memory: at most 24 bytes a processor and slab,
 * and less than a byte a change.
 */
#ifndef WEFT_MODEL_CONCURRENCY_H
#define WEFT_MODEL_CONCURRENCY_H

#include "domains/messages/model/utilization.h"

/*
 * Sizes of the steps in which counts are made (weft_concurrency_make) and asked for
 * (weft_concurrency_shares), each a number of changes of class; tests make them small.
 * Only `sum` and `few` change results: those of weft_concurrency_shares.
 */
struct weft_concurrency_sizes {
    size_t part; /* sorted by a thread at once, about */
    size_t most; /* sorted by a thread at once, at most, unless all are within one tick */
    size_t slab; /* in a slab, an interval that keeps for how long each count held */
    size_t sum;  /* from one weft_count_sum to the next, at most */
    /* windows with more, about, are not read, but interpolated between the sums: inexact by
       the effect of `sum` changes at each column's edges */
    size_t few;
};
/*
 * Returns the default sizes for a list of N_PROCESSORS: the work then takes 64 MB a thread.
 */
struct weft_concurrency_sizes weft_concurrency_sizes(uint32_t n_processors);

/*
 * A slab: an interval of time from BEGIN to the begin of the next slab.  For each class, it
 * knows for how many ticks exactly k processors were in that class.
 */
struct weft_concurrency_slab {
    int64_t begin;       /* a time */
    struct {             /* by class */
        uint32_t low, n; /* all counts that occurred are from LOW to LOW + N - 1 */
        size_t first;    /* index of the ticks of count LOW in weft_concurrency.ticks */
    } of[WEFT_CLASSES];
};

/*
 * The ticks in each class from the begin of the trace's span to TIME, summed over the
 * processors of the list.
 */
struct weft_count_sum {
    int64_t time;
    double spent[WEFT_CLASSES]; /* processors times ticks */
};

/*
 * Counts of a list of processors by class over the trace's span; made by
 * weft_concurrency_make, freed by weft_concurrency_free.
 */
struct weft_concurrency {
    const struct weft_utilization *utilization; /* borrowed */
    struct weft_processor_list list;            /* a copy */
    struct weft_concurrency_sizes sizes;
    /* [n_slabs + 1], by time; the last begins at the span's end, and has no ticks */
    struct weft_concurrency_slab *slabs;
    size_t n_slabs, capacity;
    int64_t *ticks; /* of all slabs: see weft_concurrency_slab, `first` */
    size_t n_ticks, ticks_capacity;
    /* [n_sums], at least one every sizes.sum changes and every 1/65536 of the span */
    struct weft_count_sum *sums;
    size_t n_sums, sums_capacity;
};

/*
 * Counts the processors of LIST, which is copied, by class (busy, overhead, idle) over the
 * trace's whole span.  SIZES is copied; NULL: weft_concurrency_sizes(list.n).  Reads all
 * changes of class, on several threads with 64 MB each.  UTILIZATION must outlive the
 * result, which the caller frees with weft_concurrency_free.  Returns NULL with
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
struct weft_concurrency *weft_concurrency_make(const struct weft_utilization *utilization,
                                               struct weft_processor_list list,
                                               const struct weft_concurrency_sizes *sizes,
                                               struct weft_job *job,
                                               struct weft_err *err) WEFT_MUST_CHECK;
/* Frees CONCURRENCY; NULL is fine. */
void weft_concurrency_free(struct weft_concurrency *concurrency);
/* Returns the bytes of memory that CONCURRENCY takes, without the utilization. */
size_t weft_concurrency_bytes(const struct weft_concurrency *concurrency);

/*
 * Fills TICKS[WEFT_CLASSES][n + 1], where n is concurrency->list.n: element [c][k] with the
 * ticks of WINDOW, which lies in the trace's span, during which exactly k processors of the
 * list were in class c.  The ticks of a class add up to the window's length, less the time
 * in which the class of any processor is unknown because the trace is damaged.
 */
void weft_concurrency_profile(const struct weft_concurrency *concurrency,
                              struct weft_span window, int64_t *ticks);

/*
 * Fills SHARES[columns][WEFT_CLASSES] with the mean number of processors of
 * concurrency->list in each class, in each of COLUMNS equal parts of WINDOW, which lies in
 * the trace's span.  The numbers of one part add up to list.n, or less where the trace is
 * damaged; they are 0 if WINDOW is empty.  Exact if WINDOW holds at most about sizes.few
 * changes of class (by default 2^19); else each column may be wrong by the effect of
 * sizes.sum changes (256) at each of its edges.
 */
void weft_concurrency_shares(const struct weft_concurrency *concurrency,
                             struct weft_span window, size_t columns, float *shares);

/*
 * Calls VISIT with the number of the list's processors in each class at the begin of
 * WINDOW, which lies in the trace's span, then at each change of any number, until VISIT
 * returns false.  COUNTS is valid during the call; it adds up to less than list.n where the
 * trace is damaged.  An empty window has no visit.  Reads all changes of class in WINDOW.
 * Returns false only with WEFT_ERR_CANCELLED, when JOB (may be NULL) is cancelled.
 */
bool weft_count_changes(const struct weft_utilization *utilization,
                        struct weft_processor_list list, struct weft_span window,
                        bool (*visit)(void *user, int64_t time,
                                      const uint32_t counts[WEFT_CLASSES]),
                        void *user, struct weft_job *job,
                        struct weft_err *err) WEFT_MUST_CHECK;

#endif
