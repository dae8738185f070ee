/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What damage does to numbers of a tree: whatever hangs below a node that cannot be read falls out
 * of it, also on rows of which everything can be read.  So only what comes from a row's own states
 * is known while any other row is damaged.
 */
#ifndef WEFT_VIEW_TREE_TREE_DAMAGE_H
#define WEFT_VIEW_TREE_TREE_DAMAGE_H

#include "domains/trees/model/tree.h"

struct tree_damage {
    bool any;     /* of any row, at any time: no number that needs the tree is known */
    bool *of_row; /* [n_pes]: of the row, in the window; NULL: none is */
    struct weft_span *gaps; /* when states of rows cannot be read; in no order */
    size_t n_gaps;
};

/*
 * What is known of it by now: ask when all that the numbers are of was read.  In ARENA.
 * O(damage + rows).
 */
void tree_damage_find(const struct weft_source *source, const struct weft_tree *tree,
                      struct weft_span window, struct weft_arena *arena,
                      struct tree_damage *out);

#endif
