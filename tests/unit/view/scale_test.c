/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "view/scale.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes_from_a_nanosecond_to_an_hour),
        cmocka_unit_test(test_labels_in_a_unit_that_fits),
        cmocka_unit_test(test_no_more_digits_than_it_takes),
        cmocka_unit_test(test_a_nanosecond_far_from_zero_has_an_offset),
        cmocka_unit_test(test_the_longest_windows_have_axes),
        cmocka_unit_test(test_values_and_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
