/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the writes of an iteration that the value of a read decides. */
#include "domains/arrays/record/code_values.h"

#include <string.h>

/* Within an iteration of a loop, `post` has for each block the first one that is executed
   behind it in any case; CODE_NO_BLOCK if that is none. */

static uint32_t order_of(const struct code_blocks *all, uint16_t block)
{
    return block == CODE_NO_BLOCK ? UINT32_MAX : all->blocks[block].order;
}

/* Returns the first block that is executed in any case behind both A and B, or is one. */
static uint16_t join(const struct code_blocks *all, uint16_t a, uint16_t b)
{
    while (a != b) {
        if (order_of(all, a) < order_of(all, b))
            a = all->post[a];
        else
            b = all->post[b];
    }
    return a;
}

/* Returns where the edge to NEXT leads within an iteration of LOOP. */
static uint16_t within(const struct code_blocks *all, uint16_t next, uint32_t loop)
{
    if (!code_block_inside(all, all->blocks[next].loop, loop)
        || (loop != 0 && next == all->headers[loop]))
        return CODE_NO_BLOCK;
    return next;
}

/* Joins to TO all blocks to which the loop INNER leads.  *FOUND is set if there is one. */
static uint16_t join_exits(const struct code_blocks *all, uint32_t inner, uint32_t loop,
                           uint16_t to, bool *found)
{
    uint32_t first = all->blocks[all->headers[inner]].order;

    for (uint32_t i = first; i < all->n; i++) {
        const struct code_block *block = &all->blocks[all->ordered[i]];
        if (!code_block_inside(all, block->loop, inner))
            break;
        for (int k = 0; k < 2; k++) {
            uint16_t next = block->next[k];
            if (next == CODE_NO_BLOCK
                || code_block_inside(all, all->blocks[next].loop, inner))
                continue;
            next = within(all, next, loop);
            to = *found ? join(all, to, next) : next;
            *found = true;
        }
    }
    return to;
}

static uint16_t find_post(const struct code_blocks *all, uint16_t number, uint32_t loop)
{
    const struct code_block *block = &all->blocks[number];
    uint16_t post = CODE_NO_BLOCK;
    bool found = false;

    for (int k = 0; k < 2; k++) {
        uint16_t next = block->next[k];
        if (next == CODE_NO_BLOCK)
            continue;
        next = within(all, next, loop);
        if (next != CODE_NO_BLOCK && all->blocks[next].order <= block->order) {
            /* Round an inner loop, and out of it some time. */
            post = join_exits(all, all->blocks[next].loop, loop, post, &found);
            continue;
        }
        post = found ? join(all, post, next) : next;
        found = true;
    }
    return post;
}

static void find_posts(struct code_blocks *all, uint32_t loop)
{
    if (all->has_post && all->post_loop == loop)
        return;
    for (uint32_t i = all->n; i-- > 0;) {
        uint16_t number = all->ordered[i];
        if (code_block_inside(all, all->blocks[number].loop, loop))
            all->post[number] = find_post(all, number, loop);
    }
    all->has_post = true;
    all->post_loop = loop;
}

/* Adds a block, and its writes to a set of bits. */
static void add_block(struct code_blocks *all, uint16_t number, uint64_t *writes)
{
    const struct code_block *block = &all->blocks[number];

    if (all->seen[number] == all->stamp)
        return;
    all->seen[number] = all->stamp;
    all->work[all->n_work++] = number;
    for (uint32_t i = block->first_site; i < (uint32_t)block->first_site + block->n_sites;
         i++)
        if (all->sites[i].writes)
            writes[i / 64] |= UINT64_C(1) << i % 64;
}

/* Adds what is executed in any case on side SIDE of the branch at the end of a block, until
   both sides meet. */
static void add_side(struct code_blocks *all, uint16_t number, int side, uint32_t loop,
                     uint64_t *writes)
{
    const struct code_block *block = &all->blocks[number];
    uint16_t at;

    if (block->next[0] == CODE_NO_BLOCK || block->next[1] == CODE_NO_BLOCK)
        return;
    at = within(all, block->next[side], loop);
    if (at != CODE_NO_BLOCK && all->blocks[at].order <= block->order)
        return;
    for (; at != all->post[number] && at != CODE_NO_BLOCK; at = all->post[at])
        add_block(all, at, writes);
}

/* Adds the writes that the branch at the end of a block leads to on one side, if there are
   none on the other: else they may be copies of what is executed on either side. */
static void choose(struct code_blocks *all, uint16_t number, uint32_t loop)
{
    uint64_t writes[2][CODE_SITES / 64];
    uint64_t some[2] = { 0, 0 };

    memset(writes, 0, sizeof writes);
    for (int side = 0; side < 2; side++) {
        all->stamp++;
        all->n_work = 0;
        add_side(all, number, side, loop, writes[side]);
        while (all->n_work > 0) {
            uint16_t at = (uint16_t)all->work[--all->n_work];
            add_side(all, at, 0, loop, writes[side]);
            add_side(all, at, 1, loop, writes[side]);
        }
        for (uint32_t i = 0; i < CODE_SITES / 64; i++)
            some[side] |= writes[side][i];
    }
    for (uint32_t i = 0; i < CODE_SITES / 64 && (!some[0] || !some[1]); i++)
        all->chosen[i] |= writes[0][i] | writes[1][i];
}

void code_find_chosen(struct code_blocks *all, uint32_t read)
{
    uint32_t loop = all->sites[read].loop;

    find_posts(all, loop);
    memset(all->chosen, 0, sizeof all->chosen);
    for (uint32_t i = 0; i < all->n; i++)
        if (all->decides[read][i / 64] >> i % 64 & 1
            && code_block_inside(all, all->blocks[i].loop, loop))
            choose(all, (uint16_t)i, loop);
}
