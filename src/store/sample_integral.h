/* SPDX-License-Identifier: Apache-2.0 */
/* Integrates a variable over the encoded columns of a block of samples (store/column.h). */
#ifndef WEFT_STORE_SAMPLE_INTEGRAL_H
#define WEFT_STORE_SAMPLE_INTEGRAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/store_layout.h"

/* State of integrating the samples of one block from its first one on, in rising time. */
struct weft_ruler {
    uint64_t steps[WEFT_BLOCK_ROWS]; /* time from the previous sample to each */
    /* if whole: value minus lowest; else bits of doubles */
    uint64_t values[WEFT_BLOCK_ROWS];
    size_t n, i;         /* number of samples; the sample that the last call came to */
    uint64_t past;       /* ticks from the first sample to sample `i` */
    bool whole;          /* values are integers of few digits, so that sums are exact */
    double lowest;       /* if whole: the least value */
    uint64_t whole_area; /* if whole: area above `lowest` up to `past` */
    double area;         /* else: area up to `past` */
};

/*
 * Begins a block.  STEPS: encoded column of the ticks between N samples, the first one 0;
 * VALUES: their values, of weft_column_encode_reals().  Both are aligned to 8, and
 * weft_column_size() accepted them; they are copied.  MOST: upper bound of TICKS in calls
 * of weft_ruler_area().  About 150 ns for 256 samples.
 */
void weft_ruler_load(struct weft_ruler *ruler, const unsigned char *steps,
                     const unsigned char *values, size_t n, uint64_t most);
/*
 * Returns the integral (value times ticks) over the first TICKS after the block's first
 * sample.  TICKS must not be fewer than in the last call, nor more than MOST of
 * weft_ruler_load().  The last sample's value goes on without end.
 */
double weft_ruler_area(struct weft_ruler *ruler, uint64_t ticks);

#endif
