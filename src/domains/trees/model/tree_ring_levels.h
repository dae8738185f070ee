/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adapts the depth of a picture to a tree: chooses the levels that have a ring (or a row),
 * and how thick each ring is.
 *
 * A ring stands for one level or several consecutive ones. It shows the level with most
 * nodes; the other levels are folded into it. Crowded levels keep their rings. Levels that
 * only lengthen chains (no node has siblings) are folded first.
 *
 * All rings are equally thick, as in VISTA, unless few rings hold most of the nodes: then
 * rings grow with their nodes until any rings that hold nine tenths of the nodes have at
 * least 0.6 of the depth.
 */
#ifndef WEFT_MODEL_TREE_RING_LEVELS_H
#define WEFT_MODEL_TREE_RING_LEVELS_H

#include <stdint.h>

/* A level of a tree, as weft_tree_fold() takes it: its number of nodes, and its kind. */
struct weft_tree_level {
    uint32_t nodes; /* how many there are */
    enum {
        WEFT_TREE_LEVEL_PLAIN,    /* each node is the only child of its parent */
        WEFT_TREE_LEVEL_BRANCHES, /* some node has a sibling */
        WEFT_TREE_LEVEL_OPENED,   /* the user opened it: it is folded last */
    } kind;
};

/* The levels of a tree folded into the rings of a picture: each ring stands for consecutive
   levels and shows one of them. weft_tree_folding_free() frees its arrays. */
struct weft_tree_folding {
    uint32_t n;      /* number of rings */
    uint32_t *level; /* [n]: the level that a ring shows; ring 0 shows level 0 */
    uint32_t *from;  /* [n + 1]: the first level that is folded into a ring; the last entry
                        is the number of levels */
    uint64_t
        *nodes; /* [n]: nodes of the levels folded into a ring; the opened levels share a
                   bonus as large as all nodes */
};

/*
 * Folds N_LEVELS levels (at least 1), each with a node at least, into at most MOST rings
 * (0 counts as 1) so that weft_tree_depths() makes no ring thinner than 1 / MOST of the
 * depth (unless MOST is below 4). A ring shows the first of its levels with most nodes.
 * Crowded levels keep rings of their own, chains are folded first. Nothing is folded if the
 * levels, a ring each, are all that thick, as they are if MOST >= 3 N_LEVELS. O(levels) for
 * each number of rings that is tried. weft_tree_folding_free() frees the result's arrays.
 */
struct weft_tree_folding weft_tree_fold(const struct weft_tree_level *levels,
                                        uint32_t n_levels, uint32_t most);
/* Frees the arrays of FOLDING, but not FOLDING itself. */
void weft_tree_folding_free(struct weft_tree_folding *folding);

/*
 * Divides the depth of a picture, the way from the root to the last ring, among N rings:
 * sets EDGES[N + 1] to numbers from 0 to 1, and ring i reaches from EDGES[i] to EDGES[i +
 * 1]. NODES[N] are the numbers of nodes of the rings, not all 0. Any rings that hold nine
 * tenths of the nodes get at least 0.6 of the depth; if equally thick rings do that, all
 * are equally thick.
 */
void weft_tree_depths(const uint64_t *nodes, uint32_t n, double *edges);

#endif
