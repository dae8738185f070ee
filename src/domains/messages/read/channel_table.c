/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table of channels with open addressing; deletion leaves no tombstones. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "domains/messages/read/picl_priv.h"

enum { FIRST_CHANNELS = 1024 };

static size_t place_of(const struct picl_channels *c, const struct picl_message *of)
{
    uint64_t ends = (uint64_t)(uint32_t)of->source << 32 | (uint32_t)of->destination;
    uint64_t key = weft_hash_words(ends, (uint64_t)of->tag);
    return (size_t)weft_hash_words(key, (uint64_t)of->communicator) & (c->capacity - 1);
}

struct picl_message picl_channel_name(const struct picl_channel *channel)
{
    return (struct picl_message){ .source = channel->source,
                                  .destination = channel->destination,
                                  .tag = channel->tag,
                                  .communicator = channel->communicator };
}

size_t picl_channels_find(const struct picl_channels *c, const struct picl_message *of)
{
    size_t at = place_of(c, of);
    for (;; at = (at + 1) & (c->capacity - 1)) {
        const struct picl_channel *channel = &c->slots[at];
        if (channel->first == WEFT_NONE
            || (channel->source == of->source && channel->destination == of->destination
                && channel->tag == of->tag && channel->communicator == of->communicator))
            return at;
    }
}

static void enlarge(struct picl_channels *c)
{
    struct picl_channels bigger = { .n = c->n,
                                    .capacity =
                                        c->capacity ? 2 * c->capacity : FIRST_CHANNELS };
    bigger.slots = weft_alloc(bigger.capacity * sizeof *bigger.slots);
    memset(bigger.slots, 0xff, bigger.capacity * sizeof *bigger.slots);
    for (size_t i = 0; i < c->capacity; i++) {
        if (c->slots[i].first == WEFT_NONE)
            continue;
        struct picl_message name = picl_channel_name(&c->slots[i]);
        bigger.slots[picl_channels_find(&bigger, &name)] = c->slots[i];
    }
    free(c->slots);
    *c = bigger;
}

size_t picl_channels_place(struct picl_channels *c, const struct picl_message *of)
{
    if (c->n * 2 >= c->capacity)
        enlarge(c);
    return picl_channels_find(c, of);
}

void picl_channels_put(struct picl_channels *c, size_t slot, const struct picl_message *of,
                       uint32_t first)
{
    c->slots[slot] = (struct picl_channel){ .tag = of->tag,
                                            .source = of->source,
                                            .destination = of->destination,
                                            .communicator = of->communicator,
                                            .first = first,
                                            .last = first };
    c->n++;
}

/*
 * Slots behind the hole move up if that brings them nearer to their place (Knuth, 6.4, R).
 */
void picl_channels_remove(struct picl_channels *c, size_t slot)
{
    size_t mask = c->capacity - 1, hole = slot;
    for (size_t at = (hole + 1) & mask; c->slots[at].first != WEFT_NONE;
         at = (at + 1) & mask) {
        struct picl_message name = picl_channel_name(&c->slots[at]);
        size_t home = place_of(c, &name);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue; /* its place is behind the hole */
        c->slots[hole] = c->slots[at];
        hole = at;
    }
    c->slots[hole].first = WEFT_NONE;
    c->n--;
}
