/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks in use, in a hash table with linear probing. */
#include <stdlib.h>

#include "domains/threads/join/memory_join.h"

static size_t home_of(const struct blocks *blocks, uint64_t address)
{
    uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15);

    return (size_t)(hash ^ hash >> 32) & (blocks->capacity - 1);
}

/* Returns the slot of ADDRESS, or the empty one where it would be. */
static size_t slot_of(const struct blocks *blocks, uint64_t address)
{
    size_t at = home_of(blocks, address);

    while (blocks->slots[at].address != 0 && blocks->slots[at].address != address)
        at = (at + 1) & (blocks->capacity - 1);
    return at;
}

struct block *blocks_find(const struct blocks *blocks, uint64_t address)
{
    size_t at;

    if (blocks->n == 0)
        return NULL;
    at = slot_of(blocks, address);
    return blocks->slots[at].address != 0 ? &blocks->slots[at] : NULL;
}

static void enlarge(struct blocks *blocks)
{
    struct blocks larger = { .capacity = blocks->capacity ? 2 * blocks->capacity : 64 };

    larger.slots = weft_zalloc(larger.capacity, sizeof *larger.slots);
    for (size_t i = 0; i < blocks->capacity; i++)
        if (blocks->slots[i].address != 0)
            larger.slots[slot_of(&larger, blocks->slots[i].address)] = blocks->slots[i];
    larger.n = blocks->n;
    free(blocks->slots);
    *blocks = larger;
}

void blocks_add(struct blocks *blocks, const struct block *block)
{
    if (2 * (blocks->n + 1) > blocks->capacity)
        enlarge(blocks);
    blocks->slots[slot_of(blocks, block->address)] = *block;
    blocks->n++;
}

/* Fills the empty slot AT from those behind it, so that probing finds them. */
static void close_gap(struct blocks *blocks, size_t at)
{
    size_t mask = blocks->capacity - 1;

    for (size_t next = (at + 1) & mask; blocks->slots[next].address != 0;
         next = (next + 1) & mask) {
        size_t home = home_of(blocks, blocks->slots[next].address);
        if (((next - home) & mask) < ((next - at) & mask))
            continue;
        blocks->slots[at] = blocks->slots[next];
        blocks->slots[next].address = 0;
        at = next;
    }
}

bool blocks_take(struct blocks *blocks, uint64_t address, struct block *out)
{
    struct block *found = blocks_find(blocks, address);

    if (!found)
        return false;
    *out = *found;
    found->address = 0;
    blocks->n--;
    close_gap(blocks, (size_t)(found - blocks->slots));
    return true;
}

void blocks_free(struct blocks *blocks)
{
    free(blocks->slots);
}
