/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/pattern_check.h"

int array_pattern_loops(const struct weft_pattern *pattern)
{
    int loops = WEFT_PATTERN_LOOPS;
    while (loops && pattern->extent[loops - 1] == 1)
        loops--;
    return loops;
}

/* The number of references if it is at least 1 and below WEFT_ARRAY_LIMIT, else 0. */
static uint64_t references_within_limit(const struct weft_pattern *pattern)
{
    uint64_t references = pattern->times < WEFT_ARRAY_LIMIT ? pattern->times : 0;
    for (int k = 0; k < WEFT_PATTERN_LOOPS && references; k++) {
        uint64_t extent = pattern->extent[k];
        references =
            extent && extent < WEFT_ARRAY_LIMIT / references ? references * extent : 0;
    }
    return references;
}

/* Returns true if all numbers FIRST + sum of i[k] * STRIDE[k] are in [0, END). */
static bool lies_below(uint64_t first, const int64_t *stride, const uint64_t *extent,
                       uint64_t end)
{
    if (first >= end)
        return false;
    __int128 least = (__int128)first, most = (__int128)first;
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
        __int128 reach = (__int128)stride[k] * (__int128)(extent[k] - 1);
        least += reach < 0 ? reach : 0;
        most += reach > 0 ? reach : 0;
    }
    return least >= 0 && most < (__int128)end;
}

static void move_loop(struct weft_pattern *pattern, int to, int from)
{
    pattern->extent[to] = pattern->extent[from];
    pattern->stride[to] = pattern->stride[from];
    pattern->owner_stride[to] = pattern->owner_stride[from];
}

static void drop_loops(struct weft_pattern *pattern)
{
    int n = 0;
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
        if (pattern->extent[k] > 1 && !pattern->stride[k] && !pattern->owner_stride[k])
            pattern->times *= pattern->extent[k];
        else if (pattern->extent[k] > 1)
            move_loop(pattern, n++, k);
    }
    for (; n < WEFT_PATTERN_LOOPS; n++) {
        pattern->extent[n] = 1;
        pattern->stride[n] = pattern->owner_stride[n] = 0;
    }
}

static bool numbers_fit(const struct weft_pattern *pattern, uint32_t n_arrays)
{
    return pattern->step < WEFT_PROFILE_STEPS && pattern->array < n_arrays
           && (pattern->owner_array < n_arrays || pattern->owner_array == WEFT_NONE)
           && (unsigned)pattern->operation < WEFT_REFERENCE_OPERATIONS
           && pattern->owner_processor >= -1
           && pattern->owner_processor < WEFT_PROFILE_PROCESSORS
           && pattern->requester_processor >= -1
           && pattern->requester_processor < WEFT_PROFILE_PROCESSORS && pattern->local >= -1
           && pattern->local <= 1;
}

bool array_pattern_normalize(struct weft_pattern *pattern, const struct weft_array *arrays,
                             uint32_t n_arrays)
{
    if (!numbers_fit(pattern, n_arrays) || !references_within_limit(pattern))
        return false;
    if (pattern->owner_array == WEFT_NONE) {
        pattern->owner = 0;
        for (int k = 0; k < WEFT_PATTERN_LOOPS; k++)
            pattern->owner_stride[k] = 0;
    } else if (!lies_below(pattern->owner, pattern->owner_stride, pattern->extent,
                           weft_array_elements(&arrays[pattern->owner_array]))) {
        return false;
    }
    if (!lies_below(pattern->element, pattern->stride, pattern->extent,
                    weft_array_elements(&arrays[pattern->array])))
        return false;
    drop_loops(pattern);
    return true;
}

bool array_count_references(uint64_t *sum, const struct weft_pattern *pattern)
{
    uint64_t more = weft_pattern_references(pattern);
    if (more >= (uint64_t)INT64_MAX - *sum)
        return false;
    *sum += more;
    return true;
}

bool array_shape_fits(const struct weft_array *array)
{
    uint64_t elements = 1;
    if (array->rank < 1 || array->rank > WEFT_ARRAY_RANK || !array->element_bytes
        || array->element_bytes > INT32_MAX || array->arrangement_rank > WEFT_ARRAY_RANK)
        return false;
    for (uint32_t d = 0; d < array->rank; d++) {
        if (!array->shape[d] || array->shape[d] > (WEFT_ARRAY_LIMIT - 1) / elements)
            return false;
        elements *= array->shape[d];
    }
    return true;
}
