/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The garbage collector: copies the terms that goals and answers refer to into other
 * chunks, breadth first, and frees the old chunks (Cheney, "A nonrecursive list compacting
 * algorithm", CACM 13 (11), 1970).  A chain of references is copied as its last reference.
 *
 * A copied list, structure or string has a WAIT word with the new address as its first
 * word, a boxed integer as its second; they hold no other WAIT words.  A copied cell refers
 * to its copy. Boxed integers, strings and waiters have words that are not terms, so they
 * go to chunks that are not scanned.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/machine_priv.h"

enum { LOOK_EVERY = 1 << 16 }; /* words between two looks at the job: a millisecond */

struct block {
    term *begin, *end; /* words before `begin` are scanned; `end` is the next free word */
};

struct collector {
    struct machine *machine;
    char *base;
    const uint8_t *spaces;
    size_t size;
    uint8_t old;          /* the space that is copied from and then freed */
    struct block *blocks; /* to be scanned; the last is being filled */
    size_t n_blocks, capacity;
    term *limit;               /* of the last block */
    term *plain, *plain_limit; /* of the chunk that is not scanned */
    uint32_t n_words;          /* scanned so far */
    bool is_short;             /* the heap had no room for all copies */
};

/* Counts a word; returns false when the run is cancelled. */
static bool go_on(struct collector *c)
{
    return ++c->n_words % LOOK_EVERY || !weft_job_cancelled(c->machine->options.job);
}

static term *fresh_chunk(struct collector *c)
{
    char *chunk = heap_chunk(c->machine);
    /* A goal may have taken more than set_trigger() leaves: gett, for a large term. */
    c->is_short |= !chunk;
    if (!chunk)
        chunk = heap_beyond(&c->machine->heap);
    return (term *)(void *)chunk;
}

static term *alloc_words(struct collector *c, size_t words)
{
    struct block *last = &c->blocks[c->n_blocks - 1];
    if ((size_t)(c->limit - last->end) < words) {
        c->blocks = weft_grow(c->blocks, &c->capacity, c->n_blocks + 1, sizeof *c->blocks);
        last = &c->blocks[c->n_blocks++];
        last->begin = last->end = fresh_chunk(c);
        c->limit = last->end + CHUNK / sizeof(term);
    }
    term *at = last->end;
    last->end += words;
    return at;
}

static term *alloc_plain(struct collector *c, size_t words)
{
    if ((size_t)(c->plain_limit - c->plain) < words) {
        c->plain = fresh_chunk(c);
        c->plain_limit = c->plain + CHUNK / sizeof(term);
    }
    term *at = c->plain;
    c->plain += words;
    return at;
}

/* Returns true for an address in a chunk that is to be freed. */
static bool is_old(const struct collector *c, const void *address)
{
    size_t offset = (size_t)((const char *)address - c->base);
    return offset < c->size && c->spaces[offset >> CHUNK_BITS] == c->old;
}

/* Copies the list of goals that wait for a cell, without those that were woken. */
static term copy_waiters(struct collector *c, term waiting, term end)
{
    while (term_tag(waiting) == TERM_WAIT) {
        const struct waiter *waiter = (struct waiter *)(void *)term_cell(waiting);
        if (atomic_load(&waiter->goal->wait) == (uint32_t)waiter->wait) {
            struct waiter *kept = (struct waiter *)(void *)alloc_plain(c, WAITER_WORDS);
            *kept = *waiter;
            kept->next = end;
            end = term_of(kept, TERM_WAIT);
        }
        waiting = waiter->next;
    }
    return end;
}

static term copy_variable(struct collector *c, term *cell, term value)
{
    term *fresh = alloc_words(c, 1), variable = term_of(fresh, TERM_REF);
    *fresh = copy_waiters(c, value, variable);
    *cell = variable;
    return variable;
}

static term copy_words(struct collector *c, term t, size_t words)
{
    term *from = term_cell(t), *to;
    if (term_tag(*from) == TERM_WAIT)
        return term_of(term_cell(*from), term_tag(t));
    to = alloc_words(c, words);
    memcpy(to, from, words * sizeof *to);
    *from = term_of(to, TERM_WAIT);
    return term_of(to, term_tag(t));
}

/* Copies a shared box only once, so the copies take no more room than the originals. */
static term copy_box(struct collector *c, term *from)
{
    if (term_tag(from[1]) == TERM_WAIT)
        return term_of(term_cell(from[1]), TERM_BOX);
    term *to = alloc_plain(c, BOX_WORDS);
    memcpy(to, from, BOX_WORDS * sizeof *to);
    from[1] = term_of(to, TERM_WAIT);
    return term_of(to, TERM_BOX);
}

static term copy_string(struct collector *c, term t)
{
    term *from = term_cell(t);
    if (term_tag(*from) == TERM_WAIT)
        return term_of(term_cell(*from), TERM_STRING);
    size_t words = term_string_words(term_length(t));
    term *to = alloc_plain(c, words);
    memcpy(to, from, words * sizeof *to);
    *from = term_of(to, TERM_WAIT);
    return term_of(to, TERM_STRING);
}

static term copy(struct collector *c, term t)
{
    for (;;) {
        term *at = term_cell(t);
        switch (term_tag(t)) {
        case TERM_INT:
        case TERM_ATOM:
        case TERM_WAIT: return t;
        default: break;
        }
        if (!is_old(c, at))
            return t;
        switch (term_tag(t)) {
        case TERM_BOX: return copy_box(c, at);
        case TERM_STRING: return copy_string(c, t);
        case TERM_LIST: return copy_words(c, t, 2);
        case TERM_STRUCT:
            return copy_words(c, t,
                              term_tag(*at) == TERM_WAIT ? 0 : 1 + (size_t)term_arity(*at));
        default: break;
        }
        if (*at == t || term_tag(*at) == TERM_WAIT)
            return copy_variable(c, at, *at);
        t = *at;
    }
}

/* Copies the terms that the copied words refer to; returns false when the run is
 * cancelled. */
static bool scan(struct collector *c)
{
    for (size_t b = 0; b < c->n_blocks; b++)
        while (c->blocks[b].begin < c->blocks[b].end) {
            term *word = c->blocks[b].begin++;
            *word = copy(c, *word);
            if (!go_on(c))
                return false;
        }
    return true;
}

static bool copy_roots(struct collector *c)
{
    struct machine *m = c->machine;
    for (uint32_t i = 0; i < m->n_answers; i++)
        m->answers[i] = copy(c, m->answers[i]);
    for (unsigned i = 0; i < m->n_pes; i++)
        for (uint32_t k = 0; k < m->pes[i].n_live; k++)
            m->pes[i].registers[k] = copy(c, m->pes[i].registers[k]);
    for (const struct goal_slab *slab = m->pool.slabs; slab; slab = slab->next)
        for (uint32_t k = 0; k < slab->n; k++) {
            struct goal *goal = (struct goal *)(void *)(slab->goals + k * slab->stride);
            for (uint32_t a = 0; goal->is_used && a < goal->arity; a++)
                goal->arguments[a] = copy(c, goal->arguments[a]);
            if (!go_on(c))
                return false;
        }
    return true;
}

static void free_old(struct heap *heap, uint8_t old)
{
    for (size_t i = 0; i < heap->n_fresh; i++)
        if (heap->spaces[i] == old) {
            heap->spaces[i] = 0;
            heap->free[heap->n_free++] = (uint32_t)i;
            heap->used--;
        }
}

/*
 * Sets how many chunks may be used before the next collection: twice the live ones, or for
 * a small run MIN_USED_BYTES and two chunks per PE more than these.  Returns false when the
 * live terms leave less of half the heap than a sixteenth of the heap and two chunks per
 * PE.
 */
static bool set_trigger(struct machine *machine)
{
    struct heap *heap = &machine->heap;
    size_t live = heap->used + atomic_load(&machine->pool.bytes) / CHUNK;
    size_t some = MIN_USED_BYTES / CHUNK + 2 * (size_t)machine->n_pes;
    size_t least = heap->most / 16 + 2 * (size_t)machine->n_pes;
    heap->trigger = live > some ? 2 * live : live + some;
    if (heap->trigger > heap->most / 2)
        heap->trigger = heap->most / 2;
    return live + least <= heap->most / 2;
}

enum collected collect_heap(struct machine *machine)
{
    struct heap *heap = &machine->heap;
    struct collector c = { .machine = machine,
                           .base = heap->base,
                           .spaces = heap->spaces,
                           .size = heap->n_fresh * CHUNK,
                           .old = heap->space };
    heap->space = heap->space == 1 ? 2 : 1;
    heap->trigger = SIZE_MAX;
    c.blocks = weft_grow(NULL, &c.capacity, 1, sizeof *c.blocks);
    c.n_blocks = 1;
    c.blocks[0].begin = c.blocks[0].end = fresh_chunk(&c);
    c.limit = c.blocks[0].end + CHUNK / sizeof(term);
    bool whole = copy_roots(&c) && scan(&c);
    free(c.blocks);
    if (!whole)
        return COLLECTED_IN_PART;
    for (unsigned i = 0; i < machine->n_pes; i++)
        machine->pes[i].free = machine->pes[i].limit = NULL;
    free_old(heap, c.old);
    return set_trigger(machine) && !c.is_short ? COLLECTED : COLLECTED_TOO_LITTLE;
}
