/* SPDX-License-Identifier: Apache-2.0 */
/* Times, numbers and colours, against values worked out by hand and against strtod. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/paje/number.h"
#include "tests/random.h"

static enum paje_time parse(struct paje_clock *clock, const char *text, int64_t *ticks)
{
    char padded[128] = { 0 };
    strcpy(padded, text);
    return paje_parse_time(clock, padded, strlen(text), ticks);
}

static void times_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int unit;
        int64_t ns;
    } cases[] = {
        { "0", 0, 0 },
        { "1", 0, 1000000000 },
        { "190.339329", 0, 190339329000 },
        { "190.339329", 3, 190339329 }, /* milliseconds */
        { "17", 9, 17 },
        { "1.5", 6, 1500 },
        { ".5", 0, 500000000 },
        { "5.", 0, 5000000000 },
        { "-0.000000001", 0, -1 },
        { "+2", 0, 2000000000 },
        { "1e-9", 0, 1 },
        { "1.25E2", 0, 125000000000 },
        { "0.000000001000000000", 0, 1 },
        { "1000000000.000000001", 0, 1000000000000000001 },
        { "0000000000000000000000000000012.5", 0, 12500000000 },
        { "1500000000000000000000000e-15", 0, 1500000000000000000 },
        /* 0.1 + 0.2 in a double would be off: the digits count. */
        { "0.300000001", 0, 300000001 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct paje_clock clock = { 9, cases[i].unit, 15, 9 };
        int64_t ticks = -7;
        print_message("%s\n", cases[i].text);
        assert_int_equal(parse(&clock, cases[i].text, &ticks), PAJE_TIME_OK);
        assert_int_equal(ticks, cases[i].ns);
        assert_int_equal(clock.wanted, 9);
    }
}

/* Every count of digits before and after the point that fits, digit by digit. */
static void times_of_any_length(void **state)
{
    (void)state;
    for (unsigned before = 0; before <= 10; before++)
        for (unsigned after = 0; after <= 9; after++) {
            char text[32], *at = text;
            int64_t wanted = 0, ticks = -7;
            for (unsigned i = 0; i < before + after; i++) {
                unsigned digit = (i * 7 + before + 3 * after) % 10;
                if (i == before)
                    *at++ = '.';
                *at++ = (char)('0' + digit);
                wanted = wanted * 10 + digit;
            }
            *at = '\0';
            if (before == 10 && text[0] >= '4')
                continue; /* times reach to half of 2^63 ns, 4.6 10^9 s */
            for (unsigned i = after; i < 9; i++)
                wanted *= 10;
            struct paje_clock clock = { 9, 0, 15, 9 };
            print_message("%s\n", text);
            assert_int_equal(parse(&clock, text, &ticks),
                             before + after ? PAJE_TIME_OK : PAJE_TIME_BAD);
            assert_int_equal(ticks, before + after ? wanted : -7);
            /* What is no digit is found at each place. */
            for (char *wrong = text; wrong < at; wrong++) {
                char was = *wrong;
                *wrong = was == '.' ? '/' : ':';
                assert_int_equal(parse(&clock, text, &ticks), PAJE_TIME_BAD);
                *wrong = was;
            }
        }
}

static void no_times_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = { "",     "x",    "1x",  "nan", "inf",
                                         "-",    ".",    "1e",  "1e+", "--1",
                                         "1..2", "0x10", "1 2", "e5",  "1-2" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct paje_clock clock = { 9, 0, 15, 9 };
        int64_t ticks;
        print_message("%s\n", texts[i]);
        assert_int_equal(parse(&clock, texts[i], &ticks), PAJE_TIME_BAD);
    }
}

static void finer_digits_ask_for_a_finer_clock(void **state)
{
    (void)state;
    struct paje_clock clock = { 9, 0, 15, 9 };
    int64_t ticks;
    assert_int_equal(parse(&clock, "0.123456789012", &ticks), PAJE_TIME_OK);
    assert_int_equal(clock.wanted, 12);
    clock = (struct paje_clock){ 12, 0, 15, 12 };
    assert_int_equal(parse(&clock, "0.123456789012", &ticks), PAJE_TIME_OK);
    assert_int_equal(ticks, 123456789012);
    /* Beyond 10^-15 s: rounded to the nearest, and said so. */
    clock = (struct paje_clock){ 15, 0, 15, 15 };
    assert_int_equal(parse(&clock, "0.0000000000000016", &ticks), PAJE_TIME_ROUNDED);
    assert_int_equal(ticks, 2);
    assert_int_equal(clock.wanted, 15);
}

static void large_times_ask_for_a_coarser_clock(void **state)
{
    (void)state;
    /* At 10^-15 s an int64_t ends after 9,223 s; half of it is left for differences. */
    struct paje_clock clock = { 15, 0, 15, 15 };
    int64_t ticks;
    assert_int_equal(parse(&clock, "1700000000.5", &ticks), PAJE_TIME_OK);
    assert_true(clock.most < 15 && clock.most >= 9);
    clock = (struct paje_clock){ clock.most, 0, clock.most, clock.most };
    assert_int_equal(parse(&clock, "1700000000.5", &ticks), PAJE_TIME_OK);
    int64_t second = 1;
    for (int i = 0; i < clock.decimals; i++)
        second *= 10;
    assert_int_equal(ticks, 1700000000 * second + second / 2);
    clock = (struct paje_clock){ 9, 0, 15, 9 };
    assert_int_equal(parse(&clock, "1e30", &ticks), PAJE_TIME_TOO_LARGE);
    assert_int_equal(parse(&clock, "99999999999999999999999", &ticks), PAJE_TIME_TOO_LARGE);
}

/* strtod of the C library is correctly rounded: the second implementation. */
static void numbers_are_rounded_as_the_library_does(void **state)
{
    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = roll(0);
        char text[64];
        int digits = (int)(bits >> 33) % 18;
        double value = (double)(int64_t)bits * 1e-7;
        if (i % 3 == 0)
            snprintf(text, sizeof text, "%.*g", digits + 1, value);
        else if (i % 3 == 1)
            snprintf(text, sizeof text, "%.*f", digits, value / 1e9);
        else
            snprintf(text, sizeof text, "%lde%d", (long)(bits >> 20), digits - 40);
        double number;
        assert_true(paje_parse_number(text, strlen(text), &number));
        double wanted = strtod(text, NULL);
        assert_memory_equal(&number, &wanted, sizeof number);
    }
    double number;
    static const char *const texts[] = { "", "nan", "inf", "NA", "1.0x", "1e400" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(paje_parse_number(texts[i], strlen(texts[i]), &number));
}

static void colours(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t color;
    } good[] = {
        { "1 0 0", 0xffff0000 },     { "0.0, 1.0, 0.0", 0xff00ff00 },
        { "0 0 1 0.5", 0x800000ff }, { "1,1,1", 0xffffffff },
        { "ff8000", 0xffff8000 },    { "  0 0 0  ", 0xff000000 },
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint32_t color = 0;
        assert_true(paje_parse_color(good[i].text, strlen(good[i].text), &color));
        assert_int_equal(color, good[i].color);
    }
    static const char *const bad[] = { "",        "1 0",    "1 0 0 0 0", "105 105 105",
                                       "#ff0000", "-1 0 0", "red",       "ff80",
                                       "gg0000" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t color;
        assert_false(paje_parse_color(bad[i], strlen(bad[i]), &color));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_exact),
        cmocka_unit_test(times_of_any_length),
        cmocka_unit_test(no_times_are_refused),
        cmocka_unit_test(finer_digits_ask_for_a_finer_clock),
        cmocka_unit_test(large_times_ask_for_a_coarser_clock),
        cmocka_unit_test(numbers_are_rounded_as_the_library_does),
        cmocka_unit_test(colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
