/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the best distribution for a program.  It evaluates all combinations of BLOCK,
 * CYCLIC(m) and * over all factorizations of a number of processors, each exactly from the
 * profile, by the owner-computes rule and a cost model with three constants.
 *
 * A step takes as long as its slowest processor.  A processor needs ACCESS_NS for each
 * reference that it makes, MESSAGE_NS for each message that it sends or receives, and
 * BYTE_NS for each byte of these.  All data that it needs from one other processor in a
 * step is one message (model/count.h).
 *
 * The candidates are the distributions of one array, the *led* array.  Arrays of the same
 * rank get the same formats; each dimension of an array of lower rank is aligned with a
 * dimension of the led one of the same extent, and the array is replicated along the
 * others.  Other arrays, and references with an unknown owner, are left out.
 */
#ifndef WEFT_ARRAY_ADVISE_H
#define WEFT_ARRAY_ADVISE_H

#include "domains/arrays/model/count.h"

enum { WEFT_ADVICE_PROCESSORS = 1024 /* at most, since there are tables by pair */ };

/* Nanoseconds of a reference, of a message and of a byte of a message; sender and receiver
   of a message both need the latter two. */
struct weft_advice_costs {
    double access_ns, message_ns, byte_ns;
};

/* Order of the rows: by estimated time, remote references, or imbalance (max_load); least
   first, and equal ones by time. */
enum weft_advice_rank { WEFT_ADVICE_TIME, WEFT_ADVICE_REMOTE, WEFT_ADVICE_IMBALANCE };

/* A question for the best distribution. */
struct weft_advice_query {
    const struct weft_profile *profile; /* the references of the run; not owned */
    /* Number of the array whose distributions are tried (the led one); WEFT_NONE for the
       one with most references. */
    uint32_t array;
    uint64_t processors; /* all candidates use exactly this many */
    struct weft_advice_costs costs;
    enum weft_advice_rank rank; /* order of the answer's rows */
};

/* The costs of the whole run, all steps together, under a distribution.  References to
   arrays that cannot be aligned, or with an unknown owner, are left out of them. */
struct weft_advice_row {
    struct weft_distribution distribution; /* of weft_advice.array */
    uint64_t references, remote;           /* all references; the remote ones among them */
    uint64_t max_load; /* maximum over processors of the references to its elements */
    uint64_t messages, bytes; /* between processors, each counted once */
    double estimated_ns;      /* sum of the times of all steps, without redistribution */
    /* Number of the candidate, from 0, in the order in which they were made (index in
       `rows` of struct candidates); WEFT_NONE for a distribution of the caller. */
    uint32_t number;
};
/* A range of steps, from STEP up to the next phase, in which arrays are best distributed by
   weft_advice.rows[ROW]. */
struct weft_advice_phase {
    uint32_t step; /* number of the step in the profile; 0 for the first phase */
    uint32_t row;  /* index in weft_advice.rows */
    /* Costs of moving all aligned arrays to this distribution from that of the phase
       before; 0 for the first phase. */
    uint64_t moved_bytes, messages;
    double moving_ns; /* time of the slowest processor */
};

/* The answer of weft_advice_make(): all candidates (distributions that were tried), and the
   steps at which redistribution pays.  weft_advice_free() frees all of it. */
struct weft_advice {
    uint32_t array; /* number of the array whose distributions are tried (the led one) */
    uint64_t processors;          /* number of all, as in the query */
    struct weft_advice_row *rows; /* [n], best first by the query's rank */
    size_t n;
    struct weft_advice_phase *phases; /* [n_phases]; one if no redistribution pays */
    size_t n_phases;
    double phased_ns; /* time of all phases, including redistributions */
    /* References in all steps that are not counted: to arrays that cannot be aligned with
       the led one, or with an unknown owner. */
    uint64_t left_out;
    uint64_t reads;          /* all reads of the profile */
    uint64_t reads_nobody;   /* those of them with an unknown owner, left out */
    uint64_t reads_left_out; /* all of them that are left out */
    uint32_t n_steps;        /* steps of the profile */
    struct weft_advice_evaluation *evaluation; /* private (advise_priv.h); owned */
};

/*
 * Estimates the run's time under all candidates: distributions of the query's array by
 * BLOCK, CYCLIC(m) and * on exactly its number of processors; the other arrays are aligned.
 * weft_advice_free() frees the result, and the profile must outlive it.  NULL with
 * WEFT_ERR_USAGE if the processors are not 1 to WEFT_ADVICE_PROCESSORS or allow more than
 * 8,000 distributions; WEFT_ERR_CANCELLED; WEFT_ERR_FORMAT if the profile has no arrays, or
 * all references are left out (weft_advice.left_out); WEFT_ERR_LIMIT if different steps
 * times candidates exceed 2^27, or counting would take hours.
 */
struct weft_advice *weft_advice_make(const struct weft_advice_query *query,
                                     struct weft_job *job,
                                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_advice_free(struct weft_advice *advice); /* NULL is fine */

/* Returns true if at least nine tenths of the reads of the profile are counted: else which
   distribution comes first may depend on the reads that are left out. */
bool weft_advice_is_sound(const struct weft_advice *advice);

/* Returns the estimated time in ns of step number STEP, below advice->n_steps, under the
   distribution of advice->rows[ROW], which must be a row of weft_advice_make(), not one
   that weft_advice_insert() added; 0 for a step without references. */
double weft_advice_step_ns(const struct weft_advice *advice, size_t row, uint32_t step);
/*
 * Estimates the run's costs under a set of distributions of the caller, into *OUT: its
 * distribution is that of the query's array in step 0 (all 0 if it has none; a map still
 * belongs to DISTRIBUTIONS), its number is WEFT_NONE.  References are left out as in
 * weft_advice_make().  The processors and rank of the query are ignored.  STEP_NS[steps of
 * the profile], if not NULL, gets the time of each step in ns, 0 for one without
 * references.  Returns false, *OUT and STEP_NS then being incomplete, with WEFT_ERR_USAGE
 * (more than WEFT_ADVICE_PROCESSORS processors), WEFT_ERR_FORMAT (no arrays),
 * WEFT_ERR_CANCELLED or WEFT_ERR_LIMIT (it would take hours).
 */
bool weft_advice_of(const struct weft_advice_query *query,
                    const struct weft_distributions *distributions,
                    struct weft_advice_row *out, double *step_ns, struct weft_job *job,
                    struct weft_err *err) WEFT_MUST_CHECK;
/* Inserts a copy of a row of weft_advice_of() into the sorted advice->rows, behind equal
   ones, and adjusts `row` of the phases; returns its index in advice->rows.  RANK must be
   that of the query which made the advice. */
size_t weft_advice_insert(struct weft_advice *advice, const struct weft_advice_row *row,
                          enum weft_advice_rank rank);
/* Returns the maximum of the references to one processor's elements, divided by their mean
   over all PROCESSORS, the number that ROW was made for: at least 1; 1 if there are no
   references. */
double weft_advice_imbalance(const struct weft_advice_row *row, uint64_t processors);
/*
 * Returns the directives (PROCESSORS, DISTRIBUTE, ALIGN), one a line, that give the
 * advice's array the distribution of advice->rows[ROW] and the arrays aligned with it
 * theirs; weft_distributions_read() reads them.  The row must be one of weft_advice_make(),
 * not one that weft_advice_insert() added.  The caller frees the text.  PROFILE is that of
 * the query.
 */
char *weft_advice_directives(const struct weft_advice *advice,
                             const struct weft_profile *profile, size_t row);

#endif
