/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histograms: the edges of bins by hand, and the counts of a random trace against a second
 * implementation that asks each of its states and links in turn.
 */
#include <math.h>
#include <string.h>

#include "tests/random.h"
#include "tests/table_text.h"
#include "tests/test.h"
#include "tests/unit/store/random_trace.h"
#include "view/timeline/histogram_bins.h"
#include "view/views.h"

/* The edges must be the numbers of EXPECTED, separated by spaces. */
static void has_edges(struct histogram_range range, bool logarithmic, unsigned wanted,
                      const char *expected)
{
    double edges[HISTOGRAM_EDGES];
    char text[512] = "";
    size_t n = histogram_edges(&range, logarithmic, wanted, edges);
    for (size_t i = 0; i < n; i++)
        sprintf(text + strlen(text), "%s%g", i ? " " : "", edges[i]);
    assert_string_equal(text, expected);
}

static void edges_are_round(void **unused)
{
    (void)unused;
    enum { LINEAR, LOG };
    struct histogram_range to_ten = { 0, 10, 1, true }, decades = { 3, 2000, 3, true };
    struct histogram_range below = { -5, 20, 2, true }, one = { 7, 7, 7, true };
    struct histogram_range zero = { 0, 0, 0, true }, part = { 0.125, 0.375, 0.125, false };
    has_edges(to_ten, LINEAR, 10, "0 1 2 3 4 5 6 7 8 9 10 11"); /* 10 is in the last */
    has_edges(to_ten, LINEAR, 5, "0 2 4 6 8 10 12");
    has_edges(to_ten, LINEAR, 200, "0 1 2 3 4 5 6 7 8 9 10 11"); /* no half numbers */
    has_edges(decades, LOG, 3, "1 10 100 1000 10000");
    has_edges(decades, LOG, 9, "2 5 10 20 50 100 200 500 1000 2000 5000");
    has_edges(below, LOG, 3, "-5 2 5 10 20 50"); /* one bin for 0 and less */
    has_edges(below, LINEAR, 5, "-5 0 5 10 15 20 25");
    has_edges(one, LINEAR, 10, "7 8");
    has_edges(zero, LINEAR, 10, "0 1");
    has_edges(zero, LOG, 10, "0 1");
    has_edges(part, LINEAR, 5, "0.1 0.15 0.2 0.25 0.3 0.35 0.4");
}

static void edges_hold_all_values(void **unused)
{
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        double edges[HISTOGRAM_EDGES], a = ldexp((double)roll(1000), (int)roll(80) - 40);
        double b = ldexp((double)roll(1000) - 300, (int)roll(80) - 40);
        struct histogram_range range = { fmin(a, b), fmax(a, b), 0, roll(2) };
        if (range.whole) {
            range.least = floor(range.least);
            range.most = ceil(range.most);
        }
        range.least_positive = range.least > 0 ? range.least : range.most;
        if (range.least_positive < 0)
            range.least_positive = 0;
        size_t n = histogram_edges(&range, roll(2), 1 + (unsigned)roll(200), edges);
        assert_in_range(n, 2, HISTOGRAM_EDGES);
        for (size_t e = 1; e < n; e++)
            assert_true(edges[e - 1] < edges[e]);
        assert_true(edges[0] <= range.least && edges[n - 1] > range.most);
        assert_true(n == 2 || (edges[1] > range.least && edges[n - 2] <= range.most));
        for (size_t e = 0; range.whole && e < n; e++)
            assert_true(edges[e] == trunc(edges[e]) || fabs(edges[e]) > 0x1p52);
    }
}

/* ---- Counts ---- */

static struct random_trace model;

enum question { DURATIONS, BYTES, REALS };

/* Returns the value that the question measures; NAN if the item has none or is not asked. */
static double value_of(const struct random_item *item, enum question question)
{
    int64_t bits;
    double real;
    if (question == BYTES)
        return item->kind == WEFT_LINK && item->bytes ? (double)item->bytes : (double)NAN;
    if (item->kind != WEFT_STATE)
        return (double)NAN;
    if (question == DURATIONS)
        return (double)(item->end - item->begin);
    bits = item->fields[RANDOM_REAL];
    memcpy(&real, &bits, sizeof real);
    return item->has >> RANDOM_REAL & 1 ? real : (double)NAN;
}

static void expect_row(enum question question, double from, double to, long count,
                       long total)
{
    long items = 0, ticks = 0;
    for (uint32_t i = 0; i < model.n_items; i++) {
        double value = value_of(&model.items[i], question);
        if (!(value >= from && value < to))
            continue;
        items++;
        ticks += (long)(model.items[i].end - model.items[i].begin);
    }
    assert_int_equal(count, items);
    assert_int_equal(total, ticks);
}

static void check(enum question question, const char *where, const char *of,
                  const char *scale, const char *bins)
{
    const char *settings[] = { where, of, scale, bins };
    struct weft_set set = { &model.source, 1 };
    struct weft_request request = { .set = &set,
                                    .window = { -1, RANDOM_END + 1 },
                                    .settings = settings };
    char *csv = table_csv(&weft_view_histogram, &request);
    long all = 0, expected = 0;
    for (char *line = strchr(csv, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        double from, to;
        long count, total;
        assert_int_equal(sscanf(line, "%lf,%lf,%ld,%ld", &from, &to, &count, &total), 4);
        expect_row(question, from, to, count, total);
        all += count;
    }
    for (uint32_t i = 0; i < model.n_items; i++)
        expected += !isnan(value_of(&model.items[i], question));
    assert_int_equal(all, expected);
    assert_true(all > 100);
    free(csv);
}

static void counts_are_those_of_a_list(void **unused)
{
    (void)unused;
    roll_from(9);
    random_trace_begin(&model, false);
    for (int i = 0; i < 2; i++) {
        const char *scale = i ? "linear" : "log";
        check(DURATIONS, "state", "duration", scale, "40");
        check(DURATIONS, "state", "duration", scale, "3");
        check(BYTES, "link", "bytes", scale, "20"); /* by its role; its name is size */
        check(REALS, "", "f1", scale, "10");
    }
    random_trace_end(&model);
}

static void unknown_fields_are_errors(void **unused)
{
    (void)unused;
    roll_from(10);
    random_trace_begin(&model, false);
    const char *settings[] = { "", "weight", "log", "40" };
    struct weft_set set = { &model.source, 1 };
    struct weft_request request = { .set = &set,
                                    .window = { 0, RANDOM_END },
                                    .width = 300,
                                    .height = 200,
                                    .theme = weft_theme_get(WEFT_THEME_LIGHT),
                                    .settings = settings };
    struct weft_arena arena = { 0 };
    struct weft_scene scene;
    struct weft_err err;
    assert_false(weft_view_scene(&weft_view_histogram, &request, &arena, &scene, &err));
    assert_int_equal(err.code, WEFT_ERR_USAGE);
    assert_non_null(strstr(err.message, "of=weight"));
    settings[1] = "f2"; /* a text */
    assert_false(weft_view_scene(&weft_view_histogram, &request, &arena, &scene, &err));
    weft_arena_free(&arena);
    random_trace_end(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_round),
        cmocka_unit_test(edges_hold_all_values),
        cmocka_unit_test(counts_are_those_of_a_list),
        cmocka_unit_test(unknown_fields_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
