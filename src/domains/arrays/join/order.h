/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs see elements in the order of memory, which may be column by column; profiles
 * number them row by row.
 */
#ifndef WEFT_READ_RECORDING_ARRAYS_ORDER_H
#define WEFT_READ_RECORDING_ARRAYS_ORDER_H

#include "domains/arrays/model/profile.h"

typedef void order_give(void *user, const struct weft_pattern *pattern);

enum order_end {
    ORDER_DONE,
    ORDER_OUTSIDE,   /* it lies outside of its array: nothing was given */
    ORDER_SCATTERED, /* *ROOM is used up: a part of it was given */
};

/*
 * Give PATTERN, whose elements are numbered column by column when ARRAY is not NULL, and
 * whose owners are when OWNER_ARRAY is not, numbered row by row: as one pattern, or as
 * several when a loop goes from one column into another.  *ROOM: how many may be given; it
 * goes down.
 */
enum order_end order_by_rows(const struct weft_pattern *pattern,
                             const struct weft_array *array,
                             const struct weft_array *owner_array, uint32_t *room,
                             order_give *give, void *user) WEFT_MUST_CHECK;

#endif
