/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the iterations and elements of each entry of a part. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/arrays/model/owner_pair_runs.h"

/* ---- Turns ---- */

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool is_cyclic(const struct part_axis *axis)
{
    return axis->axis && axis->axis->format == WEFT_DISTRIBUTION_CYCLIC;
}

/* Iterations of a loop after which the coordinates of all cyclic axes repeat; 0 if never,
   or too late. */
static uint64_t period_of(const struct parts *parts, int loop)
{
    uint64_t period = 1;
    for (int a = 0; a < parts->n_axes; a++) {
        const struct part_axis *axis = &parts->axes[a];
        int64_t stride = axis->stride[loop];
        if (!stride || !is_cyclic(axis))
            continue;
        if (axis->axis->block > WEFT_ARRAY_LIMIT / axis->axis->processors)
            return 0;
        uint64_t round = axis->axis->block * axis->axis->processors;
        round /= gcd(round, stride < 0 ? -(uint64_t)stride : (uint64_t)stride);
        uint64_t factor = round / gcd(round, period);
        if (factor > WEFT_ARRAY_LIMIT / period)
            return 0;
        period *= factor;
    }
    return period;
}

struct entry_counter {
    struct dimension_part *part;
    uint64_t times;
};

static void count_run(void *user, const struct part_walk *walk, uint64_t from, uint64_t n,
                      uint32_t server, uint32_t requester)
{
    (void)from;
    const struct entry_counter *counter = user;
    size_t entry = part_entry_of(counter->part, server, requester);
    counter->part->entries[entry].turns += n * counter->times;
    (void)array_work_keep(walk->parts->work, counter->part->n);
}

/*
 * The number of iterations from FROM on in which all non-cyclic axes keep their coordinate.
 */
static uint64_t turns_put(const struct part_walk *walk, uint64_t from, uint64_t n)
{
    for (int a = 0; a < walk->parts->n_axes; a++) {
        const struct part_axis *axis = &walk->parts->axes[a];
        int64_t stride = axis->stride[walk->loop], place = walk->place[a];
        if (place < 0 || is_cyclic(axis))
            continue;
        uint64_t alike = part_turns_alike(axis, place + stride * (int64_t)from, stride);
        n = alike < n ? alike : n;
    }
    return n;
}

/*
 * Between two changes of block or map axes, the cyclic axes repeat after a period, so one
 * period is walked and multiplied.  So the cost of counting a redistribution depends on the
 * processors and blocks of both sides, not on the size of the array.
 */
static void count_turns(const struct part_walk *walk, const struct dimension_part *part)
{
    struct entry_counter *counter = walk->user;
    uint64_t extent = walk->parts->box->extent[walk->loop], n;
    uint64_t period = period_of(walk->parts, walk->loop);
    (void)part;
    for (uint64_t from = 0; from < extent && array_work_goes_on(walk->parts->work);
         from += n) {
        n = period ? turns_put(walk, from, extent - from) : extent;
        counter->times = 1;
        if (!period || n < 2 * period) {
            part_walk_turns(walk, from, from + n);
            continue;
        }
        uint64_t rest = from + n % period;
        counter->times = n / period + 1;
        part_walk_turns(walk, from, rest);
        counter->times = n / period;
        part_walk_turns(walk, rest, from + period);
    }
}

/* ---- Elements that several turns lead to ---- */

/* The elements of a run of iterations: numbers FIRST, FIRST + 1, ... AFTER - 1, times a
   step, plus REST; the step is the same for all runs of a part. */
struct touched_row {
    size_t entry;
    uint64_t rest, first, after;
};

struct touched_rows {
    struct array_work *work;
    struct dimension_part *part;
    const struct weft_array *array;
    uint64_t step; /* distance of elements between two iterations of the innermost loop */
    bool falls;
    struct touched_row *rows;
    size_t n, capacity;
    size_t most; /* number of rows at which overlapping ones are merged */
};

/* A number that is equal only for equal elements in the part's dimensions. */
static uint64_t element_at(const struct part_walk *walk, const struct dimension_part *part,
                           const struct weft_array *array, uint64_t turn)
{
    const struct array_box *box = walk->parts->box;
    uint64_t number = 0;
    for (uint32_t d = 0; d < array->rank; d++) {
        uint64_t index = box->element[d] + (uint64_t)box->stride[walk->loop][d] * turn;
        for (int i = 0; i + 1 < part->n_loops; i++)
            index += (uint64_t)box->stride[part->loops[i]][d] * walk->at[i];
        number = number * array->shape[d] + index;
    }
    return number;
}

static int by_touched(const void *left, const void *right)
{
    const struct touched_row *a = left, *b = right;
    return WEFT_COMPARE(a->entry, b->entry) ?: WEFT_COMPARE(a->rest, b->rest)
           ?: WEFT_COMPARE(a->first, b->first);
}

static void unite(struct touched_rows *touching)
{
    size_t n = 0;
    if (!array_work_sort(touching->work, touching->rows, touching->n,
                         sizeof *touching->rows, by_touched))
        return;
    for (size_t i = 0; i < touching->n; i++) {
        const struct touched_row *row = &touching->rows[i];
        struct touched_row *last = n ? &touching->rows[n - 1] : NULL;
        if (!last || last->entry != row->entry || last->rest != row->rest
            || last->after < row->first)
            touching->rows[n++] = *row;
        else if (row->after > last->after)
            last->after = row->after;
    }
    touching->n = n;
}

static void touch_run(void *user, const struct part_walk *walk, uint64_t from, uint64_t n,
                      uint32_t server, uint32_t requester)
{
    enum { FEW = 1 << 16 };
    struct touched_rows *touching = user;
    uint64_t step = touching->step ? touching->step : 1, runs = touching->step ? n : 1;
    uint64_t least = element_at(walk, touching->part, touching->array,
                                touching->falls ? from + n - 1 : from);
    if (touching->n == touching->most) {
        unite(touching);
        touching->most = touching->n < FEW / 2 ? FEW : 2 * touching->n;
    }
    if (!array_work_keep(touching->work, touching->n))
        return;
    touching->rows = weft_grow(touching->rows, &touching->capacity, touching->n + 1,
                               sizeof *touching->rows);
    touching->rows[touching->n++] =
        (struct touched_row){ part_entry_of(touching->part, server, requester),
                              least % step, least / step, least / step + runs };
}

static void touch_turns(const struct part_walk *walk, const struct dimension_part *part)
{
    (void)part;
    part_walk_turns(walk, 0, walk->parts->box->extent[walk->loop]);
}

/* Counts elements if several iterations may refer to the same one: looks at each run of
   iterations.  Memory depends on the number of different elements, not of iterations. */
static void count_touched(const struct parts *parts, struct dimension_part *part,
                          const struct weft_array *array)
{
    struct touched_rows touching = { .work = parts->work, .part = part, .array = array };
    struct part_walk walk = { .parts = parts, .visit = touch_run, .user = &touching };
    int64_t step = 0;
    for (uint32_t d = 0; d < array->rank; d++)
        step = step * (int64_t)array->shape[d]
               + parts->box->stride[part->loops[part->n_loops - 1]][d];
    touching.falls = step < 0;
    touching.step = step < 0 ? -(uint64_t)step : (uint64_t)step;
    part_walk(&walk, part, touch_turns);
    unite(&touching);
    for (size_t i = 0; i < touching.n; i++)
        part->entries[touching.rows[i].entry].elements +=
            touching.rows[i].after - touching.rows[i].first;
    free(touching.rows);
}

/* Returns true if every iteration of a part refers to a different element, or all to the
   same. */
static bool is_simple(const struct parts *parts, const struct dimension_part *part,
                      uint32_t rank)
{
    if (part->n_loops == 1)
        return true;
    for (int i = 0; i < part->n_loops; i++) {
        bool own = false;
        for (uint32_t d = 0; d < rank; d++) {
            int movers = 0;
            for (int k = 0; k < parts->box->loops; k++)
                movers += parts->box->stride[k][d] != 0;
            own |= parts->box->stride[part->loops[i]][d] && movers == 1;
        }
        if (!own)
            return false;
    }
    return true;
}

void parts_count(const struct parts *parts, struct dimension_part *part,
                 const struct weft_array *array)
{
    struct entry_counter counter = { part, 1 };
    struct part_walk walk = { .parts = parts, .visit = count_run, .user = &counter };
    part_walk(&walk, part, count_turns);
    if (part->dimension != PART_NO_DIMENSION && !is_simple(parts, part, array->rank)) {
        count_touched(parts, part, array);
        return;
    }
    for (size_t i = 0; i < part->n; i++)
        part->entries[i].elements =
            part->dimension == PART_NO_DIMENSION ? 1 : part->entries[i].turns;
}
