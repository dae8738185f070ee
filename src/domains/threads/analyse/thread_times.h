/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides the time of each thread: running, ready, blocked by kind, sleeping, unknown.  The
 * parts are disjoint, and their sum is the time that the thread lived.
 */
#ifndef WEFT_DOMAINS_THREADS_THREAD_TIMES_H
#define WEFT_DOMAINS_THREADS_THREAD_TIMES_H

#include "store/source.h"

enum thread_time {
    THREAD_RUNNING, /* works: roles busy and overhead */
    THREAD_READY,   /* could run and has no processor */
    THREAD_LOCK,    /* blocked on ... */
    THREAD_CONDITION,
    THREAD_SEMAPHORE,
    THREAD_BARRIER,
    THREAD_END, /* for a thread or child to end */
    THREAD_INPUT_OUTPUT,
    THREAD_OTHER, /* anything else, or it is not known on what */
    THREAD_SLEEPING,
    THREAD_UNKNOWN, /* in no state, or in one without such a role */
    THREAD_TIMES,
};

struct thread_times {
    uint32_t container;       /* the thread; or the process, of FOLDED threads */
    uint32_t folded;          /* number of short threads in this row; 0: it is one thread */
    int64_t lifetime;         /* ticks that it lived in the window; of folded: their sum */
    int64_t of[THREAD_TIMES]; /* ticks; their sum is `lifetime` */
};

/*
 * Sets *LIST, in ARENA, and *N to the times of all executors below container UNDER (0: all)
 * that have states of role activity, in the order of the containers.  Threads of a process
 * that lived less than a millisecond in WINDOW are folded into one row, if they are more
 * than 16.  Returns false with WEFT_ERR_CANCELLED.
 */
bool thread_times_read(const struct weft_source *source, uint32_t under,
                       struct weft_span window, struct weft_arena *arena,
                       struct weft_job *job, struct thread_times **list, size_t *n,
                       struct weft_err *err) WEFT_MUST_CHECK;
/* Returns true if executors of the trace have states of role activity. */
bool thread_times_known(const struct weft_schema *schema);

#endif
