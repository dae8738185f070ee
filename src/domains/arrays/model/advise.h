/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which distribution is best for a program: all combinations of BLOCK, CYCLIC(m) and * over
 * all factorizations of a number of processors, each evaluated exactly from the profile, by
 * owner computes, under a model of costs that has three constants.
 *
 * A step takes as long as the processor that it takes longest on: for each reference that
 * it asks for ACCESS_NS, for each message that it sends or gets MESSAGE_NS, for each byte
 * of these BYTE_NS.  What a step needs of another processor is one message (array/count.h).
 *
 * One array is *led*: the candidates are its distributions.  Arrays of the same rank get
 * the same formats; arrays of fewer dimensions are aligned with those of the led one that
 * are as long, and copied along the others; any other array, and a reference on behalf of
 * nobody, is left out.
 */
#ifndef WEFT_ARRAY_ADVISE_H
#define WEFT_ARRAY_ADVISE_H

#include "domains/arrays/model/count.h"

enum { WEFT_ADVICE_PROCESSORS = 1024 /* at most: pairs of them are tables */ };

struct weft_advice_costs {
    double access_ns, message_ns, byte_ns;
};

enum weft_advice_rank { WEFT_ADVICE_TIME, WEFT_ADVICE_REMOTE, WEFT_ADVICE_IMBALANCE };

struct weft_advice_query {
    const struct weft_profile *profile;
    uint32_t array; /* that is led; WEFT_NONE: the one with most references */
    uint64_t processors;
    struct weft_advice_costs costs;
    enum weft_advice_rank rank;
};

struct weft_advice_row {
    struct weft_distribution distribution; /* of the led array */
    uint64_t references, remote;
    uint64_t max_load; /* references that the elements of one processor serve, at most */
    uint64_t messages, bytes;
    double estimated_ns;
    uint32_t number; /* of the candidate; WEFT_NONE: somebody else's */
};

/* From STEP on the array lies as ROW says. */
struct weft_advice_phase {
    uint32_t step;
    uint32_t row;
    uint64_t moved_bytes, messages; /* what it takes to get there */
    double moving_ns;
};

struct weft_advice {
    uint32_t array;
    uint64_t processors;
    struct weft_advice_row *rows; /* best first */
    size_t n;
    struct weft_advice_phase *phases; /* one: no redistribution pays */
    size_t n_phases;
    double phased_ns;  /* with all moving */
    uint64_t left_out; /* references */
    uint32_t n_steps;
    struct weft_advice_evaluation *evaluation;
};

/*
 * NULL with *err: WEFT_ERR_USAGE, WEFT_ERR_CANCELLED; WEFT_ERR_FORMAT when there is no
 * reference to be counted; WEFT_ERR_LIMIT when steps that differ times distributions are
 * more than 2^27.
 */
struct weft_advice *weft_advice_make(const struct weft_advice_query *query,
                                     struct weft_job *job,
                                     struct weft_err *err) WEFT_MUST_CHECK;
void weft_advice_free(struct weft_advice *advice); /* NULL is fine */

/* What a step takes by a row. */
double weft_advice_step_ns(const struct weft_advice *advice, size_t row, uint32_t step);
/*
 * Evaluate any set of distributions in the same way, to stand beside the rows.
 * STEP_NS[steps], or NULL, gets what each step takes.
 */
bool weft_advice_of(const struct weft_advice_query *query,
                    const struct weft_distributions *distributions,
                    struct weft_advice_row *out, double *step_ns, struct weft_job *job,
                    struct weft_err *err) WEFT_MUST_CHECK;
/* Put such a row where it belongs among the others; returns its place. */
size_t weft_advice_insert(struct weft_advice *advice, const struct weft_advice_row *row,
                          enum weft_advice_rank rank);
/* Max over mean of the load, at least 1; of no reference 1. */
double weft_advice_imbalance(const struct weft_advice_row *row, uint64_t processors);
/* Directives that say what a row says, for weft_distributions_read(); the caller frees. */
char *weft_advice_directives(const struct weft_advice *advice,
                             const struct weft_profile *profile, size_t row);

#endif
