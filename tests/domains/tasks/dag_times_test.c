/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where time went, steals and tasks of random task DAGs, against what one finds by looking at all
 * nodes for each moment; and what DAG Recorder itself says of its files.
 */
#include "base/memory.h"
#include "dag_looks.h"
#include "dag_store.h"
#include "domains/tasks/analyse/dag_path.h"
#include "domains/tasks/analyse/dag_task_sizes.h"
#include "domains/tasks/analyse/dag_time_breakdown.h"
#include "random_programs.h"
#include "read/reader.h"
#include "tests/random.h"
#include "tests/test.h"

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
                delay += from.nodes[i].end - from.nodes[i].begin - from.nodes[i].work
                         - from.nodes[i].waiting;
        struct weft_dag_time time;
        assert_true(weft_dag_time_read(store.dag, store.source, NULL, &time, NULL));
        assert_int_equal(time.workers, from.n_workers);
        assert_int_equal(time.work, from.nodes[0].work);
        assert_int_equal(time.waiting, from.nodes[0].waiting);
        assert_int_equal(time.critical_path, from.nodes[0].critical_path);
        assert_int_equal(time.delay, delay);
        assert_int_equal(time.no_work, no_work);
        /* Nothing is lost where no node overlaps another on one worker. */
        if (seed % 4 == 0)
            assert_int_equal(time.work + time.waiting + time.delay + time.no_work,
                             P * time.elapsed);
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

/* ---- Tasks ---- */

static int64_t own_work(const struct random_dag *dag, uint32_t number)
{
    const struct weft_dag_node *node = &dag->nodes[number];
    int64_t work = node->n ? 0 : node->work;
    for (uint32_t c = 0; c < node->n; c++)
        work += own_work(dag, node->first + c);
    return work;
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
    made.orders = (struct weft_dag_order *)weft_dag_make_orders(maker, &made.n_orders);
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
        random_program_free(&program);
    }
    assert_true(contracted > DAGS / 4);
}

/* Returns how many rows say that AFTER is ordered after BEFORE; both orders of rows agree. */
static size_t count_orders(const struct weft_dag *dag, uint32_t before, uint32_t after)
{
    struct weft_dag_order order;
    size_t n = 0, by_before = 0;
    for (uint64_t row = weft_dag_orders_into(dag, after);
         row < weft_dag_orders(dag) && weft_dag_order(dag, row, &order)
         && order.after == after;
         row++)
        n += order.before == before;
    for (uint64_t row = weft_dag_orders_from(dag, before);
         row < weft_dag_orders(dag) && weft_dag_order_by_before(dag, row, &order)
         && order.before == before;
         row++)
        by_before += order.after == after;
    assert_int_equal(n, by_before);
    return n;
}

/* The edge is an order of the DAG: between tasks, or from a task to an interval. */
static void check_order(const struct weft_dag *dag, const struct edge *edge,
                        const uint32_t *node_of)
{
    uint32_t before = weft_dag_task_of(dag, node_of[edge->from], NULL);
    uint32_t after = edge->to == edge->to_create
                         ? node_of[edge->to]
                         : weft_dag_task_of(dag, node_of[edge->to], NULL);
    assert_int_equal(count_orders(dag, before, after), 1);
}

/* Does an edge, or an order, lead from node A to node B, which are leaves? */
static bool is_edge(const struct program *program, const uint32_t *node_of, uint32_t a,
                    uint32_t b)
{
    for (size_t e = 0; e < program->n_edges; e++)
        if (node_of[program->edges[e].from] == a && node_of[program->edges[e].to] == b)
            return true;
    return false;
}

/* The critical path goes along edges and orders, and is as long as the root says, with parts
   contracted or not. */
static void critical_paths_follow_orders(void **state)
{
    size_t n_ordered = 0;
    (void)state;
    for (uint32_t seed = 1; seed <= DAGS; seed++) {
        struct program program = random_program(seed);
        struct weft_dag_contraction off = { .off = true }, on = { .most = INT64_MAX };
        struct dag_store store = make_store(&program, &off, (uint32_t)program.n_leaves);
        struct dag_store short_one = make_store(&program, &on, (uint32_t)program.n_leaves);
        uint32_t *node_of = calloc(program.n_leaves, sizeof *node_of);
        struct weft_dag_path path;
        struct weft_dag_node node;
        for (uint32_t i = 0; i < weft_dag_size(store.dag); i++) {
            weft_dag_node(store.dag, i, &node);
            if (node.kind < WEFT_DAG_LEAF_KINDS)
                node_of[node.begin_site] = i;
        }
        weft_dag_node(store.dag, 0, &node);
        assert_true(weft_dag_path_read(store.dag, WEFT_DAG_BY_WORK, NULL, &path, NULL));
        assert_int_equal(path.work, node.critical_path);
        for (size_t i = 1; i < path.n; i++)
            assert_true(
                is_edge(&program, node_of, path.steps[i - 1].node, path.steps[i].node));
        weft_dag_path_free(&path);
        assert_true(weft_dag_path_read(short_one.dag, WEFT_DAG_BY_WORK, NULL, &path, NULL));
        assert_int_equal(path.work, node.critical_path);
        weft_dag_path_free(&path);
        n_ordered += weft_dag_orders(store.dag) > 0;
        free(node_of);
        dag_store_free(&store);
        dag_store_free(&short_one);
        random_program_free(&program);
    }
    assert_true(n_ordered > DAGS / 4);
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
        size_t n_arcs = 0, n_orders = 0;
        for (uint32_t i = 0; i < weft_dag_size(store.dag); i++) {
            struct weft_dag_arc arcs[WEFT_DAG_ARCS];
            struct weft_dag_node node;
            weft_dag_node(store.dag, i, &node);
            if (node.kind < WEFT_DAG_LEAF_KINDS)
                node_of[node.begin_site] = i; /* where it begins is the leaf's number */
            n_arcs += weft_dag_successors(store.dag, i, arcs);
        }
        for (size_t e = 0; e < program.n_edges; e++) {
            const struct edge *edge = &program.edges[e];
            struct weft_dag_arc arcs[WEFT_DAG_ARCS];
            if (edge->kind == (enum weft_dag_edge)ORDER_EDGE) {
                check_order(store.dag, edge, node_of);
                n_orders++;
                continue;
            }
            size_t n = weft_dag_successors(store.dag, node_of[edge->from], arcs), found = 0;
            for (size_t a = 0; a < n; a++)
                found += arcs[a].to == node_of[edge->to] && arcs[a].kind == edge->kind;
            assert_int_equal(found, 1);
        }
        assert_int_equal(n_arcs + n_orders, program.n_edges);
        assert_int_equal(weft_dag_orders(store.dag), n_orders);
        free(node_of);
        dag_store_free(&store);
        random_program_free(&program);
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
        cmocka_unit_test(contraction_hides_no_tasks),
        cmocka_unit_test(edges_are_those_of_programs),
        cmocka_unit_test(critical_paths_follow_orders),
        cmocka_unit_test(tasks_have_their_places),
        cmocka_unit_test(files_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
