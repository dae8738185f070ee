/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums up the parallel regions of a program and the constructs whose work threads share in
 * them (loops, sections), by their places: how the work was divided, and how long threads
 * waited at the barriers at their ends.
 */
#ifndef WEFT_DOMAINS_TASKS_CONSTRUCTS_H
#define WEFT_DOMAINS_TASKS_CONSTRUCTS_H

#include "store/source.h"

/*
 * All executions of one construct: of the parallel region, loop ... or explicit barrier at
 * one place.  A thread's work in an execution is its time inside without that in which it
 * was blocked, or could run and had no processor.  Times are ticks.
 */
struct construct {
    uint32_t value; /* its kind: the value of its states, an index in the schema's values */
    uint32_t site;  /* its place, an index in the schema's sites, or WEFT_NONE */
    uint64_t count; /* executions by a team, each counted once; 0: a barrier on its own */
    uint32_t threads;    /* most threads that took part in one execution */
    uint64_t parts;      /* executions by single threads: each thread of a team counts */
    int64_t least, most; /* least and most work of one thread in one execution */
    int64_t work;        /* of all threads, in all executions */
    int64_t ready; /* time of all threads inside without a processor; 0 if not observed */
    /* Sums over the executions: of the work of the thread that worked most in it; of the
       mean work of a thread in it. */
    int64_t slowest;
    double mean;
    int64_t waited; /* time of all threads at the barriers at its end */
    /* How often threads asked for iterations of a loop, and how long that took in all; 0:
       not known, or they did not ask. */
    int64_t dispatches, dispatching;
    int64_t iterations; /* of loops, all executions together; 0: not known */
    /* For loops: the store's string that says how iterations were divided, WEFT_NONE if
       that is not known or `schedules_differ` between executions; and how many a thread was
       given at a time, 0 if that is not known, not fixed, or differs. */
    uint32_t schedule;
    bool schedules_differ;
    int64_t chunk;
};

/* The constructs that were executed in a window: weft_constructs_read() fills it,
   weft_constructs_free() frees it. */
struct weft_constructs {
    struct construct *list; /* [n], most time of work and waiting first */
    size_t n;
};

/* Returns true if SCHEMA has a value with the role of a parallel region or of shared work,
   so that its trace may have constructs; the states themselves are not looked at. */
bool weft_has_constructs(const struct weft_schema *schema);
/*
 * Sums up into *OUT the constructs of the trace SOURCE in WINDOW, of the threads in the
 * subtree of container UNDER (0: all).  Executions that WINDOW cuts count with their part
 * in it.  O(states of threads with constructs), with memory for each execution.  Returns
 * true, and weft_constructs_free() frees *OUT; or false with WEFT_ERR_CANCELLED if JOB (may
 * be NULL) is cancelled, and nothing to free.
 */
bool weft_constructs_read(const struct weft_source *source, uint32_t under,
                          struct weft_span window, struct weft_job *job,
                          struct weft_constructs *out,
                          struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the list of constructs, not CONSTRUCTS itself, which is zeroed. */
void weft_constructs_free(struct weft_constructs *constructs);

#endif
