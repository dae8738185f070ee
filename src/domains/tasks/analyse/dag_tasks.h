/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large the tasks of a DAG are, by the place in the program that created them: whether they
 * are worth a task each.  The work of a task is that of its own parts, without the tasks that it
 * created, so the works of all tasks add up to that of the run.
 *
 * Tasks that are inside of contracted nodes count at the places that created them when the trace
 * knows them (weft_dag_tasks_row).  When it does not, they and all work of the contracted node are
 * in entries apart, by the place of that node: which lines created them nobody knows, and
 * with the node's work there may be some of the task around it.
 */
#ifndef WEFT_ANALYSE_DAG_TASKS_H
#define WEFT_ANALYSE_DAG_TASKS_H

#include "domains/tasks/dag/dag.h"

struct weft_dag_task_site {
    uint32_t site; /* of the create; WEFT_NONE: not known, or the root's */
    bool
        contracted; /* inside of contracted nodes of that place, and not known one by one */
    bool root;      /* the root alone: nobody created it */
    uint64_t count; /* tasks */
    /* Of them, those whose work is below the limit; among those without nodes to the nearest
       1, 2 or 5 times a power of ten ticks, in even shares in between.  0 when contracted. */
    uint64_t small;
    uint64_t stolen;  /* of them, those that began on another worker than their creator's */
    int64_t work;     /* ticks, of all of them together */
    int64_t smallest; /* ticks, of one; 0 when contracted */
};

struct weft_dag_task_sites {
    struct weft_dag_task_site *list; /* by work, falling */
    size_t n;
    uint32_t workers; /* of the run */
    uint64_t lost; /* nodes that cannot be read: when there are any, no number is known */
};

/*
 * BELOW: ticks of work that make a task worth it.  ALIKE[n_sites]: sites that count as one
 * (weft_sites_alike); of the trace's schema.  O(n); takes 12 bytes a node meanwhile.  Error:
 * WEFT_ERR_CANCELLED.
 */
bool weft_dag_tasks_read(const struct weft_dag *dag, const uint32_t *alike,
                         uint32_t n_sites, int64_t below, struct weft_job *job,
                         struct weft_dag_task_sites *out,
                         struct weft_err *err) WEFT_MUST_CHECK;
void weft_dag_tasks_free(struct weft_dag_task_sites *sites);

#endif
