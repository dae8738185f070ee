/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the views of trees keep between frames, each a preparation of its own: the tree of a
 * trace; a layout of a subtree, for as many rings as there is room for; the edges; how many of
 * them run between groups of nodes; which nodes of two trees are the same.
 *
 * All take a weft_use, which holds what they return until it ends.  SOURCE is a position in
 * the set of its request.
 */
#ifndef WEFT_VIEW_TREE_PREPARED_H
#define WEFT_VIEW_TREE_PREPARED_H

#include "model/tree_edges.h"
#include "model/tree_radial.h"
#include "view/prepare.h"

extern const struct weft_preparation weft_tree_preparation; /* a struct weft_tree */

/* WEFT_ERR_USAGE when the trace has none. */
const struct weft_tree *tree_of(struct weft_use *use, size_t source, struct weft_err *err);

/* A layout, and how the nodes of its subtree are spread. */
struct tree_layout {
    struct weft_tree_layout *layout;
    uint64_t *of_pe;    /* [n_pes] nodes */
    uint64_t *of_label; /* [n_labels] */
    uint64_t migrated;  /* below its root: on another PE than their parent */
    const struct weft_held *tree;
};
/* Of a source and its TREE.  All MOST that have room for all levels are one layout. */
const struct tree_layout *tree_layout_of(struct weft_use *use, size_t source,
                                         const struct weft_tree *tree, uint32_t root,
                                         uint32_t most, struct weft_err *err);

const struct weft_tree_edges *tree_edges_of(struct weft_use *use, size_t source,
                                            struct weft_err *err);

enum { TREE_MOST_GROUPS = 160 };
/*
 * How many edges run from group to group, [n][n].  A group is a subtree of ROOT, given by the
 * node on top, less the groups within it; at most TREE_MOST_GROUPS.
 */
const uint32_t *tree_bundles_of(struct weft_use *use, size_t source, uint32_t root,
                                const uint32_t *groups, size_t n, struct weft_err *err);

/* The nodes of the second source's tree that are the same as the first's (weft_tree_match). */
const uint32_t *tree_match_of(struct weft_use *use, struct weft_err *err);

/* Did a node run on another PE than its parent? */
bool tree_migrated(const struct weft_tree *tree, uint32_t node);

/*
 * The node that a person names: "" is the root, "record:5" the fifth of the run, "3:1" the
 * one of index 1 on PE 3, a number an id (as marks carry).  WEFT_NONE with an error else.
 */
uint32_t tree_node_named(const struct weft_tree *tree, const char *parameter,
                         const char *text, struct weft_err *err);

#endif
