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
 * A call that may wait, on the stack of its hook.  It ends by weft_waiting_ends and its
 * kin; by the clean-up function of the variable if the thread is cancelled or exits in the
 * call; or by a longjmp out of a signal handler (jumps.c).
 */
struct weft_waiting {
    uint32_t began;         /* kind of the record that began it: WAIT, JOIN or CALL */
    enum weft_object class; /* WAIT: the class of the object */
    const void *object;
    const void *mutex; /* of a wait for a condition; else NULL */
    uint64_t site;
    uint32_t depth;   /* number of the thread's waits around it */
    uint32_t regains; /* the mutex's record at the end: ACQUIRE, INHERIT or KEPT */
    bool over;
};

/* The clean-up of WEFT_WAITING: gives the wait up unless it is over. */
WEFT_HIDDEN void weft_waiting_left(struct weft_waiting *waiting);
#define WEFT_WAITING                                                                       \
 struct weft_waiting waiting __attribute__((cleanup(weft_waiting_left))) = { 0 }

/* Record the begin of a wait.  FRAME is the frame address of the hook. */
WEFT_HIDDEN void weft_waiting_begins(struct weft_waiting *waiting, enum weft_object class,
                                     const void *object, const void *mutex, uint64_t site,
                                     const void *frame);
/* End the wait by the record KIND of the object, and one of the mutex (see regains). */
WEFT_HIDDEN void weft_waiting_ends(struct weft_waiting *waiting, uint32_t kind);
WEFT_HIDDEN void weft_join_begins(struct weft_waiting *waiting, uint64_t handle,
                                  uint64_t site, const void *frame);
WEFT_HIDDEN void weft_join_ends(struct weft_waiting *waiting, bool joined);
WEFT_HIDDEN void weft_call_begins(struct weft_waiting *waiting, enum weft_call call,
                                  uint64_t site, const void *frame);
WEFT_HIDDEN void weft_call_ends(struct weft_waiting *waiting);
/* The thread continues at stack pointer TARGET: waits whose hooks lie below it are left. */
WEFT_HIDDEN void weft_waiting_jumps(uintptr_t target);

/*
 * Invalid times and clocks, which the functions reject at once.  The hook then calls the
 * function right away, since its own attempt (trylock) could succeed.
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

/* Set the bounds of the calling thread's stack. */
WEFT_HIDDEN void weft_stack_is(const void *low, const void *high);
/* Reset in a forked child, whose log has no stack record yet. */
WEFT_HIDDEN void weft_stack_forked(void);
/* Record the words of the stack above the frame of the hook that was called at SITE. */
WEFT_HIDDEN void weft_stack_note(uint64_t site, const void *frame);

/* ---- Objects ---- */

/* weft_log_object as a function, for rare events. */
WEFT_HIDDEN void weft_event(uint32_t kind, enum weft_object class, const void *object,
                            uint64_t site);

/* Record INIT if RESULT is 0.  SHARED: other processes may use the object, too. */
WEFT_HIDDEN int weft_initialized(int result, enum weft_object class, const void *object,
                                 bool shared, uint64_t site);
/*
 * Record DESTROY if RESULT is 0 (destroying a locked mutex fails).  TICKS were read before
 * the call: another thread may use the address for a new object before this record is
 * written, and its records are stamped later.  Records are joined by their stamps, not by
 * when they were written.
 */
WEFT_HIDDEN int weft_destroyed(int result, uint64_t ticks, enum weft_object class,
                               const void *object, uint64_t site);
/* Record the mapping of ADDRESS, of a shared object; once for each mapping. */
WEFT_HIDDEN void weft_shared_see(const void *address);
/* The same, if SHARED. */
static inline void weft_shared_see_if(bool shared, const void *address)
{
    if (__builtin_expect(shared, 0))
        weft_shared_see(address);
}
/* The same for an object of unknown sharing; only for a limited number of calls. */
WEFT_HIDDEN void weft_shared_ask(const void *address);
/* The same if the mapping may be new.  NAME: its name, if not that of the file; or NULL. */
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
