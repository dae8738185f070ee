/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels of tasks: a task is one below the task that created it, and below all tasks that
 * must have ended before it begins (struct weft_dag_order), whichever is lowest.
 */
#ifndef WEFT_ANALYSE_DAG_LEVELS_H
#define WEFT_ANALYSE_DAG_LEVELS_H

#include "domains/tasks/dag/dag.h"

/* The levels of a DAG's tasks; weft_dag_levels_read() makes them. */
struct weft_dag_levels {
    uint32_t *of;    /* [nodes] of a task its level, from 0; WEFT_NONE for other nodes */
    uint32_t *tasks; /* [n_tasks] by level, then by number */
    uint64_t *begin; /* [n + 1] index in `tasks` of the first of each level */
    uint32_t n, n_tasks;
    uint32_t widest; /* tasks of the level that has most */
};

/*
 * Finds the levels of DAG into *OUT, which weft_dag_levels_free() frees.  Tasks in a
 * circle of orders, which only a damaged file has, get none.  O(n + orders log orders) for
 * n nodes; 20 bytes a node.  Returns false with WEFT_ERR_CANCELLED if JOB (may be NULL) is
 * cancelled.
 */
bool weft_dag_levels_read(const struct weft_dag *dag, struct weft_job *job,
                          struct weft_dag_levels *out,
                          struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the levels, not LEVELS itself. */
void weft_dag_levels_free(struct weft_dag_levels *levels);

#endif
