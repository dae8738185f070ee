/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and normalizes single patterns and arrays.  Used in this folder only. */
#ifndef WEFT_ARRAY_PATTERN_CHECK_H
#define WEFT_ARRAY_PATTERN_CHECK_H

#include "domains/arrays/model/reference_profile.h"

/* Returns the number of loops, 0 or more, of a pattern that is in its normal form
   (array_pattern_normalize): the first ones; the others have extent 1. */
int array_pattern_loops(const struct weft_pattern *pattern);

/*
 * Brings a pattern into its normal form: loops of extent 1 are last and have strides of 0,
 * loops that change neither element nor owner are multiplied into `times`, and the owner's
 * element and strides are 0 if owner_array is WEFT_NONE.  ARRAYS[N_ARRAYS] are the arrays
 * by number.  Returns false if an element or owner is not within its array, a number of a
 * step, array or processor, the operation or `local` is out of range, or there are 0 or
 * 2^48 references or more; the pattern may then be partly changed.
 */
bool array_pattern_normalize(struct weft_pattern *pattern, const struct weft_array *arrays,
                             uint32_t n_arrays);

/* Adds the number of a pattern's references to *SUM; returns false, without adding, if the
   sum would exceed 2^63 - 2. */
bool array_count_references(uint64_t *sum, const struct weft_pattern *pattern);

/* Returns true if rank (1 to 7), shape (extents of 1 or more, fewer than 2^48 elements),
   size of an element (1 to 2^31 - 1 bytes) and rank of the arrangement of processors (0 to
   7, whose extents are not checked) are within their limits. */
bool array_shape_fits(const struct weft_array *array);

#endif
