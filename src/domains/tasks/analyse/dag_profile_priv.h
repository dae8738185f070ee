/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the parallelism of a task DAG: dag_profile_sweep.c makes the curves of a depth. */
#ifndef WEFT_ANALYSE_DAG_PROFILE_PRIV_H
#define WEFT_ANALYSE_DAG_PROFILE_PRIV_H

#include "domains/tasks/analyse/dag_profile.h"
#include "domains/tasks/analyse/step_curve.h"

/* Has any node of DEPTH anything inside?  Seldom looks at more than a few nodes. */
bool dag_reaches_below(const struct weft_dag *dag, uint32_t depth, struct weft_job *job);
/* The curves down to DEPTH, settled; false: cancelled. */
bool dag_sweep_curves(const struct weft_dag *dag, uint32_t depth,
                      struct weft_step_curve *curves[WEFT_DAG_CURVES], struct weft_job *job,
                      struct weft_err *err);

#endif
