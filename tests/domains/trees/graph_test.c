/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs of random traces of tasks against what is known from having made them; calls. */
#include "domains/trees/model/work_graph.h"
#include "random_tasks.h"
#include "tests/small_store.h"

static const struct weft_schema *schema;
static const struct weft_graph *graph;
static const struct made_tasks *made;
static uint32_t node_of[MAX_TASKS]; /* WEFT_NONE: it is lost */

static void check_nodes(void)
{
    uint32_t n = 0;
    for (int i = 0; i < made->n_tasks; i++) {
        const struct made_task *task = &made->tasks[i];
        uint64_t id = piece_id(schema, made, task->first);
        uint32_t node = node_of[i] = weft_graph_node(graph, id);
        assert_int_equal(node != WEFT_NONE, task->in_tree);
        if (!task->in_tree)
            continue;
        n++;
        assert_int_equal(weft_graph_entity(graph, node), id);
        assert_int_equal(weft_graph_begin(graph, node), task->begin);
        assert_int_equal(weft_graph_end(graph, node), task->end);
        assert_int_equal(weft_graph_work(graph, node), task->work);
        assert_int_equal(graph->tree->pes[graph->tree->pe[node]].container,
                         made->containers[made->pieces[task->first].row]);
        assert_int_equal(graph->tree->labels[graph->tree->label[node]].name[0],
                         'a' + (int)task->value);
        uint32_t parent = graph->tree->parent[node];
        if (task->parent >= 0)
            assert_int_equal(parent, node_of[task->parent]);
        else
            assert_int_equal(parent, graph->tree->has_all ? 0 : WEFT_NONE);
    }
    assert_int_equal(graph->tree->n, n + graph->tree->has_all);
    assert_int_equal(graph->tree->lost, (uint32_t)made->n_tasks - n);
    if (!graph->tree->has_all)
        return;
    assert_int_equal(weft_graph_entity(graph, 0), WEFT_NO_ID);
    assert_int_equal(weft_graph_work(graph, 0), 0);
    int64_t last = INT64_MIN;
    for (uint32_t i = 1; i < graph->tree->n; i++)
        if (graph->tree->parent[i] == 0 && weft_graph_end(graph, i) > last)
            last = weft_graph_end(graph, i);
    assert_int_equal(weft_graph_end(graph, 0), last);
}

static void check_pieces(void)
{
    for (int p = 0; p < made->n_pieces; p++)
        assert_int_equal(weft_graph_node(graph, piece_id(schema, made, p)),
                         node_of[made->pieces[p].task]);
    for (int i = 0; i < made->n_tasks; i++) {
        const struct made_task *task = &made->tasks[i];
        uint32_t n, at = 0;
        if (!task->in_tree)
            continue;
        const struct weft_graph_piece *pieces = weft_graph_pieces(graph, node_of[i], &n);
        assert_int_equal(n, task->n_pieces > 1 ? task->n_pieces : 0);
        assert_int_equal(pieces != NULL, n > 0);
        for (int p = 0; p < made->n_pieces && n; p++) /* made in order of time */
            if (made->pieces[p].task == i)
                assert_int_equal(pieces[at++].id, piece_id(schema, made, p));
    }
}

/* How many of the made edges run between two tasks with a role. */
static uint32_t count_made(int from, int to, enum weft_role role)
{
    uint32_t n = 0;
    for (int e = 0; e < made->n_edges; e++)
        n += made->edges[e].from == from && made->edges[e].to == to
             && made->edges[e].role == role;
    return n;
}

static void check_edges(void)
{
    uint32_t all = 0, n;
    for (int a = 0; a < made->n_tasks; a++)
        for (int b = 0; b < made->n_tasks; b++) {
            if (node_of[a] == WEFT_NONE || node_of[b] == WEFT_NONE)
                continue;
            const uint32_t *out = weft_graph_out(graph, node_of[a], &n);
            uint32_t first = graph->edges->out_begin[node_of[a]];
            for (int e = 0; e < made->n_edges; e++) {
                enum weft_role role = made->edges[e].role;
                uint32_t found = 0;
                for (uint32_t i = 0; i < n; i++)
                    found += out[i] == node_of[b]
                             && weft_tree_edge_role(graph->edges, first + i) == role;
                assert_int_equal(found, count_made(a, b, role));
            }
            uint32_t reach = 0, made_reach = 0;
            const uint32_t *in = weft_graph_in(graph, node_of[b], &n);
            for (uint32_t i = 0; i < n; i++)
                reach += weft_tree_edge_from(graph->edges, in[i]) == node_of[a];
            for (int e = 0; e < made->n_edges; e++)
                made_reach += made->edges[e].from == a && made->edges[e].to == b;
            assert_int_equal(reach, made_reach);
            all += reach;
        }
    assert_int_equal(graph->edges->n, all);
}

static void graphs_of_tasks_are_as_made(void **state)
{
    (void)state;
    for (int round = 0; round < 400; round++) {
        struct made_tasks tasks;
        struct weft_err err;
        struct weft_trace *trace = random_tasks(&tasks, true);
        const struct weft_source *source = weft_trace_source(trace);
        assert_true(weft_graph_fills(source));
        struct weft_graph *g = weft_graph_read(source, NULL, &err);
        assert_non_null(g);
        schema = source->schema;
        graph = g;
        made = &tasks;
        assert_int_equal(g->hierarchy, WEFT_HIERARCHY_CREATION);
        check_nodes();
        check_pieces();
        check_edges();
        assert_true(weft_graph_bytes(g) > g->tree->n * 50u);
        struct weft_graph *again = weft_graph_of(source, g->tree, g->edges, NULL, &err);
        assert_non_null(again);
        assert_true(weft_graph_bytes(again) < weft_graph_bytes(g));
        graph = again; /* over what belongs to the other */
        check_nodes();
        check_pieces();
        check_edges();
        weft_graph_free(again);
        weft_graph_free(g);
        weft_trace_close(trace);
    }
}

/* A thread of main [0, 10^10) { a [10, 40) { b [20, 25) }, a [50, 60) }, more than 32 bits. */
static void calls_work_without_those_inside(void **state)
{
    (void)state;
    char path[] = "/tmp/weft-graph-test.XXXXXX";
    struct weft_err err;
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = add_type(b, WEFT_CONTAINER, 0, "thread", WEFT_ROLE_NONE);
    uint32_t calls = add_type(b, WEFT_STATE, thread, "calls", WEFT_ROLE_NONE);
    uint32_t f = weft_builder_value(b, calls, "f", NULL, 0);
    uint32_t track =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "t", NULL, 0), calls);
    const int64_t long_end = 10000000000;
    (void)!weft_builder_push(b, track, 0, f, NULL, 0, NULL);
    (void)!weft_builder_push(b, track, 10, f, NULL, 0, NULL);
    (void)!weft_builder_push(b, track, 20, f, NULL, 0, NULL);
    (void)!weft_builder_pop(b, track, 25, NULL);
    (void)!weft_builder_pop(b, track, 40, NULL);
    (void)!weft_builder_push(b, track, 50, f, NULL, 0, NULL);
    (void)!weft_builder_pop(b, track, 60, NULL);
    (void)!weft_builder_pop(b, track, long_end, NULL);
    struct weft_trace *trace = small_store_end(b, path);
    struct weft_graph *g = weft_graph_read(weft_trace_source(trace), NULL, &err);
    assert_non_null(g);
    assert_int_equal(g->hierarchy, WEFT_HIERARCHY_CONTAINMENT);
    /* The thread, main, a, a, b: level by level. */
    const int64_t begins[] = { 0, 0, 10, 50, 20 };
    const int64_t ends[] = { long_end, long_end, 40, 60, 25 };
    const int64_t works[] = { 0, long_end - 40, 25, 10, 5 };
    assert_int_equal(g->tree->n, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(weft_graph_begin(g, i), begins[i]);
        assert_int_equal(weft_graph_end(g, i), ends[i]);
        assert_int_equal(weft_graph_work(g, i), works[i]);
    }
    assert_int_equal(g->edges->n, 0);
    weft_graph_free(g);
    weft_trace_close(trace);
}

/* Tasks of one tick each on one row: their numbers and those of their parents; 0: none. */
static struct weft_graph *graph_of(const int64_t (*tasks)[2], size_t n,
                                   struct weft_err *err)
{
    char path[] = "/tmp/weft-graph-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t worker = add_type(b, WEFT_CONTAINER, 0, "worker", WEFT_ROLE_NONE);
    uint32_t type = add_type(b, WEFT_STATE, worker, "task", WEFT_ROLE_NONE);
    uint32_t f = weft_builder_value(b, type, "f", NULL, 0);
    uint32_t number = weft_builder_field(b, type, "number", WEFT_FIELD_INTEGER);
    uint32_t parent = weft_builder_field(b, type, "parent", WEFT_FIELD_INTEGER);
    weft_builder_type_role(b, type, WEFT_ROLE_TASK);
    weft_builder_field_role(b, number, WEFT_ROLE_NUMBER);
    weft_builder_field_role(b, parent, WEFT_ROLE_PARENT_NUMBER);
    uint32_t track =
        weft_builder_track(b, weft_builder_container(b, worker, 0, "w", NULL, 0), type);
    for (size_t i = 0; i < n; i++) {
        const struct weft_field_value fields[] = { { number, { .integer = tasks[i][0] } },
                                                   { parent, { .integer = tasks[i][1] } } };
        (void)!weft_builder_set(b, track, (int64_t)i, f, fields, tasks[i][1] ? 2 : 1, NULL);
    }
    (void)!weft_builder_reset(b, track, (int64_t)n);
    struct weft_trace *trace = small_store_end(b, path);
    struct weft_graph *g = weft_graph_read(weft_trace_source(trace), NULL, err);
    weft_trace_close(trace);
    return g;
}

static void parents_that_make_no_tree_are_lost(void **state)
{
    (void)state;
    struct weft_err err = { 0 };
    /* 1 and 2 created one another, 3 itself, 6 comes of 3; 4 is a root and created 5. */
    const int64_t some[][2] = {
        { 1, 2 }, { 2, 1 }, { 3, 3 }, { 4, 0 }, { 5, 4 }, { 6, 3 }
    };
    struct weft_graph *g = graph_of(some, 6, &err);
    assert_non_null(g);
    assert_int_equal(g->tree->n, 2);
    assert_int_equal(g->tree->lost, 4);
    assert_int_equal(weft_graph_begin(g, 0), 3);
    assert_int_equal(weft_graph_begin(g, 1), 4);
    weft_graph_free(g);
    /* Numbers at both ends of what 64 bits hold. */
    const int64_t far[][2] = { { INT64_MAX, 0 }, { INT64_MIN + 1, INT64_MAX } };
    g = graph_of(far, 2, &err);
    assert_non_null(g);
    assert_int_equal(g->tree->n, 2);
    assert_int_equal(g->tree->parent[1], 0);
    weft_graph_free(g);
    assert_null(graph_of(some, 3, &err));
    assert_int_equal(err.code, WEFT_ERR_FORMAT);
    assert_null(graph_of(some, 0, &err));
    assert_int_equal(err.code, WEFT_ERR_FORMAT);
}

static void stop_at_last(struct weft_job *job, void *user)
{
    if ((*(int *)user)-- == 0)
        atomic_store(&job->cancelled, true);
}

static void it_can_be_cancelled(void **state)
{
    (void)state;
    struct made_tasks tasks;
    struct weft_trace *trace = random_tasks(&tasks, false);
    for (int looks = 0;; looks++) {
        int left = looks;
        struct weft_job job = { .progress = stop_at_last, .user = &left };
        struct weft_err err = { 0 };
        struct weft_graph *g = weft_graph_read(weft_trace_source(trace), &job, &err);
        weft_graph_free(g);
        assert_int_equal(g != NULL, left >= 0);
        if (g) {
            assert_true(looks > 0);
            break;
        }
        assert_int_equal(err.code, WEFT_ERR_CANCELLED);
    }
    weft_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(graphs_of_tasks_are_as_made),
        cmocka_unit_test(calls_work_without_those_inside),
        cmocka_unit_test(parents_that_make_no_tree_are_lost),
        cmocka_unit_test(it_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
