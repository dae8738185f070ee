/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the advice: candidates, and what each costs. */
#ifndef WEFT_ARRAY_ADVISE_PRIV_H
#define WEFT_ARRAY_ADVISE_PRIV_H

#include "domains/arrays/model/advise.h"
#include "domains/arrays/model/count_priv.h"

/* A format of one dimension, for PROCESSORS of them; collapsed for one. */
struct choice {
    enum weft_distribution_format format;
    uint64_t processors, block; /* of the led array; 0: BLOCK, by each array's own extent */
};

struct choices {
    struct choice *rows;
    size_t n, capacity;
};

struct candidate {
    uint16_t choice[WEFT_ARRAY_RANK]; /* of each dimension of the led array */
};

struct candidates {
    uint32_t rank;
    struct choices dimension[WEFT_ARRAY_RANK];
    struct candidate *rows;
    size_t n, capacity;
};

/* False: there are too many. */
bool candidates_make(struct candidates *candidates, const struct weft_array *array,
                     uint64_t processors);
void candidates_free(struct candidates *candidates);

/*
 * Which dimension of the led array each dimension of another lies along; false: left out.
 */
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
    int8_t (*dimension)[WEFT_ARRAY_RANK]; /* of each array; [0] -2: left out */
    struct count_step *steps;             /* different ones */
    size_t n_steps;
    uint32_t *step_of; /* of each step of the profile: which of those; WEFT_NONE: nothing */
    double *step_ns;   /* [n_steps][candidates] */
};

bool advise_phases(struct weft_advice *advice, const struct weft_advice_costs *costs,
                   struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

#endif
