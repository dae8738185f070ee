/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logical time of runs whose steps follow from how they are made (a ring, a pipeline, a
 * master with workers, barriers), and of random runs against a second implementation, which
 * raises steps along all dependences until none changes.
 */
#include "domains/messages/model/logical_time.h"

#include "tests/random.h"
#include "tests/table_text.h"
#include "tests/test.h"
#include "traffic_store.h"
#include "view/view.h"

enum { MOST = 4096, MOST_OPERATIONS = 256 };

static struct traffic_store store;
static uint64_t n_pushed[64]; /* by processor: calls */

static void begin(uint32_t n)
{
    memset(n_pushed, 0, sizeof n_pushed);
    traffic_store_begin(&store, n);
}

static void message(uint32_t from, uint32_t to, int64_t begin, int64_t end, uint32_t flags)
{
    struct weft_link link = { .type = store.message,
                              .value = WEFT_NONE,
                              .key = WEFT_NONE,
                              .from = store.processors[from],
                              .to = store.processors[to],
                              .begin = begin,
                              .end = end,
                              .from_entity = WEFT_NO_ID,
                              .to_entity = WEFT_NO_ID,
                              .flags = flags };
    weft_builder_link(store.builder, &link, NULL, 0);
}

/* An operation of all processors on one communicator; ROOT is only written if it has one. */
static uint64_t operation(enum traffic_pattern pattern, uint32_t root, int64_t time)
{
    static uint32_t communicator;
    if (n_pushed[63]++ == 0)
        communicator = weft_builder_container(store.builder, store.communicator, 0,
                                              "communicator", NULL, 0);
    uint32_t track = weft_builder_track(store.builder, communicator, store.collective);
    uint64_t id;
    bool rooted = pattern == ONE_TO_ALL || pattern == ALL_TO_ONE;
    const struct weft_field_value field = { store.root, { .integer = root } };
    assert_int_equal(weft_builder_event(store.builder, track, time, store.patterns[pattern],
                                        &field, rooted, &id),
                     WEFT_BUILD_OK);
    return id;
}

static void take_part(uint32_t processor, int64_t entry, int64_t exit, uint64_t event)
{
    const struct weft_field_value field = { store.operation, { .entity = event } };
    uint32_t track =
        weft_builder_track(store.builder, store.processors[processor], store.call);
    uint64_t id;
    assert_int_equal(
        weft_builder_push(store.builder, track, entry, store.call_value, &field, 1, &id),
        WEFT_BUILD_OK);
    assert_int_equal(weft_builder_pop(store.builder, track, exit, NULL), WEFT_BUILD_OK);
}

static struct weft_logical *make(void)
{
    struct weft_err err;
    traffic_store_finish(&store);
    struct weft_logical *logical = weft_logical_make(store.traffic, NULL, &err);
    assert_non_null(logical);
    return logical;
}

static void end(struct weft_logical *logical)
{
    weft_logical_free(logical);
    traffic_store_end(&store);
}

/* "1 3 4": the steps of a processor's events. */
static void check_steps(const struct weft_logical *logical, uint32_t processor,
                        const char *expected)
{
    char text[1024] = "";
    for (size_t i = logical->first[processor]; i < logical->first[processor + 1]; i++)
        sprintf(text + strlen(text), *text ? " %u" : "%u", logical->events[i].step);
    assert_string_equal(text, expected);
}

/* A token goes around twice: each hop is a send and a receive, a step later each. */
static void ring(void **state)
{
    (void)state;
    begin(4);
    for (int hop = 0; hop < 8; hop++)
        message((uint32_t)hop % 4, (uint32_t)(hop + 1) % 4, 100 * hop, 100 * hop + 50, 0);
    struct weft_logical *logical = make();
    check_steps(logical, 0, "1 8 9 16");
    check_steps(logical, 1, "2 3 10 11");
    check_steps(logical, 2, "4 5 12 13");
    check_steps(logical, 3, "6 7 14 15");
    assert_int_equal(logical->n_steps, 16);
    assert_int_equal(logical->n_forced, 0);
    for (size_t i = 0; i < logical->n; i++)
        assert_int_equal(weft_logical_lateness(logical, i), 0);
    end(logical);
}

/*
 * Three items go through a pipeline of three; stage 1 gets the second one late.
 *
 *     0   sends at 0, 10, 200           steps 1 2 3
 *     1   receives 5, 15, 205, sends 6, 16, 206: 2 3, 4 5, 6 7
 *     2   receives 8, 18, 208           steps 4 6 8
 */
static void pipeline(void **state)
{
    (void)state;
    const int64_t begins[] = { 0, 10, 200 };
    begin(3);
    for (int i = 0; i < 3; i++)
        message(0, 1, begins[i], begins[i] + 5, 0);
    for (int i = 0; i < 3; i++)
        message(1, 2, begins[i] + 6, begins[i] + 8, 0);
    struct weft_logical *logical = make();
    check_steps(logical, 0, "1 2 3");
    check_steps(logical, 1, "2 3 4 5 6 7");
    check_steps(logical, 2, "4 6 8");
    /* On step 2 processor 1 receives at 5 and processor 0 sends at 10: 5 late. */
    assert_int_equal(weft_logical_lateness(logical, logical->first[0] + 1), 5);
    assert_int_equal(weft_logical_lateness(logical, logical->first[1]), 0);
    /* Step 3: the send of 1 at 6, that of 0 at 200. */
    assert_int_equal(weft_logical_lateness(logical, logical->first[0] + 2), 194);
    /* Step 6: 2 receives at 18, 1 at 205. */
    assert_int_equal(weft_logical_lateness(logical, logical->first[1] + 4), 187);
    float latest = weft_logical_latest(logical, 0, logical->n);
    assert_true(latest == 194);
    end(logical);
}

/* A master gives work to two workers and takes their answers, the second one first. */
static void master(void **state)
{
    (void)state;
    begin(3);
    message(0, 1, 0, 10, 0);
    message(0, 2, 5, 12, 0);
    message(2, 0, 20, 30, 0);
    message(1, 0, 25, 40, 0);
    struct weft_logical *logical = make();
    check_steps(logical, 0, "1 2 5 6");
    check_steps(logical, 1, "2 3");
    check_steps(logical, 2, "3 4");
    end(logical);
}

/* The calls of a barrier share a step, one more than the greatest before it. */
static void barrier(void **state)
{
    (void)state;
    begin(3);
    message(0, 1, 0, 10, 0);
    uint64_t event = operation(ALL_WAIT, 0, 5);
    take_part(0, 5, 50, event);
    take_part(1, 20, 51, event);
    take_part(2, 45, 50, event);
    message(2, 0, 60, 70, 0);
    struct weft_logical *logical = make();
    check_steps(logical, 0, "1 3 5");
    check_steps(logical, 1, "2 3");
    check_steps(logical, 2, "3 4");
    assert_int_equal(weft_logical_lateness(logical, logical->first[0] + 1), 0);
    assert_int_equal(weft_logical_lateness(logical, logical->first[1] + 1), 15);
    assert_int_equal(weft_logical_lateness(logical, logical->first[2]), 40);
    end(logical);
}

/* A broadcast from 1, a reduction to 2, a scan; 1 sends a message first. */
static void patterns(void **state)
{
    (void)state;
    begin(3);
    message(1, 0, 0, 100, 0);
    uint64_t event = operation(ONE_TO_ALL, 1, 10);
    for (uint32_t p = 0; p < 3; p++)
        take_part(p, 10, 20, event);
    event = operation(ALL_TO_ONE, 2, 30);
    for (uint32_t p = 0; p < 3; p++)
        take_part(p, 30, 40, event);
    event = operation(PREFIX, 0, 50);
    for (uint32_t p = 0; p < 3; p++)
        take_part(p, 50, 60, event);
    struct weft_logical *logical = make();
    check_steps(logical, 1, "1 2 3 6");
    check_steps(logical, 0, "3 4 5 6");
    check_steps(logical, 2, "3 5 7");
    end(logical);
}

/* Each of two receives before it sends: the earlier one does not wait. */
static void circle(void **state)
{
    (void)state;
    begin(2);
    message(0, 1, 30, 10, 0);
    message(1, 0, 40, 20, 0);
    message(0, 1, 50, 60, WEFT_END_IMPLIED);
    struct weft_logical *logical = make();
    assert_int_equal(logical->n_forced, 1);
    check_steps(logical, 1, "1 2");
    check_steps(logical, 0, "3 4 5");
    end(logical);
}

/* ---- Random runs ---- */

struct slow {
    int64_t time;
    uint32_t processor, kind, number, step;
};
static struct slow events[MOST];
static size_t n_events;
/* The events on which one depends besides the one before it on its processor; `before`: on
   those that precede them. */
static struct {
    size_t of, on;
    bool before;
} needs[MOST * 8];
static size_t n_needs;

static bool precedes(const struct slow *a, const struct slow *b)
{
    return a->processor == b->processor
           && (a->time != b->time   ? a->time < b->time
               : a->kind != b->kind ? a->kind < b->kind
                                    : a->number < b->number);
}

static size_t add_event(uint32_t processor, int64_t time, uint32_t kind, uint32_t number)
{
    assert_true(n_events < MOST);
    events[n_events] = (struct slow){ time, processor, kind, number, 1 };
    return n_events++;
}

static void need(size_t of, size_t on, bool before)
{
    assert_true(n_needs < sizeof needs / sizeof *needs);
    needs[n_needs].of = of;
    needs[n_needs].on = on;
    needs[n_needs++].before = before;
}

/* The greatest step of the events of A's processor before it; 0: none. */
static uint32_t step_before(size_t a)
{
    uint32_t most = 0;
    for (size_t b = 0; b < n_events; b++)
        if (precedes(&events[b], &events[a]) && events[b].step > most)
            most = events[b].step;
    return most;
}

static bool raise_step(size_t of, uint32_t step)
{
    if (events[of].step >= step)
        return false;
    events[of].step = step;
    return true;
}

static void relax(void)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t a = 0; a < n_events; a++)
            changed |= raise_step(a, step_before(a) + 1);
        for (size_t i = 0; i < n_needs; i++)
            changed |=
                raise_step(needs[i].of, needs[i].before ? step_before(needs[i].on) + 1
                                                        : events[needs[i].on].step + 1);
    }
}

static void add_operation(uint32_t n, enum traffic_pattern pattern, int64_t *now,
                          uint32_t *number)
{
    size_t of[64];
    uint32_t root = (uint32_t)roll(n);
    int64_t earliest = INT64_MAX;
    for (uint32_t p = 0; p < n; p++)
        earliest = now[p] < earliest ? now[p] : earliest;
    uint64_t event = operation(pattern, root, earliest);
    for (uint32_t p = 0; p < n; p++) {
        int64_t exit = now[p] + 1 + (int64_t)roll(9);
        take_part(p, now[p], exit, event);
        of[p] = add_event(p, now[p], 2, (*number)++);
        now[p] = exit + 1;
    }
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t q = 0; q < n; q++)
            if (pattern == ONE_TO_ALL   ? q == root && p != root
                : pattern == ALL_TO_ONE ? p == root && q != root
                : pattern == PREFIX     ? q + 1 == p
                                        : true)
                need(of[p], of[q], pattern == ALL_TO_ALL || pattern == ALL_WAIT);
}

static void check_run(const struct weft_logical *logical)
{
    size_t seen = 0;
    relax();
    assert_int_equal(logical->n_forced, 0);
    assert_int_equal(logical->n, n_events);
    for (size_t a = 0; a < n_events; a++) {
        int64_t earliest = events[a].time;
        size_t before = 0;
        for (size_t b = 0; b < n_events; b++) {
            before += precedes(&events[b], &events[a]);
            if (events[b].step == events[a].step && events[b].time < earliest)
                earliest = events[b].time;
        }
        size_t i = logical->first[events[a].processor] + before;
        assert_int_equal(logical->events[i].time, events[a].time);
        assert_int_equal(logical->events[i].step, events[a].step);
        assert_int_equal(weft_logical_kind_of(&logical->events[i]), events[a].kind);
        assert_int_equal(weft_logical_lateness(logical, i), events[a].time - earliest);
        assert_int_equal(weft_logical_find(logical, events[a].processor, events[a].time,
                                           logical->events[i].what),
                         i);
        seen++;
    }
    assert_int_equal(seen, logical->n);
    for (unsigned l = 0; l < logical->n_binnings; l++)
        for (size_t p = 0; p < store.n; p++)
            for (size_t bin = 0; bin < weft_logical_bins(logical, l); bin++) {
                float most = -1;
                for (size_t i = logical->first[p]; i < logical->first[p + 1]; i++)
                    if (logical->events[i].step >> (logical->bin_shift + l) == bin
                        && (float)weft_logical_lateness(logical, i) > most)
                        most = (float)weft_logical_lateness(logical, i);
                size_t at = p * weft_logical_bins(logical, l) + bin;
                assert_true(logical->binnings[l][at] == most);
            }
    for (int k = 0; k < 20; k++) {
        size_t from = (size_t)roll(logical->n + 1),
               after = from + (size_t)roll(logical->n + 1 - from);
        float latest = -1;
        for (size_t i = from; i < after; i++)
            latest = (float)weft_logical_lateness(logical, i) > latest
                         ? (float)weft_logical_lateness(logical, i)
                         : latest;
        assert_true(weft_logical_latest(logical, from, after) == latest);
    }
}

/*
 * Causes have no circle, since each message is received by the processor's last event so
 * far, but clocks of processors are off, so that some messages arrive before they are sent.
 */
static void random_runs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        roll_from(seed);
        uint32_t n = 2 + (uint32_t)roll(7), number = 0;
        int64_t now[64];
        struct {
            uint32_t from, to, number;
            int64_t begin;
            size_t send;
        } pending[64];
        size_t n_pending = 0;
        begin(n);
        n_events = n_needs = 0;
        for (uint32_t p = 0; p < n; p++)
            now[p] = (int64_t)roll(40);
        for (int k = (int)roll(200) + 5; k-- > 0;) {
            uint64_t what = roll(20);
            uint32_t p = (uint32_t)roll(n);
            if (what == 0) {
                add_operation(n, (enum traffic_pattern)roll(PATTERNS), now, &number);
            } else if (what < 11 && n_pending < 64) {
                pending[n_pending].from = p;
                pending[n_pending].to = (uint32_t)roll(n);
                pending[n_pending].number = number;
                pending[n_pending].begin = now[p];
                pending[n_pending++].send = add_event(p, now[p], 0, number++);
                now[p] += 1 + (int64_t)roll(5);
            } else if (n_pending) {
                size_t i = (size_t)roll(n_pending);
                uint32_t to = pending[i].to;
                bool lost = roll(10) == 0;
                if (!lost)
                    need(add_event(to, now[to], 1, pending[i].number), pending[i].send,
                         false);
                message(pending[i].from, to, pending[i].begin,
                        lost ? pending[i].begin : now[to], lost ? WEFT_END_IMPLIED : 0);
                now[to] += 1 + (int64_t)roll(5);
                pending[i] = pending[--n_pending];
            }
        }
        for (size_t i = 0; i < n_pending; i++)
            message(pending[i].from, pending[i].to, pending[i].begin, pending[i].begin,
                    WEFT_END_IMPLIED);
        message(0, 0, 100000, 100001, 0); /* at least one */
        size_t sent = add_event(0, 100000, 0, number);
        need(add_event(0, 100001, 1, number), sent, false);
        struct weft_logical *logical = make();
        check_run(logical);
        end(logical);
    }
}

/* Any times at all: it ends, and steps rise. */
static void random_circles(void **state)
{
    (void)state;
    uint64_t forced = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        roll_from(seed);
        uint32_t n = 1 + (uint32_t)roll(8);
        begin(n);
        for (int k = 0; k < 100; k++)
            message((uint32_t)roll(n), (uint32_t)roll(n), (int64_t)roll(50),
                    (int64_t)roll(50), 0);
        struct weft_logical *logical = make();
        assert_int_equal(logical->n, 200);
        for (uint32_t p = 0; p < n; p++)
            for (size_t i = logical->first[p]; i < logical->first[p + 1]; i++)
                assert_true(logical->events[i].step
                            > (i > logical->first[p] ? logical->events[i - 1].step : 0));
        forced += logical->n_forced;
        end(logical);
    }
    assert_true(forced > 0);
}

/* ---- The view ---- */

static void view(void **state)
{
    (void)state;
    begin(2);
    message(0, 1, 10, 25, 0);
    message(1, 0, 30, 40, 0);
    struct weft_logical *logical = make();
    const struct weft_source *source = weft_trace_source(store.trace);
    const struct weft_set set = { &source, 1, NULL };
    struct weft_request request = { .set = &set,
                                    .window = { 0, 30 },
                                    .width = 600,
                                    .height = 300,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT) };
    const struct weft_view *of = weft_view_find("logical-time");
    assert_non_null(of);
    assert_true(of->fills(&set));
    char *text = table_csv(of, &request);
    assert_string_equal(text, "processor,step,kind,at_ns,late_ns,partner,bytes,tag\n"
                              "0,1,send,10,0,1,,\n"
                              "1,2,receive,25,0,0,,\n");
    free(text);
    request.has_at = true;
    request.at = 29; /* 0 has sent its message, 1 has not sent the answer */
    text = table_csv(of, &request);
    assert_string_equal(text, "processor,step,kind,at_ns,late_ns,partner,bytes,tag\n"
                              "0,1,send,10,0,1,,\n"
                              "1,2,receive,25,0,0,,\n");
    free(text);
    request.at = 12;
    text = table_csv(of, &request);
    assert_string_equal(text, "processor,step,kind,at_ns,late_ns,partner,bytes,tag\n"
                              "0,1,send,10,0,1,,\n");
    free(text);
    end(logical);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring),        cmocka_unit_test(pipeline),
        cmocka_unit_test(master),      cmocka_unit_test(barrier),
        cmocka_unit_test(patterns),    cmocka_unit_test(circle),
        cmocka_unit_test(random_runs), cmocka_unit_test(random_circles),
        cmocka_unit_test(view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
