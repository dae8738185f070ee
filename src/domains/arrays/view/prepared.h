/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Things that the views of arrays keep between frames, each with a preparation of its own:
 * the profile of a trace; what a file of directives says; the owners that a trace itself
 * names; and counts of references, by cell of a plane and by processor.
 *
 * All functions take a weft_use or a question, which hold the things returned until they
 * end.
 */
#ifndef WEFT_VIEW_ARRAYS_PREPARED_H
#define WEFT_VIEW_ARRAYS_PREPARED_H

#include "domains/arrays/view/arrays.h"

enum {
    ARRAYS_PROCESSORS_MOST = 1 << 16, /* that pictures have colours and cells for */
    ARRAYS_ELEMENTS_MOST = 1 << 27,   /* of an array: 4 GiB while they are counted */
};

/* Error: WEFT_ERR_USAGE when the trace has no references. */
const struct weft_profile *arrays_use_profile(struct weft_use *use, struct weft_err *err);
/* Errors: those of weft_distributions_parse. */
const struct weft_distributions *
arrays_use_distributions(struct weft_use *use, const char *text, struct weft_err *err);

/* What a trace says by itself of an array, up to and with a step. */
struct arrays_found {
    uint32_t *owner; /* [elements] the last that was named; WEFT_NONE: none */
};
/* O(references).  Error: WEFT_ERR_LIMIT for too many elements. */
const struct arrays_found *arrays_use_found(struct weft_use *use, uint32_t array,
                                            uint32_t step, struct weft_err *err);

/*
 * Counts of cells: a cell is 2^shift x 2^shift elements of the plane.  Those of the steps
 * from FIRST to the question's are now - before.
 */
struct arrays_cells {
    unsigned shift;
    uint64_t rows, columns;
    const uint32_t (
        *now)[4]; /* [rows][columns]: counts as weft_reference_counts has them */
    const uint32_t (*before)[4]; /* or NULL: nothing was before */
    const double *most; /* [ARRAYS_QUANTITIES]: of elements, in the mean of their cell */
    bool full;          /* some count is as large as these numbers get, or larger */
};
struct arrays_most {
    double so_far[ARRAYS_QUANTITIES], step[ARRAYS_QUANTITIES];
};
/* Elements of a row or column of LENGTH in cell I. */
static inline double arrays_part(uint64_t length, uint64_t i, unsigned shift)
{
    uint64_t begin = i << shift, rest = length - begin;
    return (double)(rest >> shift ? (uint64_t)1 << shift : rest);
}
/*
 * The cells for pictures whose cells are 2^WANTED elements wide and high, or smaller.  From
 * the history of all steps where that is fine enough, so that stepping counts nothing; else
 * from the counts of the steps that are asked for.
 */
bool arrays_use_cells(struct arrays_question *q, enum arrays_statistic statistic,
                      unsigned wanted, struct arrays_cells *cells,
                      struct weft_err *err) WEFT_MUST_CHECK;

static inline struct weft_reference_counts arrays_cell(const struct arrays_cells *cells,
                                                       uint64_t row, uint64_t column)
{
    const uint32_t *now = cells->now[row * cells->columns + column];
    struct weft_reference_counts counts = { now[0], now[1], now[2], now[3] };
    if (cells->before) {
        const uint32_t *before = cells->before[row * cells->columns + column];
        counts.local_reads -= before[0];
        counts.remote_reads -= before[1];
        counts.local_writes -= before[2];
        counts.remote_writes -= before[3];
    }
    return counts;
}

/*
 * Counts of all processors for a statistic, [q->processors] in the question's arena; added
 * up from a history of the steps where that is small enough.
 */
struct weft_reference_counts *arrays_use_processors(struct arrays_question *q,
                                                    enum arrays_statistic statistic,
                                                    bool by_requester,
                                                    struct weft_err *err);

/* What processors send one another, for the question's statistic. */
struct arrays_flows {
    struct weft_flow *flows; /* [n], sorted by (from, to) */
    size_t n;
};
const struct arrays_flows *arrays_use_flows(struct arrays_question *q,
                                            struct weft_err *err);

#endif
