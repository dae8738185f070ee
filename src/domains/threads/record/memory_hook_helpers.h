/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers of the hooks of memory.  An allocator may call itself by its public names
 * (operator new calls malloc, malloc of a library calls mmap): only the outermost call of a
 * thread is recorded.  The hooks allocate nothing.
 */
#ifndef WEFT_RECORD_MEMORY_HOOK_HELPERS_H
#define WEFT_RECORD_MEMORY_HOOK_HELPERS_H

#include <stddef.h>

#include "domains/threads/format/memory_records.h"
#include "record/core/real_functions.h"
#include "record/log/log.h"

/* The table of functions of the preloaded library's core. */
#define CORE weft_record_core_v1

/* A thread, as the hooks (functions that take the place of malloc and the like) know it. */
struct weft_memory_thread {
    uintptr_t inside; /* frame address of its outermost hook that is in a call of the real
                         function now; 0: none is */
    bool resolving;   /* it is looking up the allocator's functions */
};
/* The state of the calling thread in the hooks of memory; all 0 at its begin. */
WEFT_HIDDEN extern __thread struct weft_memory_thread weft_memory_self
    __attribute__((tls_model("initial-exec")));

/* The real functions behind the hooks: the program's allocator, or the C library's. */
struct weft_memory_allocator {
    void *(*malloc)(size_t bytes);
    void *(*calloc)(size_t n, size_t bytes);
    void *(*realloc)(void *block, size_t bytes);
    void (*free)(void *block);
    bool known; /* set last, when the others are */
};
/* The process's; all 0 until weft_memory_find_allocator() sets them. */
WEFT_HIDDEN extern struct weft_memory_allocator weft_memory_allocator;

/*
 * Sets weft_memory_allocator and returns true; aborts if a function does not exist.
 * Returns false, with no effect, if the calling thread is in it already: then the loader,
 * which looks the functions up, asks for memory, and the hook takes weft_early_block().
 */
WEFT_HIDDEN bool weft_memory_find_allocator(void);
/*
 * Returns true if weft_memory_allocator is set, after looking it up if need be; false if
 * the calling thread is looking it up (weft_memory_find_allocator()).
 */
static inline bool weft_memory_is_known(void)
{
    return __builtin_expect(__atomic_load_n(&weft_memory_allocator.known, __ATOMIC_ACQUIRE),
                            1)
           || weft_memory_find_allocator();
}

/*
 * Returns BYTES of zeroed memory that is never given back, aligned to 16, from an array of
 * 64 KiB of the process; NULL if too little is left.  For the loader, while the allocator
 * is being looked up.  Any thread may call it.
 */
WEFT_HIDDEN void *weft_early_block(size_t bytes);
/*
 * Returns true if BLOCK came from weft_early_block(), and sets *BYTES to its size, unless
 * BYTES is NULL; false, with *BYTES untouched, for any other BLOCK, also NULL.
 */
WEFT_HIDDEN bool weft_is_early_block(const void *block, size_t *bytes);

/*
 * For a hook with the frame address FRAME, while weft_memory_self.inside is not 0: returns
 * true if the calling thread has left that other hook by a longjmp, so that its call will
 * not return.  False if it is still in it, and also if that frame is less than 256 KiB
 * above FRAME.  Changes nothing.
 */
WEFT_HIDDEN bool weft_memory_has_left(uintptr_t frame);

/* A call of the allocator or of mmap and the like that is recorded. */
struct weft_memory_call {
    uint64_t began;       /* its begin, in ticks of the process's clock */
    struct weft_log *log; /* the calling thread's */
};

/*
 * To be called in a hook with the frame address FRAME before the real function.  Sets *CALL
 * to begin now, and returns true: then the hook must call weft_memory_returns() after the
 * function.  Returns false, with *CALL unset, if the thread is inside another recorded call
 * (the allocator called itself): then this call is not recorded.
 */
static inline bool weft_memory_calls(struct weft_memory_call *call, const void *frame)
{
    if (__builtin_expect(weft_memory_self.inside != 0, 0)
        && !weft_memory_has_left((uintptr_t)frame))
        return false;
    /* First, since it may start the process's clock. */
    call->log = weft_log_get();
    weft_memory_self.inside = (uintptr_t)frame;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    call->began = weft_ticks();
    return true;
}

/*
 * Ends the calling thread's call that weft_memory_calls() began; returns the ticks now.
 * Writes no record.
 */
static inline uint64_t weft_memory_returns(void)
{
    uint64_t now = weft_ticks();

    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    weft_memory_self.inside = 0;
    return now;
}

/*
 * Writes a record of KIND, stamped TICKS, with the first N of WORDS into LOG, which is the
 * calling thread's.  Its argument is the slot (number in this log) of SITE, the return
 * address of a hook, defined first if it is new.  Without room the record is lost, and
 * counted as such.
 */
static inline __attribute__((always_inline)) void
weft_memory_put(struct weft_log *log, uint64_t ticks, uint32_t kind, uint64_t site,
                const uint64_t *words, uint32_t n)
{
    const uint64_t object = (uint64_t)(uintptr_t)WEFT_MEMORY_OBJECT;
    uint32_t slot = (uint32_t)(site * UINT64_C(0x9e3779b97f4a7c15) >> 40) & log->slots_mask;
    const struct weft_slot *known = weft_log_slot(log, slot);

    weft_log_enter(log);
    if (__builtin_expect(log->busy > 1 || known->object != object || known->site != site,
                         0))
        slot = CORE.log_define(log, ticks, 0, object, site, slot);
    if (__builtin_expect(slot <= WEFT_LOG_HANDLER_SLOT, 1)) {
        uint64_t *at = weft_log_reserve(log, n, ticks);
        if (__builtin_expect(at != NULL, 1)) {
            for (uint32_t i = 0; i < n; i++)
                at[1 + i] = words[i];
            weft_log_seal(at, ticks, kind, n, slot);
        }
    }
    weft_log_leave(log);
}

/*
 * Records that CALL, which has returned at NOW (ticks), gave a BLOCK of BYTES to the
 * program, in a record of KIND: WEFT_RECORD_BLOCK, _MOVED or _RESIZED.  If BLOCK is NULL,
 * records instead that the allocator had no BYTES for it (WEFT_RECORD_REFUSED).  SITE is
 * the hook's return address.
 */
static inline __attribute__((always_inline)) void
weft_memory_got(const struct weft_memory_call *call, uint64_t now, uint32_t kind,
                const void *block, size_t bytes, uint64_t site)
{
    uint64_t ticks = now - call->began;
    uint64_t words[3] = { (uint64_t)(uintptr_t)block, weft_block_word(bytes, ticks),
                          ticks };

    if (__builtin_expect(block == NULL, 0)) {
        words[0] = bytes;
        words[1] = ticks;
        weft_memory_put(call->log, now, WEFT_RECORD_REFUSED, site, words, 2);
    } else if (__builtin_expect(ticks < WEFT_BLOCK_TICKS_MAX, 1))
        weft_memory_put(call->log, now, kind, site, words, 2);
    else
        weft_memory_put(call->log, now, kind, site, words, 3);
}

/*
 * Records that CALL, which has returned at NOW (ticks), gave BLOCK back to the allocator:
 * KIND is WEFT_RECORD_FREE or _LEAVES.  The record is stamped with the call's begin: from
 * then on another thread may get the block.
 */
static inline void weft_memory_gave(const struct weft_memory_call *call, uint64_t now,
                                    uint32_t kind, const void *block)
{
    uint64_t words[2] = { (uint64_t)(uintptr_t)block, now - call->began };

    if (__builtin_expect(words[1] < WEFT_ARGUMENT_MAX, 1))
        weft_log_put_words(call->log, call->began, kind, (uint32_t)words[1], words, 1);
    else
        weft_log_put_words(call->log, call->began, kind, 0, words, 2);
}

#endif
