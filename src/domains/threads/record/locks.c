/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of mutexes, read-write locks, spin locks, and their C11 names.  A lock is tried
 * first; a wait is recorded only if that fails, so a free lock costs one stamp.  An
 * acquisition is stamped after the call, a release before it, so no lock is ever recorded
 * as held twice.
 *
 * In glibc thrd_success is 0, and the other results of C11 functions are positive.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <threads.h>

#include "domains/threads/record/hook_helpers.h"

/* For each kind of lock: is it marked as shared by processes; and its class. */
#define SHARED_MUTEX(lock)  WEFT_MUTEX_SHARED(lock)
#define SHARED_MTX(lock)    WEFT_MUTEX_SHARED((const pthread_mutex_t *)(lock))
#define SHARED_RWLOCK(lock) WEFT_RWLOCK_SHARED(lock)
#define CLASS_MUTEX         WEFT_OBJECT_MUTEX
#define CLASS_MTX           WEFT_OBJECT_MUTEX
#define CLASS_RWLOCK        WEFT_OBJECT_RWLOCK
#define CLASS_SPIN          WEFT_OBJECT_SPIN

/* The record of a lock call by its result.  A robust lock whose owner died is held, too. */
static inline uint32_t outcome(int result, uint32_t got)
{
    return result == 0            ? got
           : result == EOWNERDEAD ? WEFT_RECORD_INHERIT
                                  : WEFT_RECORD_GIVE_UP;
}

/*
 * Record the shared mapping of a lock, before acquisitions and releases: a release may use
 * another mapping than the acquisition.
 */
#define SEE_MUTEX(lock)  weft_shared_see_if(SHARED_MUTEX(lock), lock)
#define SEE_MTX(lock)    weft_shared_see_if(SHARED_MTX(lock), lock)
#define SEE_RWLOCK(lock) weft_shared_see_if(SHARED_RWLOCK(lock), lock)
/* a spin lock does not say whether it is shared: look the mapping up */
#define SEE_SPIN(lock) weft_shared_ask((const void *)(lock))

#define GOT(what, got)                                                                     \
 do {                                                                                      \
  uint64_t site_ = WEFT_SITE_OR_PATH;                                                      \
  if (__builtin_expect(result == 0, 1))                                                    \
   weft_log_object(weft_ticks(), got, CLASS_##what, (const void *)lock, site_, 0, 0);      \
  else                                                                                     \
   weft_event(WEFT_RECORD_INHERIT, CLASS_##what, (const void *)lock, site_);               \
 } while (0)

/*
 * The lock is held by others: call the function, which waits or fails.  Any other result of
 * the try is final, since a second try may see the effects of the first.
 */
#define BUSY_MUTEX(result)  ((result) == EBUSY || (result) == EAGAIN || (result) == EDEADLK)
#define BUSY_RWLOCK(result) BUSY_MUTEX(result)
#define BUSY_SPIN(result)   BUSY_MUTEX(result)
#define BUSY_MTX(result)    ((result) == thrd_busy)

/*
 * Returns true for a robust mutex that glibc has marked not recoverable.  A try would
 * acquire such a lock, and the function would then wait for its own thread.
 */
static inline bool is_lost(const pthread_mutex_t *lock)
{
    enum { ROBUST = 16, LOST = INT_MAX - 1 };

    return __builtin_expect(lock->__data.__kind & ROBUST, 0)
           && __atomic_load_n(&lock->__data.__owner, __ATOMIC_RELAXED) == LOST;
}

/*
 * Returns true if the calling thread owns the lock.  Errorcheck and recursive mutexes, and
 * read-write locks held for writing, then return at once.
 */
static inline bool is_own(int owner)
{
    const struct weft_thread_header *header = weft_log_get()->header;

    return owner != 0 && header && header->tid == (uint32_t)owner;
}

static inline bool is_own_mutex(const pthread_mutex_t *lock)
{
    int kind = lock->__data.__kind & 3;

    return (kind == PTHREAD_MUTEX_RECURSIVE || kind == PTHREAD_MUTEX_ERRORCHECK)
           && is_own(__atomic_load_n(&lock->__data.__owner, __ATOMIC_RELAXED));
}

static inline bool is_own_rwlock(const pthread_rwlock_t *lock)
{
    return is_own(__atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED));
}

/*
 * Try the lock; if others have it, record a wait and call the function itself.  REFUSED:
 * the arguments are invalid, call the function at once.  HOPELESS: the function would not
 * wait if others have the lock.
 */
#define LOCK(what, got, name, try, refused, hopeless, parameters, ...)                     \
 WEFT_EXPORT int name parameters                                                           \
 {                                                                                         \
  int result;                                                                              \
  if (refused)                                                                             \
   return WEFT_REAL(name)(__VA_ARGS__);                                                    \
  result = WEFT_REAL(try)(lock);                                                           \
  SEE_##what(lock);                                                                        \
  if (__builtin_expect(result != 0 && result != EOWNERDEAD, 0)) {                          \
   if (!BUSY_##what(result))                                                               \
    return result;                                                                         \
   if (hopeless) {                                                                         \
    result = WEFT_REAL(name)(__VA_ARGS__);                                                 \
    if (result == 0 || result == EOWNERDEAD)                                               \
     GOT(what, got);                                                                       \
    return result;                                                                         \
   }                                                                                       \
   WEFT_WAITING;                                                                           \
   weft_waiting_begins(&waiting, CLASS_##what, (const void *)lock, NULL, WEFT_SITE,        \
                       __builtin_frame_address(0));                                        \
   result = WEFT_REAL(name)(__VA_ARGS__);                                                  \
   weft_waiting_ends(&waiting, outcome(result, got));                                      \
   return result;                                                                          \
  }                                                                                        \
  GOT(what, got);                                                                          \
  return result;                                                                           \
 }

#define TRY(what, got, name, parameters)                                                   \
 WEFT_EXPORT int name parameters                                                           \
 {                                                                                         \
  int result = WEFT_REAL(name)(lock);                                                      \
  if (result == 0 || result == EOWNERDEAD) {                                               \
   SEE_##what(lock);                                                                       \
   GOT(what, got);                                                                         \
  }                                                                                        \
  return result;                                                                           \
 }

/* Recorded before, since others may have the lock at the return; KEPT if it failed. */
#define UNLOCK(what, name, parameters)                                                     \
 WEFT_EXPORT int name parameters                                                           \
 {                                                                                         \
  int result;                                                                              \
  SEE_##what(lock);                                                                        \
  weft_log_object(weft_ticks(), WEFT_RECORD_RELEASE, CLASS_##what, (const void *)lock,     \
                  WEFT_SITE, 0, 0);                                                        \
  result = WEFT_REAL(name)(lock);                                                          \
  if (__builtin_expect(result != 0, 0))                                                    \
   weft_event(WEFT_RECORD_KEPT, CLASS_##what, (const void *)lock, WEFT_SITE);              \
  return result;                                                                           \
 }

#define INIT(what, name, parameters, shared, ...)                                          \
 WEFT_EXPORT int name parameters                                                           \
 {                                                                                         \
  int result = WEFT_REAL(name)(__VA_ARGS__);                                               \
  return weft_initialized(result, CLASS_##what, (const void *)lock, shared, WEFT_SITE,     \
                          __builtin_frame_address(0));                                     \
 }

#define DESTROY(what, name, parameters)                                                    \
 WEFT_EXPORT int name parameters                                                           \
 {                                                                                         \
  uint64_t ticks = weft_ticks();                                                           \
  int result = WEFT_REAL(name)(lock);                                                      \
  return weft_destroyed(result, ticks, CLASS_##what, (const void *)lock, WEFT_SITE);       \
 }

#define HELD  WEFT_RECORD_ACQUIRE
#define READS WEFT_RECORD_SHARE
#define UNTIL const struct timespec *until

INIT(MUTEX, pthread_mutex_init,
     (pthread_mutex_t * lock, const pthread_mutexattr_t *attributes), SHARED_MUTEX(lock),
     lock, attributes)
LOCK(MUTEX, HELD, pthread_mutex_lock, pthread_mutex_trylock, is_lost(lock),
     is_own_mutex(lock), (pthread_mutex_t * lock), lock)
LOCK(MUTEX, HELD, pthread_mutex_timedlock, pthread_mutex_trylock, is_lost(lock),
     is_own_mutex(lock) || weft_no_time(until), (pthread_mutex_t * lock, UNTIL), lock,
     until)
LOCK(MUTEX, HELD, pthread_mutex_clocklock, pthread_mutex_trylock,
     weft_no_clock(clock) || is_lost(lock), is_own_mutex(lock) || weft_no_time(until),
     (pthread_mutex_t * lock, clockid_t clock, UNTIL), lock, clock, until)
TRY(MUTEX, HELD, pthread_mutex_trylock, (pthread_mutex_t * lock))
UNLOCK(MUTEX, pthread_mutex_unlock, (pthread_mutex_t * lock))
DESTROY(MUTEX, pthread_mutex_destroy, (pthread_mutex_t * lock))

INIT(MTX, mtx_init, (mtx_t * lock, int type), false, lock, type)
LOCK(MTX, HELD, mtx_lock, mtx_trylock, false, false, (mtx_t * lock), lock)
LOCK(MTX, HELD, mtx_timedlock, mtx_trylock, false, weft_no_time(until),
     (mtx_t *restrict lock, UNTIL), lock, until)
TRY(MTX, HELD, mtx_trylock, (mtx_t * lock))
UNLOCK(MTX, mtx_unlock, (mtx_t * lock))

WEFT_EXPORT void mtx_destroy(mtx_t *lock)
{
    weft_event(WEFT_RECORD_DESTROY, CLASS_MTX, lock, WEFT_SITE);
    WEFT_REAL(mtx_destroy)(lock);
}

INIT(RWLOCK, pthread_rwlock_init,
     (pthread_rwlock_t * lock, const pthread_rwlockattr_t *attributes), SHARED_RWLOCK(lock),
     lock, attributes)
LOCK(RWLOCK, READS, pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, false,
     is_own_rwlock(lock), (pthread_rwlock_t * lock), lock)
LOCK(RWLOCK, READS, pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock,
     weft_no_time(until), is_own_rwlock(lock), (pthread_rwlock_t * lock, UNTIL), lock,
     until)
LOCK(RWLOCK, READS, pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock,
     weft_no_time(until) || weft_no_clock(clock), is_own_rwlock(lock),
     (pthread_rwlock_t * lock, clockid_t clock, UNTIL), lock, clock, until)
TRY(RWLOCK, READS, pthread_rwlock_tryrdlock, (pthread_rwlock_t * lock))
LOCK(RWLOCK, HELD, pthread_rwlock_wrlock, pthread_rwlock_trywrlock, false,
     is_own_rwlock(lock), (pthread_rwlock_t * lock), lock)
LOCK(RWLOCK, HELD, pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock,
     weft_no_time(until), is_own_rwlock(lock), (pthread_rwlock_t * lock, UNTIL), lock,
     until)
LOCK(RWLOCK, HELD, pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock,
     weft_no_time(until) || weft_no_clock(clock), is_own_rwlock(lock),
     (pthread_rwlock_t * lock, clockid_t clock, UNTIL), lock, clock, until)
TRY(RWLOCK, HELD, pthread_rwlock_trywrlock, (pthread_rwlock_t * lock))
UNLOCK(RWLOCK, pthread_rwlock_unlock, (pthread_rwlock_t * lock))
DESTROY(RWLOCK, pthread_rwlock_destroy, (pthread_rwlock_t * lock))

INIT(SPIN, pthread_spin_init, (pthread_spinlock_t * lock, int sharing),
     sharing == PTHREAD_PROCESS_SHARED, lock, sharing)
LOCK(SPIN, HELD, pthread_spin_lock, pthread_spin_trylock, false, false,
     (pthread_spinlock_t * lock), lock)
TRY(SPIN, HELD, pthread_spin_trylock, (pthread_spinlock_t * lock))
UNLOCK(SPIN, pthread_spin_unlock, (pthread_spinlock_t * lock))
DESTROY(SPIN, pthread_spin_destroy, (pthread_spinlock_t * lock))
