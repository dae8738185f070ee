/* SPDX-License-Identifier: Apache-2.0 */
/* Clock domains, against what must hold of any: for random samples of a clock that drifts. */
#include "read/recording/machines/clocks.h"
#include "tests/random.h"
#include "tests/test.h"

/* A line through two samples, in long double: 64 bits of mantissa, as much as a stamp has. */
static int64_t slow_line(const struct weft_clock_sample *a,
                         const struct weft_clock_sample *b, uint64_t ticks)
{
    long double rate = (long double)(b->monotonic_ns - a->monotonic_ns)
                       / (long double)(b->ticks - a->ticks);
    long double since = ticks >= a->ticks ? (long double)(ticks - a->ticks)
                                          : -(long double)(a->ticks - ticks);
    long double ns = (long double)a->monotonic_ns + since * rate;

    return (int64_t)(ns < 0 ? ns - 0.5L : ns + 0.5L);
}

/* Samples at least 100 ms apart are all on the lines, and so is what lies between two. */
static void test_lines_through_samples(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct clock_domain domain = { .clock = WEFT_CLOCK_TSC };
        struct weft_clock_sample samples[20];
        unsigned n = 2 + (unsigned)roll(18);
        uint64_t ticks = 1 + roll(UINT64_C(1) << 60);
        int64_t ns = (int64_t)roll(UINT64_C(1) << 50);
        for (unsigned i = 0; i < n; i++) {
            int64_t passed = 100000000 + (int64_t)roll(3000000000u);
            samples[i] = (struct weft_clock_sample){ ticks, ns, ns, 0 };
            ns += passed;
            /* From 0.5 to 4.5 GHz. */
            ticks += (uint64_t)passed / 2 + roll((uint64_t)passed * 4);
        }
        for (unsigned i = 0; i < n; i++) /* last first: the order does not matter */
            clock_domain_add(&domain, &samples[n - 1 - i]);
        clock_domain_fit(&domain);
        assert_int_equal(domain.error_ns, 0);
        for (unsigned i = 0; i < n; i++) {
            size_t piece = roll(30);
            assert_int_equal(clock_domain_ns(&domain, samples[i].ticks, &piece),
                             samples[i].monotonic_ns);
        }
        for (int k = 0; k < 50; k++) {
            unsigned i = (unsigned)roll(n - 1);
            uint64_t at = samples[i].ticks + roll(samples[i + 1].ticks - samples[i].ticks);
            size_t piece = roll(30);
            int64_t found = clock_domain_ns(&domain, at, &piece);
            int64_t slow = slow_line(&samples[i], &samples[i + 1], at);
            assert_in_range(found - slow + 1, 0, 2);
        }
        clock_domain_free(&domain);
    }
}

/* Whatever the samples say, time does not run backwards, and stays where sums are safe. */
static void test_never_backwards(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct clock_domain domain = { .clock = WEFT_CLOCK_TSC }, first = domain;
        int64_t before = INT64_MIN;
        uint64_t ticks = 0;
        size_t piece = 0;
        for (unsigned i = 0; i < 12; i++) {
            unsigned shift = (unsigned)roll(63), other = (unsigned)roll(63);
            struct weft_clock_sample sample = { roll(0) >> shift,
                                                (int64_t)(roll(UINT64_MAX) >> other),
                                                (int64_t)roll(0), roll(0) };
            clock_domain_add(i < 10 ? &domain : &first, &sample);
        }
        clock_domain_fit(&domain);
        clock_domain_fit(&first);
        clock_domain_align(&domain, &first);
        for (int k = 0; k < 200; k++) {
            uint64_t step = roll(UINT64_MAX) >> roll(64);
            int64_t ns;
            ticks = ticks > UINT64_MAX - step ? UINT64_MAX : ticks + step;
            ns = clock_domain_ns(&domain, ticks, &piece);
            assert_true(ns >= before);
            assert_true(ns <= INT64_C(1) << 61 && ns >= -(INT64_C(1) << 61));
            before = ns;
        }
        clock_domain_free(&domain);
        clock_domain_free(&first);
    }
}

/* A stamp far before a line is not taken for one behind it, where 2^64 is between them. */
static void test_stamps_around_2_64(void **state)
{
    const uint64_t end = UINT64_MAX - 5;
    struct clock_domain domain = { .clock = WEFT_CLOCK_TSC };
    size_t piece = 0;

    (void)state;
    clock_domain_add(&domain, &(struct weft_clock_sample){ end, 1000000, 1000000, 0 });
    clock_domain_fit(&domain);
    assert_int_equal(clock_domain_ns(&domain, end, &piece), 1000000);
    assert_true(clock_domain_ns(&domain, 10, &piece) < 1000000);
    clock_domain_free(&domain);
}

/*
 * Stamps that jump from one end of a long recording to the other: it is the work that is
 * tested, for 10^11 steps from line to line would not end.
 */
static void test_stamps_that_jump(void **state)
{
    enum { LINES = 300000, JUMPS = 500000 };
    struct clock_domain domain = { .clock = WEFT_CLOCK_TSC };
    size_t piece = 0;

    (void)state;
    for (uint64_t i = 1; i <= LINES; i++) {
        uint64_t at = i * 200000000;
        clock_domain_add(&domain,
                         &(struct weft_clock_sample){ at, (int64_t)at, (int64_t)at, 0 });
    }
    clock_domain_fit(&domain);
    assert_true(domain.n_pieces >= LINES - 1);
    for (uint64_t i = 0; i < JUMPS; i++) {
        uint64_t at = 200000000 + i;
        at += i % 2 == 0 ? 0 : (LINES - 2) * UINT64_C(200000000);
        assert_true(clock_domain_ns(&domain, at, &piece) == (int64_t)at);
    }
    clock_domain_free(&domain);
}

/* A clock that counts nanoseconds needs no samples; without any, a tick is a nanosecond. */
static void test_no_samples(void **state)
{
    struct clock_domain domain = { .clock = WEFT_CLOCK_MONOTONIC_NS };
    struct clock_domain empty = { .clock = WEFT_CLOCK_TSC };
    size_t piece = 5;

    (void)state;
    clock_domain_add(&domain, &(struct weft_clock_sample){ 10, 20, 30, 0 });
    clock_domain_fit(&domain);
    clock_domain_fit(&empty);
    assert_int_equal(clock_domain_ns(&domain, 12345, &piece), 12345);
    assert_int_equal(clock_domain_ns(&empty, 12345, &piece), 12345);
    clock_domain_free(&domain);
    clock_domain_free(&empty);
}

/* The time of day was set forward by 7 while the recording went on. */
static void test_time_of_day_that_is_set(void **state)
{
    struct clock_domain domain = { .clock = WEFT_CLOCK_TSC };

    (void)state;
    clock_domain_add(&domain, &(struct weft_clock_sample){ 1000, 1000, 50000, 0 });
    clock_domain_add(&domain, &(struct weft_clock_sample){ 9000, 9000, 58007, 0 });
    clock_domain_fit(&domain);
    assert_int_equal(domain.set_ns, 7);
    clock_domain_free(&domain);
}

enum { COMPARED = 12 };

/* N comparisons with a clock that is at most 500 millionths faster or slower, and a close one
 * behind the first that is 100 us off; the clock's own ticks are nanoseconds.  LINES: the same
 * without that. */
static void compare_clocks(struct clock_comparison *all, struct weft_clock_sample *lines,
                           unsigned n, uint64_t begin)
{
    int64_t other = (int64_t)roll(UINT64_C(1) << 50);
    uint64_t ticks = begin;

    for (unsigned i = 0; i < n; i++) {
        int64_t passed = 110000000 + (int64_t)roll(1000000000);
        all[i + (i > 0)] = (struct clock_comparison){ ticks, 0, other, (int64_t)roll(50) };
        lines[i] = (struct weft_clock_sample){ ticks, other, 0, 0 };
        ticks += (uint64_t)passed;
        other += passed + (int64_t)roll((uint64_t)passed / 1000) - passed / 2000;
    }
    all[1] =
        (struct clock_comparison){ all[0].ticks + 1000, 0, all[0].other_ns + 101000, 60 };
}

/*
 * Comparisons that are far enough apart are exact, what lies between two is on the line between
 * them, and time never runs backwards; the close one says how wrong the lines may be.
 */
static void test_compared_clocks(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        struct clock_domain domain = { .clock = round % 2 ? WEFT_CLOCK_MONOTONIC_NS
                                                          : WEFT_CLOCK_TSC };
        struct clock_comparison all[COMPARED + 1];
        struct weft_clock_sample lines[COMPARED];
        unsigned n = 2 + (unsigned)roll(COMPARED - 1);
        uint64_t begin = 1000 + roll(UINT64_C(1) << 50), at = begin / 2;
        int64_t before = INT64_MIN;
        size_t piece = 0;
        compare_clocks(all, lines, n, begin);
        for (uint64_t own = begin; own < begin + 12000000000; own += 700000000)
            clock_domain_add(&domain,
                             &(struct weft_clock_sample){ own, (int64_t)own, 1, 0 });
        clock_domain_fit(&domain);
        clock_domain_relate(&domain, all, n + 1, 1000000);
        assert_int_equal(domain.n_related, n);
        assert_in_range(domain.error_ns, 1000000 + 100060 - 1, 1000000 + 100060 + 1);
        for (unsigned i = 0; i < n; i++)
            assert_in_range(clock_domain_ns(&domain, lines[i].ticks, &piece)
                                - lines[i].monotonic_ns + 1,
                            0, 2);
        for (int k = 0; k < 50; k++) {
            unsigned i = (unsigned)roll(n - 1);
            uint64_t ticks = lines[i].ticks + roll(lines[i + 1].ticks - lines[i].ticks);
            int64_t slow = slow_line(&lines[i], &lines[i + 1], ticks);
            assert_in_range(clock_domain_ns(&domain, ticks, &piece) - slow + 2, 0, 4);
        }
        for (int k = 0; k < 100; k++) {
            int64_t now = clock_domain_ns(&domain, at, &piece);
            assert_true(now >= before);
            before = now;
            at += roll(begin / 80 + 1);
        }
        clock_domain_free(&domain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_through_samples),
        cmocka_unit_test(test_never_backwards),
        cmocka_unit_test(test_stamps_around_2_64),
        cmocka_unit_test(test_stamps_that_jump),
        cmocka_unit_test(test_no_samples),
        cmocka_unit_test(test_compared_clocks),
        cmocka_unit_test(test_time_of_day_that_is_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
