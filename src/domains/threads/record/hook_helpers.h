/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the hooks for threads, locks, waits and calls. */
#ifndef WEFT_RECORD_HOOK_HELPERS_H
#define WEFT_RECORD_HOOK_HELPERS_H

#include <stddef.h>

#include "domains/threads/format/records.h"
#include "record/core/real_functions.h"
#include "record/log/log.h"

/* The table of functions of the preloaded library's core. */
#define CORE weft_record_core_v1

/* ---- Waits (open_waits.c) ---- */

/*
 * A call of the program that may wait, on the stack of its hook (the function of the
 * recorder that is called in place of the one that the program calls).  The wait ends by
 * weft_waiting_ends, weft_join_ends or weft_call_ends; by weft_waiting_left if the thread
 * is cancelled or exits in the call; or by a longjmp out of a signal handler
 * (longjmp_hooks.c).
 */
struct weft_waiting {
    /* its first record's kind: WEFT_RECORD_WAIT, _JOIN, _CALL or _TEAM_WAIT */
    uint32_t began;
    enum weft_object class; /* of the object, if it began by WEFT_RECORD_WAIT */
    const void *object;     /* that object's address in the program */
    const void *mutex;      /* address, of a wait for a condition; else NULL */
    uint64_t site;          /* return address of the hook */
    uint32_t depth;         /* number of the thread's waits around it, up to 8 */
    uint32_t
        regains; /* the mutex's record at the end: WEFT_RECORD_ACQUIRE, _INHERIT, _KEPT */
    bool over;   /* its end is recorded */
};

/*
 * Records the end of the wait, unless it is over or never began: a wait for an object or a
 * thread ends without success, a call that may sleep has returned.  It is the clean-up
 * function of the variable that WEFT_WAITING declares, so it runs at the end of the hook's
 * frame, also when the thread is cancelled.
 */
WEFT_HIDDEN void weft_waiting_left(struct weft_waiting *waiting);
/*
 * Declares the variable `waiting` in a hook, for weft_waiting_begins and the like.  If the
 * hook's frame ends before the wait, weft_waiting_left records that it was given up.
 */
#define WEFT_WAITING                                                                       \
 struct weft_waiting waiting __attribute__((cleanup(weft_waiting_left))) = { 0 }

/*
 * Where the code of part() in gnu_openmp.c begins and ends, which calls regions' functions.
 */
extern WEFT_HIDDEN const char __start_weft_part[], __stop_weft_part[];
/* Returns a place in the function of the region that the thread is in; 0: it is in none. */
WEFT_HIDDEN uint64_t weft_region_place(void);
/*
 * Returns SITE, the return address of a hook, or a place in the region's function if that
 * is not the program's: the last call of that function may be a jump, which returns to
 * part().
 */
static inline uint64_t weft_program_place(uint64_t site)
{
    bool jumped = site >= (uint64_t)(uintptr_t)__start_weft_part
                  && site < (uint64_t)(uintptr_t)__stop_weft_part;
    return __builtin_expect(jumped, 0) ? weft_region_place() : site;
}

/*
 * Records that the program begins to wait for OBJECT, of CLASS, and sets *WAITING.  A MUTEX
 * that is not NULL is that of a wait for a condition: its release is recorded first.  SITE
 * is the return address of the hook, FRAME its frame address (__builtin_frame_address(0)).
 */
WEFT_HIDDEN void weft_waiting_begins(struct weft_waiting *waiting, enum weft_object class,
                                     const void *object, const void *mutex, uint64_t site,
                                     const void *frame);
/*
 * Ends a wait that weft_waiting_begins began: writes a record KIND (WEFT_RECORD_ACQUIRE,
 * _WAKE, _GIVE_UP, ...) of the object, and one of kind waiting->regains of the mutex, if
 * there is one.
 */
WEFT_HIDDEN void weft_waiting_ends(struct weft_waiting *waiting, uint32_t kind);
/*
 * Records that the program begins to wait for the end of the thread with the pthread_t
 * HANDLE, and sets *WAITING.  SITE is the return address of the hook, FRAME its frame
 * address.
 */
WEFT_HIDDEN void weft_join_begins(struct weft_waiting *waiting, uint64_t handle,
                                  uint64_t site, const void *frame);
/*
 * Records the end of a wait that weft_join_begins began.  JOINED: the other thread has
 * ended; false: the call failed.
 */
WEFT_HIDDEN void weft_join_ends(struct weft_waiting *waiting, bool joined);
/*
 * Records that the program begins a call that may sleep, and sets *WAITING.  SITE is the
 * return address of the hook, FRAME its frame address.
 */
WEFT_HIDDEN void weft_call_begins(struct weft_waiting *waiting, enum weft_call call,
                                  uint64_t site, const void *frame);
/* Records that a call that weft_call_begins began has returned. */
WEFT_HIDDEN void weft_call_ends(struct weft_waiting *waiting);
/*
 * Records that the thread begins to wait for the others of its TEAM, with FLAGS
 * (WEFT_TEAM_...), and sets *WAITING.  SITE is the place of that wait in the program, FRAME
 * the hook's frame address.
 */
WEFT_HIDDEN void weft_team_begins(struct weft_waiting *waiting, uint64_t team,
                                  uint32_t flags, uint64_t site, const void *frame);
/* Records the end of a wait that weft_team_begins began. */
WEFT_HIDDEN void weft_team_ends(struct weft_waiting *waiting);
/*
 * The body of a hook of a call that may sleep: evaluates REAL, the call of the real
 * function, of TYPE, and records its begin and its end as a call of kind WHAT (enum
 * weft_call).  Then executes NOTE, a statement in which result_ is the result, and returns
 * the result from the hook.
 */
#define WEFT_CALL_AND(type, what, real, note)                                              \
 do {                                                                                      \
  WEFT_WAITING;                                                                            \
  type result_;                                                                            \
  weft_call_begins(&waiting, what, WEFT_SITE, __builtin_frame_address(0));                 \
  result_ = real;                                                                          \
  weft_call_ends(&waiting);                                                                \
  note;                                                                                    \
  return result_;                                                                          \
 } while (0)
/* WEFT_CALL_AND without a NOTE. */
#define WEFT_CALL(type, what, real) WEFT_CALL_AND(type, what, real, (void)0)
/*
 * Records how many of the calling thread's waits a longjmp to the stack pointer TARGET
 * left (WEFT_RECORD_LEFT), and forgets these: the waits of hooks whose frames are at or
 * below TARGET.  No effect if there are none.
 */
WEFT_HIDDEN void weft_waiting_jumps(uintptr_t target);

/*
 * Returns true if UNTIL is not NULL and its nanoseconds are not 0 to 999,999,999.  POSIX's
 * functions refuse to wait until such a time (EINVAL), so a hook records no wait.
 */
static inline bool weft_no_time(const struct timespec *until)
{
    return until && (until->tv_nsec < 0 || until->tv_nsec >= 1000000000);
}
/*
 * Returns true if CLOCK is not one by which POSIX's functions wait: they refuse it at once.
 * A hook then only calls the function, since its own attempt (trylock) could succeed.
 */
static inline bool weft_no_clock(clockid_t clock)
{
    return clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC;
}

/* ---- The stack (stack_words.c) ---- */

/*
 * Sets the bounds [LOW, HIGH) of the calling thread's stack: weft_stack_note reads within
 * them, and on any other stack to the end of a page.
 */
WEFT_HIDDEN void weft_stack_is(const void *low, const void *high);
/*
 * Forgets the calling thread's last WEFT_RECORD_STACK and its WEFT_RECORD_PATHs, so that
 * they are written again.  Called in a forked child, whose log has none yet.
 */
WEFT_HIDDEN void weft_stack_forked(void);
/*
 * Writes a WEFT_RECORD_STACK: the stack above FRAME, the frame address of a hook with the
 * return address SITE, as far as format/stack_words.h has room.  Writes none if the
 * thread's last one is equal.  On processors other than x86-64 it has no effect.
 */
WEFT_HIDDEN void weft_stack_note(uint64_t site, const void *frame);
/*
 * Like weft_stack_note(), with more of the stack (WEFT_STACK_RAW_DEEP words), for calls as
 * rare as the join of a thread: C++ joins those of futures from deep in its library.
 */
WEFT_HIDDEN void weft_stack_note_deep(uint64_t site, const void *frame);
/*
 * Returns the number (with WEFT_PATH_BIT) of the path of calls that leads to a hook with
 * the frame address FRAME: SITE, the hook's return address, and the return addresses around
 * it, as long as frames have a frame pointer and at most 512 bytes, WEFT_PATH_MAX addresses
 * at most.  Writes the path as a WEFT_RECORD_PATH, unless the thread did so lately.
 * Returns SITE itself if not even the caller has such a frame, if the record finds no room,
 * and on processors other than x86-64.
 */
WEFT_HIDDEN uint64_t weft_stack_path(uint64_t site, const void *frame);

/* ---- Callers of wrappers without a frame pointer (leave_wrappers.c) ---- */

enum {
    WEFT_WRAPPER_BITS = 12,
    WEFT_WRAPPER_SITES = 1 << WEFT_WRAPPER_BITS, /* calls that are remembered */
    WEFT_WRAPPER_PROBES = 32,                    /* entries from that of the hash on */
    WEFT_WRAPPER_MAX = 1 << 16,                  /* words of a frame */
};
/*
 * At the hash of a return address SITE, or at one of the entries after it: SITE << 16, and
 * the words of the wrapper's frame; 0: free.
 */
WEFT_HIDDEN extern uint64_t weft_wrapper_sites[WEFT_WRAPPER_SITES + WEFT_WRAPPER_PROBES];
/* Returns the first entry of weft_wrapper_sites that SITE, a return address, may have. */
static inline uint64_t *weft_wrapper_entry(uint64_t site)
{
    return &weft_wrapper_sites[(site * UINT64_C(0x9e3779b97f4a7c15))
                               >> (64 - WEFT_WRAPPER_BITS)];
}
/*
 * Sets CALLS to SITE, the return address of a hook with the frame address FRAME, and those
 * of its callers while these are wrappers that keep no frame pointer; returns their number,
 * at least 1.  The stack is read below END only.
 */
WEFT_HIDDEN uint32_t weft_leave_wrappers(uint64_t site, const void *frame, uintptr_t end,
                                         uint64_t calls[WEFT_PATH_MAX]);
/*
 * Returns SITE, the return address of a hook with the frame address FRAME, or, if it is in
 * a wrapper (weft_leave_wrappers()), the number of the path to its first caller that is
 * none, which is written like that of weft_stack_path().
 */
WEFT_HIDDEN uint64_t weft_wrapper_path(uint64_t site, const void *frame);
/* weft_wrapper_path(SITE, FRAME), quick where SITE is known to be in no wrapper. */
static inline uint64_t weft_site_outside(uint64_t site, const void *frame)
{
    uint64_t entry = __atomic_load_n(weft_wrapper_entry(site), __ATOMIC_RELAXED);

    return __builtin_expect(entry == site << 16, 1) ? site : weft_wrapper_path(site, frame);
}

/*
 * In a hook: the site to record for a call that is too frequent for weft_stack_note().  It
 * is the hook's return address, or, if the caller's frame is at most 128 bytes, as small as
 * that of a function that wraps the call, or is that of a known wrapper, the number of a
 * path (weft_stack_path, weft_wrapper_path).
 */
#define WEFT_SITE_OR_PATH weft_site_or_path(WEFT_SITE, __builtin_frame_address(0))
/*
 * Returns the site to record for a call of a hook with the return address SITE and the
 * frame address FRAME, at which its caller's frame pointer must be saved: SITE, or, if the
 * caller's frame is at most 128 bytes, or that of a known wrapper, the number of a path.
 */
static inline uint64_t weft_site_or_path(uint64_t site, const void *frame)
{
    enum { SMALL = 128 }; /* bytes */
    uint64_t size = *(const uint64_t *)frame - (uint64_t)(uintptr_t)frame;
    uint64_t outside = weft_site_outside(site, frame);

    return __builtin_expect(size > SMALL || outside != site, 1)
               ? outside
               : weft_stack_path(site, frame);
}

/* ---- Objects ---- */

/*
 * Writes a record KIND of OBJECT (of CLASS, used by a call with the return address SITE),
 * with the present time: weft_log_object as a function, for rare events.
 */
WEFT_HIDDEN void weft_event(uint32_t kind, enum weft_object class, const void *object,
                            uint64_t site);

/*
 * Writes a WEFT_RECORD_INIT of OBJECT, of CLASS, if RESULT, of the program's call that
 * initialized it, is 0; returns RESULT.  SHARED: other processes may use it, so its mapping
 * is recorded, too.  SITE is the return address of the hook, FRAME its frame address, by
 * which the stack is recorded (weft_stack_note).
 */
WEFT_HIDDEN int weft_initialized(int result, enum weft_object class, const void *object,
                                 bool shared, uint64_t site, const void *frame);
/*
 * Writes a WEFT_RECORD_DESTROY of OBJECT, of CLASS, stamped TICKS, if RESULT, of the call
 * at SITE, is 0; returns RESULT.  TICKS were read before the call: another thread may use
 * the address for a new object before this record is written, and records are joined by
 * their stamps, not by when they were written.  For conditions and barriers they were read
 * after it: the call waits until all threads have left them.
 */
WEFT_HIDDEN int weft_destroyed(int result, uint64_t ticks, enum weft_object class,
                               const void *object, uint64_t site);
/*
 * Records the memory mapping that ADDRESS, of an object that processes share, lies in, if
 * that is a shared mapping.  No effect if the page was looked up before.  Makes system
 * calls only, so it may be called in signal handlers.
 */
WEFT_HIDDEN void weft_shared_see(const void *address);
/*
 * weft_shared_see(ADDRESS) if SHARED: records the shared memory mapping that ADDRESS, of an
 * object that processes share, lies in, unless that was done before.  Else no effect.
 */
static inline void weft_shared_see_if(bool shared, const void *address)
{
    if (__builtin_expect(shared, 0))
        weft_shared_see(address);
}
/*
 * Records the memory mapping that ADDRESS lies in, if that is a shared one, for an object
 * that may be private.  No effect if the page was looked up before, or after 1,024 look-ups
 * of this function in the process.
 */
WEFT_HIDDEN void weft_shared_ask(const void *address);
/*
 * Records the memory mapping that ADDRESS lies in, if that is a shared one.  Looks it up
 * even if that was done before, since it may be new.  NAME is recorded as its path; NULL:
 * the path of the mapped file is.  Keeps errno.
 */
WEFT_HIDDEN void weft_shared_see_new(const void *address, const char *name);

/*
 * Return true if other processes may use the mutex, lock, condition, semaphore or barrier,
 * to which the argument points, as glibc's structures tell.  The structures of semaphores
 * and barriers are not public, but programs keep them in shared files, so their layout is
 * stable.  Without glibc, only the function that initializes an object can tell.
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
