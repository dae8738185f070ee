/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The entry points that compilers call at loads, stores and atomic operations when they are
 * told -fsanitize=thread: those of gcc and of clang.  Atomic operations are done here,
 * since the compiler has put the call in their place; they are sequentially consistent,
 * whatever was asked for.
 *
 * This is libweft-array, which programs are linked with instead of the sanitizer's library.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "domains/arrays/record/load_store_hooks.h"

#define ENTRY __attribute__((visibility("default")))
/* The recorder knows by the section of a hook what a call of it does. */
#define READER ENTRY __attribute__((section("weft_reads")))
#define WRITER ENTRY __attribute__((section("weft_writes")))
#define BOTH   ENTRY __attribute__((section("weft_both")))
#define INLINE static inline __attribute__((always_inline))
#define SITE   ((uint64_t)(uintptr_t)__builtin_return_address(0))

enum { READ = 0, WRITE = 1 };

/* dlsym as a weak symbol, so that nothing more is linked; NULL in a static program. */
extern void *find_symbol(void *handle, const char *symbol) __asm__("dlsym")
    __attribute__((weak));

static struct weft_hook_thread weft_nothing;
static struct weft_hook_gate weft_gate = { .key = 1, .nothing = &weft_nothing };

/* Where the sections are: the linker defines these. */
#define SECTION __attribute__((visibility("hidden")))
extern const char __start_weft_reads[] SECTION, __stop_weft_reads[] SECTION;
extern const char __start_weft_writes[] SECTION, __stop_weft_writes[] SECTION;
extern const char __start_weft_both[] SECTION, __stop_weft_both[] SECTION;
static __thread struct weft_hook_thread *self __attribute__((tls_model("initial-exec"))) =
    &weft_nothing;

static const struct weft_hook_runtime *find_recorder(void)
{
    return find_symbol ? find_symbol(NULL, "weft_rt_hooks_v1") : NULL;
}

/* Runs early, so that the program's own constructors are recorded. */
__attribute__((constructor(101))) static void start(void)
{
    const struct weft_hook_runtime *recorder = find_recorder();

    weft_gate.reads = (uintptr_t)__start_weft_reads;
    weft_gate.reads_size = (uintptr_t)(__stop_weft_reads - __start_weft_reads);
    weft_gate.writes = (uintptr_t)__start_weft_writes;
    weft_gate.writes_size = (uintptr_t)(__stop_weft_writes - __start_weft_writes);
    weft_gate.both = (uintptr_t)__start_weft_both;
    weft_gate.both_size = (uintptr_t)(__stop_weft_both - __start_weft_both);
    if (recorder)
        recorder->attach(WEFT_HOOKS_VERSION, &weft_gate);
}

__attribute__((destructor(101))) static void stop(void)
{
    const struct weft_hook_runtime *recorder = find_recorder();

    if (recorder)
        recorder->detach(&weft_gate);
}

/* Not inlined, so that the predicted path needs no stack. */
static __attribute__((noinline, cold)) void surprise(uintptr_t address, uint64_t site,
                                                     uint64_t bytes, uint32_t operation)
{
    weft_gate.surprise(&self, address, site, bytes, operation);
}

INLINE void refer(const volatile void *p, uint64_t site, uint64_t bytes, uint32_t operation)
{
    uintptr_t address = (uintptr_t)p;

    if (__builtin_expect(weft_hook_foresaw(self, weft_gate.key, address, site), 1))
        return;
    /* Unlikely: most memory is not in an array, and mostly no recorder is attached. */
    if (__builtin_expect(address - weft_gate.begin < weft_gate.size, 0))
        surprise(address, site, bytes, operation);
}

/* Does not compare addresses: a range may begin before all arrays and end after them. */
INLINE void refer_range(const volatile void *p, uint64_t site, size_t bytes,
                        uint32_t operation)
{
    if (weft_gate.size > 0)
        surprise((uintptr_t)p, site, bytes, operation);
}

/* An operation that reads and writes counts as two sites, both addresses inside one call
   instruction, with different home slots (weft_hook_home). */
#if defined(__x86_64__)
enum { READ_BEFORE = 4 };
#else
enum { READ_BEFORE = 2 };
#endif
#define READS(p, bytes)        refer(p, SITE, bytes, READ)
#define WRITES(p, bytes)       refer(p, SITE, bytes, WRITE)
#define READS_FIRST(p, bytes)  refer(p, SITE - READ_BEFORE, bytes, READ)
#define READS_RANGE(p, bytes)  refer_range(p, SITE - READ_BEFORE, bytes, READ)
#define WRITES_RANGE(p, bytes) refer_range(p, SITE, bytes, WRITE)

/* The compiler declares these itself, if at all. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-declarations"

ENTRY void __tsan_init(void) {}

ENTRY void __tsan_func_entry(void *caller)
{
    (void)caller;
}

ENTRY void __tsan_func_exit(void) {}

ENTRY void __tsan_ignore_thread_begin(void) {}

ENTRY void __tsan_ignore_thread_end(void) {}

/* Virtual table pointers are not elements of arrays. */
ENTRY void __tsan_vptr_update(void **pointer, void *value)
{
    (void)pointer;
    (void)value;
}

ENTRY void __tsan_vptr_read(void **pointer)
{
    (void)pointer;
}

/* ---- Loads and stores ---- */

#define ACCESS(name, bytes)                                                                \
 READER void __tsan_##name##read##bytes(void *p)                                           \
 {                                                                                         \
  READS(p, bytes);                                                                         \
 }                                                                                         \
 WRITER void __tsan_##name##write##bytes(void *p)                                          \
 {                                                                                         \
  WRITES(p, bytes);                                                                        \
 }
#define ACCESSES(bytes)                                                                    \
 ACCESS(, bytes)                                                                           \
 ACCESS(unaligned_, bytes)                                                                 \
 ACCESS(volatile_, bytes)                                                                  \
 ACCESS(unaligned_volatile_, bytes)                                                        \
 BOTH void __tsan_read_write##bytes(void *p)                                               \
 {                                                                                         \
  READS_FIRST(p, bytes);                                                                   \
  WRITES(p, bytes);                                                                        \
 }                                                                                         \
 BOTH void __tsan_unaligned_read_write##bytes(void *p)                                     \
 {                                                                                         \
  READS_FIRST(p, bytes);                                                                   \
  WRITES(p, bytes);                                                                        \
 }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

READER void __tsan_read_range(void *p, size_t bytes)
{
    refer_range(p, SITE, bytes, READ);
}

WRITER void __tsan_write_range(void *p, size_t bytes)
{
    WRITES_RANGE(p, bytes);
}

BOTH void *__tsan_memcpy(void *to, const void *from, size_t bytes)
{
    READS_RANGE(from, bytes);
    WRITES_RANGE(to, bytes);
    return memcpy(to, from, bytes);
}

BOTH void *__tsan_memmove(void *to, const void *from, size_t bytes)
{
    READS_RANGE(from, bytes);
    WRITES_RANGE(to, bytes);
    return memmove(to, from, bytes);
}

WRITER void *__tsan_memset(void *to, int value, size_t bytes)
{
    WRITES_RANGE(to, bytes);
    return memset(to, value, bytes);
}

/* ---- Atomic operations ---- */

ENTRY void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

ENTRY void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#define ATOMIC_LOAD(bits, type)                                                            \
 READER type __tsan_atomic##bits##_load(const volatile type *p, int order)                 \
 {                                                                                         \
  (void)order;                                                                             \
  READS(p, bits / 8);                                                                      \
  return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                             \
 }                                                                                         \
 WRITER void __tsan_atomic##bits##_store(volatile type *p, type value, int order)          \
 {                                                                                         \
  (void)order;                                                                             \
  WRITES(p, bits / 8);                                                                     \
  __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                            \
 }
#define ATOMIC_CHANGE(bits, type, name, operation)                                         \
 BOTH type __tsan_atomic##bits##_##name(volatile type *p, type value, int order)           \
 {                                                                                         \
  (void)order;                                                                             \
  READS_FIRST(p, bits / 8);                                                                \
  WRITES(p, bits / 8);                                                                     \
  return operation(p, value, __ATOMIC_SEQ_CST);                                            \
 }
/* A failed one only reads. */
#define ATOMIC_COMPARE(bits, type, name, weak)                                             \
 BOTH int __tsan_atomic##bits##_##name(volatile type *p, type *expected, type value,       \
                                       int order, int other_order)                         \
 {                                                                                         \
  bool done;                                                                               \
  (void)order;                                                                             \
  (void)other_order;                                                                       \
  READS_FIRST(p, bits / 8);                                                                \
  done = __atomic_compare_exchange_n(p, expected, value, weak, __ATOMIC_SEQ_CST,           \
                                     __ATOMIC_SEQ_CST);                                    \
  if (done)                                                                                \
   WRITES(p, bits / 8);                                                                    \
  return done;                                                                             \
 }
#define ATOMIC_COMPARE_VALUE(bits, type)                                                   \
 BOTH type __tsan_atomic##bits##_compare_exchange_val(                                     \
     volatile type *p, type expected, type value, int order, int other_order)              \
 {                                                                                         \
  (void)order;                                                                             \
  (void)other_order;                                                                       \
  READS_FIRST(p, bits / 8);                                                                \
  if (__atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST,            \
                                  __ATOMIC_SEQ_CST))                                       \
   WRITES(p, bits / 8);                                                                    \
  return expected;                                                                         \
 }
#define ATOMICS(bits, type)                                                                \
 ATOMIC_LOAD(bits, type)                                                                   \
 ATOMIC_CHANGE(bits, type, exchange, __atomic_exchange_n)                                  \
 ATOMIC_CHANGE(bits, type, fetch_add, __atomic_fetch_add)                                  \
 ATOMIC_CHANGE(bits, type, fetch_sub, __atomic_fetch_sub)                                  \
 ATOMIC_CHANGE(bits, type, fetch_and, __atomic_fetch_and)                                  \
 ATOMIC_CHANGE(bits, type, fetch_or, __atomic_fetch_or)                                    \
 ATOMIC_CHANGE(bits, type, fetch_xor, __atomic_fetch_xor)                                  \
 ATOMIC_CHANGE(bits, type, fetch_nand, __atomic_fetch_nand)                                \
 ATOMIC_COMPARE(bits, type, compare_exchange_strong, false)                                \
 ATOMIC_COMPARE(bits, type, compare_exchange_weak, true)                                   \
 ATOMIC_COMPARE_VALUE(bits, type)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

/* 16 bytes: by the only instruction for them, cmpxchg16b. */
#if defined(__x86_64__)
typedef unsigned __int128 wide;

static inline __attribute__((always_inline, target("cx16"))) wide
swap_wide(volatile wide *p, wide expected, wide value)
{
    return __sync_val_compare_and_swap(p, expected, value);
}

READER __attribute__((target("cx16"))) wide __tsan_atomic128_load(const volatile wide *p,
                                                                  int order)
{
    (void)order;
    READS(p, 16);
    return swap_wide((volatile wide *)(uintptr_t)p, 0, 0);
}

# define WIDE_CHANGE(name, changed)                                                        \
  BOTH __attribute__((target("cx16")))                                                     \
  wide __tsan_atomic128_##name(volatile wide *p, wide value, int order)                    \
  {                                                                                        \
   wide before = *p, found;                                                                \
   (void)order;                                                                            \
   READS_FIRST(p, 16);                                                                     \
   WRITES(p, 16);                                                                          \
   while ((found = swap_wide(p, before, changed)) != before)                               \
    before = found;                                                                        \
   return before;                                                                          \
  }
WIDE_CHANGE(exchange, value)
WIDE_CHANGE(fetch_add, before + value)
WIDE_CHANGE(fetch_sub, before - value)
WIDE_CHANGE(fetch_and, (before & value))
WIDE_CHANGE(fetch_or, (before | value))
WIDE_CHANGE(fetch_xor, (before ^ value))
WIDE_CHANGE(fetch_nand, ~(before &value))

WRITER __attribute__((target("cx16"))) void __tsan_atomic128_store(volatile wide *p,
                                                                   wide value, int order)
{
    wide before = *p, found;

    (void)order;
    WRITES(p, 16);
    while ((found = swap_wide(p, before, value)) != before)
        before = found;
}

BOTH __attribute__((target("cx16"))) wide
__tsan_atomic128_compare_exchange_val(volatile wide *p, wide expected, wide value,
                                      int order, int other_order)
{
    wide found;

    (void)order;
    (void)other_order;
    READS_FIRST(p, 16);
    found = swap_wide(p, expected, value);
    if (found == expected)
        WRITES(p, 16);
    return found;
}

# define WIDE_COMPARE(name)                                                                \
  BOTH __attribute__((target("cx16"))) int __tsan_atomic128_##name(                        \
      volatile wide *p, wide *expected, wide value, int order, int other_order)            \
  {                                                                                        \
   wide found;                                                                             \
   bool done;                                                                              \
   (void)order;                                                                            \
   (void)other_order;                                                                      \
   READS_FIRST(p, 16);                                                                     \
   found = swap_wide(p, *expected, value);                                                 \
   done = found == *expected;                                                              \
   *expected = found;                                                                      \
   if (done)                                                                               \
    WRITES(p, 16);                                                                         \
   return done;                                                                            \
  }
WIDE_COMPARE(compare_exchange_strong)
WIDE_COMPARE(compare_exchange_weak)
#endif
