/* SPDX-License-Identifier: Apache-2.0 */
/* Curves of steps against sums over all that was spread. */
#include <math.h>

#include "domains/tasks/analyse/step_curve.h"
#include "tests/random.h"
#include "tests/test.h"

struct height {
    int64_t begin, end, amount;
};

static double area_of(const struct height *list, size_t n, int64_t from, int64_t to)
{
    double area = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t x = list[i].begin > from ? list[i].begin : from;
        int64_t y = list[i].end < to ? list[i].end : to;
        if (x < y)
            area += (double)list[i].amount * (double)(y - x)
                    / (double)(list[i].end - list[i].begin);
    }
    return area;
}

/* Of a curve that was settled: its integrals and steps. */
static void compare(const struct weft_step_curve *curve, const struct height *list,
                    size_t n, int64_t longest)
{
    enum { PARTS = 30 };
    for (int round = 0; round < 10; round++) {
        int64_t times[PARTS + 1] = { (int64_t)roll((uint64_t)longest) - longest / 4 };
        double out[PARTS];
        for (int i = 0; i < PARTS; i++)
            times[i + 1] = times[i] + (int64_t)roll(((uint64_t)longest >> round) + 1);
        weft_step_curve_integrals(curve, times, PARTS, out);
        for (int i = 0; i < PARTS; i++) {
            double expected = area_of(list, n, times[i], times[i + 1]);
            if (!(fabs(out[i] - expected) <= 1e-9 * (1 + fabs(expected))))
                fail_msg("%.12g instead of %.12g", out[i], expected);
        }
    }
    struct weft_step before = { 0 }, steps[WEFT_STEP_BLOCK];
    double area = 0;
    for (size_t b = 0; b < weft_step_curve_blocks(curve); b++) {
        size_t n_steps = weft_step_curve_read(curve, b, steps);
        assert_int_equal(weft_step_curve_blocks_until(curve, steps[0].time), b + 1);
        assert_int_equal(weft_step_curve_blocks_until(curve, steps[0].time - 1), b);
        for (size_t i = 0; i < n_steps; i++) {
            assert_true((!b && !i) || steps[i].time > before.time);
            area += b || i ? before.value * (double)(steps[i].time - before.time) : 0;
            before = steps[i];
        }
    }
    assert_true(before.value == 0);
    double expected = area_of(list, n, INT64_MIN / 4, INT64_MAX / 4);
    assert_true(fabs(area - expected) <= 1e-9 * (1 + fabs(expected)));
}

static int by_begin(const void *a, const void *b)
{
    const struct height *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* In order of begin, settled meanwhile; or in any order, settled in the end. */
static void sums_are_exact(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        enum { MAX_HEIGHTS = 2000 };
        static struct height list[MAX_HEIGHTS];
        roll_from(seed);
        size_t n = roll(seed % 20 ? 100 : MAX_HEIGHTS) + 1;
        int64_t longest = INT64_C(16) << roll(50);
        for (size_t i = 0; i < n; i++) {
            list[i].begin = (int64_t)roll((uint64_t)longest) - longest / 4;
            list[i].end = list[i].begin + (int64_t)roll((uint64_t)longest / 4) + 1;
            list[i].amount = roll(2) ? list[i].end - list[i].begin
                                     : (int64_t)roll((uint64_t)longest / 4);
        }
        bool in_order = seed % 2;
        if (in_order)
            qsort(list, n, sizeof *list, by_begin);
        /* The buckets do not cover all of it. */
        struct weft_time_buckets buckets = weft_time_buckets_over(
            (struct weft_span){ longest / 8, longest / 2 }, roll(40) + 1);
        struct weft_step_curve *curve = weft_step_curve_new(buckets);
        for (size_t i = 0; i < n; i++) {
            if (in_order)
                weft_step_curve_settle(curve, weft_time_bucket(&buckets, list[i].begin));
            assert_true(
                weft_step_curve_spread(curve, list[i].begin, list[i].end, list[i].amount));
        }
        assert_true(weft_step_curve_end(curve, NULL));
        compare(curve, list, n, longest);
        weft_step_curve_free(curve);
    }
}

static void what_comes_late_is_refused(void **state)
{
    (void)state;
    struct weft_time_buckets buckets =
        weft_time_buckets_over((struct weft_span){ 0, 1023 }, 1024);
    struct weft_step_curve *curve = weft_step_curve_new(buckets);
    assert_true(weft_step_curve_spread(curve, 3, 8, 5));
    weft_step_curve_settle(curve, 5);
    assert_false(weft_step_curve_spread(curve, 4, 10, 6));
    assert_false(weft_step_curve_spread(curve, -7, 10, 6));
    assert_true(weft_step_curve_spread(curve, 4, 4, 0)); /* takes no time */
    assert_true(weft_step_curve_spread(curve, 5, 10, 6));
    weft_step_curve_free(curve);
}

/* More than is kept in memory. */
static void much_goes_to_a_file(void **state)
{
    (void)state;
    enum { N = 400000 };
    struct weft_time_buckets buckets =
        weft_time_buckets_over((struct weft_span){ 0, 10 * N }, 64);
    struct weft_step_curve *curve = weft_step_curve_new(buckets);
    for (int64_t i = 0; i < N; i++) {
        weft_step_curve_settle(curve, weft_time_bucket(&buckets, 10 * i));
        assert_true(weft_step_curve_spread(curve, 10 * i, 10 * i + 7, i % 5 + 1));
    }
    assert_true(weft_step_curve_end(curve, NULL));
    assert_true(weft_step_curve_bytes(curve) > 2 << 20);
    const int64_t times[] = { 0, 10 * 5, 10 * 100005, 10 * (int64_t)N };
    double out[3];
    weft_step_curve_integrals(curve, times, 3, out);
    assert_true(fabs(out[0] - 15) < 1e-9 && fabs(out[1] - 300000) < 1e-6);
    assert_true(fabs(out[2] - (3.0 * N - 300015)) < 1e-6);
    weft_step_curve_free(curve);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact),
        cmocka_unit_test(what_comes_late_is_refused),
        cmocka_unit_test(much_goes_to_a_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
