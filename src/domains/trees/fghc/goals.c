/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocates goals, and keeps each PE's stack of them.  A slab holds goals of one size
 * class.  A PE keeps the goals that it frees; when it has more than two batches of a class,
 * one goes to the pool, for any PE to take.  Slabs live until the end of the run, since a
 * waiter may read the `wait` of a goal that was freed.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/trees/fghc/machine_priv.h"

/* Arguments that a goal of each class has room for: about half is empty at most.  The last
 * is MAX_ARITY. */
static const uint16_t class_arity[GOAL_CLASSES] = { 1,  2,  3,  4,  6,   8,  12,
                                                    16, 24, 48, 96, 160, 255 };

void goals_open(struct goal_pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
}

void goals_close(struct goal_pool *pool)
{
    pthread_mutex_destroy(&pool->lock);
    for (struct goal_slab *slab = pool->slabs, *next; slab; slab = next) {
        next = slab->next;
        free(slab->goals);
        free(slab);
    }
    for (size_t i = 0; i < GOAL_CLASSES; i++)
        free(pool->batches[i]);
}

static uint32_t class_of(uint32_t arity)
{
    uint32_t at = 0;
    while (class_arity[at] < arity)
        at++;
    return at;
}

static void new_slab(struct goal_pool *pool, uint32_t class)
{
    struct goal_slab *slab = weft_alloc(sizeof *slab);
    slab->n = 16 * GOALS_A_BATCH; /* 1,024 goals: tens of kB or more, so slabs are few */
    slab->stride = sizeof(struct goal) + class_arity[class] * sizeof(term);
    slab->goals = weft_zalloc(slab->n, slab->stride);
    slab->next = pool->slabs;
    pool->slabs = slab;
    atomic_fetch_add(&pool->bytes, slab->n * slab->stride);
    pool->batches[class] =
        weft_grow(pool->batches[class], &pool->capacity[class],
                  pool->n_batches[class] + slab->n / GOALS_A_BATCH, sizeof(struct goal *));
    struct goal *chain = NULL;
    for (uint32_t i = slab->n; i--;) {
        struct goal *goal = (struct goal *)(void *)(slab->goals + i * slab->stride);
        goal->size_class = (uint8_t) class;
        goal->next = chain;
        chain = goal;
        if (i % GOALS_A_BATCH == 0) {
            pool->batches[class][pool->n_batches[class]++] = chain;
            chain = NULL;
        }
    }
}

static void take_batch(struct pe *pe, uint32_t class)
{
    struct goal_batch *own = &pe->goals[class], *spare = &pe->spare[class];
    struct goal_pool *pool = &pe->machine->pool;
    if (spare->first) {
        *own = *spare;
        *spare = (struct goal_batch){ 0 };
        return;
    }
    pthread_mutex_lock(&pool->lock);
    bool made = !pool->n_batches[class];
    if (made)
        new_slab(pool, class);
    own->first = pool->batches[class][--pool->n_batches[class]];
    own->n = GOALS_A_BATCH;
    pthread_mutex_unlock(&pool->lock);
    if (made && atomic_load(&pool->bytes) > pe->machine->heap.most * (uint64_t)CHUNK)
        stop_with(pe->machine, WEFT_ERR_LIMIT, 0,
                  "the run needs more memory than it may have");
}

struct goal *goal_new(struct pe *pe, uint32_t arity)
{
    uint32_t class = class_of(arity);
    struct goal_batch *own = &pe->goals[class];
    if (!own->first)
        take_batch(pe, class);
    struct goal *goal = own->first;
    own->first = goal->next;
    own->n--;
    goal->is_used = true;
    goal->is_builtin = false;
    goal->arity = (uint8_t)arity;
    goal->waiting = NULL;
    return goal;
}

void goal_free(struct pe *pe, struct goal *goal)
{
    uint32_t class = goal->size_class;
    struct goal_batch *own = &pe->goals[class], *spare = &pe->spare[class];
    if (own->n == GOALS_A_BATCH) {
        if (spare->first) {
            struct goal_pool *pool = &pe->machine->pool;
            pthread_mutex_lock(&pool->lock);
            pool->batches[class] = weft_grow(pool->batches[class], &pool->capacity[class],
                                             pool->n_batches[class] + 1, sizeof(goal));
            pool->batches[class][pool->n_batches[class]++] = spare->first;
            pthread_mutex_unlock(&pool->lock);
        }
        *spare = *own;
        *own = (struct goal_batch){ 0 };
    }
    if (goal->waiting) { /* the goal ends without a reduction */
        free(goal->waiting);
        goal->waiting = NULL;
    }
    goal->is_used = false;
    goal->next = own->first;
    own->first = goal;
    own->n++;
}

/* ---- A PE's stack ---- */

static void show(struct pe *pe, bool has_goals)
{
    if (atomic_load_explicit(&pe->has_goals, memory_order_relaxed) != has_goals)
        atomic_store_explicit(&pe->has_goals, has_goals, memory_order_relaxed);
}

static void grow_stack(struct pe *pe)
{
    uint64_t size = pe->stack ? 2 * (pe->stack_mask + 1) : 1024;
    struct goal **stack = weft_alloc(size * sizeof(struct goal *));
    for (uint64_t i = pe->oldest; i != pe->newest; i++)
        stack[i & (size - 1)] = pe->stack[i & pe->stack_mask];
    free(pe->stack);
    pe->stack = stack;
    pe->stack_mask = size - 1;
}

void push_goal(struct pe *pe, struct goal *goal)
{
    if (!pe->stack || pe->newest - pe->oldest > pe->stack_mask)
        grow_stack(pe);
    pe->stack[pe->newest++ & pe->stack_mask] = goal;
    show(pe, true);
}

/* xorshift64 (Marsaglia 2003) */
uint64_t pe_random(struct pe *pe)
{
    pe->dice ^= pe->dice << 13;
    pe->dice ^= pe->dice >> 7;
    pe->dice ^= pe->dice << 17;
    return pe->dice;
}

struct goal *pop_goal(struct pe *pe)
{
    enum { CHOICE = 8 }; /* newest goals to choose from: few, to stay depth-first */
    uint64_t n = pe->newest - pe->oldest;
    if (!n)
        return NULL;
    if (pe->machine->options.seed) {
        struct goal **last = &pe->stack[(pe->newest - 1) & pe->stack_mask];
        uint64_t skip = pe_random(pe) % (n < CHOICE ? n : CHOICE);
        struct goal **any = &pe->stack[(pe->newest - 1 - skip) & pe->stack_mask];
        struct goal *goal = *any;
        *any = *last;
        *last = goal;
    }
    if (n == 1)
        show(pe, false);
    return pe->stack[--pe->newest & pe->stack_mask];
}

void give_goals(struct pe *pe, struct pe *to)
{
    uint64_t n = pe->newest - pe->oldest, give = (n + 3) / 4;
    if (give > MAX_STOLEN)
        give = MAX_STOLEN;
    for (uint64_t i = 0; i < give; i++)
        to->mailed[i] = pe->stack[pe->oldest++ & pe->stack_mask];
    if (give == n)
        show(pe, false);
    to->n_mail = (uint32_t)give;
    atomic_store(&to->mail, give ? MAIL_GOALS : MAIL_EMPTY);
}
