/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the search for the best distribution: the candidates and their costs.  The led
   array is the one whose distributions are tried; others follow it. */
#ifndef WEFT_ARRAY_ADVISE_PRIV_H
#define WEFT_ARRAY_ADVISE_PRIV_H

#include "domains/arrays/model/advise.h"
#include "domains/arrays/model/count_priv.h"

/* A format of one dimension over a number of processors; collapsed if that is 1. */
struct choice {
    enum weft_distribution_format format; /* of the dimension */
    /* block: m of CYCLIC(m); 0 for the formats BLOCK, whose m follows from an extent, and
       `*`. */
    uint64_t processors, block;
};

/* The formats, each with a number of processors, that are tried for one dimension. */
struct choices {
    struct choice *rows; /* [n] */
    size_t n, capacity;
};

/* A distribution of the led array (the one whose distributions are tried): for each of its
   dimensions d, the index of a choice in dimension[d].rows of struct candidates. */
struct candidate {
    uint16_t choice[WEFT_ARRAY_RANK];
};

/* The distributions that are tried of the led array, from which those of others follow. */
struct candidates {
    uint32_t rank; /* of the led array */
    /* By dimension: the formats that are tried. */
    struct choices dimension[WEFT_ARRAY_RANK];
    struct candidate *rows; /* [n], by number of the candidate */
    size_t n, capacity;
};

/*
 * Lists in *CANDIDATES, which need not be initialized, all distributions of ARRAY, the led
 * one, whose dimensions' numbers of processors multiply to PROCESSORS: by BLOCK, `*`, and
 * CYCLIC(m) with powers of two for m, or with every m if ARRAY has at most two dimensions
 * and the distributed one at most 64 elements; m is less than a block of BLOCK.  Returns
 * false if there are more than 8,000.  In both cases candidates_free() frees them.
 */
bool candidates_make(struct candidates *candidates, const struct weft_array *array,
                     uint64_t processors);
/* Frees what CANDIDATES points to; call it once. */
void candidates_free(struct candidates *candidates);

/*
 * Writes to DIMENSION[rank of ARRAY] the dimension of the array LED with which each
 * dimension of ARRAY is aligned: the same one if the ranks are equal (whatever the
 * extents), else the first unused one of the same extent.  Returns false, and sets
 * DIMENSION[0] to -2, if a dimension of ARRAY finds none: ARRAY is then left out.
 */
bool advise_align(const struct weft_array *array, const struct weft_array *led,
                  int8_t *dimension);
/*
 * Returns the axis that ARRAY gets from CHOICE, the format of dimension D of the led array
 * (the one whose distributions are tried): constant with coordinate 0 if the choice has one
 * processor, else replicated if no dimension of ARRAY is aligned with D.  BLOCK has blocks
 * of ARRAY's extent / processors, rounded up.  DIMENSION is from advise_align(), which
 * returned true.
 */
struct weft_distribution_axis advise_axis(const struct choice *choice,
                                          const struct weft_array *array,
                                          const int8_t *dimension, uint32_t d);
/* Returns the distribution that ARRAY gets from CANDIDATE, one of CANDIDATES (distributions
   of the led array, with which ARRAY is aligned); its text is that of the led array.  It
   has no axes for dimensions of the led array on one processor.  DIMENSION is from
   advise_align(), which returned true. */
struct weft_distribution advise_distribution(const struct candidates *candidates,
                                             const struct candidate *candidate,
                                             const struct weft_array *array,
                                             const int8_t *dimension);

/* The part of a struct weft_advice that is kept to answer later questions: the costs of
   each step under each candidate (distribution of the led array). */
struct weft_advice_evaluation {
    struct candidates candidates;
    const struct weft_profile *profile;   /* the caller's */
    uint32_t led;                         /* number of the led array */
    int8_t (*dimension)[WEFT_ARRAY_RANK]; /* by array: result of advise_align() */
    struct count_step *steps; /* [n_steps]: of each group of equal steps the first one */
    size_t n_steps;
    uint32_t *step_of; /* of each step of the profile: index in steps; WEFT_NONE if empty */
    double *step_ns;   /* [n_steps][candidates.n]: time of steps[i] under a candidate */
};

/*
 * Finds the steps at which redistribution pays, and sets phases, n_phases and phased_ns of
 * the advice.  Its rows are sorted; weft_advice_insert() has added none.  At most 32
 * distributions are tried: the fastest one, the first rows, and the fastest one in each
 * sixteenth of the steps; COSTS are those of the query, for moving arrays.  Returns false
 * with WEFT_ERR_CANCELLED or WEFT_ERR_LIMIT (it would take hours).  weft_advice_free()
 * frees the phases.
 */
bool advise_phases(struct weft_advice *advice, const struct weft_advice_costs *costs,
                   struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* Returns true if no candidate counts a pattern: its owner is unknown, or one of its arrays
   cannot be aligned with the led one. */
bool advise_leaves_out(const struct weft_advice_evaluation *evaluation,
                       const struct weft_pattern *pattern);

#endif
