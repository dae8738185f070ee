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
    uint32_t row_dimension, column_dimension; /* of the array, from 0 */
    uint64_t index[WEFT_ARRAY_RANK];          /* by dimension; ignored for these two */
    unsigned shift; /* a cell is 2^shift rows and 2^shift columns */
};

/* Returns the number of cells along a dimension of EXTENT elements (1 or more); a cell has
   2^SHIFT of them, the last one may have fewer. */
static inline uint64_t weft_array_cells(uint64_t extent, unsigned shift)
{
    return ((extent - 1) >> shift) + 1;
}

/*
 * Adds the counts of all cells of PLANE, of array number ARRAY, in the steps of QUERY, to
 * CELLS[rows * columns of cells (weft_array_cells)], row by row: the fields of
 * struct weft_reference_counts in their order, each a sum over the cell's elements.  Counts
 * saturate at UINT32_MAX; *FULL is then set to true, else left as it is.  Returns false
 * with WEFT_ERR_CANCELLED or WEFT_ERR_LIMIT (it would take hours); CELLS is then invalid.
 */
bool weft_count_cells(const struct weft_count_query *query, uint32_t array,
                      const struct weft_array_plane *plane,
                      uint32_t (*cells)[WEFT_REFERENCE_KINDS], bool *full,
                      struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* Most processors for which weft_count_plane_requesters() is fast: a bit of a word each. */
enum { WEFT_FEW_PROCESSORS = 64 };
/*
 * Writes to OUT[rows * columns], row by row, how many different processors referred to each
 * element of a plane in one step, maximum over the steps of the query
 * (weft_count_requesters() for all elements).  The plane's shift must be 0.  Fast, with
 * memory for the plane only, if weft_count_all_processors() is at most WEFT_FEW_PROCESSORS;
 * else it counts the whole array first.  Returns false with WEFT_ERR_CANCELLED or
 * WEFT_ERR_LIMIT (there are too many references); OUT is then invalid.
 */
bool weft_count_plane_requesters(const struct weft_count_query *query, uint32_t array,
                                 const struct weft_array_plane *plane, uint32_t *out,
                                 struct weft_job *job,
                                 struct weft_err *err) WEFT_MUST_CHECK;

#endif
