/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a step costs by each candidate: inside this folder.
 *
 * A candidate is a choice for each dimension, and there are far fewer choices than
 * candidates.  So the parts of a step's boxes are made once for each choice, and candidates
 * combine them.
 */
#ifndef WEFT_ARRAY_ADVISE_STEP_H
#define WEFT_ARRAY_ADVISE_STEP_H

#include "domains/arrays/model/advise_priv.h"
#include "domains/arrays/model/count_flows.h"

/* What a pair of a term's parts comes to. */
struct advise_entry {
    uint32_t server, requester; /* coordinates */
    uint64_t turns, elements;
};

/* One dimension of a box under one choice. */
struct advise_term {
    struct array_box box;                  /* the loops of the dimension only */
    struct weft_distribution_axis axis[2]; /* of the elements, of the owners */
    struct parts parts;
    struct parts_pair *pairs;
    struct advise_entry
        *entries; /* of the same, side by side: they are all that is read often */
    size_t n, capacity, entry_capacity;
};

struct advise_box {
    struct array_box box;
    uint32_t pattern; /* of the step */
    struct advise_term
        *terms; /* of each choice of each dimension, one dimension after the other */
};

/* An element set that a box adds to what a pair of processors exchanges. */
struct advise_share {
    uint32_t pair; /* from * processors + to */
    uint32_t next; /* of the same pair and array, + 1; 0: none */
    const struct advise_box *box;
    uint64_t elements;
    uint32_t pick[WEFT_ARRAY_RANK]; /* the pair of each term */
};

struct advise_sums {
    uint64_t references, remote, messages, bytes;
};

/* One thread's.  Zeroed by begin. */
struct advise_stepping {
    const struct weft_advice_evaluation *evaluation;
    const struct weft_advice_costs *costs;
    struct array_work effort;
    uint64_t processors;
    size_t offset[WEFT_ARRAY_RANK + 1]; /* of a dimension's terms */

    /* Of the step: those that count, those of one array and operation side by side. */
    struct weft_pattern *patterns;
    size_t n_patterns, pattern_capacity;
    struct advise_box **boxes;
    size_t n_boxes, box_capacity;
    bool separable; /* every loop moves along one dimension */

    /* Of the step and candidate at hand. */
    uint64_t *work, *messages, *bytes; /* by processor */
    uint64_t remote;
    uint64_t *load; /* of the candidate, all steps: what is added to */
    uint64_t times; /* of the step */
    struct advise_sums *sums;
    uint64_t *pair_bytes; /* by pair; 0: none, as listed */
    uint32_t *pairs;
    size_t n_pairs, pairs_capacity;
    uint32_t *share_of; /* by pair: the latest share of the array and operation, + 1 */
    struct advise_share *shares;
    size_t n_shares, share_capacity;
    struct weft_arena arena;
    struct count_flows flows;
};

/* JOB and TAKEN: of the work, see array_work_begin(); what is found out is worth what that
   is. */
void advise_stepping_begin(struct advise_stepping *stepping,
                           const struct weft_advice_evaluation *evaluation,
                           const struct weft_advice_costs *costs, uint64_t processors,
                           struct weft_job *job, _Atomic uint64_t *taken);
void advise_stepping_end(struct advise_stepping *stepping);
/* Take the patterns of a step; returns references that are left out. */
uint64_t advise_step(struct advise_stepping *stepping, uint32_t step);
/* What it costs by a candidate; adds to LOAD[processors] and SUMS, TIMES times. */
double advise_step_cost(struct advise_stepping *stepping, const struct candidate *candidate,
                        uint64_t times, uint64_t *load, struct advise_sums *sums);
/* The same by any distributions. */
double advise_step_by(struct advise_stepping *stepping,
                      const struct weft_distributions *distributions, uint32_t step,
                      uint64_t times, uint64_t *load, struct advise_sums *sums);

/*
 * Between advise_step.c, which adds up costs, and advise_step_boxes.c, which takes a step.
 */

static inline const struct weft_array *
advise_array_of(const struct advise_stepping *stepping, uint32_t array)
{
    return weft_profile_array(stepping->evaluation->profile, array);
}

/* The order of a step's patterns: 0 for those of one array and operation. */
int advise_by_array(const void *left, const void *right);

#endif
