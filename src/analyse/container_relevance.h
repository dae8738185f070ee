/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the containers to show first.  Executors matter most: threads, ranks, processors,
 * workers.  Locks, network links, memories and communicators matter if threads waited at
 * them; in a program with thousands of locks only a handful do.
 *
 * All follows from roles.  A container without a role counts as an executor, so a trace
 * without roles is shown whole.
 */
#ifndef WEFT_ANALYSE_CONTAINER_RELEVANCE_H
#define WEFT_ANALYSE_CONTAINER_RELEVANCE_H

#include "base/progress_and_cancel.h"
#include "store/source.h"

/* How much each container matters; weft_relevance() sets it, and its arrays are by index in
   schema->containers. */
struct weft_relevance {
    /* [n_containers]: a lock, network, memory or communicator, not an executor */
    bool *secondary;
    /*
     * [n_containers], for secondary ones, in the whole trace: ticks that the lock was
     * contended, plus the integral over time (value * ticks) of its number of waiters, or
     * of a network's or memory's used amount.  0 for all others.
     */
    double *waited;
    /*
     * [n_containers]: a condition variable or semaphore: idle threads wait at it, too, so
     * that waits need not be contention, and it ranks after the others
     */
    bool *may_be_idle;
    /*
     * [n_tracks]: the value of a variable that has the same one at all times at which it
     * has any; NAN of one that changes, of a cumulative one, and of tracks of other kinds
     */
    double *constant;
};

/*
 * Orders two secondary containers, indices in schema->containers: -1 if A comes before B,
 * 1 if after, else 0.  First come those whose `waited` is above 0; among these (and among
 * the others) those without may_be_idle; among equals those with the greater `waited`.
 */
int weft_relevance_compare(const struct weft_relevance *relevance, uint32_t a, uint32_t b);

/*
 * Sets *OUT to how much each container matters, with arrays in ARENA.  Secondary are locks,
 * networks, memories and communicators, unless no other container has a state, event or
 * variable's sample: then none is.  Costs two look-ups for each track of a secondary one,
 * one for each variable, and for one that never changes all its samples.
 * Returns false with WEFT_ERR_CANCELLED if JOB, which may be NULL, is cancelled.
 */
bool weft_relevance(const struct weft_source *source, struct weft_arena *arena,
                    struct weft_job *job, struct weft_relevance *out,
                    struct weft_err *err) WEFT_MUST_CHECK;

enum { WEFT_TYPE_ORDERS = 3 }; /* weft_type_order() returns 0 to this less 1 */
/*
 * Returns the rank of a state type, an index in schema->types, in summaries and legends,
 * where low ranks come first: 0 for the activities of executors (WEFT_ROLE_ACTIVITY), 2 for
 * states of locks, networks, memories and communicators, 1 for all others (calls, tasks,
 * types without a role).
 */
unsigned weft_type_order(const struct weft_schema *schema, uint32_t type);

/*
 * Returns the rank of a value, an index in schema->values, among those of its type, where
 * low ranks come first: 1, so that it comes last however long it lasted, for values that
 * are neither work nor blocking (free, idle, sleeping); 0 for all others.
 */
unsigned weft_value_order(const struct weft_schema *schema, uint32_t value);

#endif
