/* SPDX-License-Identifier: Apache-2.0 */
/* Tells weft info about trees of reductions or calls. */
#include "cli/info_hooks.h"

#include "domains/trees/model/tree.h"

extern const struct weft_info weft_info_trees;

const struct weft_info weft_info_trees = { .model = "tree", .fills = weft_tree_fills };
