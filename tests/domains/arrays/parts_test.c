/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of boxes give what a look at each turn gives, and what they take follows from the
 * processors, not from the size of the array.
 */
#include "domains/arrays/model/owner_pairs.h"
#include "tests/random.h"
#include "tests/test.h"

enum { MAX_PROCESSORS = 16, MAX_ELEMENTS = 24 * 24 };

struct pair_sums {
    uint64_t turns, elements;
};
typedef struct pair_sums sums_of_pairs[MAX_PROCESSORS][MAX_PROCESSORS];

/* What parts say. */
static void ask(const struct array_box *box, const struct weft_array *array,
                const struct weft_distribution *serves,
                const struct weft_distribution *asks, bool owners, sums_of_pairs sums)
{
    struct parts parts = { 0 };
    struct parts_pair pair;
    memset(sums, 0, sizeof(sums_of_pairs));
    parts_begin(&parts, box);
    parts_add(&parts, serves, array, false, false);
    parts_add(&parts, asks, array, owners, true);
    parts_make(&parts, array);
    parts_first(&parts, &pair);
    do {
        assert_in_range(pair.server, 0, MAX_PROCESSORS - 1);
        assert_in_range(pair.requester, 0, MAX_PROCESSORS - 1);
        sums[pair.server][pair.requester].turns += pair.turns;
        sums[pair.server][pair.requester].elements += pair.elements;
    } while (parts_next(&parts, &pair));
    parts_free(&parts);
}

/* ---- Turn by turn ---- */

static void index_at(const struct weft_array *array, const struct array_box *box,
                     const uint64_t *turn, bool owner, uint64_t *index)
{
    for (uint32_t d = 0; d < array->rank; d++) {
        int64_t at = (int64_t)(owner ? box->owner : box->element)[d];
        for (int k = 0; k < box->loops; k++)
            at += (int64_t)turn[k] * (owner ? box->owner_stride : box->stride)[k][d];
        assert_in_range(at, 0, array->shape[d] - 1);
        index[d] = (uint64_t)at;
    }
}

static void look(const struct array_box *box, const struct weft_array *array,
                 const struct weft_distribution *serves,
                 const struct weft_distribution *asks, bool owners, sums_of_pairs sums)
{
    static bool seen[MAX_PROCESSORS][MAX_PROCESSORS][MAX_ELEMENTS];
    uint64_t turn[ARRAY_BOX_LOOPS] = { 0 };
    int k = 0;
    memset(seen, 0, sizeof seen);
    memset(sums, 0, sizeof(sums_of_pairs));
    while (k < box->loops || !box->loops) {
        uint64_t index[WEFT_ARRAY_RANK], owner[WEFT_ARRAY_RANK], number = 0;
        index_at(array, box, turn, false, index);
        index_at(array, box, turn, owners, owner);
        for (uint32_t d = 0; d < array->rank; d++)
            number = number * array->shape[d] + index[d];
        uint64_t server = weft_distribution_owner(serves, array, index),
                 requester = weft_distribution_owner(asks, array, owner);
        struct pair_sums *pair = &sums[server][requester];
        pair->turns++;
        pair->elements += !seen[server][requester][number];
        seen[server][requester][number] = true;
        for (k = 0; k < box->loops && ++turn[k] == box->extent[k]; k++)
            turn[k] = 0;
        if (!box->loops)
            break;
    }
}

/* ---- At random ---- */

static void roll_axis(struct weft_distribution_axis *axis, const struct weft_array *array)
{
    uint64_t extent;
    axis->kind = WEFT_AXIS_ARRAY;
    axis->dimension = (uint32_t)roll(array->rank);
    axis->stride = (int64_t)roll(3) - 1 ? (int64_t)roll(2) + 1 : -1;
    extent = array->shape[axis->dimension];
    axis->offset = (int64_t)roll(4);
    if (axis->stride < 0)
        axis->offset += (int64_t)extent - 1;
    axis->template_extent =
        (uint64_t)llabs(axis->stride) * (extent - 1) + (uint64_t)roll(3) + 5;
    axis->processors = 1 + roll(4);
    axis->format = roll(2) ? WEFT_DISTRIBUTION_BLOCK : WEFT_DISTRIBUTION_CYCLIC;
    uint64_t least = (axis->template_extent + axis->processors - 1) / axis->processors;
    axis->block = axis->format == WEFT_DISTRIBUTION_BLOCK ? least + roll(3) : 1 + roll(4);
}

static void roll_distribution(struct weft_distribution *out, const struct weft_array *array)
{
    memset(out, 0, sizeof *out);
    out->rank = 1 + (uint32_t)roll(array->rank);
    for (uint32_t k = 0; k < out->rank; k++) {
        bool again = true;
        while (again) {
            roll_axis(&out->axis[k], array);
            again = k && out->axis[0].dimension == out->axis[1].dimension;
        }
        out->extent[k] = out->axis[k].processors;
    }
}

/* Ways of the loops such that all turns stay within the array. */
static void roll_ways(struct array_box *box, const struct weft_array *array,
                      uint64_t *begin, int64_t (*stride)[WEFT_ARRAY_RANK])
{
    for (uint32_t d = 0; d < array->rank; d++) {
        int64_t low = 0, high = 0, room = (int64_t)array->shape[d] - 1;
        for (int k = 0; k < box->loops; k++) {
            int64_t step = (int64_t)roll(7) - 3,
                    reach = step * (int64_t)(box->extent[k] - 1);
            if (high - low + llabs(reach) > room)
                step = reach = 0;
            stride[k][d] = step;
            low += reach < 0 ? reach : 0;
            high += reach > 0 ? reach : 0;
        }
        begin[d] = (uint64_t)(-low + (int64_t)roll((uint64_t)(room - (high - low)) + 1));
    }
}

static void test_parts_are_what_turns_are(void **state)
{
    static sums_of_pairs said, seen;
    (void)state;
    for (uint64_t i = 0; i < 20000; i++) {
        struct weft_array array = { .rank = 1 };
        struct array_box box = { 0 };
        struct weft_distribution serves, asks;
        roll_from(i);
        array.rank += (uint32_t)roll(2);
        for (uint32_t d = 0; d < array.rank; d++)
            array.shape[d] = 2 + roll(23);
        box.loops = (int)roll(4);
        for (int k = 0; k < box.loops; k++)
            box.extent[k] = 2 + roll(k ? 5 : 20);
        roll_ways(&box, &array, box.element, box.stride);
        roll_ways(&box, &array, box.owner, box.owner_stride);
        roll_distribution(&serves, &array);
        roll_distribution(&asks, &array);
        bool owners = roll(2);
        ask(&box, &array, &serves, &asks, owners, said);
        look(&box, &array, &serves, &asks, owners, seen);
        if (memcmp(said, seen, sizeof said) != 0)
            fail_msg("box %llu", (unsigned long long)i);
    }
}

/* ---- Large ---- */

static struct weft_distribution by(enum weft_distribution_format format, uint64_t block,
                                   uint64_t processors, uint64_t extent)
{
    return (struct weft_distribution){ .rank = 1,
                                       .extent = { processors },
                                       .axis = { { .kind = WEFT_AXIS_ARRAY,
                                                   .stride = 1,
                                                   .template_extent = extent,
                                                   .format = format,
                                                   .block = block,
                                                   .processors = processors } } };
}

/* Of 2^40 elements each of 16 processors has blocks for each of the 8 that take them in turn. */
static void test_a_large_array_moves(void **state)
{
    const uint64_t n = UINT64_C(1) << 40;
    static sums_of_pairs sums;
    (void)state;
    struct weft_array array = { .rank = 1, .shape = { n } };
    struct weft_distribution before = by(WEFT_DISTRIBUTION_BLOCK, n / 16, 16, n),
                             after = by(WEFT_DISTRIBUTION_CYCLIC, 2, 8, n);
    struct array_box box = { .loops = 1, .extent = { n }, .stride = { { 1 } } };
    ask(&box, &array, &before, &after, false, sums);
    for (int p = 0; p < 16; p++)
        for (int q = 0; q < 16; q++)
            assert_int_equal(sums[p][q].turns, q < 8 ? n / 16 / 8 : 0);
}

/*
 * A(i + j) for i, j < 2^15: 2^30 references, 2^16 - 1 elements, of which each of 4 processors
 * serves 2^14 and the last one less.
 */
static void test_sums_of_indices(void **state)
{
    const uint64_t n = UINT64_C(1) << 15;
    static sums_of_pairs sums;
    uint64_t turns = 0;
    (void)state;
    struct weft_array array = { .rank = 1, .shape = { 2 * n } };
    struct weft_distribution serves = by(WEFT_DISTRIBUTION_BLOCK, n / 2, 4, 2 * n),
                             one = by(WEFT_DISTRIBUTION_BLOCK, 2 * n, 1, 2 * n);
    struct array_box box = { .loops = 2, .extent = { n, n }, .stride = { { 1 }, { 1 } } };
    ask(&box, &array, &serves, &one, false, sums);
    for (int p = 0; p < 4; p++) {
        assert_int_equal(sums[p][0].elements, p < 3 ? n / 2 : n / 2 - 1);
        turns += sums[p][0].turns;
    }
    assert_int_equal(turns, n * n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_are_what_turns_are),
        cmocka_unit_test(test_a_large_array_moves),
        cmocka_unit_test(test_sums_of_indices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
