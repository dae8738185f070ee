/* SPDX-License-Identifier: Apache-2.0 */
/* The views of trees, on nested states: calls of threads. */
#include "tree_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "domains/trees/model/tree.h"
#include "tests/small_store.h"
#include "tests/table_text.h"
#include "view/palette.h"

static void nested_states_are_a_tree_of_calls(void **state)
{
    (void)state;
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(runs_path, "test", &err);
    uint32_t thread = runs_define(b, WEFT_CONTAINER, 0, "thread", WEFT_NONE);
    uint32_t call = runs_define(b, WEFT_STATE, thread, "call", WEFT_NONE);
    uint32_t f = weft_builder_value(b, call, "f", NULL, 0);
    uint32_t g = weft_builder_value(b, call, "g", NULL, 0);
    uint32_t one =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "one", NULL, 0), call);
    uint32_t two =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "two", NULL, 0), call);
    for (int i = 0; i < 3; i++) { /* f { g g } f { g g } ... */
        (void)!weft_builder_push(b, one, 100 * i, f, NULL, 0, NULL);
        for (int k = 1; k < 3; k++) {
            (void)!weft_builder_push(b, one, 100 * i + 10 * k, g, NULL, 0, NULL);
            (void)!weft_builder_pop(b, one, 100 * i + 10 * k + 5, NULL);
        }
        (void)!weft_builder_pop(b, one, 100 * i + 90, NULL);
    }
    (void)!weft_builder_push(b, two, 0, g, NULL, 0, NULL); /* does not nest here */
    (void)!weft_builder_pop(b, two, 10, NULL);
    struct weft_trace *trace = small_store_open(b, runs_path);
    const struct weft_source *kept = runs_sources[0];
    runs_sources[0] = weft_trace_source(trace);
    assert_true(weft_view_find("reduction-tree")->fills(&runs_set));
    /* Nobody created one of the two threads, so both hang on a root above. */
    assert_has(runs_table("tree-levels", "depth=vista", 600),
               "0,1,0,0.0000,0.0000\n1,2,1,0.0000,0.3333\n2,4,2,0.3333,0.6667\n3,6,3,");
    char *nodes = runs_table("tree-nodes", "", 600);
    assert_non_null(strstr(nodes, "0,0,0,0,0,0,one,0,1,3,3,2,"));
    assert_non_null(strstr(nodes, ",0,3,0,1,0,g,20,3,0,1,0,1,"));
    free(nodes);
    runs_draw("reduction-tree", "color=procedure", 600, 500, WEFT_THEME_LIGHT,
              runs_count_nodes);
    assert_int_equal(runs_n_nodes, 12);
    runs_draw("tree-parallelism", "", 600, 500, WEFT_THEME_LIGHT, runs_count_nodes);
    runs_sources[0] = kept;
    weft_trace_close(trace);
}

/* Whom a call waited for, by the states of its thread and the link that ended each. */
static void waiting_of_calls_is_told(void **state)
{
    (void)state;
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(runs_path, "test", &err);
    uint32_t thread = runs_define(b, WEFT_CONTAINER, 0, "thread", WEFT_NONE);
    uint32_t mutex = runs_define(b, WEFT_CONTAINER, 0, "mutex", WEFT_NONE);
    uint32_t call = runs_define(b, WEFT_STATE, thread, "call", WEFT_NONE);
    uint32_t activity = runs_define(b, WEFT_STATE, thread, "state", WEFT_NONE);
    uint32_t wakes = runs_define(b, WEFT_LINK, WEFT_NONE, "wakes", WEFT_NONE);
    weft_builder_type_role(b, wakes, WEFT_ROLE_WAKE_UP);
    uint32_t object =
        add_field(b, activity, "what", WEFT_FIELD_CONTAINER, WEFT_ROLE_OBJECT);
    uint32_t f = weft_builder_value(b, call, "f", NULL, 0);
    uint32_t runs = weft_builder_value(b, activity, "runs", NULL, 0);
    uint32_t blocked = add_value(b, activity, "blocked on", WEFT_ROLE_BLOCKED_ON_LOCK);
    uint32_t one = weft_builder_container(b, thread, 0, "one", NULL, 0);
    uint32_t two = weft_builder_container(b, thread, 0, "two", NULL, 0);
    uint32_t m = weft_builder_container(b, mutex, 0, "m", NULL, 0);
    uint32_t calls = weft_builder_track(b, one, call);
    uint32_t states = weft_builder_track(b, one, activity);
    const struct weft_field_value on = { .field = object, .index = m };
    for (int depth = 0; depth < 2; depth++)
        (void)!weft_builder_push(b, calls, 0, f, NULL, 0, NULL);
    for (int i = 0; i < 3; i++) { /* waits from 20 to 50, 120 to 150 ... */
        (void)!weft_builder_set(b, states, 100 * i, runs, NULL, 0, NULL);
        (void)!weft_builder_set(b, states, 100 * i + 20, blocked, &on, 1, NULL);
        (void)!weft_builder_set(b, states, 100 * i + 50, runs, NULL, 0, NULL);
        weft_builder_link(b,
                          &(struct weft_link){ .type = wakes,
                                               .value = WEFT_NONE,
                                               .key = WEFT_NONE,
                                               .from = i < 2 ? two : one,
                                               .to = one,
                                               .begin = 100 * i + 45,
                                               .end = 100 * i + 50,
                                               .from_entity = WEFT_NO_ID,
                                               .to_entity = WEFT_NO_ID },
                          NULL, 0);
    }
    for (int depth = 0; depth < 2; depth++)
        (void)!weft_builder_pop(b, calls, 300, NULL);
    struct weft_trace *trace = small_store_open(b, runs_path);
    const struct weft_source *kept = runs_sources[0];
    runs_sources[0] = weft_trace_source(trace);
    const struct weft_view *view = weft_view_find("reduction-tree");
    const char *settings[32] = { 0 };
    uint64_t id;
    runs_parse(view, "root=0:1", settings);
    struct weft_request request = runs_ask(settings);
    char *out = point_csv(view, &request, (struct weft_point){ 0, 0 }, &id);
    runs_forget(view, settings);
    assert_non_null(strstr(out, "waited,90 ns\n"));
    assert_non_null(strstr(out, "for,\"blocked on m, until two: 60 ns in 2 times\"\n"));
    assert_has(out, ",blocked on m: 30 ns\n"); /* nobody else woke it */
    runs_sources[0] = kept;
    weft_trace_close(trace);
}

/*
 * A thread hangs on the innermost call that was on when it was created, and still at its own end;
 * to find it costs one question, not one for each call around it.
 */
static const struct weft_source_ops *whole_ops;
static size_t asked;

static bool count_state(const struct weft_source *source, uint64_t id,
                        struct weft_state *state)
{
    asked++;
    return whole_ops->state(source, id, state);
}

static void threads_hang_on_calls(void **state)
{
    (void)state;
    enum { DEPTH = 1000, TIME = DEPTH };
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(runs_path, "test", &err);
    uint32_t thread = runs_define(b, WEFT_CONTAINER, 0, "thread", WEFT_NONE);
    uint32_t call = runs_define(b, WEFT_STATE, thread, "call", WEFT_NONE);
    uint32_t spawn = runs_define(b, WEFT_LINK, WEFT_NONE, "spawn", WEFT_NONE);
    weft_builder_type_role(b, spawn, WEFT_ROLE_SPAWN);
    uint32_t f = weft_builder_value(b, call, "f", NULL, 0);
    uint32_t one = weft_builder_container(b, thread, 0, "one", NULL, 0);
    uint32_t two = weft_builder_container(b, thread, 0, "two", NULL, 0);
    uint32_t calls = weft_builder_track(b, one, call);
    uint32_t others = weft_builder_track(b, two, call);
    for (int i = 0; i < DEPTH; i++) /* call I is on from I to 3 * DEPTH - I */
        (void)!weft_builder_push(b, calls, i, f, NULL, 0, NULL);
    weft_builder_link(b,
                      &(struct weft_link){ .type = spawn,
                                           .value = WEFT_NONE,
                                           .key = WEFT_NONE,
                                           .from = one,
                                           .to = two,
                                           .begin = TIME,
                                           .end = TIME,
                                           .from_entity = WEFT_NO_ID,
                                           .to_entity = WEFT_NO_ID },
                      NULL, 0);
    (void)!weft_builder_push(b, others, TIME, f, NULL, 0, NULL);
    (void)!weft_builder_pop(b, others, 3 * DEPTH - 10, NULL);
    for (int i = DEPTH; i-- > 0;)
        (void)!weft_builder_pop(b, calls, 3 * DEPTH - i, NULL);
    struct weft_trace *trace = small_store_open(b, runs_path);
    struct weft_source *source = (struct weft_source *)weft_trace_source(trace);
    struct weft_source_ops ops = *source->ops;
    whole_ops = source->ops;
    ops.state = count_state;
    source->ops = &ops;
    struct weft_tree *tree = weft_tree_read(source, NULL, &err);
    source->ops = whole_ops;
    assert_non_null(tree);
    assert_int_equal(tree->n, DEPTH + 3); /* calls, two's call, and the threads */
    uint32_t created = weft_tree_find(tree, weft_container_id(two, false));
    assert_int_equal(tree->ordinal[tree->parent[created]], 10);
    assert_int_equal(tree->pe[tree->parent[created]], 0);
    assert_int_equal(asked, 0);
    weft_tree_free(tree);
    weft_trace_close(trace);
}

/* Visits of states are counted. */
struct counting_visitor {
    bool (*visit)(void *user, const struct weft_state *state);
    void *user;
};

static bool count_visit(void *user, const struct weft_state *state)
{
    struct counting_visitor *counting = user;
    asked++;
    return counting->visit(counting->user, state);
}

static void count_states(const struct weft_source *source, uint32_t track,
                         struct weft_span window,
                         bool (*visit)(void *user, const struct weft_state *state),
                         void *user)
{
    struct counting_visitor counting = { visit, user };
    whole_ops->states(source, track, window, count_visit, &counting);
}

enum { CREATED = 200, MAX_CALLS = 3 * CREATED };

static struct made_call {
    int64_t begin, end;
} made_calls[MAX_CALLS];
static struct weft_span
    made_threads[CREATED]; /* from its creation to its last call's end */

/*
 * Threads that one thread created at some times, in calls that are nested in some way: each hangs on
 * the innermost of all calls that fit, which are looked at one by one here.
 */
static struct weft_trace *creations(bool deep, uint32_t *containers)
{
    uint32_t seed = deep ? 7 : 11, open[MAX_CALLS], n_open = 0;
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(runs_path, "test", &err);
    uint32_t thread = runs_define(b, WEFT_CONTAINER, 0, "thread", WEFT_NONE);
    uint32_t call = runs_define(b, WEFT_STATE, thread, "call", WEFT_NONE);
    uint32_t spawn = runs_define(b, WEFT_LINK, WEFT_NONE, "spawn", WEFT_NONE);
    weft_builder_type_role(b, spawn, WEFT_ROLE_SPAWN);
    uint32_t f = weft_builder_value(b, call, "f", NULL, 0);
    uint32_t one = weft_builder_container(b, thread, 0, "one", NULL, 0);
    uint32_t calls = weft_builder_track(b, one, call);
    int64_t time = 0;
    for (int i = 0; i < MAX_CALLS || n_open;) {
        seed = seed * 1103515245u + 12345u;
        time += seed >> 16 & 1;
        if (i < MAX_CALLS && (deep || !n_open || seed >> 17 & 1)) {
            made_calls[i].begin = time;
            open[n_open++] = (uint32_t)i++;
            (void)!weft_builder_push(b, calls, time, f, NULL, 0, NULL);
        } else {
            made_calls[open[--n_open]].end = time;
            (void)!weft_builder_pop(b, calls, time, NULL);
        }
    }
    for (int i = 0; i < CREATED; i++) {
        seed = seed * 1103515245u + 12345u;
        int64_t begin = (seed >> 8) % (time + 5), end = begin + (seed >> 4) % 40;
        made_threads[i] = (struct weft_span){ begin, end };
        containers[i] = weft_builder_container(b, thread, 0, "created", NULL, 0);
        uint32_t others = weft_builder_track(b, containers[i], call);
        (void)!weft_builder_push(b, others, begin, f, NULL, 0, NULL);
        (void)!weft_builder_pop(b, others, end, NULL);
        weft_builder_link(b,
                          &(struct weft_link){ .type = spawn,
                                               .value = WEFT_NONE,
                                               .key = WEFT_NONE,
                                               .from = one,
                                               .to = containers[i],
                                               .begin = begin,
                                               .end = begin,
                                               .from_entity = WEFT_NO_ID,
                                               .to_entity = WEFT_NO_ID },
                          NULL, 0);
    }
    assert_true(weft_builder_finish(b, NULL, &err));
    return weft_trace_open(runs_path, &err);
}

static uint32_t expected_call(struct weft_span created)
{
    uint32_t found = WEFT_NONE; /* calls are in order of begin, outer ones first */
    for (uint32_t i = 0; i < MAX_CALLS; i++)
        if (made_calls[i].begin <= created.begin && made_calls[i].end > created.begin
            && made_calls[i].end >= created.end)
            found = i;
    return found;
}

static void many_threads_hang_on_calls(void **state)
{
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        uint32_t containers[CREATED];
        struct weft_err err;
        struct weft_trace *trace = creations(deep, containers);
        struct weft_source *source = (struct weft_source *)weft_trace_source(trace);
        struct weft_source_ops ops = *source->ops;
        whole_ops = source->ops;
        ops.states = count_states;
        source->ops = &ops;
        asked = 0;
        struct weft_tree *tree = weft_tree_read(source, NULL, &err);
        source->ops = whole_ops;
        assert_non_null(tree);
        /* Each call is visited to be a node, and once more for all threads. */
        assert_true(asked <= 2 * MAX_CALLS + CREATED);
        for (int i = 0; i < CREATED; i++) {
            uint32_t node = weft_tree_find(tree, weft_container_id(containers[i], false));
            uint32_t around = tree->parent[node];
            assert_int_equal(tree->ordinal[around], expected_call(made_threads[i]));
        }
        weft_tree_free(tree);
        weft_trace_close(trace);
    }
}

/* Memory is not nodes times the length of a name: titles and labels have its first bytes. */
static void long_names_are_cut(void **state)
{
    (void)state;
    enum { CALLS = 100, LONG = 1 << 17 };
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(runs_path, "test", &err);
    uint32_t thread = runs_define(b, WEFT_CONTAINER, 0, "thread", WEFT_NONE);
    uint32_t call = runs_define(b, WEFT_STATE, thread, "call", WEFT_NONE);
    char *name = weft_zalloc(LONG + 1, 1);
    uint32_t values[2];
    for (int v = 0; v < 2; v++) {
        memset(name, 'a' + v, LONG);
        values[v] = weft_builder_value(b, call, name, NULL, 0);
    }
    uint32_t calls =
        weft_builder_track(b, weft_builder_container(b, thread, 0, "t", NULL, 0), call);
    (void)!weft_builder_push(b, calls, 0, values[0], NULL, 0, NULL);
    for (int i = 0; i < CALLS; i++) { /* of two shapes and names, so that they are no row */
        for (int depth = 0; depth <= i % 3; depth++)
            (void)!weft_builder_push(b, calls, 2 * i, values[i % 2], NULL, 0, NULL);
        for (int depth = 0; depth <= i % 3; depth++)
            (void)!weft_builder_pop(b, calls, 2 * i + 1, NULL);
    }
    (void)!weft_builder_pop(b, calls, (int64_t)2 * CALLS, NULL);
    assert_true(weft_builder_finish(b, NULL, &err));
    free(name);
    struct weft_trace *trace = weft_trace_open(runs_path, &err);
    const struct weft_source *kept = runs_sources[0];
    runs_sources[0] = weft_trace_source(trace);
    const struct weft_view *view = weft_view_find("reduction-tree");
    const char *settings[32] = { 0 };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    size_t titles = 0;
    runs_parse(view, "layout=icicle", settings);
    struct weft_request request = runs_ask(settings);
    assert_true(weft_view_scene(view, &request, &arena, &scene, &err));
    for (size_t l = 0; l < scene.n_layers; l++)
        for (size_t i = 0; i < scene.layers[l].n_marks; i++) {
            const char *title = scene.layers[l].marks[i].title;
            titles += title != NULL;
            assert_true(!title || strlen(title) < 512);
        }
    assert_true(titles >= 100);
    weft_arena_free(&arena);
    runs_forget(view, settings);
    runs_sources[0] = kept;
    weft_trace_close(trace);
}

static char legend[200]; /* the labels of the latest picture's legend, and their colours */

static void keep_legend(const struct weft_scene *scene)
{
    legend[0] = '\0';
    for (size_t i = 0; i < scene->frame.n_legend; i++)
        snprintf(legend + strlen(legend), sizeof legend - strlen(legend), "%s %x;",
                 scene->frame.legend[i].label, (unsigned)scene->frame.legend[i].fill);
}

/*
 * Two threads, each with two tracks of nested calls, so with two rows of the tree.  The type
 * of reductions, which has none, does not hide them.
 */
static struct weft_trace *threads_of_two_rows(void)
{
    struct weft_err err;
    struct weft_builder *b = weft_builder_new(runs_path, "test", &err);
    uint32_t thread = runs_define(b, WEFT_CONTAINER, 0, "thread", WEFT_NONE);
    uint32_t reduction = add_type(b, WEFT_STATE, thread, "r", WEFT_ROLE_REDUCTION);
    (void)add_field(b, reduction, "p", WEFT_FIELD_INTEGER, WEFT_ROLE_PARENT_ROW);
    (void)add_field(b, reduction, "n", WEFT_FIELD_INTEGER, WEFT_ROLE_PARENT_NUMBER);
    for (int t = 0; t < 2; t++) {
        uint32_t one = weft_builder_container(b, thread, 0, t ? "two" : "one", NULL, 0);
        for (int i = 0; i < 2; i++) {
            uint32_t type = runs_define(b, WEFT_STATE, thread, i ? "b" : "a", WEFT_NONE);
            uint32_t value = weft_builder_value(b, type, i ? "g" : "f", NULL, 0);
            uint32_t track = weft_builder_track(b, one, type);
            for (int depth = 0; depth < 2; depth++)
                (void)!weft_builder_push(b, track, depth, value, NULL, 0, NULL);
            for (int depth = 0; depth < 2; depth++)
                (void)!weft_builder_pop(b, track, 10 + depth, NULL);
        }
    }
    return small_store_open(b, runs_path);
}

/* The legend of two runs has the colours of each alone, and each thread once. */
static void rows_of_a_thread_share_their_entry(void **state)
{
    (void)state;
    struct weft_trace *trace = threads_of_two_rows();
    const struct weft_source *kept[] = { runs_sources[0], runs_sources[1] };
    const struct weft_theme *theme = weft_theme_get(WEFT_THEME_LIGHT);
    char expected[200];
    snprintf(expected, sizeof expected, "one %x;two %x;",
             (unsigned)weft_number_swatch(theme, 0).fill,
             (unsigned)weft_number_swatch(theme, 1).fill);
    runs_sources[0] = runs_sources[1] = weft_trace_source(trace);
    assert_true(weft_tree_fills(runs_sources[0]));
    runs_draw("reduction-tree", "color=pe", 900, 600, WEFT_THEME_LIGHT, keep_legend);
    assert_string_equal(legend, expected);
    runs_set.n_sources = 2;
    runs_draw("tree-compare", "color=pe difference=none", 900, 600, WEFT_THEME_LIGHT,
              keep_legend);
    assert_string_equal(legend, expected);
    runs_set.n_sources = 1;
    runs_sources[0] = kept[0];
    runs_sources[1] = kept[1];
    weft_trace_close(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_states_are_a_tree_of_calls),
        cmocka_unit_test(rows_of_a_thread_share_their_entry),
        cmocka_unit_test(waiting_of_calls_is_told),
        cmocka_unit_test(threads_hang_on_calls),
        cmocka_unit_test(many_threads_hang_on_calls),
        cmocka_unit_test(long_names_are_cut),
    };
    return cmocka_run_group_tests(tests, runs_set_up, runs_tear_down);
}
