/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks: mutexes, read-write locks, spin locks, and their C11 names.  A lock is tried first;
 * only when that fails is a wait recorded, so a lock that is free costs one stamp.  Having it
 * is stamped after the call returns, giving it back before the call is made: no lock is ever
 * recorded as held twice.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <threads.h>

#include "record/threads/threads.h"

static void blocks(enum weft_object class, const void *object, uint64_t site)
{
    weft_log_object(weft_ticks(), WEFT_RECORD_WAIT, class, object, site, 0, 0);
    CORE.processor_time();
}

/*
 * TRY, and CALL when that did not get it.  A robust mutex whose owner died (EOWNERDEAD) is
 * held, too.
 */
#define LOCK(class, object, record, try_call, lock_call)                                   \
 do {                                                                                      \
  int got_ = try_call;                                                                     \
  if (__builtin_expect(got_ != 0 && got_ != EOWNERDEAD, 0)) {                              \
   blocks(class, object, WEFT_SITE);                                                       \
   got_ = lock_call;                                                                       \
  }                                                                                        \
  weft_log_object(weft_ticks(),                                                            \
                  got_ == 0 || got_ == EOWNERDEAD ? record : WEFT_RECORD_GIVE_UP, class,   \
                  object, WEFT_SITE, 0, 0);                                                \
  return got_;                                                                             \
 } while (0)

#define TRY(class, object, record, try_call)                                               \
 do {                                                                                      \
  int got_ = try_call;                                                                     \
  if (got_ == 0 || got_ == EOWNERDEAD)                                                     \
   weft_log_object(weft_ticks(), record, class, object, WEFT_SITE, 0, 0);                  \
  return got_;                                                                             \
 } while (0)

#define RELEASE(class, object, call)                                                       \
 do {                                                                                      \
  weft_log_object(weft_ticks(), WEFT_RECORD_RELEASE, class, object, WEFT_SITE, 0, 0);      \
  return call;                                                                             \
 } while (0)

#define DESTROY(class, object, call)                                                       \
 do {                                                                                      \
  weft_log_object(weft_ticks(), WEFT_RECORD_DESTROY, class, object, WEFT_SITE, 0, 0);      \
  return call;                                                                             \
 } while (0)

WEFT_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    LOCK(WEFT_OBJECT_MUTEX, mutex, WEFT_RECORD_ACQUIRE,
         WEFT_REAL(pthread_mutex_trylock)(mutex), WEFT_REAL(pthread_mutex_lock)(mutex));
}

WEFT_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    TRY(WEFT_OBJECT_MUTEX, mutex, WEFT_RECORD_ACQUIRE,
        WEFT_REAL(pthread_mutex_trylock)(mutex));
}

WEFT_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex,
                                        const struct timespec *until)
{
    LOCK(WEFT_OBJECT_MUTEX, mutex, WEFT_RECORD_ACQUIRE,
         WEFT_REAL(pthread_mutex_trylock)(mutex),
         WEFT_REAL(pthread_mutex_timedlock)(mutex, until));
}

WEFT_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                                        const struct timespec *until)
{
    LOCK(WEFT_OBJECT_MUTEX, mutex, WEFT_RECORD_ACQUIRE,
         WEFT_REAL(pthread_mutex_trylock)(mutex),
         WEFT_REAL(pthread_mutex_clocklock)(mutex, clock, until));
}

WEFT_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    RELEASE(WEFT_OBJECT_MUTEX, mutex, WEFT_REAL(pthread_mutex_unlock)(mutex));
}

WEFT_EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    DESTROY(WEFT_OBJECT_MUTEX, mutex, WEFT_REAL(pthread_mutex_destroy)(mutex));
}

/* thrd_success is 0 in the GNU library, and the other results are positive. */
WEFT_EXPORT int mtx_lock(mtx_t *mutex)
{
    LOCK(WEFT_OBJECT_MUTEX, mutex, WEFT_RECORD_ACQUIRE, WEFT_REAL(mtx_trylock)(mutex),
         WEFT_REAL(mtx_lock)(mutex));
}

WEFT_EXPORT int mtx_trylock(mtx_t *mutex)
{
    TRY(WEFT_OBJECT_MUTEX, mutex, WEFT_RECORD_ACQUIRE, WEFT_REAL(mtx_trylock)(mutex));
}

WEFT_EXPORT int mtx_timedlock(mtx_t *mutex, const struct timespec *until)
{
    LOCK(WEFT_OBJECT_MUTEX, mutex, WEFT_RECORD_ACQUIRE, WEFT_REAL(mtx_trylock)(mutex),
         WEFT_REAL(mtx_timedlock)(mutex, until));
}

WEFT_EXPORT int mtx_unlock(mtx_t *mutex)
{
    RELEASE(WEFT_OBJECT_MUTEX, mutex, WEFT_REAL(mtx_unlock)(mutex));
}

WEFT_EXPORT void mtx_destroy(mtx_t *mutex)
{
    weft_log_object(weft_ticks(), WEFT_RECORD_DESTROY, WEFT_OBJECT_MUTEX, mutex, WEFT_SITE,
                    0, 0);
    WEFT_REAL(mtx_destroy)(mutex);
}

WEFT_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    LOCK(WEFT_OBJECT_RWLOCK, lock, WEFT_RECORD_SHARE,
         WEFT_REAL(pthread_rwlock_tryrdlock)(lock), WEFT_REAL(pthread_rwlock_rdlock)(lock));
}

WEFT_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    TRY(WEFT_OBJECT_RWLOCK, lock, WEFT_RECORD_SHARE,
        WEFT_REAL(pthread_rwlock_tryrdlock)(lock));
}

WEFT_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock,
                                           const struct timespec *until)
{
    LOCK(WEFT_OBJECT_RWLOCK, lock, WEFT_RECORD_SHARE,
         WEFT_REAL(pthread_rwlock_tryrdlock)(lock),
         WEFT_REAL(pthread_rwlock_timedrdlock)(lock, until));
}

WEFT_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                                           const struct timespec *until)
{
    LOCK(WEFT_OBJECT_RWLOCK, lock, WEFT_RECORD_SHARE,
         WEFT_REAL(pthread_rwlock_tryrdlock)(lock),
         WEFT_REAL(pthread_rwlock_clockrdlock)(lock, clock, until));
}

WEFT_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    LOCK(WEFT_OBJECT_RWLOCK, lock, WEFT_RECORD_ACQUIRE,
         WEFT_REAL(pthread_rwlock_trywrlock)(lock), WEFT_REAL(pthread_rwlock_wrlock)(lock));
}

WEFT_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    TRY(WEFT_OBJECT_RWLOCK, lock, WEFT_RECORD_ACQUIRE,
        WEFT_REAL(pthread_rwlock_trywrlock)(lock));
}

WEFT_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock,
                                           const struct timespec *until)
{
    LOCK(WEFT_OBJECT_RWLOCK, lock, WEFT_RECORD_ACQUIRE,
         WEFT_REAL(pthread_rwlock_trywrlock)(lock),
         WEFT_REAL(pthread_rwlock_timedwrlock)(lock, until));
}

WEFT_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                           const struct timespec *until)
{
    LOCK(WEFT_OBJECT_RWLOCK, lock, WEFT_RECORD_ACQUIRE,
         WEFT_REAL(pthread_rwlock_trywrlock)(lock),
         WEFT_REAL(pthread_rwlock_clockwrlock)(lock, clock, until));
}

WEFT_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    RELEASE(WEFT_OBJECT_RWLOCK, lock, WEFT_REAL(pthread_rwlock_unlock)(lock));
}

WEFT_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
    DESTROY(WEFT_OBJECT_RWLOCK, lock, WEFT_REAL(pthread_rwlock_destroy)(lock));
}

WEFT_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
    LOCK(WEFT_OBJECT_SPIN, (const void *)lock, WEFT_RECORD_ACQUIRE,
         WEFT_REAL(pthread_spin_trylock)(lock), WEFT_REAL(pthread_spin_lock)(lock));
}

WEFT_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    TRY(WEFT_OBJECT_SPIN, (const void *)lock, WEFT_RECORD_ACQUIRE,
        WEFT_REAL(pthread_spin_trylock)(lock));
}

WEFT_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    RELEASE(WEFT_OBJECT_SPIN, (const void *)lock, WEFT_REAL(pthread_spin_unlock)(lock));
}

WEFT_EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
    DESTROY(WEFT_OBJECT_SPIN, (const void *)lock, WEFT_REAL(pthread_spin_destroy)(lock));
}
