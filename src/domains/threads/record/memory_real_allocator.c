/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The allocator behind the hooks, and the family's registration.  The loader itself calls
 * malloc when it looks up a function that does not exist; so while the allocator is looked
 * up, blocks come from an array of this library.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* it would redirect longjmp() to another function */
#include <stdlib.h>

#include "domains/threads/record/memory_hook_helpers.h"
#include "record/core/longjmp_hooks.h"

__thread struct weft_memory_thread weft_memory_self
    __attribute__((tls_model("initial-exec")));
struct weft_memory_allocator weft_memory_allocator;

bool weft_memory_find_allocator(void)
{
    if (weft_memory_self.resolving)
        return false;
    weft_memory_self.resolving = true;
    weft_memory_allocator.malloc = WEFT_REAL(malloc);
    weft_memory_allocator.calloc = WEFT_REAL(calloc);
    weft_memory_allocator.realloc = WEFT_REAL(realloc);
    weft_memory_allocator.free = WEFT_REAL(free);
    weft_memory_self.resolving = false;
    __atomic_store_n(&weft_memory_allocator.known, true, __ATOMIC_RELEASE);
    return true;
}

/* ---- Early blocks ---- */

enum {
    EARLY_BYTES = 65536, /* the loader's messages of errors, of some hundred bytes each */
    EARLY_ALIGN = 16,    /* of a block; its size is in as many bytes before it */
};

static struct {
    char bytes[EARLY_BYTES] __attribute__((aligned(EARLY_ALIGN)));
    size_t used;
} early;

void *weft_early_block(size_t bytes)
{
    size_t whole = (bytes + 2 * EARLY_ALIGN - 1) & ~(size_t)(EARLY_ALIGN - 1), at;

    if (bytes > EARLY_BYTES)
        return NULL;
    at = __atomic_fetch_add(&early.used, whole, __ATOMIC_RELAXED);
    if (at > EARLY_BYTES - whole)
        return NULL;
    *(size_t *)(void *)(early.bytes + at) = bytes;
    return early.bytes + at + EARLY_ALIGN;
}

bool weft_is_early_block(const void *block, size_t *bytes)
{
    if ((uintptr_t)block - (uintptr_t)early.bytes >= EARLY_BYTES)
        return false;
    if (bytes)
        *bytes = *(const size_t *)(const void *)((const char *)block - EARLY_ALIGN);
    return true;
}

/* ---- Calls that are left ---- */

bool weft_memory_has_left(uintptr_t frame)
{
    enum { NEAR = 1 << 18 }; /* bytes of stack that an allocator may use */

    /* Most are calls inside the allocator: they cost no system call. */
    if (weft_memory_self.inside - frame < NEAR)
        return false;
    return weft_frame_is_left(weft_memory_self.inside, frame);
}

/* A signal handler may leave the allocator by a longjmp for good. */
static void jumps(const struct __jmp_buf_tag *environment)
{
    uintptr_t target = weft_jump_target(environment);

    if (target == 0)
        return;
    if (weft_memory_self.inside != 0 && weft_frame_is_left(weft_memory_self.inside, target))
        weft_memory_self.inside = 0;
    weft_jump_heals(target);
}

WEFT_INTERPOSE_JUMPS(jumps)

static const struct weft_record_family family = {
    .number = WEFT_FAMILY_MEMORY,
    .core_size = sizeof(struct weft_record_core),
};

__attribute__((constructor)) static void start(void)
{
    (void)weft_memory_is_known();
    (void)CORE.join(&family);
}
