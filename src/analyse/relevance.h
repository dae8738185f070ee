/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What matters in a trace to somebody who opens it for the first time.  People come for what
 * works: threads, ranks, processors, workers.  Locks, network links, memories and communicators
 * matter where somebody waited at them; a program with thousands of locks has a handful that do.
 *
 * Everything follows from roles.  A container without a role counts as one that works: a
 * trace that nobody explained is shown whole.
 */
#ifndef WEFT_ANALYSE_RELEVANCE_H
#define WEFT_ANALYSE_RELEVANCE_H

#include "base/job.h"
#include "store/source.h"

struct weft_relevance {
    bool *secondary; /* [n_containers]: serves those that work, does no work itself */
    double *waited;  /* [n_containers], of secondary ones: ticks that threads waited at it,
                        over the whole trace; 0 where nobody did */
    bool
        *may_be_idle; /* [n_containers]: threads that have nothing to do wait at it, too, so
                          long waits say little: it comes after those where they do not */
};

/* Ranks secondary containers, worst first: -1 when A comes before B, 1 when after, else 0. */
int weft_relevance_compare(const struct weft_relevance *relevance, uint32_t a, uint32_t b);

/*
 * Arrays in ARENA.  Costs two look-ups for each track of a secondary container.  When nothing
 * in the trace works, nothing is secondary.
 */
bool weft_relevance(const struct weft_source *source, struct weft_arena *arena,
                    struct weft_job *job, struct weft_relevance *out,
                    struct weft_err *err) WEFT_MUST_CHECK;

/*
 * The order of types of states in summaries and legends: 0 for the activities of executors, 1
 * for all others (calls, tasks, types that nobody explained), 2 for states of secondary
 * containers.
 */
enum { WEFT_TYPE_ORDERS = 3 };
unsigned weft_type_order(const struct weft_schema *schema, uint32_t type);

/*
 * The order of values within a type: 0 for most, 1 for those in which nothing happens and
 * nobody is kept from anything (free, idle, sleeping): they come last, however long.
 */
unsigned weft_value_order(const struct weft_schema *schema, uint32_t value);

#endif
