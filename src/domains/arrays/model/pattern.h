/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and normalizes single patterns and arrays.  Used in this folder only. */
#ifndef WEFT_ARRAY_PATTERN_H
#define WEFT_ARRAY_PATTERN_H

#include "domains/arrays/model/profile.h"

/* Returns the number of loops of a pattern that is in its normal form
   (array_pattern_normalize); the others have extent 1. */
int array_pattern_loops(const struct weft_pattern *pattern);

/*
 * Brings a pattern into its normal form: loops of extent 1 are last and have strides of 0,
 * loops that change nothing are multiplied into `times`, and the owner's fields are 0 if it
 * is unknown.  ARRAYS[N_ARRAYS] are the arrays by number.  Returns false if the pattern is
 * not within its arrays, a number is invalid, or it has 0 or 2^48 references or more; it
 * may then be partly changed.
 */
bool array_pattern_normalize(struct weft_pattern *pattern, const struct weft_array *arrays,
                             uint32_t n_arrays);

/* Adds the number of a pattern's references to *SUM; returns false, without adding, if the
   sum would exceed 2^63 - 2. */
bool array_count_references(uint64_t *sum, const struct weft_pattern *pattern);

/* Returns true if rank, shape, size of an element (1 to 2^31 - 1 bytes) and rank of the
   arrangement of processors are within their limits; there are fewer than 2^48 elements. */
bool array_shape_fits(const struct weft_array *array);

#endif
