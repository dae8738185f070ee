/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the time of the workers of a task DAG went (A. Huynh's thesis on DAGViz, section
 * 1.2.3): workers x elapsed = work + waiting + delay + no-work.  DAG Recorder defines them
 * over the materialised nodes, that is, leaves and contracted nodes, and has no waiting:
 *
 *     running   from begin to end
 *     ready     from first_ready to last_start
 *     waiting   for each node: its leaves' time in which they waited for a lock; and the
 *               integral of stuck, the workers that run nothing in a wait for tasks
 *     delay     integral of min(workers - running - stuck, ready), plus for each node
 *               end - begin - work - waiting
 *     no-work   integral of max(0, workers - running - stuck - ready)
 *
 * The integrals go from the moment at which the root was ready to the root's end.
 */
#ifndef WEFT_ANALYSE_DAG_TIME_BREAKDOWN_H
#define WEFT_ANALYSE_DAG_TIME_BREAKDOWN_H

#include "domains/tasks/dag/dag.h"

/*
 * Where the workers' time went: workers x elapsed = work + waiting + delay + no_work.
 * Waiting: within nodes, for a lock, a critical section or the turn in an ordered one; and
 * without a node, in a taskwait or at the end of a task group, for tasks of other workers.
 * Delay: the time of workers that run no node, at most as many as nodes are ready, and
 * the time of contracted nodes without work or waiting.  No-work: the time of the other
 * workers without a node.
 */
struct weft_dag_time {
    uint32_t workers; /* number of workers of the run */
    int64_t elapsed;  /* from the root's ready time to its end; all times are in ticks */
    int64_t work, waiting;  /* of the whole run */
    int64_t task_waits;     /* the part of `waiting` that is for tasks */
    int64_t lasted;         /* of all leaves and contracted nodes, from begin to end */
    int64_t critical_path;  /* the longest path of work through the DAG (t_inf) */
    int64_t delay, no_work; /* sums over all workers */
    /*
     * Delay by the definition in the thesis's text: from the moment at which a worker
     * begins to create a task until it continues with the new task (work first) or the old
     * one (help first), whichever comes first.  If the trace does not have this for a
     * contracted node (knows_inside), the node counts with all its time without work if it
     * ran on one worker, else not.  -1 if the trace does not say when creations ended.
     */
    int64_t create_delay;
    /*
     * Unreadable nodes, and unreadable parts of the trace's variables with the numbers of
     * running and ready nodes.  If not 0, delay, no_work and create_delay are not to be
     * used, since missing data would look like no-work.
     */
    uint64_t lost;
};

/*
 * Computes where the workers' time went, into *OUT.  SOURCE is the trace of DAG.  O(n) for
 * n nodes; if any is contracted or waited inside O(n log n), with a temporary file of 48
 * bytes a node if there are many.  Returns false with WEFT_ERR_WRITE, or WEFT_ERR_CANCELLED
 * if JOB (may be NULL) is cancelled.
 */
bool weft_dag_time_read(const struct weft_dag *dag, const struct weft_source *source,
                        struct weft_job *job, struct weft_dag_time *out,
                        struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Returns the processor time, in nanoseconds, that the workers' threads used over their
 * whole lives; -1 if the trace has it for no worker.  For the rest of workers x elapsed,
 * the threads slept or waited for a busy processor.  O(workers).
 */
int64_t weft_dag_processor_time(const struct weft_dag *dag,
                                const struct weft_source *source);

/* A node that started on another worker than the one that made it ready. */
struct weft_dag_steal {
    uint32_t node;           /* a leaf or contracted node */
    uint32_t task;           /* the innermost task around it, or the node itself */
    int32_t from, by;        /* numbers of two workers: FROM made it ready, BY ran it */
    int64_t ready, begin;    /* ticks: when it became ready, and when it started */
    enum weft_dag_edge edge; /* kind of edge that made it ready */
};

/* The steals of a DAG (nodes that started on another worker than the one that made them
   ready): weft_dag_steals_read() makes the list, weft_dag_steals_free() frees it. */
struct weft_dag_steals {
    struct weft_dag_steal *list; /* [n] sorted by begin, then by node */
    size_t n;
};

/*
 * Lists all steals: nodes that started on another worker than the one that made them ready.
 * A node was made ready by the predecessor with an edge of the node's in_edge kind that
 * ended at the node's first_ready, or by the contracted section before it; each node is
 * listed once. Nodes are left out if either worker is unknown (or several), and those that
 * became ready later, by a dependence.  O(nodes), on several threads.  Returns false with
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled; else weft_dag_steals_free() frees
 * *OUT.
 */
bool weft_dag_steals_read(const struct weft_dag *dag, struct weft_job *job,
                          struct weft_dag_steals *out,
                          struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the list of steals, not STEALS itself, which is zeroed. */
void weft_dag_steals_free(struct weft_dag_steals *steals);

#endif
