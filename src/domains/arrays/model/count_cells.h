/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts for pictures of an array with more elements than pixels, by square cells of a
 * plane of the array.  Uses no memory for each element.  A reference costs a nanosecond or
 * two if owners follow from formulas.
 */
#ifndef WEFT_ARRAY_COUNT_CELLS_H
#define WEFT_ARRAY_COUNT_CELLS_H

#include "domains/arrays/model/count.h"

/*
 * A plane of an array: two dimensions vary, the others have a fixed index.  A vector is one
 * row, with row_dimension WEFT_NONE.
 */
struct weft_array_plane {
    uint32_t row_dimension, column_dimension;
    uint64_t index[WEFT_ARRAY_RANK]; /* of the other dimensions */
    unsigned shift;                  /* a cell is 2^shift rows and 2^shift columns */
};

/* Returns the number of cells along a dimension of EXTENT elements. */
static inline uint64_t weft_array_cells(uint64_t extent, unsigned shift)
{
    return ((extent - 1) >> shift) + 1;
}

/*
 * Adds the counts of all cells of a plane, row by row, to CELLS[cells]: local reads, remote
 * reads, local writes, remote writes.  Counts saturate at UINT32_MAX, and *FULL is then
 * set.  Returns false with WEFT_ERR_CANCELLED or WEFT_ERR_LIMIT.
 */
bool weft_count_cells(const struct weft_count_query *query, uint32_t array,
                      const struct weft_array_plane *plane, uint32_t (*cells)[4],
                      bool *full, struct weft_job *job,
                      struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Like weft_count_requesters(), but for the elements of a plane, whose shift must be 0: row
 * by row into OUT[rows * columns].  Fast with at most WEFT_FEW_PROCESSORS processors.
 * Returns false with WEFT_ERR_CANCELLED or WEFT_ERR_LIMIT.
 */
enum { WEFT_FEW_PROCESSORS = 64 };
bool weft_count_plane_requesters(const struct weft_count_query *query, uint32_t array,
                                 const struct weft_array_plane *plane, uint32_t *out,
                                 struct weft_job *job,
                                 struct weft_err *err) WEFT_MUST_CHECK;

#endif
