/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the tree of tasks and their creators; work_graph.h says what a trace of tasks has.
 */
#ifndef WEFT_MODEL_TREE_TASKS_H
#define WEFT_MODEL_TREE_TASKS_H

#include "domains/trees/model/tree.h"

/* Returns the first state type of role task (no reductions) with an integer field of role
   number, which gives a task's number; WEFT_NONE if the trace has no such type. */
uint32_t weft_tree_task_type(const struct weft_schema *schema);
/*
 * Returns the tree of the tasks whose states have type TYPE (weft_tree_task_type), to be
 * freed with weft_tree_free(). The parent of a task is the task that created it. All states
 * with the same task number are one node (tree->node_of), whose entity is the earliest of
 * them. NULL with WEFT_ERR_LIMIT for more than 256 million states or WEFT_TREE_MAX_PES
 * rows, WEFT_ERR_FORMAT if no task is a root (as without tasks), or WEFT_ERR_CANCELLED if
 * JOB (may be NULL) is cancelled.
 */
struct weft_tree *weft_tree_read_tasks(const struct weft_source *source, uint32_t type,
                                       struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;

#endif
