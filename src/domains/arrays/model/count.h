/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a profile means under a distribution: for elements, processors and pairs of
 * processors, how many references were local and how many remote.  All counts are exact;
 * they follow from patterns, loop by loop and dimension by dimension, and do not visit each
 * reference where the distribution's formulas and the pattern's strides allow a count in
 * closed form.
 */
#ifndef WEFT_ARRAY_COUNT_H
#define WEFT_ARRAY_COUNT_H

#include "domains/arrays/model/distribution.h"
#include "base/job.h"

struct weft_reference_counts {
    uint64_t local_reads, remote_reads, local_writes, remote_writes;
};

/*
 * Who computes a statement (CIS-TR-93-21, section 3.4), and so asks for what it refers to.
 * A reference is local when the one that asks owns the element (or a copy of it), or when
 * nobody knows who asks and the profile does not say that it was remote.  An array that is
 * not distributed lies on processor 0, and nothing of it is remote.  Of an element with
 * copies the first owner computes, and serves those who have none.
 */
enum weft_compute_rule {
    WEFT_COMPUTE_OWNER_OF_LEFT, /* the owner that the profile names: owner computes */
    /* The owner of what is read, so that reads are local; writes are as above. */
    WEFT_COMPUTE_OWNER_OF_RIGHT,
    WEFT_COMPUTE_PROCESSOR, /* one processor for all */
};

struct weft_count_query {
    const struct weft_profile *profile;
    const struct weft_distributions
        *distributions; /* NULL: as found in the trace, or one */
    enum weft_compute_rule rule;
    uint64_t processor;              /* of WEFT_COMPUTE_PROCESSOR */
    uint32_t first_step, after_step; /* steps [first, after) */
};

/*
 * How many processors there are in a query, at least 1: of the distributions, of a trace as
 * it was found, and the one that computes.  All numbers of processors are below.
 */
uint64_t weft_count_all_processors(const struct weft_count_query *query);

/*
 * Counts of all elements of an array, row by row, added to OUT[elements of the array].
 * Error: WEFT_ERR_CANCELLED.
 */
bool weft_count_elements(const struct weft_count_query *query, uint32_t array,
                         struct weft_reference_counts *out, struct weft_job *job,
                         struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Counts of all processors, added to OUT[processors]: of what each one's elements served
 * or, BY_REQUESTER, of what it asked for.  ARRAY WEFT_NONE: all arrays.
 */
bool weft_count_processors(const struct weft_count_query *query, uint32_t array,
                           bool by_requester, struct weft_reference_counts *out,
                           struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* One reference, or several that differ in nothing. */
struct weft_reference {
    uint32_t step, array;
    enum weft_reference_operation operation;
    uint64_t element, times;
    uint32_t server;   /* whose element it is */
    int64_t requester; /* who asks; -1: nobody knows */
    bool local;
};
/* Visit all references of an array (WEFT_NONE: of all), by step.  False: VISIT said so,
   too. */
bool weft_count_each(const struct weft_count_query *query, uint32_t array,
                     bool (*visit)(void *user, const struct weft_reference *reference),
                     void *user, struct weft_job *job,
                     struct weft_err *err) WEFT_MUST_CHECK;

/*
 * What processors must send one another.  In a step, all that one needs of another is one
 * message, and an element that is needed several times is sent once; a remote write sends
 * its element to the owner.
 */
struct weft_flow {
    uint32_t from, to;
    uint64_t references, elements, messages, bytes;
};
/*
 * Sorted by (from, to), pairs with references alone; free() the result.  What nobody knows
 * who asked for it is left out (weft_profile_names_requesters).
 */
bool weft_count_flows(const struct weft_count_query *query, uint32_t array,
                      struct weft_flow **out, size_t *n, struct weft_job *job,
                      struct weft_err *err) WEFT_MUST_CHECK;

/*
 * By how many processors at most an element was asked for in one step of the query, its
 * owner included: contention.  Into OUT[elements].
 */
bool weft_count_requesters(const struct weft_count_query *query, uint32_t array,
                           uint32_t *out, struct weft_job *job,
                           struct weft_err *err) WEFT_MUST_CHECK;

#endif
