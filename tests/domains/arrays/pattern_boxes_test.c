/* SPDX-License-Identifier: Apache-2.0 */
/* The boxes of a pattern are its references, each once, and few where loops run through rows. */
#include "array_store.h"

#include "domains/arrays/model/pattern_boxes.h"
#include "domains/arrays/model/pattern_check.h"
#include "tests/random.h"
#include "tests/test.h"

struct pairs {
    uint64_t (*rows)[2];
    size_t n, capacity, boxes;
    const struct weft_array *array, *owner_array;
};

static void put(struct pairs *pairs, uint64_t element, uint64_t owner)
{
    pairs->rows =
        weft_grow(pairs->rows, &pairs->capacity, pairs->n + 1, sizeof *pairs->rows);
    pairs->rows[pairs->n][0] = element;
    pairs->rows[pairs->n++][1] = owner;
}

static void put_reference(void *user, const struct weft_pattern *pattern, uint64_t element,
                          uint64_t owner)
{
    (void)pattern;
    put(user, element, owner);
}

static uint64_t number_of(const struct weft_array *array, const uint64_t *first,
                          const struct array_box *box, const uint64_t *turn, bool owner)
{
    uint64_t number = 0;
    for (uint32_t d = 0; d < array->rank; d++) {
        int64_t index = (int64_t)first[d];
        for (int k = 0; k < box->loops; k++)
            index += (int64_t)turn[k] * (owner ? box->owner_stride : box->stride)[k][d];
        assert_in_range(index, 0, array->shape[d] - 1);
        number = number * array->shape[d] + (uint64_t)index;
    }
    return number;
}

static bool put_box(void *user, const struct array_box *box)
{
    struct pairs *pairs = user;
    uint64_t turn[ARRAY_BOX_LOOPS] = { 0 };
    pairs->boxes++;
    for (int k = 0; k < box->loops; k++)
        assert_true(box->extent[k] > 1);
    for (;;) {
        put(pairs, number_of(pairs->array, box->element, box, turn, false),
            pairs->owner_array ? number_of(pairs->owner_array, box->owner, box, turn, true)
                               : 0);
        int k = 0;
        while (k < box->loops && ++turn[k] == box->extent[k])
            turn[k++] = 0;
        if (k == box->loops)
            return true;
    }
}

static int compare(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;
    if (a[0] != b[0])
        return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

static size_t check(const struct weft_pattern *pattern, const struct weft_array *arrays)
{
    const struct weft_array *owners =
        pattern->owner_array == WEFT_NONE ? NULL : &arrays[pattern->owner_array];
    struct pairs expected = { 0 };
    struct pairs found = { .array = &arrays[pattern->array], .owner_array = owners };
    array_expand(pattern, put_reference, &expected);
    assert_true(array_boxes(pattern, found.array, owners, put_box, &found));
    assert_int_equal(found.n, expected.n);
    qsort(found.rows, found.n, sizeof *found.rows, compare);
    qsort(expected.rows, expected.n, sizeof *expected.rows, compare);
    assert_memory_equal(found.rows, expected.rows, found.n * sizeof *found.rows);
    free(found.rows);
    free(expected.rows);
    return found.boxes;
}

static void any_pattern(void **state)
{
    (void)state;
    int checked = 0;
    for (uint64_t seed = 1; seed <= 30000; seed++) {
        struct weft_array arrays[2];
        memset(arrays, 0, sizeof arrays);
        roll_from(seed);
        for (int i = 0; i < 2; i++) {
            arrays[i].rank = 1 + (uint32_t)roll(3);
            arrays[i].element_bytes = 1;
            for (uint32_t d = 0; d < arrays[i].rank; d++)
                arrays[i].shape[d] = 1 + roll(9);
        }
        struct weft_pattern pattern =
            array_reference(0, 0, roll(weft_array_elements(&arrays[0])),
                            roll(4) ? (uint32_t)roll(2) : WEFT_NONE, roll(20), 0);
        for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
            pattern.extent[k] = 1 + roll(3) * roll(6);
            pattern.stride[k] = (int64_t)roll(21) - 10;
            pattern.owner_stride[k] = (int64_t)roll(21) - 10;
        }
        while (!array_pattern_normalize(&pattern, arrays, 2)) {
            /* Shorter, until it fits. */
            int k = (int)roll(WEFT_PATTERN_LOOPS);
            pattern.extent[k] = pattern.extent[k] > 1 ? pattern.extent[k] - 1 : 1;
            pattern.owner /= 2;
        }
        check(&pattern, arrays);
        checked += array_pattern_normalize(&pattern, arrays, 2);
    }
    assert_int_equal(checked, 30000);
}

/* From the middle of a row to the middle of another one: three boxes, whatever is between. */
static void rows_are_one_box(void **state)
{
    (void)state;
    const struct weft_array arrays[] = {
        { .rank = 2, .shape = { 50, 40 }, .element_bytes = 8 },
    };
    struct weft_pattern pattern = array_reference(0, 0, 15, 0, 15, 0);
    pattern.extent[0] = 1700;
    pattern.stride[0] = pattern.owner_stride[0] = 1;
    assert_int_equal(check(&pattern, arrays), 3);
    /* Columns, downwards; and a row that goes back while rows go up. */
    pattern = array_reference(0, 0, 3, 0, 1999, 0);
    pattern.extent[0] = 50;
    pattern.stride[0] = 40;
    pattern.owner_stride[0] = -40;
    assert_int_equal(check(&pattern, arrays), 1);
    pattern = array_reference(0, 0, 39, 0, 0, 0);
    pattern.extent[0] = 40;
    pattern.stride[0] = 39;
    pattern.owner_stride[0] = 41;
    assert_int_equal(check(&pattern, arrays), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_pattern),
        cmocka_unit_test(rows_are_one_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
