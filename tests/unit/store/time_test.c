/* SPDX-License-Identifier: Apache-2.0 */
#include "base/radix_sort.h"
#include "store/time.h"
#include "tests/random.h"
#include "tests/test.h"

/* A clock that counts nanoseconds from 1970, a span of ten seconds. */
static const struct weft_schema epoch = { .ticks_numerator = 1000000000,
                                          .ticks_denominator = 1,
                                          .span = { 1800000000123456789,
                                                    1800000010123456789 } };
static const struct weft_schema femto = { .ticks_numerator = 1000000000000000,
                                          .ticks_denominator = 1,
                                          .span = { 0, 1000 } };
static const struct weft_schema tsc = { .ticks_numerator = 2095191439,
                                        .ticks_denominator = 1,
                                        .span = { 0, 2095191439 } };

static int64_t parse(const struct weft_schema *schema, const char *text)
{
    int64_t ticks = -1;
    struct weft_err err;
    if (!weft_parse_time(schema, text, strlen(text), &ticks, &err))
        fail_msg("%s: %s", text, err.message);
    return ticks;
}

static void test_times_count_from_the_start_of_the_span(void **unused)
{
    (void)unused;
    int64_t zero = epoch.span.begin;
    assert_int_equal(parse(&epoch, "0"), zero);
    assert_int_equal(parse(&epoch, "1.5s"), zero + 1500000000);
    assert_int_equal(parse(&epoch, "20ms"), zero + 20000000);
    assert_int_equal(parse(&epoch, "300us"), zero + 300000);
    assert_int_equal(parse(&epoch, "5000ns"), zero + 5000);
    assert_int_equal(parse(&epoch, "50%"), zero + 5000000000);
    assert_int_equal(parse(&epoch, "2.000000001"), zero + 2000000001);
    assert_int_equal(parse(&epoch, "-1ms"), zero - 1000000);
    /* The trace's own clock, to the nanosecond, where a double would be 256 ns off. */
    assert_int_equal(parse(&epoch, "@1800000000.123456789s"), zero);
    assert_int_equal(parse(&epoch, "@1800000001123456789ns"), zero + 1000000000);
    assert_int_equal(parse(&tsc, "1s"), 2095191439);
    assert_int_equal(parse(&tsc, "1ns"), 2);
}

static void test_bad_times_are_refused(void **unused)
{
    (void)unused;
    static const char *const bad[] = {
        "",    "x",    "1h",  "s",   "1.2.3",
        "1 s", "@50%", "--1", "1e3", "9999999999999999999999999999999999999999"
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t ticks;
        struct weft_err err;
        assert_false(weft_parse_time(&epoch, bad[i], strlen(bad[i]), &ticks, &err));
        assert_int_equal(err.code, WEFT_ERR_USAGE);
    }
}

static void test_ranges(void **unused)
{
    (void)unused;
    int64_t zero = epoch.span.begin, end = epoch.span.end;
    struct weft_span range;
    struct weft_err err;
    assert_true(weft_parse_range(&epoch, "1s:2s", &range, &err));
    assert_int_equal(range.begin, zero + 1000000000);
    assert_int_equal(range.end, zero + 2000000000);
    assert_true(weft_parse_range(&epoch, "1s+20ms", &range, &err));
    assert_int_equal(range.end, zero + 1020000000);
    assert_true(weft_parse_range(&epoch, "90%:", &range, &err));
    assert_int_equal(range.begin, zero + 9000000000);
    assert_int_equal(range.end, end);
    assert_true(weft_parse_range(&epoch, ":1s", &range, &err));
    assert_int_equal(range.begin, zero);
    assert_false(weft_parse_range(&epoch, "2s:1s", &range, &err));
    assert_int_equal(err.code, WEFT_ERR_USAGE);
    assert_false(weft_parse_range(&epoch, "1s", &range, &err));
    assert_false(weft_parse_range(&epoch, "1s:x", &range, &err));
}

static void test_exact_text_loses_no_digit(void **unused)
{
    (void)unused;
    char text[WEFT_TIME_TEXT];
    assert_string_equal(weft_time_exact(&epoch, 1800000000123456789, text),
                        "1800000000.123456789");
    assert_string_equal(weft_time_exact(&epoch, 190339329000, text), "190.339329");
    assert_string_equal(weft_time_exact(&epoch, -1, text), "-0.000000001");
    assert_string_equal(weft_time_exact(&epoch, 0, text), "0");
    assert_string_equal(weft_time_exact(&femto, 1, text), "0.000000000000001");
    assert_string_equal(weft_time_exact(&femto, INT64_MIN, text), "-9223.372036854775808");
}

static void test_durations_for_people(void **unused)
{
    (void)unused;
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = { { 0, "0 s" },
                  { 7, "7 ns" },
                  { 999, "999 ns" },
                  { 1000, "1.00 µs" },
                  { 97300000, "97.3 ms" },
                  { 1932000, "1.93 ms" },
                  { 612418000, "612 ms" },
                  { 999600, "1.00 ms" },
                  { 3600000000000, "3600 s" },
                  { -2500, "-2.50 µs" } };
    char text[WEFT_TIME_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(weft_duration_text(&epoch, cases[i].ns, text), cases[i].text);
        assert_string_equal(weft_nanoseconds_text((double)cases[i].ns, text),
                            cases[i].text);
    }
    /* No power of ten, however long it is. */
    assert_string_equal(weft_nanoseconds_text(1.2345e12, text), "1234 s");
    assert_string_equal(weft_nanoseconds_text(999700000, text), "1.00 s");
}

static void test_ticks_and_nanoseconds(void **unused)
{
    (void)unused;
    assert_int_equal(weft_ticks_to_ns(&tsc, 2095191439), 1000000000);
    assert_int_equal(weft_ns_to_ticks(&tsc, 1000000000), 2095191439);
    assert_int_equal(weft_ticks_to_ns(&femto, 1499999), 1);
    assert_int_equal(weft_ticks_to_ns(&femto, 1500000), 2);
    assert_int_equal(weft_ticks_to_ns(&femto, -1500000), -2);
    assert_int_equal(weft_ns_to_ticks(&femto, INT64_MAX), INT64_MAX); /* clamped */
}

/* A mean may be finer than the clock: ten ticks of a microsecond, thirty times. */
static void test_means(void **unused)
{
    const struct weft_schema micro = { .ticks_numerator = 1000000, .ticks_denominator = 1 };

    (void)unused;
    assert_int_equal(weft_mean_to_ns(&micro, 10, 30), 333);
    assert_int_equal(weft_mean_to_ns(&micro, 20, 30), 667);
    assert_int_equal(weft_mean_to_ns(&micro, 20, 2), 10000);
    assert_int_equal(weft_mean_to_ns(&epoch, 7, 2), 4);
    assert_int_equal(weft_mean_to_ns(&tsc, 2095191439.0 * 3, 2), 1500000000);
    assert_int_equal(weft_mean_to_ns(&epoch, 0, 0), 0);
    assert_true(weft_mean_to_ns(&micro, 1e30, 1) > INT64_MAX / 2);
}

static void test_sort_is_stable_and_right(void **unused)
{
    (void)unused;
    enum { N = 20000 };
    static struct weft_sort_item items[N];
    for (size_t i = 0; i < N; i++) {
        uint64_t bits = roll(0);
        items[i] = (struct weft_sort_item){ bits >> (i % 2 ? 50 : 1), i };
    }
    weft_sort(items, N);
    for (size_t i = 1; i < N; i++)
        assert_true(items[i - 1].key < items[i].key
                    || (items[i - 1].key == items[i].key
                        && items[i - 1].payload < items[i].payload));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times_count_from_the_start_of_the_span),
        cmocka_unit_test(test_bad_times_are_refused),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_exact_text_loses_no_digit),
        cmocka_unit_test(test_durations_for_people),
        cmocka_unit_test(test_ticks_and_nanoseconds),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_sort_is_stable_and_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
