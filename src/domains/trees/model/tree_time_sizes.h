/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sizes of the nodes of a graph by time, for a layout's sectors.
 *
 * TIME. In a hierarchy of containment, the size of a node is its length inside its parent,
 * in proportion to the parent's size. While several children run at once (threads that it
 * created), they share that time evenly: together they are never larger than their parent,
 * and time in which one child runs alone counts in full. In a hierarchy of creation
 * (reductions, tasks), the size is the work of the subtree.
 *
 * SELF. The size is the work of the subtree: time in which its nodes neither waited nor
 * slept.
 */
#ifndef WEFT_MODEL_TREE_TIME_SIZES_H
#define WEFT_MODEL_TREE_TIME_SIZES_H

#include "domains/trees/model/work_graph.h"

/*
 * The time that makes a node large. WEFT_TREE_TIME: a call's length, with its waiting,
 * shared where siblings run at once; for reductions and tasks the work of the subtree.
 * WEFT_TREE_SELF: always the work of the subtree, without waiting.
 */
enum weft_tree_measure { WEFT_TREE_TIME, WEFT_TREE_SELF };

/*
 * Returns the sizes of the nodes by MEASURE, in ticks, an array [nodes] to be freed with
 * free(). But for rounding, no node is smaller than the sum of its children. NULL with
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled. O(n log n) at worst.
 */
double *weft_tree_sizes(const struct weft_graph *graph, enum weft_tree_measure measure,
                        struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

#endif
