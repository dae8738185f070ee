/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the hooks for threads, locks, waits and calls. */
#ifndef WEFT_RECORD_THREADS_H
#define WEFT_RECORD_THREADS_H

#include <stddef.h>

#include "domains/threads/format/records.h"
#include "record/core/real.h"
#include "record/log/log.h"

#define CORE weft_record_core_v1

/* ---- Waits (waiting.c) ---- */

/*
 * A call of the program that may wait, on the stack of its hook.  The wait ends by
 * weft_waiting_ends, weft_join_ends or weft_call_ends; by weft_waiting_left if the thread
 * is cancelled or exits in the call; or by a longjmp out of a signal handler (jumps.c).
 */
struct weft_waiting {
    uint32_t began;         /* its first record's kind: WEFT_RECORD_WAIT, _JOIN or _CALL */
    enum weft_object class; /* of the object, if it began by WEFT_RECORD_WAIT */
    const void *object;
    const void *mutex; /* of a wait for a condition; else NULL */
    uint64_t site;
    uint32_t depth; /* number of the thread's waits around it */
    uint32_t
        regains; /* the mutex's record at the end: WEFT_RECORD_ACQUIRE, _INHERIT, _KEPT */
    bool over;   /* its end is recorded */
};

/* Records that the wait was given up, unless it is over.  For WEFT_WAITING. */
WEFT_HIDDEN void weft_waiting_left(struct weft_waiting *waiting);
/* Declares `waiting` in a hook. */
#define WEFT_WAITING                                                                       \
 struct weft_waiting waiting __attribute__((cleanup(weft_waiting_left))) = { 0 }

/*
 * Records that the program begins to wait for OBJECT, at SITE, and if MUTEX is not NULL
 * gives that back first.  FRAME is the frame address of the hook, here and below.
 */
WEFT_HIDDEN void weft_waiting_begins(struct weft_waiting *waiting, enum weft_object class,
                                     const void *object, const void *mutex, uint64_t site,
                                     const void *frame);
/* Ends the wait by a record KIND of the object, and waiting->regains of the mutex. */
WEFT_HIDDEN void weft_waiting_ends(struct weft_waiting *waiting, uint32_t kind);
/* Records that the program begins to wait for the end of thread HANDLE. */
WEFT_HIDDEN void weft_join_begins(struct weft_waiting *waiting, uint64_t handle,
                                  uint64_t site, const void *frame);
/* Ends that wait; JOINED: the other thread has ended. */
WEFT_HIDDEN void weft_join_ends(struct weft_waiting *waiting, bool joined);
/* Records that the program begins a call that may sleep; _ends: that it returned. */
WEFT_HIDDEN void weft_call_begins(struct weft_waiting *waiting, enum weft_call call,
                                  uint64_t site, const void *frame);
WEFT_HIDDEN void weft_call_ends(struct weft_waiting *waiting);
/* Records that a longjmp to stack pointer TARGET left all waits with frames below. */
WEFT_HIDDEN void weft_waiting_jumps(uintptr_t target);

/*
 * Return true for an invalid time or clock, which the hooked function rejects at once.  The
 * hook then calls it right away, since the hook's own attempt (trylock) could succeed.
 */
static inline bool weft_no_time(const struct timespec *until)
{
    return until && (until->tv_nsec < 0 || until->tv_nsec >= 1000000000);
}
static inline bool weft_no_clock(clockid_t clock)
{
    return clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC;
}

/* ---- The stack (stack.c) ---- */

/* Sets the bounds [LOW, HIGH) of the calling thread's stack. */
WEFT_HIDDEN void weft_stack_is(const void *low, const void *high);
/* In a forked child, whose log has no WEFT_RECORD_STACK yet: forgets the last one. */
WEFT_HIDDEN void weft_stack_forked(void);
/* Records the stack above FRAME, that of a hook called at SITE, unless unchanged. */
WEFT_HIDDEN void weft_stack_note(uint64_t site, const void *frame);

/* ---- Objects ---- */

/* Writes a record KIND of OBJECT now: weft_log_object as a function, for rare events. */
WEFT_HIDDEN void weft_event(uint32_t kind, enum weft_object class, const void *object,
                            uint64_t site);

/*
 * Records WEFT_RECORD_INIT if RESULT, of the program's call, is 0; returns RESULT.  SHARED:
 * other processes may use the object, too.
 */
WEFT_HIDDEN int weft_initialized(int result, enum weft_object class, const void *object,
                                 bool shared, uint64_t site);
/*
 * Records WEFT_RECORD_DESTROY, stamped TICKS, if RESULT, of the program's call, is 0;
 * returns RESULT.  TICKS were read before the call: another thread may use the address for
 * a new object before this record is written, and records are joined by their stamps, not
 * by when they were written.
 */
WEFT_HIDDEN int weft_destroyed(int result, uint64_t ticks, enum weft_object class,
                               const void *object, uint64_t site);
/* Records the memory mapping that ADDRESS, of a shared object, lies in, if not done yet. */
WEFT_HIDDEN void weft_shared_see(const void *address);
/* Calls weft_shared_see(ADDRESS) if SHARED. */
static inline void weft_shared_see_if(bool shared, const void *address)
{
    if (__builtin_expect(shared, 0))
        weft_shared_see(address);
}
/* Like weft_shared_see(), for an object that may be private; at most 1024 look-ups. */
WEFT_HIDDEN void weft_shared_ask(const void *address);
/* Like weft_shared_see(), but always looks it up.  NAME: the mapping's, or NULL: the
   file's. */
WEFT_HIDDEN void weft_shared_see_new(const void *address, const char *name);

/*
 * Returns true if other processes may use the object, as glibc's structures tell.  The
 * structures of semaphores and barriers are not public, but programs keep them in shared
 * files, so their layout is stable.  Without glibc, only the function that initializes an
 * object can tell.
 */
#ifdef __GLIBC__
# define WEFT_MUTEX_SHARED(mutex)         (((mutex)->__data.__kind & 128) != 0)
# define WEFT_RWLOCK_SHARED(lock)         ((lock)->__data.__shared != 0)
# define WEFT_CONDITION_SHARED(condition) (((condition)->__data.__wrefs & 1) != 0)
# define WEFT_SEMAPHORE_SHARED(semaphore) (((const int *)(const void *)(semaphore))[2] != 0)
# define WEFT_BARRIER_SHARED(barrier)     (((const int *)(const void *)(barrier))[3] != 0)
#else
# define WEFT_MUTEX_SHARED(mutex)         false
# define WEFT_RWLOCK_SHARED(lock)         false
# define WEFT_CONDITION_SHARED(condition) false
# define WEFT_SEMAPHORE_SHARED(semaphore) false
# define WEFT_BARRIER_SHARED(barrier)     false
#endif

#endif
