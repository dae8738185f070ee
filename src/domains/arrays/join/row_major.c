/* SPDX-License-Identifier: Apache-2.0 */
/* Converts numbering column by column to row by row. */
#include "domains/arrays/join/row_major.h"

enum { LOOPS = WEFT_PATTERN_LOOPS };

/* One side of a pattern: the elements, or their owners. */
struct side {
    const struct weft_array *array; /* NULL if the numbers need no conversion */
    uint64_t first;
    int64_t stride[LOOPS];
};

struct split {
    const struct weft_array *array, *owner_array;
    order_give *give;
    void *user;
    uint32_t *room;
};

static void find_indices(const struct weft_array *array, uint64_t number,
                         int64_t index[WEFT_ARRAY_RANK])
{
    for (uint32_t d = 0; d < array->rank; d++) {
        index[d] = (int64_t)(number % array->shape[d]);
        number /= array->shape[d];
    }
}

/* Computes the weight of each dimension's index in row-major numbering. */
static void find_weights(const struct weft_array *array, int64_t weight[WEFT_ARRAY_RANK])
{
    int64_t product = 1;

    for (uint32_t d = array->rank; d-- > 0; product *= (int64_t)array->shape[d])
        weight[d] = product;
}

/*
 * Computes the stride of each loop in each dimension.  Returns the first loop whose
 * iterations leave the array's shape, or LOOPS if all stay inside, also together; *ROUNDS
 * is the number of its first iterations that stay inside.
 */
static uint32_t find_steps(const struct side *side, const uint64_t *extent,
                           int64_t index[WEFT_ARRAY_RANK],
                           int64_t step[LOOPS][WEFT_ARRAY_RANK], uint64_t *rounds)
{
    const struct weft_array *array = side->array;
    int64_t low[WEFT_ARRAY_RANK], high[WEFT_ARRAY_RANK];

    find_indices(array, side->first, index);
    for (uint32_t d = 0; d < array->rank; d++)
        low[d] = high[d] = index[d];
    for (uint32_t k = 0; k < LOOPS; k++) {
        int64_t next[WEFT_ARRAY_RANK] = { 0 };
        uint64_t fit = extent[k];
        if (extent[k] > 1)
            find_indices(array, side->first + (uint64_t)side->stride[k], next);
        for (uint32_t d = 0; d < array->rank; d++) {
            int64_t by = extent[k] > 1 ? next[d] - index[d] : 0;
            int64_t room = by > 0 ? (int64_t)array->shape[d] - 1 - high[d] : low[d];
            uint64_t most = by == 0 ? fit : (uint64_t)(room / (by > 0 ? by : -by)) + 1;
            fit = most < fit ? most : fit;
            step[k][d] = by;
        }
        if (fit < extent[k]) {
            *rounds = fit;
            return k;
        }
        for (uint32_t d = 0; d < array->rank; d++) {
            int64_t by = step[k][d] * (int64_t)(extent[k] - 1);
            low[d] += by < 0 ? by : 0;
            high[d] += by > 0 ? by : 0;
        }
    }
    return LOOPS;
}

static void renumber(struct side *side, const int64_t index[WEFT_ARRAY_RANK],
                     int64_t step[LOOPS][WEFT_ARRAY_RANK])
{
    int64_t weight[WEFT_ARRAY_RANK], first = 0;

    find_weights(side->array, weight);
    for (uint32_t d = 0; d < side->array->rank; d++)
        first += index[d] * weight[d];
    side->first = (uint64_t)first;
    for (uint32_t k = 0; k < LOOPS; k++) {
        side->stride[k] = 0;
        for (uint32_t d = 0; d < side->array->rank; d++)
            side->stride[k] += step[k][d] * weight[d];
    }
}

static struct side side_of(const struct weft_pattern *pattern,
                           const struct weft_array *array, bool owner)
{
    struct side side = { array, owner ? pattern->owner : pattern->element, { 0 } };

    for (uint32_t k = 0; k < LOOPS; k++)
        side.stride[k] = owner ? pattern->owner_stride[k] : pattern->stride[k];
    return side;
}

/* Splits a loop in two: its first iterations, and the rest. */
static void cut(const struct weft_pattern *pattern, uint32_t loop, uint64_t rounds,
                struct weft_pattern parts[2])
{
    uint64_t half = pattern->extent[loop] / 2;

    /* Splits near the middle, so that the recursion is shallow. */
    if (rounds > 1 && half > rounds)
        rounds = half / rounds * rounds;
    else if (rounds <= 1)
        rounds = half;
    parts[0] = parts[1] = *pattern;
    parts[0].extent[loop] = rounds;
    parts[1].extent[loop] -= rounds;
    parts[1].element += rounds * (uint64_t)pattern->stride[loop];
    parts[1].owner += rounds * (uint64_t)pattern->owner_stride[loop];
}

/* Returns false if *ROOM is used up. */
static bool give_parts(struct split *split, const struct weft_pattern *pattern)
{
    struct side sides[2] = { side_of(pattern, split->array, false),
                             side_of(pattern, split->owner_array, true) };
    struct weft_pattern given = *pattern, parts[2];

    for (int i = 0; i < 2; i++) {
        int64_t index[WEFT_ARRAY_RANK], step[LOOPS][WEFT_ARRAY_RANK];
        uint64_t rounds = 0;
        uint32_t loop;
        if (!sides[i].array)
            continue;
        loop = find_steps(&sides[i], pattern->extent, index, step, &rounds);
        if (loop < LOOPS) {
            cut(pattern, loop, rounds, parts);
            return give_parts(split, &parts[0]) && give_parts(split, &parts[1]);
        }
        renumber(&sides[i], index, step);
    }
    if (*split->room == 0)
        return false;
    --*split->room;
    given.element = sides[0].first;
    given.owner = sides[1].first;
    for (uint32_t k = 0; k < LOOPS; k++) {
        given.stride[k] = sides[0].stride[k];
        given.owner_stride[k] = sides[1].stride[k];
    }
    split->give(split->user, &given);
    return true;
}

/* Returns true if all numbers of a side are numbers of elements. */
static bool is_inside(const struct side *side, const uint64_t *extent)
{
    __int128 low = side->first, high = side->first;

    if (!side->array)
        return true;
    for (uint32_t k = 0; k < LOOPS; k++) {
        __int128 by = (__int128)side->stride[k] * (__int128)(extent[k] - 1);
        if (extent[k] < 1 || extent[k] > WEFT_ARRAY_LIMIT)
            return false;
        low += by < 0 ? by : 0;
        high += by > 0 ? by : 0;
    }
    return low >= 0 && high < (__int128)weft_array_elements(side->array);
}

enum order_end order_by_rows(const struct weft_pattern *pattern,
                             const struct weft_array *array,
                             const struct weft_array *owner_array, uint32_t *room,
                             order_give *give, void *user)
{
    struct split split = { array, owner_array, give, user, room };
    struct side sides[2] = { side_of(pattern, array, false),
                             side_of(pattern, owner_array, true) };

    if (!is_inside(&sides[0], pattern->extent) || !is_inside(&sides[1], pattern->extent))
        return ORDER_OUTSIDE;
    return give_parts(&split, pattern) ? ORDER_DONE : ORDER_SCATTERED;
}
