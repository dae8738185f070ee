/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs see elements in the order of memory, which may be column by column; profiles number
 * them row by row.
 */
#ifndef WEFT_READ_RECORDING_ARRAYS_ORDER_H
#define WEFT_READ_RECORDING_ARRAYS_ORDER_H

#include "array/profile.h"

typedef void order_give(void *user, const struct weft_pattern *pattern);

/*
 * Give PATTERN, whose elements are numbered column by column when ARRAY is not NULL, and whose
 * owners are when OWNER_ARRAY is not, numbered row by row: as one pattern, or as several when a
 * loop goes from one column into another.  False: it lies outside of its array, or would fall into
 * absurdly many; then some may have been given.
 */
bool order_by_rows(const struct weft_pattern *pattern, const struct weft_array *array,
                   const struct weft_array *owner_array, order_give *give,
                   void *user) WEFT_MUST_CHECK;

#endif
