/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of the recorder's core for the families: one table of functions, found by
 * one symbol, and beside it the calling thread's log, which is reached without a call.  A
 * family is a shared library that records one subject; it is preloaded after the core and
 * linked against it.  The loader binds both symbols before any code runs, so a hook that is
 * called before any constructor may use them.
 *
 * The table only grows.  `join` refuses a family that was built against a longer table, and
 * such a family must not call anything in it.  Every function may be called from any thread
 * and from signal handlers, keeps errno, takes no locks and does not call malloc.
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

/* A family's description, given once in its constructor; the core keeps the pointer. */
struct weft_record_family {
    uint32_t number;    /* of the family */
    uint32_t core_size; /* sizeof(struct weft_record_core) that it was built against */
    /* Called before a thread with a log ends, to write last records; or NULL. */
    void (*thread_ends)(void);
};

/*
 * The table of functions and facts that the core offers to the recorder libraries; there is
 * one, weft_record_core_v1.
 */
struct weft_record_core {
    uint32_t version, size; /* WEFT_RECORD_CORE_VERSION; sizeof this struct */
    uint32_t clock_is_tsc; /* else the clock is CLOCK_MONOTONIC, in nanoseconds */

    /*
     * Registers a family; false if it was built against a longer table, or its number is
     * WEFT_FAMILIES_MAX or more.
     */
    bool (*join)(const struct weft_record_family *family);

    /*
     * Begins recording this process image, at the first call; false if it is not recorded,
     * or while another thread is starting it.
     */
    bool (*process_start)(void);
    /* The process is about to end without running destructors.  Uses no errno, no TLS. */
    void (*process_finish)(void);
    /* Returns a number for a new thread, which opens its log by thread_begins(number). */
    uint32_t (*thread_number)(void);
    void (*thread_begins)(uint32_t number);

    /* The slow paths of log.h. */
    /* Give the calling thread its first log; never NULL. */
    struct weft_log *(*log_first)(void);
    /* Makes room for WORDS words of a record at TICKS; false if the event is lost. */
    bool (*log_make_room)(struct weft_log *log, uint32_t words, uint64_t ticks);
    /* Counts a lost event. */
    void (*log_lose)(struct weft_log *log);
    /* Returns the slot of (OBJECT, SITE), not at SLOT; above WEFT_LOG_HANDLER_SLOT: lost.
     */
    uint32_t (*log_define)(struct weft_log *log, uint64_t ticks, uint32_t class,
                           uint64_t object, uint64_t site, uint32_t slot);
    /* Write a record of N_WORDS (at most 8) words and up to 240 bytes of TEXT (or NULL). */
    void (*log_text)(uint64_t ticks, uint32_t kind, const uint64_t *words, uint32_t n_words,
                     const char *text);

    /* Returns the number (from 1) of a name, and caches it in *NUMBER, which is 0 at first.
     */
    uint32_t (*name)(uint32_t *number, const char *text, uint64_t site);
    /* Name the calling thread from now on. */
    void (*thread_name)(const char *name);
    /* Record the calling thread's processor time so far; called at calls that may block. */
    void (*processor_time)(void);
    /* Copy /proc/self/maps into the log unless a copy there covers ADDRESS already. */
    void (*see)(uint64_t address);
    /* Call before a seccomp filter is installed: struct sock_fprog; NULL: strict mode. */
    void (*filter)(const void *program);
    /* Not 0 if a seccomp filter forbids sigaltstack, by which the signal stack is found. */
    uint32_t without_signal_stack;
    /* System calls that seccomp filters forbid: bits by enum weft_need (sandbox.h). */
    uint32_t forbidden;
    /* clock_is_tsc is 0 only because some thread lost its clocks; others use the TSC. */
    uint32_t tsc_of_others;
    /* The filter is installed, or REFUSED by the kernel: then `forbidden` is FORBIDDEN. */
    void (*filter_ends)(const void *program, bool refused, uint32_t forbidden);
    /* Block all signals, around a lock that a handler may want; returns the mask before. */
    uint64_t (*block_signals)(void);
    void (*restore_signals)(uint64_t before);
    /* Returns a system clock in nanoseconds, read by the C library's own function. */
    int64_t (*clock_ns)(clockid_t clock);
};

/* The table of the recorder's core, in the core's library; valid from the loading on. */
WEFT_EXPORT extern struct weft_record_core weft_record_core_v1;
/* The stamp of a thread whose clocks the strict mode took away; 0 if it has its clocks. */
WEFT_EXPORT extern __thread uint64_t weft_record_stopped_at
    __attribute__((tls_model("initial-exec")));
/* The calling thread's log; NULL before its first event.  weft_log_get() opens it. */
WEFT_EXPORT extern __thread struct weft_log *weft_record_self
    __attribute__((tls_model("initial-exec")));

#endif
