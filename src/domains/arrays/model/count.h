/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts local and remote references of a profile under a distribution, by element, by
 * processor, and by pair of processors.  All counts are exact.  They are computed from
 * patterns, loop by loop and dimension by dimension, without visiting each reference if the
 * distribution's formulas and the pattern's strides have a closed form.
 */
#ifndef WEFT_ARRAY_COUNT_H
#define WEFT_ARRAY_COUNT_H

#include "base/progress_and_cancel.h"
#include "domains/arrays/model/distribution.h"

/* Numbers of references to an element, to a processor's elements, or by a processor: by
   operation, and by whether the requesting processor has the element (local) or not.
   Unowned reads (weft_pattern_is_unowned) are neither. */
struct weft_reference_counts {
    uint64_t local_reads, remote_reads, local_writes, remote_writes, unowned_reads;
};
/* The number of fields of struct weft_reference_counts, and the place of the last. */
enum { WEFT_REFERENCE_KINDS = 5, WEFT_UNOWNED_READS = 4 };

/*
 * The rule for the processor that computes a statement (CIS-TR-93-21, section 3.4) and so
 * requests the elements that it refers to.  A reference is local if the requester owns the
 * element (or a copy of it), or if the requester is unknown and the profile does not say
 * that the reference was remote; but an unowned read is neither local nor remote under
 * WEFT_COMPUTE_OWNER_OF_LEFT, whatever the distribution.  Without distributions that rule
 * takes local and remote from the trace, if it says so.  An array without a distribution is
 * on processor 0, and its references are all local.  For a replicated element the first
 * owner computes, and serves the processors without a copy.
 */
enum weft_compute_rule {
    /* The owner of the element on whose behalf the reference was made (the left side of the
       assignment, `owner` of the pattern): owner computes.  Without distributions, or if
       that element is unknown, the requester that the trace names, if any. */
    WEFT_COMPUTE_OWNER_OF_LEFT,
    /* The owner of the element that is read, so that reads are local; for writes, as with
       WEFT_COMPUTE_OWNER_OF_LEFT. */
    WEFT_COMPUTE_OWNER_OF_RIGHT,
    WEFT_COMPUTE_PROCESSOR, /* one processor for all */
};

/* The references that are counted, those of some steps, and how their owners (processors
   that have the element) and requesters (processors that refer to it) are found. */
struct weft_count_query {
    const struct weft_profile *profile; /* of these references; not owned */
    /* NULL for the owners that the trace names, or a single processor if it names none. */
    const struct weft_distributions *distributions;
    enum weft_compute_rule rule;
    uint64_t processor;              /* number, for WEFT_COMPUTE_PROCESSOR */
    uint32_t first_step, after_step; /* the steps counted: [first, after) */
};

/*
 * Returns the number of processors in a query: at least 1, and more than any processor
 * number in the distributions, in the trace, and in query->processor (if the rule is
 * WEFT_COMPUTE_PROCESSOR).
 */
uint64_t weft_count_all_processors(const struct weft_count_query *query);

/*
 * Adds the counts of all elements of array number ARRAY, in the steps and by the owners of
 * QUERY, to OUT[elements of the array], by number of the element (row by row); the caller
 * has zeroed it, or counts continue.  Returns false with WEFT_ERR_CANCELLED if JOB (or
 * NULL) is cancelled, or WEFT_ERR_LIMIT if it would take hours; OUT is then invalid.
 */
bool weft_count_elements(const struct weft_count_query *query, uint32_t array,
                         struct weft_reference_counts *out, struct weft_job *job,
                         struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Adds the counts of all processors, in the steps and by the owners of QUERY, to
 * OUT[weft_count_all_processors(QUERY)], by number of the processor: references to the
 * processor's elements, or if BY_REQUESTER, references that it made.  A reference to a copy
 * that the requester owns is to the requester's elements, one with an unknown requester
 * counts for the processor with the element.  Only references to array number ARRAY are
 * counted; WEFT_NONE: to all arrays.  Returns false with WEFT_ERR_CANCELLED or
 * WEFT_ERR_LIMIT (it would take hours); OUT is then invalid.
 */
bool weft_count_processors(const struct weft_count_query *query, uint32_t array,
                           bool by_requester, struct weft_reference_counts *out,
                           struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/* TIMES equal references of one processor to one element, in one step. */
struct weft_reference {
    uint32_t step, array; /* numbers in the profile */
    enum weft_reference_operation operation;
    uint64_t element, times; /* element: its number, row by row */
    uint32_t server;   /* processor that has the element: the requester if it has a copy */
    int64_t requester; /* processor that made the reference; -1 if unknown */
    bool local;   /* the requester has the element or a copy (enum weft_compute_rule) */
    bool unowned; /* neither local nor remote: LOCAL means nothing */
};
/*
 * Calls VISIT, with USER, for all references of QUERY to array number ARRAY (WEFT_NONE: to
 * all arrays), step by step, in no order within a step; the reference is valid during the
 * call.  Returns false if VISIT did, and stops then, without setting *ERR; or with
 * WEFT_ERR_CANCELLED or WEFT_ERR_LIMIT (there are too many).
 */
bool weft_count_each(const struct weft_count_query *query, uint32_t array,
                     bool (*visit)(void *user, const struct weft_reference *reference),
                     void *user, struct weft_job *job,
                     struct weft_err *err) WEFT_MUST_CHECK;

/*
 * The communication from one processor to another.  In each step, all elements that one
 * processor needs from another are one message, and an element that is read, or written,
 * several times is sent once.  A remote read sends its element from the server to the
 * requester, a remote write from the requester to the server.
 */
struct weft_flow {
    uint32_t from, to; /* numbers of processors: the sender; the receiver */
    /* Remote references; the elements sent, added up over steps; their messages, bytes. */
    uint64_t references, elements, messages, bytes;
};
/*
 * Computes the flows between all pairs of processors with remote references of QUERY to
 * array number ARRAY (WEFT_NONE: to all arrays) into *OUT, which the caller frees (NULL if
 * there are none): *N of them, sorted by (from, to).  References with an unknown requester
 * are left out (weft_profile_names_requesters).  Returns false with WEFT_ERR_CANCELLED or
 * WEFT_ERR_LIMIT (it would take hours); *OUT is then NULL and *N is 0.
 */
bool weft_count_flows(const struct weft_count_query *query, uint32_t array,
                      struct weft_flow **out, size_t *n, struct weft_job *job,
                      struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Contention: writes to OUT[elements of the array], by number of the element, how many
 * different processors referred to the element in one step, maximum over the steps of the
 * query.  The owner counts like any other; unknown requesters do not count.  ARRAY is the
 * number of one array.  Returns false with WEFT_ERR_CANCELLED or WEFT_ERR_LIMIT (there are
 * too many references); OUT is then invalid.
 */
bool weft_count_requesters(const struct weft_count_query *query, uint32_t array,
                           uint32_t *out, struct weft_job *job,
                           struct weft_err *err) WEFT_MUST_CHECK;

#endif
