/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large the tasks of a DAG are, by the place in the program that created them: whether they
 * are worth a task each.  The work of a task is that of its own parts, without the tasks that it
 * created, so the works of all tasks add up to that of the run.
 *
 * What a contracted node holds is known only together: its tasks count with its mean.  Those
 * of a contracted task are all at the place that created it; the work of a contracted section
 * is shared by the tasks in it and the task around it, and its tasks are at its own place.
 */
#ifndef WEFT_ANALYSE_DAG_TASKS_H
#define WEFT_ANALYSE_DAG_TASKS_H

#include "dag/dag.h"

struct weft_dag_task_site {
    uint32_t site;    /* of the create; WEFT_NONE: not known, or the root's */
    uint64_t count;   /* tasks */
    uint64_t small;   /* of them, those whose work is below the limit */
    uint64_t stolen;  /* of them, those that began on another worker than their creator's */
    int64_t work;     /* ticks, of all of them together */
    int64_t smallest; /* ticks, of one */
};

struct weft_dag_task_sites {
    struct weft_dag_task_site *list; /* by work, falling */
    size_t n;
};

/*
 * BELOW: ticks of work that make a task worth it.  N_SITES: of the trace's schema.  O(n); takes
 * 12 bytes a node meanwhile.  Error: WEFT_ERR_CANCELLED.
 */
bool weft_dag_tasks_read(const struct weft_dag *dag, uint32_t n_sites, int64_t below,
                         struct weft_job *job, struct weft_dag_task_sites *out,
                         struct weft_err *err) WEFT_MUST_CHECK;
void weft_dag_tasks_free(struct weft_dag_task_sites *sites);

#endif
