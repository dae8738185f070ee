/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the core of the recorder offers the families: one table, found by one symbol, and
 * beside it the calling thread's log, which is reached without a call.  A family is a shared
 * library of its own that is preloaded after the core's and linked against it; the loader
 * binds both symbols before any code runs, so that a hook that is called before any
 * constructor may use them.
 *
 * The table only grows: a family that was built against a longer one is refused by `join`,
 * and must then call nothing of it.  Every function may be called from any thread and from
 * signal handlers, keeps errno, and neither locks nor allocates by malloc.
 */
#ifndef WEFT_RECORD_CORE_H
#define WEFT_RECORD_CORE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "format/recording_layout.h"

#define WEFT_HIDDEN __attribute__((visibility("hidden")))
#define WEFT_EXPORT __attribute__((visibility("default")))
#define WEFT_SITE   ((uint64_t)(uintptr_t)__builtin_return_address(0))

enum { WEFT_RECORD_CORE_VERSION = 1 };

struct weft_log; /* log.h */

/* What a family says of itself, once, in its constructor; kept by reference. */
struct weft_record_family {
    enum weft_family number;
    uint32_t core_size; /* sizeof(struct weft_record_core) that it was built against */
    /* A thread that has a log is about to end: what the family still wants to write. */
    void (*thread_ends)(void); /* or NULL */
};

struct weft_record_core {
    uint32_t version, size;
    uint32_t clock_is_tsc; /* else the clock is CLOCK_MONOTONIC, in nanoseconds */

    /* Take part.  False: the family was built against another core. */
    bool (*join)(const struct weft_record_family *family);

    /* The process image.  start: begin recording it, once; false: it is not recorded. */
    bool (*process_start)(void);
    /* It is about to end without its destructors.  Touches neither errno nor other TLS. */
    void (*process_finish)(void);
    /* A number for a thread that is about to be made, and its log when it has begun. */
    uint32_t (*thread_number)(void);
    void (*thread_begins)(uint32_t number);

    /* The slow half of log.h. */
    struct weft_log *(*log_first)(void); /* the calling thread has none yet; never NULL */
    bool (*log_make_room)(struct weft_log *log, uint32_t words, uint64_t ticks);
    void (*log_lose)(struct weft_log *log);
    /* The slot of a pair that is not at SLOT; above WEFT_LOG_HANDLER_SLOT: it is lost. */
    uint32_t (*log_define)(struct weft_log *log, uint64_t ticks, uint32_t class,
                           uint64_t object, uint64_t site, uint32_t slot);
    /* A record of N_WORDS of WORDS (at most 8) and a text, of which 240 bytes are kept; NULL: none. */
    void (*log_text)(uint64_t ticks, uint32_t kind, const uint64_t *words, uint32_t n_words,
                     const char *text);

    /* The number of a name, stored in *number (0 until then): 1 and up. */
    uint32_t (*name)(uint32_t *number, const char *text, uint64_t site);
    /* The calling thread has this name from now on. */
    void (*thread_name)(const char *name);
    /* Processor time of the calling thread so far: at calls that may block. */
    void (*processor_time)(void);
    /* Code or data at this address is referred to: copy the maps if they do not have it. */
    void (*see)(uint64_t address);
    /* The process is about to get this filter of system calls: struct sock_fprog, or NULL for
       the strict mode. */
    void (*filter)(const void *program);
    /* A filter does not let the thread ask for the stack of its signal handlers. */
    uint32_t without_signal_stack;
    /* What filters do not let pass any more: bits by enum weft_need (sandbox.h). */
    uint32_t forbidden;
    /* Some thread has no clock, so clock_is_tsc is 0: whether it is that of the others. */
    uint32_t tsc_of_others;
    /* It has it, or, where the kernel REFUSED it, what was FORBIDDEN before is so again. */
    void (*filter_ends)(const void *program, bool refused, uint32_t forbidden);
    /* Block all signals, as around a lock that a handler may want, too; the mask that was before. */
    uint64_t (*block_signals)(void);
    void (*restore_signals)(uint64_t before);
    /* One of the system's clocks in nanoseconds, by the C library's own function. */
    int64_t (*clock_ns)(clockid_t clock);
};

WEFT_EXPORT extern struct weft_record_core weft_record_core_v1;
/* The strict mode of filters takes the thread's clocks, too: what it has instead; 0: it has them. */
WEFT_EXPORT extern __thread uint64_t weft_record_stopped_at
    __attribute__((tls_model("initial-exec")));
WEFT_EXPORT extern __thread struct weft_log *weft_record_self
    __attribute__((tls_model("initial-exec")));

#endif
