/* SPDX-License-Identifier: Apache-2.0 */
/* Reads machine code: where its instructions lead, and which loops they make. */
#define _GNU_SOURCE
#include "domains/arrays/record/code_blocks.h"

#include <dlfcn.h>
#include <string.h>

#include "domains/arrays/record/x86_flow.h"

enum { BEGINS = 1, LEADS = 2 };

/* ---- Functions, by the tables of the unwinder ---- */

static int64_t read_s32(const uint8_t *at)
{
    int32_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

#if defined(__x86_64__) && defined(DLFO_EH_SEGMENT_TYPE)
/* The begin of the search table: version and encodings, as linkers for x86-64 write it. */
static const uint8_t usual_header[4] = { 1, 0x1b, 0x03, 0x3b };

bool code_range_of(uint64_t address, uint64_t *begin, uint64_t *end)
{
    struct dl_find_object found;
    const uint8_t *table, *entry;
    uint32_t low = 0, high;

    if (_dl_find_object((void *)(uintptr_t)address, &found) != 0 || !found.dlfo_eh_frame)
        return false;
    table = found.dlfo_eh_frame;
    if (memcmp(table, usual_header, sizeof usual_header) != 0)
        return false;
    high = (uint32_t)read_s32(table + 8);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t at = (uint64_t)(uintptr_t)table
                      + (uint64_t)read_s32(table + 12 + 8 * (size_t)middle);
        if (at <= address)
            low = middle;
        else
            high = middle;
    }
    if (high == 0)
        return false;
    entry = table + read_s32(table + 12 + 8 * (size_t)low + 4);
    /* With other encodings of addresses the range would not have the address in it. */
    *begin = (uint64_t)(uintptr_t)(entry + 8) + (uint64_t)read_s32(entry + 8);
    *end = *begin + (uint32_t)read_s32(entry + 12);
    return address >= *begin && address < *end;
}
#else
bool code_range_of(uint64_t address, uint64_t *begin, uint64_t *end)
{
    (void)address;
    *begin = *end = 0;
    return false;
}
#endif

/* ---- Instructions ---- */

static const struct code_range *range_at(const struct code_blocks *all, uint32_t position)
{
    uint32_t i = 0;

    while (i + 1 < all->n_ranges && all->ranges[i + 1].position <= position)
        i++;
    return &all->ranges[i];
}

uint64_t code_address(const struct code_blocks *all, uint32_t position)
{
    const struct code_range *range = range_at(all, position);

    return range->begin + position - range->position;
}

/* Returns the position of an address, or UINT32_MAX if it is in no range. */
static uint32_t position_of(const struct code_blocks *all, uint64_t address)
{
    for (uint32_t i = 0; i < all->n_ranges; i++) {
        const struct code_range *range = &all->ranges[i];
        if (address >= range->begin && address < range->end)
            return range->position + (uint32_t)(address - range->begin);
    }
    return UINT32_MAX;
}

/* The flow behind the instruction at an address before END.  A jump through a fixed cell of
   memory is a call of another function as the last act. */
static enum x86_flow flow_at(uint64_t address, uint64_t end, unsigned *length,
                             uintptr_t *target)
{
    const uint8_t *code = (const uint8_t *)(uintptr_t)address;
    enum x86_flow flow = array_x86_flow(code, (size_t)(end - address), length, target);
    unsigned at = 0;

    if (flow != X86_FLOW_AWAY)
        return flow;
    while (code[at] == 0xf2 || code[at] == 0x3e)
        at++;
    return code[at] == 0xff && code[at + 1] == 0x25 ? X86_FLOW_END : X86_FLOW_AWAY;
}

/* Returns true if code between BEGIN and END jumps into the first range. */
static bool comes_back(const struct code_blocks *all, uint64_t begin, uint64_t end)
{
    while (begin < end) {
        unsigned length;
        uintptr_t target;
        enum x86_flow flow = flow_at(begin, end, &length, &target);
        if ((flow == X86_FLOW_JUMP || flow == X86_FLOW_BRANCH)
            && target >= all->ranges[0].begin && target < all->ranges[0].end)
            return true;
        if (flow == X86_FLOW_UNKNOWN)
            return false;
        begin += length;
    }
    return false;
}

static bool add_range(struct code_blocks *all, uint64_t begin, uint64_t end)
{
    if (all->n_ranges == CODE_RANGES || end - begin > CODE_BYTES - all->n_bytes)
        return false;
    all->ranges[all->n_ranges++] = (struct code_range){ begin, end, all->n_bytes };
    all->n_bytes += (uint32_t)(end - begin);
    return true;
}

/* Lets a block begin at TARGET, and its code be read, if it is in the function. */
static bool lead_to(struct code_blocks *all, uint64_t target)
{
    uint32_t position = position_of(all, target);
    uint64_t begin, end;

    if (position == UINT32_MAX && code_range_of(target, &begin, &end)
        && comes_back(all, begin, end)) {
        if (!add_range(all, begin, end))
            return false;
        position = position_of(all, target);
    }
    if (position == UINT32_MAX || all->marks[position] & LEADS)
        return true;
    all->marks[position] |= LEADS;
    if (all->n_work == CODE_BLOCKS)
        return false;
    all->work[all->n_work++] = position;
    return true;
}

/* Reads instructions from a position on, until they were read before or end. */
static bool read_from(struct code_blocks *all, uint32_t position)
{
    const struct code_range *range = range_at(all, position);
    uint64_t address = code_address(all, position);

    while (address < range->end) {
        uint32_t at = range->position + (uint32_t)(address - range->begin);
        unsigned length;
        uintptr_t target;
        enum x86_flow flow;
        if (all->marks[at] & BEGINS)
            return true;
        all->marks[at] |= BEGINS;
        flow = flow_at(address, range->end, &length, &target);
        address += length;
        if (flow == X86_FLOW_UNKNOWN || flow == X86_FLOW_AWAY)
            return false;
        if ((flow == X86_FLOW_JUMP || flow == X86_FLOW_BRANCH) && !lead_to(all, target))
            return false;
        if (flow == X86_FLOW_JUMP || flow == X86_FLOW_END)
            return true;
        if (flow == X86_FLOW_BRANCH && !lead_to(all, address))
            return false;
    }
    return true;
}

/* ---- Blocks ---- */

static uint16_t block_at(const struct code_blocks *all, uint64_t address)
{
    uint32_t position = position_of(all, address), low = 0, high = all->n;

    if (position == UINT32_MAX)
        return CODE_NO_BLOCK;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (all->blocks[middle].begin < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low < all->n && all->blocks[low].begin == position ? (uint16_t)low
                                                              : CODE_NO_BLOCK;
}

/* Makes the blocks, without what follows them. */
static bool find_blocks(struct code_blocks *all)
{
    for (uint32_t i = 0; i < all->n_bytes; i++) {
        if (!(all->marks[i] & BEGINS))
            continue;
        if (all->marks[i] & LEADS) {
            if (all->n == CODE_BLOCKS - 1)
                return false;
            all->blocks[all->n++] =
                (struct code_block){ .begin = i, .next = { CODE_NO_BLOCK, CODE_NO_BLOCK } };
        }
        all->blocks[all->n - 1].end = i + 1; /* behind the begin of its last instruction */
    }
    return all->n > 0;
}

/* Adds the sites of a hook that is called, with the return address AFTER. */
static bool add_sites(struct code_blocks *all, uint16_t block, unsigned kind,
                      uint64_t after)
{
    enum { READ_BEFORE = 4 }; /* as in load_store_hooks.c */

    if (kind != 0 && all->n_sites + 2 > CODE_SITES)
        return false;
    for (unsigned bit = 1; bit <= 2; bit <<= 1) {
        if (!(kind & bit))
            continue;
        all->block_of[all->n_sites] = block;
        all->sites[all->n_sites++] = (struct code_site){
            .address = kind == 3 && bit == 1 ? after - READ_BEFORE : after,
            .writes = bit == 2,
        };
    }
    return true;
}

/* Goes through the instructions of a block: with KIND, it adds its sites, else it sets what
   follows it. */
static bool walk(struct code_blocks *all, uint16_t number, code_hook_kind *kind)
{
    struct code_block *block = &all->blocks[number];
    uint64_t end = range_at(all, block->begin)->end;
    uint64_t address = code_address(all, block->begin);
    uint64_t last = code_address(all, block->end - 1);
    enum x86_flow flow = X86_FLOW_END;
    uintptr_t target = 0;

    while (address <= last) {
        unsigned length;
        flow = flow_at(address, end, &length, &target);
        address += length;
        if (kind && flow == X86_FLOW_CALL && !add_sites(all, number, kind(target), address))
            return false;
    }
    if (kind)
        return true;
    if (flow == X86_FLOW_JUMP || flow == X86_FLOW_BRANCH)
        block->next[0] = block_at(all, target);
    if (flow != X86_FLOW_JUMP && flow != X86_FLOW_END && address < end)
        block->next[1] = block_at(all, address);
    return true;
}

/* ---- Order and loops ---- */

/* Orders the blocks by a walk in depth, which finds where loops go back; that order parts
   loops yet.  Returns false if
   it does not come to all. */
static bool order_blocks(struct code_blocks *all, uint16_t entry)
{
    uint32_t free_place = all->n;
    uint8_t *turn = all->marks; /* marks are not needed any more */

    memset(turn, 0, all->n);
    all->n_work = 0;
    all->work[all->n_work++] = entry;
    all->blocks[entry].reached = all->blocks[entry].on_path = true;
    while (all->n_work > 0) {
        uint16_t at = (uint16_t)all->work[all->n_work - 1], next;
        if (turn[at] == 2) {
            all->blocks[at].on_path = false;
            all->blocks[at].order = (uint16_t)--free_place;
            all->ordered[free_place] = at;
            all->n_work--;
            continue;
        }
        next = all->blocks[at].next[turn[at]++];
        if (next == CODE_NO_BLOCK)
            continue;
        if (all->blocks[next].on_path && all->n_back < CODE_BLOCKS) {
            all->back[all->n_back][0] = at;
            all->back[all->n_back++][1] = next;
        } else if (!all->blocks[next].reached) {
            all->blocks[next].reached = all->blocks[next].on_path = true;
            all->work[all->n_work++] = next;
        }
    }
    return free_place == 0;
}

/* Fills `before`: the blocks that lead to each. */
static void find_before(struct code_blocks *all)
{
    uint16_t *first = all->first_before;

    for (uint32_t i = 0; i < all->n; i++)
        for (int k = 0; k < 2; k++)
            if (all->blocks[i].next[k] != CODE_NO_BLOCK)
                first[all->blocks[i].next[k] + 1]++;
    for (uint32_t i = 0; i < all->n; i++)
        first[i + 1] = (uint16_t)(first[i + 1] + first[i]);
    /* Meanwhile `seen` counts what was filled in. */
    for (uint32_t i = 0; i < all->n; i++)
        for (int k = 0; k < 2; k++) {
            uint16_t next = all->blocks[i].next[k];
            if (next != CODE_NO_BLOCK)
                all->before[first[next] + all->seen[next]++] = (uint16_t)i;
        }
    memset(all->seen, 0, all->n * sizeof *all->seen);
}

/* Makes the blocks from which the loop of HEADER goes back, and all between, its own. */
static bool add_loop(struct code_blocks *all, uint16_t header)
{
    uint16_t loop = (uint16_t)++all->n_loops;

    if (loop > CODE_LOOPS)
        return false;
    all->parents[loop] = all->blocks[header].loop;
    all->headers[loop] = header;
    all->stamp++;
    all->n_work = 0;
    all->seen[header] = all->stamp;
    all->blocks[header].loop = loop;
    for (uint32_t i = 0; i < all->n_back; i++)
        if (all->back[i][1] == header && all->seen[all->back[i][0]] != all->stamp) {
            all->seen[all->back[i][0]] = all->stamp;
            all->work[all->n_work++] = all->back[i][0];
        }
    while (all->n_work > 0) {
        uint32_t at = all->work[--all->n_work];
        all->blocks[at].loop = loop;
        for (uint32_t i = all->first_before[at]; i < all->first_before[at + 1]; i++) {
            uint16_t before = all->before[i];
            if (all->seen[before] == all->stamp)
                continue;
            all->seen[before] = all->stamp;
            all->work[all->n_work++] = before;
        }
    }
    return true;
}

/* Finds loops, those outside first. */
static bool find_loops(struct code_blocks *all)
{
    find_before(all);
    for (uint32_t i = 0; i < all->n; i++) {
        bool is_header = false;
        for (uint32_t k = 0; k < all->n_back && !is_header; k++)
            is_header = all->back[k][1] == all->ordered[i];
        if (is_header && !add_loop(all, all->ordered[i]))
            return false;
    }
    return true;
}

/* The block NEXT within a loop: itself, or the first block of the loop directly within. */
static uint16_t node_of(const struct code_blocks *all, uint16_t next, uint32_t loop)
{
    uint32_t within = code_loop_within(all, all->blocks[next].loop, loop);

    return within ? all->headers[within] : next;
}

/* Returns the next block that a node of a loop leads to, or CODE_NO_BLOCK.  A node is a
   block, or stands for all blocks of a loop within. */
static uint16_t next_of(struct code_blocks *all, uint16_t node, uint32_t loop)
{
    uint32_t within = code_loop_within(all, all->blocks[node].loop, loop);
    uint32_t *edge = &all->next_edge[node];

    while (*edge < 2 * (within ? all->n : 1)) {
        const struct code_block *from = &all->blocks[within ? *edge / 2 : node];
        uint16_t next = from->next[(*edge)++ % 2];
        if (next == CODE_NO_BLOCK
            || (within
                && (!code_block_inside(all, from->loop, within)
                    || code_block_inside(all, all->blocks[next].loop, within))))
            continue;
        return next;
    }
    return CODE_NO_BLOCK;
}

static void enter_node(struct code_blocks *all, uint16_t node)
{
    all->seen[node] = all->stamp;
    all->next_edge[node] = 0;
    all->work[all->n_work++] = node;
}

/* Appends the blocks of a loop, whose first is HEADER, to the N that are ordered. */
static void order_loop(struct code_blocks *all, uint32_t loop, uint16_t header, uint32_t *n)
{
    uint32_t first = all->n_list;

    all->stamp++;
    all->n_work = 0;
    enter_node(all, header);
    while (all->n_work > 0) {
        uint16_t at = (uint16_t)all->work[all->n_work - 1];
        uint16_t next = next_of(all, at, loop);
        if (next == CODE_NO_BLOCK) {
            all->list[all->n_list++] = at;
            all->n_work--;
        } else if (next != header && code_block_inside(all, all->blocks[next].loop, loop)) {
            next = node_of(all, next, loop);
            if (all->seen[next] != all->stamp)
                enter_node(all, next);
        }
    }
    for (uint32_t i = all->n_list; i-- > first;) {
        uint16_t at = all->list[i];
        uint32_t within = code_loop_within(all, all->blocks[at].loop, loop);
        if (within) {
            all->n_list = i;
            order_loop(all, within, at, n);
        } else {
            all->blocks[at].order = (uint16_t)*n;
            all->ordered[(*n)++] = at;
        }
    }
    all->n_list = first;
}

bool code_read(struct code_blocks *all, uint64_t begin, uint64_t end, code_hook_kind *kind)
{
    uint32_t n_ordered = 0;
    uint16_t entry;

    if (!add_range(all, begin, end) || !lead_to(all, begin))
        return false;
    while (all->n_work > 0)
        if (!read_from(all, all->work[--all->n_work]))
            return false;
    if (!find_blocks(all))
        return false;
    for (uint32_t i = 0; i < all->n; i++)
        (void)walk(all, (uint16_t)i, NULL);
    entry = block_at(all, begin);
    if (entry == CODE_NO_BLOCK || !order_blocks(all, entry) || !find_loops(all))
        return false;
    /* A loop that is entered in its middle has blocks to which its first does not lead. */
    order_loop(all, 0, entry, &n_ordered);
    if (n_ordered != all->n)
        return false;
    for (uint32_t i = 0; i < all->n; i++) {
        uint16_t number = all->ordered[i];
        all->blocks[number].first_site = (uint16_t)all->n_sites;
        if (!walk(all, number, kind))
            return false;
        all->blocks[number].n_sites =
            (uint16_t)(all->n_sites - all->blocks[number].first_site);
    }
    for (uint32_t i = 0; i < all->n_sites; i++)
        all->sites[i].loop = all->blocks[all->block_of[i]].loop;
    return true;
}
