/* SPDX-License-Identifier: Apache-2.0 */
/* Inside counting: finds the server of a reference (the processor that has the element) and
   its requester (the processor that computes the statement). */
#ifndef WEFT_ARRAY_COUNT_PRIV_H
#define WEFT_ARRAY_COUNT_PRIV_H

#include "domains/arrays/model/count.h"
#include "domains/arrays/model/count_work_limits.h"
#include "domains/arrays/model/owner_pairs.h"

/* How to find the server (the processor that has the element) and the requester (the
   processor that refers to it) of each reference of a pattern. */
struct count_roles {
    struct weft_pattern pattern;                  /* a copy */
    const struct weft_array *array, *owner_array; /* owner_array: NULL if unknown */
    /* Distributions that determine the server (by the element) and the requester (by its
       owner); NULL if it is one processor, the same for all references. */
    const struct weft_distribution *served_by, *asked_by;
    uint32_t server;   /* if SERVED_BY is NULL */
    int64_t requester; /* if ASKED_BY is NULL; -1 if unknown */
    bool self;         /* the requester is the server; ASKED_BY and REQUESTER are unused */
    /* All references are local (1) or remote (0); -1: count_is_local() decides. */
    int8_t local;
    bool unowned; /* neither local nor remote; then `local` is 1 */
};
/* Returns the place of references that are LOCAL or not in struct weft_reference_counts. */
static inline size_t count_kind(const struct count_roles *roles, bool local)
{
    if (roles->unowned)
        return WEFT_UNOWNED_READS;
    return (roles->pattern.operation == WEFT_REFERENCE_WRITE ? 2 : 0) + (size_t)!local;
}
/* Returns the field of *COUNTS in which references that are LOCAL or not are counted. */
static inline uint64_t *count_field(const struct count_roles *roles,
                                    struct weft_reference_counts *counts, bool local)
{
    if (roles->unowned)
        return &counts->unowned_reads;
    if (roles->pattern.operation == WEFT_REFERENCE_READ)
        return local ? &counts->local_reads : &counts->remote_reads;
    return local ? &counts->local_writes : &counts->remote_writes;
}

/* Returns how to find the processors of a pattern's references under a query: the server,
   which has the element, and the requester.  PATTERN is copied; the query's profile and
   distributions must outlive the result. */
struct count_roles count_roles_of(const struct weft_count_query *query,
                                  const struct weft_pattern *pattern);

/* A reference to one element, and the processors that it concerns. */
struct count_reference {
    uint64_t element;  /* its number in the array, row by row */
    uint32_t server;   /* the processor that has it: the requester if that has a copy */
    int64_t requester; /* -1 if unknown */
    bool local;        /* the requester has the element or a copy */
};
/*
 * Finds the server (the processor that has the element) and the requester of a reference to
 * element number ELEMENT on behalf of element number OWNER of roles->owner_array (ignored
 * if roles->asked_by is NULL); a requester that owns a copy is its own server.  O(rank).
 */
struct count_reference count_reference_of(const struct count_roles *roles, uint64_t element,
                                          uint64_t owner);

/* Returns true if REQUESTER, the number of a processor, has the elements whose first owner
   is SERVER, or a copy of them.  To be called only if roles->local is -1. */
bool count_is_local(const struct count_roles *roles, uint32_t server, uint32_t requester);

/*
 * Begins PARTS with BOX, a nest of loops of the pattern of ROLES (parts_begin()), and adds
 * the axes of the distributions of server and requester (parts_add()), but does not make
 * the parts: for a caller that needs only parts->axes and the summands.  The caller has
 * zeroed *PARTS before the first use, and BOX must outlive its use; if roles->asked_by is
 * set, BOX must have owners (array_boxes() with roles->owner_array).
 */
void count_axes(const struct count_roles *roles, const struct array_box *box,
                struct parts *parts);
/* Makes the parts of BOX, a nest of loops of the pattern of ROLES, and their counts by pair
   of processors, for parts_first() and parts_next(): count_axes(), then parts_make().
   *PARTS was zeroed before the first use, and BOX must outlive its use. */
void count_parts(const struct count_roles *roles, const struct array_box *box,
                 struct parts *parts);
/* Returns the number of the processor that serves the references of a pair, of
   parts_first() or parts_next(): the first owner of their elements. */
static inline uint32_t count_server(const struct count_roles *roles,
                                    const struct parts_pair *pair)
{
    return roles->served_by ? pair->server : roles->server;
}
/* Returns the number of the processor that made the references of a pair, of parts_first()
   or parts_next(); -1 if it is unknown. */
static inline int64_t count_requester(const struct count_roles *roles,
                                      const struct parts_pair *pair)
{
    if (roles->self)
        return count_server(roles, pair);
    return roles->asked_by ? (int64_t)pair->requester : roles->requester;
}
/* Returns true if references of REQUESTER to elements that SERVER is the first owner of are
   local.  REQUESTER may be -1, unknown, only if roles->local is 0 or 1. */
static inline bool count_pair_is_local(const struct count_roles *roles, uint32_t server,
                                       int64_t requester)
{
    return roles->local >= 0 ? roles->local == 1
                             : count_is_local(roles, server, (uint32_t)requester);
}

/*
 * A set of elements that is the product of one set of indices for each dimension of its
 * array; a set of indices is a bitmap: index i is bit i % 64 of word i / 64.
 */
struct count_product {
    uint64_t *set[WEFT_ARRAY_RANK]; /* by dimension, below the array's rank */
};
/* Limit of the 64-bit words of all bitmaps in a union: 256 MiB. */
enum { COUNT_UNION_WORDS = 1 << 25 };
/* Returns the number of 64-bit words in all bitmaps of one product. */
uint64_t count_product_words(const struct weft_array *array);
/*
 * Counts the different elements of ARRAY in the union of PRODUCTS[N] into *ELEMENTS.
 * Reorders the products and overwrites their bitmaps.  *WORDS is the number of 64-bit words
 * that may still be allocated in ARENA, and is decreased; returns false if it is too small,
 * and *ELEMENTS is then invalid.
 */
bool count_union(struct count_product *products, size_t n, const struct weft_array *array,
                 struct weft_arena *arena, uint64_t *words, uint64_t *elements);
/*
 * Makes the product *OUT, with bitmaps in ARENA, of the elements of ARRAY that the
 * references of PAIR (of parts_first() or parts_next()) are to; only pair->entry is read.
 * *WORDS is the number of 64-bit words that may still be allocated, and is decreased.
 * Returns false if the elements are not a product (a part moves in several dimensions), or
 * the bitmaps need too much memory; *OUT is then incomplete.
 */
bool count_product_of(struct parts *parts, const struct parts_pair *pair,
                      const struct weft_array *array, struct weft_arena *arena,
                      uint64_t *words, struct count_product *out);

/* A group of steps with the same references under the same distributions: the number of the
   first of them in the profile, and how many they are. */
struct count_step {
    uint32_t step;
    uint64_t times;
};
/*
 * Returns all groups of equal steps of a query that have references, *N of them by rising
 * first step, which the caller frees; NULL if there are none.  They are incomplete if the
 * job is cancelled, which the caller checks.  NUMBER[steps of the profile], if not NULL,
 * gets for each step of the query with references the index of its group in the result;
 * other entries are unchanged.
 */
struct count_step *count_steps(const struct weft_count_query *query, size_t *n,
                               uint32_t *number, const struct weft_job *job);

/*
 * Iterator over the patterns of a query, of each group of equal steps only the first
 * step's: patterns of one array, or of all if `array` is WEFT_NONE.  Counts of the latest
 * pattern are to be multiplied by steps[step].times, the number of steps in its group.
 */
struct count_patterns {
    const struct weft_count_query *query;
    uint32_t array; /* number of the array, or WEFT_NONE */
    struct weft_job *job;
    struct weft_err *err;
    struct array_work work;   /* for counts of the patterns, too */
    struct count_step *steps; /* [n], all groups of the query */
    size_t n, step;           /* the latest pattern is in steps[step] */
    uint64_t next, after;     /* numbers of the next pattern; behind those of the step */
    bool ok;                  /* neither cancelled nor beyond the limit */
};
/* Begins the iteration over the patterns of array number ARRAY (WEFT_NONE: of all arrays),
   before the first; QUERY, JOB and ERR must outlive the iterator, which must not be moved,
   and count_patterns_end() ends it. */
void count_patterns_begin(struct count_patterns *patterns,
                          const struct weft_count_query *query, uint32_t array,
                          struct weft_job *job, struct weft_err *err);
/* Goes to the next pattern and sets *ROLES to it and to how its processors are found
   (count_roles_of()).  Returns false if there is none, the job was cancelled, or the work
   exceeds its limit; count_patterns_end() tells which. */
bool count_patterns_next(struct count_patterns *patterns, struct count_roles *roles);
/* Frees the iterator.  Returns true if all patterns were visited; else false with
   WEFT_ERR_CANCELLED or WEFT_ERR_LIMIT in the error given to count_patterns_begin(). */
bool count_patterns_end(struct count_patterns *patterns);

/* Iterator over the references of a pattern: the iterations of its nest of loops. */
struct count_turn {
    uint64_t at[WEFT_PATTERN_LOOPS]; /* by loop: its iteration, from 0; loop 0 is fastest */
    uint64_t element, owner;         /* numbers of the element and its owner there */
};
/* Sets *TURN, which need not be initialized, to the first iteration of the pattern's loops;
   there is at least one. */
void count_turn_begin(struct count_turn *turn, const struct weft_pattern *pattern);
/* Sets *TURN, its position, element and owner, to the next iteration of the pattern's
   loops; returns false if the current one was the last. */
bool count_turn_next(struct count_turn *turn, const struct weft_pattern *pattern);

#endif
