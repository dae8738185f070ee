/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues of receives by order of posting, of which only the first is looked at.  Receives
 * complete in any order, so each removal from a list would walk it.  These are pairing
 * heaps (Fredman, Sedgewick, Sleator, Tarjan 1986): an insertion takes one step, a removal
 * logarithmic time, amortized.
 */
#include "domains/messages/read/picl_priv.h"

static struct picl_place *place(struct picl_posted *all, enum picl_queue queue,
                                uint32_t index)
{
    return &all[index].places[queue];
}

uint32_t picl_queue_join(struct picl_posted *all, enum picl_queue queue, uint32_t a,
                         uint32_t b)
{
    if (a == WEFT_NONE || b == WEFT_NONE)
        return a == WEFT_NONE ? b : a;
    uint32_t first = all[b].order < all[a].order ? b : a, later = first == a ? b : a;
    struct picl_place *above = place(all, queue, first);
    struct picl_place *below = place(all, queue, later);
    below->next = above->child;
    if (above->child != WEFT_NONE)
        place(all, queue, above->child)->previous = later;
    below->previous = first;
    above->child = later;
    return first;
}

/*
 * Merges the heaps of AT and its siblings: pairs from left to right, then these from right
 * to left.
 */
static uint32_t join_all(struct picl_posted *all, enum picl_queue queue, uint32_t at)
{
    uint32_t pairs = WEFT_NONE, first = WEFT_NONE;
    while (at != WEFT_NONE) {
        uint32_t a = at, b = place(all, queue, a)->next;
        at = b == WEFT_NONE ? WEFT_NONE : place(all, queue, b)->next;
        place(all, queue, a)->previous = place(all, queue, a)->next = WEFT_NONE;
        if (b != WEFT_NONE)
            place(all, queue, b)->previous = place(all, queue, b)->next = WEFT_NONE;
        a = picl_queue_join(all, queue, a, b);
        place(all, queue, a)->next = pairs;
        pairs = a;
    }
    while (pairs != WEFT_NONE) {
        uint32_t pair = pairs;
        pairs = place(all, queue, pair)->next;
        place(all, queue, pair)->next = WEFT_NONE;
        first = picl_queue_join(all, queue, first, pair);
    }
    return first;
}

uint32_t picl_queue_remove(struct picl_posted *all, enum picl_queue queue, uint32_t first,
                           uint32_t index)
{
    struct picl_place *old = place(all, queue, index);
    uint32_t below = join_all(all, queue, old->child);
    if (index == first) {
        first = below;
    } else {
        struct picl_place *before = place(all, queue, old->previous);
        *(before->child == index ? &before->child : &before->next) = old->next;
        if (old->next != WEFT_NONE)
            place(all, queue, old->next)->previous = old->previous;
        first = picl_queue_join(all, queue, first, below);
    }
    *old = (struct picl_place){ WEFT_NONE, WEFT_NONE, WEFT_NONE };
    return first;
}
