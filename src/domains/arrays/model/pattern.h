/* SPDX-License-Identifier: Apache-2.0 */
/* What may be said of a pattern by itself: inside this folder. */
#ifndef WEFT_ARRAY_PATTERN_H
#define WEFT_ARRAY_PATTERN_H

#include "domains/arrays/model/profile.h"

/* Loops that are needed: those behind have extent 1.  For a pattern in its normal form. */
int array_pattern_loops(const struct weft_pattern *pattern);

/*
 * Bring a pattern into its normal form: loops of extent 1 last and with strides of 0, loops
 * that change nothing counted as times, nothing said of an owner that is not known.  False:
 * it lies outside of the arrays, or a number is absurd.
 */
bool array_pattern_normalize(struct weft_pattern *pattern, const struct weft_array *arrays,
                             uint32_t n_arrays);

/* Add a pattern's references to a sum; false: there would be too many. */
bool array_count_references(uint64_t *sum, const struct weft_pattern *pattern);

/* Are rank, shape and size of an element within their limits? */
bool array_shape_fits(const struct weft_array *array);

#endif
