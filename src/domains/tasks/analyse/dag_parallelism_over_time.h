/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How parallel the run of a task DAG was over time, and how parallel it could have been (A.
 * Huynh's thesis on DAGViz, sections 1.2.3 and 3.3.4): how many nodes were running, and how
 * many were ready behind each kind of edge.  Nodes below a given depth are not looked at:
 * the section or task that holds them counts instead, with its amounts spread evenly:
 *
 *     work / (end - begin)                           to those running, from begin to end
 *     ready[kind] / (last_start - first_ready)       to those ready, in between
 *
 * The root's depth is 0, its children's 1; the task that a create made has the depth of the
 * create.  So the area under the curve of running nodes is the work, at every depth.
 */
#ifndef WEFT_ANALYSE_DAG_PARALLELISM_OVER_TIME_H
#define WEFT_ANALYSE_DAG_PARALLELISM_OVER_TIME_H

#include "domains/tasks/dag/dag.h"

/* The curves of a profile, by index: numbers of nodes over time. */
enum {
    WEFT_DAG_ACTUAL,    /* number of running nodes */
    WEFT_DAG_AVAILABLE, /* + enum weft_dag_edge: number of ready nodes that an edge of this
                           kind made ready */
    WEFT_DAG_CURVES = WEFT_DAG_AVAILABLE + WEFT_DAG_EDGES,
};
#define WEFT_DAG_ALL_DEPTHS UINT32_MAX /* instead of a depth: all nodes are looked at */

/* The curves of running and ready nodes of a task DAG over time: weft_dag_profile_new()
   makes them, weft_dag_profile_free() frees them.  Safe to read from any number of
   threads. */
struct weft_dag_profile;

/*
 * Makes the profile of the nodes down to DEPTH (the root: 0), for some 100 ns each.  Deeper
 * nodes count with the section or task at DEPTH that holds them, spread evenly over its
 * time.  Memory holds the nodes that run or are ready at a time and some bits a node; long
 * curves, some 10 bytes a change, go to a temporary file.  If times of nodes contradict
 * their order, 16 to 32 bytes a node are needed meanwhile.  For WEFT_DAG_ALL_DEPTHS, or if
 * no node is deeper than DEPTH, the curves are variables stored in the trace and no node is
 * read.  DAG and SOURCE must outlive the profile.  NULL with WEFT_ERR_WRITE, or
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
struct weft_dag_profile *weft_dag_profile_new(const struct weft_dag *dag,
                                              const struct weft_source *source,
                                              uint32_t depth, struct weft_job *job,
                                              struct weft_err *err) WEFT_MUST_CHECK;
/* Frees a profile with its temporary files, not its DAG and source; NULL is fine. */
void weft_dag_profile_free(struct weft_dag_profile *profile);
/* Returns the bytes that a profile takes in memory and in temporary files, without what the
   trace stores. */
size_t weft_dag_profile_bytes(const struct weft_dag_profile *profile);

/*
 * Cuts WINDOW into N equal parts (N >= 1: WEFT_REQUIRE) and writes the mean of each curve
 * in part I to OUT[curve * N + I]; OUT has room for WEFT_DAG_CURVES * N numbers.  Means are
 * exact integrals divided by the part's length; 0 if it is empty.  Some microseconds a
 * part, on several threads.
 */
void weft_dag_profile_means(const struct weft_dag_profile *profile, struct weft_span window,
                            size_t n, double *out);

/*
 * Calls VISIT with USER and the values of all curves of the profile at the begin of WINDOW,
 * in ticks, then once at each time before its end at which a curve changes; not at all if
 * it is empty.  VALUES hold from TIME on and are valid during the call; VISIT returns false
 * to stop.
 */
void weft_dag_profile_changes(const struct weft_dag_profile *profile,
                              struct weft_span window,
                              bool (*visit)(void *user, int64_t time,
                                            const double values[WEFT_DAG_CURVES]),
                              void *user);

#endif
