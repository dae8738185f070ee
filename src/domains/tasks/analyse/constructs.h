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
    uint32_t value; /* what it is: the value of its states */
    uint32_t site;  /* its place, or WEFT_NONE */
    uint64_t count; /* executions by a team, each counted once; 0: a barrier of no other */
    uint32_t threads;    /* most threads that took part in one */
    uint64_t parts;      /* executions by single threads */
    int64_t least, most; /* work of a thread in an execution */
    int64_t work;        /* of all threads, in all executions */
    int64_t ready; /* time of all threads inside without a processor; 0 if not observed */
    /* Sums over the executions: of the work of the thread that worked most, and of the mean
       of its threads. */
    int64_t slowest;
    double mean;
    int64_t waited;     /* time of all threads at the barriers at its end */
    int64_t iterations; /* of loops, all executions together; 0: not known */
};

/* The constructs that were executed in a window: weft_constructs_read() fills it,
   weft_constructs_free() frees it. */
struct weft_constructs {
    struct construct *list; /* [n], most time of work and waiting first */
    size_t n;
};

/* Returns true if a trace may have constructs, by its values' roles alone. */
bool weft_has_constructs(const struct weft_schema *schema);
/*
 * Sums up the constructs in WINDOW of the threads in the subtree of container UNDER (0:
 * all).  Executions that WINDOW cuts count with their part in it.  O(states of threads with
 * constructs), with memory for each execution.  Returns false with WEFT_ERR_CANCELLED, and
 * nothing to free.
 */
bool weft_constructs_read(const struct weft_source *source, uint32_t under,
                          struct weft_span window, struct weft_job *job,
                          struct weft_constructs *out,
                          struct weft_err *err) WEFT_MUST_CHECK;
void weft_constructs_free(struct weft_constructs *constructs);

#endif
