/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distribution of durations: their number, sum, maximum, and quantiles, which are exact up
 * to 10,000 durations, and within 1 % above, from bins of a 64th of an octave each.
 *
 * A distribution takes eight bytes a duration while it is exact, then 16 KB: a trace in
 * which each task has its own name has millions of these structs with one or two durations
 * each.
 */
#ifndef WEFT_ANALYSE_DURATIONS_H
#define WEFT_ANALYSE_DURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A distribution; all 0: empty.  weft_durations_end() frees its memory. */
struct weft_durations {
    uint64_t count;  /* durations added, negative ones included */
    int64_t longest; /* ticks; 0 if none is above 0 */
    /* of the ticks, negative ones included; a double, since durations of a damaged trace
       could overflow an integer */
    double sum;
    /* private from here on */
    int64_t *few; /* [count] each duration while there are few; else NULL */
    size_t few_capacity;
    bool sorted;    /* few is sorted */
    uint32_t *bins; /* durations in each bin when there are many; else NULL */
};

/*
 * Adds one duration of TICKS; a negative one counts as 0 for quantiles and the maximum, and
 * lowers the sum.  Not allowed after weft_durations_end().
 */
void weft_durations_add(struct weft_durations *durations, int64_t ticks);
/*
 * Moves the durations of FROM into INTO: FROM is empty afterwards and owns no memory.  Both
 * must still have their durations (no weft_durations_end()).
 */
void weft_durations_merge(struct weft_durations *into, struct weft_durations *from);
/*
 * Returns the nearest-rank quantile Q (0 to 1; 0.5: the median) in ticks, never above
 * `longest`: exact up to 10,000 durations, within 1 % above; 0 without durations.  The
 * first call after an addition sorts them while they are few.  Not allowed after
 * weft_durations_end().
 */
int64_t weft_durations_quantile(struct weft_durations *durations, double q);
/*
 * Frees all memory, which only quantiles need.  Afterwards only count, sum and longest may
 * be used: nothing can be added or merged, and no quantile asked for.
 */
void weft_durations_end(struct weft_durations *durations);

#endif
