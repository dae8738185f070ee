/* SPDX-License-Identifier: Apache-2.0 */
#include "array/parts.h"

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
        out.way[k] = axis->stride * (owners ? box->owner_way : box->way)[k][d];
        moves |= out.way[k] != 0;
    }
    if (moves)
        parts->axes[parts->n_axes++] = out;
    else
        add_number(
            parts, asks,
            weft_distribution_coordinate(axis, (owners ? box->owner : box->element)[d])
                * weight);
}

/* A map is one axis: of the number of the element. */
static void add_map(struct parts *parts, const uint32_t *map,
                    const struct weft_array *array, bool owners, bool asks)
{
    const struct array_box *box = parts->box;
    struct part_axis out = { .map = map, .asks = asks, .weight = 1 };
    for (uint32_t d = 0; d < array->rank; d++) {
        int64_t size = (int64_t)array->shape[d];
        out.place = out.place * size + (int64_t)(owners ? box->owner : box->element)[d];
        for (int k = 0; k < box->loops; k++)
            out.way[k] = out.way[k] * size + (owners ? box->owner_way : box->way)[k][d];
    }
    for (int k = 0; k < box->loops; k++)
        if (out.way[k]) {
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
            if (parts->axes[a].way[k])
                join(joined, &with, k);
    }
    for (uint32_t d = 0; d < rank; d++) {
        int with = -1;
        for (int k = 0; k < box->loops; k++)
            if (box->way[k][d])
                join(joined, &with, k);
    }
}

/* ---- Entries ---- */

static void rehash(struct part *part)
{
    size_t n = part->n_slots ? 2 * part->n_slots : 64;
    part->slots = weft_realloc(part->slots, n * sizeof *part->slots);
    part->n_slots = n;
    memset(part->slots, 0, n * sizeof *part->slots);
    for (size_t i = 0; i < part->n; i++) {
        uint64_t hash = part->entries[i].server * UINT64_C(0x9e3779b97f4a7c15)
                        + part->entries[i].requester * UINT64_C(0xc2b2ae3d27d4eb4f);
        size_t at = hash >> 20 & (n - 1);
        while (part->slots[at])
            at = (at + 1) & (n - 1);
        part->slots[at] = (uint32_t)i + 1;
    }
}

/* The entry of two sums: found, or made. */
static size_t entry_of(struct part *part, uint32_t server, uint32_t requester)
{
    if (2 * part->n >= part->n_slots)
        rehash(part);
    uint64_t hash =
        server * UINT64_C(0x9e3779b97f4a7c15) + requester * UINT64_C(0xc2b2ae3d27d4eb4f);
    size_t at = hash >> 20 & (part->n_slots - 1);
    for (; part->slots[at]; at = (at + 1) & (part->n_slots - 1)) {
        const struct part_entry *entry = &part->entries[part->slots[at] - 1];
        if (entry->server == server && entry->requester == requester)
            return part->slots[at] - 1;
    }
    part->entries =
        weft_grow(part->entries, &part->capacity, part->n + 1, sizeof *part->entries);
    part->entries[part->n] = (struct part_entry){ server, requester, 0, 0 };
    part->slots[at] = (uint32_t)part->n + 1;
    return part->n++;
}

/* ---- Walking through a part ---- */

uint64_t part_turns_alike(const struct part_axis *axis, int64_t place, int64_t way)
{
    if (!way)
        return UINT64_MAX;
    if (!axis->axis)
        return 1;
    uint64_t block = axis->axis->block, within = (uint64_t)place % block;
    return way > 0 ? (block - within - 1) / (uint64_t)way + 1 : within / (uint64_t)-way + 1;
}

uint64_t part_coordinate(const struct part_axis *axis, int64_t place)
{
    if (!axis->axis)
        return axis->map[place];
    uint64_t block = (uint64_t)place / axis->axis->block;
    return axis->axis->format == WEFT_DISTRIBUTION_CYCLIC ? block % axis->axis->processors
                                                          : block;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Turns of a loop after which all coordinates come again; 0: never, or too late. */
static uint64_t period_of(const struct parts *parts, int loop)
{
    uint64_t period = 1;
    for (int a = 0; a < parts->n_axes; a++) {
        const struct part_axis *axis = &parts->axes[a];
        int64_t way = axis->way[loop];
        if (!way)
            continue;
        if (!axis->axis || axis->axis->format != WEFT_DISTRIBUTION_CYCLIC
            || axis->axis->block > WEFT_ARRAY_LIMIT / axis->axis->processors)
            return 0;
        uint64_t round = axis->axis->block * axis->axis->processors;
        round /= gcd(round, way < 0 ? -(uint64_t)way : (uint64_t)way);
        uint64_t factor = round / gcd(round, period);
        if (factor > WEFT_ARRAY_LIMIT / period)
            return 0;
        period *= factor;
    }
    return period;
}

struct walk {
    const struct parts *parts;
    int loop;                     /* the innermost one */
    uint64_t at[ARRAY_BOX_LOOPS]; /* of the loops around it */
    int64_t place[PART_AXES];     /* at its first turn */
    /* Called for each run of turns [FROM, FROM + N) of it. */
    void (*visit)(void *user, const struct walk *walk, uint64_t from, uint64_t n,
                  uint32_t server, uint32_t requester);
    void *user;
};

/* The turns [FROM, AFTER) of the innermost loop. */
static void walk_turns(const struct walk *walk, uint64_t from, uint64_t after)
{
    const struct parts *parts = walk->parts;
    while (from < after) {
        uint64_t n = after - from;
        uint32_t number[2] = { 0, 0 };
        for (int a = 0; a < parts->n_axes; a++) {
            const struct part_axis *axis = &parts->axes[a];
            int64_t way = axis->way[walk->loop];
            int64_t place = walk->place[a];
            if (place < 0)
                continue; /* the axis does not belong to this part */
            place += way * (int64_t)from;
            uint64_t alike = part_turns_alike(axis, place, way);
            n = alike < n ? alike : n;
            number[axis->asks] += (uint32_t)(part_coordinate(axis, place) * axis->weight);
        }
        walk->visit(walk->user, walk, from, n, number[0], number[1]);
        from += n;
    }
}

static bool depends_on(const struct part_axis *axis, const struct part *part)
{
    for (int i = 0; i < part->n_loops; i++)
        if (axis->way[part->loops[i]])
            return true;
    return false;
}

/* All turns of a part: its last loop is the innermost. */
static void walk_part(struct walk *walk, const struct part *part,
                      void (*turns)(const struct walk *walk, const struct part *part))
{
    const struct parts *parts = walk->parts;
    int around = part->n_loops - 1;
    memset(walk->at, 0, sizeof walk->at);
    walk->loop = part->loops[around];
    for (;;) {
        for (int a = 0; a < parts->n_axes; a++) {
            const struct part_axis *axis = &parts->axes[a];
            walk->place[a] = depends_on(axis, part) ? axis->place : -1;
            for (int i = 0; i < around && walk->place[a] >= 0; i++)
                walk->place[a] += axis->way[part->loops[i]] * (int64_t)walk->at[i];
        }
        turns(walk, part);
        int i = 0;
        while (i < around && ++walk->at[i] == parts->box->extent[part->loops[i]])
            walk->at[i++] = 0;
        if (i == around)
            return;
    }
}

/* ---- Counting ---- */

struct counting {
    struct part *part;
    uint64_t times;
};

static void count_run(void *user, const struct walk *walk, uint64_t from, uint64_t n,
                      uint32_t server, uint32_t requester)
{
    (void)walk;
    (void)from;
    const struct counting *counting = user;
    size_t entry = entry_of(counting->part, server, requester);
    counting->part->entries[entry].turns += n * counting->times;
}

static void count_turns(const struct walk *walk, const struct part *part)
{
    struct counting *counting = walk->user;
    uint64_t extent = walk->parts->box->extent[walk->loop];
    uint64_t period = part->n_loops == 1 ? period_of(walk->parts, walk->loop) : 0;
    counting->times = 1;
    if (!period || extent < 2 * period) {
        walk_turns(walk, 0, extent);
        return;
    }
    counting->times = extent / period + 1;
    walk_turns(walk, 0, extent % period);
    counting->times = extent / period;
    walk_turns(walk, extent % period, period);
}

/* Which elements a turn leads to: an entry and an element, to be sorted. */
struct touched {
    uint64_t element;
    size_t entry;
};

struct touching {
    struct part *part;
    const struct weft_array *array;
    struct touched *rows;
    size_t n, capacity;
};

/* Something that is the same for the same elements of the part's dimensions only. */
static uint64_t element_at(const struct walk *walk, const struct part *part,
                           const struct weft_array *array, uint64_t turn)
{
    const struct array_box *box = walk->parts->box;
    uint64_t number = 0;
    for (uint32_t d = 0; d < array->rank; d++) {
        uint64_t index = box->element[d] + (uint64_t)box->way[walk->loop][d] * turn;
        for (int i = 0; i + 1 < part->n_loops; i++)
            index += (uint64_t)box->way[part->loops[i]][d] * walk->at[i];
        number = number * array->shape[d] + index;
    }
    return number;
}

static void touch_run(void *user, const struct walk *walk, uint64_t from, uint64_t n,
                      uint32_t server, uint32_t requester)
{
    struct touching *touching = user;
    size_t entry = entry_of(touching->part, server, requester);
    for (uint64_t i = from; i < from + n; i++) {
        touching->rows = weft_grow(touching->rows, &touching->capacity, touching->n + 1,
                                   sizeof *touching->rows);
        touching->rows[touching->n++] =
            (struct touched){ element_at(walk, touching->part, touching->array, i), entry };
    }
}

static void touch_turns(const struct walk *walk, const struct part *part)
{
    (void)part;
    walk_turns(walk, 0, walk->parts->box->extent[walk->loop]);
}

static int by_touched(const void *left, const void *right)
{
    const struct touched *a = left, *b = right;
    if (a->entry != b->entry)
        return a->entry < b->entry ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

/* Several loops may lead to one element: look at each turn. */
static void count_touched(const struct parts *parts, struct part *part,
                          const struct weft_array *array)
{
    struct touching touching = { .part = part, .array = array };
    struct walk walk = { .parts = parts, .visit = touch_run, .user = &touching };
    walk_part(&walk, part, touch_turns);
    qsort(touching.rows, touching.n, sizeof *touching.rows, by_touched);
    for (size_t i = 0; i < touching.n; i++)
        if (!i || by_touched(&touching.rows[i - 1], &touching.rows[i]) != 0)
            part->entries[touching.rows[i].entry].elements++;
    free(touching.rows);
}

/* Does every turn of a part lead to another element, or do all to the same one? */
static bool is_simple(const struct parts *parts, const struct part *part, uint32_t rank)
{
    if (part->n_loops == 1)
        return true;
    for (int i = 0; i < part->n_loops; i++) {
        bool own = false;
        for (uint32_t d = 0; d < rank; d++) {
            int movers = 0;
            for (int k = 0; k < parts->box->loops; k++)
                movers += parts->box->way[k][d] != 0;
            own |= parts->box->way[part->loops[i]][d] && movers == 1;
        }
        if (!own)
            return false;
    }
    return true;
}

static void count_part(const struct parts *parts, struct part *part,
                       const struct weft_array *array)
{
    struct counting counting = { part, 1 };
    struct walk walk = { .parts = parts, .visit = count_run, .user = &counting };
    walk_part(&walk, part, count_turns);
    if (part->dimension != PART_NO_DIMENSION && !is_simple(parts, part, array->rank)) {
        count_touched(parts, part, array);
        return;
    }
    for (size_t i = 0; i < part->n; i++)
        part->entries[i].elements =
            part->dimension == PART_NO_DIMENSION ? 1 : part->entries[i].turns;
}

static int dimension_of(const struct parts *parts, const struct part *part, uint32_t rank)
{
    int dimension = PART_NO_DIMENSION;
    for (uint32_t d = 0; d < rank; d++)
        for (int i = 0; i < part->n_loops; i++)
            if (parts->box->way[part->loops[i]][d] && dimension != (int)d)
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
        struct part *part = &parts->parts[parts->n];
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
            counts |= depends_on(&parts->axes[a], part);
        if (!counts) { /* a loop by itself that changes nothing */
            parts->turns *= box->extent[root];
            continue;
        }
        count_part(parts, part, array);
        parts->n++;
    }
}

/* ---- Sets of indices ---- */

static void mark_run(void *user, const struct walk *walk, uint64_t from, uint64_t n,
                     uint32_t server, uint32_t requester)
{
    struct part *part = user;
    const struct array_box *box = walk->parts->box;
    int d = part->dimension;
    uint64_t *set = part->sets + entry_of(part, server, requester) * part->words;
    for (uint64_t i = from; i < from + n; i++) {
        uint64_t index = box->element[d] + (uint64_t)box->way[walk->loop][d] * i;
        for (int k = 0; k + 1 < part->n_loops; k++)
            index += (uint64_t)box->way[part->loops[k]][d] * walk->at[k];
        set[index / 64] |= UINT64_C(1) << index % 64;
    }
}

const uint64_t *part_set(const struct parts *parts, struct part *part, size_t entry,
                         uint64_t extent)
{
    if (!part->words) {
        part->words = (extent + 63) / 64;
        part->sets = weft_grow(part->sets, &part->set_capacity, part->n * part->words,
                               sizeof *part->sets);
        memset(part->sets, 0, part->n * part->words * sizeof *part->sets);
        struct walk walk = { .parts = parts, .visit = mark_run, .user = part };
        walk_part(&walk, part, touch_turns);
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
    if (i == parts->n)
        return false;
    combine(parts, pair);
    return true;
}
