/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of mmap and its kin, as the program calls them; the C library's own calls of them
   (stacks of threads, memory of its malloc) do not go through these names. */
#define _GNU_SOURCE
#undef _FILE_OFFSET_BITS /* it would redirect mmap() to mmap64() */
#include <stdarg.h>
#include <sys/mman.h>

#include "domains/threads/record/memory_hook_helpers.h"

/* Records that CALL has mapped BYTES at ADDRESS, unless it failed. */
static void record_mapping(const struct weft_memory_call *call, uint64_t now,
                           const void *address, size_t bytes, int flags, uint64_t site)
{
    const uint64_t words[4] = { (uint64_t)(uintptr_t)address, bytes,
                                flags & MAP_ANONYMOUS ? WEFT_MAPPING_ANONYMOUS
                                                      : WEFT_MAPPING_FILE,
                                now - call->began };

    if (address != MAP_FAILED)
        weft_memory_put(call->log, now, WEFT_RECORD_MAPPED, site, words, 4);
}

#define MAP(name, offset_type)                                                             \
 WEFT_EXPORT void *name(void *wanted, size_t bytes, int protection, int flags, int file,   \
                        offset_type offset)                                                \
 {                                                                                         \
  struct weft_memory_call call;                                                            \
  void *address;                                                                           \
  uint64_t now;                                                                            \
  if (!weft_memory_calls(&call, __builtin_frame_address(0)))                               \
   return WEFT_REAL(name)(wanted, bytes, protection, flags, file, offset);                 \
  address = WEFT_REAL(name)(wanted, bytes, protection, flags, file, offset);               \
  now = weft_memory_returns();                                                             \
  record_mapping(&call, now, address, bytes, flags, WEFT_SITE);                            \
  return address;                                                                          \
 }

MAP(mmap, off_t)
#ifdef __GLIBC__
MAP(mmap64, off64_t)
#endif

WEFT_EXPORT int munmap(void *address, size_t bytes)
{
    struct weft_memory_call call;
    uint64_t words[3] = { (uint64_t)(uintptr_t)address, bytes, 0 };
    int result;

    if (!weft_memory_calls(&call, __builtin_frame_address(0)))
        return WEFT_REAL(munmap)(address, bytes);
    result = WEFT_REAL(munmap)(address, bytes);
    words[2] = weft_memory_returns() - call.began;
    if (result == 0)
        weft_log_put_words(call.log, call.began, WEFT_RECORD_UNMAPPED, 0, words, 3);
    return result;
}

/* Records a mremap that succeeded. */
static void record_remap(const struct weft_memory_call *call, uint64_t now,
                         const void *before, size_t bytes_before, const void *after,
                         size_t bytes_after, uint64_t site)
{
    const uint64_t words[5] = { (uint64_t)(uintptr_t)before, bytes_before,
                                (uint64_t)(uintptr_t)after, bytes_after,
                                now - call->began };

    weft_memory_put(call->log, now, WEFT_RECORD_REMAPPED, site, words, 5);
}

WEFT_EXPORT void *mremap(void *before, size_t bytes_before, size_t bytes_after, int flags,
                         ...)
{
    struct weft_memory_call call;
    va_list list;
    void *wanted, *after;
    uint64_t now;

    /* Like the C library: read the address, whether it was given or not. */
    va_start(list, flags);
    wanted = va_arg(list, void *);
    va_end(list);
    if (!weft_memory_calls(&call, __builtin_frame_address(0)))
        return WEFT_REAL(mremap)(before, bytes_before, bytes_after, flags, wanted);
    after = WEFT_REAL(mremap)(before, bytes_before, bytes_after, flags, wanted);
    now = weft_memory_returns();
#ifdef MREMAP_DONTUNMAP
    if (flags & MREMAP_DONTUNMAP)
        bytes_before = 0;
#endif
    if (after != MAP_FAILED)
        record_remap(&call, now, before, bytes_before, after, bytes_after, WEFT_SITE);
    return after;
}
