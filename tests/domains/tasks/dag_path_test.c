/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The longest ways through random task DAGs, what they cost, and how two runs compare, against
 * what one finds by looking at all nodes.
 */
#include <math.h>

#include "base/memory.h"
#include "dag_looks.h"
#include "dag_store.h"
#include "domains/tasks/analyse/dag_compare.h"
#include "domains/tasks/analyse/dag_levels.h"
#include "domains/tasks/analyse/dag_path.h"
#include "tests/random.h"
#include "tests/test.h"

/* ---- Ways through ---- */

static bool has_arc(const struct random_dag *dag, uint32_t from, uint32_t to)
{
    for (uint32_t a = 0; a < dag->n_arcs; a++)
        if (dag->arcs[a].from == from && dag->arcs[a].to == to)
            return true;
    return false;
}

/* The latest end of what leads to a node. */
static int64_t latest_before(const struct random_dag *dag, uint32_t to)
{
    int64_t latest = INT64_MIN;
    for (uint32_t a = 0; a < dag->n_arcs; a++)
        if (dag->arcs[a].to == to && dag->nodes[dag->arcs[a].from].end > latest)
            latest = dag->nodes[dag->arcs[a].from].end;
    return latest;
}

static void check_way(const struct random_dag *from, const struct weft_dag_path *path,
                      enum weft_dag_way way)
{
    const struct weft_dag_node *root = &from->nodes[0];
    int64_t sum = 0;
    assert_true(path->n > 0);
    assert_int_equal(path->steps[0].node, first_of(from, 0));
    for (size_t i = 0; i < path->n; i++) {
        const struct weft_dag_step *step = &path->steps[i];
        const struct weft_dag_node *node = &from->nodes[step->node];
        assert_true(is_here(node) && step->site == node->begin_site);
        assert_true(step->work >= 0 && step->delay >= 0);
        if (i)
            assert_true(has_arc(from, path->steps[i - 1].node, step->node));
        if (i && way == WEFT_DAG_BY_TIME)
            assert_int_equal(from->nodes[path->steps[i - 1].node].end,
                             latest_before(from, step->node));
        if (way == WEFT_DAG_BY_WORK)
            assert_int_equal(step->work, node->critical_path);
        /* All of its waiting, unless work and waiting are more than its time. */
        int64_t rest = node->end - node->begin - step->work;
        assert_int_equal(step->waiting, node->worker < 0       ? 0
                                        : rest < node->waiting ? (rest > 0 ? rest : 0)
                                                               : node->waiting);
        sum += step->work + (way == WEFT_DAG_BY_TIME ? step->waiting + step->delay : 0);
    }
    /* The longest way there is, and all of the run. */
    assert_int_equal(sum, way == WEFT_DAG_BY_WORK ? root->critical_path
                                                  : root->end - root->first_ready);
}

static void ways_are_longest(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= DAGS; seed++) {
        struct random_dag from = random_dag_make(seed, seed % 3 * 10, 60);
        struct dag_store store = dag_store_make(&from);
        uint32_t n_sites = store.source->schema->n_sites;
        uint32_t *alike = calloc(n_sites + 1, sizeof *alike); /* all of one place */
        for (int way = 0; way < 2; way++) {
            struct weft_dag_path path;
            struct weft_dag_path_place *places;
            uint64_t count = 0;
            assert_true(
                weft_dag_path_read(store.dag, (enum weft_dag_way)way, NULL, &path, NULL));
            check_way(&from, &path, (enum weft_dag_way)way);
            size_t n = weft_dag_path_places(&path, alike, n_sites, &places);
            assert_in_range(n, 1, 4); /* known or not, at either end */
            for (size_t i = 0; i < n; i++) {
                count += places[i].count;
                int64_t most = -1; /* of the steps there, and of the one that is named */
                for (size_t k = 0; k < path.n; k++) {
                    const struct weft_dag_step *step = &path.steps[k];
                    uint32_t begin = step->site < n_sites ? alike[step->site] : WEFT_NONE;
                    uint32_t end = step->last < n_sites ? alike[step->last] : WEFT_NONE;
                    if (begin != places[i].site || end != places[i].last)
                        continue;
                    int64_t ticks = step->work + way * (step->waiting + step->delay);
                    assert_true(step->node != places[i].longest
                                || ticks <= places[i].longest_ticks);
                    most = ticks > most ? ticks : most;
                }
                assert_int_equal(most, places[i].longest_ticks);
            }
            for (size_t i = 1; i < n; i++)
                assert_true(
                    places[i - 1].work + way * (places[i - 1].waiting + places[i - 1].delay)
                    >= places[i].work + way * (places[i].waiting + places[i].delay));
            assert_int_equal(count, path.n);
            free(places);
            weft_dag_path_free(&path);
        }
        free(alike);
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/* ---- Two runs ---- */

static bool is_inside(const struct random_dag *dag, uint32_t node, uint32_t of)
{
    while (node != of && node != WEFT_NONE && node)
        node = dag->nodes[node].parent;
    return node == of;
}

/* What a node bears, moment by moment. */
static struct weft_dag_costs bear(const struct random_dag *dag, uint32_t of,
                                  const int64_t *times, size_t n)
{
    struct weft_dag_costs costs = { .work = (double)dag->nodes[of].work,
                                    .waiting = (double)dag->nodes[of].waiting };
    double P = dag->n_workers;
    for (size_t t = 0; t + 1 < n; t++) {
        double running = 0, ready = 0, ours = 0, ours_ready = 0;
        double ticks = (double)(times[t + 1] - times[t]);
        for (uint32_t i = 0; ticks > 0 && i < dag->n; i++) {
            const struct weft_dag_node *node = &dag->nodes[i];
            bool runs = node->begin <= times[t] && times[t] < node->end;
            bool waits = node->first_ready <= times[t] && times[t] < node->last_start;
            if (node->n || (!runs && !waits))
                continue;
            bool inside = is_inside(dag, i, of);
            running += runs;
            ready += waits;
            ours += inside * (runs + waits);
            ours_ready += inside && waits;
        }
        if (ready > 0)
            costs.delay += ticks * fmin(P - running, ready) * ours_ready / ready;
        if (running + ready > 0)
            costs.no_work +=
                ticks * fmax(0, P - running - ready) * ours / (running + ready);
    }
    for (uint32_t i = 0; i < dag->n; i++)
        if (is_here(&dag->nodes[i]) && is_inside(dag, i, of))
            costs.delay += (double)(dag->nodes[i].end - dag->nodes[i].begin
                                    - dag->nodes[i].work - dag->nodes[i].waiting);
    return costs;
}

static void costs_are_shared_out(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct random_dag from = random_dag_make(seed, seed % 3 * 15, 25);
        struct dag_store store = dag_store_make(&from);
        int64_t *times = calloc(4 * (size_t)from.n, sizeof *times);
        size_t n = list_times(&from, times);
        struct weft_dag_bill *bill = weft_dag_bill_new(store.dag, store.source, NULL, NULL);
        assert_non_null(bill);
        for (uint32_t i = 0; i < from.n; i++) {
            struct weft_dag_costs got = weft_dag_bill_of(bill, i);
            struct weft_dag_costs expected = bear(&from, i, times, n);
            assert_near(got.work, expected.work);
            assert_near(got.waiting, expected.waiting);
            assert_near(got.delay, expected.delay);
            assert_near(got.no_work, expected.no_work);
        }
        weft_dag_bill_free(bill);
        free(times);
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

struct alignment {
    const struct random_dag *dags[2];
    uint64_t aligned, differing;
};

static void align(struct alignment *al, uint32_t a, uint32_t b)
{
    const struct weft_dag_node *x = &al->dags[0]->nodes[a], *y = &al->dags[1]->nodes[b];
    bool inside = x->n && y->n;
    bool differs = x->kind != y->kind
                   || (x->created == WEFT_NONE) != (y->created == WEFT_NONE)
                   || (inside && x->n != y->n)
                   || (!inside && memcmp(x->leaves, y->leaves, sizeof x->leaves) != 0);
    al->aligned++;
    al->differing += differs;
    if (x->kind != y->kind)
        return;
    if (x->created != WEFT_NONE && y->created != WEFT_NONE)
        align(al, x->created, y->created);
    for (uint32_t c = 0; inside && c < x->n && c < y->n; c++) {
        align(al, x->first + c, y->first + c);
        if (al->dags[0]->nodes[x->first + c].kind != al->dags[1]->nodes[y->first + c].kind)
            break;
    }
}

static void compare_two(const struct random_dag *first, const struct random_dag *second,
                        bool same)
{
    const struct random_dag *from[2] = { first, second };
    struct alignment al = { .dags = { first, second } };
    struct dag_store stores[2];
    struct weft_dag_bill *bills[2];
    struct weft_dag_pairs pairs;
    double sum = 0, delay = 0, work_change = 0, delay_change = 0;
    for (int i = 0; i < 2; i++) {
        stores[i] = dag_store_make(from[i]);
        bills[i] = weft_dag_bill_new(stores[i].dag, stores[i].source, NULL, NULL);
    }
    align(&al, 0, 0);
    assert_true(weft_dag_compare(
        (const struct weft_dag *const[]){ stores[0].dag, stores[1].dag },
        (const struct weft_dag_bill *const[]){ bills[0], bills[1] }, NULL, &pairs, NULL));
    assert_int_equal(pairs.aligned, al.aligned);
    assert_int_equal(pairs.differing, al.differing);
    assert_true(!same || !pairs.differing);
    for (size_t i = 0; i < pairs.n; i++) {
        const struct weft_dag_pair *pair = &pairs.list[i];
        struct weft_dag_costs a = weft_dag_bill_of(bills[0], pair->node[0]);
        struct weft_dag_costs b = weft_dag_bill_of(bills[1], pair->node[1]);
        assert_near(pair->change, fabs(pair->own.work) + fabs(pair->own.waiting)
                                      + fabs(pair->own.delay) + fabs(pair->own.no_work));
        sum += pair->own.work;
        delay += pair->own.delay;
        if (pair->depth == 0) {
            work_change = b.work - a.work;
            delay_change = b.delay - a.delay;
            assert_int_equal(pair->inside, pairs.differing > pair->differs);
        }
        assert_true(!i || pair[-1].change >= pair->change);
        if (same)
            assert_near(a.work, b.work);
    }
    /* Each change counts once. */
    assert_near(sum, work_change);
    assert_near(delay, delay_change);
    weft_dag_pairs_free(&pairs);
    for (int i = 0; i < 2; i++) {
        weft_dag_bill_free(bills[i]);
        dag_store_free(&stores[i]);
    }
}

static void runs_are_aligned(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        struct random_dag whole = random_dag_make(seed, 0, 60);
        struct random_dag contracted = random_dag_make(seed, 20, 60);
        struct random_dag other = random_dag_make(seed + DAGS, seed % 3 * 10, 60);
        compare_two(&whole, &whole, true);
        compare_two(&contracted, &whole, true); /* contracting is no other structure */
        compare_two(&whole, &other, false);
        random_dag_free(&whole);
        random_dag_free(&contracted);
        random_dag_free(&other);
    }
}

/* Returns the numbers of two tasks that were created in one section, one after the other, in
   PAIR; false if there are none. */
static bool two_tasks(const struct random_dag *dag, uint32_t pair[2])
{
    for (uint32_t i = 0; i < dag->n; i++) {
        const struct weft_dag_node *section = &dag->nodes[i];
        unsigned found = 0;
        for (uint32_t c = 0; section->kind == WEFT_DAG_SECTION && c < section->n; c++)
            if (dag->nodes[section->first + c].created != WEFT_NONE && found < 2)
                pair[found++] = dag->nodes[section->first + c].created;
        if (found == 2)
            return true;
    }
    return false;
}

/* An order between two tasks in one run alone is a difference, and in both it is none. */
static void orders_are_compared(void **state)
{
    unsigned compared = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct random_dag without = random_dag_make(seed, 0, 60);
        struct random_dag with = random_dag_make(seed, 0, 60);
        struct dag_store stores[2];
        struct weft_dag_bill *bills[2];
        struct weft_dag_pairs pairs;
        struct weft_dag_order order = { .kind = WEFT_DAG_ORDER_DEPENDENCE };
        uint32_t tasks[2];
        if (two_tasks(&with, tasks)) {
            order.before = tasks[0];
            order.after = tasks[1];
            with.orders = &order;
            with.n_orders = 1;
            compare_two(&with, &with, true);
            stores[0] = dag_store_make(&without);
            stores[1] = dag_store_make(&with);
            for (int i = 0; i < 2; i++)
                bills[i] = weft_dag_bill_new(stores[i].dag, stores[i].source, NULL, NULL);
            assert_true(weft_dag_compare(
                (const struct weft_dag *const[]){ stores[0].dag, stores[1].dag },
                (const struct weft_dag_bill *const[]){ bills[0], bills[1] }, NULL, &pairs,
                NULL));
            assert_int_equal(pairs.differing, 1);
            for (size_t i = 0; i < pairs.n; i++)
                assert_int_equal(pairs.list[i].differs, pairs.list[i].node[0] == tasks[1]);
            weft_dag_pairs_free(&pairs);
            for (int i = 0; i < 2; i++) {
                weft_dag_bill_free(bills[i]);
                dag_store_free(&stores[i]);
            }
            with.orders = NULL;
            compared++;
        }
        random_dag_free(&without);
        random_dag_free(&with);
    }
    assert_true(compared > 10);
}

/* The innermost task around a node, by its parents; itself if it is one. */
static uint32_t slow_task_of(const struct random_dag *dag, uint32_t node)
{
    while (node != 0 && dag->nodes[node].kind != WEFT_DAG_TASK)
        node = dag->nodes[node].parent;
    return node;
}

/* Orders of tasks after others of their section that were created before, by rising `after`. */
static size_t some_orders(const struct random_dag *dag, struct weft_dag_order *orders,
                          size_t most)
{
    size_t n = 0;
    for (uint32_t after = 1; after < dag->n; after++) {
        uint32_t create = dag->nodes[after].parent;
        if (dag->nodes[after].kind != WEFT_DAG_TASK)
            continue;
        for (uint32_t c = dag->nodes[dag->nodes[create].parent].first; c < create; c++)
            if (dag->nodes[c].created != WEFT_NONE && roll(2) == 0 && n < most)
                orders[n++] = (struct weft_dag_order){ dag->nodes[c].created, after,
                                                       WEFT_DAG_ORDER_DEPENDENCE };
    }
    return n;
}

/* Each task is below its creator and below what it comes after, by looking until nothing changes. */
static void levels_are_lowest(void **state)
{
    enum { MOST = 400 };
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random_dag from = random_dag_make(seed, seed % 3 * 10, 120);
        struct weft_dag_order orders[MOST];
        uint32_t *expected = calloc(from.n, sizeof *expected);
        struct weft_dag_levels levels;
        bool changes = true;
        roll_from(seed);
        from.orders = orders;
        from.n_orders = some_orders(&from, orders, MOST);
        while (changes) {
            changes = false;
            for (uint32_t i = 1; i < from.n; i++) {
                uint32_t least;
                if (from.nodes[i].kind != WEFT_DAG_TASK)
                    continue;
                least = expected[slow_task_of(&from, from.nodes[i].parent)] + 1;
                for (size_t o = 0; o < from.n_orders; o++)
                    if (orders[o].after == i && expected[orders[o].before] + 1 > least)
                        least = expected[orders[o].before] + 1;
                changes |= least > expected[i];
                expected[i] = least;
            }
        }
        struct dag_store store = dag_store_make(&from);
        assert_true(weft_dag_levels_read(store.dag, NULL, &levels, NULL));
        for (uint32_t i = 0, seen = 0; i < from.n; i++) {
            bool is_task = i == 0 || from.nodes[i].kind == WEFT_DAG_TASK;
            assert_int_equal(levels.of[i], is_task ? expected[i] : WEFT_NONE);
            seen += is_task;
            assert_true(i + 1 < from.n || seen == levels.n_tasks);
        }
        for (uint32_t level = 0; level < levels.n; level++)
            for (uint64_t k = levels.begin[level]; k < levels.begin[level + 1]; k++) {
                assert_int_equal(levels.of[levels.tasks[k]], level);
                assert_true(k == levels.begin[level]
                            || levels.tasks[k - 1] < levels.tasks[k]);
            }
        weft_dag_levels_free(&levels);
        from.orders = NULL;
        dag_store_free(&store);
        random_dag_free(&from);
        free(expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ways_are_longest),  cmocka_unit_test(costs_are_shared_out),
        cmocka_unit_test(runs_are_aligned),  cmocka_unit_test(orders_are_compared),
        cmocka_unit_test(levels_are_lowest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
