/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event path: from a stamp to a record in the calling thread's log, without locks or
 * allocation; a system call is made only when a buffer is full.  All of it is inlined into
 * the families; slow paths are called through the core's table.
 *
 * Signal handlers may come at any instruction.  One instruction reserves the room of a
 * record, and a thread drains its buffer only while none of its records is half written
 * (see busy); records that a handler writes meanwhile may use the slack after the limit.
 *
 * The log's memory is wiped in a forked child (MADV_WIPEONFORK).  The child then finds
 * limit NULL and makes a new log, however it was forked.
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

enum { WEFT_LOG_SLACK = 4096 }; /* bytes after weft_log.limit, for signal handlers */

/* A slot: its number stands for this pair of object and call site in records. */
struct weft_slot {
    uint64_t object, site;
};

/*
 * The log of one thread: how far the buffer is filled that its records go into, and its
 * table of slots (numbers that stand for pairs of object and call site).  It lies in a
 * place of the pool (pool.h), and is reused by later threads; one that is `dead` belongs to
 * its thread alone.
 */
struct weft_log {
    uint64_t *cursor; /* next free word; may be beyond `end` if records were lost */
    uint64_t *limit;  /* beyond it the buffer is drained (to the file); NULL: no buffer */
    uint64_t *end;    /* of the buffer, WEFT_LOG_SLACK bytes after `limit` */
    uint64_t last_ticks; /* of the last record; 0: the next one needs the full time */
    uint64_t looked;     /* ticks when the thread's processor time was last asked for */
    /*
     * The table of slots: its distance from this struct in bytes, and its number of slots
     * less one.  In a wiped log both are 0: then the log itself is read as a slot, which
     * matches no object.
     */
    int64_t slots_at;
    uint32_t slots_mask;
    uint32_t busy;    /* number of nested hooks that are using the log now */
    uintptr_t frame;  /* frame address of the outermost of these hooks */
    uint32_t ordinal; /* number of the thread in its process image, from 0 */
    bool dead;        /* the thread cannot be recorded: its events are lost */
    bool has_place;   /* (arena, index) is a place in the pool */
    uint64_t *buffer; /* follows two piece headers: the buffer's and the stream's */
    uint64_t offset;  /* of the buffer's piece in the file */
    struct weft_thread_header *header; /* in the file; NULL: none yet, or dead */
    struct weft_piece *table;          /* piece of the file that has the header */
    void *arena;                       /* of the place in the pool (pool.h) ... */
    uint32_t index;                    /* ... and its index there */
};

/* A log of the pool, together with its first table of slots (numbers that stand for pairs
   of object and call site). */
struct weft_pooled_log {
    struct weft_log log;
    /* Held by the log's thread until it is gone (thread_is_gone.h). */
    pthread_mutex_t owner;
    struct weft_slot slots[WEFT_LOG_SLOTS_FIRST];
};

/*
 * Returns the time now, in ticks of the process's clock, where weft_ticks() does not read
 * the TSC itself; a constant in a thread that has lost its clocks.  Not inlined, to keep
 * weft_ticks() short.
 */
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

/*
 * Returns the time now in ticks of the process's clock: of the TSC, if clock_is_tsc or
 * tsc_of_others of weft_record_core_v1 is not 0; else ns of CLOCK_MONOTONIC.  In a thread
 * that has lost its clocks it returns a constant, weft_record_stopped_at.
 */
static inline uint64_t weft_ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(weft_record_core_v1.clock_is_tsc != 0, 1))
        return __rdtsc();
#endif
    return weft_ticks_of_system();
}

/*
 * Returns the calling thread's log, opened if needed; never NULL.  If the thread cannot be
 * recorded, the log is `dead`: events in it are counted as lost.
 */
static inline struct weft_log *weft_log_get(void)
{
    struct weft_log *log = weft_record_self;

    if (__builtin_expect(log == NULL, 0))
        log = weft_record_core_v1.log_first();
    return log;
}

/*
 * Returns true if the calling thread, which is now at stack pointer TARGET or jumps there,
 * has left the function whose frame address is FRAME for good.  A frame that a handler has
 * interrupted, perhaps on a signal stack, was not left.
 */
static __attribute__((noinline, cold, unused)) bool weft_frame_is_left(uintptr_t frame,
                                                                       uintptr_t target)
{
    stack_t other = { 0 }; /* the signal stack, if there is one */
    int saved = errno;
    bool frame_there, target_there;

    if (!__atomic_load_n(&weft_record_core_v1.without_signal_stack, __ATOMIC_RELAXED))
        (void)syscall(SYS_sigaltstack, NULL, &other);
    errno = saved;
    frame_there = frame - (uintptr_t)other.ss_sp < other.ss_size;
    target_there = target - (uintptr_t)other.ss_sp < other.ss_size;
    /* A thread is on that stack only in a signal handler, until it leaves it for good. */
    return frame_there == target_there ? target >= frame : frame_there;
}

/*
 * Call for the calling thread's LOG, with log->busy not 0, when the thread continues at
 * stack pointer TARGET: if it has left all its hooks (the recorder's functions around calls
 * of the program) by a longjmp, log->busy becomes 0, and an unfinished record stays a hole.
 * Else it has no effect.
 */
static __attribute__((noinline, cold, unused)) void weft_log_heal(struct weft_log *log,
                                                                  uintptr_t target)
{
    if (weft_frame_is_left(log->frame, target)) {
        log->busy = 0;
        log->frame = target;
    }
}

/*
 * Begins the use of the calling thread's LOG by a hook (a function of the recorder around a
 * call of the program), until weft_log_leave(); may nest.
 * Meanwhile records of signal handlers do not drain the buffer.  A handler may leave an
 * interrupted hook by a longjmp; a later hook at or above that frame then resets busy.
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

/* Ends the use of the calling thread's LOG that weft_log_enter() began. */
static inline void weft_log_leave(struct weft_log *log)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    log->busy--;
}

/*
 * Takes WORDS words of the buffer of LOG and returns the first, by one instruction, so that
 * signal handlers get others.  It does not test whether the buffer has so many: before the
 * caller writes there, it compares the end of the words with log->end.
 */
static inline uint64_t *weft_log_claim(struct weft_log *log, uint32_t words)
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

/*
 * Returns the first word of a record of KIND with the low half of TICKS, to be followed by
 * WORDS words.  ARGUMENT has up to 20 bits, and is left out if WORDS >= WEFT_WORDS_LONG.
 */
static inline uint64_t weft_log_word(uint64_t ticks, uint32_t kind, uint32_t words,
                                     uint32_t argument)
{
    return words < WEFT_WORDS_LONG ? weft_record_word(ticks, kind, words, argument)
                                   : weft_record_word(ticks, kind, WEFT_WORDS_LONG, words);
}

/*
 * Marks an unfinished record at AT, of WORDS words after the first, as a hole, which a
 * reader of the file skips if the thread is killed before weft_log_seal().  Stores that are
 * pending at a kill still complete, so only the compiler's order matters.
 */
static inline void weft_log_mark(uint64_t *at, uint32_t words)
{
    __atomic_store_n(at, weft_log_word(0, WEFT_RECORD_HOLE, words, 0), __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * Reserves a record of WORDS words after the first at TICKS in the calling thread's LOG,
 * between weft_log_enter() and weft_log_leave(), and returns its first word; NULL if there
 * is no room: then it is counted as lost.  The caller fills the words after the first, then
 * calls weft_log_seal().
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
    at = weft_log_claim(log, 1 + words);
    if (__builtin_expect(at + 1 + words > log->end, 0)) {
        weft_record_core_v1.log_lose(log);
        return NULL;
    }
    if (words > 0)
        weft_log_mark(at, words);
    log->last_ticks = ticks;
    return at;
}

/*
 * Makes a record of KIND that weft_log_reserve() returned as AT, with the same TICKS and
 * WORDS, valid by storing its first word.  ARGUMENT has up to 20 bits, and is left out if
 * WORDS >= WEFT_WORDS_LONG.
 */
static inline void weft_log_seal(uint64_t *at, uint64_t ticks, uint32_t kind,
                                 uint32_t words, uint32_t argument)
{
    /* Stored last: the processor keeps the order of stores for readers of the file. */
    __atomic_store_n(at, weft_log_word(ticks, kind, words, argument), __ATOMIC_RELEASE);
}

/*
 * Writes a record of KIND at TICKS with N_WORDS words after the first into the calling
 * thread's LOG; false if it is lost, which is counted.  ARGUMENT has up to 20 bits, and is
 * left out if N_WORDS >= WEFT_WORDS_LONG.
 */
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

/*
 * Writes a record of KIND at TICKS with no word after the first into the calling thread's
 * LOG; false if it is lost, which is counted.  ARGUMENT has up to 20 bits.
 */
static inline bool weft_log_put(struct weft_log *log, uint64_t ticks, uint32_t kind,
                                uint32_t argument)
{
    return weft_log_put_words(log, ticks, kind, argument, NULL, 0);
}

/*
 * Writes a record of KIND at TICKS with one WORD after the first into the calling thread's
 * LOG; false if it is lost, which is counted.  ARGUMENT has up to 20 bits.
 */
static inline bool weft_log_put_word(struct weft_log *log, uint64_t ticks, uint32_t kind,
                                     uint32_t argument, uint64_t word)
{
    return weft_log_put_words(log, ticks, kind, argument, &word, 1);
}

/*
 * Returns entry SLOT, a pair of object and call site, of the table of LOG; SLOT is at most
 * log->slots_mask.
 */
static inline __attribute__((always_inline)) struct weft_slot *
weft_log_slot(struct weft_log *log, uint32_t slot)
{
    return (struct weft_slot *)((char *)log + log->slots_at) + slot;
}

/*
 * Records an event of KIND at TICKS about OBJECT at the call SITE in LOG, which is the
 * calling thread's (weft_log_get()), or counts it as lost.  CLASS: the recorder's number
 * for the kind of object; EXTRA: 1 if VALUE follows in the record, else 0.  The record's
 * argument is the slot (number) of the pair (OBJECT, SITE).
 */
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
 * Records an event of KIND at TICKS about OBJECT (a lock, say) at the call SITE in the
 * calling thread's log, or counts it as lost.  CLASS is the recorder's own number for the
 * kind of object, below WEFT_CLASSES.  EXTRA is 1 if VALUE follows in the record, else 0.
 * The record's argument is the slot of the pair (OBJECT, SITE), which a record defines at
 * its first use.  A handler that comes between look-up and record must not redefine the
 * slot: it uses a slot that is never kept.  Inlined by force: as a function, a pair of lock
 * and unlock costs 3 ns more.
 */
static inline __attribute__((always_inline)) void
weft_log_object(uint64_t ticks, uint32_t kind, uint32_t class, const void *object,
                uint64_t site, uint32_t extra, uint64_t value)
{
    weft_log_object_in(weft_log_get(), ticks, kind, class, object, site, extra, value);
}

#endif
