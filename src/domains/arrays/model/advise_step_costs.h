/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a step under each candidate.  Used in this folder only.
 *
 * A candidate is a choice for each dimension, and there are far fewer choices than
 * candidates.  So the parts (owner_pairs.h) of a step's boxes are made once for each
 * choice, and candidates combine them.
 */
#ifndef WEFT_ARRAY_ADVISE_STEP_COSTS_H
#define WEFT_ARRAY_ADVISE_STEP_COSTS_H

#include "domains/arrays/model/advise_priv.h"
#include "domains/arrays/model/count_flows.h"

/* The references of a box (a nest of loops over elements) in one dimension, for one
   coordinate of their server (the processor that has the element) and one of their
   requester (the processor that refers to it). */
struct advise_entry {
    uint32_t server, requester; /* coordinates */
    uint64_t turns, elements;   /* iterations; different elements in them */
};

/* One dimension of a box (a nest of loops over elements) under one choice of the format of
   that dimension, which is one of the led array (the one whose distributions are tried). */
struct advise_term {
    struct array_box box;                  /* with the loops of the dimension only */
    struct weft_distribution_axis axis[2]; /* for the elements; for the owners */
    struct parts parts;                    /* of this BOX, by these axes */
    struct parts_pair *pairs;     /* [n], all pairs of PARTS; processors are coordinates */
    struct advise_entry *entries; /* [n], the fields of PAIRS that inner loops read */
    size_t n, capacity, entry_capacity;
};

/* A box (nest of loops over elements) of a pattern of the loaded step, and its counts under
   every choice of a dimension's format. */
struct advise_box {
    struct array_box box; /* the loops, by index */
    uint32_t pattern;     /* index in advise_stepping.patterns */
    /* The counts by dimension and choice of its format: those of choice c of dimension d
       are in terms[offset[d] + c] (offset of struct advise_stepping). */
    struct advise_term *terms;
};

/* A set of elements that one processor sends to another because of one box of references;
   an entry of `shares` in struct advise_stepping. */
struct advise_share {
    uint32_t pair; /* from * processors + to: the numbers of the sender and the receiver */
    uint32_t next; /* index in `shares` of the next one of this pair, + 1; 0 at the end */
    const struct advise_box *box;
    uint64_t elements; /* their number */
    /* By dimension of the led array: index in the pairs of the box's term for it. */
    uint32_t pick[WEFT_ARRAY_RANK];
};

/* Numbers under one distribution, added up over all steps so far: references, including the
   remote ones; remote references; messages between processors; bytes in them. */
struct advise_sums {
    uint64_t references, remote, messages, bytes;
};

/* The state of one thread that computes the costs of steps, one after the other. */
struct advise_stepping {
    /* The caller's: steps, arrays, candidates. */
    const struct weft_advice_evaluation *evaluation;
    const struct weft_advice_costs *costs; /* the caller's */
    struct array_work effort;              /* steps of work so far, and their limit */
    uint64_t processors;                   /* number of all */
    /* By dimension of the led array: index in advise_box.terms of its first term; at the
       rank and above, the number of terms. */
    size_t offset[WEFT_ARRAY_RANK + 1];
    /* Patterns of the step that are not left out, sorted by array and operation. */
    struct weft_pattern *patterns;
    size_t n_patterns, pattern_capacity;
    struct advise_box **boxes; /* [n_boxes], of all patterns, if SEPARABLE */
    size_t n_boxes, box_capacity;
    /* The step is computed from terms: every loop moves along one dimension of the led
       array, there are at most 64 boxes, and the arrays are not too long for bitmaps.
       Else each candidate is counted anew, from distributions made for it. */
    bool separable;

    /* The references of a step that is not SEPARABLE and has not too many, by element
       (advise_singles.c); n_singles is 0 for any other. */
    struct advise_single *singles;
    size_t n_singles, single_capacity;
    /* By array, dimension and choice of its format: coordinates by index; NULL if not made
       yet.  n_indices: entries of all. */
    uint16_t **tables;
    size_t n_tables;
    uint64_t n_indices;
    uint64_t element; /* number of the element that is counted, over all candidates */
    uint64_t *sent;   /* by processor: number of the latest element that it sent or got */

    /* For the current step and candidate.  By processor: references that it made; messages
       and bytes, sent and received. */
    uint64_t *work, *messages, *bytes;
    uint64_t remote; /* references */
    uint64_t *load;  /* by processor: references to its elements, over all steps so far */
    uint64_t times;  /* how often the step occurs */
    struct advise_sums *sums; /* of the caller, as `load` */
    uint64_t *pair_bytes;     /* by pair of processors (from * processors + to) */
    uint32_t *pairs;          /* pairs whose bytes are not 0 */
    size_t n_pairs, pairs_capacity;
    /* By pair: index in `shares` of its latest share of this array and operation, + 1; 0
       for none. */
    uint32_t *share_of;
    struct advise_share *shares; /* [n_shares] of the current array and operation */
    size_t n_shares, share_capacity;
    struct weft_arena arena;
    struct count_flows flows;
};

/*
 * Initializes *STEPPING, which may be uninitialized and must not be moved, for PROCESSORS
 * processors and the steps of EVALUATION, by COSTS, which must both outlive it; the caller
 * calls advise_stepping_end().  TAKEN counts the work of all threads together (see
 * array_work_begin()); NULL for a single thread.  JOB cancels it.  Results are valid only
 * if array_work_end() of stepping->effort returns true.
 */
void advise_stepping_begin(struct advise_stepping *stepping,
                           const struct weft_advice_evaluation *evaluation,
                           const struct weft_advice_costs *costs, uint64_t processors,
                           struct weft_job *job, _Atomic uint64_t *taken);
/* Frees what STEPPING owns; call it once. */
void advise_stepping_end(struct advise_stepping *stepping);
/*
 * Loads the patterns of step number STEP of the profile, for advise_step_cost() and
 * advise_step_by(); returns the number of its references that are left out, since their
 * owner is unknown, or their array or the owner's is not aligned with the led one.
 */
uint64_t advise_step(struct advise_stepping *stepping, uint32_t step);
/*
 * Returns the time in ns that the step loaded by advise_step() takes, once, under a
 * candidate (a distribution).  Adds the step's references, TIMES times, to
 * LOAD[processors], by the number of the processor that has the element, and its
 * references, remote references, messages and bytes, TIMES times, to *SUMS.
 */
double advise_step_cost(struct advise_stepping *stepping, const struct candidate *candidate,
                        uint64_t times, uint64_t *load, struct advise_sums *sums);
/*
 * Returns the time in ns that the step loaded by advise_step() takes, once, under
 * DISTRIBUTIONS, as they are in step number STEP.  Adds its references, TIMES times, to
 * LOAD[processors], by the number of the processor that has the element, and its
 * references, remote references, messages and bytes, TIMES times, to *SUMS.  No
 * distribution may have more processors than STEPPING.
 */
double advise_step_by(struct advise_stepping *stepping,
                      const struct weft_distributions *distributions, uint32_t step,
                      uint64_t times, uint64_t *load, struct advise_sums *sums);

/*
 * Shared by advise_step_costs.c (adds up costs) and advise_step_boxes.c (loads a step).
 */

/* Returns the array with number ARRAY in the profile. */
static inline const struct weft_array *
advise_array_of(const struct advise_stepping *stepping, uint32_t array)
{
    return weft_profile_array(stepping->evaluation->profile, array);
}

/* Lists the references of the loaded step in stepping->singles, if they are not too many
   and all arrays have as many dimensions as the led one. */
void advise_list_singles(struct advise_stepping *stepping);
/* Counts the listed references under a candidate; returns false, having counted none, if
   there is no room for tables. */
bool advise_cost_singles(struct advise_stepping *stepping,
                         const struct candidate *candidate);
void advise_free_singles(struct advise_stepping *stepping);
/* Counts REFERENCES of the processor REQUESTER to elements of SERVER. */
void advise_count(struct advise_stepping *stepping, uint32_t server, uint32_t requester,
                  bool local, uint64_t references);
/* Adds BYTES to the message between a PAIR of processors (from * processors + to). */
void advise_exchange(struct advise_stepping *stepping, uint32_t pair, uint64_t bytes);

/* Compares LEFT and RIGHT, each a struct weft_pattern, for qsort(): by number of the array,
   then by operation. */
int advise_by_array(const void *left, const void *right);

#endif
