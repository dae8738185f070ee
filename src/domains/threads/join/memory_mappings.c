/* SPDX-License-Identifier: Apache-2.0 */
/* The mapped addresses of an image, in a sorted list of ranges. */
#include <stdlib.h>
#include <string.h>

#include "domains/threads/join/memory_join.h"

/* Returns the index of the first range that ends behind ADDRESS; n if none does. */
static size_t first_behind(const struct mappings *mappings, uint64_t address)
{
    size_t low = 0, high = mappings->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (mappings->list[middle].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Inserts a range at INDEX; the list has less than MAX_MAPPINGS. */
static void insert(struct mappings *mappings, size_t index, struct mapped_range range)
{
    mappings->list = weft_grow(mappings->list, &mappings->capacity, mappings->n + 1,
                               sizeof *mappings->list);
    memmove(mappings->list + index + 1, mappings->list + index,
            (mappings->n - index) * sizeof *mappings->list);
    mappings->list[index] = range;
    mappings->n++;
}

/* Cuts [BEGIN, END) out of the range at INDEX, which goes on at both sides. */
static bool cut_hole(struct mappings *mappings, size_t index, uint64_t begin, uint64_t end)
{
    struct mapped_range rest = mappings->list[index];
    bool room = mappings->n < MAX_MAPPINGS;

    rest.begin = end;
    mappings->list[index].end = begin;
    if (room)
        insert(mappings, index + 1, rest);
    return room;
}

bool mappings_remove(struct mappings *mappings, uint64_t begin, uint64_t end,
                     void (*gone)(void *user, const struct mapping *mapping,
                                  uint64_t bytes),
                     void *user)
{
    size_t first = first_behind(mappings, begin), after = first;
    bool room = true;

    for (size_t i = first; i < mappings->n && mappings->list[i].begin < end && room; i++) {
        struct mapped_range *range = &mappings->list[i], part = *range;
        struct mapping *mapping = &mappings->calls[part.mapping];
        bool begins_before = part.begin<begin, ends_behind = part.end> end;
        if (begins_before && ends_behind) {
            room = cut_hole(mappings, i, begin, end);
            first = after = i + 1;
        } else if (begins_before) {
            range->end = begin;
            first = after = i + 1;
        } else if (ends_behind) {
            range->begin = end;
        } else
            after = i + 1;
        part.begin = begins_before ? begin : part.begin;
        part.end = ends_behind && room ? end : part.end;
        mapping->left -= part.end - part.begin;
        gone(user, mapping, part.end - part.begin);
        if (ends_behind)
            break;
    }
    if (after > first) {
        memmove(mappings->list + first, mappings->list + after,
                (mappings->n - after) * sizeof *mappings->list);
        mappings->n -= after - first;
    }
    return room;
}

/*
 * Returns the index of a free struct mapping.  At most every second one is in use, since
 * each has a range.
 */
static uint32_t free_call(struct mappings *mappings)
{
    enum { MAX_CALLS = 2 * MAX_MAPPINGS };

    if (mappings->n_calls < MAX_CALLS) {
        mappings->calls = weft_grow(mappings->calls, &mappings->calls_capacity,
                                    mappings->n_calls + 1, sizeof *mappings->calls);
        mappings->latest = mappings->n_calls++;
    } else
        do
            mappings->latest = (mappings->latest + 1) % MAX_CALLS;
        while (mappings->calls[mappings->latest].left != 0);
    return (uint32_t)mappings->latest;
}

bool mappings_add(struct mappings *mappings, uint64_t begin, uint64_t end, uint32_t use,
                  uint32_t thread)
{
    uint32_t call;

    if (mappings->n >= MAX_MAPPINGS)
        return false;
    call = free_call(mappings);
    mappings->calls[call] = (struct mapping){ end - begin, use, thread };
    insert(mappings, first_behind(mappings, begin),
           (struct mapped_range){ begin, end, call });
    return true;
}

void mappings_free(struct mappings *mappings)
{
    free(mappings->list);
    free(mappings->calls);
}
