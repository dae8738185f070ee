/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the nodes of a picture stand: places by number, so far apart that circles do not
 * touch.  Pure geometry in a box of WIDTH x HEIGHT pixels, without a trace.
 *
 * Any number of nodes stands in a ring or a mesh.  The layouts of a hypercube have 2^d nodes, and
 * show networks that it contains: all lines of their skeletons join nodes whose numbers differ in
 * one bit.
 *
 *   ring, chain      in reflected Gray order
 *   mesh, torus      rows and columns in Gray order; the torus is closed, so that the ends
 *                    of a row are neighbours, too
 *   nested cubes     bits 0 to 2 are a cube, bit 3 the one inside it; further bits are a mesh of
 *                    such pictures
 *   tesseract        the Petrie projection: two octagons, one in the other; further bits as above
 *   binary tree      the double-rooted complete binary tree (Bhatt, Ipsen 1985)
 *   butterfly        stages from left to right: of the lines between a node and the next stage,
 *                    one stays in its row and one goes to the row that differs in one bit
 */
#ifndef WEFT_MODEL_PLACEMENT_H
#define WEFT_MODEL_PLACEMENT_H

#include "domains/messages/model/topology.h"

enum weft_layout {
    WEFT_LAYOUT_RING,
    WEFT_LAYOUT_CHAIN,
    WEFT_LAYOUT_MESH,
    WEFT_LAYOUT_TORUS,
    WEFT_LAYOUT_CUBES,
    WEFT_LAYOUT_TESSERACT,
    WEFT_LAYOUT_TREE,
    WEFT_LAYOUT_BUTTERFLY,
    WEFT_LAYOUTS,
};
/* The names of the layouts of a hypercube, in the order above. */
#define WEFT_LAYOUT_CHOICES "ring|chain|mesh|torus|cubes|tesseract|tree|butterfly"

struct weft_spot {
    double x, y; /* the middle of a node, pixels from the corner of the box */
};

struct weft_placement {
    uint32_t n;
    struct weft_spot *spots; /* [n], by number */
    double spacing;          /* pixels between the nearest two; of one node the box' side */
    uint32_t (*lines)[2];    /* [n_lines]: the skeleton, by numbers */
    size_t n_lines;
};

/* N nodes, at least 1, on the largest ellipse of the box, from the top clockwise. */
void weft_place_ring(uint32_t n, double width, double height,
                     struct weft_placement *placement);
/* N nodes in the middles of a grid's cells. */
void weft_place_mesh(uint32_t n, const struct weft_grid *grid, double width, double height,
                     struct weft_placement *placement);
/* 2^BITS nodes, BITS up to 16. */
void weft_place_hypercube(enum weft_layout layout, uint32_t bits, double width,
                          double height, struct weft_placement *placement);
void weft_placement_free(struct weft_placement *placement);

/*
 * How far apart the nearest two of some points are; O(n) for points that are spread, SPACING
 * if there are less than two.
 */
double weft_spacing(const struct weft_spot *spots, uint32_t n, double spacing);

/*
 * What a file of places says: lines "node x y", x and y from 0 to 1 of the box' width and
 * height, separated by ends of lines or semicolons; '#' begins a comment.  Nodes that it does not
 * name stay where SPOTS has them, nodes that there are not are passed over.  Error:
 * WEFT_ERR_USAGE, with the line.
 */
bool weft_place_named(const char *text, uint32_t n, double width, double height,
                      struct weft_spot *spots, struct weft_err *err) WEFT_MUST_CHECK;

#endif
