/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A curve of steps that is the sum of many heights, each from a begin to an end.  They are added
 * in any order within buckets of time, and a bucket is settled when nothing more is to come
 * that begins or ends in it or before it: so what is not settled yet stays small where they
 * come about in order.  What is settled is kept as a store keeps samples, in some 3 bytes a step
 * where all heights are whole, and some 10 where they are not.
 */
#ifndef WEFT_ANALYSE_STEP_CURVE_H
#define WEFT_ANALYSE_STEP_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "store/schema.h"

/* Parts of time of one length; the first and the last one also hold what lies beyond. */
struct weft_time_buckets {
    int64_t begin;
    unsigned shift; /* their length is 2 to the power of it */
    size_t n;
};
/* At most MOST that cover a span. */
struct weft_time_buckets weft_time_buckets_over(struct weft_span span, size_t most);
static inline size_t weft_time_bucket(const struct weft_time_buckets *buckets, int64_t time)
{
    if (time <= buckets->begin)
        return 0;
    uint64_t i = ((uint64_t)time - (uint64_t)buckets->begin) >> buckets->shift;
    return i < buckets->n ? (size_t)i : buckets->n - 1;
}

enum { WEFT_STEP_BLOCK = 128 }; /* steps that are kept together */

struct weft_step { /* from TIME on the curve is at VALUE */
    int64_t time;
    double value;
};

struct weft_step_curve;

struct weft_step_curve *weft_step_curve_new(struct weft_time_buckets buckets);
void weft_step_curve_free(struct weft_step_curve *curve); /* NULL is fine */
/*
 * AMOUNT ticks are spread evenly from BEGIN to END; nothing where that takes no time.  False: it
 * begins in what is settled, and the curve is wrong.
 */
bool weft_step_curve_spread(struct weft_step_curve *curve, int64_t begin, int64_t end,
                            int64_t amount) WEFT_MUST_CHECK;
/* Settle the buckets below BUCKET.  Some 30 ns a begin or end. */
void weft_step_curve_settle(struct weft_step_curve *curve, size_t bucket);
/*
 * Settle all of them; nothing is added any more.  What takes more than a MiB is in a temporary
 * file, of which what is read is mapped.  Error: WEFT_ERR_WRITE.
 */
bool weft_step_curve_end(struct weft_step_curve *curve,
                         struct weft_err *err) WEFT_MUST_CHECK;

/* ---- After the end ---- */

/* In memory and in the file. */

size_t weft_step_curve_bytes(const struct weft_step_curve *curve);
/*
 * The integral in each of N parts of time side by side, in ticks: OUT[i] from TIMES[i] to
 * TIMES[i + 1], which never falls.  Some 200 ns a part.
 */
void weft_step_curve_integrals(const struct weft_step_curve *curve, const int64_t *times,
                               size_t n, double *out);
/* How many blocks of steps begin at or before TIME; and how many there are. */
size_t weft_step_curve_blocks_until(const struct weft_step_curve *curve, int64_t time);
size_t weft_step_curve_blocks(const struct weft_step_curve *curve);
/* The steps of a block; how many. */
size_t weft_step_curve_read(const struct weft_step_curve *curve, size_t block,
                            struct weft_step out[WEFT_STEP_BLOCK]);

#endif
