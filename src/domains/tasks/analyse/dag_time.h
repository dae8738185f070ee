/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of the workers of a task DAG went (A. Huynh's thesis on DAGViz, section 1.2.3):
 * workers x elapsed = work + delay + no-work.  Defined as DAG Recorder does, over what is
 * materialised, that is, over leaves and contracted nodes:
 *
 *     running   from begin to end
 *     ready     from first_ready to last_start
 *     delay     integral of min(workers - running, ready), and of each node the time that is not
 *               work: end - begin - work
 *     no-work   integral of max(0, workers - running - ready)
 *
 * The integrals go from the moment at which the root was ready to its end.
 */
#ifndef WEFT_ANALYSE_DAG_TIME_H
#define WEFT_ANALYSE_DAG_TIME_H

#include "domains/tasks/dag/dag.h"

struct weft_dag_time {
    uint32_t workers;
    int64_t elapsed; /* ticks, as all that follows */
    int64_t work;    /* of the root */
    int64_t critical_path;
    int64_t delay, no_work;
    /*
     * The thesis's own words for delay: from the moment at which a worker begins to create a
     * task to that at which it goes on, with the new task (work first) or with the old one
     * (help first), whichever it does first.  Where the trace does not say it of creates inside
     * contracted nodes (knows_inside), all that was not work counts of a node that ran on one
     * worker.  -1: the trace does not say when creations were over.
     */
    int64_t create_delay;
    /*
     * Nodes that cannot be read, and damaged parts of the variables: when there are any, delay,
     * no_work and create_delay are not known, since what is missing would look like no work.
     */
    uint64_t lost;
};

/*
 * O(n), and where something is contracted O(n log n) with a temporary file of 48 bytes a node when
 * there are many.  SOURCE: the DAG's.  Errors: WEFT_ERR_WRITE (temporary file),
 * WEFT_ERR_CANCELLED.
 */
bool weft_dag_time_read(const struct weft_dag *dag, const struct weft_source *source,
                        struct weft_job *job, struct weft_dag_time *out,
                        struct weft_err *err) WEFT_MUST_CHECK;

/*
 * The processor time, in nanoseconds, that the threads of the workers used in all their lives;
 * -1: the trace does not say it of any.  What of workers x elapsed is missing in it, they slept, or
 * waited for a processor that something else had.  O(workers).
 */
int64_t weft_dag_processor_time(const struct weft_dag *dag,
                                const struct weft_source *source);

/* A node that started on another worker than the one that had made it ready. */
struct weft_dag_steal {
    uint32_t node;           /* a leaf or contracted node */
    uint32_t task;           /* the innermost task that it is a part of, or itself */
    int32_t from, by;        /* workers */
    int64_t ready, begin;    /* when it became ready, and when it started */
    enum weft_dag_edge edge; /* what had made it ready */
};

struct weft_dag_steals {
    struct weft_dag_steal *list; /* in order of begin, then of node */
    size_t n;
};

/*
 * All steals.  What made a node ready is the one of its predecessors, by an edge of the kind
 * that the node names, that ended last; nobody stole where either worker is not known.
 * O(n), on several threads.  Error: WEFT_ERR_CANCELLED.
 */
bool weft_dag_steals_read(const struct weft_dag *dag, struct weft_job *job,
                          struct weft_dag_steals *out,
                          struct weft_err *err) WEFT_MUST_CHECK;
void weft_dag_steals_free(struct weft_dag_steals *steals);

#endif
