/* SPDX-License-Identifier: Apache-2.0 */
/* The representation of sets of distributions. */
#ifndef WEFT_ARRAY_DISTRIBUTION_PRIV_H
#define WEFT_ARRAY_DISTRIBUTION_PRIV_H

#include "domains/arrays/model/distribution.h"

/* The distribution of an array from a step on, until its next phase. */
struct array_phase {
    uint32_t step; /* the first step with this distribution */
    struct weft_distribution distribution;
};

struct array_phases {            /* the distributions of one array, each from a step on */
    struct array_phase **phases; /* sorted by step; pointers, so that phases do not move */
    size_t n, capacity;          /* phases; room for them */
};

/* The distributions of all arrays of a profile, each from a step on; made by
   weft_distributions_new(), freed by weft_distributions_free(). */
struct weft_distributions {
    struct array_phases *arrays; /* [n_arrays], by number in the profile */
    uint32_t n_arrays;
    uint64_t processors; /* number in the largest arrangement, at least 1 */
    uint32_t **maps;     /* maps read from the file, owned by the set */
    size_t n_maps, map_capacity;
};

#endif
