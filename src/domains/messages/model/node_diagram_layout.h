/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Places the nodes of a picture by number, so far apart that circles do not touch.  Pure
 * geometry in a box of WIDTH x HEIGHT pixels, without a trace.
 *
 * A ring or mesh takes any number of nodes.  The layouts of a hypercube have 2^d nodes and
 * show networks that it contains: each line of their skeletons joins nodes whose numbers
 * differ in one bit.
 *
 *   ring, chain      in reflected Gray order
 *   mesh, torus      rows and columns in Gray order; in a torus the ends of a row or column
 *                    are neighbours, too
 *   nested cubes     bits 0 to 2 are a cube, bit 3 the one inside it; further bits are a
 *                    mesh of such pictures
 *   tesseract        the Petrie projection: two octagons, one in the other; further bits as
 *                    above
 *   binary tree      the double-rooted complete binary tree (Bhatt, Ipsen 1985)
 *   butterfly        stages from left to right: a node has two lines to the next stage, one
 *                    in its row and one to the row that differs in one bit
 */
#ifndef WEFT_MODEL_NODE_DIAGRAM_LAYOUT_H
#define WEFT_MODEL_NODE_DIAGRAM_LAYOUT_H

#include "domains/messages/model/topology.h"

/*
 * How weft_place_hypercube places the nodes of a hypercube, and which it joins by lines: a
 * network that the hypercube contains (the top of this file has more on each).
 */
enum weft_layout {
    WEFT_LAYOUT_RING,      /* an ellipse in Gray order, which differs in one bit a step */
    WEFT_LAYOUT_CHAIN,     /* a row in Gray order */
    WEFT_LAYOUT_MESH,      /* rows and columns in Gray order */
    WEFT_LAYOUT_TORUS,     /* a mesh whose rows and columns are closed */
    WEFT_LAYOUT_CUBES,     /* a cube in another; above 4 bits a mesh of such pictures */
    WEFT_LAYOUT_TESSERACT, /* an octagon in another; above 4 bits a mesh of such pictures */
    WEFT_LAYOUT_TREE,      /* double-rooted complete binary tree */
    WEFT_LAYOUT_BUTTERFLY, /* stages from left to right */
    WEFT_LAYOUTS,          /* the number of layouts */
};
/* The names of the layouts of a hypercube, in the order of enum weft_layout. */
#define WEFT_LAYOUT_CHOICES "ring|chain|mesh|torus|cubes|tesseract|tree|butterfly"

/* The middle of a node, in pixels from the top left corner of the box. */
struct weft_spot {
    double x, y;
};

/*
 * The places of N nodes in a box, and the lines of the layout's skeleton, if it has one.
 * Made by weft_place_ring, weft_place_mesh or weft_place_hypercube, freed by
 * weft_placement_free.
 */
struct weft_placement {
    uint32_t n;
    struct weft_spot *spots; /* [n], by number */
    /*
     * Pixels between the middles of the nearest two nodes; with one node the shorter side
     * of the box.
     */
    double spacing;
    uint32_t (*lines)[2]; /* [n_lines]: numbers of the two nodes that a line joins */
    size_t n_lines;       /* 0 for a ring or mesh that is no hypercube's */
};

/*
 * Places N nodes, at least 1, clockwise from the top, in order of their numbers and equally
 * far apart along it, on an ellipse that fills a box of WIDTH x HEIGHT pixels, but is at
 * most twice as long as wide; it is then in the box's middle.  It has no lines.  The caller
 * frees PLACEMENT with weft_placement_free.
 */
void weft_place_ring(uint32_t n, double width, double height,
                     struct weft_placement *placement);
/*
 * Places N nodes, at least 1, in the middles of the cells of GRID, which has at least N and
 * fills a box of WIDTH x HEIGHT pixels.  It has no lines.  The caller frees PLACEMENT with
 * weft_placement_free.
 */
void weft_place_mesh(uint32_t n, const struct weft_grid *grid, double width, double height,
                     struct weft_placement *placement);
/*
 * Places 2^BITS nodes of a hypercube, BITS 0 to 16, in a box of WIDTH x HEIGHT pixels, and
 * lists the lines of LAYOUT, each between two nodes whose numbers differ in one bit, once.
 * The caller frees PLACEMENT with weft_placement_free.
 */
void weft_place_hypercube(enum weft_layout layout, uint32_t bits, double width,
                          double height, struct weft_placement *placement);
/* Frees what PLACEMENT holds and zeroes it, also if it was zeroed before. */
void weft_placement_free(struct weft_placement *placement);

/*
 * Returns the distance between the nearest two of the points SPOTS[n], in pixels, or
 * SPACING if N < 2.  O(n log n) for points that are spread out.
 */
double weft_spacing(const struct weft_spot *spots, uint32_t n, double spacing);

/*
 * Sets SPOTS[n], in pixels, of the nodes that TEXT (not a path) names, and leaves the
 * others.  TEXT has entries "node x y", node a number from 0, x and y from 0 to 1 of WIDTH
 * and HEIGHT, separated by newlines or semicolons; '#' begins a comment, up to the next of
 * these; nodes from N on are ignored.  Fails at the first malformed entry with
 * WEFT_ERR_USAGE and its number, from 1; empty entries and comments count, too; the entries
 * before it are set.
 */
bool weft_place_named(const char *text, uint32_t n, double width, double height,
                      struct weft_spot *spots, struct weft_err *err) WEFT_MUST_CHECK;

#endif
