/* SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "domains/messages/view/message_color_code.h"
#include "tests/test.h"
#include "view/axis_ticks.h"
#include "view/picture_frame.h"

static const struct weft_schema hour = { .ticks_numerator = 1000000000,
                                         .ticks_denominator = 1,
                                         .span = { 1800000000000000000,
                                                   1800003600000000000 } };

/* What must hold of any axis: in order, inside, far enough apart, no two labels alike. */
static void check_axis(const struct weft_axis *axis, double length, double spacing)
{
    for (size_t i = 0; i < axis->n_ticks; i++) {
        assert_true(axis->ticks[i].at >= -1e-6 && axis->ticks[i].at <= length + 1e-6);
        if (!i)
            continue;
        assert_true(axis->ticks[i].at - axis->ticks[i - 1].at >= spacing * 0.999);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(axis->ticks[i].label, axis->ticks[j].label);
    }
}

static void test_axes_from_a_nanosecond_to_an_hour(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    for (int64_t length = 1; length < 3600000000000; length = length * 3 + 1)
        for (int place = 0; place < 3; place++) {
            int64_t room = 3600000000000 - length;
            int64_t from = hour.span.begin
                           + (place == 0   ? 0
                              : place == 1 ? room / 3
                                           : room);
            struct weft_span window = { from, from + length };
            struct weft_axis axis = weft_time_axis(&arena, &hour, window, 1000, 90);
            check_axis(&axis, 1000, 90);
            /* With steps of 1, 2, 5 an axis of 1000 has at least 4 places for ticks 90 apart,
               unless a tick would be less than a nanosecond. */
            if (length >= 100)
                assert_true(axis.n_ticks >= 4);
            weft_arena_reset(&arena);
        }
    weft_arena_free(&arena);
}

static void test_labels_in_a_unit_that_fits(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    struct weft_span window = { hour.span.begin + 600000000, hour.span.begin + 640000000 };
    struct weft_axis axis = weft_time_axis(&arena, &hour, window, 800, 90);
    /* 40 ms over 800 pixels, 90 apart: steps of 5 ms from 600. */
    assert_string_equal(axis.unit, "ms");
    assert_int_equal(axis.n_ticks, 9);
    assert_string_equal(axis.ticks[0].label, "600");
    assert_string_equal(axis.ticks[1].label, "605");
    assert_true(fabs(axis.ticks[1].at - 100) < 1e-6);
    assert_null(axis.offset);
    weft_arena_free(&arena);
}

/* Half a second, near the end of an hour: tenths of seconds tell the steps apart. */
static void test_no_more_digits_than_it_takes(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    const int64_t second = 1000000000;
    struct weft_span window = { hour.span.begin + 23 * second,
                                hour.span.begin + 23 * second + second / 2 };
    struct weft_axis axis = weft_time_axis(&arena, &hour, window, 600, 90);
    assert_string_equal(axis.unit, "s");
    assert_string_equal(axis.ticks[0].label, "23.0");
    assert_string_equal(axis.ticks[1].label, "23.1");
    /* A millisecond there: five digits before the point are fewer than three after it. */
    window.end = window.begin + second / 1000;
    axis = weft_time_axis(&arena, &hour, window, 600, 90);
    assert_string_equal(axis.unit, "µs");
    assert_non_null(axis.offset);
    weft_arena_free(&arena);
}

static void test_a_nanosecond_far_from_zero_has_an_offset(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    struct weft_span window = { hour.span.end - 10, hour.span.end };
    struct weft_axis axis = weft_time_axis(&arena, &hour, window, 1000, 90);
    assert_string_equal(axis.unit, "ns");
    assert_non_null(axis.offset);
    assert_int_equal(axis.n_ticks, 11);
    weft_arena_free(&arena);
}

static void test_values_and_bytes(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    struct weft_axis axis = weft_value_axis(&arena, 0, 10, "", 300, 60);
    check_axis(&axis, 300, 60);
    assert_string_equal(axis.ticks[1].label, "2");
    /* Finer than the digits of a label: rather fewer ticks than equal ones. */
    axis = weft_value_axis(&arena, 1, 1 + 1e-10, "", 300, 60);
    check_axis(&axis, 300, 60);
    axis = weft_value_axis(&arena, 0, 3 * 1024 * 1024, "B", 300, 60);
    assert_string_equal(axis.unit, "MiB");
    assert_int_equal(axis.n_ticks,
                     4); /* 0, 1, 2, 3: a round MiB, not a round number of bytes */
    assert_string_equal(weft_number_text(&arena, 412906, 0), "412,906");
    assert_string_equal(weft_number_text(&arena, -1234567.5, 1), "-1,234,567.5");
    assert_string_equal(weft_number_text(&arena, -0.001, 0), "0");
    assert_string_equal(weft_number_text(&arena, 999, 0), "999");
    weft_arena_free(&arena);
}

/* Whatever a trace claims, an axis ends. */
static void test_no_range_is_too_large_or_small(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    static const double ends[] = { -INFINITY, -DBL_MAX,  -1e300,   -1, -DBL_MIN,
                                   0,         0x1p-1074, DBL_MIN,  1,  0x1p63,
                                   1e300,     DBL_MAX,   INFINITY, NAN };
    enum { ENDS = sizeof ends / sizeof *ends };
    for (size_t i = 0; i < ENDS * ENDS; i++) {
        double low = ends[i / ENDS], high = ends[i % ENDS];
        struct weft_axis axis =
            weft_value_axis(&arena, low, high, i % 2 ? "B" : "", 300, 60);
        bool can = high > low && isfinite(high - low);
        assert_true(can ? axis.n_ticks <= 20 : !axis.n_ticks);
        axis = weft_count_axis(&arena, low, high, 300, 60);
        assert_true(can ? axis.n_ticks <= 20 : !axis.n_ticks);
    }
    assert_string_equal(weft_number_text(&arena, -2.5e300, 0), "-2.5e+300");
    assert_string_equal(weft_number_text(&arena, 1e15, 0), "1,000,000,000,000,000");
    weft_arena_free(&arena);
}

/* Nobody sends half a message. */
static void test_what_is_counted_has_whole_ticks(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    for (double high = 0.25; high < 30; high += 0.25)
        for (double length = 20; length < 900; length *= 2) {
            struct weft_axis axis = weft_count_axis(&arena, 0, high, length, 32);
            assert_true(axis.n_ticks >= 1);
            for (size_t i = 0; i < axis.n_ticks; i++) {
                assert_null(strchr(axis.ticks[i].label, '.'));
                double value = strtod(axis.ticks[i].label, NULL);
                assert_true(fabs(axis.ticks[i].at - length * value / high) < 1e-6);
            }
        }
    weft_arena_free(&arena);
}

/* How long, from when to when: a window that begins at its own length is no riddle. */
static void test_ranges_say_from_when_to_when(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    int64_t zero = hour.span.begin, ms = 1000000;
    assert_string_equal(
        weft_range_text(&arena, &hour,
                        (struct weft_span){ zero + 400 * ms, zero + 800 * ms }),
        "400 ms: 400 ms to 800 ms");
    assert_string_equal(
        weft_range_text(&arena, &hour,
                        (struct weft_span){ zero + 900 * ms, zero + 1100 * ms }),
        "200 ms: 0.9 s to 1.1 s");
    assert_string_equal(weft_range_text(&arena, &hour, hour.span), "all of 3600 s");
    weft_arena_free(&arena);
}

/* In black and white each amount has the pattern of the entry that says so, and none is twice. */
static void test_patterns_have_a_legend(void **unused)
{
    (void)unused;
    static const double mosts[] = { 1, 2, 7, 100, 4096, 1e6 };
    struct weft_arena arena = { 0 };
    for (size_t m = 0; m < sizeof mosts / sizeof *mosts; m++)
        for (double least = 0; least <= mosts[m]; least = 3 * least + 1) {
            struct weft_message_code code =
                weft_code_make(WEFT_CODE_COUNT, weft_theme_get(WEFT_THEME_MONO), mosts[m]);
            size_t n;
            code.least = least;
            struct weft_legend_entry *legend = weft_code_legend(&code, &arena, NULL, 0, &n);
            assert_true(n > 0);
            int64_t amount = (int64_t)least;
            for (size_t i = 0; i < n; i++) {
                char *digits = weft_strdup(legend[i].label), *to = digits;
                for (const char *at = digits; *at; at++)
                    if (*at >= '0' && *at <= '9')
                        *to++ = *at;
                *to = '\0';
                int64_t last = strtoll(digits, NULL, 10);
                assert_true(last >= amount);
                const int64_t ends[] = { amount, amount + (last - amount) / 2, last };
                for (size_t e = 0; e < 3; e++) {
                    struct weft_swatch swatch = weft_code_swatch(&code, ends[e]);
                    assert_int_equal(swatch.hatch, legend[i].swatch.hatch);
                    assert_int_equal(swatch.fill, legend[i].swatch.fill);
                }
                amount = last + 1;
                free(digits);
            }
            assert_int_equal(amount, (int64_t)mosts[m] + 1);
        }
    weft_arena_free(&arena);
}

/* Amounts of about the same size can be told apart, and no entry of the legend says the same. */
static void test_near_amounts_differ(void **unused)
{
    (void)unused;
    static const double mosts[] = { 1, 3, 40, 367.0 * 1024 * 1024, 1e15 };
    struct weft_arena arena = { 0 };
    for (size_t m = 0; m < sizeof mosts / sizeof *mosts; m++)
        for (double part = 0; part <= 1; part += 0.0625) {
            struct weft_message_code code =
                weft_code_make(WEFT_CODE_SIZE, weft_theme_get(WEFT_THEME_LIGHT), mosts[m]);
            size_t n;
            code.least = floor(part * mosts[m]);
            /* In proportion from a sixteenth on; the ramp's begin is left out, as none has no colour. */
            if (code.least > 0 && 16 * code.least >= mosts[m])
                assert_true(fabs(weft_code_place(&code, (int64_t)code.least)
                                 - (0.12 + 0.88 * code.least / mosts[m]))
                            < 1e-9);
            struct weft_legend_entry *legend = weft_code_legend(&code, &arena, NULL, 0, &n);
            assert_true(n > 0);
            for (size_t i = 1; i < n; i++)
                assert_string_not_equal(legend[i].label, legend[i - 1].label);
        }
    weft_arena_free(&arena);
}

/* As long as a clock can show, on an axis with no room for two labels. */
static void test_the_longest_windows_have_axes(void **unused)
{
    (void)unused;
    struct weft_arena arena = { 0 };
    for (int shift = 50; shift <= 62; shift++)
        for (double length = 1; length < 2000; length *= 3) {
            int64_t half = (INT64_C(1) << shift) - 1 - (shift == 62);
            struct weft_span window = { hour.span.begin - half, hour.span.begin + half };
            struct weft_axis axis = weft_time_axis(&arena, &hour, window, length, 90);
            for (size_t i = 0; i < axis.n_ticks; i++)
                assert_true(axis.ticks[i].at >= 0 && axis.ticks[i].at <= length * 1.001);
            assert_true(axis.n_ticks <= (size_t)(length / 30) + 3);
        }
    weft_arena_free(&arena);
}

/* Pixel after pixel the times follow each other; what is in no pixel has none. */
static void test_pixels_of_a_plot(void **unused)
{
    (void)unused;
    static const double nowhere[] = { -HUGE_VAL, -DBL_MAX, -1e300,  99.9,     350,
                                      1e19,      1e300,    DBL_MAX, HUGE_VAL, NAN };
    const struct weft_rect plot = { 100, 20, 250, 30 };
    const struct weft_span window = { 5000, 5000 + 250 * 40 };
    struct weft_span pixel;

    for (int x = 0; x < 250; x++)
        for (double part = 0; part < 1; part += 0.45) {
            assert_true(weft_frame_pixel(plot, window, 100 + x + part, &pixel));
            assert_int_equal(pixel.begin, 5000 + 40 * x);
            assert_int_equal(pixel.end, 5000 + 40 * (x + 1));
        }
    for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++)
        assert_false(weft_frame_pixel(plot, window, nowhere[i], &pixel));
}

/* A window of a few ticks has pixels of one; the longest that there is, none that overflows. */
static void test_pixels_of_any_window(void **unused)
{
    (void)unused;
    const int64_t most = INT64_C(1) << 62;
    const struct weft_rect plot = { 0, 0, 250, 30 }, narrow = { 0, 0, 1, 30 };
    struct weft_span pixel;

    assert_true(weft_frame_pixel(plot, (struct weft_span){ 7, 9 }, 249, &pixel));
    assert_int_equal(pixel.begin, 8);
    assert_int_equal(pixel.end, 9);
    assert_true(weft_frame_pixel(plot, (struct weft_span){ -most, most - 1 }, 0, &pixel));
    assert_true(pixel.begin == -most && pixel.end > pixel.begin);
    (void)weft_frame_pixel(plot, (struct weft_span){ -most, most - 1 }, 249, &pixel);
    assert_false(weft_frame_pixel(narrow, (struct weft_span){ 0, 100 }, 0, &pixel));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes_from_a_nanosecond_to_an_hour),
        cmocka_unit_test(test_pixels_of_a_plot),
        cmocka_unit_test(test_pixels_of_any_window),
        cmocka_unit_test(test_labels_in_a_unit_that_fits),
        cmocka_unit_test(test_no_more_digits_than_it_takes),
        cmocka_unit_test(test_a_nanosecond_far_from_zero_has_an_offset),
        cmocka_unit_test(test_near_amounts_differ),
        cmocka_unit_test(test_the_longest_windows_have_axes),
        cmocka_unit_test(test_values_and_bytes),
        cmocka_unit_test(test_no_range_is_too_large_or_small),
        cmocka_unit_test(test_what_is_counted_has_whole_ticks),
        cmocka_unit_test(test_ranges_say_from_when_to_when),
        cmocka_unit_test(test_patterns_have_a_legend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
