/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where time went, steals and parallelism of random task DAGs, against what one finds by looking
 * at all nodes for each moment; and what DAG Recorder itself says of its files.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyse/dag_compare.h"
#include "analyse/dag_path.h"
#include "analyse/dag_profile.h"
#include "analyse/dag_tasks.h"
#include "analyse/dag_time.h"
#include "base/memory.h"
#include "dag_store.h"
#include "random_programs.h"
#include "read/reader.h"
#include "tests/sweep/roll.h"

enum { DAGS = 500 };

static bool is_here(const struct weft_dag_node *node)
{
    return !node->n;
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* All moments at which anything changes, in order. */
static size_t list_times(const struct random_dag *dag, int64_t *times)
{
    size_t n = 0;
    for (uint32_t i = 0; i < dag->n; i++) {
        times[n++] = dag->nodes[i].begin;
        times[n++] = dag->nodes[i].end;
        times[n++] = dag->nodes[i].first_ready;
        times[n++] = dag->nodes[i].last_start;
    }
    qsort(times, n, sizeof *times, compare_times);
    return n;
}

static void time_is_shared_out(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= DAGS; seed++) {
        struct random_dag from = random_dag_make(seed, seed % 4 * 15, seed % 20 ? 60 : 300);
        struct dag_store store = dag_store_make(&from);
        int64_t *times = calloc(4 * (size_t)from.n, sizeof *times);
        size_t n = list_times(&from, times);
        int64_t delay = 0, no_work = 0, P = from.n_workers;
        for (size_t t = 0; t + 1 < n; t++) {
            int64_t running = 0, ready = 0, at = times[t], ticks = times[t + 1] - at;
            for (uint32_t i = 0; i < from.n; i++) {
                const struct weft_dag_node *node = &from.nodes[i];
                running += is_here(node) && node->begin <= at && at < node->end;
                ready += is_here(node) && node->first_ready <= at && at < node->last_start;
            }
            delay += ticks * (P - running < ready ? P - running : ready);
            no_work += ticks * (P - running - ready > 0 ? P - running - ready : 0);
        }
        for (uint32_t i = 0; i < from.n; i++)
            if (is_here(&from.nodes[i]))
                delay += from.nodes[i].end - from.nodes[i].begin - from.nodes[i].work;
        struct weft_dag_time time;
        assert_true(weft_dag_time_read(store.dag, store.source, NULL, &time, NULL));
        assert_int_equal(time.workers, from.n_workers);
        assert_int_equal(time.work, from.nodes[0].work);
        assert_int_equal(time.critical_path, from.nodes[0].critical_path);
        assert_int_equal(time.delay, delay);
        assert_int_equal(time.no_work, no_work);
        /* Nothing is lost where no node overlaps another on one worker. */
        if (seed % 4 == 0)
            assert_int_equal(time.work + time.delay + time.no_work, P * time.elapsed);
        free(times);
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

static void creates_are_left(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= DAGS; seed++) {
        struct random_dag from = random_dag_make(seed, 0, 60);
        struct dag_store store = dag_store_make(&from);
        int64_t delay = 0;
        for (uint32_t i = 0; i < from.n; i++) {
            int64_t least = INT64_MAX;
            for (uint32_t a = 0; a < from.n_arcs; a++) {
                const struct weft_dag_node *to = &from.nodes[from.arcs[a].to];
                if (from.nodes[i].kind == WEFT_DAG_CREATE && from.arcs[a].from == i
                    && to->worker == from.nodes[i].worker
                    && to->begin - from.nodes[i].end < least)
                    least = to->begin - from.nodes[i].end;
            }
            delay += least == INT64_MAX ? 0 : least;
        }
        struct weft_dag_time time;
        assert_true(weft_dag_time_read(store.dag, store.source, NULL, &time, NULL));
        assert_int_equal(time.create_delay, delay);
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/* ---- Steals ---- */

/* From whom NODE was stolen, or -1. */
static int32_t stolen_from(const struct random_dag *dag, uint32_t node)
{
    const struct weft_dag_node *is = &dag->nodes[node];
    int32_t lowest = INT32_MAX;
    for (uint32_t a = 0; a < dag->n_arcs; a++) {
        const struct weft_dag_node *from = &dag->nodes[dag->arcs[a].from];
        bool last = from->kind == WEFT_DAG_SECTION
                    || (dag->arcs[a].kind == is->in_edge && from->end == is->first_ready);
        if (dag->arcs[a].to == node && last && from->worker >= 0 && is->worker >= 0
            && from->worker != is->worker && from->worker < lowest)
            lowest = from->worker;
    }
    return lowest == INT32_MAX ? -1 : lowest;
}

static void steals_are_found(void **state)
{
    size_t found = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= DAGS; seed++) {
        struct random_dag from = random_dag_make(seed, seed % 3 * 15, seed % 20 ? 60 : 700);
        struct dag_store store = dag_store_make(&from);
        struct weft_dag_steals steals;
        size_t n = 0;
        assert_true(weft_dag_steals_read(store.dag, NULL, &steals, NULL));
        for (size_t i = 0; i < steals.n; i++) {
            const struct weft_dag_steal *steal = &steals.list[i];
            uint32_t task = steal->node;
            while (task && from.nodes[task].kind != WEFT_DAG_TASK)
                task = from.nodes[task].parent;
            assert_int_equal(steal->from, stolen_from(&from, steal->node));
            assert_int_equal(steal->by, from.nodes[steal->node].worker);
            assert_int_equal(steal->task, task);
            assert_int_equal(steal->begin, from.nodes[steal->node].begin);
            assert_int_equal(steal->ready, from.nodes[steal->node].first_ready);
            assert_int_equal(steal->edge, from.nodes[steal->node].in_edge);
            assert_true(!i || steal[-1].begin <= steal->begin);
        }
        for (uint32_t i = 0; i < from.n; i++)
            n += is_here(&from.nodes[i]) && stolen_from(&from, i) >= 0;
        assert_int_equal(steals.n, n);
        found += n;
        weft_dag_steals_free(&steals);
        dag_store_free(&store);
        random_dag_free(&from);
    }
    assert_true(found > DAGS);
}

/* ---- Parallelism ---- */

struct sums {
    const struct random_dag *dag;
    struct weft_span window;
    uint32_t limit;
    double sums[WEFT_DAG_CURVES];
};

static void add_share(struct sums *s, int curve, int64_t begin, int64_t end, int64_t amount)
{
    int64_t from = begin > s->window.begin ? begin : s->window.begin;
    int64_t to = end < s->window.end ? end : s->window.end;
    if (to > from)
        s->sums[curve] += (double)amount * (double)(to - from) / (double)(end - begin);
}

static void add_down_to(struct sums *s, uint32_t number, uint32_t depth)
{
    const struct weft_dag_node *node = &s->dag->nodes[number];
    if (node->created != WEFT_NONE)
        add_down_to(s, node->created, depth);
    for (uint32_t c = 0; depth < s->limit && c < node->n; c++)
        add_down_to(s, node->first + c, depth + 1);
    if (node->n && depth < s->limit)
        return;
    add_share(s, WEFT_DAG_ACTUAL, node->begin, node->end, node->work);
    for (int k = 0; k < WEFT_DAG_EDGES; k++)
        add_share(s, WEFT_DAG_AVAILABLE + k, node->first_ready, node->last_start,
                  node->ready[k]);
}

static void assert_near(double got, double expected)
{
    if (fabs(got - expected) > 1e-9 * (1 + fabs(expected)))
        fail_msg("%.12g instead of %.12g", got, expected);
}

static void compare_means(const struct weft_dag_profile *profile,
                          const struct random_dag *from, struct weft_span window, size_t n,
                          uint32_t depth)
{
    double *means = calloc(n * WEFT_DAG_CURVES, sizeof *means);
    struct weft_span length = { 0, window.end - window.begin };
    weft_dag_profile_means(profile, window, n, means);
    for (size_t c = 0; c < n; c++) {
        struct sums s = { .dag = from, .limit = depth };
        int64_t left = (int64_t)c, parts = (int64_t)n;
        s.window.begin = window.begin + length.end * left / parts;
        s.window.end = window.begin + length.end * (left + 1) / parts;
        if (s.window.end == s.window.begin)
            continue;
        add_down_to(&s, 0, 0);
        for (size_t k = 0; k < WEFT_DAG_CURVES; k++)
            assert_near(means[k * n + c],
                        s.sums[k] / (double)(s.window.end - s.window.begin));
    }
    free(means);
}

struct steps {
    int64_t time;
    double values[WEFT_DAG_CURVES], areas[WEFT_DAG_CURVES];
};

static bool add_step(void *user, int64_t time, const double values[WEFT_DAG_CURVES])
{
    struct steps *steps = user;
    assert_true(time >= steps->time);
    for (size_t k = 0; k < WEFT_DAG_CURVES; k++)
        steps->areas[k] += steps->values[k] * (double)(time - steps->time);
    memcpy(steps->values, values, sizeof steps->values);
    steps->time = time;
    return true;
}

/* The changes of a window, added up, are what the nodes have in it. */
static void compare_changes(const struct weft_dag_profile *profile,
                            const struct random_dag *from, struct weft_span window,
                            uint32_t depth)
{
    struct steps steps = { .time = window.begin };
    struct sums s = { .dag = from, .limit = depth, .window = window };
    weft_dag_profile_changes(profile, window, add_step, &steps);
    add_step(&steps, window.end, steps.values);
    add_down_to(&s, 0, 0);
    for (size_t k = 0; k < WEFT_DAG_CURVES; k++)
        assert_near(steps.areas[k], s.sums[k]);
}

static void parallelism_is_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= DAGS; seed++) {
        static const uint32_t depths[] = { 0, 1, 2, 5, 1000, WEFT_DAG_ALL_DEPTHS };
        struct random_dag from = random_dag_make(seed, seed % 3 * 15, seed % 20 ? 60 : 500);
        struct dag_store store = dag_store_make(&from);
        roll_from(seed);
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
            struct weft_dag_profile *profile =
                weft_dag_profile_new(store.dag, store.source, depths[d], NULL, NULL);
            struct weft_span all = store.source->schema->span, window = all;
            struct steps steps = { .time = all.begin - 1 };
            assert_non_null(profile);
            weft_dag_profile_changes(profile,
                                     (struct weft_span){ all.begin - 1, all.end + 1 },
                                     add_step, &steps);
            assert_near(steps.areas[WEFT_DAG_ACTUAL], (double)from.nodes[0].work);
            compare_means(profile, &from, (struct weft_span){ all.begin, all.end + 1 }, 37,
                          depths[d]);
            int64_t length = all.end - all.begin;
            window.begin += (int64_t)roll((uint64_t)length + 1);
            window.end = window.begin + 1 + (int64_t)roll((uint64_t)length + 10);
            compare_means(profile, &from, window, roll(50) + 1, depths[d]);
            compare_changes(profile, &from, window, depths[d]);
            weft_dag_profile_free(profile);
        }
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/* Also where nodes run before what they wait for, as clocks that differ say. */
static void times_may_contradict_the_order(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        static const uint32_t depths[] = { 1, 3, 6 };
        struct random_dag from = random_dag_make(seed, 0, 300);
        roll_from(seed);
        for (uint32_t i = 0; i < from.n; i++) {
            struct weft_dag_node *node = &from.nodes[i];
            int64_t by = (int64_t)roll(4000) - 3000;
            if (node->n || roll(4))
                continue;
            node->begin += by;
            node->end += by;
            node->first_ready += by;
            node->last_start += by;
        }
        struct dag_store store = dag_store_make(&from);
        for (size_t d = 0; d < sizeof depths / sizeof *depths; d++) {
            struct weft_dag_profile *profile =
                weft_dag_profile_new(store.dag, store.source, depths[d], NULL, NULL);
            struct weft_span all = store.source->schema->span;
            assert_non_null(profile);
            compare_means(profile, &from, (struct weft_span){ all.begin, all.end + 1 }, 37,
                          depths[d]);
            weft_dag_profile_free(profile);
        }
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/* ---- Tasks ---- */

static int64_t own_work(const struct random_dag *dag, uint32_t number)
{
    const struct weft_dag_node *node = &dag->nodes[number];
    int64_t work = node->n ? 0 : node->work;
    for (uint32_t c = 0; c < node->n; c++)
        work += own_work(dag, node->first + c);
    return work;
}

static uint32_t first_of(const struct random_dag *dag, uint32_t node)
{
    while (dag->nodes[node].n)
        node = dag->nodes[node].first;
    return node;
}

static void check_site(const struct random_dag *from, const struct weft_dag_task_site *site,
                       int64_t below)
{
    struct weft_dag_task_site sum = { .smallest = INT64_MAX };
    for (uint32_t i = 0; i < from->n; i++) {
        const struct weft_dag_node *node = &from->nodes[i];
        uint32_t created_at = i ? from->nodes[node->parent].end_site : WEFT_NONE;
        if (node->kind != WEFT_DAG_TASK || created_at != site->site || !i != site->root)
            continue;
        uint32_t first = first_of(from, i);
        int64_t work = own_work(from, i);
        sum.count++;
        sum.work += work;
        sum.small += work < below;
        sum.smallest = work < sum.smallest ? work : sum.smallest;
        sum.stolen += i && stolen_from(from, first) >= 0;
    }
    assert_int_equal(site->count, sum.count);
    assert_int_equal(site->work, sum.work);
    assert_int_equal(site->small, sum.small);
    assert_int_equal(site->smallest, sum.smallest);
    assert_int_equal(site->stolen, sum.stolen);
}

static void tasks_have_their_places(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= DAGS; seed++) {
        bool whole = seed % 3;
        struct random_dag from = random_dag_make(seed, whole ? 0 : 20, 60);
        struct dag_store store = dag_store_make(&from);
        struct weft_dag_task_sites sites;
        int64_t below = (int64_t)(seed % 100), work = 0, count = 0;
        uint32_t alike[64];
        for (uint32_t s = 0; s < 64; s++)
            alike[s] = s;
        assert_in_range(store.source->schema->n_sites, 0, 64);
        assert_true(weft_dag_tasks_read(store.dag, alike, store.source->schema->n_sites,
                                        below, NULL, &sites, NULL));
        for (size_t i = 0; i < sites.n; i++) {
            work += sites.list[i].work;
            count += (int64_t)sites.list[i].count;
            assert_true(!i || sites.list[i - 1].work >= sites.list[i].work);
            if (whole)
                check_site(&from, &sites.list[i], below);
        }
        assert_int_equal(work, from.nodes[0].work);
        assert_int_equal(count, from.nodes[0].leaves[WEFT_DAG_END]);
        weft_dag_tasks_free(&sites);
        dag_store_free(&store);
        random_dag_free(&from);
    }
}

/* What the maker gives, as it goes into a store. */
static void take_node(void *user, const struct weft_dag_node *node)
{
    struct random_dag *made = user;
    made->nodes = realloc(made->nodes, (made->n + 1) * sizeof *made->nodes);
    made->nodes[made->n++] = *node;
}

static struct dag_store make_store(const struct program *program,
                                   const struct weft_dag_contraction *rule,
                                   uint32_t n_sites)
{
    enum { WORKERS = 4 };
    struct weft_dag_maker *maker = weft_dag_maker_new(rule);
    struct random_dag made = { .n_workers = WORKERS, .n_sites = n_sites };
    program_replay(program, maker);
    assert_int_equal(weft_dag_make_finish(maker, 0), 0);
    assert_true(weft_dag_make_nodes(maker, take_node, &made));
    made.tasks = (struct weft_dag_tasks *)weft_dag_make_tasks(maker, &made.n_tasks);
    struct dag_store store = dag_store_make(&made);
    free(made.nodes);
    weft_dag_maker_free(maker);
    return store;
}

static struct weft_dag_task_sites sites_of(const struct dag_store *store, int64_t below)
{
    static const uint32_t alike[] = { 0, 1, 0, 3, 4 }; /* two of them are one line */
    struct weft_dag_task_sites sites;
    assert_true(weft_dag_tasks_read(store->dag, alike, store->source->schema->n_sites,
                                    below, NULL, &sites, NULL));
    return sites;
}

/* Whatever is contracted, lines have their tasks, and creations their delay. */
static void contraction_hides_no_tasks(void **state)
{
    size_t contracted = 0;
    (void)state;
    for (uint32_t seed = 1; seed <= DAGS; seed++) {
        static const int64_t limits[] = { 1, 2, 5, 10, 20, 50, 1000 };
        struct program program = random_program(seed);
        struct weft_dag_contraction off = { .off = true };
        struct weft_dag_contraction rule = { .most = INT64_MAX,
                                             .leaves = seed % 4 == 0 ? seed % 17 : 0,
                                             .least = seed % 4 == 1 ? seed % 50 : 0 };
        for (size_t i = 0; i < program.n_points; i++)
            program.points[i].place.site %= 5;
        struct dag_store whole = make_store(&program, &off, 5);
        struct dag_store short_one = make_store(&program, &rule, 5);
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
            struct weft_dag_task_sites a = sites_of(&whole, limits[l]);
            struct weft_dag_task_sites b = sites_of(&short_one, limits[l]);
            assert_int_equal(a.n, b.n);
            for (size_t i = 0; i < a.n; i++) {
                assert_int_equal(a.list[i].site, b.list[i].site);
                assert_int_equal(a.list[i].root, b.list[i].root);
                assert_false(a.list[i].contracted || b.list[i].contracted);
                assert_int_equal(a.list[i].count, b.list[i].count);
                assert_int_equal(a.list[i].small, b.list[i].small);
                assert_int_equal(a.list[i].work, b.list[i].work);
                assert_int_equal(a.list[i].smallest, b.list[i].smallest);
                if (rule.leaves == 0 && rule.least == 0)
                    assert_int_equal(a.list[i].stolen, b.list[i].stolen);
            }
            weft_dag_tasks_free(&a);
            weft_dag_tasks_free(&b);
        }
        struct weft_dag_time all, some;
        assert_true(weft_dag_time_read(whole.dag, whole.source, NULL, &all, NULL));
        assert_true(weft_dag_time_read(short_one.dag, short_one.source, NULL, &some, NULL));
        if (rule.leaves == 0 && rule.least == 0)
            assert_int_equal(all.create_delay, some.create_delay);
        contracted += weft_dag_contracted(short_one.dag) > 0;
        dag_store_free(&whole);
        dag_store_free(&short_one);
        program_free(&program);
    }
    assert_true(contracted > DAGS / 4);
}

/* Each edge of the program is one of the DAG, also where tasks are created and not waited for. */
static void edges_are_those_of_programs(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= DAGS; seed++) {
        struct program program = random_program(seed);
        struct weft_dag_contraction off = { .off = true };
        struct dag_store store = make_store(&program, &off, (uint32_t)program.n_leaves);
        uint32_t *node_of = calloc(program.n_leaves, sizeof *node_of);
        size_t n_arcs = 0;
        for (uint32_t i = 0; i < weft_dag_size(store.dag); i++) {
            struct weft_dag_arc arcs[WEFT_DAG_ARCS];
            struct weft_dag_node node;
            weft_dag_node(store.dag, i, &node);
            if (node.kind < WEFT_DAG_LEAF_KINDS)
                node_of[node.begin_site] = i; /* where it begins is the leaf's number */
            n_arcs += weft_dag_successors(store.dag, i, arcs);
        }
        assert_int_equal(n_arcs, program.n_edges);
        for (size_t e = 0; e < program.n_edges; e++) {
            const struct edge *edge = &program.edges[e];
            struct weft_dag_arc arcs[WEFT_DAG_ARCS];
            size_t n = weft_dag_successors(store.dag, node_of[edge->from], arcs), found = 0;
            for (size_t a = 0; a < n; a++)
                found += arcs[a].to == node_of[edge->to] && arcs[a].kind == edge->kind;
            assert_int_equal(found, 1);
        }
        free(node_of);
        dag_store_free(&store);
        program_free(&program);
    }
}

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
        sum += step->work + (way == WEFT_DAG_BY_TIME ? step->delay : 0);
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
                    int64_t ticks = step->work + way * step->delay;
                    assert_true(step->node != places[i].longest
                                || ticks <= places[i].longest_ticks);
                    most = ticks > most ? ticks : most;
                }
                assert_int_equal(most, places[i].longest_ticks);
            }
            for (size_t i = 1; i < n; i++)
                assert_true(places[i - 1].work + way * places[i - 1].delay
                            >= places[i].work + way * places[i].delay);
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
    struct weft_dag_costs costs = { .work = (double)dag->nodes[of].work };
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
            costs.delay +=
                (double)(dag->nodes[i].end - dag->nodes[i].begin - dag->nodes[i].work);
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
        struct weft_dag_bill *bill =
            weft_dag_bill_new(store.dag, store.source->schema, NULL, NULL);
        assert_non_null(bill);
        for (uint32_t i = 0; i < from.n; i++) {
            struct weft_dag_costs got = weft_dag_bill_of(bill, i);
            struct weft_dag_costs expected = bear(&from, i, times, n);
            assert_near(got.work, expected.work);
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
    for (int i = 0; i < 2; i++) {
        stores[i] = dag_store_make(from[i]);
        bills[i] = weft_dag_bill_new(stores[i].dag, stores[i].source->schema, NULL, NULL);
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
        assert_near(pair->change, fabs(a.work - b.work) + fabs(a.delay - b.delay)
                                      + fabs(a.no_work - b.no_work));
        assert_true(!i || pair[-1].change >= pair->change);
        if (same)
            assert_near(a.work, b.work);
    }
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

/* ---- DAG Recorder's own words ---- */

/* The number behind NAME in a .stat file. */
static int64_t said(const char *path, const char *name)
{
    FILE *file = fopen(path, "r");
    char line[256];
    int64_t value = -1;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        const char *equals = strchr(line, '=');
        if (equals && strncmp(line, name, strlen(name)) == 0)
            value = strtoll(equals + 1, NULL, 10);
    }
    fclose(file);
    assert_true(value >= 0);
    return value;
}

static void check_file(const char *folder, const char *name)
{
    char store[] = "/tmp/weft-dag-stat.XXXXXX";
    char *path = weft_asprintf("%s/corpus/dag/%s.dag", folder, name);
    char *stat = weft_asprintf("%s/corpus/dag/%s.stat", folder, name);
    struct weft_dag_time time;
    struct weft_err err;
    close(mkstemp(store));
    assert_true(weft_import(path, NULL, store, NULL, &err));
    struct weft_trace *trace = weft_trace_open(store, &err);
    struct weft_dag *dag = weft_dag_open(weft_trace_source(trace), &err);
    assert_non_null(dag);
    assert_true(weft_dag_time_read(dag, weft_trace_source(trace), NULL, &time, &err));
    assert_int_equal(time.work, said(stat, "work (T1)"));
    assert_int_equal(time.delay, said(stat, "delay"));
    assert_int_equal(time.no_work, said(stat, "no_work"));
    assert_int_equal(time.critical_path, said(stat, "critical_path (T_inf)"));
    assert_int_equal(time.workers, said(stat, "n_workers (P)"));
    assert_int_equal(time.elapsed, said(stat, "elapsed"));
    weft_dag_close(dag);
    weft_trace_close(trace);
    unlink(store);
    free(path);
    free(stat);
}

static void files_agree(void **state)
{
    const char *shared = getenv("WEFT_SHARED");
    char *folder = weft_asprintf("%s/corpus/dag", shared ? shared : "");
    (void)state;
    bool there = access(folder, R_OK) == 0;
    free(folder);
    if (!there) {
        print_message("DAG Recorder's files are not there (WEFT_SHARED)\n");
        skip();
    }
    check_file(shared, "mtbb_bin10_default");
    check_file(shared, "mtbb_bin4_default");
    check_file(shared, "mtbb_bin4_nocollapse");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_is_shared_out),
        cmocka_unit_test(creates_are_left),
        cmocka_unit_test(steals_are_found),
        cmocka_unit_test(parallelism_is_exact),
        cmocka_unit_test(contraction_hides_no_tasks),
        cmocka_unit_test(edges_are_those_of_programs),
        cmocka_unit_test(times_may_contradict_the_order),
        cmocka_unit_test(tasks_have_their_places),
        cmocka_unit_test(ways_are_longest),
        cmocka_unit_test(costs_are_shared_out),
        cmocka_unit_test(runs_are_aligned),
        cmocka_unit_test(files_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
