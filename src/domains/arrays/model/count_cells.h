/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts for pictures of an array that has more elements than pixels: of squares of
 * elements in a plane of it.  Nothing is kept for each element, and where owners follow
 * from formulas a reference costs a nanosecond or two.
 */
#ifndef WEFT_ARRAY_COUNT_CELLS_H
#define WEFT_ARRAY_COUNT_CELLS_H

#include "domains/arrays/model/count.h"

/*
 * Two dimensions of an array; the others have one index.  A vector is one row:
 * row_dimension is WEFT_NONE.
 */
struct weft_array_plane {
    uint32_t row_dimension, column_dimension;
    uint64_t index[WEFT_ARRAY_RANK]; /* of the other dimensions */
    unsigned shift;                  /* a cell is 2^shift rows and 2^shift columns */
};

static inline uint64_t weft_array_cells(uint64_t extent, unsigned shift)
{
    return ((extent - 1) >> shift) + 1;
}

/*
 * The counts of all cells, row by row, added to CELLS: local reads, remote reads, local
 * writes, remote writes, as weft_count_elements has them.  What would be more than
 * UINT32_MAX is that, and *FULL is set.  Error: WEFT_ERR_CANCELLED.
 */
bool weft_count_cells(const struct weft_count_query *query, uint32_t array,
                      const struct weft_array_plane *plane, uint32_t (*cells)[4],
                      bool *full, struct weft_job *job,
                      struct weft_err *err) WEFT_MUST_CHECK;

/*
 * By how many processors at most each element of the plane was asked for in one step, row
 * by row, as weft_count_requesters has it, into OUT[rows of it][columns].  The plane's
 * shift is 0.  Quick where there are at most WEFT_FEW_PROCESSORS.  Error:
 * WEFT_ERR_CANCELLED.
 */
enum { WEFT_FEW_PROCESSORS = 64 };
bool weft_count_plane_requesters(const struct weft_count_query *query, uint32_t array,
                                 const struct weft_array_plane *plane, uint32_t *out,
                                 struct weft_job *job,
                                 struct weft_err *err) WEFT_MUST_CHECK;

#endif
