/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects nodes of a tree of link sums (store/link_sums.h) that add up to a range of
 * leaves.  Large nodes have a row for nearly every pair, so reading few nodes matters most:
 * where it is cheaper, a larger node is added and its leaves outside the range are
 * subtracted.
 */
#ifndef WEFT_STORE_LINK_SUMS_COVER_H
#define WEFT_STORE_LINK_SUMS_COVER_H

#include "store/link_sums.h"

/* A node, or a leaf's links, to add or subtract. */
struct weft_pair_part {
    /* one of list->nodes; NULL: the links of a leaf, whose node was left out */
    const struct weft_file_pair_node *node;
    /* if node is NULL, the leaf's index: blocks leaf * WEFT_PAIR_LEAF and following */
    uint64_t leaf;
    bool minus; /* subtract it */
};

/* The nodes and leaves of a tree that add up to a range of leaves. */
struct weft_pair_cover {
    struct weft_pair_part *parts; /* the caller frees them */
    size_t n, capacity;
    bool subtracts; /* some part is to be subtracted */
};

/*
 * Appends to OUT, zeroed before its first use, the nodes of LIST that sum the leaves
 * [FIRST, AFTER) and have the fewest rows; if SUBTRACT, some of them may have to be
 * subtracted.  AFTER is at most the number of leaves.  Nothing if FIRST >= AFTER.  Leaf i
 * sums list->blocks from i * WEFT_PAIR_LEAF on, WEFT_PAIR_LEAF of them or to the end.
 * Looks at a few nodes of each level, not at their blocks: the caller checks those for
 * damage.
 */
void weft_pair_cover(const struct weft_pair_list *list, uint64_t first, uint64_t after,
                     bool subtract, struct weft_pair_cover *out);

#endif
