/* SPDX-License-Identifier: Apache-2.0 */
/* On behalf of which writes the reads of a function are made, by its loops. */
#include "domains/arrays/record/code_blocks.h"
#include "domains/arrays/record/code_values.h"

#include <string.h>

/* A search for the first writes behind some place, within a loop. */
struct search {
    struct code_blocks *blocks;
    uint32_t loop; /* within this one */
    uint32_t read; /* of whose value; CODE_SITES if writes of all values count */
    bool decided;  /* writes that the read decides count, too */
    uint16_t targets[CODE_TARGETS];
    uint32_t n_targets;
    bool too_many;
    bool skips;       /* an iteration may end without a write */
    bool goes_round;  /* and another one may follow then */
    bool wanders;     /* it came into several loops within this one */
    uint32_t within;  /* one of these, or 0 */
    uint32_t avoided; /* ways end at sites below this one */
    bool through;     /* ways go on behind writes */
    uint32_t n_work;  /* of blocks->work: blocks still to be looked at */
};

static void add_target(struct search *search, uint16_t site)
{
    for (uint32_t i = 0; i < search->n_targets; i++)
        if (search->targets[i] == site)
            return;
    if (search->n_targets == CODE_TARGETS)
        search->too_many = true;
    else
        search->targets[search->n_targets++] = site;
}

static void add_block(struct search *search, uint16_t block)
{
    struct code_blocks *all = search->blocks;
    uint32_t within = code_loop_within(all, all->blocks[block].loop, search->loop);

    search->wanders |= within != 0 && search->within != 0 && within != search->within;
    search->within = within ? within : search->within;
    if (all->seen[block] == all->stamp)
        return;
    all->seen[block] = all->stamp;
    all->work[search->n_work++] = block;
}

/* Goes on behind the last site of a block. */
static void leave_block(struct search *search, uint16_t number)
{
    struct code_blocks *all = search->blocks;
    const struct code_block *block = &all->blocks[number];
    bool leads = false;

    for (int k = 0; k < 2; k++) {
        uint16_t next = block->next[k];
        if (next == CODE_NO_BLOCK)
            continue;
        leads = true;
        if (!code_block_inside(all, all->blocks[next].loop, search->loop)) {
            search->skips = true;
        } else if (all->blocks[next].order > block->order) {
            add_block(search, next);
        } else if (search->loop != 0 && next == all->headers[search->loop]) {
            search->skips = search->goes_round = true;
        }
    }
    search->skips |= !leads;
}

/* Returns true if it is known that WRITE is for READ: it stores its value, or if DECIDED,
   that decides whether it is executed. */
static bool is_for(const struct code_blocks *all, uint32_t read, uint32_t write,
                   bool decided)
{
    return code_stores(all, read, write)
           || (decided && all->chosen[write / 64] >> write % 64 & 1);
}

/* Returns true if a site is a write that a search looks for. */
static bool may_be_for(const struct search *search, uint32_t site)
{
    const struct code_blocks *all = search->blocks;

    if (!all->sites[site].writes || all->sites[site].elsewhere)
        return false;
    return search->read == CODE_SITES || !all->sites[site].followed
           || is_for(all, search->read, site, search->decided);
}

/* Looks at the sites of a block from FIRST on. */
static void look(struct search *search, uint16_t number, uint32_t first)
{
    const struct code_blocks *all = search->blocks;
    const struct code_block *block = &all->blocks[number];

    for (uint32_t i = first; i < (uint32_t)block->first_site + block->n_sites; i++) {
        if (i < search->avoided)
            return;
        if (!may_be_for(search, i))
            continue;
        add_target(search, (uint16_t)i);
        if (!search->through)
            return;
    }
    leave_block(search, number);
}

static void look_on(struct search *search)
{
    while (search->n_work > 0) {
        uint16_t block = (uint16_t)search->blocks->work[--search->n_work];
        look(search, block, search->blocks->blocks[block].first_site);
    }
}

static struct search new_search(struct code_blocks *blocks, uint32_t loop, uint32_t read)
{
    blocks->stamp++;
    return (struct search){ .blocks = blocks, .loop = loop, .read = read };
}

static struct search search_behind(struct code_blocks *all, uint32_t site, uint32_t loop,
                                   uint32_t read)
{
    struct search search = new_search(all, loop, read);

    search.decided = true;
    look(&search, all->block_of[site], site + 1);
    look_on(&search);
    return search;
}

static uint16_t first_block(const struct code_blocks *all, uint32_t loop)
{
    return loop == 0 ? all->ordered[0] : all->headers[loop];
}

/*
 * Returns true if an iteration may come to the write TARGET without a site that tells that
 * the iteration is not that of an earlier READ: one that is not behind READ.
 */
static bool may_miss(struct code_blocks *all, uint32_t loop, uint32_t read, uint16_t target)
{
    struct search search = new_search(all, loop, CODE_SITES);

    search.avoided = read + 1;
    search.through = true;
    add_block(&search, first_block(all, loop));
    look_on(&search);
    for (uint32_t i = 0; i < search.n_targets; i++)
        if (search.targets[i] == target)
            return true;
    return search.too_many;
}

/* Marks targets that come behind another one. */
static void find_seconds(struct code_blocks *all, uint32_t number, uint32_t loop)
{
    struct code_site *read = &all->sites[number];

    for (uint32_t i = 0; i < read->n_targets; i++) {
        uint32_t site = read->targets[i], reached = 0;
        /* Writes behind writes: from each to the next, some times. */
        for (uint32_t n = 0; n < read->n_targets && reached < CODE_SITES; n++) {
            struct search search = search_behind(all, site, loop, number);
            for (uint32_t k = 0; k < search.n_targets; k++)
                for (uint32_t t = 0; t < read->n_targets; t++)
                    if (t != i && read->targets[t] == search.targets[k])
                        read->seconds |= (uint8_t)(1u << t);
            reached = search.n_targets == 1 ? search.targets[0] : CODE_SITES;
            site = reached;
        }
    }
}

static void set_targets(struct code_site *read, enum code_owner owner,
                        const struct search *search)
{
    read->owner = search->too_many ? CODE_NOBODY : owner;
    read->n_targets = (uint8_t)search->n_targets;
    memcpy(read->targets, search->targets, sizeof read->targets);
}

/*
 * Returns true if the targets in loops within that of a read are in the first one that it
 * comes to, and are executed in each round of that: the read is then for the first round,
 * if not for all.
 */
static bool leads_to_loop(struct code_blocks *all, const struct search *found)
{
    struct search search;

    if (found->wanders)
        return false;
    search = new_search(all, found->within, found->read);
    search.decided = found->decided;
    add_block(&search, first_block(all, found->within));
    look_on(&search);
    return !search.goes_round;
}

/* Sets the targets in the read's own iteration, and what may come of them. */
static void set_direct(struct code_blocks *all, uint32_t number, const struct search *found)
{
    struct code_site *read = &all->sites[number];
    bool missed = false, nested = false;

    set_targets(read, CODE_DIRECT, found);
    for (uint32_t i = 0; i < found->n_targets; i++)
        nested |= all->sites[found->targets[i]].loop != read->loop;
    if (nested && !leads_to_loop(all, found))
        read->owner = CODE_NOBODY;
    read->certain = !found->skips && found->n_targets == 1;
    if (read->certain)
        return;
    find_seconds(all, number, read->loop);
    for (uint32_t i = 0; i < found->n_targets; i++) {
        all->sites[found->targets[i]].conditional = true;
        missed |= may_miss(all, read->loop, number, found->targets[i]);
    }
    /* A later iteration would not be told from the read's own. */
    if (missed && found->skips)
        read->owner = CODE_NOBODY;
}

/* Begins a search in the loop around LOOP behind all that leave LOOP.  Returns false if
   some leave the loop around it as well. */
static bool search_around(struct code_blocks *all, uint32_t loop, uint32_t read,
                          struct search *search)
{
    bool all_stay = true;

    *search = new_search(all, all->parents[loop], read);
    for (uint32_t i = 0; i < all->n; i++)
        for (int k = 0; k < 2 && code_block_inside(all, all->blocks[i].loop, loop); k++) {
            uint16_t next = all->blocks[i].next[k];
            if (next == CODE_NO_BLOCK
                || code_block_inside(all, all->blocks[next].loop, loop))
                continue;
            if (code_block_inside(all, all->blocks[next].loop, search->loop))
                add_block(search, next);
            else
                all_stay = false;
        }
    look_on(search);
    return all_stay;
}

/* Sets the targets behind the loops around a read, the innermost that has some. */
static void set_sum(struct code_blocks *all, uint32_t number)
{
    struct code_site *read = &all->sites[number];

    for (uint32_t loop = read->loop; loop != 0; loop = all->parents[loop]) {
        struct search search;
        bool sure = search_around(all, loop, number, &search) && !search.skips;
        if (search.n_targets == 0)
            continue;
        for (uint32_t i = 0; i < search.n_targets; i++)
            sure &= all->sites[search.targets[i]].loop == search.loop;
        set_targets(read, sure ? CODE_SUM : CODE_NOBODY, &search);
        return;
    }
    read->owner = read->returned ? CODE_CALLER : CODE_NOBODY;
    for (uint32_t i = 0; i < all->n_sites; i++)
        if (all->sites[i].writes && !all->sites[i].elsewhere)
            read->owner = CODE_NOBODY;
}

/* Sets the owner of a read that is behind all writes of its loop: it is for the next
   iteration.  Returns false if the loop has none. */
static bool set_next_iteration(struct code_blocks *all, uint32_t number)
{
    struct code_site *read = &all->sites[number];
    struct search search = new_search(all, read->loop, number);

    if (read->loop == 0)
        return false;
    add_block(&search, first_block(all, read->loop));
    look_on(&search);
    if (search.n_targets == 0)
        return false;
    set_targets(read, search.skips ? CODE_NOBODY : CODE_SUM, &search);
    return true;
}

/* Returns true if it is known that a target is for a read, in the iteration in which it is
   looked for. */
static bool is_target(const struct code_blocks *all, uint32_t read, uint32_t target)
{
    if (all->sites[read].owner != CODE_DIRECT)
        return code_stores(all, read, target);
    return (all->stores_now[read][target / 64] | all->chosen[target / 64]) >> target % 64
           & 1;
}

void code_owners(struct code_blocks *all)
{
    for (uint32_t i = 0; i < all->n_sites; i++) {
        struct code_site *read = &all->sites[i];
        struct search search;
        if (read->writes)
            continue;
        code_find_chosen(all, i);
        search = search_behind(all, i, read->loop, i);
        if (search.n_targets > 0)
            set_direct(all, i, &search);
        else if (!set_next_iteration(all, i))
            set_sum(all, i);
        for (uint32_t k = 0; k < read->n_targets; k++)
            if (!is_target(all, i, read->targets[k]))
                read->owner = CODE_NOBODY;
    }
}
