/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events near a moment, against a list of all that was put into the trace: of nested states,
 * some without length, events and links, in bursts with long gaps between them.
 */
#include <stdlib.h>

#include "analyse/nearby_events.h"
#include "tests/random.h"
#include "tests/small_store.h"

enum { CONTAINERS = 10, MAX_EVENTS = 80000, DEEPEST = 4 };

/* An event that was put into the trace; `order` counts those of its track. */
struct put {
    int64_t time;
    int row, group, order;
    enum weft_happening what;
};

static struct put all[MAX_EVENTS];
static size_t n_all;
static struct weft_builder *b;
static uint32_t container[CONTAINERS], states, value, events, message;

static void note(int64_t time, int row, int group, enum weft_happening what)
{
    assert_true(n_all < MAX_EVENTS);
    all[n_all] = (struct put){ time, row, group, (int)n_all, what };
    n_all++;
}

static int in_order(const void *a, const void *b_)
{
    const struct put *x = a, *y = b_;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->row != y->row)
        return x->row - y->row;
    return x->group != y->group ? x->group - y->group : x->order - y->order;
}

/* Mostly none or a few ticks, seldom a long time. */
static int64_t step(int64_t gap)
{
    return roll(40) == 0 ? (int64_t)roll((uint64_t)gap) : (int64_t)roll(3);
}

static int64_t put_states(int row, int64_t time, int64_t gap, int n)
{
    uint32_t track = weft_builder_track(b, container[row], states);
    int depth = 0;
    for (int i = 0; i < n || depth; i++, time += step(gap)) {
        bool begins = i < n && depth < DEEPEST && (!depth || roll(2));
        if (begins)
            assert_int_equal(weft_builder_push(b, track, time, value, NULL, 0, NULL),
                             WEFT_BUILD_OK);
        else
            assert_int_equal(weft_builder_pop(b, track, time, NULL), WEFT_BUILD_OK);
        depth += begins ? 1 : -1;
        note(time, row, 1, begins ? WEFT_HAPPENS_BEGIN : WEFT_HAPPENS_END);
    }
    return time;
}

static void put_others(int row, int64_t time, int64_t gap, int n)
{
    uint32_t track = weft_builder_track(b, container[row], events);
    for (int i = 0; i < n; i++, time += step(gap)) {
        assert_int_equal(weft_builder_event(b, track, time, WEFT_NONE, NULL, 0, NULL),
                         WEFT_BUILD_OK);
        note(time, row, 4, WEFT_HAPPENS_EVENT);
        if (roll(3))
            continue;
        /* One that nobody receives has no end. */
        int to = (int)roll(CONTAINERS);
        bool received = roll(4);
        struct weft_link link = { .type = message,
                                  .value = WEFT_NONE,
                                  .key = WEFT_NONE,
                                  .from = container[row],
                                  .to = container[to],
                                  .begin = time,
                                  .end = time + (int64_t)roll((uint64_t)gap),
                                  .from_entity = WEFT_NO_ID,
                                  .to_entity = WEFT_NO_ID,
                                  .flags = received ? 0 : WEFT_END_IMPLIED };
        weft_builder_link(b, &link, NULL, 0);
        note(link.begin, row, 3, WEFT_HAPPENS_DEPARTURE);
        if (received)
            note(link.end, to, 0, WEFT_HAPPENS_ARRIVAL);
    }
}

static struct weft_trace *make(int64_t begin, int64_t gap, int n)
{
    char path[] = "/tmp/nearby-XXXXXX";
    n_all = 0;
    b = small_store_begin(path);
    uint32_t type = add_type(b, WEFT_CONTAINER, 0, "c", WEFT_ROLE_NONE);
    states = add_type(b, WEFT_STATE, type, "state", WEFT_ROLE_NONE);
    value = add_value(b, states, "value", WEFT_ROLE_NONE);
    events = add_type(b, WEFT_EVENT, type, "event", WEFT_ROLE_NONE);
    message = add_type(b, WEFT_LINK, 0, "message", WEFT_ROLE_MESSAGE);
    for (int i = 0; i < CONTAINERS; i++)
        container[i] = weft_builder_container(b, type, 0, "c", NULL, begin);
    for (int i = 0; i < CONTAINERS; i++) {
        put_states(i, begin + (int64_t)roll(5), gap, n);
        put_others(i, begin + (int64_t)roll(5), gap, n / 2);
    }
    qsort(all, n_all, sizeof *all, in_order);
    return small_store_end(b, path);
}

static void ask(const struct weft_source *source, struct weft_nearby_question *q)
{
    struct weft_nearby_events found;
    struct weft_err err;
    static const struct put *wanted[MAX_EVENTS];
    size_t n = 0;
    for (size_t i = 0; i < n_all; i++)
        if (all[i].time >= q->within.begin && all[i].time < q->within.end
            && (q->backward ? all[i].time <= q->time : all[i].time > q->time)
            && ((all[i].what != WEFT_HAPPENS_ARRIVAL
                 && all[i].what != WEFT_HAPPENS_DEPARTURE)
                || (size_t)all[i].row < q->n_containers))
            wanted[n++] = &all[i];
    size_t skip = q->backward && n > q->most ? n - q->most : 0;
    n = n - skip > q->most ? q->most : n - skip;
    assert_true(weft_nearby_events(source, q, &found, NULL, &err));
    assert_int_equal(found.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(found.list[i].time, wanted[skip + i]->time);
        assert_int_equal(found.list[i].container, container[wanted[skip + i]->row]);
        /* Links of one time are in order of their other ends. */
        assert_int_equal(found.list[i].what, wanted[skip + i]->what);
    }
    free(found.list);
}

static void check(int64_t begin, int64_t gap, int n, int questions)
{
    struct weft_trace *trace = make(begin, gap, n);
    const struct weft_source *source = weft_trace_source(trace);
    const struct weft_schema *schema = source->schema;
    uint32_t tracks[2 * CONTAINERS], links[8];
    struct weft_nearby_question q = { .tracks = tracks,
                                      .link_tracks = links,
                                      .containers = container,
                                      .n_containers = CONTAINERS };
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        if (schema->types[schema->tracks[t].type].kind == WEFT_LINK)
            links[q.n_link_tracks++] = t;
        else
            tracks[q.n_tracks++] = t;
    }
    assert_int_equal(q.n_tracks, 2 * CONTAINERS);
    for (int i = 0; i < questions; i++) {
        q.within = schema->span;
        q.within.end++;
        q.time = roll(3) ? all[roll(n_all)].time + (int64_t)roll(3) - 1
                         : begin + (int64_t)roll((uint64_t)(schema->span.end - begin) + 9);
        if (roll(4) == 0)
            q.within.begin = all[roll(n_all)].time;
        q.backward = roll(2);
        /* Links at few containers are found in another way than those at many. */
        q.n_containers = roll(2) ? CONTAINERS : roll(CONTAINERS + 1);
        q.most = 1 + roll(roll(2) ? 10 : 2000);
        ask(source, &q);
    }
    q.most = 5;
    for (int backward = 0; backward < 2; backward++) {
        q.backward = backward;
        q.time = INT64_MIN;
        ask(source, &q);
        q.time = INT64_MAX;
        ask(source, &q);
    }
    weft_trace_close(trace);
}

static void test_random(void **state)
{
    (void)state;
    for (int i = 0; i < 12; i++)
        check((int64_t)roll(1000), 1 + (int64_t)roll(i % 2 ? 100 : 1000000000), 1500, 60);
}

/* Gaps that make the span nearly as long as a trace's may be. */
static void test_longest(void **state)
{
    (void)state;
    check(-WEFT_TIME_LIMIT, INT64_C(1) << 55, 400, 60);
}

/* Few events, closely together. */
static void test_few(void **state)
{
    (void)state;
    check(7, 1, 2, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_longest),
        cmocka_unit_test(test_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
