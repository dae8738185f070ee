/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event path: from a stamp to a record in the calling thread's log.  No locks, no
 * allocation, no system call but when a buffer is full (log.c).
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

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
# include <x86intrin.h>
#endif

#include "format/recording_layout.h"

#define WEFT_HIDDEN __attribute__((visibility("hidden")))
#define WEFT_EXPORT __attribute__((visibility("default")))
#define WEFT_SITE   ((uint64_t)(uintptr_t)__builtin_return_address(0))

enum { WEFT_LOG_SLACK = 4096 }; /* bytes at the end of the buffer, for signal handlers */

struct weft_slot {
    uint64_t object, site;
};

struct weft_log {
    uint64_t *cursor; /* next free word */
    uint64_t *limit;  /* beyond it the buffer is drained; NULL: no buffer */
    uint64_t *end;
    uint64_t last_ticks;
    uint32_t busy;
    uint32_t ordinal;
    bool dead; /* cannot be recorded: its events are lost */
    uint64_t *buffer;
    struct weft_thread_header *header;
    struct weft_slot slots[WEFT_LOG_SLOTS];
};

extern WEFT_HIDDEN __thread struct weft_log *weft_self
    __attribute__((tls_model("initial-exec")));
/* What its log is wiped of in a child. */
extern WEFT_HIDDEN __thread uint32_t weft_self_ordinal
    __attribute__((tls_model("initial-exec")));
extern WEFT_HIDDEN bool weft_clock_is_tsc;

/* Slow paths, in log.c. */
WEFT_HIDDEN struct weft_log *weft_log_open(uint32_t ordinal);
WEFT_HIDDEN struct weft_log *weft_log_open_first(void); /* at a thread's first event */
WEFT_HIDDEN bool weft_log_make_room(struct weft_log *log, uint32_t words, uint64_t ticks);
WEFT_HIDDEN void weft_log_lose(struct weft_log *log);
WEFT_HIDDEN void weft_log_close(struct weft_log *log); /* the thread ends */

static inline uint64_t weft_ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(weft_clock_is_tsc, 1))
        return __rdtsc();
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline struct weft_log *weft_log_get(void)
{
    struct weft_log *log = weft_self;

    if (__builtin_expect(log == NULL, 0))
        log = weft_log_open_first();
    return log;
}

/* Between these a signal handler's records do not drain the buffer. */
static inline void weft_log_enter(struct weft_log *log)
{
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

/*
 * Room for a record of WORDS words, inside enter and leave; NULL: it is lost (and counted).
 * The caller fills the words after the first, then seals.
 */
static inline uint64_t *weft_log_reserve(struct weft_log *log, uint32_t words,
                                         uint64_t ticks)
{
    uint64_t *at;

    if (__builtin_expect((uintptr_t)(log->cursor + words) > (uintptr_t)log->limit
                             || (ticks - log->last_ticks) >> 30 != 0,
                         0)
        && !weft_log_make_room(log, words, ticks))
        return NULL;
    at = weft_log_take(log, words);
    if (__builtin_expect(at + words > log->end, 0)) {
        weft_log_lose(log);
        return NULL;
    }
    log->last_ticks = ticks;
    return at;
}

static inline void weft_log_seal(uint64_t *at, uint64_t ticks, enum weft_record kind,
                                 uint32_t argument)
{
    /* Stored last: the processor keeps the order of stores for whoever reads the file. */
    __atomic_store_n(at, weft_record_word(ticks, kind, argument), __ATOMIC_RELEASE);
}

/* A whole record of up to three words. */
static inline bool weft_log_put(struct weft_log *log, uint64_t ticks, enum weft_record kind,
                                uint32_t argument, uint32_t extra, uint64_t first,
                                uint64_t second)
{
    uint64_t *at;

    weft_log_enter(log);
    at = weft_log_reserve(log, 1 + extra, ticks);
    if (__builtin_expect(at != NULL, 1)) {
        if (extra > 0)
            at[1] = first;
        if (extra > 1)
            at[2] = second;
        weft_log_seal(at, ticks, kind, argument);
    }
    weft_log_leave(log);
    return at != NULL;
}

/* A record that ends in text (in log.c); N_WORDS of WORDS come before the text. */
WEFT_HIDDEN void weft_log_put_text(struct weft_log *log, uint64_t ticks,
                                   enum weft_record kind, const uint64_t *words,
                                   uint32_t n_words, const char *text);

/* Say what a slot means (in log.c). */
WEFT_HIDDEN bool weft_log_define(struct weft_log *log, uint32_t slot, uint64_t ticks,
                                 enum weft_object class, uint64_t object, uint64_t site);

/*
 * An event of an OBJECT at a call SITE.  EXTRA is 0 or 1 words.  A handler that comes between
 * the look-up and the record must not redefine the slot: it uses one that is never kept.
 */
static inline void weft_log_object(uint64_t ticks, enum weft_record kind,
                                   enum weft_object class, const void *object,
                                   uint64_t site, uint32_t extra, uint64_t value)
{
    struct weft_log *log = weft_log_get();
    uint64_t address = (uint64_t)(uintptr_t)object;
    uint64_t hash =
        (address >> 3) * UINT64_C(0x9e3779b97f4a7c15) ^ site * UINT64_C(0xc2b2ae3d27d4eb4f);
    uint32_t slot = (uint32_t)(hash >> 54);
    bool known;

    weft_log_enter(log);
    if (__builtin_expect(log->busy > 1, 0))
        slot = WEFT_LOG_SLOTS;
    known = slot < WEFT_LOG_SLOTS && log->slots[slot].object == address
            && log->slots[slot].site == site;
    if (__builtin_expect(known, 1)
        || weft_log_define(log, slot, ticks, class, address, site)) {
        uint64_t *at = weft_log_reserve(log, 1 + extra, ticks);
        if (__builtin_expect(at != NULL, 1)) {
            if (extra > 0)
                at[1] = value;
            weft_log_seal(at, ticks, kind, slot);
        }
    }
    weft_log_leave(log);
}

#endif
