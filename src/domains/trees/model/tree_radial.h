/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lays out a tree: chooses the levels that get a ring, as many as the picture has room for,
 * and gives each node a sector inside its parent's. The same sectors serve rings (fractions
 * of the circle), and icicles and trees from top to bottom (fractions of the width).
 *
 * VISTA (Park 1991, chapter IV) chooses levels by a formula; the adaptive depth chooses
 * them by their nodes (model/tree_ring_levels.h). The size of a node decides how large its
 * sector is: VISTA's weight, its number of nodes, or its time.
 *
 * The layout keeps sizes, not sectors: a walk from the root computes the sector of each
 * node that it visits, and a picture visits no more nodes than it can show.
 */
#ifndef WEFT_MODEL_TREE_RADIAL_H
#define WEFT_MODEL_TREE_RADIAL_H

#include "domains/trees/model/tree.h"
#include "domains/trees/model/tree_ring_levels.h"

/*
 * The levels of a tree that get a ring of their own in a picture, as VISTA (Park 1991)
 * chooses them for a tree with room for MOST rings. All H levels are kept when H <= MOST.
 * Else, with c0 = floor(H / MOST) and t = MOST c0 - (H - MOST c0) c0, it keeps the levels l
 * <= t with l mod c0 = 0, and the levels l > t with l mod (c0 + 1) = 0: MOST or MOST + 1
 * levels, the root's (0) included. A value; weft_tree_condense() makes it.
 */
struct weft_tree_rings {
    uint32_t levels;    /* H */
    uint32_t most;      /* rings that there is room for, at least 1 */
    uint32_t ratio;     /* c0; 1 when nothing is condensed */
    uint32_t threshold; /* t; beyond it the ratio is c0 + 1 */
    uint32_t n;         /* number of levels that are kept */
    uint32_t n_first;   /* number of kept levels <= threshold */
};
/* Returns VISTA's choice of the levels that get a ring, for a tree of LEVELS levels and
   room for MOST rings (0 counts as 1). It keeps at most MOST levels beside the root's. */
struct weft_tree_rings weft_tree_condense(uint32_t levels, uint32_t most);
/* Returns true if VISTA's choice RINGS, of weft_tree_condense(), keeps LEVEL, which counts
   from 0, the root's, and is below rings->levels. */
bool weft_tree_keeps(const struct weft_tree_rings *rings, uint32_t level);

/*
 * Returns how many rings fit into a circle of WIDTH pixels, DISTANCE (> 0) pixels apart:
 * floor(WIDTH / (2 DISTANCE)), at least 1, at most 10^9.
 */
uint32_t weft_tree_most_rings(double width, double distance);

/* The way to choose the levels that get a ring: by VISTA's formula (struct
   weft_tree_rings), or by the nodes on the levels (weft_tree_fold). */
enum weft_tree_depth {
    WEFT_TREE_DEPTH_VISTA,
    WEFT_TREE_DEPTH_ADAPTIVE,
};

/* The size of a node: siblings have parts of their parent's sector in proportion to it. */
enum weft_tree_size {
    WEFT_TREE_SIZE_WEIGHT, /* VISTA's (weft_tree_weight): children fill the sector */
    WEFT_TREE_SIZE_COUNT,  /* nodes of the subtree: children fill the sector, too */
    /* An array of the caller (struct weft_tree_how): the part of the sector by which the
       parent is larger than its children together stays empty. */
    WEFT_TREE_SIZE_SUMS,
};

/* The settings of a layout, made by the caller. */
struct weft_tree_how {
    uint32_t most;              /* rings that the picture has room for */
    enum weft_tree_depth depth; /* how levels with a ring are chosen */
    enum weft_tree_size size;   /* what makes a node large */
    const double *sums; /* [nodes], for WEFT_TREE_SIZE_SUMS: at least the sum of a node's
                           children; outlives the layout */
    /* [n_opened] runs of levels, counted from the subtree's root, that the adaptive depth
       folds last; read only while the layout is made. */
    const struct weft_tree_run *opened;
    size_t n_opened;
};

/*
 * The layout of a subtree: the levels that have a ring, and the sizes from which sectors
 * are computed. Read-only; weft_tree_lay_out() makes it, weft_tree_layout_free() frees it.
 */
struct weft_tree_layout {
    const struct weft_tree *tree; /* outlives the layout */
    uint32_t root;                /* node of TREE: the subtree's root */
    struct weft_tree_how how;     /* `opened` is NULL */
    struct weft_tree_rings rings; /* `levels` and `n`; the rest holds only for VISTA's
                                     depth */
    struct weft_tree_folding fold;
    uint32_t *level;            /* [rings.n]: level that the ring shows, counted from the
                                   root; owned by `fold` */
    struct weft_tree_run *runs; /* [rings.n]: the subtree's nodes on that level */
    size_t *offset;             /* [rings.n + 1]: kept nodes before the ring; its nodes
                                   begin there in `weights` */
    /*
     * [n_kept + rings.n], ring by ring, with one entry more at the end of each ring: the
     * first of a node's descendants on the next ring; the next entry is their end.
     * weft_tree_hang_on() reads it.
     */
    uint32_t *hangs;
    uint64_t *weights;   /* [n_kept], ring by ring; NULL unless the size is the weight */
    uint64_t n_kept;     /* nodes on kept levels */
    uint64_t n_all;      /* nodes of the subtree */
    int64_t first, last; /* begins of its earliest and latest node */
};

/*
 * Returns the layout of the subtree of node ROOT of TREE by the settings HOW, to be freed
 * with weft_tree_layout_free(). TREE and how->sums must outlive it. NULL with
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled. O(nodes of the subtree).
 */
struct weft_tree_layout *weft_tree_lay_out(const struct weft_tree *tree, uint32_t root,
                                           const struct weft_tree_how *how,
                                           struct weft_job *job,
                                           struct weft_err *err) WEFT_MUST_CHECK;
/* Frees a layout, but not its tree or sums; NULL has no effect. */
void weft_tree_layout_free(struct weft_tree_layout *layout);
/* Returns the bytes of memory that a layout owns. */
size_t weft_tree_layout_bytes(const struct weft_tree_layout *layout);

/*
 * Returns the descendants, on ring RING + 1, of the nodes of RUN, which are on ring RING
 * (from 0, the root's): one run of nodes, empty if there are none or RING is the last. They
 * are not the nodes' children if levels between the two rings have no ring. O(1).
 */
static inline struct weft_tree_run weft_tree_hang_on(const struct weft_tree_layout *layout,
                                                     uint32_t ring,
                                                     struct weft_tree_run run)
{
    const uint32_t *hangs =
        layout->hangs + layout->offset[ring] + ring - layout->runs[ring].begin;
    return (struct weft_tree_run){ hangs[run.begin], hangs[run.end] };
}
/* Returns the descendants, on ring RING + 1, of NODE, which is on ring RING: one run of
   nodes, empty if there are none or RING is the last. O(1). */
static inline struct weft_tree_run weft_tree_hangs(const struct weft_tree_layout *layout,
                                                   uint32_t ring, uint32_t node)
{
    return weft_tree_hang_on(layout, ring, (struct weft_tree_run){ node, node + 1 });
}
/*
 * Returns VISTA's weight of NODE, which is on ring RING: the number of rings from RING
 * outwards, RING included, plus the weights of the node's descendants on the next ring. The
 * layout must have weights (WEFT_TREE_SIZE_WEIGHT). O(1).
 */
static inline uint64_t weft_tree_weight(const struct weft_tree_layout *layout,
                                        uint32_t ring, uint32_t node)
{
    return layout->weights[layout->offset[ring] + (node - layout->runs[ring].begin)];
}
/*
 * Returns the sum of VISTA's weights (weft_tree_weight) of the descendants, on ring RING +
 * 1, of NODE, which is on ring RING. The layout must have weights (WEFT_TREE_SIZE_WEIGHT).
 * O(1).
 */
static inline uint64_t weft_tree_weight_below(const struct weft_tree_layout *layout,
                                              uint32_t ring, uint32_t node)
{
    return weft_tree_weight(layout, ring, node) - (layout->rings.n - ring);
}

/* Returns the size of NODE, which is on ring RING, by layout->how.size: VISTA's weight, the
   nodes of its subtree, or its entry in layout->how.sums. O(1). */
static inline double weft_tree_size(const struct weft_tree_layout *layout, uint32_t ring,
                                    uint32_t node)
{
    return layout->how.size == WEFT_TREE_SIZE_COUNT ? layout->tree->count[node]
           : layout->how.size == WEFT_TREE_SIZE_SUMS
               ? layout->how.sums[node]
               : (double)weft_tree_weight(layout, ring, node);
}
/*
 * Returns the size that fills the sector of PARENT, which is on ring RING - 1; 0 is
 * possible. Each node on ring RING below PARENT has its size (weft_tree_size) divided by
 * this as its share of the sector. HANG is the run of these nodes (weft_tree_hangs).
 * O(nodes of HANG).
 */
double weft_tree_whole(const struct weft_tree_layout *layout, uint32_t ring,
                       uint32_t parent, struct weft_tree_run hang);

/*
 * Sets EDGES[layout->rings.n + 1] to the borders of the rings, from 0, in the middle, to 1:
 * ring i reaches from EDGES[i] to EDGES[i + 1]. VISTA's rings are equally thick, those of
 * the adaptive depth follow weft_tree_depths(). If POINT, the root's ring has no thickness,
 * unless it is the only one.
 */
void weft_tree_edges_of_rings(const struct weft_tree_layout *layout, bool point,
                              double *edges);

/* The part of the circle or width that a node has for itself and its descendants: where it
   begins, and its size, as fractions of the whole, from 0 to 1. */
struct weft_tree_sector {
    double from, size;
};
/*
 * Returns the sector of NODE, which is on ring RING, computed along the path from the
 * layout's root; its size is 0 if an ancestor's descendants have no size. O(levels + rings
 * x children).
 */
struct weft_tree_sector weft_tree_sector_of(const struct weft_tree_layout *layout,
                                            uint32_t ring, uint32_t node);
/*
 * Returns the ring, from 0, that shows the level of *NODE, a node of the layout's subtree.
 * When that level has no ring, *NODE becomes its nearest ancestor on a level with one, and
 * that one's ring is returned. O(levels).
 */
uint32_t weft_tree_ring_of(const struct weft_tree_layout *layout, uint32_t *node);

#endif
