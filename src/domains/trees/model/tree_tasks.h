/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the tree of tasks and their creators; graph.h says what a trace of tasks has. */
#ifndef WEFT_MODEL_TREE_TASKS_H
#define WEFT_MODEL_TREE_TASKS_H

#include "domains/trees/model/tree.h"

/* Returns the state type of numbered tasks, or WEFT_NONE. */
uint32_t weft_tree_task_type(const struct weft_schema *schema);
/*
 * Returns the tree of the tasks of TYPE, to be freed with weft_tree_free(). All states with
 * the same task number have one node (tree->node_of), whose entity is the earliest of them.
 * NULL with WEFT_ERR_LIMIT for too many tasks or rows, or the errors of weft_tree_finish().
 */
struct weft_tree *weft_tree_read_tasks(const struct weft_source *source, uint32_t type,
                                       struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;

#endif
