/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of selected states of a random trace: without a condition those of the source, else
 * those that are counted tick by tick from the list of states.
 */
#include "analyse/selected_state_times.h"
#include "tests/random.h"
#include "tests/test.h"
#include "tests/unit/store/random_trace.h"

static struct random_trace model;
static struct weft_track_sums sums;

static const struct weft_schema *schema_of_model(void)
{
    return model.source->schema;
}

static void sum_up(const char *text, uint32_t track, struct weft_span window)
{
    struct weft_err err;
    struct weft_where *where = weft_where_new(model.source, text, &err);
    assert_non_null(where);
    struct weft_where_query query = { where, window, 0, NULL };
    weft_selected_sums_of_track(model.source, &query, window, track, &sums);
    for (size_t i = 1; i < sums.n; i++)
        assert_true(sums.values[i - 1] < sums.values[i]);
    weft_where_free(where);
}

static bool is_listed(uint32_t value)
{
    for (size_t i = 0; i < sums.n; i++)
        if (sums.values[i] == value)
            return true;
    return false;
}

static void expect(uint32_t value, int64_t total, int64_t self)
{
    assert_true(is_listed(value) || (!total && !self));
    if (!is_listed(value))
        return;
    assert_int_equal(sums.of[value].total_ticks, total);
    assert_int_equal(sums.of[value].self_ticks, self);
}

static struct weft_span some_window(void)
{
    int64_t begin = (int64_t)roll(3000);
    return (struct weft_span){ begin, begin + 1 + (int64_t)roll(1500) };
}

static void all_states_are_those_of_the_source(void **unused)
{
    (void)unused;
    for (int i = 0; i < 200; i++) {
        struct weft_sum *of = weft_zalloc(schema_of_model()->n_values, sizeof *of);
        uint32_t track = random_track(
            &model,
            &(struct random_item){ .container = model.containers[roll(RANDOM_STATE_TRACKS)],
                                   .type = model.state_type });
        struct weft_span window = some_window();
        sum_up("state", track, window);
        model.source->ops->sums(model.source, &track, 1, window, of);
        for (int v = 0; v < RANDOM_VALUES; v++)
            expect(model.values[v], of[model.values[v]].total_ticks,
                   of[model.values[v]].self_ticks);
        free(of);
    }
}

/* The conditions, as text and as what they mean. */
static bool holds(int condition, const struct random_item *item)
{
    switch (condition) {
    case 0: return item->value == model.values[0] || item->value == model.values[2];
    case 1: return item->end - item->begin >= 20;
    case 2: return item->has >> RANDOM_TEXT & 1;
    default: return item->begin >= 1500 && item->value != model.values[1];
    }
}

static const char *const conditions[] = { "value = a or value = c", "duration >= 20ns",
                                          "f2 != \"\"", "begin >= 1500ns and value != b" };

/* Adds a tick to total and self of each value that is open at a tick of a container. */
static void add_tick(int condition, uint32_t container, int64_t time, int64_t *totals,
                     int64_t *selfs)
{
    const struct random_item *inner = NULL;
    bool open[RANDOM_VALUES] = { 0 };
    for (uint32_t i = 0; i < model.n_items; i++) {
        const struct random_item *item = &model.items[i];
        if (item->kind != WEFT_STATE || item->container != container || time < item->begin
            || time >= item->end)
            continue;
        if (!inner || item->depth > inner->depth)
            inner = item;
        for (int v = 0; v < RANDOM_VALUES; v++)
            open[v] |= item->value == model.values[v] && holds(condition, item);
    }
    for (int v = 0; v < RANDOM_VALUES; v++) {
        totals[v] += open[v];
        selfs[v] += inner && inner->value == model.values[v] && holds(condition, inner);
    }
}

static void conditions_leave_states_out(void **unused)
{
    (void)unused;
    for (int i = 0; i < 24; i++) {
        int64_t totals[RANDOM_VALUES] = { 0 }, selfs[RANDOM_VALUES] = { 0 };
        struct random_item of = { .container = model.containers[roll(RANDOM_STATE_TRACKS)],
                                  .type = model.state_type };
        struct weft_span window = some_window();
        sum_up(conditions[i % 4], random_track(&model, &of), window);
        for (int64_t t = window.begin; t < window.end; t++)
            add_tick(i % 4, of.container, t, totals, selfs);
        for (int v = 0; v < RANDOM_VALUES; v++)
            expect(model.values[v], totals[v], selfs[v]);
    }
}

static int set_up(void **unused)
{
    (void)unused;
    roll_from(3);
    random_trace_begin(&model, false);
    weft_track_sums_begin(&sums, schema_of_model());
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    weft_track_sums_end(&sums);
    random_trace_end(&model);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_states_are_those_of_the_source),
        cmocka_unit_test(conditions_leave_states_out),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
