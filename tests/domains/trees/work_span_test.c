/* SPDX-License-Identifier: Apache-2.0 */
/* Work and span of 1,000 random graphs against all their paths, one after another. */
#include "domains/trees/analyse/work_span.h"
#include "random_tasks.h"
#include "tests/test.h"

/* before[i][j]: task j has to wait for task i. */
struct order {
    bool before[MAX_TASKS][MAX_TASKS];
    bool cyclic[MAX_TASKS];
    const struct made_tasks *made;
    enum weft_work_unit unit;
};

static bool counts(enum weft_role role)
{
    return role == WEFT_ROLE_NONE || role == WEFT_ROLE_SPAWN
           || role == WEFT_ROLE_DATA_DEPENDENCE || role == WEFT_ROLE_MESSAGE;
}

static void find_order(struct order *o, const struct made_tasks *made)
{
    *o = (struct order){ .made = made };
    for (int i = 0; i < made->n_tasks; i++)
        if (made->tasks[i].in_tree && made->tasks[i].parent >= 0)
            o->before[made->tasks[i].parent][i] = true;
    for (int e = 0; e < made->n_edges; e++) {
        const struct made_edge *edge = &made->edges[e];
        if (counts(edge->role) && edge->from != edge->to && made->tasks[edge->from].in_tree
            && made->tasks[edge->to].in_tree)
            o->before[edge->from][edge->to] = true;
    }
    bool reach[MAX_TASKS][MAX_TASKS]; /* Warshall */
    memcpy(reach, o->before, sizeof reach);
    for (int k = 0; k < made->n_tasks; k++)
        for (int i = 0; i < made->n_tasks; i++)
            for (int j = 0; j < made->n_tasks; j++)
                reach[i][j] |= reach[i][k] && reach[k][j];
    for (int i = 0; i < made->n_tasks; i++)
        for (int j = 0; j < made->n_tasks; j++)
            o->cyclic[i] |= reach[j][j] && (i == j || reach[j][i]);
}

static int64_t work_of(const struct order *o, int task)
{
    return o->unit == WEFT_WORK_IN_TICKS ? o->made->tasks[task].work : 1;
}

/* The longest of all paths that begin with a task. */
static int64_t longest_from(const struct order *o, int task)
{
    int64_t rest = 0;
    for (int next = 0; next < o->made->n_tasks; next++)
        if (o->before[task][next] && !o->cyclic[next]) {
            int64_t length = longest_from(o, next);
            rest = length > rest ? length : rest;
        }
    return work_of(o, task) + rest;
}

/* The task of a node; -1: the root above several. */
static int task_of(const struct weft_graph *graph, const struct weft_schema *schema,
                   const struct made_tasks *made, uint32_t node)
{
    for (int i = 0; i < made->n_tasks; i++)
        if (weft_graph_node(graph, piece_id(schema, made, made->tasks[i].first)) == node)
            return i;
    assert_int_equal(node, 0);
    return -1;
}

static void check_path(const struct weft_work_span *found, const struct weft_graph *graph,
                       const struct weft_schema *schema, const struct order *o)
{
    int64_t length = 0;
    for (uint32_t i = 0; i < found->n_path; i++) {
        int task = task_of(graph, schema, o->made, found->path[i]);
        int before = i ? task_of(graph, schema, o->made, found->path[i - 1]) : -1;
        length += task < 0 ? 0 : work_of(o, task);
        assert_true(before < 0 || o->before[before][task]);
    }
    assert_int_equal(length, found->span);
}

static void check(const struct made_tasks *made, const struct weft_source *source,
                  enum weft_work_unit unit)
{
    struct weft_err err;
    struct weft_work_span found;
    struct order o;
    int64_t work = 0, span = 0;
    uint32_t cyclic = 0;
    struct weft_graph *graph = weft_graph_read(source, NULL, &err);
    assert_non_null(graph);
    assert_true(weft_work_span(graph, unit, NULL, &found, &err));
    find_order(&o, made);
    o.unit = unit;
    for (int i = 0; i < made->n_tasks; i++) {
        if (!made->tasks[i].in_tree)
            continue;
        work += work_of(&o, i);
        cyclic += o.cyclic[i];
        if (o.cyclic[i])
            continue;
        int64_t length = longest_from(&o, i);
        span = length > span ? length : span;
    }
    assert_int_equal(found.work, work);
    assert_int_equal(found.span, span);
    assert_int_equal(found.n_cyclic, cyclic);
    assert_int_equal(found.first_cyclic == WEFT_NONE, cyclic == 0);
    if (cyclic)
        assert_true(o.cyclic[task_of(graph, source->schema, made, found.first_cyclic)]);
    check_path(&found, graph, source->schema, &o);
    weft_work_span_free(&found);
    weft_graph_free(graph);
}

static void work_and_span_equal_all_paths(void **state)
{
    (void)state;
    for (int round = 0; round < 1000; round++) {
        struct made_tasks made;
        struct weft_trace *trace = random_tasks(&made, round % 3 == 0);
        check(&made, weft_trace_source(trace), WEFT_WORK_IN_TICKS);
        check(&made, weft_trace_source(trace), WEFT_WORK_IN_NODES);
        weft_trace_close(trace);
    }
}

/* A chain deeper than any stack: each of N nodes of one tick created the next. */
static void a_long_chain_needs_no_stack(void **state)
{
    (void)state;
    enum { N = 1000000 };
    struct weft_err err;
    struct weft_tree_builder *b = weft_tree_builder_new();
    weft_tree_label(b, &(struct weft_tree_label){ "p", WEFT_NONE, 0, WEFT_NONE });
    assert_non_null(weft_tree_pe(b, "PE", 0, 0, N));
    for (uint32_t i = 0; i < N; i++)
        weft_tree_put(b, i,
                      &(struct weft_tree_node){
                          .parent = i ? i - 1 : WEFT_NONE, .time = i, .ordinal = i });
    struct weft_tree *tree = weft_tree_finish(b, NULL, &err);
    assert_non_null(tree);
    uint32_t *ticks = weft_alloc(N * sizeof *ticks), *none = weft_zalloc(N + 1, 4);
    for (uint32_t i = 0; i < N; i++)
        ticks[i] = 1;
    struct weft_tree_edges edges = { .n_nodes = N, .out_begin = none, .in_begin = none };
    const struct weft_graph graph = { .tree = tree,
                                      .edges = &edges,
                                      .hierarchy = WEFT_HIERARCHY_CREATION,
                                      .work = { .ticks = ticks } };
    struct weft_work_span found;
    assert_true(weft_work_span(&graph, WEFT_WORK_IN_TICKS, NULL, &found, &err));
    assert_int_equal(found.work, N);
    assert_int_equal(found.span, N);
    assert_int_equal(found.n_path, N);
    weft_work_span_free(&found);
    struct weft_job job = { .cancelled = true };
    assert_false(weft_work_span(&graph, WEFT_WORK_IN_TICKS, &job, &found, &err));
    assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    free(ticks);
    free(none);
    weft_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_and_span_equal_all_paths),
        cmocka_unit_test(a_long_chain_needs_no_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
