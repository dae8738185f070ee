/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VISTA's layout: the numbers of the thesis, and a second implementation that does what the
 * thesis says node by node.
 */
#include <math.h>

#include "domains/trees/model/tree_radial.h"
#include "tests/random.h"
#include "tests/test.h"

static struct weft_tree *make(const uint32_t *parents, uint32_t n)
{
    struct weft_tree_builder *b = weft_tree_builder_new();
    struct weft_err err = { 0 };
    uint32_t label =
        weft_tree_label(b, &(struct weft_tree_label){ "p", WEFT_NONE, 0, WEFT_NONE });
    assert_non_null(weft_tree_pe(b, "PE 0", 1, 0, n));
    for (uint32_t i = 0; i < n; i++)
        weft_tree_put(
            b, i,
            &(struct weft_tree_node){
                .parent = parents[i], .label = label, .ordinal = i, .record = i + 1 });
    return weft_tree_finish(b, NULL, &err);
}

static void the_formulas_of_the_thesis(void **state)
{
    (void)state;
    assert_int_equal(weft_tree_most_rings(800, 4), 100);
    assert_int_equal(weft_tree_most_rings(850, 4), 106); /* not 106.25 */
    assert_int_equal(weft_tree_most_rings(3, 4), 1);
    struct weft_tree_rings r = weft_tree_condense(300, 100);
    assert_int_equal(r.ratio, 3);
    assert_int_equal(r.threshold, 300);
    assert_int_equal(r.n, 100);
    r = weft_tree_condense(340, 100);
    assert_int_equal(r.ratio, 3);
    assert_int_equal(r.threshold, 180);
    assert_int_equal(r.n, 100);
    r = weft_tree_condense(174, 106);
    assert_int_equal(r.ratio, 1);
    assert_int_equal(r.threshold, 38);
    assert_int_equal(r.n_first, 39);
    assert_int_equal(r.n - r.n_first, 67);
    assert_int_equal(r.n, 106);
    r = weft_tree_condense(57, 106);
    assert_int_equal(r.n, 57);
    r = weft_tree_condense(106, 106);
    assert_int_equal(r.n, 106);
}

/* Counted by looking at each level. */
static void rings_are_as_many_as_levels_kept(void **state)
{
    (void)state;
    for (uint32_t levels = 1; levels < 400; levels += 1 + levels / 40)
        for (uint32_t most = 1; most < 130; most += 1 + most / 10) {
            struct weft_tree_rings r = weft_tree_condense(levels, most);
            uint32_t n = 0, first = 0;
            for (uint32_t l = 0; l < levels; l++) {
                n += weft_tree_keeps(&r, l);
                first += l <= r.threshold && weft_tree_keeps(&r, l);
            }
            assert_true(weft_tree_keeps(&r, 0));
            assert_int_equal(r.n, n);
            assert_int_equal(r.n_first, first);
            /* The root is kept beyond what the formula counts, when t is not a multiple. */
            assert_true(n <= most + 1);
        }
}

/* The tree of figure 11, from its parents; README.md of the thesis's corrections has these. */
static void the_tree_of_figure_11(void **state)
{
    (void)state;
    static const uint32_t parent_record[] = { 0, 1, 2, 3,  2, 4,  2,  6,  7,  8,  7, 5,
                                              9, 5, 5, 13, 7, 11, 17, 11, 17, 17, 11 };
    static const struct {
        uint32_t record, level;
        uint64_t weight;
        double from, size;
    } expected[] = {
        { 1, 0, 85, 0, 360 },         { 2, 1, 78, 0, 360 },    { 3, 2, 15, 0, 75 },
        { 5, 2, 17, 75, 85 },         { 7, 2, 40, 160, 200 },  { 9, 3, 9, 160, 51.43 },
        { 11, 3, 13, 211.43, 74.29 }, { 12, 3, 4, 75, 28.33 }, { 17, 3, 13, 285.71, 74.29 },
        { 10, 6, 1, 0, 75 },
    };
    static const uint32_t of_level[] = { 1, 1, 3, 7, 8, 2, 1 };
    uint32_t parents[23];
    for (int i = 0; i < 23; i++)
        parents[i] = parent_record[i] ? parent_record[i] - 1 : WEFT_NONE;
    struct weft_tree *tree = make(parents, 23);
    struct weft_tree_layout *layout = weft_tree_lay_out(
        tree, 0, &(struct weft_tree_how){ .most = UINT32_MAX }, NULL, NULL);
    assert_int_equal(layout->rings.n, 7);
    for (uint32_t l = 0; l < 7; l++)
        assert_int_equal(layout->runs[l].end - layout->runs[l].begin, of_level[l]);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint32_t node = weft_tree_find_record(tree, expected[i].record);
        uint32_t kept = node, ring = weft_tree_ring_of(layout, &kept);
        assert_int_equal(kept, node);
        assert_int_equal(ring, expected[i].level);
        assert_int_equal(weft_tree_weight(layout, ring, node), expected[i].weight);
        struct weft_tree_sector sector = weft_tree_sector_of(layout, ring, node);
        assert_true(fabs(sector.from * 360 - expected[i].from) < 0.01);
        assert_true(fabs(sector.size * 360 - expected[i].size) < 0.01);
    }
    weft_tree_layout_free(layout);
    weft_tree_free(tree);
}

/* ---- The thesis's steps, node by node ---- */

struct slow {
    uint32_t level, ring, parent; /* nearest kept ancestor */
    bool in, kept;
    uint64_t weight;
};

static void slow_layout(const struct weft_tree *tree, uint32_t root, uint32_t most,
                        struct slow *s, uint32_t *rings)
{
    uint32_t height = 0;
    memset(s, 0, tree->n * sizeof *s);
    for (uint32_t i = root; i < tree->n; i++) {
        uint32_t parent = tree->parent[i];
        s[i].in = i == root || (i > root && parent != WEFT_NONE && s[parent].in);
        s[i].level = i == root ? 0 : s[i].in ? s[parent].level + 1 : 0;
        if (s[i].in && s[i].level + 1 > height)
            height = s[i].level + 1;
    }
    uint32_t c0 = height / most, t = most * c0 - (height - most * c0) * c0;
    uint32_t ring_of[600], n = 0;
    for (uint32_t l = 0; l < height; l++) {
        bool kept = height <= most || (l <= t ? l % c0 == 0 : l % (c0 + 1) == 0);
        ring_of[l] = kept ? n++ : UINT32_MAX;
    }
    *rings = n;
    for (uint32_t i = root; i < tree->n; i++) {
        if (!s[i].in)
            continue;
        s[i].kept = ring_of[s[i].level] != UINT32_MAX;
        s[i].ring = ring_of[s[i].level];
        uint32_t parent = tree->parent[i];
        s[i].parent = i == root ? WEFT_NONE : s[parent].kept ? parent : s[parent].parent;
    }
    for (uint32_t i = tree->n; i-- > root;) {
        if (!s[i].in || !s[i].kept)
            continue;
        s[i].weight += n - s[i].ring;
        if (s[i].parent != WEFT_NONE)
            s[s[i].parent].weight += s[i].weight;
    }
}

static void check_layout(const struct weft_tree *tree, uint32_t root, uint32_t most)
{
    struct slow *slow = malloc(tree->n * sizeof *slow);
    uint32_t rings, kept = 0;
    slow_layout(tree, root, most, slow, &rings);
    struct weft_tree_layout *layout =
        weft_tree_lay_out(tree, root, &(struct weft_tree_how){ .most = most }, NULL, NULL);
    assert_int_equal(layout->rings.n, rings);
    for (uint32_t i = 0; i < tree->n; i++) {
        if (!slow[i].in || !slow[i].kept)
            continue;
        kept++;
        assert_true(layout->runs[slow[i].ring].begin <= i
                    && i < layout->runs[slow[i].ring].end);
        assert_int_equal(weft_tree_weight(layout, slow[i].ring, i), slow[i].weight);
        struct weft_tree_run run = weft_tree_hangs(layout, slow[i].ring, i);
        for (uint32_t c = run.begin; c < run.end; c++)
            assert_int_equal(slow[c].parent, i);
        /* Its sector lies within its parent's, and siblings fill that. */
        struct weft_tree_sector mine = weft_tree_sector_of(layout, slow[i].ring, i);
        double from = mine.from;
        for (uint32_t c = run.begin; c < run.end; c++) {
            struct weft_tree_sector s = weft_tree_sector_of(layout, slow[i].ring + 1, c);
            assert_true(fabs(s.from - from) < 1e-9);
            from += s.size;
        }
        assert_true(run.begin == run.end || fabs(from - mine.from - mine.size) < 1e-9);
    }
    assert_int_equal(layout->n_kept, kept);
    assert_int_equal(layout->n_all, tree->count[root]);
    weft_tree_layout_free(layout);
    free(slow);
}

static void layouts_agree_with_the_slow_way(void **state)
{
    (void)state;
    for (int again = 0; again < 120; again++) {
        uint32_t n = 1 + roll(500), parents[500];
        parents[0] = WEFT_NONE;
        uint32_t near = 1 + roll(20); /* small: deep trees */
        for (uint32_t i = 1; i < n; i++)
            parents[i] = i - 1 - roll(i < near ? i : near);
        struct weft_tree *tree = make(parents, n);
        for (uint32_t most = 1; most < 40; most += 1 + roll(12)) {
            check_layout(tree, 0, most);
            check_layout(tree, roll(n), most);
        }
        weft_tree_free(tree);
    }
}

/* Large enough that rings are weighed in parts, by several threads. */
static void large_layouts_add_up(void **state)
{
    (void)state;
    const uint32_t n = 400000;
    uint32_t *parents = malloc(n * sizeof *parents);
    parents[0] = WEFT_NONE;
    for (uint32_t i = 1; i < n; i++)
        parents[i] = (i - 1) / 3;
    struct weft_tree *tree = make(parents, n);
    for (uint32_t most = 4; most < 20; most += 5) {
        struct weft_tree_layout *layout =
            weft_tree_lay_out(tree, 0, &(struct weft_tree_how){ .most = most }, NULL, NULL);
        uint64_t sum = 0;
        for (uint32_t r = 0; r < layout->rings.n; r++)
            sum += (uint64_t)(layout->runs[r].end - layout->runs[r].begin)
                   * (layout->rings.n - r);
        assert_int_equal(weft_tree_weight(layout, 0, 0), sum);
        weft_tree_layout_free(layout);
    }
    weft_tree_free(tree);
    free(parents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_formulas_of_the_thesis),
        cmocka_unit_test(rings_are_as_many_as_levels_kept),
        cmocka_unit_test(the_tree_of_figure_11),
        cmocka_unit_test(layouts_agree_with_the_slow_way),
        cmocka_unit_test(large_layouts_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
