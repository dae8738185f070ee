/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How patterns (model/reference_profile.h) are stored in a grid (store/integer_grid.h): a
 * row for each pattern, sorted by step.  Numbers that may be missing are stored + 1.
 */
#ifndef WEFT_ARRAY_PATTERN_STORAGE_COLUMNS_H
#define WEFT_ARRAY_PATTERN_STORAGE_COLUMNS_H

#include "domains/arrays/model/reference_profile.h"
#include "store/integer_grid.h"

/* Columns of WEFT_GRID_ARRAY_PATTERNS: the fields of struct weft_pattern. */
enum array_pattern_column {
    ARRAY_STEP,         /* number of the step */
    ARRAY_FLAGS,        /* operation | (local + 1) << 1 */
    ARRAY_NUMBER,       /* of the array: the fact WEFT_ROLE_NUMBER of its container */
    ARRAY_OWNER_NUMBER, /* of the owner's array, + 1; 0 if the owner is unknown */
    ARRAY_SITE,         /* + 1; 0 if unknown */
    ARRAY_TIMES,        /* references in each iteration */
    ARRAY_ELEMENT,      /* number of the first element */
    ARRAY_OWNER,        /* number of its owner element; 0 if unknown */
    /* extent - 1, stride, owner_stride of each loop.  Unused loops are 0, which takes no
       room. */
    ARRAY_LOOPS,
    ARRAY_OWNER_PROCESSOR = ARRAY_LOOPS + 3 * WEFT_PATTERN_LOOPS, /* + 1; 0 if unknown */
    ARRAY_REQUESTER_PROCESSOR,                                    /* + 1; 0 if unknown */
    ARRAY_COLUMNS,                                                /* number of columns */
};
static_assert((int)ARRAY_COLUMNS <= (int)WEFT_GRID_COLUMNS, "a grid has room");

#endif
