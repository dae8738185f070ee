/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event path: from a stamp to a record in the calling thread's log.  No locks, no
 * allocation, no system call but when a buffer is full.  All of it is inlined into the
 * families; what is seldom needed is called through the core's table.
 *
 * Signal handlers may come at any instruction.  Room is reserved by one instruction, and a
 * thread drains its buffer only when none of its records is half written (busy says so);
 * what a handler writes meanwhile goes into the slack after the limit.
 *
 * The log's own memory is wiped in a forked child, which so finds limit NULL and makes itself
 * a new log, whichever way it was forked.
 */
#ifndef WEFT_RECORD_LOG_H
#define WEFT_RECORD_LOG_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
# include <x86intrin.h>
#endif

#include "record/core/core.h"

enum { WEFT_LOG_SLACK = 4096 }; /* bytes at the end of the buffer, for signal handlers */

struct weft_slot {
    uint64_t object, site;
};

struct weft_log {
    uint64_t *cursor; /* next free word */
    uint64_t *limit;  /* beyond it the buffer is drained; NULL: no buffer */
    uint64_t *end;
    uint64_t last_ticks;
    uint64_t looked; /* ticks when its thread's processor time was written last */
    /*
     * The table of pairs lies so many bytes behind this, and has so many slots, less one.  In
     * a wiped log both are 0, and the log itself is a slot that no object has.
     */
    int64_t slots_at;
    uint32_t slots_mask;
    uint32_t busy;   /* hooks that are in the log just now: handlers in one another */
    uintptr_t frame; /* of the outermost of them */
    uint32_t ordinal;
    bool dead;        /* cannot be recorded: its events are lost */
    bool has_place;   /* in the pool, to be given back */
    uint64_t *buffer; /* behind its piece, and the piece of the stream */
    uint64_t offset;  /* of the buffer's piece in the file */
    struct weft_thread_header *header;
    struct weft_piece *table; /* that the header is in */
    void *arena;              /* of the place */
    uint32_t index;
};

/* A log as the pool has it: the first table of slots is at hand. */
struct weft_pooled_log {
    struct weft_log log;
    pthread_mutex_t owner; /* of the thread that is about to be gone */
    struct weft_slot slots[WEFT_LOG_SLOTS_FIRST];
};

/* Where the processor has no clock to trust; apart, to keep the other path short. */
static __attribute__((noinline, cold, unused)) uint64_t weft_ticks_of_system(void)
{
    if (weft_record_stopped_at != 0)
        return weft_record_stopped_at;
#if defined(__x86_64__)
    if (weft_record_core_v1.tsc_of_others != 0)
        return __rdtsc();
#endif
    return (uint64_t)weft_record_core_v1.clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t weft_ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(weft_record_core_v1.clock_is_tsc != 0, 1))
        return __rdtsc();
#endif
    return weft_ticks_of_system();
}

static inline struct weft_log *weft_log_get(void)
{
    struct weft_log *log = weft_record_self;

    if (__builtin_expect(log == NULL, 0))
        log = weft_record_core_v1.log_first();
    return log;
}

/*
 * Was the function with this FRAME left for good, when the thread is at the stack pointer TARGET?
 * A handler that was interrupted there, or on a stack of its own, has not been.
 */
static __attribute__((noinline, cold, unused)) bool weft_frame_is_left(uintptr_t frame,
                                                                       uintptr_t target)
{
    stack_t other = { 0 }; /* that signal handlers may have */
    int saved = errno;
    bool frame_there, target_there;

    if (!__atomic_load_n(&weft_record_core_v1.without_signal_stack, __ATOMIC_RELAXED))
        (void)syscall(SYS_sigaltstack, NULL, &other);
    errno = saved;
    frame_there = frame - (uintptr_t)other.ss_sp < other.ss_size;
    target_there = target - (uintptr_t)other.ss_sp < other.ss_size;
    /* A thread gets onto that stack by a signal only, and not back but by leaving it. */
    return frame_there == target_there ? target >= frame : frame_there;
}

/* The thread goes on at TARGET: the record of a hook that was left on the way stays a hole. */
static __attribute__((noinline, cold, unused)) void weft_log_heal(struct weft_log *log,
                                                                  uintptr_t target)
{
    if (weft_frame_is_left(log->frame, target)) {
        log->busy = 0;
        log->frame = target;
    }
}

/*
 * Between these a signal handler's records do not drain the buffer.  A handler may leave the
 * hook that it interrupted by a jump; whoever is at its frame or above it later has the log
 * for himself.
 */
static inline void weft_log_enter(struct weft_log *log)
{
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);

    if (__builtin_expect(log->busy == 0, 1))
        log->frame = frame;
    else
        weft_log_heal(log, frame);
    log->busy++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void weft_log_leave(struct weft_log *log)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    log->busy--;
}

/* One instruction, so that a handler reserves before or after but never the same. */
static inline uint64_t *weft_log_take(struct weft_log *log, uint32_t words)
{
    uint64_t bytes = words * sizeof(uint64_t);
#if defined(__x86_64__)
    __asm__ volatile("xaddq %0, %1" : "+r"(bytes), "+m"(log->cursor) : : "memory", "cc");
    return (uint64_t *)bytes;
#else
    return (uint64_t *)__atomic_fetch_add((uintptr_t *)&log->cursor, bytes,
                                          __ATOMIC_RELAXED);
#endif
}

/* The first word of a record with WORDS words after it; ARGUMENT is lost when it is long. */
static inline uint64_t weft_log_word(uint64_t ticks, uint32_t kind, uint32_t words,
                                     uint32_t argument)
{
    return words < WEFT_WORDS_LONG ? weft_record_word(ticks, kind, words, argument)
                                   : weft_record_word(ticks, kind, WEFT_WORDS_LONG, words);
}

/*
 * Whoever reads the file before the record is sealed finds a hole of its length: the thread was
 * killed, and what a processor had not stored yet is stored then, so only the compiler's order
 * matters.
 */
static inline void weft_log_mark(uint64_t *at, uint32_t words)
{
    __atomic_store_n(at, weft_log_word(0, WEFT_RECORD_HOLE, words, 0), __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * Room for a record of WORDS words after the first, inside enter and leave; NULL: it is lost
 * (and counted).  The caller fills the words after the first, then seals.
 */
static inline uint64_t *weft_log_reserve(struct weft_log *log, uint32_t words,
                                         uint64_t ticks)
{
    uint64_t *at;

    if (__builtin_expect((uintptr_t)(log->cursor + 1 + words) > (uintptr_t)log->limit
                             || (ticks - log->last_ticks) >> 30 != 0,
                         0)
        && !weft_record_core_v1.log_make_room(log, 1 + words, ticks))
        return NULL;
    at = weft_log_take(log, 1 + words);
    if (__builtin_expect(at + 1 + words > log->end, 0)) {
        weft_record_core_v1.log_lose(log);
        return NULL;
    }
    if (words > 0)
        weft_log_mark(at, words);
    log->last_ticks = ticks;
    return at;
}

static inline void weft_log_seal(uint64_t *at, uint64_t ticks, uint32_t kind,
                                 uint32_t words, uint32_t argument)
{
    /* Stored last: the processor keeps the order of stores for whoever reads the file. */
    __atomic_store_n(at, weft_log_word(ticks, kind, words, argument), __ATOMIC_RELEASE);
}

/* A whole record.  ARGUMENT needs at most 20 bits, and is lost when WEFT_WORDS_LONG follow. */
static inline bool weft_log_put_words(struct weft_log *log, uint64_t ticks, uint32_t kind,
                                      uint32_t argument, const uint64_t *words,
                                      uint32_t n_words)
{
    uint64_t *at;

    weft_log_enter(log);
    at = weft_log_reserve(log, n_words, ticks);
    if (__builtin_expect(at != NULL, 1)) {
        for (uint32_t i = 0; i < n_words; i++)
            at[1 + i] = words[i];
        weft_log_seal(at, ticks, kind, n_words, argument);
    }
    weft_log_leave(log);
    return at != NULL;
}

/* A whole record of one word, and of two. */
static inline bool weft_log_put(struct weft_log *log, uint64_t ticks, uint32_t kind,
                                uint32_t argument)
{
    return weft_log_put_words(log, ticks, kind, argument, NULL, 0);
}

static inline bool weft_log_put_word(struct weft_log *log, uint64_t ticks, uint32_t kind,
                                     uint32_t argument, uint64_t word)
{
    return weft_log_put_words(log, ticks, kind, argument, &word, 1);
}

static inline __attribute__((always_inline)) struct weft_slot *
weft_log_slot(struct weft_log *log, uint32_t slot)
{
    return (struct weft_slot *)((char *)log + log->slots_at) + slot;
}

/* The event of weft_log_object, in this log. */
static inline __attribute__((always_inline)) void
weft_log_object_in(struct weft_log *log, uint64_t ticks, uint32_t kind, uint32_t class,
                   const void *object, uint64_t site, uint32_t extra, uint64_t value)
{
    uint64_t address = (uint64_t)(uintptr_t)object;
    uint64_t hash =
        (address >> 3) * UINT64_C(0x9e3779b97f4a7c15) ^ site * UINT64_C(0xc2b2ae3d27d4eb4f);
    uint32_t slot = (uint32_t)(hash >> 40) & log->slots_mask;
    const struct weft_slot *known = weft_log_slot(log, slot);

    weft_log_enter(log);
    if (__builtin_expect(log->busy > 1 || known->object != address || known->site != site,
                         0))
        slot = weft_record_core_v1.log_define(log, ticks, class, address, site, slot);
    if (__builtin_expect(slot <= WEFT_LOG_HANDLER_SLOT, 1)) {
        uint64_t *at = weft_log_reserve(log, extra, ticks);
        if (__builtin_expect(at != NULL, 1)) {
            if (extra > 0)
                at[1] = value;
            weft_log_seal(at, ticks, kind, extra, slot);
        }
    }
    weft_log_leave(log);
}

/*
 * An event of an OBJECT of a CLASS (the family's own number, below WEFT_CLASSES) at a call
 * SITE.  EXTRA is 0 or 1 words.  A handler that comes between the look-up and the record must
 * not redefine the slot: it uses one that is never kept.  Inlined by force: as a function of
 * its own a pair of lock and unlock costs 3 ns more.
 */
static inline __attribute__((always_inline)) void
weft_log_object(uint64_t ticks, uint32_t kind, uint32_t class, const void *object,
                uint64_t site, uint32_t extra, uint64_t value)
{
    weft_log_object_in(weft_log_get(), ticks, kind, class, object, site, extra, value);
}

#endif
