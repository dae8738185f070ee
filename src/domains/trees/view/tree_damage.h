/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Effects of damage on the numbers of a tree: the descendants of an unreadable node drop
 * out of the tree, also on undamaged rows. While any row is damaged, only numbers from a
 * row's own states are known.
 */
#ifndef WEFT_VIEW_TREE_TREE_DAMAGE_H
#define WEFT_VIEW_TREE_TREE_DAMAGE_H

#include "domains/trees/model/tree.h"

/* The damage of a tree's rows (tracks of states) in a trace and in a window of time. Filled
   by tree_damage_find(); its lists are in the caller's arena. */
struct tree_damage {
    bool any;     /* some row is damaged, inside or outside of the window: numbers that need
                     the tree are unknown */
    bool *of_row; /* [tree->n_pes]: the row is damaged in the window; NULL: the trace has no
                     damage */
    struct weft_span *gaps; /* [n_gaps] times with unreadable states of rows, in or outside
                               of the window, unordered */
    size_t n_gaps;
};

/*
 * Sets *OUT to the damage of the rows of TREE, which was read from SOURCE, by WINDOW.
 * Damage is found by reading, and only what is known so far counts: call it after reading
 * all data that the numbers need. If more damage is known than is listed, every row counts
 * as damaged. The lists are in ARENA. O(damage + rows).
 */
void tree_damage_find(const struct weft_source *source, const struct weft_tree *tree,
                      struct weft_span window, struct weft_arena *arena,
                      struct tree_damage *out);

#endif
