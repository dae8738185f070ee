/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The costs of an irregular step: its references are listed one by one, sorted by element,
 * and each candidate looks up their processors in tables of coordinates.
 */
#include "base/compare.h"
#include "domains/arrays/model/advise_step_costs.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_SINGLES = 1 << 20, /* references of a step, of some 80 bytes each */
    MAX_INDICES = 1 << 28, /* entries of all tables */
};

/* References of one element for one other. */
struct advise_single {
    uint32_t array, owner_array;
    enum weft_reference_operation operation;
    uint64_t element, times;
    /* By dimension of the led array: indices of the element and of the owner. */
    uint32_t at[WEFT_ARRAY_RANK], owner_at[WEFT_ARRAY_RANK];
};

static int by_element(const void *left, const void *right)
{
    const struct advise_single *a = left, *b = right;
    return WEFT_COMPARE(a->array, b->array) ?: (int)a->operation - (int)b->operation
           ?: WEFT_COMPARE(a->element, b->element);
}

/* Returns true if each dimension of the led array is one of ARRAY, whose indices fit. */
static bool has_all_dimensions(const struct advise_stepping *stepping, uint32_t array)
{
    const struct weft_array *of = advise_array_of(stepping, array);
    for (uint32_t k = 0; k < of->rank; k++)
        if (of->shape[k] > UINT32_MAX)
            return false;
    return of->rank == stepping->evaluation->candidates.rank;
}

/* Sets the indices of an element by the dimensions of the led array. */
static void set_indices(const struct advise_stepping *stepping, uint32_t array,
                        uint64_t element, uint32_t *at)
{
    const struct weft_array *of = advise_array_of(stepping, array);
    const int8_t *to = stepping->evaluation->dimension[array];
    for (uint32_t k = of->rank; k-- > 0; element /= of->shape[k])
        at[to[k]] = (uint32_t)(element % of->shape[k]);
}

static void add_single(struct advise_stepping *stepping, const struct weft_pattern *pattern,
                       uint64_t number)
{
    struct advise_single *single = &stepping->singles[stepping->n_singles++];
    uint64_t element = pattern->element, owner = pattern->owner;
    for (int k = 0; k < WEFT_PATTERN_LOOPS; k++) {
        uint64_t index = number % pattern->extent[k];
        number /= pattern->extent[k];
        element += index * (uint64_t)pattern->stride[k];
        owner += index * (uint64_t)pattern->owner_stride[k];
    }
    single->array = pattern->array;
    single->owner_array = pattern->owner_array;
    single->operation = pattern->operation;
    single->element = element;
    single->times = pattern->times;
    set_indices(stepping, pattern->array, element, single->at);
    set_indices(stepping, pattern->owner_array, owner, single->owner_at);
}

void advise_list_singles(struct advise_stepping *stepping)
{
    uint64_t n = 0;
    stepping->n_singles = 0;
    for (size_t i = 0; i < stepping->n_patterns && n <= MAX_SINGLES; i++) {
        const struct weft_pattern *pattern = &stepping->patterns[i];
        if (!has_all_dimensions(stepping, pattern->array)
            || !has_all_dimensions(stepping, pattern->owner_array))
            return;
        n += weft_pattern_references(pattern) / pattern->times;
    }
    if (n > MAX_SINGLES || !array_work_report(&stepping->effort, n))
        return;
    stepping->singles = weft_grow(stepping->singles, &stepping->single_capacity, (size_t)n,
                                  sizeof *stepping->singles);
    for (size_t i = 0; i < stepping->n_patterns; i++) {
        const struct weft_pattern *pattern = &stepping->patterns[i];
        uint64_t turns = weft_pattern_references(pattern) / pattern->times;
        for (uint64_t turn = 0; turn < turns; turn++)
            add_single(stepping, pattern, turn);
    }
    if (!array_work_sort(&stepping->effort, stepping->singles, stepping->n_singles,
                         sizeof *stepping->singles, by_element))
        stepping->n_singles = 0;
}

/* Returns the coordinates of the indices of an array along dimension D of the led array
   under a choice; NULL if there is no room for more tables. */
static const uint16_t *table_of(struct advise_stepping *stepping, uint32_t array,
                                uint32_t d, uint16_t choice)
{
    const struct weft_advice_evaluation *evaluation = stepping->evaluation;
    const struct weft_array *of = advise_array_of(stepping, array);
    size_t number =
        array * stepping->offset[WEFT_ARRAY_RANK] + stepping->offset[d] + choice;
    struct weft_distribution_axis axis;
    uint16_t *table;
    if (!stepping->tables) {
        stepping->n_tables =
            weft_profile_arrays(evaluation->profile) * stepping->offset[WEFT_ARRAY_RANK];
        stepping->tables = weft_zalloc(stepping->n_tables, sizeof *stepping->tables);
    }
    if (stepping->tables[number])
        return stepping->tables[number];
    axis = advise_axis(&evaluation->candidates.dimension[d].rows[choice], of,
                       evaluation->dimension[array], d);
    if (of->shape[axis.dimension] > MAX_INDICES - stepping->n_indices)
        return NULL;
    stepping->n_indices += of->shape[axis.dimension];
    table = weft_alloc(of->shape[axis.dimension] * sizeof *table);
    for (uint64_t i = 0; i < of->shape[axis.dimension]; i++)
        table[i] = (uint16_t)weft_distribution_coordinate(&axis, i);
    stepping->tables[number] = table;
    return table;
}

/* The tables of one array under a candidate, by dimension of the led one. */
struct lookup {
    const uint16_t *table[WEFT_ARRAY_RANK];
};

static bool look_up(struct advise_stepping *stepping, const struct candidate *candidate,
                    uint32_t array, struct lookup *lookup)
{
    const struct candidates *candidates = &stepping->evaluation->candidates;
    for (uint32_t d = 0; d < candidates->rank; d++) {
        uint16_t choice = candidate->choice[d];
        lookup->table[d] = NULL;
        if (candidates->dimension[d].rows[choice].processors == 1)
            continue;
        lookup->table[d] = table_of(stepping, array, d, choice);
        if (!lookup->table[d])
            return false;
    }
    return true;
}

static uint32_t processor_of(const struct lookup *lookup, const uint32_t *at,
                             const uint32_t *weight, uint32_t rank)
{
    uint32_t processor = 0;
    for (uint32_t d = 0; d < rank; d++)
        if (lookup->table[d])
            processor += lookup->table[d][at[d]] * weight[d];
    return processor;
}

/* Counts all singles; an element that one processor needs several times is sent once. */
static void count_singles(struct advise_stepping *stepping, const struct lookup *lookups,
                          const uint32_t *weight)
{
    uint32_t rank = stepping->evaluation->candidates.rank;
    uint32_t processors = (uint32_t)stepping->processors;
    for (size_t i = 0; i < stepping->n_singles; i++) {
        const struct advise_single *single = &stepping->singles[i];
        uint32_t server = processor_of(&lookups[single->array], single->at, weight, rank);
        uint32_t requester =
            processor_of(&lookups[single->owner_array], single->owner_at, weight, rank);
        bool writes = single->operation == WEFT_REFERENCE_WRITE;
        if (i == 0 || by_element(single - 1, single) != 0)
            stepping->element++;
        advise_count(stepping, server, requester, server == requester, single->times);
        if (server == requester || stepping->sent[requester] == stepping->element)
            continue;
        stepping->sent[requester] = stepping->element;
        advise_exchange(stepping,
                        writes ? requester * processors + server
                               : server * processors + requester,
                        advise_array_of(stepping, single->array)->element_bytes);
    }
}

bool advise_cost_singles(struct advise_stepping *stepping,
                         const struct candidate *candidate)
{
    const struct candidates *candidates = &stepping->evaluation->candidates;
    uint32_t n_arrays = weft_profile_arrays(stepping->evaluation->profile), product = 1;
    struct lookup *lookups = weft_zalloc(n_arrays, sizeof *lookups);
    uint32_t weight[WEFT_ARRAY_RANK];
    bool room = true;
    for (uint32_t d = candidates->rank; d-- > 0;) {
        weight[d] = product;
        product *= (uint32_t)candidates->dimension[d].rows[candidate->choice[d]].processors;
    }
    for (uint32_t a = 0; a < n_arrays && room; a++)
        if (stepping->evaluation->dimension[a][0] != -2 && has_all_dimensions(stepping, a))
            room = look_up(stepping, candidate, a, &lookups[a]);
    if (room && array_work_report(&stepping->effort, stepping->n_singles))
        count_singles(stepping, lookups, weight);
    free(lookups);
    return room;
}

void advise_free_singles(struct advise_stepping *stepping)
{
    for (size_t i = 0; i < stepping->n_tables; i++)
        free(stepping->tables[i]);
    free(stepping->tables);
    free(stepping->singles);
    free(stepping->sent);
}
