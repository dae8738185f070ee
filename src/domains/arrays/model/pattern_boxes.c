/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/pattern_boxes.h"

#include <string.h>

/* Loops over numbers of elements and owners, some of which may have to be split. */
struct nest {
    int loops;
    uint64_t extent[ARRAY_BOX_LOOPS];
    int64_t stride[2][ARRAY_BOX_LOOPS]; /* of elements; of owners */
    uint64_t first[2];
};

struct box_visitor {
    const struct weft_array *arrays[2]; /* array of the elements; of the owners, or NULL */
    bool (*visit)(void *user, const struct array_box *box);
    void *user;
};

/* Where a loop has to be split. */
struct cut {
    int loop;
    uint64_t turns;  /* iterations before it leaves a dimension: at least 1 */
    uint64_t period; /* iterations until it is at the same index again; 0 if never */
};

static void unravel(const struct weft_array *array, uint64_t number, uint64_t *index)
{
    for (uint32_t d = array->rank; d-- > 0; number /= array->shape[d])
        index[d] = number % array->shape[d];
}

/* The number of iterations with STRIDE, from AT on, within [0, EXTENT). */
static uint64_t turns_within(uint64_t at, int64_t stride, uint64_t extent)
{
    if (!stride)
        return UINT64_MAX;
    uint64_t step = stride > 0 ? (uint64_t)stride : -(uint64_t)stride;
    return (stride > 0 ? extent - 1 - at : at) / step + 1;
}

/*
 * Finds a loop's strides in each dimension.  In each dimension but the first the rest of
 * the stride may be taken forwards or backwards; the direction that stays inside longer is
 * chosen.  Returns false if the loop has to be split.
 */
static bool find_strides(const struct weft_array *array, const uint64_t *index,
                         int64_t stride, uint64_t extent, int64_t *strides, struct cut *cut)
{
    for (uint32_t d = array->rank; d-- > 1;) {
        int64_t size = (int64_t)array->shape[d], forward = stride % size;
        forward += forward < 0 ? size : 0;
        int64_t backward = forward - size;
        uint64_t turns = turns_within(index[d], forward, array->shape[d]);
        strides[d] = forward;
        if (forward && turns < extent) {
            uint64_t back = turns_within(index[d], backward, array->shape[d]);
            strides[d] = back > turns ? backward : forward;
            turns = back > turns ? back : turns;
        }
        if (turns < extent) {
            int64_t step = strides[d] < 0 ? -strides[d] : strides[d];
            cut->turns = turns;
            cut->period = size % step ? 0 : (uint64_t)(size / step);
            return false;
        }
        stride = (stride - strides[d]) / size;
    }
    strides[0] = stride;
    return true; /* no element is outside of the array */
}

/* Returns true if all loops together leave a dimension.  Then the one that moves farthest
   is split. */
static bool leaves(const struct weft_array *array, const uint64_t *index,
                   const struct nest *nest, int64_t (*strides)[WEFT_ARRAY_RANK],
                   struct cut *cut)
{
    for (uint32_t d = 0; d < array->rank; d++) {
        __int128 least = (__int128)index[d], most = least, longest = 0;
        for (int k = 0; k < nest->loops; k++) {
            __int128 reach = (__int128)strides[k][d] * (__int128)(nest->extent[k] - 1);
            least += reach < 0 ? reach : 0;
            most += reach > 0 ? reach : 0;
            if ((reach < 0 ? -reach : reach) > longest) {
                longest = reach < 0 ? -reach : reach;
                cut->loop = k;
            }
        }
        if (least < 0 || most >= (__int128)array->shape[d]) {
            cut->turns = nest->extent[cut->loop] / 2;
            cut->period = 0;
            return true;
        }
    }
    return false;
}

/* Finds the strides of all loops in the array of the elements or owners; returns false if a
   loop has to be split. */
static bool fit(const struct weft_array *array, const struct nest *nest, int side,
                uint64_t *index, int64_t (*strides)[WEFT_ARRAY_RANK], struct cut *cut)
{
    unravel(array, nest->first[side], index);
    for (cut->loop = 0; cut->loop < nest->loops; cut->loop++)
        if (!find_strides(array, index, nest->stride[side][cut->loop],
                          nest->extent[cut->loop], strides[cut->loop], cut))
            return false;
    return !leaves(array, index, nest, strides, cut);
}

static bool box_up(const struct box_visitor *visitor, struct nest nest);

/* Splits a loop into two nested ones: PERIOD iterations inside. */
static void fold(struct nest *nest, int loop, uint64_t period)
{
    int around = nest->loops++;
    nest->extent[around] = nest->extent[loop] / period;
    nest->extent[loop] = period;
    for (int side = 0; side < 2; side++)
        nest->stride[side][around] = nest->stride[side][loop] * (int64_t)period;
}

/*
 * Makes boxes of the first iterations of a loop that has to be split: those before it
 * leaves a dimension, or from the begin of a row on, all whole rows.  NEST is the rest,
 * which may be empty.
 */
static bool cut_up(const struct box_visitor *visitor, struct nest *nest,
                   const struct cut *cut)
{
    int loop = cut->loop;
    struct nest part = *nest;
    uint64_t turns = cut->turns, rows = cut->period ? nest->extent[loop] / cut->period : 0;
    bool whole = rows >= 2 && cut->turns == cut->period && nest->loops < ARRAY_BOX_LOOPS;
    if (whole)
        turns = rows * cut->period;
    part.extent[loop] = turns;
    if (whole)
        fold(&part, loop, cut->period);
    if (!box_up(visitor, part))
        return false;
    nest->extent[loop] -= turns;
    for (int side = 0; side < 2; side++)
        nest->first[side] += turns * (uint64_t)nest->stride[side][loop];
    return true;
}

static void drop_single_turns(struct nest *nest)
{
    int n = 0;
    for (int k = 0; k < nest->loops; k++) {
        if (nest->extent[k] == 1)
            continue;
        nest->extent[n] = nest->extent[k];
        nest->stride[0][n] = nest->stride[0][k];
        nest->stride[1][n] = nest->stride[1][k];
        n++;
    }
    nest->loops = n;
}

static bool box_up(const struct box_visitor *visitor, struct nest nest)
{
    for (;;) {
        struct array_box box;
        struct cut cut;
        drop_single_turns(&nest);
        memset(&box, 0, sizeof box);
        bool fits =
            fit(visitor->arrays[0], &nest, 0, box.element, box.stride, &cut)
            && (!visitor->arrays[1]
                || fit(visitor->arrays[1], &nest, 1, box.owner, box.owner_stride, &cut));
        if (fits) {
            box.loops = nest.loops;
            memcpy(box.extent, nest.extent, sizeof box.extent);
            return visitor->visit(visitor->user, &box);
        }
        if (!cut_up(visitor, &nest, &cut))
            return false;
        if (!nest.extent[cut.loop])
            return true;
    }
}

bool array_boxes(const struct weft_pattern *pattern, const struct weft_array *array,
                 const struct weft_array *owner_array,
                 bool (*visit)(void *user, const struct array_box *box), void *user)
{
    struct box_visitor visitor = { { array, owner_array }, visit, user };
    struct nest nest = { .loops = WEFT_PATTERN_LOOPS,
                         .first = { pattern->element, pattern->owner } };
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
        nest.extent[k] = pattern->extent[k];
        nest.stride[0][k] = pattern->stride[k];
        nest.stride[1][k] = pattern->owner_stride[k];
    }
    return box_up(&visitor, nest);
}
