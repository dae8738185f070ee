/* SPDX-License-Identifier: Apache-2.0 */
/* Inside counting: who owns what a pattern refers to, and who asks for it. */
#ifndef WEFT_ARRAY_COUNT_PRIV_H
#define WEFT_ARRAY_COUNT_PRIV_H

#include "domains/arrays/model/count.h"
#include "domains/arrays/model/parts.h"
#include "domains/arrays/model/work.h"

/* How the references of a pattern are to be looked at. */
struct count_roles {
    struct weft_pattern pattern;
    const struct weft_array *array, *owner_array;         /* the latter may be NULL */
    const struct weft_distribution *served_by, *asked_by; /* NULL: one processor */
    uint32_t server;                                      /* when SERVED_BY is NULL */
    /* When ASKED_BY is NULL.  -1: nobody knows. */
    int64_t requester;
    bool self;    /* the one that serves it asks */
    int8_t local; /* 1, 0; -1: by who owns it */
};

/* Of a pattern in a query. */
struct count_roles count_roles_of(const struct weft_count_query *query,
                                  const struct weft_pattern *pattern);

struct count_reference {
    uint64_t element;
    uint32_t server;
    int64_t requester; /* -1: nobody knows */
    bool local;
};
/* Of one reference; O(dimensions). */
struct count_reference count_reference_of(const struct count_roles *roles, uint64_t element,
                                          uint64_t owner);

/* Is what SERVER serves to REQUESTER, who is known, local?  (When roles->local is -1.) */
bool count_is_local(const struct count_roles *roles, uint32_t server, uint32_t requester);

/* The axes of a box of the pattern, and its parts. */
void count_axes(const struct count_roles *roles, const struct array_box *box,
                struct parts *parts);
void count_parts(const struct count_roles *roles, const struct array_box *box,
                 struct parts *parts);
/* Who serves and who asks in a pair of them. */
static inline uint32_t count_server(const struct count_roles *roles,
                                    const struct parts_pair *pair)
{
    return roles->served_by ? pair->server : roles->server;
}
static inline int64_t count_requester(const struct count_roles *roles,
                                      const struct parts_pair *pair)
{
    if (roles->self)
        return count_server(roles, pair);
    return roles->asked_by ? (int64_t)pair->requester : roles->requester;
}
static inline bool count_pair_is_local(const struct count_roles *roles, uint32_t server,
                                       int64_t requester)
{
    return roles->local >= 0 ? roles->local == 1
                             : count_is_local(roles, server, (uint32_t)requester);
}

/*
 * The elements of products of sets, one set a dimension: *ELEMENTS is how many there are in
 * all of them together.  Sets are words of bits, and may be changed.
 */
struct count_product {
    uint64_t *set[WEFT_ARRAY_RANK];
};
/* Words that the sets of a union may have in memory: 256 MiB.  Large arrays have large
   ones. */
enum { COUNT_UNION_WORDS = 1 << 25 };
/* The words of one product. */
uint64_t count_product_words(const struct weft_array *array);
/* *WORDS: how many may still be made, in ARENA; false: more are needed. */
bool count_union(struct count_product *products, size_t n, const struct weft_array *array,
                 struct weft_arena *arena, uint64_t *words, uint64_t *elements);
/*
 * The product of a pair, in ARENA; false: its elements are no product, or it is too large.
 */
bool count_product_of(struct parts *parts, const struct parts_pair *pair,
                      const struct weft_array *array, struct weft_arena *arena,
                      uint64_t *words, struct count_product *out);

/*
 * Steps in which the same happens are counted once: the first of them, and how many there
 * are.  NUMBER[steps of the profile], or NULL, gets for each step with references which of
 * them it is.  When the job is cancelled they are not all.
 */
struct count_step {
    uint32_t step;
    uint64_t times;
};
struct count_step *count_steps(const struct weft_count_query *query, size_t *n,
                               uint32_t *number, const struct weft_job *job);

/* The patterns of all different steps of a query, of one array or (WEFT_NONE) of all. */
struct count_patterns {
    const struct weft_count_query *query;
    uint32_t array;
    struct weft_job *job;
    struct weft_err *err;
    struct array_work work;
    struct count_step *steps;
    size_t n, step; /* the latest pattern's is steps[step] */
    uint64_t next, after;
    bool ok;
};
void count_patterns_begin(struct count_patterns *patterns,
                          const struct weft_count_query *query, uint32_t array,
                          struct weft_job *job, struct weft_err *err);
/* False: there are no more, or the job was cancelled, or the work goes too far. */
bool count_patterns_next(struct count_patterns *patterns, struct count_roles *roles);
/* Were that all?  Frees. */
bool count_patterns_end(struct count_patterns *patterns);

/* The turns of the loops of a pattern, one after the other. */
struct count_turn {
    uint64_t at[WEFT_PATTERN_LOOPS];
    uint64_t element, owner;
};
void count_turn_begin(struct count_turn *turn, const struct weft_pattern *pattern);
/* False: that was the last. */
bool count_turn_next(struct count_turn *turn, const struct weft_pattern *pattern);

#endif
