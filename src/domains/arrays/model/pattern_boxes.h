/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boxes: patterns by index instead of element number.  Used in this folder only.  A box has
 * loops like a pattern, but each loop has a stride in every dimension of the array, and no
 * iteration leaves a dimension.  So each dimension can be counted by itself.  A loop of a
 * pattern that runs from one row into the next is split: the rest of the first row, all
 * whole rows, and the begin of the last row.
 */
#ifndef WEFT_ARRAY_PATTERN_BOXES_H
#define WEFT_ARRAY_PATTERN_BOXES_H

#include "domains/arrays/model/reference_profile.h"

enum { ARRAY_BOX_LOOPS = 12 }; /* a pattern's loops, split in several dimensions */

/* A nest of loops over the elements of an array, by index, with one reference in each
   iteration (a pattern's `times` is not in it); no iteration leaves a dimension.  All about
   owners is 0 if array_boxes() was given no OWNER_ARRAY. */
struct array_box {
    int loops; /* number of loops; 0: a single reference; their order has no meaning */
    uint64_t extent[ARRAY_BOX_LOOPS]; /* iterations, at least 2 */
    /* Indices, by dimension, of the element and of its owner in the first iteration. */
    uint64_t element[WEFT_ARRAY_RANK], owner[WEFT_ARRAY_RANK];
    /* The strides of each loop in each dimension, of the element and of the owner. */
    int64_t stride[ARRAY_BOX_LOOPS][WEFT_ARRAY_RANK];
    int64_t owner_stride[ARRAY_BOX_LOOPS][WEFT_ARRAY_RANK];
};

/*
 * Splits a pattern into boxes (nests of loops of which none runs over the end of a row) and
 * calls VISIT with USER and each of them, valid during the call.  The pattern's elements
 * must be within ARRAY, its owners within OWNER_ARRAY; owners are ignored if OWNER_ARRAY is
 * NULL.  Returns false if VISIT did, and stops then.  Most patterns are one box; in the
 * worst case there is a box for each reference.
 */
bool array_boxes(const struct weft_pattern *pattern, const struct weft_array *array,
                 const struct weft_array *owner_array,
                 bool (*visit)(void *user, const struct array_box *box), void *user);

#endif
