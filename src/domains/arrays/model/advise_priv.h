/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the advice: the candidates and their costs. */
#ifndef WEFT_ARRAY_ADVISE_PRIV_H
#define WEFT_ARRAY_ADVISE_PRIV_H

#include "domains/arrays/model/advise.h"
#include "domains/arrays/model/count_priv.h"

/* A format of one dimension over a number of processors; collapsed if that is 1. */
struct choice {
    enum weft_distribution_format format;
    uint64_t processors, block; /* block 0: BLOCK with a size by each array's own extent */
};

struct choices {
    struct choice *rows;
    size_t n, capacity;
};

struct candidate {
    uint16_t choice[WEFT_ARRAY_RANK]; /* index of the choice for each dimension */
};

struct candidates {
    uint32_t rank;
    struct choices dimension[WEFT_ARRAY_RANK];
    struct candidate *rows;
    size_t n, capacity;
};

/* Lists all candidates for ARRAY.  Returns false if there are too many. */
bool candidates_make(struct candidates *candidates, const struct weft_array *array,
                     uint64_t processors);
void candidates_free(struct candidates *candidates);

/* Finds the dimension of the led array with which each dimension of ARRAY is aligned.
   Returns false if ARRAY is left out. */
bool advise_align(const struct weft_array *array, const struct weft_array *led,
                  int8_t *dimension);
/* The axis of a choice in dimension D of the led array, for ARRAY. */
struct weft_distribution_axis advise_axis(const struct choice *choice,
                                          const struct weft_array *array,
                                          const int8_t *dimension, uint32_t d);
/* A candidate's distribution of an array. */
struct weft_distribution advise_distribution(const struct candidates *candidates,
                                             const struct candidate *candidate,
                                             const struct weft_array *array,
                                             const int8_t *dimension);

struct weft_advice_evaluation {
    struct candidates candidates;
    const struct weft_profile *profile;
    uint32_t led;
    int8_t (*dimension)[WEFT_ARRAY_RANK]; /* of each array; [0] is -2 if it is left out */
    struct count_step *steps;             /* one of each set of equal steps */
    size_t n_steps;
    uint32_t *step_of; /* of each step of the profile: index in steps; WEFT_NONE if empty */
    double *step_ns;   /* [n_steps][candidates] */
};

bool advise_phases(struct weft_advice *advice, const struct weft_advice_costs *costs,
                   struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

#endif
