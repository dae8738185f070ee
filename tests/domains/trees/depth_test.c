/* SPDX-License-Identifier: Apache-2.0 */
/* Depth that adapts: what must hold for trees of any shape and size, in any window. */
#include <math.h>

#include "domains/trees/model/tree_radial.h"
#include "tests/test.h"
#include "tree_shapes.h"

static const uint32_t windows[] = { 12, 26, 40, 94,
                                    250 }; /* rings that there is room for */

static struct weft_tree_layout *lay_out(const struct weft_tree *tree, uint32_t most)
{
    const struct weft_tree_how how = { .most = most,
                                       .depth = WEFT_TREE_DEPTH_ADAPTIVE,
                                       .size = WEFT_TREE_SIZE_COUNT };
    return weft_tree_lay_out(tree, 0, &how, NULL, NULL);
}

/* Each level is one ring's; a ring shows the most crowded of its levels. */
static void check_rings(const struct weft_tree *tree, const struct weft_tree_layout *layout)
{
    const struct weft_tree_folding *fold = &layout->fold;
    assert_int_equal(layout->rings.n, fold->n);
    assert_int_equal(fold->from[0], 0);
    assert_int_equal(fold->from[1] - fold->from[0], 1); /* the root is alone */
    assert_int_equal(fold->from[fold->n], tree->n_levels);
    for (uint32_t r = 0; r < fold->n; r++) {
        uint64_t nodes = 0;
        uint32_t shown = layout->runs[r].end - layout->runs[r].begin;
        assert_true(fold->from[r] < fold->from[r + 1]);
        assert_true(fold->level[r] >= fold->from[r] && fold->level[r] < fold->from[r + 1]);
        assert_int_equal(layout->runs[r].begin, tree->level_begin[fold->level[r]]);
        for (uint32_t l = fold->from[r]; l < fold->from[r + 1]; l++) {
            nodes += tree->level_begin[l + 1] - tree->level_begin[l];
            assert_true(tree->level_begin[l + 1] - tree->level_begin[l] <= shown);
        }
        assert_int_equal(nodes, fold->nodes[r]);
    }
}

static const struct weft_tree *sorted_tree;
static int most_crowded_first(const void *a, const void *b)
{
    const uint32_t *begin = sorted_tree->level_begin;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t n = begin[x + 1] - begin[x], m = begin[y + 1] - begin[y];
    return n != m ? n > m ? -1 : 1 : x < y ? -1 : 1;
}

/* How much of the depth the rings have on which the levels are that hold nine tenths. */
static double depth_of_crowd(const struct weft_tree *tree,
                             const struct weft_tree_layout *layout, const double *edges)
{
    uint32_t *levels = malloc(tree->n_levels * sizeof *levels);
    bool *taken = calloc(layout->rings.n, sizeof *taken);
    uint64_t nodes = 0;
    double depth = 0;
    for (uint32_t l = 0; l < tree->n_levels; l++)
        levels[l] = l;
    sorted_tree = tree;
    qsort(levels, tree->n_levels, sizeof *levels, most_crowded_first);
    for (uint32_t i = 0; i < tree->n_levels && nodes * 10 < (uint64_t)tree->n * 9; i++) {
        uint32_t ring = 0;
        while (layout->fold.from[ring + 1] <= levels[i])
            ring++;
        nodes += tree->level_begin[levels[i] + 1] - tree->level_begin[levels[i]];
        if (!taken[ring])
            depth += edges[ring + 1] - edges[ring];
        taken[ring] = true;
    }
    free(levels);
    free(taken);
    return depth;
}

static void check_depths(const struct weft_tree *tree,
                         const struct weft_tree_layout *layout, uint32_t most)
{
    uint32_t n = layout->rings.n;
    double *edges = malloc((n + 1) * sizeof *edges);
    for (int point = 0; point < 2; point++) {
        weft_tree_edges_of_rings(layout, point, edges);
        assert_true(edges[0] == 0 && fabs(edges[n] - 1) < 1e-9);
        if (point && n > 1)
            assert_true(edges[1] == 0);
        for (uint32_t r = point && n > 1; r < n; r++)
            if (edges[r + 1] - edges[r] < 0.999 / most)
                fail_msg("ring %u of %u: %g of %u", r, n, edges[r + 1] - edges[r], most);
        assert_true(depth_of_crowd(tree, layout, edges) >= 0.5);
    }
    free(edges);
}

/* What hangs on a node, one level after another. */
static void check_hangs(const struct weft_tree *tree, const struct weft_tree_layout *layout)
{
    for (uint32_t r = 0; r + 1 < layout->rings.n; r++) {
        struct weft_tree_run of = layout->runs[r];
        uint32_t step = 1 + (of.end - of.begin) / 50;
        for (uint32_t i = of.begin; i < of.end; i += step) {
            struct weft_tree_run run = { i, i + 1 }, found = weft_tree_hangs(layout, r, i);
            for (uint32_t l = layout->level[r]; l < layout->level[r + 1]; l++)
                run = weft_tree_below(tree, run);
            assert_int_equal(found.begin, run.begin);
            assert_int_equal(found.end, run.end);
        }
    }
}

static void check_shape(enum tree_shape shape, uint32_t n)
{
    struct weft_tree *tree = tree_of_shape(shape, n);
    assert_int_equal(tree->n, n);
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
        struct weft_tree_layout *layout = lay_out(tree, windows[w]);
        check_rings(tree, layout);
        check_depths(tree, layout, windows[w]);
        check_hangs(tree, layout);
        if (tree->n_levels <= windows[w] / 3)
            assert_int_equal(layout->rings.n, tree->n_levels);
        weft_tree_layout_free(layout);
    }
    weft_tree_free(tree);
}

static void crowded_levels_have_half_of_the_depth(void **state)
{
    (void)state;
    for (int shape = 0; shape < TREE_SHAPES; shape++)
        for (uint32_t n = 1000; n <= 1000000; n *= 10)
            check_shape((enum tree_shape)shape, n);
}

/* And of no size at all. */
static void small_trees_hold_it_too(void **state)
{
    (void)state;
    for (int shape = 0; shape < TREE_SHAPES; shape++)
        for (uint32_t n = 5; n <= 200; n += 1 + n / 3)
            check_shape((enum tree_shape)shape, n);
    for (uint32_t most = 0; most < 12; most++) { /* rooms that nobody can use */
        struct weft_tree *tree = tree_of_shape(TREE_DEEP, 500);
        struct weft_tree_layout *layout = lay_out(tree, most);
        assert_true(layout->rings.n >= 1 && layout->rings.n <= (most > 2 ? most : 2));
        weft_tree_layout_free(layout);
        weft_tree_free(tree);
    }
}

/* A tree whose levels are alike keeps VISTA's even rings. */
static void even_trees_have_even_rings(void **state)
{
    (void)state;
    struct weft_tree *tree = tree_of_shape(TREE_COMB, 41);
    struct weft_tree_layout *layout = lay_out(tree, 100);
    double edges[64];
    assert_int_equal(layout->rings.n, 21);
    weft_tree_edges_of_rings(layout, true, edges);
    for (uint32_t r = 1; r <= 21; r++)
        assert_true(fabs(edges[r] - (r - 1) / 20.0) < 1e-9);
    weft_tree_layout_free(layout);
    weft_tree_free(tree);
}

/* The levels of a chain that is opened have most of the rings. */
static void opened_levels_unfold(void **state)
{
    (void)state;
    struct weft_tree *tree = tree_of_shape(TREE_BROOM, 4000);
    const struct weft_tree_run opened = { 1000, 1030 };
    struct weft_tree_how how = { .most = 100, .depth = WEFT_TREE_DEPTH_ADAPTIVE };
    uint32_t kept[2] = { 0 };
    for (int i = 0; i < 2; i++) {
        struct weft_tree_layout *layout = weft_tree_lay_out(tree, 0, &how, NULL, NULL);
        for (uint32_t r = 0; r < layout->rings.n; r++)
            kept[i] += layout->level[r] >= opened.begin && layout->level[r] < opened.end;
        check_depths(tree, layout, how.most);
        weft_tree_layout_free(layout);
        how.opened = &opened;
        how.n_opened = 1;
    }
    assert_true(kept[0] < 3);
    assert_true(kept[1] > 15);
    weft_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crowded_levels_have_half_of_the_depth),
        cmocka_unit_test(small_trees_hold_it_too),
        cmocka_unit_test(even_trees_have_even_rings),
        cmocka_unit_test(opened_levels_unfold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
