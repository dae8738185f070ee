/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of who created which task; graph.h says what a trace of tasks has. */
#ifndef WEFT_MODEL_TREE_TASKS_H
#define WEFT_MODEL_TREE_TASKS_H

#include "domains/trees/model/tree.h"

/* The state type of numbered tasks; WEFT_NONE. */
uint32_t weft_tree_task_type(const struct weft_schema *schema);
/*
 * The tree of the tasks of TYPE.  All states with one number lead to one node (tree->node_of):
 * that of the earliest of them.
 */
struct weft_tree *weft_tree_read_tasks(const struct weft_source *source, uint32_t type,
                                       struct weft_job *job,
                                       struct weft_err *err) WEFT_MUST_CHECK;

#endif
