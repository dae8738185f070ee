/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of call stacks: stacks that begin alike are one path up to where they differ. */
#ifndef WEFT_VIEW_TIMELINE_FLAME_TREE_H
#define WEFT_VIEW_TIMELINE_FLAME_TREE_H

#include "analyse/profile.h"

/* A function, called by those above it. */
struct flame_node {
    const char *name; /* [size], of the schema */
    size_t size;
    uint32_t parent, child, next; /* first child, next sibling; WEFT_NONE: none */
    uint32_t depth;               /* of the root: 0 */
    int64_t total, self;          /* ticks: in it and below; as the innermost */
};

/* flame_tree_make() fills it, flame_tree_free() frees it. */
struct flame_tree {
    struct flame_node *nodes; /* [n]; a parent before its children; 0: the root, of all */
    size_t n, capacity;
    uint32_t levels; /* of functions below the root */
};

/*
 * Sets *TREE to that of the call stacks of PROFILE, whose texts are in SCHEMA; children are
 * sorted by their total, the greatest first.  FOCUS, unless it is "", names a function:
 * then only stacks with it, each from its outermost call on.
 */
void flame_tree_make(struct flame_tree *tree, const struct weft_schema *schema,
                     const struct weft_profile *profile, const char *focus);
void flame_tree_free(struct flame_tree *tree);
/* Returns the node behind NODE in preorder; WEFT_NONE behind the last. */
uint32_t flame_tree_next(const struct flame_tree *tree, uint32_t node);
/* Returns the node behind NODE and all below it in preorder; WEFT_NONE behind the last. */
uint32_t flame_tree_skip(const struct flame_tree *tree, uint32_t node);

#endif
