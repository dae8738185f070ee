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

/*
 * WEFT_HIDDEN, WEFT_EXPORT: whether other libraries cannot, or can, see a symbol.
 * WEFT_SITE, in a hook: the return address of its call, by which readers find the call.
 */
#define WEFT_HIDDEN __attribute__((visibility("hidden")))
#define WEFT_EXPORT __attribute__((visibility("default")))
#define WEFT_SITE   ((uint64_t)(uintptr_t)__builtin_return_address(0))

/* The version of struct weft_record_core; a table that only grew keeps it. */
enum { WEFT_RECORD_CORE_VERSION = 1 };

struct weft_log; /* log.h */

/* Describes a family (a recorder library), for `join`; the core keeps the pointer. */
struct weft_record_family {
    uint32_t number;    /* WEFT_FAMILY_..., below WEFT_FAMILIES_MAX */
    uint32_t core_size; /* sizeof(struct weft_record_core) that it was built against */
    /* Called by a thread with a log before it ends, to write last records; or NULL. */
    void (*thread_ends)(void);
};

/*
 * The table of functions and facts that the core offers to the recorder libraries; there is
 * one, weft_record_core_v1.
 */
struct weft_record_core {
    uint32_t version, size; /* WEFT_RECORD_CORE_VERSION; sizeof this struct */
    /* 1: stamps are of the TSC; 0: of CLOCK_MONOTONIC, in ns (but see tsc_of_others) */
    uint32_t clock_is_tsc;

    /*
     * Registers a family, whose struct the core keeps; false, without effect, if it was
     * built against a longer table, or its number is WEFT_FAMILIES_MAX or more.
     */
    bool (*join)(const struct weft_record_family *family);

    /*
     * Begins recording this process image, at the first call; false if it is not recorded,
     * or while another thread is starting it.
     */
    bool (*process_start)(void);
    /* The process is about to end without running destructors.  Uses no errno, no TLS. */
    void (*process_finish)(void);
    /*
     * Returns a number, from 0, for a thread that the caller is about to make; the new
     * thread itself calls thread_begins(number) first, which opens its log.
     */
    uint32_t (*thread_number)(void);
    void (*thread_begins)(uint32_t number);

    /* The slow paths of log.h. */
    /* Gives the calling thread its first log; never NULL. */
    struct weft_log *(*log_first)(void);
    /*
     * Makes room for WORDS words, the first of the record included, at TICKS; false if
     * there is none: then the event is lost, and counted as lost.
     */
    bool (*log_make_room)(struct weft_log *log, uint32_t words, uint64_t ticks);
    /* Counts an event of LOG's thread that is lost. */
    void (*log_lose)(struct weft_log *log);
    /*
     * Returns the slot of the pair (OBJECT, SITE), which is not at SLOT, the pair's hash; a
     * new pair gets one and a record with CLASS.  Above WEFT_LOG_HANDLER_SLOT: lost.
     */
    uint32_t (*log_define)(struct weft_log *log, uint64_t ticks, uint32_t class,
                           uint64_t object, uint64_t site, uint32_t slot);
    /*
     * Writes a record of KIND at TICKS into the calling thread's log: N_WORDS words (more
     * than 8: nothing is written), then TEXT (or NULL), cut to 240 bytes.
     */
    void (*log_text)(uint64_t ticks, uint32_t kind, const uint64_t *words, uint32_t n_words,
                     const char *text);

    /*
     * Gives the name TEXT (NULL: empty), used at the address SITE, a number from 1 and
     * records it; stores the number in *NUMBER and returns it.  Call it only while *NUMBER
     * is 0; if another thread has set it meanwhile, returns that number.
     */
    uint32_t (*name)(uint32_t *number, const char *text, uint64_t site);
    /* Records that the calling thread is called NAME (cut to 240 bytes) from now on. */
    void (*thread_name)(const char *name);
    /* Records the calling thread's processor time so far: before a call that may block. */
    void (*processor_time)(void);
    /*
     * Copies /proc/self/maps into the log unless a copy there covers the code at ADDRESS;
     * for generated code copies become ever rarer.
     */
    void (*see)(uint64_t address);
    /*
     * Call before a seccomp filter is installed.  PROGRAM is its struct sock_fprog; NULL:
     * strict mode.  Calls that it forbids are not made any more.
     */
    void (*filter)(const void *program);
    /* Not 0 if a seccomp filter forbids sigaltstack, by which the signal stack is found. */
    uint32_t without_signal_stack;
    /*
     * System calls that seccomp filters forbid: bits 1 << enum weft_need
     * (seccomp_filters.h).
     */
    uint32_t forbidden;
    /* 1: clock_is_tsc is 0 only because some thread lost its clocks; others use the TSC. */
    uint32_t tsc_of_others;
    /*
     * Call after the attempt to install the filter.  REFUSED: the kernel did not install
     * it, and `forbidden` becomes FORBIDDEN again, its value before filter() was called.
     */
    void (*filter_ends)(const void *program, bool refused, uint32_t forbidden);
    /*
     * block_signals blocks all signals of the calling thread, around a lock that a handler
     * may want, and returns the mask BEFORE, which restore_signals sets again.  Both have
     * no effect where seccomp forbids it.
     */
    uint64_t (*block_signals)(void);
    void (*restore_signals)(uint64_t before);
    /*
     * Returns a system clock in nanoseconds, read by the C library's own function; 0 if
     * that fails, or in a thread that has lost its clocks.
     */
    int64_t (*clock_ns)(clockid_t clock);
};

/* The table of the recorder's core, in the core's library; valid from the loading on. */
WEFT_EXPORT extern struct weft_record_core weft_record_core_v1;
/*
 * Not 0 if seccomp's strict mode took the calling thread's clocks away: weft_ticks() then
 * returns this value.
 */
WEFT_EXPORT extern __thread uint64_t weft_record_stopped_at
    __attribute__((tls_model("initial-exec")));
/*
 * The calling thread's log; NULL until thread_begins(), or weft_log_get() at the first
 * event, opens it.  If the thread cannot be recorded, it is a dead log, which loses events;
 * so it may be after the log was closed.
 */
WEFT_EXPORT extern __thread struct weft_log *weft_record_self
    __attribute__((tls_model("initial-exec")));

#endif
