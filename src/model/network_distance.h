/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far messages travel: the number of hops between two processors of a network topology
 * that the user chooses (Heath, Finger: ParaGraph, 2003, section 6, "Distance Function").
 * It need not be the real one.  Processors are numbered 0 to n - 1.
 *
 * Meshes and tori of two dimensions have rows x columns places.  Processors fill them row
 * by row, or column by column; the last places may stay empty; messages still pass through
 * them.  In trees each node is a processor: 0 is the root, and the children of q are 2 q +
 * 1 and 2 q + 2 (binary), or 4 q + 1 to 4 q + 4 (quadtree).
 */
#ifndef WEFT_MODEL_NETWORK_DISTANCE_H
#define WEFT_MODEL_NETWORK_DISTANCE_H

#include "base/err.h"

/* The kinds of topologies, in which processors are numbered 0 to n - 1. */
enum weft_distance_kind {
    WEFT_DISTANCE_UNIT,        /* fully connected: 1 between any two */
    WEFT_DISTANCE_HAMMING,     /* bits in which the numbers differ: a hypercube */
    WEFT_DISTANCE_MESH_1D,     /* a line, in order of numbers */
    WEFT_DISTANCE_TORUS_1D,    /* a ring */
    WEFT_DISTANCE_MESH_2D,     /* hops along rows and columns of a grid */
    WEFT_DISTANCE_TORUS_2D,    /* a mesh whose rows and columns are rings */
    WEFT_DISTANCE_BINARY_TREE, /* the children of q are 2 q + 1 and 2 q + 2 */
    WEFT_DISTANCE_QUADTREE,    /* the children of q are 4 q + 1 to 4 q + 4 */
    WEFT_DISTANCE_KINDS,       /* number of kinds */
};

/* Names of the kinds in settings, in their order, as weft_parameter.choices (view.h). */
#define WEFT_DISTANCE_CHOICES                                                              \
 "unit|hamming|mesh-1d|torus-1d|mesh-2d|torus-2d|binary-tree|quadtree"

/* The rows and columns of a two-dimensional mesh or torus on which processors are. */
struct weft_grid {
    uint32_t rows, columns;
    bool by_column; /* numbered down the columns, not along the rows */
};
/* The place of a processor on a grid. */
struct weft_place_on_grid {
    uint32_t row, column; /* from 0 */
};

/*
 * Sets *GRID for N processors, numbered as BY_COLUMN says, by ASPECT: "ROWSxCOLUMNS", which
 * must have room for all; "ROWS:COLUMNS", the smallest grid of about that shape with room
 * for all; or "auto", as square as N allows (if no exact factorization is at most twice as
 * wide as high, places stay empty).  ROWS and COLUMNS are 1 to 1000000.  Fails with
 * WEFT_ERR_USAGE for another text or too few places; *GRID is then as for "auto".
 */
bool weft_grid_parse(uint32_t n, const char *aspect, bool by_column, struct weft_grid *grid,
                     struct weft_err *err) WEFT_MUST_CHECK;
/* Returns the place of a processor, numbered from 0 and below rows * columns. */
struct weft_place_on_grid weft_grid_place(const struct weft_grid *grid, uint32_t processor);

/* How distances are counted; the caller sets it. */
struct weft_distance {
    enum weft_distance_kind kind;
    uint32_t n;            /* processors */
    struct weft_grid grid; /* of meshes and tori of two dimensions; else not read */
};

/*
 * Returns the kind with a name in WEFT_DISTANCE_CHOICES; WEFT_DISTANCE_KINDS if there is
 * none.
 */
enum weft_distance_kind weft_distance_find(const char *name);
/* Returns the hops from processor A to B, both below n; 0 if A is B.  In trees O(log n). */
uint32_t weft_distance_of(const struct weft_distance *distance, uint32_t a, uint32_t b);
/*
 * Returns an upper bound of weft_distance_of() over all pairs of processors; tight, or a
 * little above.
 */
uint32_t weft_distance_most(const struct weft_distance *distance);

#endif
