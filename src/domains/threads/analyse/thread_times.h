/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Divides the time of each thread by its innermost state: running, ready, blocked by kind,
 * sleeping, unknown.  The parts are disjoint; their sum is the time that the thread lived.
 */
#ifndef WEFT_DOMAINS_THREADS_THREAD_TIMES_H
#define WEFT_DOMAINS_THREADS_THREAD_TIMES_H

#include "store/source.h"

/* The kinds of time, from the role of the innermost state's value. */
enum thread_time {
    THREAD_RUNNING, /* works: roles busy and overhead */
    THREAD_READY,   /* could run and has no processor */
    THREAD_LOCK,    /* blocked on a lock; the next five: blocked on that */
    THREAD_CONDITION,
    THREAD_SEMAPHORE,
    THREAD_BARRIER,
    THREAD_END, /* blocked until a thread or child process ends */
    THREAD_INPUT_OUTPUT,
    THREAD_OTHER,    /* blocked on anything else, or it is not known on what */
    THREAD_SLEEPING, /* until a time that the thread chose */
    THREAD_UNKNOWN,  /* in no state, or in one without such a role */
    THREAD_TIMES,    /* number of kinds */
};

enum { THREAD_COUNTERS = 4 }; /* performance counters in a row, at most */

/* A row: the times of one thread, or the sums of several short ones of a process. */
struct thread_times {
    uint32_t container;       /* the thread; if `folded` is not 0, the process */
    uint32_t folded;          /* number of short threads in this row; 0: it is one thread */
    int64_t lifetime;         /* ticks that it existed in the window, summed if folded */
    int64_t of[THREAD_TIMES]; /* ticks, by kind; their sum is `lifetime` */
    /*
     * Ticks, a part of of[THREAD_RUNNING]: its states say that it polled memory, or it ran
     * while its program's runtime or library said that it waited (analyse/spinning.h).
     */
    int64_t spinning;
    struct weft_span without_wait; /* the longest time without a wait; empty if folded */
    /*
     * The kernel's counts for its whole life: ns of processor time in the kernel, and page
     * faults; sums if folded.  -1: not known, or the window does not have its whole life.
     */
    int64_t system_ns, page_faults;
    /*
     * Likewise: how often it gave its processor up, lost it, and got another one; and what
     * the counters of the trace (fields of role counted, in their order) counted.
     */
    int64_t voluntary_switches, preemptions, migrations, counters[THREAD_COUNTERS];
};

/*
 * Sets *LIST, [*N] in ARENA, to the times within WINDOW of the executors in the subtree of
 * container UNDER (0: all), in tree order: a row for each track of states of role activity
 * (communication calls excepted), unless it did not exist in WINDOW.  If more than 16 of
 * the threads that are listed in sequence with one parent lived less than a millisecond in
 * WINDOW, one row has the sums of these, at the place of the first.  Returns false, with
 * WEFT_ERR_CANCELLED in *ERR, only if JOB (or NULL) is cancelled.
 */
bool thread_times_read(const struct weft_source *source, uint32_t under,
                       struct weft_span window, struct weft_arena *arena,
                       struct weft_job *job, struct thread_times **list, size_t *n,
                       struct weft_err *err) WEFT_MUST_CHECK;
/* Returns true if thread_times_read may find rows; looks at the tables of SCHEMA only. */
bool thread_times_known(const struct weft_schema *schema);

/* How long threads ran, beside how long their processors could run them. */
struct running_bound {
    int64_t ran;      /* ticks, of all threads of a list */
    int64_t possible; /* ticks that all processors of the trace's hosts have in a window */
    uint64_t processors; /* their number */
};
/*
 * Sets *BOUND for the N rows of LIST, which thread_times_read() gave for WINDOW.  Returns
 * true if the threads ran for longer, by more than a hundredth, than the processors of all
 * hosts have: then "running" only says that they were not known to wait.  Returns false,
 * *BOUND zeroed, if the number of any host's processors is not known.
 */
bool thread_times_beyond(const struct weft_schema *schema, const struct thread_times *list,
                         size_t n, struct weft_span window, struct running_bound *bound);
/* Returns a sentence about BOUND, for which thread_times_beyond() was true, in ARENA. */
const char *thread_times_beyond_text(const struct weft_schema *schema,
                                     const struct running_bound *bound,
                                     struct weft_arena *arena);

#endif
