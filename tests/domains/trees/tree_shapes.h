/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of all shapes that a picture has to cope with, as parents: parents[0] is WEFT_NONE. */
#ifndef WEFT_TESTS_TREE_SHAPES_H
#define WEFT_TESTS_TREE_SHAPES_H

#include "domains/trees/model/tree.h"

enum tree_shape {
    TREE_CHAIN,
    TREE_COMB,      /* a chain, each of its nodes with a leaf */
    TREE_STAR,      /* one family */
    TREE_RANDOM,    /* any earlier node is the parent: some levels */
    TREE_DEEP,      /* one of the last few is: very many levels */
    TREE_BINARY,    /* complete */
    TREE_BROOM,     /* a chain with a star at its end, half of the nodes each */
    TREE_TWO_RINGS, /* nearly all on levels 1 and 2, a thousandth in chains below */
    TREE_SIEVE,     /* a chain from each of whose nodes a chain hangs, later ones shorter */
    TREE_SPIRAL,    /* a chain from each of whose nodes a chain hangs, later ones longer */
    TREE_SHAPES,
};
extern const char *const tree_shape_names[TREE_SHAPES];

/* Fills parents[n]; parents stand before their children. */
void tree_shape_parents(enum tree_shape shape, uint32_t *parents, uint32_t n);
/* A tree of these, all of one procedure, that are made one after another. */
struct weft_tree *tree_of_parents(const uint32_t *parents, uint32_t n);
struct weft_tree *tree_of_shape(enum tree_shape shape, uint32_t n);

#endif
