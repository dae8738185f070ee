/* SPDX-License-Identifier: Apache-2.0 */
/* The views of trees of reductions, calls and tasks. */
#ifndef WEFT_DOMAINS_TREES_VIEWS_H
#define WEFT_DOMAINS_TREES_VIEWS_H

#include "view/view.h"

extern const struct weft_view weft_view_reduction_tree;
extern const struct weft_view weft_view_tree_levels;
extern const struct weft_view weft_view_tree_nodes;
extern const struct weft_view weft_view_tree_pes;
extern const struct weft_view weft_view_tree_parallelism;
extern const struct weft_view weft_view_tree_compare;

#endif
