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
#ifndef WEFT_MODEL_TREE_SIZES_H
#define WEFT_MODEL_TREE_SIZES_H

#include "domains/trees/model/graph.h"

/* TIME includes waiting in a hierarchy of containment, SELF never does. */
enum weft_tree_measure { WEFT_TREE_TIME, WEFT_TREE_SELF };

/*
 * Returns the sizes of the nodes in ticks, an array [nodes] that the caller frees; no node
 * is smaller than the sum of its children. O(n log n) at worst. NULL with
 * WEFT_ERR_CANCELLED.
 */
double *weft_tree_sizes(const struct weft_graph *graph, enum weft_tree_measure measure,
                        struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

#endif
