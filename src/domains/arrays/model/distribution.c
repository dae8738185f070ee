/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/distribution.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "domains/arrays/model/distribution_priv.h"

/* ---- The formulas ---- */

uint64_t weft_distribution_processors(const struct weft_distribution *distribution)
{
    uint64_t processors = 1;
    for (uint32_t k = 0; k < distribution->rank; k++)
        processors *= distribution->extent[k];
    return processors;
}

/*
 * With indices from 1, BLOCK(m) puts index j on processor c(j, m) = ceiling(j / m), and
 * CYCLIC(m) on 1 + (c(j, m) - 1) mod p (CIS-TR-93-21, section 4.2.2, where c is misprinted;
 * HPF 1.0, section 3.3).  With indices from 0, c(j, m) - 1 is j / m, rounded down.
 */
uint64_t weft_distribution_coordinate(const struct weft_distribution_axis *axis,
                                      uint64_t index)
{
    if (axis->kind != WEFT_AXIS_ARRAY)
        return axis->kind == WEFT_AXIS_CONSTANT ? axis->coordinate : 0;
    uint64_t place = (uint64_t)axis->stride * index + (uint64_t)axis->offset;
    uint64_t block = place / axis->block;
    return axis->format == WEFT_DISTRIBUTION_CYCLIC ? block % axis->processors : block;
}

static uint64_t element_number(const struct weft_array *array, const uint64_t *index)
{
    uint64_t number = 0;
    for (uint32_t d = 0; d < array->rank; d++)
        number = number * array->shape[d] + index[d];
    return number;
}

uint64_t weft_distribution_owner(const struct weft_distribution *distribution,
                                 const struct weft_array *array, const uint64_t *index)
{
    if (distribution->map)
        return distribution->map[element_number(array, index)];
    uint64_t owner = 0;
    for (uint32_t k = 0; k < distribution->rank; k++) {
        const struct weft_distribution_axis *axis = &distribution->axis[k];
        uint64_t at = axis->kind == WEFT_AXIS_ARRAY ? index[axis->dimension] : 0;
        owner = owner * distribution->extent[k] + weft_distribution_coordinate(axis, at);
    }
    return owner;
}

bool weft_distribution_owns(const struct weft_distribution *distribution,
                            const struct weft_array *array, const uint64_t *index,
                            uint64_t processor)
{
    if (distribution->map)
        return distribution->map[element_number(array, index)] == processor;
    if (processor >= weft_distribution_processors(distribution))
        return false;
    for (uint32_t k = distribution->rank; k-- > 0;) {
        const struct weft_distribution_axis *axis = &distribution->axis[k];
        uint64_t at = axis->kind == WEFT_AXIS_ARRAY ? index[axis->dimension] : 0;
        if (axis->kind != WEFT_AXIS_REPLICATED
            && weft_distribution_coordinate(axis, at)
                   != processor % distribution->extent[k])
            return false;
        processor /= distribution->extent[k];
    }
    return true;
}

/* ---- Sets of distributions ---- */

struct weft_distributions *weft_distributions_new(const struct weft_profile *profile)
{
    struct weft_distributions *set = weft_zalloc(1, sizeof *set);
    set->n_arrays = weft_profile_arrays(profile);
    set->processors = 1;
    set->arrays = weft_zalloc(set->n_arrays ? set->n_arrays : 1, sizeof *set->arrays);
    return set;
}

void weft_distributions_free(struct weft_distributions *set)
{
    if (!set)
        return;
    for (uint32_t i = 0; i < set->n_arrays; i++) {
        for (size_t k = 0; k < set->arrays[i].n; k++)
            free(set->arrays[i].phases[k]);
        free(set->arrays[i].phases);
    }
    for (size_t i = 0; i < set->n_maps; i++)
        free(set->maps[i]);
    free(set->maps);
    free(set->arrays);
    free(set);
}

void weft_distributions_add(struct weft_distributions *set, uint32_t array, uint32_t step,
                            const struct weft_distribution *distribution)
{
    struct array_phases *phases = &set->arrays[array];
    WEFT_REQUIRE(!phases->n || phases->phases[phases->n - 1]->step < step,
                 "the steps of array %u do not rise", array);
    if (phases->n
        && memcmp(&phases->phases[phases->n - 1]->distribution, distribution,
                  sizeof *distribution)
               == 0)
        return; /* the same distribution continues */
    phases->phases =
        weft_grow(phases->phases, &phases->capacity, phases->n + 1, sizeof *phases->phases);
    struct array_phase *phase = weft_alloc(sizeof *phase);
    *phase = (struct array_phase){ step, *distribution };
    phases->phases[phases->n++] = phase;
    uint64_t processors = weft_distribution_processors(distribution);
    if (processors > set->processors)
        set->processors = processors;
}

const struct weft_distribution *weft_distributions_of(const struct weft_distributions *set,
                                                      uint32_t array, uint32_t step)
{
    const struct array_phases *phases = &set->arrays[array];
    size_t n = WEFT_FIRST(i, 0, phases->n, phases->phases[i]->step > step);
    return n ? &phases->phases[n - 1]->distribution : NULL;
}

uint64_t weft_distributions_processors(const struct weft_distributions *set)
{
    return set->processors;
}
