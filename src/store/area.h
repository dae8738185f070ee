/* SPDX-License-Identifier: Apache-2.0 */
/* The area under a block of a curve of steps, from its encoded columns (store/column.h). */
#ifndef WEFT_STORE_AREA_H
#define WEFT_STORE_AREA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/store_layout.h"

/* Goes along the steps of one block; times only grow. */
struct weft_ruler {
    uint64_t steps[WEFT_BLOCK_ROWS];  /* how long after the one before each begins */
    uint64_t values[WEFT_BLOCK_ROWS]; /* whole: above the lowest; else bits of doubles */
    size_t n, i;
    uint64_t past; /* when step I begins */
    bool whole;    /* then sums are of integers, which round nothing */
    double lowest;
    uint64_t whole_area; /* above the lowest, until then */
    double area;
};

/*
 * STEPS: how long after the one before each of N samples begins, the first one at 0; VALUES: what
 * each is until the next one.  The sizes of both columns were found good.  Nothing is asked
 * beyond MOST ticks.  Some 150 ns of 256 samples.
 */
void weft_ruler_load(struct weft_ruler *ruler, const unsigned char *steps,
                     const unsigned char *values, size_t n, uint64_t most);
/* The area under the first TICKS, no fewer than before. */
double weft_ruler_area(struct weft_ruler *ruler, uint64_t ticks);

#endif
