/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lays out a tree: chooses the levels that get a ring, as many as the picture has room for,
 * and gives each node a sector inside its parent's. The same sectors serve rings (fractions
 * of the circle), and icicles and trees from top to bottom (fractions of the width).
 *
 * VISTA (Park 1991, chapter IV) chooses levels by a formula; the adaptive depth chooses
 * them by their nodes (model/tree_rings.h). The size of a node decides how large its sector
 * is: VISTA's weight, its number of nodes, or its time.
 *
 * The layout keeps sizes, not sectors: a walk from the root computes the sector of each
 * node that it visits, and a picture visits no more nodes than it can show.
 */
#ifndef WEFT_MODEL_TREE_RADIAL_H
#define WEFT_MODEL_TREE_RADIAL_H

#include "domains/trees/model/tree.h"
#include "domains/trees/model/tree_rings.h"

/*
 * VISTA's choice of levels. All H levels are kept when H <= MOST. Else, with c0 = floor(H /
 * MOST) and t = MOST c0 - (H - MOST c0) c0, it keeps the levels l <= t with l mod c0 = 0,
 * and the levels l > t with l mod (c0 + 1) = 0.
 */
struct weft_tree_rings {
    uint32_t levels; /* H */
    uint32_t most;
    uint32_t ratio;     /* c0; 1 when nothing is condensed */
    uint32_t threshold; /* t; beyond it the ratio is c0 + 1 */
    uint32_t n;         /* number of levels that are kept */
    uint32_t n_first;   /* the kept levels up to the threshold */
};
/* Makes VISTA's choice for LEVELS levels and at most MOST rings. */
struct weft_tree_rings weft_tree_condense(uint32_t levels, uint32_t most);
/* Returns true if the choice keeps LEVEL, counted from 0, the root's. */
bool weft_tree_keeps(const struct weft_tree_rings *rings, uint32_t level);

/*
 * Returns how many rings fit into WIDTH pixels, DISTANCE apart: floor(WIDTH / (2
 * DISTANCE)), at least 1.
 */
uint32_t weft_tree_most_rings(double width, double distance);

/* The choice of levels: struct weft_tree_rings, or model/tree_rings.h. */
enum weft_tree_depth {
    WEFT_TREE_DEPTH_VISTA,
    WEFT_TREE_DEPTH_ADAPTIVE,
};

/* The size of a node, to which its sector is in proportion. */
enum weft_tree_size {
    WEFT_TREE_SIZE_WEIGHT, /* VISTA's: children fill their parent's sector */
    WEFT_TREE_SIZE_COUNT,  /* nodes of the subtree: children fill it, too */
    WEFT_TREE_SIZE_SUMS,   /* `sums`: the parent's own part stays empty */
};

/* The settings of a layout. */
struct weft_tree_how {
    uint32_t most; /* rings that the picture has room for */
    enum weft_tree_depth depth;
    enum weft_tree_size size;
    const double *sums; /* [nodes], for WEFT_TREE_SIZE_SUMS: at least the sum of a node's
                           children; outlives the layout */
    /* Runs of levels, counted from the root, that the adaptive depth folds last. */
    const struct weft_tree_run *opened;
    size_t n_opened;
};

struct weft_tree_layout {
    const struct weft_tree *tree;
    uint32_t root;
    struct weft_tree_how how; /* `opened` is NULL */
    struct weft_tree_rings rings;
    struct weft_tree_folding fold;
    uint32_t *level;            /* [rings.n]: level that the ring shows, counted from the
                                   root; owned by `fold` */
    struct weft_tree_run *runs; /* [rings.n]: the subtree's nodes on that level */
    size_t *offset;             /* [rings.n + 1]: kept nodes before the ring; its nodes
                                   begin there in `weights` */
    /*
     * [n_kept + rings.n], ring by ring, with one entry more at the end of each ring: the
     * first of a node's descendants on the next ring; the next entry is their end.
     */
    uint32_t *hangs;
    uint64_t *weights;   /* [n_kept], ring by ring; NULL unless the size is the weight */
    uint64_t n_kept;     /* nodes on kept levels */
    uint64_t n_all;      /* nodes of the subtree */
    int64_t first, last; /* begins of its earliest and latest node */
};

/*
 * Lays out the subtree of ROOT in O(its nodes), for weft_tree_layout_free() to free. NULL
 * with WEFT_ERR_CANCELLED.
 */
struct weft_tree_layout *weft_tree_lay_out(const struct weft_tree *tree, uint32_t root,
                                           const struct weft_tree_how *how,
                                           struct weft_job *job,
                                           struct weft_err *err) WEFT_MUST_CHECK;
void weft_tree_layout_free(struct weft_tree_layout *layout);
size_t weft_tree_layout_bytes(const struct weft_tree_layout *layout); /* bytes of memory */

/*
 * Returns the descendants, on ring RING + 1, of the nodes of RUN, which are on ring RING.
 * These are not their children if levels between the two rings have no ring.
 * weft_tree_hangs() returns the descendants of one node.
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
/* Returns VISTA's weight of NODE, which is on ring RING. The layout must have weights. */
static inline uint64_t weft_tree_weight(const struct weft_tree_layout *layout,
                                        uint32_t ring, uint32_t node)
{
    return layout->weights[layout->offset[ring] + (node - layout->runs[ring].begin)];
}
/*
 * Returns the sum of the weights of the descendants of NODE on the next ring after RING,
 * its own. A node's weight is this sum plus the number of rings from its own outwards. The
 * layout must have weights.
 */
static inline uint64_t weft_tree_weight_below(const struct weft_tree_layout *layout,
                                              uint32_t ring, uint32_t node)
{
    return weft_tree_weight(layout, ring, node) - (layout->rings.n - ring);
}

/* Returns the size of NODE, which is on ring RING, as layout->how.size says. */
static inline double weft_tree_size(const struct weft_tree_layout *layout, uint32_t ring,
                                    uint32_t node)
{
    return layout->how.size == WEFT_TREE_SIZE_COUNT ? layout->tree->count[node]
           : layout->how.size == WEFT_TREE_SIZE_SUMS
               ? layout->how.sums[node]
               : (double)weft_tree_weight(layout, ring, node);
}
/*
 * Returns the size that fills the sector of PARENT, which is on ring RING - 1: a node on
 * ring RING has its size divided by this as its share of the sector. HANG is the run of
 * PARENT's descendants on ring RING (weft_tree_hangs). O(nodes of HANG).
 */
double weft_tree_whole(const struct weft_tree_layout *layout, uint32_t ring,
                       uint32_t parent, struct weft_tree_run hang);

/*
 * Sets EDGES[rings.n + 1] to the borders of the rings, from 0 to 1 (weft_tree_depths();
 * VISTA's rings are equally thick). If POINT, the root's ring has no thickness.
 */
void weft_tree_edges_of_rings(const struct weft_tree_layout *layout, bool point,
                              double *edges);

/* A sector as a fraction of the whole circle or width, from 0 to 1. */
struct weft_tree_sector {
    double from, size;
};
/*
 * Computes the sector of NODE, which is on ring RING, along the path from the root.
 * O(levels + rings x children).
 */
struct weft_tree_sector weft_tree_sector_of(const struct weft_tree_layout *layout,
                                            uint32_t ring, uint32_t node);
/*
 * Returns the ring of *NODE, a node of the layout's subtree. When its level has no ring,
 * *NODE becomes its nearest ancestor with one.
 */
uint32_t weft_tree_ring_of(const struct weft_tree_layout *layout, uint32_t *node);

#endif
