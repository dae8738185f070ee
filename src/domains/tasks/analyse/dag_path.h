/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path through a task DAG, from its first node to its last, that bounds the time of the
 * run, and the places in the program along it.
 *
 * By work it is the critical path: the path with most work, which takes that long on any
 * number of workers (t_inf; Blumofe and Leiserson, "Scheduling multithreaded computations
 * by work stealing", 1999).  By time it is the path that this run waited for.  Both are
 * found backwards: from the last node, each step goes to the predecessor that ended last,
 * by work on unlimited workers, by time in the run.  By time, the work and delay on the
 * path add up to the elapsed time, with the waiting for locks within its nodes.
 */
#ifndef WEFT_ANALYSE_DAG_PATH_H
#define WEFT_ANALYSE_DAG_PATH_H

#include "domains/tasks/dag/dag.h"

/* A choice of a path through a task DAG.  BY_WORK: the path with most work (the critical
   path).  BY_TIME: the path that this run waited for: each step's predecessor is the one
   that ended last. */
enum weft_dag_way { WEFT_DAG_BY_WORK, WEFT_DAG_BY_TIME };

/* A node on a path through a task DAG.  BY_WORK and BY_TIME: values of
 * weft_dag_path.way. */
struct weft_dag_step {
    uint32_t node;       /* a leaf or contracted node */
    uint32_t site, last; /* where it begins and ends in the program: indices in the schema's
                            sites, or WEFT_NONE */
    /* Ticks.  BY_WORK: its critical path.  BY_TIME: its work, or its critical path if it
       ran on several workers; at most its duration. */
    int64_t work;
    /* Ticks within it in which it waited for locks; 0 if it ran on several workers. */
    int64_t waiting;
    /*
     * Ticks.  BY_WORK: from when the node was ready to its begin.  BY_TIME: from the end of
     * the step before (of the first step: from when it was ready) to its begin.  The node's
     * duration minus `work` and `waiting` is added: parts of a contracted node are delayed.
     */
    int64_t delay;
};

/* A path through a task DAG from its first node to its last: weft_dag_path_read() makes it,
   weft_dag_path_free() frees it. */
struct weft_dag_path {
    enum weft_dag_way way;
    struct weft_dag_step *steps; /* [n] from the first node to the last */
    size_t n;
    int64_t work, waiting, delay; /* sums over all steps, in ticks */
    /* Unreadable nodes on or beside the path; if not 0, the true path may be another. */
    uint64_t lost;
};

/*
 * Finds the path through DAG that WAY selects (BY_WORK: most work; BY_TIME: the one that
 * the run waited for), into *OUT.  O(nodes on the path and beside it), without recursion.
 * By time, a task whose section has no wait counts as if it were joined at the section's
 * end, so it may be on the path.  Returns false with WEFT_ERR_CANCELLED if JOB (may be
 * NULL) is cancelled; else weft_dag_path_free() frees *OUT.
 */
bool weft_dag_path_read(const struct weft_dag *dag, enum weft_dag_way way,
                        struct weft_job *job, struct weft_dag_path *out,
                        struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the steps of a path, not PATH itself, which is zeroed. */
void weft_dag_path_free(struct weft_dag_path *path);

/* All steps of a path that begin at the same source line and end at the same one. */
struct weft_dag_path_place {
    uint32_t site, last; /* the two lines (indices in the schema's sites), or WEFT_NONE */
    bool begins, ends;   /* the path's first step is among these steps; its last is */
    uint64_t count;      /* steps */
    int64_t work, waiting, delay; /* sums over these steps, in ticks */
    uint32_t longest;             /* node of the longest step, the first of equal ones */
    int64_t longest_ticks;        /* that step's work; BY_TIME, with waiting and delay */
};

/*
 * Groups the steps of a path that begin at one source line and end at one, the same or
 * another, into *OUT, which the caller frees with free(); NULL for a path without steps.
 * Returns the number of groups; those with most work (BY_TIME: work, waiting and delay)
 * come first.  ALIKE[N_SITES], from weft_sites_alike(), gives for each site of the schema
 * the first one of the same line.
 */
size_t weft_dag_path_places(const struct weft_dag_path *path, const uint32_t *alike,
                            uint32_t n_sites, struct weft_dag_path_place **out);

#endif
