/* SPDX-License-Identifier: Apache-2.0 */
/* The events of a random trace, as displays get them, against the list of what is in it. */
#include "displays/events_for_display.h"

#include <weft/view.h>

#include "tests/random.h"
#include "tests/test.h"
#include "tests/unit/store/random_trace.h"

enum { ALL = (1u << WEFT_DISPLAY_KINDS) - 1, MOST = 2 * RANDOM_MAX_ITEMS };

static struct random_trace model;

static int set_up(void **state)
{
    (void)state;
    random_trace_begin(&model, false);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    random_trace_end(&model);
    return 0;
}

/* Reads all events up to UNTIL into STEPS; returns how many. */
static size_t read_until(struct weft_display_events *events, int64_t until,
                         struct weft_display_step *steps)
{
    size_t n = 0;
    while (weft_display_events_next(events, until, &steps[n]))
        assert_true(++n < MOST);
    return n;
}

static size_t read_all(unsigned takes, struct weft_display_step *steps)
{
    struct weft_display_events events;
    weft_display_events_begin(&events, model.source, takes);
    size_t n = read_until(&events, INT64_MAX, steps);
    weft_display_events_end(&events);
    return n;
}

/* An event without what tells entities apart: kind, time, row, value. */
struct plain {
    uint32_t kind, row, value;
    int64_t time;
};

static int compare(const void *left, const void *right)
{
    const struct plain *a = left, *b = right;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

/* Adds the events of ITEM that TAKES has to PLAIN. */
static void add(const struct random_item *item, unsigned takes, struct plain *plain,
                size_t *n)
{
    const struct plain both[][2] = {
        [WEFT_STATE] = { { WEFT_DISPLAY_BEGIN, item->container, item->value, item->begin },
                         { WEFT_DISPLAY_END, item->container, item->value, item->end } },
        [WEFT_EVENT] = { { WEFT_DISPLAY_INSTANT, item->container, item->value,
                           item->begin } },
        [WEFT_VARIABLE] = { { WEFT_DISPLAY_SAMPLE, item->container, WEFT_NONE,
                              item->begin } },
        [WEFT_LINK] = { { WEFT_DISPLAY_SEND, item->from, item->value, item->begin },
                        { WEFT_DISPLAY_RECEIVE, item->to, item->value, item->end } },
    };
    bool two = item->kind == WEFT_STATE || item->kind == WEFT_LINK;
    for (int i = 0; i < 1 + two; i++)
        if (takes >> both[item->kind][i].kind & 1)
            plain[(*n)++] = both[item->kind][i];
}

static void test_all_are_there(void **unused)
{
    (void)unused;
    static struct weft_display_step steps[MOST];
    static struct plain found[MOST], wanted[MOST];
    for (unsigned takes = 0; takes <= ALL; takes++) {
        size_t n = read_all(takes, steps), n_wanted = 0;
        for (size_t i = 0; i < n; i++)
            found[i] =
                (struct plain){ steps[i].kind, steps[i].row,
                                steps[i].kind == WEFT_DISPLAY_SAMPLE ? WEFT_NONE
                                                                     : steps[i].value,
                                steps[i].time };
        for (uint32_t i = 0; i < model.n_items; i++)
            add(&model.items[i], takes, wanted, &n_wanted);
        assert_int_equal(n, n_wanted);
        qsort(found, n, sizeof *found, compare);
        qsort(wanted, n, sizeof *wanted, compare);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(compare(&found[i], &wanted[i]), 0);
    }
}

/* States of a track nest: each end is that of the state that began last and is open. */
static void test_order(void **unused)
{
    (void)unused;
    enum { TRACKS = 64, DEEP = 4096 };
    static struct weft_display_step steps[MOST];
    static uint64_t open[TRACKS][DEEP];
    static int64_t since[TRACKS][DEEP];
    size_t depth[TRACKS] = { 0 }, n = read_all(ALL, steps), ends_first = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t track = weft_entity_track(steps[i].id);
        assert_true(i == 0 || steps[i].time >= steps[i - 1].time);
        if (steps[i].kind == WEFT_DISPLAY_BEGIN) {
            since[track][depth[track]] = steps[i].time;
            open[track][depth[track]++] = steps[i].id;
        }
        if (steps[i].kind != WEFT_DISPLAY_END)
            continue;
        assert_true(depth[track] > 0);
        assert_int_equal(open[track][--depth[track]], steps[i].id);
        /* A state that began earlier ends before anything begins at that time. */
        if (since[track][depth[track]] == steps[i].time)
            continue;
        for (size_t k = i; k > 0 && steps[k - 1].time == steps[i].time; k--)
            assert_true(steps[k - 1].kind == WEFT_DISPLAY_END);
        ends_first++;
    }
    for (size_t t = 0; t < TRACKS; t++)
        assert_int_equal(depth[t], 0);
    assert_true(ends_first > 1000);
}

static void test_in_portions(void **unused)
{
    (void)unused;
    static struct weft_display_step all[MOST], part[MOST];
    size_t n = read_all(ALL, all), at = 0;
    struct weft_display_events events;
    weft_display_events_begin(&events, model.source, ALL);
    for (int64_t until = -3; until <= RANDOM_END + 40; until += (int64_t)roll(40)) {
        size_t more = read_until(&events, until, part);
        assert_true(at + more <= n);
        for (size_t i = 0; i < more; i++) {
            assert_int_equal(part[i].id, all[at + i].id);
            assert_int_equal(part[i].kind, all[at + i].kind);
        }
        at += more;
        assert_true(at == 0 || all[at - 1].time <= until);
        assert_true(at == n || all[at].time > until);
    }
    assert_int_equal(at, n);
    weft_display_events_end(&events);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_are_there),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_in_portions),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
