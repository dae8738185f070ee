/* SPDX-License-Identifier: Apache-2.0 */
/* Trees: their order, whatever order nodes come in; forests, cycles, depth; matching. */
#include "base/memory.h"
#include "domains/trees/model/tree.h"
#include "tests/random.h"
#include "tests/test.h"

/* N nodes with these parents, all of one procedure; times as given, or 0. */
static struct weft_tree *make(const uint32_t *parents, const int64_t *times, uint32_t n)
{
    struct weft_tree_builder *b = weft_tree_builder_new();
    struct weft_err err = { 0 };
    uint32_t label =
        weft_tree_label(b, &(struct weft_tree_label){ "p", WEFT_NONE, 0, WEFT_NONE });
    const struct weft_tree_pe *pe = weft_tree_pe(b, "PE 0", 1, 7, n);
    assert_non_null(pe);
    for (uint32_t i = n; i-- > 0;) /* any order will do */
        weft_tree_put(b, i,
                      &(struct weft_tree_node){ .parent = parents[i],
                                                .label = label,
                                                .time = times ? times[i] : 0,
                                                .ordinal = i });
    return weft_tree_finish(b, NULL, &err);
}

static void check_shape(const struct weft_tree *tree)
{
    assert_int_equal(tree->first_child[tree->n], tree->n);
    assert_int_equal(tree->parent[0], WEFT_NONE);
    for (uint32_t i = 0; i < tree->n; i++) {
        uint32_t sum = 1;
        for (uint32_t c = tree->first_child[i]; c < tree->first_child[i + 1]; c++) {
            assert_int_equal(tree->parent[c], i);
            assert_int_equal(weft_tree_level(tree, c), weft_tree_level(tree, i) + 1);
            sum += tree->count[c];
        }
        assert_int_equal(tree->count[i], sum);
        if (tree->ordinal[i] != WEFT_NONE)
            assert_int_equal(weft_tree_find(tree, weft_tree_id(tree, i)), i);
    }
}

static void children_stand_in_order_of_time(void **state)
{
    (void)state;
    /*            0          3
     *        4   1   2      (the parent of 3 is 2)    times decide 4, 1, 2 */
    const uint32_t parents[] = { WEFT_NONE, 0, 0, 2, 0 };
    const int64_t times[] = { 0, 5, 6, 7, 4 };
    struct weft_tree *tree = make(parents, times, 5);
    assert_int_equal(tree->n, 5);
    assert_int_equal(tree->n_levels, 3);
    const uint32_t order[] = { 0, 4, 1, 2, 3 }, records[] = { 1, 2, 3, 4, 5 };
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(tree->ordinal[i], order[i]);
        assert_int_equal(tree->record[i], records[i]);
    }
    check_shape(tree);
    assert_int_equal(weft_tree_find_record(tree, 5), 4);
    assert_int_equal(weft_tree_find_record(tree, 6), WEFT_NONE);
    assert_int_equal(weft_tree_find_index(tree, 0, 5), 1);
    assert_int_equal(weft_tree_find_index(tree, 1, 5), WEFT_NONE);
    assert_int_equal(weft_tree_find(tree, weft_entity_id(8, 0)), WEFT_NONE);
    weft_tree_free(tree);
}

static void several_roots_get_one_above(void **state)
{
    (void)state;
    const uint32_t parents[] = { WEFT_NONE, WEFT_NONE, 1, 0, WEFT_NONE };
    const int64_t times[] = { 3, 2, 9, 9, 8 };
    struct weft_tree *tree = make(parents, times, 5);
    assert_int_equal(tree->n, 6);
    assert_int_equal(tree->ordinal[0], WEFT_NONE);
    assert_int_equal(tree->time[0], 2);
    assert_int_equal(tree->record[0], 0);
    assert_string_equal(tree->labels[tree->label[0]].name, "all");
    assert_int_equal(weft_tree_id(tree, 0), WEFT_NO_ID);
    assert_int_equal(tree->ordinal[1], 1);
    check_shape(tree);
    weft_tree_free(tree);
}

/* A name may be long, and have a label for each clause and a row for each track. */
static void names_are_kept_once(void **state)
{
    (void)state;
    enum { LENGTH = 60000, LABELS = 1000, MAX_BYTES = 20 * LENGTH };
    struct weft_err err;
    struct weft_tree_builder *b = weft_tree_builder_new();
    char *name = weft_alloc(LENGTH + 1);
    memset(name, 'x', LENGTH);
    name[LENGTH] = '\0';
    for (uint32_t i = 0; i < LABELS; i++) {
        const struct weft_tree_pe *row = weft_tree_pe(b, name, 3, i, 1);
        const struct weft_tree_label label = { name, i % 2, i, WEFT_NONE };
        assert_non_null(row);
        weft_tree_put(b, row->first,
                      &(struct weft_tree_node){ .parent = i ? i - 1 : WEFT_NONE,
                                                .label = weft_tree_label(b, &label),
                                                .pe = (uint16_t)i });
    }
    struct weft_tree *tree = weft_tree_finish(b, NULL, &err);
    assert_non_null(tree);
    assert_true(weft_tree_bytes(tree) < MAX_BYTES);
    for (uint32_t i = 0; i < LABELS; i++) {
        assert_string_equal(tree->labels[i].name, name);
        assert_string_equal(tree->pes[i].name, name);
        assert_int_equal(tree->labels[i].clause, i);
    }
    free(name);
    weft_tree_free(tree);
}

static void what_leads_nowhere_is_counted(void **state)
{
    (void)state;
    /* 2 and 3 are each other's parents, 4 hangs on them, 5 on nothing that is. */
    const uint32_t parents[] = { WEFT_NONE, 0, 3, 2, 2, 77 };
    struct weft_tree *tree = make(parents, NULL, 6);
    assert_int_equal(tree->n, 2);
    assert_int_equal(tree->lost, 4);
    assert_int_equal(weft_tree_find(tree, weft_entity_id(7, 4)), WEFT_NONE);
    check_shape(tree);
    weft_tree_free(tree);
    const uint32_t ring[] = { 1, 0 };
    assert_null(make(ring, NULL, 2));
}

static void random_trees_keep_their_parents(void **state)
{
    (void)state;
    for (int again = 0; again < 200; again++) {
        uint32_t n = 1 + roll(300), parents[300];
        int64_t times[300];
        parents[0] = WEFT_NONE;
        times[0] = 0;
        for (uint32_t i = 1; i < n; i++) {
            parents[i] = roll(again % 3 ? i : 1 + i / 7);
            times[i] = times[i - 1] + roll(3);
        }
        struct weft_tree *tree = make(parents, times, n);
        assert_int_equal(tree->n, n);
        check_shape(tree);
        for (uint32_t i = 1; i < n; i++)
            assert_int_equal(tree->ordinal[tree->parent[i]], parents[tree->ordinal[i]]);
        for (uint32_t i = 0; i + 1 < n; i++) /* siblings in order of records */
            if (i && tree->parent[i] == tree->parent[i + 1])
                assert_true(tree->record[i] < tree->record[i + 1]);
        weft_tree_free(tree);
    }
}

static void a_chain_of_a_million_is_no_trouble(void **state)
{
    (void)state;
    const uint32_t n = 1000000;
    uint32_t *parents = malloc(n * sizeof *parents);
    for (uint32_t i = 0; i < n; i++)
        parents[i] = i ? i - 1 : WEFT_NONE;
    struct weft_tree *tree = make(parents, NULL, n);
    assert_int_equal(tree->n_levels, n);
    assert_int_equal(tree->count[0], n);
    assert_int_equal(weft_tree_level(tree, n - 1), n - 1);
    weft_tree_free(tree);
    /* And one family of a million. */
    for (uint32_t i = 1; i < n; i++)
        parents[i] = 0;
    tree = make(parents, NULL, n);
    assert_int_equal(tree->n_levels, 2);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(tree->ordinal[i], i);
    weft_tree_free(tree);
    free(parents);
}

/* Two runs of one program: the same goals, their children in another order. */
static void runs_are_matched_by_shape(void **state)
{
    (void)state;
    for (int again = 0; again < 50; again++) {
        uint32_t n = 2 + roll(200), parents[200];
        int64_t times[200], others[200];
        parents[0] = WEFT_NONE;
        times[0] = others[0] = 0;
        for (uint32_t i = 1; i < n; i++) {
            parents[i] = roll(i);
            times[i] = others[parents[i]] + 1 + roll(50);
            others[i] = others[parents[i]] + 1 + roll(50);
        }
        struct weft_tree *a = make(parents, times, n), *b = make(parents, others, n);
        uint32_t *match = weft_tree_match(a, b, NULL, NULL);
        uint8_t seen[200] = { 0 };
        for (uint32_t i = 0; i < n; i++) {
            assert_int_not_equal(match[i], WEFT_NONE);
            assert_false(seen[match[i]]);
            seen[match[i]] = 1;
            assert_int_equal(a->count[i], b->count[match[i]]);
            if (i)
                assert_int_equal(match[a->parent[i]], b->parent[match[i]]);
        }
        free(match);
        weft_tree_free(a);
        weft_tree_free(b);
    }
}

static void what_differs_is_matched_by_name(void **state)
{
    (void)state;
    /* The second run has one more below node 1. */
    const uint32_t first[] = { WEFT_NONE, 0, 0, 1 }, second[] = { WEFT_NONE, 0, 0, 1, 1 };
    const int64_t times[] = { 0, 1, 2, 3, 4 };
    struct weft_tree *a = make(first, times, 4), *b = make(second, times, 5);
    uint32_t *match = weft_tree_match(a, b, NULL, NULL),
             *back = weft_tree_match(b, a, NULL, NULL), none = 0;
    for (uint32_t i = 0; i < 4; i++)
        assert_int_not_equal(match[i], WEFT_NONE);
    for (uint32_t i = 0; i < 5; i++)
        none += back[i] == WEFT_NONE;
    assert_int_equal(none, 1);
    free(match);
    free(back);
    weft_tree_free(a);
    weft_tree_free(b);
}

/* Cancelled at any look, also in the middle of a loop, it ends with an error and no tree. */
static unsigned looks_left;
static void cancel_at_last(struct weft_job *job, void *user)
{
    (void)user;
    if (!looks_left--)
        job->cancelled = true;
}

static void cancelling_ends_it(void **state)
{
    (void)state;
    enum { N = 200000 };
    for (unsigned look = 0; look < 12; look++) {
        struct weft_tree_builder *b = weft_tree_builder_new();
        struct weft_err err = { 0 };
        struct weft_job job = { .progress = cancel_at_last };
        uint32_t label =
            weft_tree_label(b, &(struct weft_tree_label){ "p", WEFT_NONE, 0, WEFT_NONE });
        const struct weft_tree_pe *pe = weft_tree_pe(b, "PE 0", 1, 7, N);
        assert_non_null(pe);
        for (uint32_t i = 0; i < N; i++)
            weft_tree_put(b, i,
                          &(struct weft_tree_node){ .parent = i ? roll(i) : WEFT_NONE,
                                                    .label = label,
                                                    .time = i,
                                                    .record = look % 2 ? i + 1 : 0,
                                                    .ordinal = i });
        looks_left = look;
        assert_null(weft_tree_finish(b, &job, &err));
        assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_stand_in_order_of_time),
        cmocka_unit_test(several_roots_get_one_above),
        cmocka_unit_test(names_are_kept_once),
        cmocka_unit_test(what_leads_nowhere_is_counted),
        cmocka_unit_test(random_trees_keep_their_parents),
        cmocka_unit_test(a_chain_of_a_million_is_no_trouble),
        cmocka_unit_test(runs_are_matched_by_shape),
        cmocka_unit_test(what_differs_is_matched_by_name),
        cmocka_unit_test(cancelling_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
