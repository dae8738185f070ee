/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts patterns from column-major to row-major numbering: recordings number elements in
 * the program's memory order, profiles row by row.
 */
#ifndef WEFT_READ_RECORDING_ARRAYS_ORDER_H
#define WEFT_READ_RECORDING_ARRAYS_ORDER_H

#include "domains/arrays/model/profile.h"

typedef void order_give(void *user, const struct weft_pattern *pattern);

enum order_end {
    ORDER_DONE,
    ORDER_OUTSIDE,   /* the pattern is not within its array; nothing was passed on */
    ORDER_SCATTERED, /* *ROOM is used up; only a part was passed on */
};

/*
 * Renumbers PATTERN row by row and passes it to GIVE: as one pattern, or as several if a
 * loop runs from one column into the next.  Its elements are numbered column by column if
 * ARRAY is not NULL, its owners if OWNER_ARRAY is not NULL.  *ROOM limits the number of
 * patterns and is decreased by them.
 */
enum order_end order_by_rows(const struct weft_pattern *pattern,
                             const struct weft_array *array,
                             const struct weft_array *owner_array, uint32_t *room,
                             order_give *give, void *user) WEFT_MUST_CHECK;

#endif
