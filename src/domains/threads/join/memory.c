/* SPDX-License-Identifier: Apache-2.0 */
/* The family of memory: counts blocks and mappings by the place that allocated them. */
#include <inttypes.h>
#include <stdlib.h>

#include "domains/threads/join/memory_join.h"

enum {
    MAX_BLOCKS = 1 << 23,     /* in use at a time, of all images: 400 MB */
    MAX_OF_THREADS = 1 << 17, /* uses; beyond them, threads are not told apart */
    MAX_USES = 1 << 20,       /* beyond them, places are not, either */
    PAGE = 4096,              /* mappings are of whole pages */
};
/* No address and no size of a mapping is above. */
#define MAX_ADDRESS (UINT64_C(1) << 57)

#define NUMBER(kind) ((kind)-WEFT_FIRST_KIND(WEFT_FAMILY_MEMORY))

static const uint8_t words[] = {
    [NUMBER(WEFT_RECORD_BLOCK)] = 2,    [NUMBER(WEFT_RECORD_FREE)] = 1,
    [NUMBER(WEFT_RECORD_LEAVES)] = 1,   [NUMBER(WEFT_RECORD_MOVED)] = 2,
    [NUMBER(WEFT_RECORD_RESIZED)] = 2,  [NUMBER(WEFT_RECORD_REFUSED)] = 2,
    [NUMBER(WEFT_RECORD_MAPPED)] = 4,   [NUMBER(WEFT_RECORD_UNMAPPED)] = 3,
    [NUMBER(WEFT_RECORD_REMAPPED)] = 5,
};

static void *begin(struct join *join)
{
    struct memory_join *memory = weft_zalloc(1, sizeof *memory);

    memory->join = join;
    return memory;
}

/* ---- Uses ---- */

struct use_key {
    uint64_t site;
    uint32_t image, thread, kind, unused;
};

/* Returns the index of a use, made if new. */
static uint32_t find_use(struct memory_join *memory, uint32_t image, uint32_t thread,
                         enum memory_kind kind, uint64_t site)
{
    struct use_key key = { site, image, thread, kind, 0 };
    uint32_t index;

    if (memory->n_uses >= MAX_OF_THREADS)
        key.thread = WEFT_NONE;
    if (memory->n_uses >= MAX_USES)
        key.site = 0;
    index = weft_text_map_get(&memory->use_map, &key, sizeof key);
    if (index != WEFT_MAP_NONE)
        return index;
    index = (uint32_t)memory->n_uses;
    weft_text_map_put(&memory->use_map, &key, sizeof key, index);
    memory->uses = weft_grow(memory->uses, &memory->uses_capacity, memory->n_uses + 1,
                             sizeof *memory->uses);
    memory->uses[memory->n_uses++] = (struct use){
        .site = key.site,
        .image = image,
        .thread = key.thread,
        .kind = kind,
        .of_recorder =
            key.site != 0
            && sites_is_in(memory->join->sites, image, key.site, "libweft-record"),
    };
    return index;
}

/* Returns the use of the record's slot: what its thread allocates at that place. */
static uint32_t use_of_slot(struct memory_join *memory, struct join_thread *thread,
                            const struct record *record, enum memory_kind kind)
{
    struct slot_binding *slot = join_slot(thread, record->argument);
    uint32_t index;

    if (slot && slot->known && kind == MEMORY_HEAP)
        return (uint32_t)((uintptr_t)slot->known - 1);
    index = find_use(memory, thread->image, thread->container, kind, slot ? slot->site : 0);
    if (slot && kind == MEMORY_HEAP)
        slot->known = (void *)((uintptr_t)index + 1);
    return index;
}

static void spend(struct use *use, uint64_t ticks)
{
    use->ticks += ticks;
    use->longest = ticks > use->longest ? ticks : use->longest;
}

/* Changes the bytes live of a use by BYTES, which may be negative in two's complement. */
static void change(struct memory_join *memory, struct use *use, uint64_t bytes)
{
    struct total *total = &memory->images[use->image].totals[use->kind];

    if (use->of_recorder)
        return;
    if (use->peaks != total->peaks) {
        use->at_peak = use->live;
        use->peaks = total->peaks;
    }
    use->live += bytes;
    total->live += bytes;
}

/* Sees the bytes live of a kind after a change. */
static void settle(struct memory_join *memory, uint32_t image, uint32_t kind, int64_t time)
{
    struct total *total = &memory->images[image].totals[kind];

    if (total->live > total->peak) {
        total->peak = total->live;
        total->peaks++;
    }
    curve_add(&total->curve, time, total->live);
}

static void count_allocation(struct use *use, uint64_t bytes, uint64_t ticks)
{
    spend(use, ticks);
    use->allocations++;
    use->bytes += bytes;
    use->largest = bytes > use->largest ? bytes : use->largest;
}

/* Counts that THREAD gives back a part of what ALLOCATOR, a thread, has allocated. */
static void count_free(struct use *use, const struct join_thread *thread,
                       uint32_t allocator, uint64_t ticks)
{
    spend(use, ticks);
    use->frees++;
    use->frees_elsewhere += thread->container != allocator;
}

/* ---- Blocks ---- */

static uint64_t bytes_of(const struct record *record)
{
    return record->words[1] & ((UINT64_C(1) << WEFT_BLOCK_TICKS) - 1);
}

static uint64_t ticks_of(const struct record *record)
{
    uint64_t ticks = record->words[1] >> WEFT_BLOCK_TICKS;

    return ticks == WEFT_BLOCK_TICKS_MAX && record->n_words > 2 ? record->words[2] : ticks;
}

/* Ends a block, which is in no table, by a call of THREAD that took TICKS. */
static void end_block(struct memory_join *memory, const struct join_thread *thread,
                      const struct block *block, uint64_t ticks)
{
    struct use *use = &memory->uses[block->use];

    change(memory, use, -block->bytes);
    count_free(use, thread, block->thread, ticks);
    memory->n_blocks--;
}

/* Counts the end of a block that was allocated by the process's parent, or is not known. */
static void end_unrecorded(struct memory_join *memory, const struct join_thread *thread,
                           uint64_t ticks)
{
    /* Before the array is used, which may move. */
    uint32_t index = find_use(memory, thread->image, WEFT_NONE, MEMORY_HEAP, 0);
    struct use *use = &memory->uses[index];

    use->frees++;
    spend(use, ticks);
    memory->unknown += memory->join->recording->images[thread->image].inherits == WEFT_NONE;
}

/* Ends the block that a realloc of THREAD has moved, if there is one. */
static void end_moving(struct memory_join *memory, const struct join_thread *thread)
{
    struct moving *moving = &memory->moving[thread->index];

    if (moving->is)
        end_block(memory, thread, &moving->block, 0);
    moving->is = false;
}

/* Begins the block of a record. */
static void begin_block(struct memory_join *memory, struct join_thread *thread,
                        const struct record *record)
{
    struct blocks *blocks = &memory->images[thread->image].blocks;
    struct block block = { .address = record->words[0],
                           .bytes = bytes_of(record),
                           .use = use_of_slot(memory, thread, record, MEMORY_HEAP),
                           .thread = thread->container };

    count_allocation(&memory->uses[block.use], block.bytes, ticks_of(record));
    if (memory->n_blocks >= MAX_BLOCKS) {
        memory->unfollowed++;
        return;
    }
    blocks_add(blocks, &block);
    memory->n_blocks++;
    change(memory, &memory->uses[block.use], block.bytes);
}

/*
 * Takes a record of a new block.  Returns the queue to wait in if another thread is yet to
 * give back the block that is at the address.
 */
static struct join_place *take_block(struct memory_join *memory, struct join_thread *thread,
                                     const struct record *record)
{
    struct image_memory *image = &memory->images[thread->image];
    const struct block *there = blocks_find(&image->blocks, record->words[0]);
    struct block before;

    if (there && record->kind != WEFT_RECORD_RESIZED) {
        if (there->thread != thread->container && !thread->forced)
            return &image->occupied;
        memory->replaced++;
    }
    if (blocks_take(&image->blocks, record->words[0], &before))
        end_block(memory, thread, &before, 0);
    else if (record->kind == WEFT_RECORD_RESIZED)
        end_unrecorded(memory, thread, 0);
    begin_block(memory, thread, record);
    if (record->kind == WEFT_RECORD_MOVED)
        end_moving(memory, thread);
    return NULL;
}

/* Lets a thread go on that waits for the block at ADDRESS to be given back. */
static void let_go(struct memory_join *memory, struct image_memory *image, uint64_t address,
                   int64_t time)
{
    for (struct join_thread *thread = image->occupied.first; thread;
         thread = thread->next_at_place)
        if (thread->record.words[0] == address) {
            join_let_one_go(memory->join, thread, time);
            return;
        }
}

static void take_free(struct memory_join *memory, const struct join_thread *thread,
                      const struct record *record, int64_t time)
{
    struct image_memory *image = &memory->images[thread->image];
    uint64_t ticks = record->n_words > 1 ? record->words[1] : record->argument;
    struct block block;

    if (!blocks_take(&image->blocks, record->words[0], &block)) {
        end_unrecorded(memory, thread, ticks);
        return;
    }
    if (record->kind == WEFT_RECORD_LEAVES) {
        end_moving(memory, thread);
        memory->moving[thread->index] = (struct moving){ block, true };
    } else
        end_block(memory, thread, &block, ticks);
    let_go(memory, image, record->words[0], time);
}

/* ---- Mappings ---- */

struct unmapping { /* for unmap_part */
    struct memory_join *memory;
    const struct join_thread *thread;
    int64_t time;
    uint64_t ticks;
    uint32_t kind;       /* of the last part */
    bool found, remains; /* some part was mapped; it is mapped again by the same call */
};

static void unmap_part(void *user, const struct mapping *mapping, uint64_t bytes)
{
    struct unmapping *unmapping = user;
    struct memory_join *memory = unmapping->memory;
    struct use *use = &memory->uses[mapping->use];

    change(memory, use, -bytes);
    if (mapping->left == 0)
        count_free(use, unmapping->thread, mapping->thread, unmapping->ticks);
    else
        spend(use, unmapping->ticks);
    if (!unmapping->remains)
        settle(memory, use->image, use->kind, unmapping->time);
    unmapping->kind = use->kind;
    unmapping->found = true;
    unmapping->ticks = 0; /* counted once */
}

/*
 * Sets *BEGIN and *END to the pages of BYTES at ADDRESS; false if no process can have them,
 * or there are none.
 */
static bool pages_of(uint64_t address, uint64_t bytes, uint64_t *begin, uint64_t *end)
{
    if (address >= MAX_ADDRESS || bytes == 0 || bytes >= MAX_ADDRESS)
        return false;
    *begin = address / PAGE * PAGE;
    *end = (address + bytes + PAGE - 1) / PAGE * PAGE;
    return true;
}

static void unmap(struct unmapping *unmapping, uint64_t address, uint64_t bytes)
{
    struct memory_join *memory = unmapping->memory;
    struct mappings *mappings = &memory->images[unmapping->thread->image].mappings;
    uint64_t from, to;

    if (!pages_of(address, bytes, &from, &to))
        memory->impossible++;
    else if (!mappings_remove(mappings, from, to, unmap_part, unmapping))
        memory->unfollowed++;
}

static void map(struct memory_join *memory, struct join_thread *thread,
                const struct record *record, uint64_t address, uint64_t bytes,
                enum memory_kind kind, uint64_t ticks, int64_t time)
{
    /* MAP_FIXED replaces what was there. */
    struct unmapping over = { .memory = memory, .thread = thread, .time = time };
    struct mappings *mappings = &memory->images[thread->image].mappings;
    uint64_t from, to;
    uint32_t use;

    if (!pages_of(address, bytes, &from, &to)) {
        memory->impossible++;
        return;
    }
    unmap(&over, address, bytes);
    use = use_of_slot(memory, thread, record, kind);
    count_allocation(&memory->uses[use], to - from, ticks);
    if (!mappings_add(mappings, from, to, use, thread->container)) {
        memory->unfollowed++;
        return;
    }
    change(memory, &memory->uses[use], to - from);
    settle(memory, thread->image, kind, time);
}

static void take_remap(struct memory_join *memory, struct join_thread *thread,
                       const struct record *record, int64_t time)
{
    const uint64_t *w = record->words;
    struct unmapping before = { .memory = memory,
                                .thread = thread,
                                .time = time,
                                .kind = MEMORY_MAPPED,
                                .remains = true };

    if (w[1] != 0)
        unmap(&before, w[0], w[1]);
    map(memory, thread, record, w[2], w[3], before.kind, w[4], time);
}

/* ---- Records ---- */

/* Makes room for all images and threads, at the first record. */
static void prepare(struct memory_join *memory)
{
    if (memory->images)
        return;
    memory->n_images = memory->join->recording->n_images;
    memory->images = weft_zalloc(memory->n_images + 1, sizeof *memory->images);
    memory->moving = weft_zalloc(memory->join->n_threads + 1, sizeof *memory->moving);
    memory_define_types(memory);
}

static struct image_memory *image_of(struct memory_join *memory,
                                     const struct join_thread *thread, int64_t time)
{
    struct image_memory *image;

    prepare(memory);
    image = &memory->images[thread->image];
    if (!image->seen) {
        image->seen = true;
        image->first_ticks = thread->record.ticks;
        for (int kind = 0; kind < MEMORY_KINDS; kind++)
            if (kind == MEMORY_HEAP)
                curve_add(&image->totals[kind].curve, time, 0);
    }
    image->last = time;
    return image;
}

static void take_refusal(struct memory_join *memory, struct join_thread *thread,
                         const struct record *record)
{
    uint32_t index = use_of_slot(memory, thread, record, MEMORY_HEAP);
    struct use *use = &memory->uses[index];

    use->refusals++;
    spend(use, record->words[1]);
}

static struct join_place *join_record(void *user, struct join_thread *thread,
                                      const struct record *record, int64_t time)
{
    struct memory_join *memory = user;
    const uint64_t *w = record->words;
    struct join_place *place = NULL;

    (void)image_of(memory, thread, time);
    switch (record->kind) {
    case WEFT_RECORD_BLOCK:
    case WEFT_RECORD_MOVED:
    case WEFT_RECORD_RESIZED:
        if (w[0] == 0)
            memory->impossible++;
        else
            place = take_block(memory, thread, record);
        if (w[0] != 0 && !place)
            settle(memory, thread->image, MEMORY_HEAP, time);
        break;
    case WEFT_RECORD_FREE:
    case WEFT_RECORD_LEAVES:
        take_free(memory, thread, record, time);
        settle(memory, thread->image, MEMORY_HEAP, time);
        break;
    case WEFT_RECORD_REFUSED: take_refusal(memory, thread, record); break;
    case WEFT_RECORD_MAPPED:
        map(memory, thread, record, w[0], w[1],
            w[2] == WEFT_MAPPING_FILE ? MEMORY_FILE : MEMORY_MAPPED, w[3], time);
        break;
    case WEFT_RECORD_UNMAPPED:
        unmap(&(struct unmapping){ .memory = memory,
                                   .thread = thread,
                                   .time = time,
                                   .ticks = w[2],
                                   .kind = MEMORY_MAPPED },
              w[0], w[1]);
        break;
    case WEFT_RECORD_REMAPPED: take_remap(memory, thread, record, time); break;
    default: break;
    }
    return place;
}

/* ---- The end ---- */

static void report(struct memory_join *memory, enum weft_severity severity,
                   const char *kind, uint64_t n, const char *what)
{
    if (n > 0)
        weft_builder_problem(memory->join->builder, severity, kind, 0, "%" PRIu64 " %s", n,
                             what);
}

static void finish(void *user)
{
    struct memory_join *memory = user;

    if (!memory->images)
        return;
    for (size_t i = 0; i < memory->join->n_threads; i++)
        end_moving(memory, memory->join->threads[i]);
    memory_write(memory);
    report(
        memory, WEFT_WARNING, "blocks-not-followed", memory->unfollowed,
        "blocks or mappings were allocated when 8,388,608 blocks, or 8,192 mappings of a "
        "process, were live: they are counted, but not in the bytes live");
    report(memory, WEFT_WARNING, "blocks-replaced", memory->replaced,
           "blocks were allocated at addresses of others whose end is not recorded: those "
           "count as given back then");
    report(memory, WEFT_WARNING, "impossible-memory", memory->impossible,
           "records of memory name addresses that no process has: they are left out");
    report(memory, WEFT_NOTE, "frees-of-unknown-blocks", memory->unknown,
           "blocks were given back whose allocation is not recorded");
}

static void end(void *user)
{
    struct memory_join *memory = user;

    for (size_t i = 0; i < memory->n_images; i++) {
        for (int kind = 0; kind < MEMORY_KINDS; kind++)
            curve_free(&memory->images[i].totals[kind].curve);
        blocks_free(&memory->images[i].blocks);
        mappings_free(&memory->images[i].mappings);
    }
    weft_text_map_free(&memory->use_map);
    free(memory->images);
    free(memory->moving);
    free(memory->uses);
    free(memory);
}

extern const struct join_family join_memory;
const struct join_family join_memory = {
    .number = WEFT_FAMILY_MEMORY,
    .kinds = { words, NUMBER(WEFT_RECORD_MEMORY_END) },
    .begin = begin,
    .join_record = join_record,
    .finish = finish,
    .end = end,
};
