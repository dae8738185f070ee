/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares numbers, for qsort.  Several keys are compared in turn, most important first:
 *
 *     return WEFT_COMPARE(x->time, y->time) ?: WEFT_COMPARE(x->number, y->number);
 */
#ifndef WEFT_BASE_COMPARE_H
#define WEFT_BASE_COMPARE_H

#include <stdint.h>

/*
 * -1, 0 or 1 if A is less than, equal to or greater than B; 0 if one of them is NaN.
 * A and B must have the same type; each is evaluated twice.
 */
#define WEFT_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/*
 * weft_by_u32(), weft_by_i32(), weft_by_u64(), weft_by_i64(): comparison functions for
 * qsort, in ascending order, of arrays of the integers that they are named after.
 */
static inline int weft_by_u32(const void *a, const void *b)
{
    return WEFT_COMPARE(*(const uint32_t *)a, *(const uint32_t *)b);
}

static inline int weft_by_i32(const void *a, const void *b)
{
    return WEFT_COMPARE(*(const int32_t *)a, *(const int32_t *)b);
}

static inline int weft_by_u64(const void *a, const void *b)
{
    return WEFT_COMPARE(*(const uint64_t *)a, *(const uint64_t *)b);
}

static inline int weft_by_i64(const void *a, const void *b)
{
    return WEFT_COMPARE(*(const int64_t *)a, *(const int64_t *)b);
}

#endif
