/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work and span of threads: 1,000 random runs against all ways through them, tick by tick, and runs
 * whose longest way is known by reasoning.
 */
#include "domains/trees/analyse/thread_work_span.h"
#include "domains/trees/model/work_graph.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { TICKS = 40, ROWS = 4, MAX_LINKS = 12 };

struct made_link {
    int from, to;
    int64_t begin, end;
    enum weft_role role;
};

static struct {
    bool works[ROWS][TICKS]; /* inside of a call */
    bool waits[ROWS][TICKS]; /* its thread, whatever the call says */
    struct made_link links[MAX_LINKS];
    int n_links;
} made;

/* ---- A store of it ---- */

static struct weft_trace *trace;
static const struct weft_source *source;

static uint32_t new_type(struct weft_builder *b, enum weft_kind kind, uint32_t parent,
                         const char *name, enum weft_role role)
{
    uint32_t type = weft_builder_type(b, &(struct weft_type){ .kind = kind,
                                                              .parent = parent,
                                                              .name = name,
                                                              .start_type = WEFT_NONE,
                                                              .end_type = WEFT_NONE });
    weft_builder_type_role(b, type, role);
    return type;
}

static void set_states(struct weft_builder *b, uint32_t track, const bool *on, uint32_t yes,
                       uint32_t no)
{
    for (int t = 0; t < TICKS; t++)
        if (t == 0 || on[t] != on[t - 1])
            weft_builder_set(b, track, t, on[t] ? yes : no, NULL, 0, NULL);
}

static void store_it(void)
{
    char path[] = "/tmp/weft-span-XXXXXX";
    struct weft_err err;
    struct weft_builder *b = small_store_begin(path);
    uint32_t thread = new_type(b, WEFT_CONTAINER, WEFT_NONE, "Thread", WEFT_ROLE_THREAD);
    uint32_t calls = new_type(b, WEFT_STATE, thread, "calls", WEFT_ROLE_CALL);
    uint32_t states = new_type(b, WEFT_STATE, thread, "state", WEFT_ROLE_ACTIVITY);
    uint32_t works = add_value(b, calls, "work", WEFT_ROLE_COMPUTING);
    uint32_t asks = add_value(b, calls, "ask", WEFT_ROLE_BLOCKED_ON_MESSAGE);
    uint32_t blocked = add_value(b, states, "blocked", WEFT_ROLE_BLOCKED_ON_LOCK);
    uint32_t runs = add_value(b, states, "running", WEFT_ROLE_RUNNING);
    uint32_t containers[ROWS];
    for (int r = 0; r < ROWS; r++) {
        char name[] = { 't', (char)('0' + r), 0 };
        containers[r] = weft_builder_container(b, thread, 0, name, NULL, 0);
        uint32_t track = weft_builder_track(b, containers[r], calls);
        weft_builder_push(b, track, 0, works, NULL, 0,
                          NULL); /* around all, so that they nest */
        for (int t = 0; t < TICKS; t++) {
            if (t && made.works[r][t] == made.works[r][t - 1])
                continue;
            if (t)
                weft_builder_pop(b, track, t, NULL);
            weft_builder_push(b, track, t, made.works[r][t] ? works : asks, NULL, 0, NULL);
        }
        weft_builder_pop(b, track, TICKS, NULL);
        weft_builder_pop(b, track, TICKS, NULL);
        set_states(b, weft_builder_track(b, containers[r], states), made.waits[r], blocked,
                   runs);
    }
    for (int i = 0; i < made.n_links; i++) {
        const struct made_link *link = &made.links[i];
        uint32_t type = new_type(b, WEFT_LINK, WEFT_NONE, "link", link->role);
        weft_builder_link(b,
                          &(struct weft_link){ .type = type,
                                               .value = WEFT_NONE,
                                               .key = WEFT_NONE,
                                               .from = containers[link->from],
                                               .to = containers[link->to],
                                               .begin = link->begin,
                                               .end = link->end,
                                               .from_entity = WEFT_NO_ID,
                                               .to_entity = WEFT_NO_ID },
                          NULL, 0);
    }
    if (!weft_builder_finish(b, NULL, &err))
        fail_msg("%s", err.message);
    trace = weft_trace_open(path, &err);
    assert_non_null(trace);
    unlink(path);
    source = weft_trace_source(trace);
}

/* ---- The slow second way ---- */

static bool works_at(int row, int64_t tick)
{
    return tick < TICKS && made.works[row][tick] && !made.waits[row][tick];
}

static bool counts(const struct made_link *link)
{
    return link->from != link->to && link->begin <= link->end
           && link->role != WEFT_ROLE_MIGRATION && link->role != WEFT_ROLE_CONNECTION;
}

/* The longest of all ways that end at a row and time, found backwards tick by tick. */
static int64_t longest_to(int row, int64_t time)
{
    int64_t work = 0, longest = 0;
    for (int64_t t = time; t >= 0; t--) {
        work += t < time && works_at(row, t);
        for (int i = 0; i < made.n_links; i++)
            if (counts(&made.links[i]) && made.links[i].to == row
                && made.links[i].end == t) {
                int64_t way = longest_to(made.links[i].from, made.links[i].begin) + work;
                longest = way > longest ? way : longest;
            }
    }
    return work > longest ? work : longest;
}

static void check(int64_t *span_out)
{
    struct weft_err err;
    struct weft_thread_span span;
    struct weft_tree *tree = weft_tree_read(source, NULL, &err);
    assert_non_null(tree);
    assert_true(weft_thread_span(source, tree, NULL, &span, &err));
    int64_t work = 0, longest = 0;
    uint64_t n_links = 0, n_backward = 0;
    for (int r = 0; r < ROWS; r++) {
        int64_t way = longest_to(r, TICKS);
        longest = way > longest ? way : longest;
        for (int t = 0; t < TICKS; t++)
            work += works_at(r, t);
    }
    for (int i = 0; i < made.n_links; i++) {
        n_links += counts(&made.links[i]);
        n_backward += made.links[i].begin > made.links[i].end
                      && made.links[i].from != made.links[i].to
                      && made.links[i].role != WEFT_ROLE_MIGRATION;
    }
    assert_int_equal(span.work, work);
    assert_int_equal(span.span, longest);
    assert_int_equal(span.n_links, n_links);
    assert_int_equal(span.n_backward, n_backward);
    /* What the graph says that calls worked, and the path, are as long. */
    struct weft_graph *graph = weft_graph_read(source, NULL, &err);
    assert_non_null(graph);
    for (uint32_t i = 0; i < graph->tree->n; i++)
        work -= weft_graph_work(graph, i);
    assert_int_equal(work, 0);
    weft_graph_free(graph);
    int64_t along = 0;
    for (uint32_t i = 0; i < span.n_path; i++) {
        const struct weft_stretch *at = &span.stretches[span.path[i]];
        assert_int_equal(at->first, along);
        assert_int_equal(at->before, i ? span.path[i - 1] : WEFT_NONE);
        along += at->work;
    }
    assert_int_equal(along, longest);
    *span_out = span.span;
    weft_thread_span_free(&span);
    weft_tree_free(tree);
}

/* ---- Random runs ---- */

static void make(uint64_t seed)
{
    static const enum weft_role roles[] = { WEFT_ROLE_MESSAGE, WEFT_ROLE_WAKE_UP,
                                            WEFT_ROLE_SPAWN, WEFT_ROLE_END,
                                            WEFT_ROLE_MIGRATION };
    roll_from(seed);
    memset(&made, 0, sizeof made);
    for (int r = 0; r < ROWS; r++)
        for (int t = 0; t < TICKS; t++) {
            made.works[r][t] = t && roll(3) ? made.works[r][t - 1] : roll(2);
            made.waits[r][t] = t && roll(3) ? made.waits[r][t - 1] : !roll(4);
        }
    made.n_links = roll(MAX_LINKS + 1);
    for (int i = 0; i < made.n_links; i++) {
        struct made_link *link = &made.links[i];
        *link =
            (struct made_link){ roll(ROWS), roll(ROWS), roll(TICKS), 0, roles[roll(5)] };
        /* Some end before they begin; none takes no time, since their order is not a sum. */
        link->end = link->begin + 1 + roll(6) - (roll(8) ? 0 : 10);
        link->end = link->end < 0 ? 0 : link->end;
        link->end += link->end == link->begin;
    }
}

static void test_random_runs(void **state)
{
    (void)state;
    int64_t span;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        make(seed);
        store_it();
        check(&span);
        weft_trace_close(trace);
    }
}

/* ---- What is known by reasoning ---- */

static void work(int row, int from, int to)
{
    for (int t = from; t < to; t++)
        made.works[row][t] = true;
}

static void link_up(int from, int64_t begin, int to, int64_t end, enum weft_role role)
{
    made.links[made.n_links++] = (struct made_link){ from, to, begin, end, role };
}

/* 0 works 10, creates 1 and 2, which work 10 and 6 at once, waits for both, and works 5. */
static void test_fork_and_join(void **state)
{
    (void)state;
    int64_t span;
    memset(&made, 0, sizeof made);
    work(0, 0, 10);
    work(1, 10, 20);
    work(2, 10, 16);
    work(0, 21, 26);
    link_up(0, 10, 1, 10, WEFT_ROLE_SPAWN);
    link_up(0, 10, 2, 10, WEFT_ROLE_SPAWN);
    link_up(1, 20, 0, 21, WEFT_ROLE_WAKE_UP);
    link_up(2, 16, 0, 21, WEFT_ROLE_WAKE_UP);
    store_it();
    check(&span);
    weft_trace_close(trace);
    assert_int_equal(span, 25);
}

/* Two threads do 4 under one lock, three times in turn: 24, though each works for 12. */
static void test_one_lock(void **state)
{
    (void)state;
    int64_t span;
    memset(&made, 0, sizeof made);
    for (int i = 0; i < 6; i++) {
        work(i % 2, 5 * i, 5 * i + 4);
        if (i)
            link_up(!(i % 2), 5 * i - 1, i % 2, 5 * i, WEFT_ROLE_WAKE_UP);
    }
    store_it();
    check(&span);
    weft_trace_close(trace);
    assert_int_equal(span, 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_runs),
        cmocka_unit_test(test_fork_and_join),
        cmocka_unit_test(test_one_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
