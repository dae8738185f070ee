/* SPDX-License-Identifier: Apache-2.0 */
/* Quantiles against sorting, of few and of many durations, added and merged. */
#include <math.h>

#include "analyse/durations.h"
#include "tests/random.h"
#include "tests/test.h"

enum { MAX_DURATIONS = 40000 };

static int64_t some_duration(void)
{
    return (int64_t)roll(UINT64_C(1) << 44) >> roll(32); /* of any size */
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void check(struct weft_durations *durations, int64_t *all, size_t n)
{
    static const double quantiles[] = { 0, 0.001, 0.25, 0.5, 0.95, 0.99, 1 };
    double sum = 0;
    qsort(all, n, sizeof *all, compare);
    for (size_t i = 0; i < n; i++)
        sum += (double)all[i];
    assert_int_equal(durations->count, n);
    assert_int_equal(durations->longest, all[n - 1]);
    assert_true(fabs(durations->sum - sum) <= 1e-9 * sum);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        size_t rank = (size_t)ceil(quantiles[i] * (double)n);
        double right = (double)all[rank ? rank - 1 : 0];
        double got = (double)weft_durations_quantile(durations, quantiles[i]);
        assert_true(fabs(got - right) <= (n <= 10000 ? 0 : 0.5 + 0.01 * right));
        assert_true(got <= (double)durations->longest);
    }
}

static void test_added(void **state)
{
    static const size_t counts[] = { 1, 2, 3, 100, 9999, 10000, 10001, MAX_DURATIONS };
    int64_t *all = calloc(MAX_DURATIONS, sizeof *all);
    (void)state;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        struct weft_durations durations = { 0 };
        for (size_t i = 0; i < counts[c]; i++)
            weft_durations_add(&durations, all[i] = some_duration());
        check(&durations, all, counts[c]);
        weft_durations_add(&durations, all[0] = some_duration()); /* after it was sorted */
        weft_durations_end(&durations);
        assert_int_equal(durations.count, counts[c] + 1);
    }
    free(all);
}

/* In parts of any size, each few or many. */
static void test_merged(void **state)
{
    int64_t *all = calloc(MAX_DURATIONS, sizeof *all);
    (void)state;
    for (int round = 0; round < 20; round++) {
        struct weft_durations whole = { 0 };
        size_t n = 0;
        while (n < MAX_DURATIONS / 2) {
            struct weft_durations part = { 0 };
            size_t size = (size_t)some_duration() % (round % 2 ? 300 : 12000);
            for (size_t i = 0; i < size && n < MAX_DURATIONS; i++)
                weft_durations_add(&part, all[n++] = some_duration());
            weft_durations_merge(&whole, &part);
            assert_int_equal(part.count, 0);
            assert_null(part.few);
            assert_null(part.bins);
        }
        check(&whole, all, n);
        weft_durations_end(&whole);
    }
    free(all);
}

static void test_of_none_and_of_what_takes_no_time(void **state)
{
    struct weft_durations durations = { 0 };
    (void)state;
    assert_int_equal(weft_durations_quantile(&durations, 0.5), 0);
    weft_durations_add(&durations, 0);
    assert_int_equal(weft_durations_quantile(&durations, 0.5), 0);
    weft_durations_end(&durations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_added),
        cmocka_unit_test(test_merged),
        cmocka_unit_test(test_of_none_and_of_what_takes_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
