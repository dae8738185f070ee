/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step curve that is the sum of many intervals, each with a constant height.  Intervals
 * are added in any order; their ends wait in buckets of time.  The caller settles a bucket
 * when no more interval will begin or end in it or before it, so few ends wait if intervals
 * come roughly in order.  Settled steps are packed as a store packs samples: some 3 bytes a
 * step if all heights are integers, else some 10.
 */
#ifndef WEFT_ANALYSE_STEP_CURVE_H
#define WEFT_ANALYSE_STEP_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/schema.h"

/*
 * Time, cut into N intervals (buckets) of 2^shift ticks from BEGIN on.  The first and the
 * last bucket also hold all earlier and all later times.
 */
struct weft_time_buckets {
    int64_t begin;
    unsigned shift;
    size_t n;
};
/* Returns buckets of time from SPAN's begin on that cover SPAN: at most MOST (at least 1)
   of them, all of the shortest length that allows this, a power of two ticks. */
struct weft_time_buckets weft_time_buckets_over(struct weft_span span, size_t most);
/* Returns the index of the bucket that holds TIME: the first for all earlier times, the
   last for all later ones. */
static inline size_t weft_time_bucket(const struct weft_time_buckets *buckets, int64_t time)
{
    if (time <= buckets->begin)
        return 0;
    uint64_t i = ((uint64_t)time - (uint64_t)buckets->begin) >> buckets->shift;
    return i < buckets->n ? (size_t)i : buckets->n - 1;
}

enum { WEFT_STEP_BLOCK = 128 }; /* steps in a packed block; the last block may have fewer */

/* A step of a step curve: the curve has VALUE from TIME (ticks) until its next step. */
struct weft_step {
    int64_t time;
    double value;
};

/* A step curve over time, the sum of intervals of constant heights: weft_step_curve_new()
   makes it, weft_step_curve_free() frees it.  One thread adds to it; after
   weft_step_curve_end() any number may read it. */
struct weft_step_curve;

/* Returns a step curve that is 0 everywhere, whose intervals are collected in BUCKETS; the
   caller frees it with weft_step_curve_free().  Never NULL. */
struct weft_step_curve *weft_step_curve_new(struct weft_time_buckets buckets);
/* Frees a curve with its temporary file; NULL is fine. */
void weft_step_curve_free(struct weft_step_curve *curve);
/*
 * Raises the curve by AMOUNT / (END - BEGIN) from BEGIN until before END, in ticks; AMOUNT
 * is at least 0.  Returns true, with nothing added if END <= BEGIN or AMOUNT is 0; false,
 * with nothing added, if the interval begins or ends in a bucket that
 * weft_step_curve_settle() has made final.  Times are within WEFT_TIME_LIMIT.
 */
bool weft_step_curve_spread(struct weft_step_curve *curve, int64_t begin, int64_t end,
                            int64_t amount) WEFT_MUST_CHECK;
/*
 * Makes the curve final in all buckets before number BUCKET (which is not included): no
 * interval may begin or end in them any more.  Some 30 ns for each begin or end in them.
 */
void weft_step_curve_settle(struct weft_step_curve *curve, size_t bucket);
/*
 * Makes the whole curve final: nothing may be added any more, and it can be read.  A curve
 * of more than a MiB is kept in a temporary file and mapped for reading.  Returns false
 * with WEFT_ERR_WRITE; the curve can then only be freed.
 */
bool weft_step_curve_end(struct weft_step_curve *curve,
                         struct weft_err *err) WEFT_MUST_CHECK;

/* ---- After the end ---- */

/* Returns the bytes that the curve takes in memory and in its temporary file. */
size_t weft_step_curve_bytes(const struct weft_step_curve *curve);
/*
 * Writes the integral of the curve from TIMES[i] to TIMES[i + 1] (height times ticks) to
 * OUT[i] for i < N.  The N + 1 times are sorted.  Some 200 ns an integral.
 */
void weft_step_curve_integrals(const struct weft_step_curve *curve, const int64_t *times,
                               size_t n, double *out);
/* Returns the number of blocks of packed steps whose first step is at or before TIME. */
size_t weft_step_curve_blocks_until(const struct weft_step_curve *curve, int64_t time);
/* Returns the number of all blocks of packed steps. */
size_t weft_step_curve_blocks(const struct weft_step_curve *curve);
/* Unpacks the steps of block number BLOCK (from 0, below weft_step_curve_blocks()) into OUT
   and returns how many these are. */
size_t weft_step_curve_read(const struct weft_step_curve *curve, size_t block,
                            struct weft_step out[WEFT_STEP_BLOCK]);

#endif
