/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes: inside this folder.  A pattern's strides are those of element numbers.  A box has
 * the same loops, each with a way in every dimension of the array, such that no turn leaves
 * a dimension: so what depends on one dimension can be counted by itself.  A loop that runs
 * on from one row into the next becomes several: the rest of the first row, all whole rows,
 * and the begin of the last.
 */
#ifndef WEFT_ARRAY_BOX_H
#define WEFT_ARRAY_BOX_H

#include "domains/arrays/model/profile.h"

enum { ARRAY_BOX_LOOPS = 12 }; /* those of a pattern, cut in several dimensions */

struct array_box {
    int loops;
    uint64_t extent[ARRAY_BOX_LOOPS];                          /* at least 2 */
    uint64_t element[WEFT_ARRAY_RANK], owner[WEFT_ARRAY_RANK]; /* where it begins */
    /* What a turn of a loop adds to each index. */
    int64_t way[ARRAY_BOX_LOOPS][WEFT_ARRAY_RANK];
    int64_t owner_way[ARRAY_BOX_LOOPS][WEFT_ARRAY_RANK];
};

/*
 * The boxes of a pattern; OWNER_ARRAY NULL: owners do not matter.  False: VISIT said so.
 * Most patterns are one box; at worst each reference is.
 */
bool array_boxes(const struct weft_pattern *pattern, const struct weft_array *array,
                 const struct weft_array *owner_array,
                 bool (*visit)(void *user, const struct array_box *box), void *user);

#endif
