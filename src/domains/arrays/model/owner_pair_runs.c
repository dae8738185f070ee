/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/model/owner_pair_runs.h"

#include <string.h>

#include "base/hash.h"

/* ---- Entries ---- */

static void rehash(struct dimension_part *part)
{
    size_t n = part->n_slots ? 2 * part->n_slots : 64;
    part->slots = weft_realloc(part->slots, n * sizeof *part->slots);
    part->n_slots = n;
    memset(part->slots, 0, n * sizeof *part->slots);
    for (size_t i = 0; i < part->n; i++) {
        const struct part_entry *entry = &part->entries[i];
        size_t at = weft_hash_words(entry->server, entry->requester) & (n - 1);
        while (part->slots[at])
            at = (at + 1) & (n - 1);
        part->slots[at] = (uint32_t)i + 1;
    }
}

size_t part_entry_of(struct dimension_part *part, uint32_t server, uint32_t requester)
{
    if (2 * part->n >= part->n_slots)
        rehash(part);
    size_t at = weft_hash_words(server, requester) & (part->n_slots - 1);
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

/* ---- Turns ---- */

uint64_t part_turns_alike(const struct part_axis *axis, int64_t place, int64_t stride)
{
    if (!stride)
        return UINT64_MAX;
    if (!axis->axis)
        return 1;
    uint64_t block = axis->axis->block, within = (uint64_t)place % block;
    return stride > 0 ? (block - within - 1) / (uint64_t)stride + 1
                      : within / (uint64_t)-stride + 1;
}

uint64_t part_coordinate(const struct part_axis *axis, int64_t place)
{
    if (!axis->axis)
        return axis->map[place];
    uint64_t block = (uint64_t)place / axis->axis->block;
    return axis->axis->format == WEFT_DISTRIBUTION_CYCLIC ? block % axis->axis->processors
                                                          : block;
}

void part_walk_turns(const struct part_walk *walk, uint64_t from, uint64_t after)
{
    const struct parts *parts = walk->parts;
    while (from < after && array_work_report(parts->work, 1)) {
        uint64_t n = after - from;
        uint32_t number[2] = { 0, 0 };
        for (int a = 0; a < parts->n_axes; a++) {
            const struct part_axis *axis = &parts->axes[a];
            int64_t stride = axis->stride[walk->loop];
            int64_t place = walk->place[a];
            if (place < 0)
                continue; /* the axis does not belong to this part */
            place += stride * (int64_t)from;
            uint64_t alike = part_turns_alike(axis, place, stride);
            n = alike < n ? alike : n;
            number[axis->asks] += (uint32_t)(part_coordinate(axis, place) * axis->weight);
        }
        walk->visit(walk->user, walk, from, n, number[0], number[1]);
        from += n;
    }
}

bool part_depends_on(const struct part_axis *axis, const struct dimension_part *part)
{
    for (int i = 0; i < part->n_loops; i++)
        if (axis->stride[part->loops[i]])
            return true;
    return false;
}

void part_walk(struct part_walk *walk, const struct dimension_part *part,
               void (*turns)(const struct part_walk *walk,
                             const struct dimension_part *part))
{
    const struct parts *parts = walk->parts;
    int around = part->n_loops - 1;
    memset(walk->at, 0, sizeof walk->at);
    walk->loop = part->loops[around];
    for (;;) {
        for (int a = 0; a < parts->n_axes; a++) {
            const struct part_axis *axis = &parts->axes[a];
            walk->place[a] = part_depends_on(axis, part) ? axis->place : -1;
            for (int i = 0; i < around && walk->place[a] >= 0; i++)
                walk->place[a] += axis->stride[part->loops[i]] * (int64_t)walk->at[i];
        }
        turns(walk, part);
        if (!array_work_report(parts->work, 1) || !array_work_keep(parts->work, part->n))
            return;
        int i = 0;
        while (i < around && ++walk->at[i] == parts->box->extent[part->loops[i]])
            walk->at[i++] = 0;
        if (i == around)
            return;
    }
}
