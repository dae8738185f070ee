/* SPDX-License-Identifier: Apache-2.0 */
/* How many containers lived at once, also where a damaged trace tells impossible lives. */
#include "analyse/active_members.h"
#include "tests/test.h"

static size_t most_of(const struct weft_span *lives, size_t n)
{
    struct weft_container containers[4] = { { 0 } };
    struct weft_track tracks[4] = { { 0 } };
    const uint32_t list[] = { 0, 1, 2, 3 };
    assert_true(n <= 4);
    for (uint32_t i = 0; i < n; i++) {
        containers[i].begin = lives[i].begin;
        containers[i].end = lives[i].end;
        tracks[i].container = i;
    }
    const struct weft_schema schema = { .span = { 100, 200 },
                                        .containers = containers,
                                        .tracks = tracks };
    return weft_most_at_once(&schema, list, n);
}

static void lives_are_counted(void **unused)
{
    (void)unused;
    const struct weft_span after[] = { { 100, 120 }, { 120, 150 }, { 150, 200 } };
    const struct weft_span nested[] = { { 100, 200 }, { 110, 150 }, { 120, 130 } };
    assert_int_equal(most_of(after, 3), 1);
    assert_int_equal(most_of(nested, 3), 3);
}

/* They begin before the trace, end before they begin, or lie wholly outside. */
static void impossible_lives_are_short_ones(void **unused)
{
    (void)unused;
    const struct weft_span one[] = { { 99, 99 } };
    const struct weft_span many[] = {
        { 99, 99 }, { 150, 120 }, { -WEFT_TIME_LIMIT, WEFT_TIME_LIMIT - 1 }, { 500, 90 }
    };
    assert_int_equal(most_of(one, 1), 1);
    assert_int_equal(most_of(many, 4), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lives_are_counted),
        cmocka_unit_test(impossible_lives_are_short_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
