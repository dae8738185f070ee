/* SPDX-License-Identifier: Apache-2.0 */
/* What the hooks of threads, locks, waits and calls stand on. */
#ifndef WEFT_RECORD_THREADS_H
#define WEFT_RECORD_THREADS_H

#include <stddef.h>

#include "domains/threads/format/records.h"
#include "record/log/log.h"
#include "record/core/real.h"

#define CORE weft_record_core_v1

/* ---- Waits (waiting.c) ---- */

/*
 * A call that may wait, on the stack of its hook.  It ends by weft_waiting_ends, or the thread
 * is cancelled or exits in it: then the variable's clean-up says so.  Or a signal handler jumps
 * out of it: jumps.c.
 */
struct weft_waiting {
    uint32_t began;         /* kind of the record that began it: WAIT, JOIN or CALL */
    enum weft_object class; /* WAIT: of what, where, and the mutex that waiting in ... */
    const void *object;
    const void *mutex; /* ... a condition gives back meanwhile; else NULL */
    uint64_t site;
    uint32_t depth;   /* how many waits of the thread are around it */
    uint32_t regains; /* record of the mutex when it is over: ACQUIRE, INHERIT, or KEPT */
    bool over;
};

WEFT_HIDDEN void weft_waiting_left(struct weft_waiting *waiting);
#define WEFT_WAITING                                                                       \
 struct weft_waiting waiting __attribute__((cleanup(weft_waiting_left))) = { 0 }

/* FRAME is the hook's frame address. */
WEFT_HIDDEN void weft_waiting_begins(struct weft_waiting *waiting, enum weft_object class,
                                     const void *object, const void *mutex, uint64_t site,
                                     const void *frame);
/* The record KIND of the object ends it; then the mutex is held again, or as REGAINS says. */
WEFT_HIDDEN void weft_waiting_ends(struct weft_waiting *waiting, uint32_t kind);
WEFT_HIDDEN void weft_join_begins(struct weft_waiting *waiting, uint64_t handle,
                                  uint64_t site, const void *frame);
WEFT_HIDDEN void weft_join_ends(struct weft_waiting *waiting, bool joined);
WEFT_HIDDEN void weft_call_begins(struct weft_waiting *waiting, enum weft_call call,
                                  uint64_t site, const void *frame);
WEFT_HIDDEN void weft_call_ends(struct weft_waiting *waiting);
/* The thread goes on at the stack pointer TARGET: waits whose hooks lie below are left. */
WEFT_HIDDEN void weft_waiting_jumps(uintptr_t target);

/*
 * Times and clocks that functions refuse before anything else: then they are called as if nobody
 * recorded, since what is tried first here would succeed.
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

/* The calling thread's stack lies between these. */
WEFT_HIDDEN void weft_stack_is(const void *low, const void *high);
/* In a forked child, whose log has nothing of this yet. */
WEFT_HIDDEN void weft_stack_forked(void);
/* Record what lies above the frame of the hook that was called at SITE. */
WEFT_HIDDEN void weft_stack_note(uint64_t site, const void *frame);

/* ---- Objects ---- */

/* Where it is not the usual case: as a call. */
WEFT_HIDDEN void weft_event(uint32_t kind, enum weft_object class, const void *object,
                            uint64_t site);

/* INIT, when RESULT is 0; SHARED: other processes may use it, too. */
WEFT_HIDDEN int weft_initialized(int result, enum weft_object class, const void *object,
                                 bool shared, uint64_t site);
/*
 * DESTROY, when RESULT is 0: a mutex that somebody holds stays one.  TICKS are of before the call
 * was made: another thread may have a new object at the address before this one comes to write
 * its record, and all it does with that is stamped after the call.  Records are joined by their
 * stamps, not by when they were written.
 */
WEFT_HIDDEN int weft_destroyed(int result, uint64_t ticks, enum weft_object class,
                               const void *object, uint64_t site);
/*
 * Other processes may use the object at ADDRESS, too: record what memory it is in, once for
 * each mapping.
 */
WEFT_HIDDEN void weft_shared_see(const void *address);
/* The same for an object that says whether they may. */
static inline void weft_shared_see_if(bool shared, const void *address)
{
    if (__builtin_expect(shared, 0))
        weft_shared_see(address);
}
/* The same for an object that does not say whether others may: for some mappings, then no more. */
WEFT_HIDDEN void weft_shared_ask(const void *address);
/* The same where the mapping may be a new one; NAME: what people call it, if not as its file. */
WEFT_HIDDEN void weft_shared_see_new(const void *address, const char *name);

/*
 * Whether other processes may use it, as the GNU library's structures say: public ones, and those
 * of semaphores and barriers, which programs have in files that they share and so stay as they
 * are.  Elsewhere only what initializes an object knows.
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
