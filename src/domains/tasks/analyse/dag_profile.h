/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How parallel the run of a task DAG was over time, and how parallel it could have been
 * (A. Huynh's thesis on DAGViz, sections 1.2.3 and 3.3.4): how many nodes were running, and how
 * many were ready behind each kind of edge.  Down to a depth: what lies deeper is seen as the
 * node that holds it, which adds, wherever it is spread evenly,
 *
 *     work / (end - begin)                           to those running, from begin to end
 *     ready[kind] / (last_start - first_ready)       to those ready, in between
 *
 * The root's depth is 0, its children's 1; the task that a create made has the depth of the
 * create.  So the area under the curve of those running is the work, at every depth.
 */
#ifndef WEFT_ANALYSE_DAG_PROFILE_H
#define WEFT_ANALYSE_DAG_PROFILE_H

#include "domains/tasks/dag/dag.h"

enum {
    WEFT_DAG_ACTUAL, /* running; behind it, ready by enum weft_dag_edge */
    WEFT_DAG_AVAILABLE,
    WEFT_DAG_CURVES = WEFT_DAG_AVAILABLE + WEFT_DAG_EDGES,
};
#define WEFT_DAG_ALL_DEPTHS UINT32_MAX

struct weft_dag_profile;

/*
 * Down to DEPTH: some 100 ns for each node down to there.  In memory is what runs or is ready at a
 * time, and some bits a node; the curves, some 10 bytes a change, are in a temporary file
 * where they are long.  Where the times of nodes contradict their order, 16 to 32 bytes a node are
 * needed meanwhile.  Of all depths, or when nothing is deeper than DEPTH, the curves are those
 * that the store keeps, and nothing is read here.  DAG and SOURCE must outlive it.  Errors:
 * WEFT_ERR_CANCELLED, WEFT_ERR_WRITE.
 */
struct weft_dag_profile *weft_dag_profile_new(const struct weft_dag *dag,
                                              const struct weft_source *source,
                                              uint32_t depth, struct weft_job *job,
                                              struct weft_err *err) WEFT_MUST_CHECK;
void weft_dag_profile_free(struct weft_dag_profile *profile); /* NULL is fine */
size_t weft_dag_profile_bytes(const struct weft_dag_profile *profile);

/*
 * The means of all curves in each of N equal parts of a window: OUT[curve * N + part].  From
 * exact integrals, whatever the window: some microseconds a part, on several threads.
 */
void weft_dag_profile_means(const struct weft_dag_profile *profile, struct weft_span window,
                            size_t n, double *out);

/*
 * Every change in a window, the state at its begin first: VISIT gets the time from which on
 * VALUES hold, and returns false to stop.
 */
void weft_dag_profile_changes(const struct weft_dag_profile *profile,
                              struct weft_span window,
                              bool (*visit)(void *user, int64_t time,
                                            const double values[WEFT_DAG_CURVES]),
                              void *user);

#endif
