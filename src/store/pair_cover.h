/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which nodes of a tree of sums by pairs add up to some of its leaves.  Large nodes hold all pairs
 * that there are, so what counts is how many are read: where that is cheaper, a node is taken and
 * the rest of it taken away again.
 */
#ifndef WEFT_STORE_PAIR_COVER_H
#define WEFT_STORE_PAIR_COVER_H

#include "store/pairs.h"

struct weft_pair_part {
    const struct weft_file_pair_node
        *node; /* NULL: the links of a leaf, whose node was left out */
    uint64_t leaf;
    bool minus; /* to be taken away */
};

struct weft_pair_cover {
    struct weft_pair_part *parts; /* free() */
    size_t n, capacity;
    bool subtracts; /* some part is to be taken away */
};

/*
 * The cheapest cover of the leaves [first, after), by rows to be read; SUBTRACT: parts may be taken
 * away.  Looks at a few nodes of each level, and not at what they hold: the caller
 * sees whether they are damaged.
 */
void weft_pair_cover(const struct weft_pair_list *list, uint64_t first, uint64_t after,
                     bool subtract, struct weft_pair_cover *out);

#endif
