/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting by keys, with and without a payload, beside the C library's. */
#include "base/memory.h"
#include "base/radix_sort.h"
#include "tests/random.h"
#include "tests/test.h"

enum { ROUNDS = 2000, MAX_ROWS = 700 };

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Few or many bits, low or high ones, nearly in order or not at all. */
static uint64_t a_key(unsigned kind, uint64_t i)
{
    switch (kind % 5) {
    case 0: return roll(0);
    case 1: return roll(3);
    case 2: return roll(0) << 60;
    case 3: return i * 1000 + roll(1500);
    default: return UINT64_MAX - i;
    }
}

static void keys_are_in_order(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t n = roll(MAX_ROWS);
        uint64_t *keys = weft_alloc((n + 1) * sizeof *keys);
        uint64_t *right = weft_alloc((n + 1) * sizeof *right);
        for (size_t i = 0; i < n; i++)
            right[i] = keys[i] = a_key(round, i);
        qsort(right, n, sizeof *right, by_key);
        weft_sort_keys(keys, n);
        assert_memory_equal(keys, right, n * sizeof *keys);
        free(keys);
        free(right);
    }
}

/* The payload is the place that an item had, so what is in order and stable is known. */
static void items_are_in_order_and_stable(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t n = roll(MAX_ROWS);
        struct weft_sort_item *items = weft_alloc((n + 1) * sizeof *items);
        uint64_t *keys = weft_alloc((n + 1) * sizeof *keys);
        for (size_t i = 0; i < n; i++)
            items[i] = (struct weft_sort_item){ keys[i] = a_key(round, i), i };
        weft_sort(items, n);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(items[i].key, keys[items[i].payload]);
            if (i > 0)
                assert_true(items[i - 1].key < items[i].key
                            || (items[i - 1].key == items[i].key
                                && items[i - 1].payload < items[i].payload));
        }
        free(items);
        free(keys);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_in_order),
        cmocka_unit_test(items_are_in_order_and_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
