/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data that the views of arrays cache between frames: the profile of a trace; the
 * distributions of a file of directives; the owners that a trace itself names; and counts
 * of references, by cell of a plane and by processor.
 *
 * All functions take a weft_use or a question, and their results are valid until that ends;
 * on failure they return NULL or false with *ERR.
 */
#ifndef WEFT_VIEW_ARRAYS_PREPARED_H
#define WEFT_VIEW_ARRAYS_PREPARED_H

#include "domains/arrays/view/reference_selection.h"

/* Limits of pictures of arrays: beyond them functions fail with WEFT_ERR_LIMIT. */
enum {
    ARRAYS_PROCESSORS_MAX = 1 << 16, /* limit of processors in pictures */
    /* Limit of an array's elements (4 GiB of counts), and of a plane's rows and columns. */
    ARRAYS_ELEMENTS_MAX = 1 << 27,
};
/* Returns the profile of the request's first trace, valid until USE ends; NULL with
   WEFT_ERR_FORMAT if it has no references to arrays, or WEFT_ERR_CANCELLED. */
const struct weft_profile *arrays_use_profile(struct weft_use *use, struct weft_err *err);
/* Returns the distributions of the directives TEXT (a file's content, not its name) for the
   request's first trace, valid until USE ends; NULL with the errors of
   weft_distributions_parse() or weft_profile_open(). */
const struct weft_distributions *
arrays_use_distributions(struct weft_use *use, const char *text, struct weft_err *err);

/*
 * The owners of an array's elements that the trace itself names up to and including a step.
 */
struct arrays_found {
    /* By number of the element: its owner, the last one named; WEFT_NONE if none was. */
    uint32_t *owner;
};
/*
 * Returns the owners of the elements of array number ARRAY, of the request's first trace,
 * that the trace names up to and including STEP; valid until USE ends.  ARRAY must exist in
 * the profile.  O(references) at the first call.  NULL with WEFT_ERR_LIMIT if the array has
 * more than ARRAYS_ELEMENTS_MAX elements or too many references, WEFT_ERR_CANCELLED, or
 * WEFT_ERR_FORMAT if there is no profile.
 */
const struct arrays_found *arrays_use_found(struct weft_use *use, uint32_t array,
                                            uint32_t step, struct weft_err *err);

/*
 * Counts of cells, each of 2^shift x 2^shift elements of the plane and a sum over these
 * (fewer at the right and lower edge).  The counts of the statistic's steps are now -
 * before; an average is not divided yet.
 */
struct arrays_cells {
    unsigned shift;         /* a cell is 2^shift x 2^shift elements */
    uint64_t rows, columns; /* of cells */
    /* [rows * columns], row by row; counts in the order of weft_reference_counts. */
    const uint32_t (*now)[WEFT_REFERENCE_KINDS];
    /* Like NOW, to be subtracted; NULL if all 0. */
    const uint32_t (*before)[WEFT_REFERENCE_KINDS];
    /* By quantity: maximum, over cells, of the mean of a cell's elements in the statistic's
       steps; not divided by the number of steps. */
    const double *most;
    bool full; /* some count reached UINT32_MAX and may be too small */
};
/* For one step, the maxima, by quantity, over all cells, of the mean count of a cell's
   elements: in the steps from 0 to it, and in that step alone; if only some were counted,
   `so_far` is of these. */
struct arrays_most {
    double so_far[ARRAYS_QUANTITIES], step[ARRAYS_QUANTITIES];
};
/* Returns the number of elements, in one direction, in cell number I (from 0) of a row or
   column with LENGTH elements: 2^SHIFT; in the last cell the rest of them. */
static inline double arrays_part(uint64_t length, uint64_t i, unsigned shift)
{
    uint64_t begin = i << shift, rest = length - begin;
    return (double)(rest >> shift ? (uint64_t)1 << shift : rest);
}
/*
 * Gets the counts of a statistic, in the question's plane, for cells of 2^WANTED x 2^WANTED
 * elements, or if the plane is smaller, for one cell with all of it (cells->shift is then
 * lower), valid until the request ends.  q->number must be an array's.  They come from
 * cached counts of all steps if these have cells as small, so that moving through the steps
 * needs no new count; else the statistic's steps are counted.  Returns false with
 * WEFT_ERR_LIMIT (too many cells or references) or WEFT_ERR_CANCELLED.
 */
bool arrays_use_cells(struct arrays_question *q, enum arrays_statistic statistic,
                      unsigned wanted, struct arrays_cells *cells,
                      struct weft_err *err) WEFT_MUST_CHECK;

/* Returns the counts of the cell at ROW and COLUMN of cells (not of elements) in the
   statistic's steps: sums over its elements. */
static inline struct weft_reference_counts arrays_cell(const struct arrays_cells *cells,
                                                       uint64_t row, uint64_t column)
{
    const uint32_t *now = cells->now[row * cells->columns + column];
    struct weft_reference_counts counts = { now[0], now[1], now[2], now[3],
                                            now[WEFT_UNOWNED_READS] };
    if (cells->before) {
        const uint32_t *before = cells->before[row * cells->columns + column];
        counts.local_reads -= before[0];
        counts.remote_reads -= before[1];
        counts.local_writes -= before[2];
        counts.remote_writes -= before[3];
        counts.unowned_reads -= before[WEFT_UNOWNED_READS];
    }
    return counts;
}

/*
 * Returns the counts of all processors in a statistic's steps (an average is not divided
 * yet), [q->processors] by number in the question's arena: of references to a processor's
 * elements, or if BY_REQUESTER that it made.  They come from cached counts of all steps if
 * these are few enough.  NULL with WEFT_ERR_CANCELLED or WEFT_ERR_LIMIT (too many
 * references).
 */
struct weft_reference_counts *arrays_use_processors(struct arrays_question *q,
                                                    enum arrays_statistic statistic,
                                                    bool by_requester,
                                                    struct weft_err *err);

/* The communication between processors (model/count.h) in the steps of the question's
   statistic. */
struct arrays_flows {
    struct weft_flow *flows; /* [n], sorted by (from, to) */
    size_t n;                /* number of pairs of processors */
};
/* Returns the flows (communication from one processor to another) in the steps of the
   question's statistic (an average is not divided yet), valid until the request ends; NULL
   with WEFT_ERR_CANCELLED or WEFT_ERR_LIMIT (too many references). */
const struct arrays_flows *arrays_use_flows(struct arrays_question *q,
                                            struct weft_err *err);

#endif
