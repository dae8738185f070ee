/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Laying out a tree.  Levels are condensed until as many are left as the picture has room for
 * rings; a node has a part of its parent's sector.  The same parts serve rings (fractions of the
 * full circle), icicles and trees from top to bottom (fractions of the width).
 *
 * VISTA's way (Park 1991, chapter IV) condenses by a formula; the other way by what is on the
 * levels (model/tree_depth.h).  How large a node's part is, its size says: VISTA's weight, or
 * nodes, or time.
 *
 * Sizes are kept, sectors are not: a walk from the root computes the sector of each
 * node that it visits, and a picture visits no more nodes than it can show.
 */
#ifndef WEFT_MODEL_TREE_RADIAL_H
#define WEFT_MODEL_TREE_RADIAL_H

#include "domains/trees/model/tree.h"
#include "domains/trees/model/tree_depth.h"

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

enum weft_tree_depth {
    WEFT_TREE_DEPTH_VISTA,
    WEFT_TREE_DEPTH_ADAPTIVE,
};

enum weft_tree_size {
    WEFT_TREE_SIZE_WEIGHT, /* VISTA's: siblings fill their parent's sector */
    WEFT_TREE_SIZE_COUNT,  /* nodes: these do, too */
    WEFT_TREE_SIZE_SUMS,   /* of anything: what is the parent's own stays empty */
};

struct weft_tree_how {
    uint32_t most; /* rings that there is room for */
    enum weft_tree_depth depth;
    enum weft_tree_size size;
    const double *sums; /* [n] by node, no less than its children have together; they
 outlive the layout */
    /* Levels below the root that are folded last of all (adaptive depth). */
    const struct weft_tree_run *opened;
    size_t n_opened;
};

struct weft_tree_layout {
    const struct weft_tree *tree;
    uint32_t root;
    struct weft_tree_how how; /* without what was opened */
    struct weft_tree_rings rings;
    struct weft_tree_folding fold;
    uint32_t *level;            /* [rings.n]: level below the root, by ring */
    struct weft_tree_run *runs; /* [rings.n]: the subtree's nodes on that level */
    size_t *offset;             /* [rings.n + 1]: where a ring's nodes begin in `weights` */
    /*
     * [n_kept + rings.n], ring by ring: the first of a node's descendants on the next ring; one
     * more at the end of each ring, so that the next node's is where they end.
     */
    uint32_t *hangs;
    uint64_t *weights;   /* [n_kept], ring by ring, when they are the sizes */
    uint64_t n_kept;     /* nodes on kept levels */
    uint64_t n_all;      /* nodes of the subtree */
    int64_t first, last; /* times of the subtree */
};

/* Lay out the subtree of ROOT; O(its size).  Fails when cancelled. */
struct weft_tree_layout *weft_tree_lay_out(const struct weft_tree *tree, uint32_t root,
                                           const struct weft_tree_how *how,
                                           struct weft_job *job,
                                           struct weft_err *err) WEFT_MUST_CHECK;
void weft_tree_layout_free(struct weft_tree_layout *layout);
size_t weft_tree_layout_bytes(const struct weft_tree_layout *layout); /* of memory */

/*
 * The descendants of the nodes of RUN, which are on ring RING, on the next ring that is kept;
 * those of one node.
 */
static inline struct weft_tree_run weft_tree_hang_on(const struct weft_tree_layout *layout,
                                                     uint32_t ring,
                                                     struct weft_tree_run run)
{
    const uint32_t *hangs =
        layout->hangs + layout->offset[ring] + ring - layout->runs[ring].begin;
    return (struct weft_tree_run){ hangs[run.begin], hangs[run.end] };
}
static inline struct weft_tree_run weft_tree_hangs(const struct weft_tree_layout *layout,
                                                   uint32_t ring, uint32_t node)
{
    return weft_tree_hang_on(layout, ring, (struct weft_tree_run){ node, node + 1 });
}
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

/*
 * The size of a node of ring RING, and what it is a part of: of that much the sizes of those
 * that HANG on its parent, which is on the ring before.
 */
static inline double weft_tree_size(const struct weft_tree_layout *layout, uint32_t ring,
                                    uint32_t node)
{
    return layout->how.size == WEFT_TREE_SIZE_COUNT ? layout->tree->count[node]
           : layout->how.size == WEFT_TREE_SIZE_SUMS
               ? layout->how.sums[node]
               : (double)weft_tree_weight(layout, ring, node);
}
double weft_tree_whole(const struct weft_tree_layout *layout, uint32_t ring,
                       uint32_t parent, struct weft_tree_run hang);

/*
 * Where the rings are: edges [rings.n + 1], from 0 to 1 (weft_tree_depths; VISTA's are equally
 * thick).  When the root is a POINT, its ring has no thickness.
 */
void weft_tree_edges_of_rings(const struct weft_tree_layout *layout, bool point,
                              double *edges);

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
