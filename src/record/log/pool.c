/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas of logs with their buffers. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#include "record/core/system.h"
#include "record/log/log_slow_paths.h"
#include "record/log/pool.h"
#include "record/process/process.h"
#include "record/process/thread_is_gone.h"

enum {
    ARENA_MAX = 64, /* places of an arena: bits of its word of free places */
    PAGE = 4096,
    LOG_SIZE = (sizeof(struct weft_pooled_log) + PAGE - 1) / PAGE * PAGE,
    KEPT = 64, /* free places of a process whose memory is kept */
    /* Threads that are ending at a time; beyond, threads do not wait in this state. */
    LEAVING_MAX = 16384,
};

/* An arena lies at the head of the memory of its logs, so it is zero in a forked child. */
struct weft_arena {
    struct weft_arena *next;
    uint64_t free;    /* a bit for each place */
    uint64_t leaving; /* a bit for each place whose thread is ending or gone */
    uint32_t n;
    char *buffers;   /* adjacent pieces of the log's file */
    uint64_t offset; /* of the first one in the file */
};

static struct weft_arena *arenas; /* newest first; arenas are never freed */
static int32_t n_free;            /* approximate */
static int32_t n_leaving;         /* approximate */

/* Returns the places of the next arena: 1 for a process that makes no threads. */
static uint32_t next_size(void)
{
    const struct weft_arena *newest = __atomic_load_n(&arenas, __ATOMIC_ACQUIRE);

    return newest == NULL ? 1 : newest->n >= ARENA_MAX ? ARENA_MAX : newest->n * 4;
}

static struct weft_arena *make(uint32_t n, int *error)
{
    uint64_t size = PAGE + (uint64_t)n * LOG_SIZE, room = (uint64_t)n * WEFT_BUFFER_PIECE;
    struct weft_arena *arena = weft_sys_memory(size);

    if (!arena) {
        *error = ENOMEM;
        return NULL;
    }
    /* Without this a forked child would write into its parent's buffers. */
    *error = (int)-weft_sys_advise(arena, size, MADV_WIPEONFORK);
    if (*error == 0)
        arena->buffers = weft_file_map(&weft_process.file, room, &arena->offset, error);
    if (!arena->buffers) {
        weft_sys_unmap(arena, size);
        return NULL;
    }
    arena->n = n;
    /* a child has no pointer to them */
    weft_sys_advise(arena->buffers, room, MADV_DONTFORK);
    arena->free = n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    return arena;
}

/* Add an arena; a smaller one if there is not enough room. */
static int grow(void)
{
    struct weft_arena *arena = NULL;
    int error = 0;

    for (uint32_t n = next_size(); n > 0 && !arena; n = n > 1 ? 1 : 0)
        arena = make(n, &error);
    if (!arena)
        return error;
    __atomic_fetch_add(&n_free, (int32_t)arena->n, __ATOMIC_RELAXED);
    arena->next = __atomic_load_n(&arenas, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&arenas, &arena->next, arena, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    return 0;
}

int weft_pool_start(void)
{
    /* The parent's arenas are wiped; one of their logs is still used by this thread. */
    arenas = NULL;
    n_free = 0;
    n_leaving = 0;
    return grow();
}

bool weft_pool_is_foreign(void)
{
    const struct weft_arena *newest = __atomic_load_n(&arenas, __ATOMIC_ACQUIRE);

    return newest != NULL && newest->n == 0;
}

static bool take_free(struct weft_arena *arena, struct weft_place *place)
{
    uint64_t free = __atomic_load_n(&arena->free, __ATOMIC_RELAXED);

    while (free != 0) {
        uint64_t rest = free & (free - 1);
        if (__atomic_compare_exchange_n(&arena->free, &free, rest, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            place->arena = arena;
            place->index = (uint32_t)__builtin_ctzll(free);
            __atomic_fetch_sub(&n_free, 1, __ATOMIC_RELAXED);
            return true;
        }
    }
    return false;
}

static pthread_mutex_t *owner_of(struct weft_place place)
{
    return &((struct weft_pooled_log *)weft_pool_log(place))->owner;
}

/* Take a place whose thread is gone; returns false if there is none. */
static bool take_left_of(struct weft_arena *arena, struct weft_place *place)
{
    uint64_t leaving = __atomic_load_n(&arena->leaving, __ATOMIC_ACQUIRE);

    for (; leaving != 0; leaving &= leaving - 1) {
        uint64_t bit = leaving & -leaving;
        /* One thread at a time examines a place. */
        if (!(__atomic_fetch_and(&arena->leaving, ~bit, __ATOMIC_ACQ_REL) & bit))
            continue;
        *place = (struct weft_place){ arena, (uint32_t)__builtin_ctzll(bit) };
        if (weft_owner_is_gone(owner_of(*place))) {
            __atomic_fetch_sub(&n_leaving, 1, __ATOMIC_RELAXED);
            weft_log_left(weft_pool_log(*place));
            return true;
        }
        __atomic_fetch_or(&arena->leaving, bit, __ATOMIC_RELEASE);
    }
    return false;
}

static bool take_place(bool (*of)(struct weft_arena *, struct weft_place *),
                       struct weft_place *place)
{
    struct weft_arena *arena = __atomic_load_n(&arenas, __ATOMIC_ACQUIRE);

    for (; arena; arena = arena->next)
        if (of(arena, place))
            return true;
    return false;
}

bool weft_pool_take(struct weft_place *place, int *error)
{
    do
        if (take_place(take_free, place) || take_place(take_left_of, place))
            return true;
    while ((*error = grow()) == 0);
    return false;
}

void weft_pool_give(struct weft_place place)
{
    if (__atomic_add_fetch(&n_free, 1, __ATOMIC_RELAXED) > KEPT) {
        weft_sys_advise(weft_pool_log(place), LOG_SIZE, MADV_DONTNEED);
        /* The file keeps the contents of the buffer. */
        weft_sys_advise(place.arena->buffers + (uint64_t)place.index * WEFT_BUFFER_PIECE,
                        WEFT_BUFFER_PIECE, MADV_DONTNEED);
    }
    __atomic_fetch_or(&place.arena->free, UINT64_C(1) << place.index, __ATOMIC_RELEASE);
}

bool weft_pool_leave(struct weft_place place)
{
    struct weft_place left;

    if (__atomic_load_n(&n_leaving, __ATOMIC_RELAXED) >= LEAVING_MAX
        || !weft_owner_begin(owner_of(place)))
        return false;
    __atomic_fetch_or(&place.arena->leaving, UINT64_C(1) << place.index, __ATOMIC_RELEASE);
    /* Two for each one, so that many threads that ended at once are soon worked off. */
    if (__atomic_add_fetch(&n_leaving, 1, __ATOMIC_RELAXED) > KEPT)
        for (int i = 0; i < 2 && take_place(take_left_of, &left); i++)
            weft_pool_give(left);
    return true;
}

struct weft_log *weft_pool_log(struct weft_place place)
{
    return (struct weft_log *)((char *)place.arena + PAGE
                               + (uint64_t)place.index * LOG_SIZE);
}

struct weft_piece *weft_pool_buffer(struct weft_place place, uint64_t *offset)
{
    uint64_t distance = (uint64_t)place.index * WEFT_BUFFER_PIECE;

    *offset = place.arena->offset + distance;
    return (struct weft_piece *)(place.arena->buffers + distance);
}

void weft_pool_prepare(uint32_t n)
{
    while (__atomic_load_n(&n_free, __ATOMIC_RELAXED) < (int32_t)n && grow() == 0)
        ;
}
