/* SPDX-License-Identifier: Apache-2.0 */
/* Inside counting: who owns what a pattern refers to, and who asks for it. */
#ifndef WEFT_ARRAY_COUNT_PRIV_H
#define WEFT_ARRAY_COUNT_PRIV_H

#include "array/count.h"

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

/* The turns of the loops of a pattern, one after the other. */
struct count_turn {
    uint64_t at[WEFT_PATTERN_LOOPS];
    uint64_t element, owner;
};
void count_turn_begin(struct count_turn *turn, const struct weft_pattern *pattern);
/* False: that was the last. */
bool count_turn_next(struct count_turn *turn, const struct weft_pattern *pattern);

#endif
