/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of calls of threads that create one another: whose child each is, what it worked and
 * waited, and how large it is, tick by tick, in 1,000 random runs.
 */
#include <math.h>

#include "domains/trees/model/tree_time_sizes.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { THREADS = 4, TICKS = 60, MAX_CALLS = 24, MAX_NODES = THREADS * (MAX_CALLS + 1) + 1 };

/* A node: a call, a thread, or the root above several.  Parents stand before children. */
struct node {
    int parent, thread;
    bool is_call, waits;
    int64_t begin, end, ordinal;
    int64_t work, waited;
    double size;
};

struct run {
    struct node nodes[MAX_NODES];
    int n;
    int n_threads, creator[THREADS], first[THREADS]; /* first: the thread's node */
    int64_t created[THREADS];
    bool idle[THREADS][TICKS], has_states;
};

/* ---- Making a run ---- */

static void make_calls(struct run *run, int thread, int64_t begin)
{
    int stack[TICKS + 1], depth = 0, calls = 0;
    run->first[thread] = run->n;
    run->nodes[run->n++] = (struct node){ .parent = -1, .thread = thread, .begin = begin };
    for (int64_t t = begin; t < TICKS; t++) {
        while (depth && t > run->nodes[stack[depth - 1]].begin && roll(4) == 0)
            run->nodes[stack[--depth]].end = t;
        /* The first thread has a call inside a call, so that there are calls at all. */
        bool must = calls == 0 || (thread == 0 && calls == 1 && depth);
        while (calls < MAX_CALLS && (must || roll(3) == 0)) {
            run->nodes[run->n] =
                (struct node){ .parent = depth ? stack[depth - 1] : run->first[thread],
                               .thread = thread,
                               .is_call = true,
                               .waits = roll(6) == 0,
                               .begin = t,
                               .ordinal = calls++ };
            stack[depth++] = run->n++;
            must = thread == 0 && calls == 1;
        }
    }
    while (depth)
        run->nodes[stack[--depth]].end = TICKS;
}

static int64_t last_end(const struct run *run, int thread)
{
    int64_t end = 0;
    for (int i = 0; i < run->n; i++)
        if (run->nodes[i].is_call && run->nodes[i].thread == thread
            && run->nodes[i].end > end)
            end = run->nodes[i].end;
    return end;
}

/* The innermost call of the creator that is on at the creation, and until the thread's end. */
static int parent_of_thread(const struct run *run, int thread)
{
    int found = run->first[run->creator[thread]];
    for (int i = 0; i < run->n; i++) {
        const struct node *call = &run->nodes[i];
        if (call->is_call && call->thread == run->creator[thread]
            && call->begin <= run->created[thread] && call->end > run->created[thread]
            && call->end >= last_end(run, thread))
            found = i; /* later ones are inside */
    }
    return found;
}

static void make_run(struct run *run)
{
    *run = (struct run){ .n_threads = 1 + (int)roll(THREADS), .has_states = roll(3) };
    for (int t = 0; t < run->n_threads; t++) {
        run->creator[t] = t && roll(4) ? (int)roll((uint32_t)t) : -1;
        int64_t from =
            run->creator[t] < 0 ? 0 : run->nodes[run->first[run->creator[t]]].begin;
        run->created[t] = from + roll((uint32_t)(TICKS - from));
        make_calls(run, t, run->created[t] + (run->created[t] < TICKS - 1 ? roll(2) : 0));
        for (int i = 0; i < TICKS; i++)
            run->idle[t][i] = i && roll(5) ? run->idle[t][i - 1] : roll(2);
    }
    int roots = 0;
    for (int t = 0; t < run->n_threads; t++) {
        if (run->creator[t] >= 0)
            run->nodes[run->first[t]].parent = parent_of_thread(run, t);
        roots += run->creator[t] < 0;
    }
    if (roots > 1) {
        for (int t = 0; t < run->n_threads; t++)
            if (run->creator[t] < 0)
                run->nodes[run->first[t]].parent = run->n;
        run->nodes[run->n++] = (struct node){ .parent = -1, .thread = -1, .begin = TICKS };
    }
}

/* ---- Brute force ---- */

static int innermost(const struct run *run, int thread, int64_t tick)
{
    int found = -1;
    for (int i = 0; i < run->n; i++)
        if (run->nodes[i].is_call && run->nodes[i].thread == thread
            && run->nodes[i].begin <= tick && tick < run->nodes[i].end)
            found = i;
    return found;
}

static void work_tick_by_tick(struct run *run)
{
    for (int t = 0; t < run->n_threads; t++)
        for (int64_t tick = 0; tick < TICKS; tick++) {
            int call = innermost(run, t, tick);
            if (call < 0)
                continue;
            bool idle = run->nodes[call].waits || (run->has_states && run->idle[t][tick]);
            *(idle ? &run->nodes[call].waited : &run->nodes[call].work) += 1;
        }
}

/* Threads, and the root above them, last from the first to the last of what is below. */
static void spread_threads(struct run *run)
{
    for (int again = 0; again < run->n; again++)
        for (int i = 0; i < run->n; i++) {
            int parent = run->nodes[i].parent;
            if (parent < 0 || run->nodes[parent].is_call)
                continue;
            if (run->nodes[i].end > run->nodes[parent].end)
                run->nodes[parent].end = run->nodes[i].end;
            if (run->nodes[i].begin < run->nodes[parent].begin)
                run->nodes[parent].begin = run->nodes[i].begin;
        }
}

static bool is_on(const struct node *node, int64_t tick)
{
    return node->begin <= tick && tick < node->end;
}

/* The time of a node is its children's, tick by tick; those that are on share a tick. */
static void size_children(struct run *run, int parent)
{
    const struct node *of = &run->nodes[parent];
    double tick_size = of->end > of->begin ? of->size / (double)(of->end - of->begin) : 0;
    for (int64_t tick = of->begin; tick < of->end; tick++) {
        int on = 0;
        for (int i = 0; i < run->n; i++)
            on += run->nodes[i].parent == parent && is_on(&run->nodes[i], tick);
        for (int i = 0; i < run->n; i++)
            if (run->nodes[i].parent == parent && is_on(&run->nodes[i], tick))
                run->nodes[i].size += tick_size / on;
    }
    for (int i = 0; i < run->n; i++)
        if (run->nodes[i].parent == parent)
            size_children(run, i);
}

static double work_below(const struct run *run, int node)
{
    double sum = (double)run->nodes[node].work;
    for (int i = 0; i < run->n; i++)
        if (run->nodes[i].parent == node)
            sum += work_below(run, i);
    return sum;
}

/* ---- The store ---- */

static uint32_t define(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                       const char *name, uint32_t end)
{
    return weft_builder_type(b, &(struct weft_type){ .kind = kind,
                                                     .parent = parent,
                                                     .name = name,
                                                     .start_type = end,
                                                     .end_type = end });
}

static void store_calls(struct weft_builder *b, const struct run *run, int thread,
                        uint32_t track, uint32_t works, uint32_t waits)
{
    for (int64_t tick = 0; tick <= TICKS; tick++) {
        for (int i = 0; i < run->n; i++)
            if (run->nodes[i].is_call && run->nodes[i].thread == thread
                && run->nodes[i].end == tick)
                (void)!weft_builder_pop(b, track, tick, NULL);
        for (int i = 0; i < run->n; i++)
            if (run->nodes[i].is_call && run->nodes[i].thread == thread
                && run->nodes[i].begin == tick)
                (void)!weft_builder_push(
                    b, track, tick, run->nodes[i].waits ? waits : works, NULL, 0, NULL);
    }
}

static struct weft_trace *store_run(const struct run *run)
{
    char path[] = "/tmp/weft-sizes-test.XXXXXX";
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = define(b, WEFT_CONTAINER, 0, "thread", WEFT_NONE);
    uint32_t calls = define(b, WEFT_STATE, thread, "calls", WEFT_NONE);
    uint32_t states = define(b, WEFT_STATE, thread, "state", WEFT_NONE);
    uint32_t spawn = define(b, WEFT_LINK, 0, "spawn", thread);
    uint32_t f = weft_builder_value(b, calls, "f", NULL, 0);
    uint32_t g = weft_builder_value(b, calls, "g", NULL, 0);
    uint32_t runs = weft_builder_value(b, states, "a", NULL, 0);
    uint32_t idle = weft_builder_value(b, states, "b", NULL, 0);
    uint32_t containers[THREADS];
    weft_builder_type_role(b, spawn, WEFT_ROLE_SPAWN);
    weft_builder_value_role(b, g, WEFT_ROLE_BLOCKED_ON_LOCK);
    weft_builder_value_role(b, runs, WEFT_ROLE_RUNNING);
    weft_builder_value_role(b, idle, WEFT_ROLE_SLEEPING);
    for (int t = 0; t < run->n_threads; t++)
        containers[t] = weft_builder_container(b, thread, 0, "t", NULL, 0);
    for (int t = 0; t < run->n_threads; t++) {
        store_calls(b, run, t, weft_builder_track(b, containers[t], calls), f, g);
        uint32_t track = weft_builder_track(b, containers[t], states);
        for (int64_t i = 0; i < TICKS && run->has_states; i++)
            (void)!weft_builder_set(b, track, i, run->idle[t][i] ? idle : runs, NULL, 0,
                                    NULL);
        if (run->has_states)
            (void)!weft_builder_reset(b, track, TICKS);
        if (run->creator[t] >= 0)
            weft_builder_link(b,
                              &(struct weft_link){ spawn, 0, WEFT_NONE, WEFT_NONE,
                                                   containers[run->creator[t]],
                                                   containers[t], run->created[t],
                                                   run->nodes[run->first[t]].begin,
                                                   WEFT_NO_ID, WEFT_NO_ID, 0, 0 },
                              NULL, 0);
    }
    return small_store_end(b, path);
}

/* The node of the graph that is one of the run; threads are containers 1, 2 ... */
static uint32_t find(const struct weft_graph *graph, const struct weft_schema *schema,
                     const struct node *node)
{
    if (node->thread < 0)
        return 0;
    uint32_t container = (uint32_t)node->thread + 1;
    if (!node->is_call)
        return weft_graph_node(graph, weft_container_id(container, false));
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].container == container
            && strcmp(schema->types[schema->tracks[t].type].name, "calls") == 0)
            return weft_graph_node(graph, weft_entity_id(t, (uint64_t)node->ordinal));
    return WEFT_NONE;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9 * (1 + fabs(a) + fabs(b));
}

static void check(struct run *run, const struct weft_source *source)
{
    struct weft_err err;
    struct weft_graph *graph = weft_graph_read(source, NULL, &err);
    assert_non_null(graph);
    double *times = weft_tree_sizes(graph, WEFT_TREE_TIME, NULL, &err);
    double *selves = weft_tree_sizes(graph, WEFT_TREE_SELF, NULL, &err);
    assert_int_equal(graph->tree->n, run->n);
    spread_threads(run);
    work_tick_by_tick(run);
    int root = 0;
    while (run->nodes[root].parent >= 0)
        root++;
    run->nodes[root].size = (double)(run->nodes[root].end - run->nodes[root].begin);
    size_children(run, root);
    for (int i = 0; i < run->n; i++) {
        const struct node *node = &run->nodes[i];
        uint32_t found = find(graph, source->schema, node);
        assert_int_not_equal(found, WEFT_NONE);
        assert_int_equal(graph->tree->parent[found],
                         node->parent < 0
                             ? WEFT_NONE
                             : find(graph, source->schema, &run->nodes[node->parent]));
        assert_int_equal(weft_graph_work(graph, found), node->work);
        assert_int_equal(weft_graph_waited(graph, found), node->waited);
        assert_true(near(times[found], node->size));
        assert_true(near(selves[found], work_below(run, i)));
    }
    free(times);
    free(selves);
    weft_graph_free(graph);
}

static void sizes_equal_those_tick_by_tick(void **state)
{
    (void)state;
    for (int round = 0; round < 1000; round++) {
        static struct run run;
        make_run(&run);
        struct weft_trace *trace = store_run(&run);
        check(&run, weft_trace_source(trace));
        weft_trace_close(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sizes_equal_those_tick_by_tick) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
