/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Depth that adapts to a tree: which levels have a ring (or a row), and how thick each is.
 *
 * A ring stands for one level, or for several that follow one another; then it shows the one
 * of them that has most nodes, and the others are folded into it.  Levels are folded where
 * little happens: crowded ones are kept, and those where no node has several children, so that
 * they only lengthen chains, are the first to go.
 *
 * All rings are equally thick, as VISTA's are, unless the nodes are crowded on few of them: then
 * rings grow with their nodes, just so much that those which hold nine tenths of the nodes have
 * more than half of the depth.
 */
#ifndef WEFT_MODEL_TREE_DEPTH_H
#define WEFT_MODEL_TREE_DEPTH_H

#include <stdint.h>

struct weft_tree_level {
    uint32_t nodes;
    enum {
        WEFT_TREE_LEVEL_PLAIN,    /* no node of the level before has several children */
        WEFT_TREE_LEVEL_BRANCHES, /* some node has */
        WEFT_TREE_LEVEL_OPENED,   /* somebody wants to see it */
    } kind;
};

struct weft_tree_folding {
    uint32_t n;      /* rings */
    uint32_t *level; /* [n]: the level that a ring shows; level 0 has the first by itself */
    uint32_t *from;  /* [n + 1]: the first of the levels that it stands for */
    uint64_t
        *nodes; /* [n]: on these levels; opened ones count as if they had as many together
 as all levels have */
};

/*
 * Fold LEVELS levels, of which each has a node at least, into so many rings that
 * weft_tree_depths makes none of them thinner than a part 1 / MOST of the depth (unless MOST is
 * below 4).  Nothing is folded where all levels fit.  O(levels); free with
 * weft_tree_folding_free.
 */
struct weft_tree_folding weft_tree_fold(const struct weft_tree_level *levels,
                                        uint32_t n_levels, uint32_t most);
void weft_tree_folding_free(struct weft_tree_folding *folding);

/*
 * Where N rings with so many NODES begin and end, from 0 to 1: ring i from edges[i] to
 * edges[i + 1].  Any rings that hold nine tenths of the nodes have half of it together.
 */
void weft_tree_depths(const uint64_t *nodes, uint32_t n, double *edges);

#endif
