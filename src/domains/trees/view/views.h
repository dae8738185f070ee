/* SPDX-License-Identifier: Apache-2.0 */
/* The views of trees of reductions, calls and tasks. */
#ifndef WEFT_DOMAINS_TREES_VIEWS_H
#define WEFT_DOMAINS_TREES_VIEWS_H

#include "view/view.h"

/* View "reduction-tree": a whole tree as rings, bars (icicle) or lines. */
extern const struct weft_view weft_view_reduction_tree;
/* View "tree-levels": the number of nodes of each level, as bars. */
extern const struct weft_view weft_view_tree_levels;
/* View "tree-nodes": the nodes, each a bar as long as its subtree has nodes. */
extern const struct weft_view weft_view_tree_nodes;
/* View "tree-pes": the reductions or calls of each PE or thread, as bars. */
extern const struct weft_view weft_view_tree_pes;
/* View "tree-parallelism": how many PEs or threads ran, and how many goals waited, over
   time. */
extern const struct weft_view weft_view_tree_parallelism;
/* View "tree-compare": the trees of two traces side by side, with their differences. */
extern const struct weft_view weft_view_tree_compare;

#endif
