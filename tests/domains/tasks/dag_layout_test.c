/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of task DAGs: nothing overlaps, whatever is open; a picture worked out by hand; sizes
 * as a second implementation, with recursion, finds them.  The DAGs are in arrays of this file's,
 * which stand behind dag.h here.
 */

#include <math.h>

#include "base/memory.h"
#include "domains/tasks/model/dag_layout.h"
#include "tests/random.h"
#include "tests/test.h"

/* ---- DAGs in arrays ---- */

struct weft_dag {
    struct weft_dag_node *nodes;
    uint32_t n;
    size_t capacity;
};

uint32_t weft_dag_size(const struct weft_dag *dag)
{
    return dag->n;
}

void weft_dag_node(const struct weft_dag *dag, uint32_t node, struct weft_dag_node *out)
{
    *out = dag->nodes[node];
}

static uint64_t n_looked_at; /* shapes that were asked for */

void weft_dag_shape(const struct weft_dag *dag, uint32_t node, struct weft_dag_node *out)
{
    n_looked_at++;
    const struct weft_dag_node *from = &dag->nodes[node];
    *out = (struct weft_dag_node){ .kind = from->kind,
                                   .parent = from->parent,
                                   .first = from->first,
                                   .n = from->n,
                                   .created = from->created };
}

void weft_dag_glance(const struct weft_dag *dag, uint32_t node, struct weft_dag_node *out)
{
    weft_dag_shape(dag, node, out);
}

static uint32_t add(struct weft_dag *dag, enum weft_dag_kind kind, uint32_t parent)
{
    dag->nodes =
        weft_grow(dag->nodes, &dag->capacity, (size_t)dag->n + 1, sizeof *dag->nodes);
    dag->nodes[dag->n] = (struct weft_dag_node){ .kind = kind,
                                                 .parent = parent,
                                                 .created = WEFT_NONE,
                                                 .work = roll(4) ? roll(100000) : 0 };
    return dag->n++;
}

/* Give a section or task the children that WHAT says, one letter each, and return the first. */
static uint32_t fill(struct weft_dag *dag, uint32_t node, const char *what)
{
    static const char letters[] = "cwoest"; /* in the order of the kinds */
    uint32_t first = dag->n;
    for (const char *c = what; *c; c++)
        add(dag, (enum weft_dag_kind)(strchr(letters, *c) - letters), node);
    dag->nodes[node].first = first;
    dag->nodes[node].n = (uint32_t)strlen(what);
    return first;
}

static uint32_t make_task(struct weft_dag *dag, uint32_t create)
{
    uint32_t task = add(dag, WEFT_DAG_TASK, create); /* the array may move */
    dag->nodes[create].created = task;
    return task;
}

/* How many nodes are inside each, itself included: from the last to the first. */
static void count_inside(struct weft_dag *dag)
{
    for (uint32_t i = dag->n; i-- > 0;) {
        struct weft_dag_node *node = &dag->nodes[i];
        node->materialized++;
        uint32_t box = node->parent;
        if (box == WEFT_NONE)
            continue;
        if (dag->nodes[box].kind == WEFT_DAG_CREATE)
            box = dag->nodes[box].parent;
        dag->nodes[box].materialized += node->materialized;
    }
}

static struct weft_dag *begin_dag(void)
{
    struct weft_dag *dag = weft_zalloc(1, sizeof *dag);
    add(dag, WEFT_DAG_TASK, WEFT_NONE);
    return dag;
}

static void free_dag(struct weft_dag *dag)
{
    free(dag->nodes);
    free(dag);
}

/* Sections and tasks are filled breadth first until there are about MOST nodes. */
static struct weft_dag *random_dag(uint32_t most)
{
    struct weft_dag *dag = begin_dag();
    uint32_t widest = 1 + roll(6);
    for (uint32_t i = 0; i < dag->n && dag->n < most; i++) {
        char what[16] = "";
        enum weft_dag_kind kind = dag->nodes[i].kind;
        if (kind == WEFT_DAG_CREATE) {
            if (roll(12))
                make_task(dag, i);
            continue;
        }
        if (kind < WEFT_DAG_LEAF_KINDS || (i && !roll(4)))
            continue;
        uint32_t n = roll(widest + 1);
        for (uint32_t k = 0; k < n; k++)
            what[k] = kind == WEFT_DAG_TASK ? "sso"[roll(3)] : "cccos"[roll(5)];
        what[n] = kind == WEFT_DAG_TASK ? 'e' : 'w';
        fill(dag, i, what);
    }
    count_inside(dag);
    return dag;
}

/* ---- Everything that stands in a layout ---- */

struct stand {
    uint32_t node, inside; /* inside: index of the box, or WEFT_NONE */
    bool open;
    double left, right, top, bottom, x;
};

struct stands {
    struct stand *list;
    size_t n, capacity;
};

static void put(struct stands *all, const struct weft_dag_child *child, uint32_t inside,
                double x, double y)
{
    all->list = weft_grow(all->list, &all->capacity, all->n + 1, sizeof *all->list);
    all->list[all->n++] = (struct stand){ child->node,           inside,
                                          child->open,           x - child->size.left,
                                          x + child->size.right, y,
                                          y + child->size.down,  x };
}

static void stand_inside(const struct weft_dag_layout *layout, struct stands *all,
                         struct weft_dag_child box, double x, double y)
{
    struct weft_arena arena = { 0 };
    uint32_t index = (uint32_t)all->n - 1;
    size_t n;
    if (!box.open)
        return;
    struct weft_dag_child *list = weft_dag_layout_children(layout, &box, &arena, &n);
    for (size_t i = 0; i < n; i++) {
        put(all, &list[i], index, x + list[i].x, y + list[i].y);
        stand_inside(layout, all, list[i], x + list[i].x, y + list[i].y);
    }
    weft_arena_free(&arena);
}

static struct stands stand(const struct weft_dag_layout *layout)
{
    struct stands all = { 0 };
    struct weft_dag_child root = weft_dag_layout_root(layout);
    put(&all, &root, WEFT_NONE, 0, 0);
    stand_inside(layout, &all, root, 0, 0);
    return all;
}

static bool is_inside(const struct stands *all, size_t inner, size_t outer)
{
    while (inner != outer && all->list[inner].inside != WEFT_NONE)
        inner = all->list[inner].inside;
    return inner == outer;
}

static void check_apart(const struct stands *all)
{
    const double slack = 1e-6;
    for (size_t i = 0; i < all->n; i++) {
        const struct stand *a = &all->list[i];
        if (a->inside != WEFT_NONE) {
            const struct stand *box = &all->list[a->inside];
            assert_true(a->left > box->left && a->right < box->right);
            assert_true(a->top > box->top && a->bottom < box->bottom);
        }
        for (size_t j = i + 1; j < all->n; j++) {
            const struct stand *b = &all->list[j];
            if (a->right <= b->left + slack || b->right <= a->left + slack
                || a->bottom <= b->top + slack || b->bottom <= a->top + slack)
                continue;
            assert_true(is_inside(all, j, i));
        }
    }
}

static struct weft_dag_style style_of(enum weft_dag_scale scale)
{
    static const double radices[] = { 0, 5000, 1.8, 0.42 };
    return (struct weft_dag_style){ scale, radices[scale], 1 };
}

static struct weft_dag_layout *lay_out(const struct weft_dag *dag,
                                       enum weft_dag_scale scale, uint32_t depth,
                                       const struct weft_entity_set *opened,
                                       const struct weft_entity_set *closed)
{
    struct weft_err err = { 0 };
    struct weft_dag_layout *layout = weft_dag_layout_new(
        dag, style_of(scale), (struct weft_dag_expansion){ depth, 0, opened, closed }, NULL,
        &err);
    assert_non_null(layout);
    return layout;
}

static void pick_some(struct weft_entity_set *set, const struct weft_dag *dag, uint32_t n)
{
    struct weft_err err = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        uint64_t id = weft_dag_layout_id(roll(dag->n));
        assert_true(weft_entity_set_add(set, (struct weft_entity_range){ id, id }, &err));
    }
}

static void nothing_overlaps(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct weft_entity_set opened = { 0 }, closed = { 0 };
        struct weft_dag *dag = random_dag(1 + roll(250));
        uint32_t depth = roll(3) ? roll(8) : WEFT_DAG_ALL;
        pick_some(&opened, dag, roll(6));
        pick_some(&closed, dag, roll(6));
        struct weft_dag_layout *layout =
            lay_out(dag, (enum weft_dag_scale)roll(4), depth, &opened, &closed);
        struct stands all = stand(layout);
        check_apart(&all);
        if (depth != WEFT_DAG_ALL)
            assert_int_equal(weft_dag_layout_placed(layout), all.n);
        for (size_t k = 0; k < all.n; k++) { /* what is open is what was asked for */
            const struct weft_dag_node *node = &dag->nodes[all.list[k].node];
            uint32_t nested = 0;
            for (size_t b = k; all.list[b].inside != WEFT_NONE; b = all.list[b].inside)
                nested++;
            uint64_t id = weft_dag_layout_id(all.list[k].node);
            bool open = nested < depth ? !weft_entity_set_contains(&closed, id)
                                       : weft_entity_set_contains(&opened, id);
            assert_int_equal(all.list[k].open, open && node->n > 0);
        }
        free(all.list);
        weft_dag_layout_free(layout);
        weft_entity_set_free(&opened);
        weft_entity_set_free(&closed);
        free_dag(dag);
    }
}

static void is_as_by_hand(void **state)
{
    (void)state;
    /*
     * A task of a section and its end; the section has two creates, whose tasks are contracted,
     * and the wait.  A node is 1 wide, gaps are 0.8, boxes 0.2 larger all around.
     */
    struct weft_dag *dag = begin_dag();
    uint32_t section = fill(dag, 0, "se");
    uint32_t first = fill(dag, section, "ccw");
    uint32_t a = make_task(dag, first), b = make_task(dag, first + 1);
    count_inside(dag);
    struct weft_dag_layout *layout = lay_out(dag, WEFT_DAG_ROUND, WEFT_DAG_ALL, NULL, NULL);
    struct stands all = stand(layout);
    assert_int_equal(all.n, 8);
    const struct {
        uint32_t node;
        double x, top, bottom;
    } expected[] = {
        { 0, 0, 0, 7.2 },
        { section, 0, 0.2, 5.2 },
        { first, 0, 0.4, 1.4 },
        /* Its wait is half a node and half a gap right of it, its task as far left. */
        { first + 1, 0.9, 2.2, 3.2 },
        { first + 2, 1.8, 4, 5 },
        { b, 0, 4, 5 },        /* below the first create */
        { a, -1.8, 2.2, 3.2 }, /* a gap left of that */
        { section + 1, 0, 6, 7 },
    };
    for (size_t i = 0; i < all.n; i++)
        for (size_t k = 0; k < 8; k++) {
            if (all.list[i].node != expected[k].node)
                continue;
            assert_float_equal(all.list[i].x, expected[k].x, 1e-9);
            assert_float_equal(all.list[i].top, expected[k].top, 1e-9);
            assert_float_equal(all.list[i].bottom, expected[k].bottom, 1e-9);
        }
    free(all.list);
    weft_dag_layout_free(layout);
    free_dag(dag);
}

/* ---- A second implementation: with recursion, of round nodes that are all open ---- */

struct extent {
    double left, right, down, task_x;
    bool forks;
};

static struct extent extent_of(const struct weft_dag *dag, uint32_t node);

/* From the child I on. */
static struct extent extent_from(const struct weft_dag *dag, uint32_t box, uint32_t i)
{
    uint32_t node = dag->nodes[box].first + i;
    bool last = i + 1 == dag->nodes[box].n;
    struct extent own = extent_of(dag, node), right = { 0 }, left = { 0 };
    bool makes =
        dag->nodes[node].kind == WEFT_DAG_CREATE && dag->nodes[node].created != WEFT_NONE;
    if (!last)
        right = extent_from(dag, box, i + 1);
    if (makes)
        left = extent_of(dag, dag->nodes[node].created);
    if (last && !makes)
        return own;
    double right_x = 0, left_x = 0;
    if (!last && makes) {
        right_x = right.forks ? -right.task_x : right.left + 0.4;
        left_x = right_x - right.left - 0.8 - left.right;
    }
    struct extent all = { .down = own.down + 0.8 + fmax(right.down, left.down),
                          .forks = !last && makes,
                          .task_x = left_x };
    all.left = fmax(own.left,
                    fmax(last ? 0 : right.left - right_x, makes ? left.left - left_x : 0));
    all.right = fmax(
        own.right, fmax(last ? 0 : right.right + right_x, makes ? left.right + left_x : 0));
    return all;
}

static struct extent extent_of(const struct weft_dag *dag, uint32_t node)
{
    if (!dag->nodes[node].n)
        return (struct extent){ .left = 0.5, .right = 0.5, .down = 1 };
    struct extent inside = extent_from(dag, node, 0);
    return (struct extent){ .left = inside.left + 0.2,
                            .right = inside.right + 0.2,
                            .down = inside.down + 0.4 };
}

static void check_extent(const struct weft_dag *dag, const struct weft_dag_layout *layout)
{
    struct extent slow = extent_of(dag, 0);
    struct weft_dag_size size = weft_dag_layout_root(layout).size;
    assert_float_equal(size.left, slow.left, 1e-6 * slow.left);
    assert_float_equal(size.right, slow.right, 1e-6 * slow.right);
    assert_float_equal(size.down, slow.down, 1e-6 * slow.down);
}

static void sizes_are_those_of_a_slow_way(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        struct weft_dag *dag = random_dag(1 + roll(2000));
        struct weft_dag_layout *layout =
            lay_out(dag, WEFT_DAG_ROUND, WEFT_DAG_ALL, NULL, NULL);
        check_extent(dag, layout);
        weft_dag_layout_free(layout);
        free_dag(dag);
    }
}

/* Of a DAG so large that small boxes are not kept: their insides are found all the same. */
static void small_boxes_are_not_kept(void **state)
{
    (void)state;
    struct weft_dag *dag;
    for (dag = random_dag(400000); dag->n < 300000; dag = random_dag(400000))
        free_dag(dag);
    struct weft_dag_layout *layout = lay_out(dag, WEFT_DAG_ROUND, WEFT_DAG_ALL, NULL, NULL);
    check_extent(dag, layout);
    assert_true(weft_dag_layout_bytes(layout) < 12 * (size_t)dag->n);
    struct stands all = stand(layout);
    for (size_t i = 0; i < all.n; i++) {
        const struct stand *s = &all.list[i];
        assert_int_equal(s->open, dag->nodes[s->node].n > 0);
        if (s->inside == WEFT_NONE)
            continue;
        const struct stand *box = &all.list[s->inside];
        assert_true(s->left > box->left && s->right < box->right);
        assert_true(s->top > box->top && s->bottom < box->bottom);
    }
    assert_int_equal(all.n, dag->n);
    free(all.list);
    weft_dag_layout_free(layout);
    free_dag(dag);
}

/* ---- Changing ---- */

static void check_same(const struct weft_dag_layout *a, const struct weft_dag_layout *b)
{
    struct stands one = stand(a), other = stand(b);
    assert_int_equal(one.n, other.n);
    for (size_t i = 0; i < one.n; i++) {
        assert_int_equal(one.list[i].node, other.list[i].node);
        assert_int_equal(one.list[i].open, other.list[i].open);
        assert_float_equal(one.list[i].x, other.list[i].x, 1e-6);
        assert_float_equal(one.list[i].top, other.list[i].top, 1e-6);
        assert_float_equal(one.list[i].bottom, other.list[i].bottom, 1e-6);
    }
    free(one.list);
    free(other.list);
}

static void changing_is_as_laying_out_anew(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    for (int i = 0; i < 800; i++) {
        enum weft_dag_scale scale = (enum weft_dag_scale)roll(4);
        uint32_t depth = roll(2) ? WEFT_DAG_ALL : roll(9);
        struct weft_entity_set opened = { 0 }, closed = { 0 };
        struct weft_dag *dag = random_dag(1 + roll(600));
        pick_some(&closed, dag, roll(8));
        pick_some(&opened, dag, roll(2) ? roll(8) : dag->n); /* so that some are nested */
        struct weft_dag_layout *base = lay_out(dag, scale, depth, NULL, NULL);
        struct weft_dag_layout *anew = lay_out(dag, scale, depth, &opened, &closed);
        struct weft_dag_layout *changed =
            weft_dag_layout_change(base, &opened, &closed, NULL, &err);
        assert_non_null(changed);
        check_same(changed, anew);
        weft_dag_layout_free(changed);
        weft_dag_layout_free(anew);
        weft_dag_layout_free(base);
        weft_entity_set_free(&opened);
        weft_entity_set_free(&closed);
        free_dag(dag);
    }
}

/* ---- Depth ---- */

static void too_deep_a_level_is_cut(void **state)
{
    (void)state;
    /* Each task makes two: more than the most that stand is reached at some depth. */
    struct weft_dag *dag = begin_dag();
    for (uint32_t i = 0; dag->n < 3 * WEFT_DAG_LAYOUT_MAX; i++) {
        if (dag->nodes[i].kind == WEFT_DAG_TASK)
            fill(dag, i, "se");
        else if (dag->nodes[i].kind == WEFT_DAG_SECTION)
            fill(dag, i, "ccw");
        else if (dag->nodes[i].kind == WEFT_DAG_CREATE)
            make_task(dag, i);
    }
    count_inside(dag);
    struct weft_dag_layout *layout = lay_out(dag, WEFT_DAG_ROUND, 100, NULL, NULL);
    uint32_t depth = weft_dag_layout_depth(layout);
    uint64_t placed = weft_dag_layout_placed(layout);
    /*
     * Opening 2k levels places 1 + (2 + 5) (2^k - 1) things: a task holds 2, its section 5, two
     * of which are tasks; one level more opens the 2^k tasks.
     */
    uint64_t expected = 1, tasks = 1;
    uint32_t level = 0;
    for (;; level++) {
        uint64_t next = expected + (level % 2 == 0 ? 2 : 5) * tasks;
        if (next > WEFT_DAG_LAYOUT_MAX)
            break;
        expected = next;
        if (level % 2)
            tasks *= 2;
    }
    assert_int_equal(depth, level);
    assert_int_equal(placed, expected);
    struct stands all = stand(layout);
    assert_int_equal(all.n, placed);
    free(all.list);
    weft_dag_layout_free(layout);
    free_dag(dag);
}

/* So that one level less closes something. */
static void no_depth_is_deeper_than_the_dag(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        struct weft_dag *dag = random_dag(1 + roll(300));
        struct weft_dag_layout *layout = lay_out(dag, WEFT_DAG_ROUND, 1000, NULL, NULL);
        struct stands all = stand(layout);
        uint32_t levels = 1;
        for (size_t k = 0; k < all.n; k++) {
            uint32_t nested = 1;
            for (size_t b = k; all.list[b].inside != WEFT_NONE; b = all.list[b].inside)
                nested++;
            if (all.list[k].open && nested > levels)
                levels = nested;
        }
        assert_int_equal(weft_dag_layout_depth(layout), levels);
        free(all.list);
        weft_dag_layout_free(layout);
        free_dag(dag);
    }
}

/* What is opened by hand stays open where a depth is chosen for a number of things. */
static void opened_below_a_chosen_depth(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    for (int i = 0; i < 200; i++) {
        struct weft_dag *dag = random_dag(400);
        struct weft_entity_set opened = { 0 };
        uint32_t most = 1 + roll(300);
        pick_some(&opened, dag, 20);
        struct weft_dag_layout *chosen = weft_dag_layout_new(
            dag, style_of(WEFT_DAG_ROUND),
            (struct weft_dag_expansion){ WEFT_DAG_ALL - 1, most, NULL, NULL }, NULL, &err);
        struct weft_dag_layout *more = weft_dag_layout_new(
            dag, style_of(WEFT_DAG_ROUND),
            (struct weft_dag_expansion){ WEFT_DAG_ALL - 1, most, &opened, NULL }, NULL,
            &err);
        assert_true(weft_dag_layout_placed(chosen) <= most);
        struct stands all = stand(more);
        for (size_t k = 0; k < all.n; k++)
            if (weft_entity_set_contains(&opened, weft_dag_layout_id(all.list[k].node)))
                assert_int_equal(all.list[k].open, dag->nodes[all.list[k].node].n > 0);
        free(all.list);
        weft_dag_layout_free(chosen);
        weft_dag_layout_free(more);
        weft_entity_set_free(&opened);
        free_dag(dag);
    }
}

/* A nest as deep as the DAG has nodes, and a chain as long: no stack is needed. */
static void deep_and_long_ones_need_no_stack(void **state)
{
    (void)state;
    enum { N = 1000000 };
    struct weft_dag *nest = begin_dag(), *chain = begin_dag();
    for (uint32_t i = 0; i < N; i++)
        fill(nest, i, "s");
    for (uint32_t i = 0; i < N; i++)
        add(chain, WEFT_DAG_OTHER, 0);
    chain->nodes[0].first = 1;
    chain->nodes[0].n = N;
    count_inside(nest);
    count_inside(chain);
    struct weft_dag_layout *a = lay_out(nest, WEFT_DAG_ROUND, WEFT_DAG_ALL, NULL, NULL);
    struct weft_dag_layout *b = lay_out(chain, WEFT_DAG_ROUND, WEFT_DAG_ALL, NULL, NULL);
    assert_float_equal(weft_dag_layout_root(a).size.down, 1 + 0.4 * N, 0.1);
    assert_float_equal(weft_dag_layout_root(b).size.down, 1.8 * N - 0.8 + 0.4, 0.1);
    weft_dag_layout_free(a);
    weft_dag_layout_free(b);
    free_dag(nest);
    free_dag(chain);
}

/* What is around many nodes that are opened or closed is gone through once, not for each of them. */
static void changing_a_nest_costs_what_changes(void **state)
{
    (void)state;
    enum { N = 2000, LOOKS = 20 /* at a node: some in each of a few passes */ };
    struct weft_err err = { 0 };
    struct weft_dag *nest = begin_dag();
    struct weft_entity_set all = { 0 };
    for (uint32_t i = 0; i < N; i++)
        fill(nest, i, "s");
    count_inside(nest);
    assert_true(weft_entity_set_add(
        &all,
        (struct weft_entity_range){ weft_dag_layout_id(0), weft_dag_layout_id(N + 5) },
        &err));
    for (int opens = 0; opens < 2; opens++) {
        const struct weft_entity_set none = { 0 };
        struct weft_dag_layout *base =
            lay_out(nest, WEFT_DAG_ROUND, opens ? 1 : WEFT_DAG_ALL, NULL, NULL);
        n_looked_at = 0;
        struct weft_dag_layout *changed = weft_dag_layout_change(
            base, opens ? &all : &none, opens ? &none : &all, NULL, &err);
        assert_non_null(changed);
        assert_true(n_looked_at < (uint64_t)LOOKS * N);
        assert_float_equal(weft_dag_layout_root(changed).size.down, opens ? 1 + 0.4 * N : 1,
                           0.1);
        weft_dag_layout_free(changed);
        weft_dag_layout_free(base);
    }
    weft_entity_set_free(&all);
    free_dag(nest);
}

static void it_can_be_cancelled(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    struct weft_job job = { .cancelled = true };
    struct weft_dag *dag = random_dag(500);
    while (dag->nodes[0].n == 0 || dag->n < 2) {
        free_dag(dag);
        dag = random_dag(500);
    }
    assert_null(weft_dag_layout_new(dag, style_of(WEFT_DAG_ROUND),
                                    (struct weft_dag_expansion){ .depth = 5 }, &job, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    free_dag(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_overlaps),
        cmocka_unit_test(is_as_by_hand),
        cmocka_unit_test(sizes_are_those_of_a_slow_way),
        cmocka_unit_test(small_boxes_are_not_kept),
        cmocka_unit_test(changing_is_as_laying_out_anew),
        cmocka_unit_test(too_deep_a_level_is_cut),
        cmocka_unit_test(no_depth_is_deeper_than_the_dag),
        cmocka_unit_test(opened_below_a_chosen_depth),
        cmocka_unit_test(deep_and_long_ones_need_no_stack),
        cmocka_unit_test(changing_a_nest_costs_what_changes),
        cmocka_unit_test(it_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
