/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selects nodes of a tree of pair sums that add up to a range of leaves.  Large nodes have
 * a row for nearly every pair, so reading few nodes matters most: where it is cheaper, a
 * larger node is added and its leaves outside the range are subtracted.
 */
#ifndef WEFT_STORE_PAIR_COVER_H
#define WEFT_STORE_PAIR_COVER_H

#include "store/pairs.h"

struct weft_pair_part {
    /* NULL: the links of a leaf, whose node was left out */
    const struct weft_file_pair_node *node;
    uint64_t leaf;
    bool minus; /* subtract it */
};

struct weft_pair_cover {
    struct weft_pair_part *parts; /* free() */
    size_t n, capacity;
    bool subtracts; /* some part is to be subtracted */
};

/*
 * Computes the cover of the leaves [first, after) that reads the fewest rows; SUBTRACT:
 * parts may be subtracted.  Looks at a few nodes of each level, not at their blocks: the
 * caller checks those for damage.
 */
void weft_pair_cover(const struct weft_pair_list *list, uint64_t first, uint64_t after,
                     bool subtract, struct weft_pair_cover *out);

#endif
