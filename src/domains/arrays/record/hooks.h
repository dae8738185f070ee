/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between a program with hooks at its loads and stores and the recorder.  The hooks are
 * linked into the program (libweft-array, hooks.c), since a call into another library costs
 * more than all that a hook does; the recorder, when there is one, attaches to them when
 * the program starts.
 *
 * A hook asks whether its reference is the one that was foreseen at its place in the
 * program, behind the reference before; so says one number, expected.  Then it foresees the
 * next one.  All else is the recorder's.
 *
 * A program may be linked long before it is recorded: any change here needs another
 * version.
 */
#ifndef WEFT_RECORD_ARRAYS_HOOKS_H
#define WEFT_RECORD_ARRAYS_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WEFT_HOOKS_VERSION = 1,
    WEFT_HOOK_SITES =
        1024, /* places in the program that a thread has at hand; a power of two */
};

/* What is foreseen at a place in the program. */
struct weft_hook_next {
    uint64_t expected; /* weft_hook_sum of the next reference; 0: none is foreseen */
    int64_t stride;    /* from a reference to the next */
    uint64_t limit;    /* what is expected behind the last reference to the array */
    uint64_t stays;    /* references that were foreseen, when the stride is 0 */
};

/* A place in the program: one line of the processor's cache. */
struct weft_hook_site {
    struct weft_hook_next next;
    uint64_t of_recorder[4];
};

struct weft_hook_thread {
    struct weft_hook_site sites[WEFT_HOOK_SITES];
    struct weft_hook_site *last; /* of the latest reference to an array */
};

/* One for each program or library that has hooks. */
struct weft_hook_gate {
    uintptr_t begin,
        size;     /* from the first byte of any array to the last; 0: nothing records */
    uint64_t key; /* odd; another one when all that was foreseen is void */
    /* A reference in there that was not foreseen.  SELF: where the thread finds its own. */
    void (*surprise)(struct weft_hook_thread **self, uintptr_t address, uint64_t site,
                     uint64_t bytes, uint32_t operation);
    struct weft_hook_thread *nothing; /* that threads begin with, which foresees nothing */
};

/*
 * What the recorder exports as weft_rt_hooks_v1: take part, from now on to the end of the
 * process or, with a size of 0, until GATE is gone.
 */
struct weft_hook_runtime {
    void (*attach)(uint32_t version, struct weft_hook_gate *gate);
    void (*detach)(struct weft_hook_gate *gate);
};

/* What a reference is recognized by.  Equal ones are of the same address, site and predecessor: the
 * key spreads the latter two over all bits. */
static inline uint64_t weft_hook_sum(uintptr_t address, uint64_t site,
                                     const struct weft_hook_site *last, uint64_t key)
{
    return address + (site + (uintptr_t)last) * key;
}

static inline uint32_t weft_hook_home(uint64_t site)
{
    return (uint32_t)(site >> 2) % WEFT_HOOK_SITES;
}

/* A reference was as foreseen: what comes next.  One that stays where it is is at its
   limit. */
static inline __attribute__((always_inline)) void
weft_hook_advance(struct weft_hook_next *next)
{
    next->expected += (uint64_t)next->stride;
    if (__builtin_expect(next->expected == next->limit, 0)) {
        if (next->stride == 0)
            next->stays++;
        else
            next->expected = 0;
    }
}

/* Was this reference foreseen?  Then it is recorded, and the next one is foreseen. */
static inline __attribute__((always_inline)) bool
weft_hook_foresaw(struct weft_hook_thread *thread, uint64_t key, uintptr_t address,
                  uint64_t site)
{
    struct weft_hook_site *at = &thread->sites[weft_hook_home(site)];

    if (__builtin_expect(
            weft_hook_sum(address, site, thread->last, key) != at->next.expected, 0))
        return false;
    thread->last = at;
    weft_hook_advance(&at->next);
    return true;
}

#endif
