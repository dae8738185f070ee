/* SPDX-License-Identifier: Apache-2.0 */
/* Binary searches against walks, and the order of numbers. */
#include "base/binary_search.h"
#include "base/compare.h"
#include "tests/test.h"

enum { MOST = 9 };

/* All lists of up to MOST numbers of which the first N_BEFORE are 0 and the others 1. */
static void test_searches_find_what_a_walk_finds(void **state)
{
    (void)state;
    for (uint32_t from = 0; from <= MOST; from++)
        for (uint32_t to = from; to <= MOST; to++)
            for (uint32_t n_before = 0; n_before <= MOST; n_before++) {
                int list[MOST];
                uint32_t first = from, last = from;
                for (uint32_t i = 0; i < MOST; i++)
                    list[i] = i >= n_before;
                while (first < to && !list[first])
                    first++;
                for (uint32_t i = from; i < to && !list[i]; i++)
                    last = i;
                assert_int_equal(WEFT_FIRST(i, from, to, list[i] == 1), first);
                assert_int_equal(WEFT_LAST(i, from, to, list[i] == 0), last);
            }
    assert_int_equal(WEFT_LAST(i, 1, 0, i > 5), 1);
    assert_int_equal(WEFT_FIRST(i, INT64_MIN / 2, INT64_MAX / 2, i >= -7), -7);
}

static void test_numbers_are_in_order(void **state)
{
    (void)state;
    uint32_t u32[] = { UINT32_MAX, 0, 1 };
    int32_t i32[] = { INT32_MAX, INT32_MIN, 0 };
    uint64_t u64[] = { UINT64_MAX, 0, 1 };
    int64_t i64[] = { INT64_MAX, INT64_MIN, 0 };
    qsort(u32, 3, sizeof *u32, weft_by_u32);
    qsort(i32, 3, sizeof *i32, weft_by_i32);
    qsort(u64, 3, sizeof *u64, weft_by_u64);
    qsort(i64, 3, sizeof *i64, weft_by_i64);
    assert_true(u32[0] == 0 && u32[2] == UINT32_MAX);
    assert_true(i32[0] == INT32_MIN && i32[2] == INT32_MAX);
    assert_true(u64[0] == 0 && u64[2] == UINT64_MAX);
    assert_true(i64[0] == INT64_MIN && i64[2] == INT64_MAX);
    assert_int_equal(WEFT_COMPARE(1.5, 1.5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_searches_find_what_a_walk_finds),
        cmocka_unit_test(test_numbers_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
