/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts patterns from column-major to row-major numbering: recordings number elements in
 * the program's memory order, profiles row by row.
 */
#ifndef WEFT_ARRAYS_JOIN_ROW_MAJOR_H
#define WEFT_ARRAYS_JOIN_ROW_MAJOR_H

#include "domains/arrays/model/reference_profile.h"

/* Called with each renumbered pattern, which is valid during the call; USER is from the
   caller of order_by_rows(). */
typedef void order_give(void *user, const struct weft_pattern *pattern);

/* The results of order_by_rows(). */
enum order_end {
    ORDER_DONE,      /* all of the pattern was passed to GIVE */
    ORDER_OUTSIDE,   /* the pattern is not within its array; nothing was passed to GIVE */
    ORDER_SCATTERED, /* *ROOM is used up; only a part was passed to GIVE */
};

/*
 * Renumbers the elements and owners of PATTERN row by row (the last index fastest) and
 * passes it to GIVE, with USER: as one pattern, or several if a loop runs from one column
 * into the next; PATTERN itself is not changed.  ARRAY is the elements' array if they are
 * numbered column by column, and NULL if row by row: they are then neither changed nor
 * checked; OWNER_ARRAY likewise for the owners.  *ROOM limits the number of patterns passed
 * to GIVE and is decreased by that number.
 */
enum order_end order_by_rows(const struct weft_pattern *pattern,
                             const struct weft_array *array,
                             const struct weft_array *owner_array, uint32_t *room,
                             order_give *give, void *user) WEFT_MUST_CHECK;

#endif
