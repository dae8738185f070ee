/* SPDX-License-Identifier: Apache-2.0 */
/* Where nodes stand: apart, inside their box, and in the hypercubes beside what they join. */
#include <math.h>

#include "domains/messages/model/node_diagram_layout.h"
#include "tests/test.h"

static const double boxes[][2] = { { 300, 150 }, { 880, 420 }, { 1260, 650 },
                                   { 200, 600 }, { 100, 100 }, { 2000, 40 } };
enum { BOXES = sizeof boxes / sizeof *boxes };

/* All in the box, and the nearest two as far apart as is said, looking at all pairs. */
static void check(const struct weft_placement *p, const double box[2])
{
    double least = INFINITY;
    for (uint32_t i = 0; i < p->n; i++) {
        assert_true(p->spots[i].x >= -1e-6 && p->spots[i].x <= box[0] + 1e-6);
        assert_true(p->spots[i].y >= -1e-6 && p->spots[i].y <= box[1] + 1e-6);
        for (uint32_t k = 0; k < i; k++)
            least = fmin(
                least, hypot(p->spots[i].x - p->spots[k].x, p->spots[i].y - p->spots[k].y));
    }
    if (p->n > 1)
        assert_true(fabs(least - p->spacing) < 1e-6);
    assert_true(p->spacing > 0);
}

static void rings_are_even(void **state)
{
    (void)state;
    for (int b = 0; b < BOXES; b++)
        for (uint32_t n = 1; n <= 600; n += 1 + n / 5) {
            struct weft_placement p;
            weft_place_ring(n, boxes[b][0], boxes[b][1], &p);
            check(&p, boxes[b]);
            /* Neighbours are nearest, and none is much nearer than another. */
            double most = 0;
            for (uint32_t i = 0; i < n; i++)
                most = fmax(most, hypot(p.spots[i].x - p.spots[(i + 1) % n].x,
                                        p.spots[i].y - p.spots[(i + 1) % n].y));
            if (n > 8)
                assert_true(p.spacing > 0.7 * most);
            weft_placement_free(&p);
        }
}

static void meshes_fill_their_cells(void **state)
{
    (void)state;
    struct weft_err err;
    for (int b = 0; b < BOXES; b++)
        for (uint32_t n = 1; n <= 600; n += 1 + n / 5) {
            struct weft_grid grid;
            struct weft_placement p;
            assert_true(weft_grid_parse(n, "auto", n % 2, &grid, &err));
            weft_place_mesh(n, &grid, boxes[b][0], boxes[b][1], &p);
            check(&p, boxes[b]);
            double cell = fmin(grid.columns > 1 ? boxes[b][0] / grid.columns : INFINITY,
                               grid.rows > 1 ? boxes[b][1] / grid.rows : INFINITY);
            if (n > grid.columns && n > grid.rows)
                assert_true(fabs(p.spacing - cell) < 1e-6);
            weft_placement_free(&p);
        }
}

/* The part of the box' shorter side that must be between two of 2^bits nodes, times n. */
static void no_two_nodes_of_a_hypercube_touch(void **state)
{
    (void)state;
    for (int b = 0; b < BOXES; b++)
        for (unsigned layout = 0; layout < WEFT_LAYOUTS; layout++)
            for (uint32_t bits = 0; bits <= 10; bits++) {
                struct weft_placement p;
                weft_place_hypercube(layout, bits, boxes[b][0], boxes[b][1], &p);
                assert_int_equal(p.n, 1u << bits);
                check(&p, boxes[b]);
                double side = fmin(boxes[b][0], boxes[b][1]);
                assert_true(p.spacing > 0.12 * side / p.n);
                weft_placement_free(&p);
            }
}

static void skeletons_are_links_of_the_hypercube(void **state)
{
    (void)state;
    for (unsigned layout = 0; layout < WEFT_LAYOUTS; layout++)
        for (uint32_t bits = 0; bits <= 11; bits++) {
            struct weft_placement p;
            weft_place_hypercube(layout, bits, 900, 500, &p);
            for (size_t i = 0; i < p.n_lines; i++) {
                uint32_t differ = p.lines[i][0] ^ p.lines[i][1];
                assert_true(p.lines[i][0] < p.n && p.lines[i][1] < p.n);
                assert_int_equal(__builtin_popcount(differ), 1);
            }
            weft_placement_free(&p);
        }
}

/* What networks have lines, at 2^bits nodes. */
static void skeletons_have_all_their_lines(void **state)
{
    (void)state;
    for (uint32_t bits = 2; bits <= 10; bits++) {
        uint32_t n = 1u << bits, wide = 1u << (bits - bits / 2), tall = 1u << bits / 2;
        size_t torus = (wide > 2 ? n : n / 2) + (tall > 2 ? n : n / 2);
        size_t mesh = (size_t)(wide - 1) * tall + (size_t)(tall - 1) * wide;
        const struct {
            enum weft_layout layout;
            size_t lines;
        } expected[] = {
            { WEFT_LAYOUT_RING, n },
            { WEFT_LAYOUT_CHAIN, n - 1 },
            { WEFT_LAYOUT_MESH, mesh },
            { WEFT_LAYOUT_TORUS, torus },
            { WEFT_LAYOUT_CUBES, (size_t)n * (bits < 4 ? bits : 4) / 2 },
            { WEFT_LAYOUT_TESSERACT, (size_t)n * (bits < 4 ? bits : 4) / 2 },
            { WEFT_LAYOUT_TREE, n - 1 },
        };
        for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
            struct weft_placement p;
            weft_place_hypercube(expected[i].layout, bits, 900, 500, &p);
            assert_int_equal(p.n_lines, expected[i].lines);
            weft_placement_free(&p);
        }
    }
}

/* Two roots, and below each a complete binary tree: one child of a root, two of the others. */
static void the_tree_has_two_roots(void **state)
{
    (void)state;
    for (uint32_t bits = 2; bits <= 12; bits++) {
        struct weft_placement p;
        weft_place_hypercube(WEFT_LAYOUT_TREE, bits, 4000, 1000, &p);
        uint32_t *children = calloc(p.n, sizeof *children), leaves = 0, single = 0;
        uint32_t *parents = calloc(p.n, sizeof *parents);
        for (size_t i = 0; i + 1 < p.n_lines; i++) {
            children[p.lines[i][0]]++;
            parents[p.lines[i][1]]++;
            assert_true(p.spots[p.lines[i][0]].y < p.spots[p.lines[i][1]].y);
        }
        /* The last line joins the roots. */
        for (uint32_t i = 0; i < p.n; i++) {
            bool root = i == p.lines[p.n_lines - 1][0] || i == p.lines[p.n_lines - 1][1];
            assert_int_equal(parents[i], !root);
            assert_true(children[i] <= 2);
            single += children[i] == 1;
            leaves += children[i] == 0;
            if (root)
                assert_int_equal(children[i], 1);
        }
        assert_int_equal(single, 2);
        assert_int_equal(leaves, p.n / 2);
        free(children);
        free(parents);
        weft_placement_free(&p);
    }
}

/* Of 32 nodes four stages of eight: the butterfly of three bits, whole. */
static void a_butterfly_of_32(void **state)
{
    (void)state;
    struct weft_placement p;
    weft_place_hypercube(WEFT_LAYOUT_BUTTERFLY, 5, 400, 800, &p);
    assert_int_equal(p.n_lines, 3 * 8 * 2);
    for (size_t i = 0; i < p.n_lines; i++) {
        struct weft_spot a = p.spots[p.lines[i][0]], b = p.spots[p.lines[i][1]];
        uint32_t stage = (uint32_t)(a.x / 100), from = (uint32_t)(a.y / 100);
        uint32_t to = (uint32_t)(b.y / 100);
        assert_int_equal((uint32_t)(b.x / 100), stage + 1);
        assert_true(from == to || (from ^ to) == 1u << stage);
    }
    weft_placement_free(&p);
}

static void places_come_from_a_file(void **state)
{
    (void)state;
    struct weft_spot spots[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    struct weft_err err;
    assert_true(weft_place_named("# mine\n 2 0.5 .25 # in the middle\n\n0 1 0;7 0 0", 3,
                                 200, 100, spots, &err));
    assert_true(spots[0].x == 200 && spots[0].y == 0);
    assert_true(spots[1].x == 3 && spots[1].y == 4);
    assert_true(spots[2].x == 100 && spots[2].y == 25);
    static const char *const wrong[] = { "0",      "0 1",    "0 1 2",   "0 1 0 3",
                                         "a 0 0",  "-1 0 0", "0 nan 0", "1.5 0 0",
                                         "0 1\n0", "0 0 0x", "0 0;5 5", "99999999999 0 0" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(weft_place_named(wrong[i], 3, 200, 100, spots, &err));
        assert_int_equal(err.code, WEFT_ERR_USAGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings_are_even),
        cmocka_unit_test(meshes_fill_their_cells),
        cmocka_unit_test(no_two_nodes_of_a_hypercube_touch),
        cmocka_unit_test(skeletons_are_links_of_the_hypercube),
        cmocka_unit_test(skeletons_have_all_their_lines),
        cmocka_unit_test(the_tree_has_two_roots),
        cmocka_unit_test(a_butterfly_of_32),
        cmocka_unit_test(places_come_from_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
