/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the parallelism profile of a task DAG: dag_parallelism_sweep.c makes its curves,
 * of the nodes down to a depth.
 */
#ifndef WEFT_ANALYSE_DAG_PARALLELISM_OVER_TIME_PRIV_H
#define WEFT_ANALYSE_DAG_PARALLELISM_OVER_TIME_PRIV_H

#include "domains/tasks/analyse/dag_parallelism_over_time.h"
#include "domains/tasks/analyse/step_curve.h"

/*
 * Returns true if a node of depth DEPTH (the root: 0) or deeper has children; false if none
 * has, or when JOB is cancelled.  Seldom looks at more than a few nodes.
 */
bool dag_reaches_below(const struct weft_dag *dag, uint32_t depth, struct weft_job *job);
/*
 * Makes the curves of the nodes down to DEPTH (deeper ones count with the section or task
 * around them) and puts them, ready to be read (weft_step_curve_end), into CURVES, by
 * WEFT_DAG_ACTUAL and so on; all are NULL before.  The caller frees them, also on failure.
 * Returns false with WEFT_ERR_WRITE, or WEFT_ERR_CANCELLED if JOB (may be NULL) is
 * cancelled.
 */
bool dag_sweep_curves(const struct weft_dag *dag, uint32_t depth,
                      struct weft_step_curve *curves[WEFT_DAG_CURVES], struct weft_job *job,
                      struct weft_err *err);

#endif
