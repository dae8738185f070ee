/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface between the recorder and a program with hooks at its loads and stores.  The
 * hooks are linked into the program (libweft-array, load_store_hooks.c), since a call into
 * another library costs more than all the work of a hook.  The recorder, if there is one,
 * attaches to them when the program starts.
 *
 * A hook tests if its reference is the one predicted for its site and for the site of the
 * reference before, by comparing one number, `expected`.  If so, it predicts the next one;
 * else it calls the recorder.
 *
 * A program may be linked long before it is recorded, so any change here needs a new
 * version.
 */
#ifndef WEFT_RECORD_ARRAYS_LOAD_STORE_HOOKS_H
#define WEFT_RECORD_ARRAYS_LOAD_STORE_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

/* The version of this interface, and the size of a thread's table of sites. */
enum {
    WEFT_HOOKS_VERSION = 2,
    WEFT_HOOKS_WITH_RANGES =
        2,                  /* the version from which on gates have `reads` to the end */
    WEFT_HOOK_SITES = 1024, /* sites in the table of a thread; a power of two */
};
/* The prediction of the next reference at a site (a place in the program). */
struct weft_hook_next {
    uint64_t expected; /* weft_hook_sum() of that reference; 0 if none is predicted */
    int64_t stride;    /* bytes from one reference to the next */
    /* Value of `expected` for the first reference beyond the array, which is not predicted
       any more. */
    uint64_t limit;
    uint64_t stays; /* number of predicted references that came, if the stride is 0 */
};
/* A site (a place in the program that refers to arrays), which fills one cache line. */
struct weft_hook_site {
    struct weft_hook_next next; /* the prediction */
    uint64_t of_recorder[4];    /* the recorder's fields: struct array_site in arrays.h */
};

/* The predictions of a thread. */
struct weft_hook_thread {
    struct weft_hook_site sites[WEFT_HOOK_SITES]; /* hash table (weft_hook_home) */
    struct weft_hook_site *last; /* site of the latest reference to an array, or NULL */
};

/* The recorder's settings for the hooks of one program or library, in whose memory the gate
   is; it begins with a size of 0, and the recorder changes it after it was attached. */
struct weft_hook_gate {
    /* Range of SIZE bytes that contains all arrays; size 0 if nothing is recorded. */
    uintptr_t begin, size;
    uint64_t key; /* odd; changed to void all predictions */
    /* Called for an unpredicted reference to BYTES bytes in that range, or for a range of
       memory anywhere; set when the gate is attached.  SELF is the gate's thread-local
       pointer to the thread's predictions, which the call may change; SITE is the return
       address into the program; OPERATION 0 is a read, 1 a write. */
    void (*surprise)(struct weft_hook_thread **self, uintptr_t address, uint64_t site,
                     uint64_t bytes, uint32_t operation);
    struct weft_hook_thread *nothing; /* initial value of *SELF: no predictions */
    /* The code of the hooks that read, that write, and that read and then write. */
    uint64_t reads, reads_size, writes, writes_size, both, both_size;
};

/*
 * The recorder exports this as weft_rt_hooks_v1.  A program or library attaches its gate,
 * with its WEFT_HOOKS_VERSION, and detaches it before it is unloaded; the gate stays where
 * it is meanwhile, and the recorder changes it.  `attach` does nothing if the environment
 * variable WEFT_RECORD_ARRAYS is not set; with another version or too many gates it only
 * records a loss.
 */
struct weft_hook_runtime {
    void (*attach)(uint32_t version, struct weft_hook_gate *gate);
    void (*detach)(struct weft_hook_gate *gate);
};

/*
 * Returns a number that stands for a reference: the same for the same address, site and
 * previous site LAST, and in practice only then, since the gate's KEY spreads the two sites
 * over all bits.
 */
static inline uint64_t weft_hook_sum(uintptr_t address, uint64_t site,
                                     const struct weft_hook_site *last, uint64_t key)
{
    return address + (site + (uintptr_t)last) * key;
}

/* Returns the index of a site, a return address, in weft_hook_thread.sites where its hook
   looks for it; the recorder gives the next free one to a site whose index is in use. */
static inline uint32_t weft_hook_home(uint64_t site)
{
    return (uint32_t)(site >> 2) % WEFT_HOOK_SITES;
}

/*
 * Called when the predicted reference came: predicts the one after it, one stride further,
 * or none (`expected` becomes 0) at the end of the array.  With stride 0, where `limit`
 * equals `expected`, it only counts the reference in `stays`.
 */
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

/* Returns true if a reference to ADDRESS at SITE (return address) was predicted, KEY being
   the gate's: it then counts as recorded, its site becomes thread->last, and the next one
   is predicted.  Changes nothing if it returns false. */
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
