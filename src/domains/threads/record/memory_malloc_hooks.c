/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of malloc and its kin. */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "domains/threads/record/memory_hook_helpers.h"

/* The body of a hook that returns a block of BYTES: REAL is the call behind it. */
#define ALLOCATE(real, bytes)                                                              \
 do {                                                                                      \
  struct weft_memory_call call_;                                                           \
  void *block_;                                                                            \
  uint64_t now_;                                                                           \
  if (!weft_memory_calls(&call_, __builtin_frame_address(0)))                              \
   return real;                                                                            \
  block_ = real;                                                                           \
  now_ = weft_memory_returns();                                                            \
  weft_memory_got(&call_, now_, WEFT_RECORD_BLOCK, block_, bytes, WEFT_SITE);              \
  return block_;                                                                           \
 } while (0)

WEFT_EXPORT void *malloc(size_t bytes)
{
    if (!weft_memory_is_known())
        return weft_early_block(bytes);
    ALLOCATE(weft_memory_allocator.malloc(bytes), bytes);
}

/* Returns N * BYTES, or SIZE_MAX: more than any allocator has. */
static size_t product(size_t n, size_t bytes)
{
    size_t all;

    return __builtin_mul_overflow(n, bytes, &all) ? SIZE_MAX : all;
}

WEFT_EXPORT void *calloc(size_t n, size_t bytes)
{
    if (!weft_memory_is_known())
        return weft_early_block(product(n, bytes));
    ALLOCATE(weft_memory_allocator.calloc(n, bytes), product(n, bytes));
}

WEFT_EXPORT void free(void *block)
{
    struct weft_memory_call call;

    if (!block || weft_is_early_block(block, NULL) || !weft_memory_is_known())
        return;
    if (!weft_memory_calls(&call, __builtin_frame_address(0))) {
        weft_memory_allocator.free(block);
        return;
    }
    weft_memory_allocator.free(block);
    weft_memory_gave(&call, weft_memory_returns(), WEFT_RECORD_FREE, block);
}

/* Replaces a block of weft_early_block(), which cannot grow. */
static void *replace_early(const void *block, size_t before, size_t bytes)
{
    void *copy = malloc(bytes);

    if (copy)
        memcpy(copy, block, before < bytes ? before : bytes);
    return copy;
}

/* Records what a realloc of BLOCK, which is not NULL, to BYTES at SITE has done. */
static void record_realloc(const struct weft_memory_call *call, uint64_t now, void *block,
                           size_t bytes, void *result, uint64_t site)
{
    if (result == NULL && bytes == 0) {
        weft_memory_gave(call, now, WEFT_RECORD_FREE, block);
    } else if (result == NULL || result == block) {
        weft_memory_got(call, now, WEFT_RECORD_RESIZED, result, bytes, site);
    } else {
        /* The time counts once, at the new block. */
        weft_memory_gave(call, call->began, WEFT_RECORD_LEAVES, block);
        weft_memory_got(call, now, WEFT_RECORD_MOVED, result, bytes, site);
    }
}

/* The body of a hook that replaces BLOCK by one of BYTES: REAL is the call behind it. */
#define REALLOCATE(real, block, bytes)                                                     \
 do {                                                                                      \
  struct weft_memory_call call_;                                                           \
  void *result_;                                                                           \
  uint64_t now_;                                                                           \
  if (!weft_memory_calls(&call_, __builtin_frame_address(0)))                              \
   return real;                                                                            \
  result_ = real;                                                                          \
  now_ = weft_memory_returns();                                                            \
  if (block)                                                                               \
   record_realloc(&call_, now_, block, bytes, result_, WEFT_SITE);                         \
  else                                                                                     \
   weft_memory_got(&call_, now_, WEFT_RECORD_BLOCK, result_, bytes, WEFT_SITE);            \
  return result_;                                                                          \
 } while (0)

WEFT_EXPORT void *realloc(void *block, size_t bytes)
{
    size_t before;

    if (block && weft_is_early_block(block, &before))
        return replace_early(block, before, bytes);
    if (!weft_memory_is_known())
        return weft_early_block(bytes);
    REALLOCATE(weft_memory_allocator.realloc(block, bytes), block, bytes);
}

WEFT_EXPORT void *reallocarray(void *block, size_t n, size_t bytes)
{
    size_t before;

    if (block && weft_is_early_block(block, &before))
        return replace_early(block, before, product(n, bytes));
    REALLOCATE(WEFT_REAL(reallocarray)(block, n, bytes), block, product(n, bytes));
}

WEFT_EXPORT int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    struct weft_memory_call call;
    int result;
    uint64_t now;

    if (!weft_memory_calls(&call, __builtin_frame_address(0)))
        return WEFT_REAL(posix_memalign)(block, alignment, bytes);
    result = WEFT_REAL(posix_memalign)(block, alignment, bytes);
    now = weft_memory_returns();
    weft_memory_got(&call, now, WEFT_RECORD_BLOCK, result == 0 ? *block : NULL, bytes,
                    WEFT_SITE);
    return result;
}

WEFT_EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    ALLOCATE(WEFT_REAL(aligned_alloc)(alignment, bytes), bytes);
}

WEFT_EXPORT void *memalign(size_t alignment, size_t bytes)
{
    ALLOCATE(WEFT_REAL(memalign)(alignment, bytes), bytes);
}

WEFT_EXPORT void *valloc(size_t bytes)
{
    ALLOCATE(WEFT_REAL(valloc)(bytes), bytes);
}

WEFT_EXPORT void *pvalloc(size_t bytes)
{
    ALLOCATE(WEFT_REAL(pvalloc)(bytes), bytes);
}
