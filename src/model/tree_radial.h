/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VISTA's way of laying out a tree (Park 1991, chapter IV): levels are condensed until as many
 * are left as the picture has room for rings; every node has a weight; a node's part of its
 * parent's sector is its part of the weights of the parent's children.  The same parts serve
 * rings (fractions of the full circle), icicles and trees from top to bottom (fractions of the
 * width).
 *
 * Weights are kept, sectors are not: a walk from the root computes the sector of each
 * node that it visits, and a picture visits no more nodes than it can show.
 */
#ifndef WEFT_MODEL_TREE_RADIAL_H
#define WEFT_MODEL_TREE_RADIAL_H

#include "model/tree.h"

/*
 * Which levels are kept of H when there is room for MOST: with c0 = floor(H / MOST) and
 * t = MOST c0 - (H - MOST c0) c0, those with l <= t and l mod c0 = 0, and those with l > t and
 * l mod (c0 + 1) = 0.  All of them when H <= MOST.
 */
struct weft_tree_rings {
    uint32_t levels; /* H */
    uint32_t most;
    uint32_t ratio;     /* c0; 1 when nothing is condensed */
    uint32_t threshold; /* t; beyond it the ratio is c0 + 1 */
    uint32_t n;         /* levels that are kept */
    uint32_t n_first;   /* of these, at or before the threshold */
};
struct weft_tree_rings weft_tree_condense(uint32_t levels, uint32_t most);
bool weft_tree_keeps(const struct weft_tree_rings *rings, uint32_t level);

/* How many rings WIDTH pixels have room for, DISTANCE apart: floor(WIDTH / (2 DISTANCE)). */
uint32_t weft_tree_most_rings(double width, double distance);

struct weft_tree_layout {
    const struct weft_tree *tree;
    uint32_t root;
    struct weft_tree_rings rings;
    uint32_t *level;            /* [rings.n]: level below the root, by ring */
    struct weft_tree_run *runs; /* [rings.n]: the subtree's nodes on that level */
    size_t *offset;             /* [rings.n]: where a ring's nodes begin in `weights` */
    uint64_t *weights;          /* [n_kept], ring by ring */
    uint64_t n_kept;            /* nodes on kept levels */
    uint64_t n_all;             /* nodes of the subtree */
    int64_t first, last;        /* times of the subtree */
};

/* Lay out the subtree of ROOT with room for MOST rings; O(its size).  Fails when cancelled. */
struct weft_tree_layout *weft_tree_lay_out(const struct weft_tree *tree, uint32_t root,
                                           uint32_t most, struct weft_job *job,
                                           struct weft_err *err) WEFT_MUST_CHECK;
void weft_tree_layout_free(struct weft_tree_layout *layout);
size_t weft_tree_layout_bytes(const struct weft_tree_layout *layout); /* of memory */

/* The descendants of NODE, which is on ring RING, on the next ring that is kept. */
struct weft_tree_run weft_tree_hangs(const struct weft_tree_layout *layout, uint32_t ring,
                                     uint32_t node);
static inline uint64_t weft_tree_weight(const struct weft_tree_layout *layout,
                                        uint32_t ring, uint32_t node)
{
    return layout->weights[layout->offset[ring] + (node - layout->runs[ring].begin)];
}
/* The weights of those descendants: a node's weight is their sum plus its height in rings. */
static inline uint64_t weft_tree_weight_below(const struct weft_tree_layout *layout,
                                              uint32_t ring, uint32_t node)
{
    return weft_tree_weight(layout, ring, node) - (layout->rings.n - ring);
}

/* A sector as a part of the whole: 0 to 1. */
struct weft_tree_sector {
    double from, size;
};
/* The sector of NODE of ring RING, by the path from the root.  O(rings x children). */
struct weft_tree_sector weft_tree_sector_of(const struct weft_tree_layout *layout,
                                            uint32_t ring, uint32_t node);
/* The ring that *node is on; when its level is not kept, *node becomes its nearest ancestor
 * on a level that is. */
uint32_t weft_tree_ring_of(const struct weft_tree_layout *layout, uint32_t *node);

#endif
