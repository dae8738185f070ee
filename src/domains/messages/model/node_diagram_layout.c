/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/node_diagram_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"

static const double turn = 6.283185307179586;

static void begin(struct weft_placement *placement, uint32_t n)
{
    *placement = (struct weft_placement){ .n = n };
    placement->spots = weft_zalloc(n, sizeof *placement->spots);
}

void weft_placement_free(struct weft_placement *placement)
{
    free(placement->spots);
    free(placement->lines);
    *placement = (struct weft_placement){ 0 };
}

static int by_x(const void *a, const void *b)
{
    const struct weft_spot *p = a, *q = b;
    return WEFT_COMPARE(p->x, q->x);
}

double weft_spacing(const struct weft_spot *spots, uint32_t n, double spacing)
{
    if (n < 2)
        return spacing;
    struct weft_spot *sorted = weft_alloc(n * sizeof *sorted);
    memcpy(sorted, spots, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_x);
    double least = INFINITY;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = i + 1; k < n && sorted[k].x - sorted[i].x < least; k++)
            least =
                fmin(least, hypot(sorted[k].x - sorted[i].x, sorted[k].y - sorted[i].y));
    free(sorted);
    return least;
}

/*
 * Places points on an ellipse at equal distances along it.  The angles come from a polygon
 * with so many corners that its sides differ from the arcs by less than a pixel.
 */
static void on_ellipse(struct weft_spot *spots, uint32_t n, double width, double height)
{
    enum { CORNERS = 2048 };
    double along[CORNERS + 1], a = width / 2, b = height / 2;
    along[0] = 0;
    for (int i = 0; i < CORNERS; i++) {
        double from = turn * i / CORNERS, to = turn * (i + 1) / CORNERS;
        along[i + 1] =
            along[i] + hypot(a * (sin(to) - sin(from)), b * (cos(to) - cos(from)));
    }
    int at = 0;
    for (uint32_t k = 0; k < n; k++) {
        double wanted = along[CORNERS] * k / n;
        while (at + 1 < CORNERS && along[at + 1] < wanted)
            at++;
        double side = along[at + 1] - along[at];
        double part = side > 0 ? (wanted - along[at]) / side : 0;
        double angle = turn * (at + part) / CORNERS;
        spots[k] = (struct weft_spot){ a + a * sin(angle), b - b * cos(angle) };
    }
}

/*
 * The ring is a circle where that leaves room between nodes, else an ellipse, at most twice
 * as wide as high, or as high as wide: in a flatter one nodes crowd at the ends.
 */
static void place_on_ring(struct weft_spot *spots, uint32_t n, double width, double height)
{
    enum { ROOMY = 30 }; /* pixels between two nodes */
    double w = fmin(width, 2 * height), h = fmin(height, 2 * width), side = fmin(w, h);
    if (n < 2 || side * sin(turn / 2 / n) >= ROOMY)
        w = h = side;
    on_ellipse(spots, n, w, h);
    for (uint32_t i = 0; i < n; i++) {
        spots[i].x += (width - w) / 2;
        spots[i].y += (height - h) / 2;
    }
}

void weft_place_ring(uint32_t n, double width, double height,
                     struct weft_placement *placement)
{
    begin(placement, n);
    place_on_ring(placement->spots, n, width, height);
    placement->spacing = weft_spacing(placement->spots, n, fmin(width, height));
}

void weft_place_mesh(uint32_t n, const struct weft_grid *grid, double width, double height,
                     struct weft_placement *placement)
{
    begin(placement, n);
    for (uint32_t i = 0; i < n; i++) {
        struct weft_place_on_grid place = weft_grid_place(grid, i);
        placement->spots[i] =
            (struct weft_spot){ width * (place.column + 0.5) / grid->columns,
                                height * (place.row + 0.5) / grid->rows };
    }
    placement->spacing = weft_spacing(placement->spots, n, fmin(width, height));
}

/* ---- Hypercubes ---- */

static void add_line(struct weft_placement *p, uint32_t a, uint32_t b)
{
    p->lines[p->n_lines][0] = a;
    p->lines[p->n_lines++][1] = b;
}

/* Joins a chain, or if CLOSED a ring, in Gray order. */
static void join_gray(struct weft_placement *p, bool closed)
{
    for (uint32_t i = 0; i + 1 < p->n; i++)
        add_line(p, weft_gray(i), weft_gray(i + 1));
    if (closed && p->n > 2)
        add_line(p, weft_gray(p->n - 1), weft_gray(0));
}

static void place_ring(struct weft_placement *p, double width, double height)
{
    struct weft_spot *ring = weft_alloc(p->n * sizeof *ring);
    place_on_ring(ring, p->n, width, height);
    for (uint32_t i = 0; i < p->n; i++)
        p->spots[weft_gray(i)] = ring[i];
    free(ring);
    join_gray(p, true);
}

static void place_chain(struct weft_placement *p, double width, double height)
{
    for (uint32_t i = 0; i < p->n; i++)
        p->spots[weft_gray(i)] = (struct weft_spot){ width * (i + 0.5) / p->n, height / 2 };
    join_gray(p, false);
}

/* Returns how many of BITS number the columns of a mesh: half, rounded up in a wide box. */
static uint32_t column_bits(uint32_t bits, double width, double height)
{
    return width >= height ? bits - bits / 2 : bits / 2;
}

static void place_mesh(struct weft_placement *p, uint32_t bits, double width, double height,
                       bool closed)
{
    uint32_t across = column_bits(bits, width, height), down = bits - across;
    uint32_t columns = UINT32_C(1) << across, rows = UINT32_C(1) << down;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t column = 0; column < columns; column++) {
            uint32_t node = weft_gray(row) << across | weft_gray(column);
            p->spots[node] = (struct weft_spot){ width * (column + 0.5) / columns,
                                                 height * (row + 0.5) / rows };
            if (column + 1 < columns || (closed && columns > 2))
                add_line(p, node,
                         (node & ~(columns - 1)) | weft_gray((column + 1) % columns));
            if (row + 1 < rows || (closed && rows > 2))
                add_line(p, node,
                         weft_gray((row + 1) % rows) << across | (node & (columns - 1)));
        }
}

/*
 * Places four bits in a square of side 1.  The slant of the cube and the size of the inner
 * one keep the nearest two of sixteen nodes as far apart as possible (0.154 sides).
 */
static struct weft_spot in_cubes(uint32_t number, uint32_t bits)
{
    const double slant_x = 0.55, slant_y = 0.1, inner = 0.525;
    double x = number & 1, y = number >> 1 & 1, z = bits > 2 ? number >> 2 & 1 : 0.5;
    double px = (x + slant_x * (1 - z)) / (1 + slant_x) - 0.5;
    double py = (y + slant_y * (1 - z)) / (1 + slant_y) - 0.5;
    double scale = number >> 3 & 1 ? inner : 1;
    return (struct weft_spot){ 0.5 + scale * px, 0.5 + scale * py };
}

/* The bits are steps in directions an eighth of a turn apart. */
static struct weft_spot in_tesseract(uint32_t number, uint32_t bits)
{
    /* Half the sum of four such steps along their middle: cos(pi/8) + cos(3 pi/8). */
    const double reach = 1.3065629648763766;
    double x = 0, y = 0;
    for (uint32_t bit = 0; bit < bits; bit++) {
        double angle = turn * (1 + 2 * bit) / 16, step = (number >> bit & 1) - 0.5;
        x += step * cos(angle);
        y -= step * sin(angle);
    }
    return (struct weft_spot){ 0.5 + x / (2 * reach), 0.5 + y / (2 * reach) };
}

static void place_cubes(struct weft_placement *p, uint32_t bits, double width,
                        double height, bool tesseract)
{
    uint32_t low = bits < 4 ? bits : 4, high = bits - low;
    uint32_t across = column_bits(high, width, height);
    uint32_t columns = UINT32_C(1) << across, rows = UINT32_C(1) << (high - across);
    double cell_width = width / columns, cell_height = height / rows;
    /* Several pictures have room between them. */
    double fill = high ? 0.8 : 1;
    double side = fmin(cell_width, cell_height) * fill;
    double wide = fmin(cell_width * fill, 1.5 * side),
           tall = fmin(cell_height * fill, 1.5 * side);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t cell = i >> low, in_cell = i & ((UINT32_C(1) << low) - 1);
        uint32_t column = weft_gray_place(cell & (columns - 1));
        uint32_t row = weft_gray_place(cell >> across);
        struct weft_spot spot =
            tesseract ? in_tesseract(in_cell, low) : in_cubes(in_cell, low);
        p->spots[i] =
            (struct weft_spot){ cell_width * (column + 0.5) + wide * (spot.x - 0.5),
                                cell_height * (row + 0.5) + tall * (spot.y - 0.5) };
        for (uint32_t bit = 0; bit < low; bit++)
            if (!(i >> bit & 1))
                add_line(p, i, i | UINT32_C(1) << bit);
    }
}

/*
 * The double-rooted tree of 2^BITS nodes: HALF[h][0] is a root, HALF[h][1 ...] the complete
 * binary tree below it, with the children of k at 2 k and 2 k + 1.
 *
 * The tree of one bit more is made from two copies.  Let x, r, s, y be the path through the
 * first: two roots r and s between the tops x and y below them.  The second copy lies in
 * the other half of the cube, turned so that its x', r', s' are neighbours of r, s, y.  The
 * new roots are s and r'.  Below s stands r, with the trees of x and x'; below r' stands
 * s', with the trees of y and y'.
 */
struct double_root {
    uint32_t *half[2];
    uint32_t bits;
};

/* An automorphism of the cube: permutes the bits of v ^ FROM, then flips those of TO. */
struct cube_turn {
    uint32_t from, to;
    uint32_t bit[32]; /* new position of each bit */
};

static uint32_t turned(const struct cube_turn *t, uint32_t v)
{
    uint32_t out = t->to;
    for (uint32_t rest = v ^ t->from; rest; rest &= rest - 1)
        out ^= UINT32_C(1) << t->bit[__builtin_ctz(rest)];
    return out;
}

static struct cube_turn turn_of_copy(const struct double_root *tree)
{
    uint32_t x = tree->half[0][1], r = tree->half[0][0];
    uint32_t s = tree->half[1][0], y = tree->half[1][1];
    struct cube_turn t = { .from = r, .to = s };
    for (uint32_t bit = 0; bit < 32; bit++)
        t.bit[bit] = bit;
    uint32_t xr = (uint32_t)__builtin_ctz(x ^ r), rs = (uint32_t)__builtin_ctz(r ^ s);
    uint32_t sy = (uint32_t)__builtin_ctz(s ^ y);
    t.bit[xr] = rs;
    t.bit[sy] = xr; /* corrected below if xr and sy are the same bit */
    t.bit[rs] = sy;
    if (sy == xr)
        t.bit[xr] = rs;
    return t;
}

/* Makes a tree below TOP from two trees of LEVELS levels; index 0 of OUT is left alone. */
static void join_trees(uint32_t *out, uint32_t top, const uint32_t *left,
                       const uint32_t *right, uint32_t levels)
{
    out[1] = top;
    for (uint32_t level = 0; level < levels; level++)
        for (uint32_t k = UINT32_C(1) << level; k < UINT32_C(2) << level; k++) {
            out[k + (UINT32_C(1) << level)] = left[k];
            out[k + (UINT32_C(2) << level)] = right[k];
        }
}

static void grow_double_root(struct double_root *tree)
{
    struct cube_turn t = turn_of_copy(tree);
    uint32_t n = UINT32_C(1) << (tree->bits - 1), other = 2 * n;
    uint32_t *old[2], *copy[2];
    for (int h = 0; h < 2; h++) {
        old[h] = weft_alloc(2 * n * sizeof *old[h]);
        copy[h] = old[h] + n;
        memcpy(old[h], tree->half[h], n * sizeof *old[h]);
        for (uint32_t k = 0; k < n; k++)
            copy[h][k] = turned(&t, old[h][k]) | other;
    }
    tree->half[0][0] = old[1][0];
    tree->half[1][0] = copy[0][0];
    join_trees(tree->half[0], old[0][0], old[0], copy[0], tree->bits - 1);
    join_trees(tree->half[1], copy[1][0], old[1], copy[1], tree->bits - 1);
    tree->bits++;
    free(old[0]);
    free(old[1]);
}

/* Places both halves side by side, each with its root above the top of its tree. */
static void place_tree(struct weft_placement *p, uint32_t bits, double width, double height)
{
    if (bits == 0) {
        p->spots[0] = (struct weft_spot){ width / 2, height / 2 };
        return;
    }
    uint32_t n = p->n / 2;
    uint32_t *nodes = weft_zalloc(2 * (size_t)n, sizeof *nodes);
    struct double_root tree = { { nodes, nodes + n }, bits < 2 ? bits : 2 };
    tree.half[1][0] = 1;
    if (bits > 1) {
        tree.half[0][1] = 2;
        tree.half[1][1] = 3;
    }
    while (tree.bits < bits)
        grow_double_root(&tree);
    for (uint32_t h = 0; h < 2; h++)
        for (uint32_t k = 0; k < n; k++) {
            /* 1 for k = 1, 2 for 2 and 3, 3 for 4 to 7 */
            uint32_t level = k ? weft_bits_for(k + 1) : 0;
            uint32_t of_level = k ? UINT32_C(1) << (level - 1) : 1;
            double part = (k % of_level + 0.5) / of_level;
            p->spots[tree.half[h][k]] =
                (struct weft_spot){ width * (h + part) / 2, height * (level + 0.5) / bits };
            if (k)
                add_line(p, tree.half[h][k == 1 ? 0 : k / 2], tree.half[h][k]);
        }
    add_line(p, tree.half[0][0], tree.half[1][0]);
    free(nodes);
}

/*
 * A butterfly has 2^STAGES stages of 2^ROWS rows.  The number of a node is C << ROWS | row,
 * where C is the Gray code of its stage, xor a change for each set bit of its row: the bit
 * that the Gray code flips behind the stage whose lines cross in that bit of the row.  Then
 * a line that stays in its row changes one bit of C, and a line that crosses only the bit
 * of the row.  (Greenberg, Heath, Rosenberg 1990 have the proof for full butterflies.)
 */
static uint32_t gray_change(uint32_t stage)
{
    return weft_gray(stage) ^ weft_gray(stage + 1);
}

/* Returns the bit of the row in which the lines behind a stage cross. */
static uint32_t crossing(uint32_t stage, uint32_t rows)
{
    if (stage < rows)
        return stage;
    uint32_t same = 0; /* 2^(STAGES - 1) <= ROWS, so each change occurs in the first ROWS */
    while (gray_change(same) != gray_change(stage))
        same++;
    return same;
}

static uint32_t butterfly_node(uint32_t stage, uint32_t row, uint32_t rows,
                               uint32_t n_stages)
{
    uint32_t code = weft_gray(stage);
    for (uint32_t bit = 0; bit < rows && bit + 1 < n_stages; bit++)
        if (row >> bit & 1)
            code ^= gray_change(bit);
    return code << rows | row;
}

static void place_butterfly(struct weft_placement *p, uint32_t bits, double width,
                            double height)
{
    uint32_t stages = 0; /* as many as the rows have bits for */
    while (stages < bits && UINT32_C(1) << stages <= bits - stages - 1)
        stages++;
    uint32_t rows = bits - stages, n_stages = UINT32_C(1) << stages;
    uint32_t n_rows = UINT32_C(1) << rows;
    for (uint32_t stage = 0; stage < n_stages; stage++)
        for (uint32_t row = 0; row < n_rows; row++) {
            uint32_t node = butterfly_node(stage, row, rows, n_stages);
            p->spots[node] = (struct weft_spot){ width * (stage + 0.5) / n_stages,
                                                 height * (row + 0.5) / n_rows };
            if (stage + 1 == n_stages)
                continue;
            uint32_t across = row ^ UINT32_C(1) << crossing(stage, rows);
            add_line(p, node, butterfly_node(stage + 1, row, rows, n_stages));
            add_line(p, node, butterfly_node(stage + 1, across, rows, n_stages));
        }
}

void weft_place_hypercube(enum weft_layout layout, uint32_t bits, double width,
                          double height, struct weft_placement *placement)
{
    begin(placement, UINT32_C(1) << bits);
    /* No node of any skeleton begins more lines than this. */
    size_t most = (size_t)placement->n * (bits < 4 ? 4 : bits);
    placement->lines = weft_alloc(most * sizeof *placement->lines);
    switch (layout) {
    case WEFT_LAYOUT_RING: place_ring(placement, width, height); break;
    case WEFT_LAYOUT_CHAIN: place_chain(placement, width, height); break;
    case WEFT_LAYOUT_MESH: place_mesh(placement, bits, width, height, false); break;
    case WEFT_LAYOUT_TORUS: place_mesh(placement, bits, width, height, true); break;
    case WEFT_LAYOUT_CUBES: place_cubes(placement, bits, width, height, false); break;
    case WEFT_LAYOUT_TESSERACT: place_cubes(placement, bits, width, height, true); break;
    case WEFT_LAYOUT_TREE: place_tree(placement, bits, width, height); break;
    case WEFT_LAYOUT_BUTTERFLY: place_butterfly(placement, bits, width, height); break;
    case WEFT_LAYOUTS: break;
    }
    placement->spacing = weft_spacing(placement->spots, placement->n, fmin(width, height));
}
