/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of C++'s operators new and delete.  Without them a block's site would be the call
 * of malloc in the C++ library; and operators of other allocators do not call malloc.
 *
 * An operator has one to three arguments, all words in registers: the hooks pass on three,
 * whichever of them there are.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "domains/threads/record/memory_hook_helpers.h"

typedef void *new_function(size_t bytes, uintptr_t second, uintptr_t third);
typedef void delete_function(void *block, uintptr_t second, uintptr_t third);

/* Where an operator is that no library of the program's own has: loaded by a plug-in. */
static const char *const libraries[] = { "libstdc++.so.6", "libc++.so.1", NULL };

/* Returns the operator NAME behind the hook; NULL if no library that is loaded has one. */
static void *look_up(const char *name)
{
    int saved = errno;
    void *found = dlsym(RTLD_NEXT, name);

    for (int i = 0; !found && libraries[i]; i++) {
        /* It is kept loaded: the operator is called from now on. */
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        found = library ? dlsym(library, name) : NULL;
    }
    (void)dlerror(); /* clear the errors, which the program must not see */
    errno = saved;
    return found;
}

/* The operators of a program that has no such library are these. */
static void *or_null(size_t bytes, uintptr_t second, uintptr_t third)
{
    (void)second;
    (void)third;
    return malloc(bytes);
}

static void *aligned_or_null(size_t bytes, uintptr_t alignment, uintptr_t third)
{
    (void)third;
    return aligned_alloc(alignment, (bytes + alignment - 1) & ~(alignment - 1));
}

/* Returns BLOCK; NULL would be an exception, which nothing here can make: it aborts. */
static void *or_abort(void *block)
{
    if (!block)
        abort();
    return block;
}

static void *by_malloc(size_t bytes, uintptr_t second, uintptr_t third)
{
    return or_abort(or_null(bytes, second, third));
}

static void *by_aligned_alloc(size_t bytes, uintptr_t alignment, uintptr_t third)
{
    return or_abort(aligned_or_null(bytes, alignment, third));
}

static void by_free(void *block, uintptr_t second, uintptr_t third)
{
    (void)second;
    (void)third;
    free(block);
}

/* A call of an operator; `frame` is 0 unless it is recorded and has not returned. */
struct pending {
    struct weft_memory_call call;
    uintptr_t frame;
    size_t bytes;
    uint64_t site;
};

/* Records a call that an exception leaves as refused: the cleanup of a hook's variable. */
static void leave(const struct pending *pending)
{
    if (pending->frame != 0)
        weft_memory_got(&pending->call, weft_memory_returns(), WEFT_RECORD_BLOCK, NULL,
                        pending->bytes, pending->site);
}

/* Resolves an operator at its first call, which may run before any constructor. */
#define RESOLVED(type, name, otherwise)                                                    \
 ({                                                                                        \
static type *known_;                                                                        \
type *function_ = __atomic_load_n(&known_, __ATOMIC_RELAXED);                               \
if (__builtin_expect(!function_, 0)) {                                                      \
void *found_ = look_up(#name);                                                             \
function_ = found_ ? (type *)found_ : otherwise;                                           \
__atomic_store_n(&known_, function_, __ATOMIC_RELAXED);                                    \
}                                                                                           \
function_;                                                                                  \
 })

#define NEW(name, otherwise)                                                               \
 WEFT_EXPORT void *name(size_t bytes, uintptr_t second, uintptr_t third);                  \
 WEFT_EXPORT void *name(size_t bytes, uintptr_t second, uintptr_t third)                   \
 {                                                                                         \
  new_function *real = RESOLVED(new_function, name, otherwise);                            \
  struct pending pending __attribute__((cleanup(leave))) = { .frame = 0 };                 \
  void *block;                                                                             \
  uint64_t now;                                                                            \
  if (!weft_memory_calls(&pending.call, __builtin_frame_address(0)))                       \
   return real(bytes, second, third);                                                      \
  pending.bytes = bytes;                                                                   \
  pending.site = WEFT_SITE;                                                                \
  pending.frame = (uintptr_t)__builtin_frame_address(0);                                   \
  block = real(bytes, second, third);                                                      \
  now = weft_memory_returns();                                                             \
  pending.frame = 0;                                                                       \
  weft_memory_got(&pending.call, now, WEFT_RECORD_BLOCK, block, bytes, WEFT_SITE);         \
  return block;                                                                            \
 }

#define DELETE(name)                                                                       \
 WEFT_EXPORT void name(void *block, uintptr_t second, uintptr_t third);                    \
 WEFT_EXPORT void name(void *block, uintptr_t second, uintptr_t third)                     \
 {                                                                                         \
  delete_function *real = RESOLVED(delete_function, name, by_free);                        \
  struct weft_memory_call call;                                                            \
  if (!block || !weft_memory_calls(&call, __builtin_frame_address(0))) {                   \
   real(block, second, third);                                                             \
   return;                                                                                 \
  }                                                                                        \
  real(block, second, third);                                                              \
  weft_memory_gave(&call, weft_memory_returns(), WEFT_RECORD_FREE, block);                 \
 }

#if __SIZEOF_SIZE_T__ == 8 && __SIZEOF_LONG__ == 8 /* size_t is unsigned long: "m" */
/* new, new[]; those that return NULL; and those with an alignment */
NEW(_Znwm, by_malloc)
NEW(_Znam, by_malloc)
NEW(_ZnwmRKSt9nothrow_t, or_null)
NEW(_ZnamRKSt9nothrow_t, or_null)
NEW(_ZnwmSt11align_val_t, by_aligned_alloc)
NEW(_ZnamSt11align_val_t, by_aligned_alloc)
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, aligned_or_null)
NEW(_ZnamSt11align_val_tRKSt9nothrow_t, aligned_or_null)
/* delete, delete[]; those that know the size; those of the others above */
DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm)
DELETE(_ZdaPvm)
DELETE(_ZdlPvRKSt9nothrow_t)
DELETE(_ZdaPvRKSt9nothrow_t)
DELETE(_ZdlPvSt11align_val_t)
DELETE(_ZdaPvSt11align_val_t)
DELETE(_ZdlPvmSt11align_val_t)
DELETE(_ZdaPvmSt11align_val_t)
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t)
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t)
#endif
