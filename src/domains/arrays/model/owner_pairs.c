/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/owner_pair_runs.h"

#include <stdlib.h>
#include <string.h>

void parts_free(struct parts *parts)
{
    for (int i = 0; i < ARRAY_BOX_LOOPS; i++) {
        free(parts->parts[i].entries);
        free(parts->parts[i].slots);
        free(parts->parts[i].sets);
    }
    memset(parts, 0, sizeof *parts);
}

void parts_begin(struct parts *parts, const struct array_box *box)
{
    parts->box = box;
    parts->n_axes = parts->n = 0;
    parts->server = parts->requester = 0;
    parts->turns = 1;
}

/* ---- Axes ---- */

static void add_number(struct parts *parts, bool asks, uint64_t number)
{
    if (asks)
        parts->requester += (uint32_t)number;
    else
        parts->server += (uint32_t)number;
}

void parts_add_axis(struct parts *parts, const struct weft_distribution_axis *axis,
                    uint64_t weight, bool owners, bool asks)
{
    const struct array_box *box = parts->box;
    if (axis->kind != WEFT_AXIS_ARRAY) {
        add_number(parts, asks, weft_distribution_coordinate(axis, 0) * weight);
        return;
    }
    uint32_t d = axis->dimension;
    struct part_axis out = { .axis = axis, .asks = asks, .weight = weight };
    bool moves = false;
    out.place =
        axis->stride * (int64_t)(owners ? box->owner : box->element)[d] + axis->offset;
    for (int k = 0; k < box->loops; k++) {
        out.stride[k] = axis->stride * (owners ? box->owner_stride : box->stride)[k][d];
        moves |= out.stride[k] != 0;
    }
    if (moves)
        parts->axes[parts->n_axes++] = out;
    else
        add_number(
            parts, asks,
            weft_distribution_coordinate(axis, (owners ? box->owner : box->element)[d])
                * weight);
}

/* A map is one axis, over element numbers. */
static void add_map(struct parts *parts, const uint32_t *map,
                    const struct weft_array *array, bool owners, bool asks)
{
    const struct array_box *box = parts->box;
    struct part_axis out = { .map = map, .asks = asks, .weight = 1 };
    for (uint32_t d = 0; d < array->rank; d++) {
        int64_t size = (int64_t)array->shape[d];
        out.place = out.place * size + (int64_t)(owners ? box->owner : box->element)[d];
        for (int k = 0; k < box->loops; k++)
            out.stride[k] =
                out.stride[k] * size + (owners ? box->owner_stride : box->stride)[k][d];
    }
    for (int k = 0; k < box->loops; k++)
        if (out.stride[k]) {
            parts->axes[parts->n_axes++] = out;
            return;
        }
    add_number(parts, asks, map[out.place]);
}

void parts_add(struct parts *parts, const struct weft_distribution *distribution,
               const struct weft_array *array, bool owners, bool asks)
{
    uint64_t weight = 1;
    if (!distribution)
        return;
    if (distribution->map) {
        add_map(parts, distribution->map, array, owners, asks);
        return;
    }
    for (uint32_t k = distribution->rank; k-- > 0;) {
        parts_add_axis(parts, &distribution->axis[k], weight, owners, asks);
        weight *= distribution->extent[k];
    }
}

/* ---- Which loops belong together ---- */

static int root_of(const int *joined, int loop)
{
    while (joined[loop] != loop)
        loop = joined[loop];
    return loop;
}

static void join(int *joined, int *with, int loop)
{
    if (*with < 0)
        *with = loop;
    else
        joined[root_of(joined, loop)] = root_of(joined, *with);
}

static void group_loops(const struct parts *parts, uint32_t rank, int *joined)
{
    const struct array_box *box = parts->box;
    for (int k = 0; k < box->loops; k++)
        joined[k] = k;
    for (int a = 0; a < parts->n_axes; a++) {
        int with = -1;
        for (int k = 0; k < box->loops; k++)
            if (parts->axes[a].stride[k])
                join(joined, &with, k);
    }
    for (uint32_t d = 0; d < rank; d++) {
        int with = -1;
        for (int k = 0; k < box->loops; k++)
            if (box->stride[k][d])
                join(joined, &with, k);
    }
}

static int dimension_of(const struct parts *parts, const struct dimension_part *part,
                        uint32_t rank)
{
    int dimension = PART_NO_DIMENSION;
    for (uint32_t d = 0; d < rank; d++)
        for (int i = 0; i < part->n_loops; i++)
            if (parts->box->stride[part->loops[i]][d] && dimension != (int)d)
                dimension = dimension == PART_NO_DIMENSION ? (int)d : PART_DIMENSIONS;
    return dimension;
}

void parts_make(struct parts *parts, const struct weft_array *array)
{
    int joined[ARRAY_BOX_LOOPS];
    const struct array_box *box = parts->box;
    group_loops(parts, array->rank, joined);
    for (int root = 0; root < box->loops; root++) {
        if (joined[root] != root)
            continue;
        struct dimension_part *part = &parts->parts[parts->n];
        part->n = part->n_loops = 0;
        part->words = 0;
        if (part->n_slots)
            memset(part->slots, 0, part->n_slots * sizeof *part->slots);
        for (int k = 0; k < box->loops; k++)
            if (root_of(joined, k) == root)
                part->loops[part->n_loops++] = k;
        part->dimension = dimension_of(parts, part, array->rank);
        bool counts = part->dimension != PART_NO_DIMENSION;
        for (int a = 0; a < parts->n_axes; a++)
            counts |= part_depends_on(&parts->axes[a], part);
        if (!counts) { /* a single loop that changes nothing */
            parts->turns *= box->extent[root];
            continue;
        }
        parts_count(parts, part, array);
        if (!part->n) /* over the limit at once; parts_first() needs an entry */
            (void)part_entry_of(part, 0, 0);
        parts->n++;
    }
}

/* ---- Sets of indices ---- */

static void mark_run(void *user, const struct part_walk *walk, uint64_t from, uint64_t n,
                     uint32_t server, uint32_t requester)
{
    struct dimension_part *part = user;
    const struct array_box *box = walk->parts->box;
    int d = part->dimension;
    uint64_t *set = part->sets + part_entry_of(part, server, requester) * part->words;
    for (uint64_t i = from; i < from + n && array_work_report(walk->parts->work, 1); i++) {
        uint64_t index = box->element[d] + (uint64_t)box->stride[walk->loop][d] * i;
        for (int k = 0; k + 1 < part->n_loops; k++)
            index += (uint64_t)box->stride[part->loops[k]][d] * walk->at[k];
        set[index / 64] |= UINT64_C(1) << index % 64;
    }
}

static void mark_turns(const struct part_walk *walk, const struct dimension_part *part)
{
    (void)part;
    part_walk_turns(walk, 0, walk->parts->box->extent[walk->loop]);
}

const uint64_t *part_set(const struct parts *parts, struct dimension_part *part,
                         size_t entry, uint64_t extent)
{
    if (!part->words) {
        size_t words = (extent + 63) / 64, n = part->n * words;
        if (n > part->set_capacity
            && !array_work_room(parts->work, 2 * (n - part->set_capacity)))
            return NULL;
        part->words = words;
        part->sets = weft_grow(part->sets, &part->set_capacity, n, sizeof *part->sets);
        memset(part->sets, 0, part->n * part->words * sizeof *part->sets);
        struct part_walk walk = { .parts = parts, .visit = mark_run, .user = part };
        part_walk(&walk, part, mark_turns);
    }
    return part->sets + entry * part->words;
}

/* ---- Pairs ---- */

static void combine(const struct parts *parts, struct parts_pair *pair)
{
    pair->server = parts->server;
    pair->requester = parts->requester;
    pair->turns = parts->turns;
    pair->elements = 1;
    for (int i = 0; i < parts->n; i++) {
        const struct part_entry *entry = &parts->parts[i].entries[pair->entry[i]];
        pair->server += entry->server;
        pair->requester += entry->requester;
        pair->turns *= entry->turns;
        pair->elements *= entry->elements;
    }
}

void parts_first(const struct parts *parts, struct parts_pair *pair)
{
    memset(pair->entry, 0, sizeof pair->entry);
    combine(parts, pair);
}

bool parts_next(const struct parts *parts, struct parts_pair *pair)
{
    int i = 0;
    while (i < parts->n && ++pair->entry[i] == parts->parts[i].n)
        pair->entry[i++] = 0;
    if (i == parts->n || !array_work_report(parts->work, 1))
        return false;
    combine(parts, pair);
    return true;
}
