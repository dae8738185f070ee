/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a step under each candidate.  Used in this folder only.
 *
 * A candidate is a choice for each dimension, and there are far fewer choices than
 * candidates.  So the parts (owner_pairs.h) of a step's boxes are made once for each
 * choice, and candidates combine them.
 */
#ifndef WEFT_ARRAY_ADVISE_STEP_H
#define WEFT_ARRAY_ADVISE_STEP_H

#include "domains/arrays/model/advise_priv.h"
#include "domains/arrays/model/count_flows.h"

/* Counts of the references in one dimension of a box whose server (owner of the element)
   and requester have two given coordinates. */
struct advise_entry {
    uint32_t server, requester; /* coordinates */
    uint64_t turns, elements;   /* iterations, and the elements in them */
};

/* One dimension of a box under one choice of its format. */
struct advise_term {
    struct array_box box;                  /* with the loops of the dimension only */
    struct weft_distribution_axis axis[2]; /* for the elements; for the owners */
    struct parts parts;
    struct parts_pair *pairs;     /* [n], all pairs of coordinates in PARTS */
    struct advise_entry *entries; /* [n], the fields of PAIRS that inner loops read */
    size_t n, capacity, entry_capacity;
};

struct advise_box {
    struct array_box box;
    uint32_t pattern;          /* index in the step's patterns */
    struct advise_term *terms; /* for each choice of dimension 0, then of dimension 1 ... */
};

/* A set of elements that a pair of processors exchanges due to one box. */
struct advise_share {
    uint32_t pair; /* from * processors + to */
    uint32_t next; /* next share of the same pair and array, + 1; 0 at the end */
    const struct advise_box *box;
    uint64_t elements;
    uint32_t pick[WEFT_ARRAY_RANK]; /* by dimension: index in its term's pairs */
};

/* Sums over all steps so far. */
struct advise_sums {
    uint64_t references, remote, messages, bytes;
};

/* The state of one thread that computes the costs of steps, one after the other. */
struct advise_stepping {
    const struct weft_advice_evaluation *evaluation;
    const struct weft_advice_costs *costs;
    struct array_work effort;
    uint64_t processors;
    size_t offset[WEFT_ARRAY_RANK + 1]; /* index of a dimension's first term */
    /* Patterns of the step that are not left out, sorted by array and operation. */
    struct weft_pattern *patterns;
    size_t n_patterns, pattern_capacity;
    struct advise_box **boxes;
    size_t n_boxes, box_capacity;
    bool separable; /* every loop moves along one dimension */

    /* For the current step and candidate. */
    uint64_t *work, *messages, *bytes; /* by processor */
    uint64_t remote;
    uint64_t *load; /* by processor: references to its elements, over all steps so far */
    uint64_t times; /* how often the step occurs */
    struct advise_sums *sums;
    uint64_t *pair_bytes; /* by pair of processors */
    uint32_t *pairs;      /* pairs whose bytes are not 0 */
    size_t n_pairs, pairs_capacity;
    uint32_t *share_of; /* by pair: its latest share of this array and operation, + 1 */
    struct advise_share *shares;
    size_t n_shares, share_capacity;
    struct weft_arena arena;
    struct count_flows flows;
};

/*
 * Initializes *STEPPING, which may be uninitialized and must not be moved.  JOB and TAKEN
 * (the steps of work of all threads; NULL if there is one) are passed to
 * array_work_begin().  If stepping->effort ends early, results are invalid.
 */
void advise_stepping_begin(struct advise_stepping *stepping,
                           const struct weft_advice_evaluation *evaluation,
                           const struct weft_advice_costs *costs, uint64_t processors,
                           struct weft_job *job, _Atomic uint64_t *taken);
void advise_stepping_end(struct advise_stepping *stepping);
/*
 * Loads the patterns of a step, for advise_step_cost() and advise_step_by(); returns the
 * number of its references that are left out, since their array or owner is not evaluated.
 */
uint64_t advise_step(struct advise_stepping *stepping, uint32_t step);
/*
 * Returns the time in ns that the loaded step takes under a candidate.  Adds the step's
 * references, TIMES times, to LOAD[processors] (by the processor that serves them), and its
 * references, messages and bytes to *SUMS.
 */
double advise_step_cost(struct advise_stepping *stepping, const struct candidate *candidate,
                        uint64_t times, uint64_t *load, struct advise_sums *sums);
/*
 * Returns the time in ns that the loaded step takes under a set of distributions, and adds
 * to LOAD[processors] and *SUMS like advise_step_cost(); STEP is the number of the step
 * whose distributions hold.
 */
double advise_step_by(struct advise_stepping *stepping,
                      const struct weft_distributions *distributions, uint32_t step,
                      uint64_t times, uint64_t *load, struct advise_sums *sums);

/*
 * ---- Shared by advise_step.c (adds up costs) and advise_step_boxes.c (loads a step) ----
 */

static inline const struct weft_array *
advise_array_of(const struct advise_stepping *stepping, uint32_t array)
{
    return weft_profile_array(stepping->evaluation->profile, array);
}

/* Compares two struct weft_pattern, for qsort(), by array and operation. */
int advise_by_array(const void *left, const void *right);

#endif
