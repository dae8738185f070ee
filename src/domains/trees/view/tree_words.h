/* SPDX-License-Identifier: Apache-2.0 */
/* The words for a tree of reductions or calls and its parts in texts. */
#ifndef WEFT_VIEW_TREE_TREE_WORDS_H
#define WEFT_VIEW_TREE_TREE_WORDS_H

#include "domains/trees/model/tree.h"

/* The words that texts use for a tree and its parts: static strings. Examples are those of
   a tree of calls, "label" also for reductions. */
struct tree_words {
    const char *tree;         /* "Tree of calls" */
    const char *row, *rows;   /* "thread", "threads" */
    const char *Rows;         /* capitalized */
    const char *node, *nodes; /* "call", "calls" */
    const char *label;        /* "name", "procedure" */
};

/*
 * Returns the words for TREE, which was read from a trace with SCHEMA. Reductions run on
 * "PEs"; for other trees, the role of the rows' containers gives "threads", "ranks",
 * "workers", "processes" or "processors", and "rows" if it is another role or they differ.
 * Nothing is to be freed.
 */
struct tree_words tree_words_of(const struct weft_tree *tree,
                                const struct weft_schema *schema);

#endif
