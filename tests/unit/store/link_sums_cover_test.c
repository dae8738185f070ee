/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Covers of the leaves of a tree of sums, over trees of any size with nodes left out: every leaf
 * of the range counts once and no other one at all, and what may be taken away makes it cheaper.
 */
#include "store/link_sums_cover.h"
#include "tests/random.h"
#include "tests/test.h"

enum { MAX_LEAVES = 400, MAX_NODES = 2 * MAX_LEAVES };

static struct weft_file_pair_node nodes[MAX_NODES];
static struct weft_pair_list list;
static uint64_t n_leaves;

/* Nodes that saturate, as those of all pairs do; some levels or single nodes are left out. */
static void make_tree(void)
{
    uint64_t full = 1 + roll(3000), n;
    n_leaves = 1 + roll(roll(2) ? 20 : MAX_LEAVES);
    list = (struct weft_pair_list){ .nodes = nodes,
                                    .n_blocks =
                                        n_leaves * WEFT_PAIR_LEAF - roll(WEFT_PAIR_LEAF) };
    n = weft_pair_nodes(list.n_blocks);
    assert_true(n <= MAX_NODES);
    uint64_t at = 0, rows = 1 + roll(full);
    bool missing = roll(3) == 0;
    for (uint64_t level = n_leaves; level; level /= WEFT_PAIR_FAN) {
        for (uint64_t i = 0; i < level; i++, at++) {
            uint64_t some = rows + roll(rows / 4 + 1);
            nodes[at].n_rows = missing && roll(4) == 0 ? 0 : some;
        }
        rows = rows * WEFT_PAIR_FAN < full ? rows * WEFT_PAIR_FAN : full;
        missing |= roll(8) == 0;
    }
    assert_int_equal(at, n);
}

/* What a cover counts each leaf for, and the rows that it reads. */
static uint64_t count(const struct weft_pair_cover *cover, int *counts)
{
    uint64_t rows = 0;
    memset(counts, 0, MAX_LEAVES * sizeof *counts);
    for (size_t p = 0; p < cover->n; p++) {
        const struct weft_pair_part *part = &cover->parts[p];
        uint64_t first = part->leaf, width = 1, begin = 0;
        if (part->node) {
            uint64_t at = (uint64_t)(part->node - nodes);
            uint64_t level = n_leaves;
            for (; at >= begin + level; begin += level, level /= WEFT_PAIR_FAN)
                width *= WEFT_PAIR_FAN;
            first = (at - begin) * width;
            assert_true(part->node->n_rows > 0);
        }
        assert_true(first + width <= n_leaves);
        for (uint64_t leaf = first; leaf < first + width; leaf++)
            counts[leaf] += part->minus ? -1 : 1;
        rows +=
            part->node ? part->node->n_rows : (uint64_t)WEFT_PAIR_LEAF * WEFT_BLOCK_ROWS;
    }
    return rows;
}

static void test_covers(void **unused)
{
    (void)unused;
    enum { TREES = 400, RANGES = 60 };
    uint64_t plain_rows = 0, rows = 0, subtracting = 0;
    for (int t = 0; t < TREES; t++) {
        make_tree();
        for (int r = 0; r < RANGES; r++) {
            uint64_t a = roll(n_leaves + 1), b = roll(n_leaves + 1);
            uint64_t first = a < b ? a : b, after = a < b ? b : a;
            uint64_t cost[2];
            for (int subtract = 0; subtract < 2; subtract++) {
                struct weft_pair_cover cover = { 0 };
                int counts[MAX_LEAVES];
                weft_pair_cover(&list, first, after, subtract, &cover);
                cost[subtract] = count(&cover, counts);
                for (uint64_t leaf = 0; leaf < n_leaves; leaf++)
                    assert_int_equal(counts[leaf], leaf >= first && leaf < after);
                assert_true(subtract || !cover.subtracts);
                subtracting += cover.subtracts;
                free(cover.parts);
            }
            assert_true(cost[1] <= cost[0]);
            plain_rows += cost[0];
            rows += cost[1];
        }
    }
    assert_true(subtracting > TREES);
    assert_true(rows < plain_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_covers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
