/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of call stacks, outermost functions next to the root: stacks that begin alike
 * are one path up to where they differ.
 */
#ifndef WEFT_VIEW_TIMELINE_FLAME_TREE_H
#define WEFT_VIEW_TIMELINE_FLAME_TREE_H

#include "analyse/call_stack_profile.h"

/*
 * A function in one chain of callers, which are its parent, that one's parent, and so on.
 */
struct flame_node {
    const char *name; /* [size] bytes without a NUL, in the schema or constant */
    size_t size;
    /* indices of nodes: its caller; the first of the functions that it called, in the order
       of their totals, greatest first; the next one of its caller; WEFT_NONE: none */
    uint32_t parent, child, next;
    uint32_t depth; /* of the root: 0 */
    /* ticks: of stacks that pass through it or end in it; of those that end in it */
    int64_t total, self;
};

/*
 * Call stacks joined to a tree: those that begin alike share a path from the root.  Made by
 * flame_tree_make(), freed by flame_tree_free().
 */
struct flame_tree {
    /* [n]; a parent before its children; nodes[0] is the root, "all", with all ticks */
    struct flame_node *nodes;
    size_t n, capacity;
    uint32_t levels; /* the greatest depth; 0: only the root */
};

/*
 * Sets *TREE to the tree of the call stacks of PROFILE, whose texts are in SCHEMA, which
 * must outlive it; `child` and `next` list children with the greatest total first.  A stack
 * without text is a function "[unknown]", which calls that of the stack's site, if known.
 * FOCUS, unless it is "", names a function: the tree then has only stacks with it, each
 * from its outermost call on; only the root if there are none.
 */
void flame_tree_make(struct flame_tree *tree, const struct weft_schema *schema,
                     const struct weft_profile *profile, const char *focus);
/* Frees the nodes of TREE, not TREE itself, which is all 0 then. */
void flame_tree_free(struct flame_tree *tree);
/* Returns the node that follows NODE in preorder; WEFT_NONE after the last. */
uint32_t flame_tree_next(const struct flame_tree *tree, uint32_t node);
/*
 * Returns the node that follows NODE and all nodes below it in preorder; WEFT_NONE after
 * the last.
 */
uint32_t flame_tree_skip(const struct flame_tree *tree, uint32_t node);

#endif
