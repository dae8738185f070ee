/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How large the nodes of a graph are by time: what a layout gives sectors by.
 *
 * TIME.  A call is as large as it is long, as a part of what it is inside.  While several
 * children of one node run at once (threads that it created), they share that time evenly: so
 * they never are more than their parent, and what one of them did alone counts in full.
 * Whatever is created rather than inside (reductions, tasks) is as large as all work of its
 * subtree.
 *
 * SELF.  The work of the subtree: time that was neither waited nor slept.
 */
#ifndef WEFT_MODEL_TREE_SIZES_H
#define WEFT_MODEL_TREE_SIZES_H

#include "domains/trees/model/graph.h"

enum weft_tree_measure { WEFT_TREE_TIME, WEFT_TREE_SELF };

/*
 * The size of each node, in ticks, which the caller frees; no node is smaller than its children
 * together.  O(n log n) at worst.  NULL: WEFT_ERR_CANCELLED.
 */
double *weft_tree_sizes(const struct weft_graph *graph, enum weft_tree_measure measure,
                        struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

#endif
