/* SPDX-License-Identifier: Apache-2.0 */
/* Hooks of conditions, semaphores and barriers. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <threads.h>

#include "domains/threads/record/hook_helpers.h"

/* An event, inlined for frequent calls. */
static inline __attribute__((always_inline)) void
quick(uint32_t kind, enum weft_object class, const void *object, uint64_t site)
{
    weft_log_object(weft_ticks(), kind, class, object, site, 0, 0);
}

static void count(enum weft_object class, const void *object, uint64_t site,
                  uint64_t number)
{
    weft_log_object(weft_ticks(), WEFT_RECORD_COUNT, class, object, site, 1, number);
}

int weft_initialized(int result, enum weft_object class, const void *object, bool shared,
                     uint64_t site, const void *frame)
{
    uint64_t words[2] = { (uint64_t)(uintptr_t)object, site };

    if (result != 0)
        return result;
    if (shared)
        weft_shared_see_new(object, NULL);
    CORE.see(site);
    weft_stack_note(site, frame);
    weft_log_put_words(weft_log_get(), weft_ticks(), WEFT_RECORD_INIT, class, words, 2);
    return result;
}

int weft_destroyed(int result, uint64_t ticks, enum weft_object class, const void *object,
                   uint64_t site)
{
    if (result == 0)
        weft_log_object(ticks, WEFT_RECORD_DESTROY, class, object, site, 0, 0);
    return result;
}

/* ---- Conditions ---- */

/* The version with clocks and large conditions; that of old programs is not hooked. */
#ifdef __SANITIZE_THREAD__ /* its functions have no version */
# define NEW(name) WEFT_REAL(name)
#else
# define NEW(name) WEFT_REAL_VERSION(name, "GLIBC_2.3.2")
#endif
#define ONLY(name) WEFT_REAL(name)

#define SHARED_POSIX(condition) WEFT_CONDITION_SHARED(condition)
#define SHARED_C11(condition)   WEFT_CONDITION_SHARED((const pthread_cond_t *)(condition))

#define SHARED_MUTEX_POSIX(mutex) WEFT_MUTEX_SHARED(mutex)
#define SHARED_MUTEX_C11(mutex)   false

/*
 * The record of the mutex after a wait.  With any other result the thread does not hold it:
 * in most cases it never did, so that the call could not release it.
 */
static uint32_t regained_POSIX(int result)
{
    return result == 0 || result == ETIMEDOUT ? WEFT_RECORD_ACQUIRE
           : result == EOWNERDEAD             ? WEFT_RECORD_INHERIT
                                              : WEFT_RECORD_KEPT;
}

static uint32_t regained_C11(int result)
{
    return result == thrd_success || result == thrd_timedout ? WEFT_RECORD_ACQUIRE
                                                             : WEFT_RECORD_KEPT;
}

/*
 * A wait for a condition gives the mutex back and takes it again; when it is taken is not
 * visible here, so it is recorded when the call returns.  REFUSED: the arguments are
 * invalid, which is detected before the mutex is released.
 */
#define WAIT(what, real, name, refused, parameters, ...)                                   \
 WEFT_EXPORT int name parameters                                                           \
 {                                                                                         \
  WEFT_WAITING;                                                                            \
  int result;                                                                              \
  if (refused)                                                                             \
   return real(name)(__VA_ARGS__);                                                         \
  weft_shared_see_if(SHARED_##what(condition), condition);                                 \
  weft_shared_see_if(SHARED_MUTEX_##what(mutex), mutex);                                   \
  weft_waiting_begins(&waiting, WEFT_OBJECT_CONDITION, condition, mutex, WEFT_SITE,        \
                      __builtin_frame_address(0));                                         \
  result = real(name)(__VA_ARGS__);                                                        \
  waiting.regains = regained_##what(result);                                               \
  weft_waiting_ends(&waiting, result == 0 || result == EOWNERDEAD ? WEFT_RECORD_WAKE       \
                                                                  : WEFT_RECORD_GIVE_UP);  \
  return result;                                                                           \
 }

#define TELL(what, real, name, kind, type)                                                 \
 WEFT_EXPORT int name(type *condition)                                                     \
 {                                                                                         \
  weft_shared_see_if(SHARED_##what(condition), condition);                                 \
  quick(kind, WEFT_OBJECT_CONDITION, condition, WEFT_SITE);                                \
  return real(name)(condition);                                                            \
 }

WEFT_EXPORT int pthread_cond_init(pthread_cond_t *condition,
                                  const pthread_condattr_t *attributes)
{
    int result = NEW(pthread_cond_init)(condition, attributes);
    return weft_initialized(result, WEFT_OBJECT_CONDITION, condition,
                            WEFT_CONDITION_SHARED(condition), WEFT_SITE,
                            __builtin_frame_address(0));
}

WAIT(POSIX, NEW, pthread_cond_wait, false,
     (pthread_cond_t * condition, pthread_mutex_t *mutex), condition, mutex)
WAIT(POSIX, NEW, pthread_cond_timedwait, weft_no_time(until),
     (pthread_cond_t * condition, pthread_mutex_t *mutex, const struct timespec *until),
     condition, mutex, until)
WAIT(POSIX, ONLY, pthread_cond_clockwait, weft_no_time(until) || weft_no_clock(clock),
     (pthread_cond_t * condition, pthread_mutex_t *mutex, clockid_t clock,
      const struct timespec *until),
     condition, mutex, clock, until)
TELL(POSIX, NEW, pthread_cond_signal, WEFT_RECORD_SIGNAL, pthread_cond_t)
TELL(POSIX, NEW, pthread_cond_broadcast, WEFT_RECORD_BROADCAST, pthread_cond_t)

WEFT_EXPORT int pthread_cond_destroy(pthread_cond_t *condition)
{
    int result;

    weft_shared_see_if(WEFT_CONDITION_SHARED(condition), condition);
    result = NEW(pthread_cond_destroy)(condition);
    return weft_destroyed(result, weft_ticks(), WEFT_OBJECT_CONDITION, condition,
                          WEFT_SITE);
}

WEFT_EXPORT int cnd_init(cnd_t *condition)
{
    int result = WEFT_REAL(cnd_init)(condition);
    return weft_initialized(result, WEFT_OBJECT_CONDITION, condition, false, WEFT_SITE,
                            __builtin_frame_address(0));
}

WAIT(C11, ONLY, cnd_wait, false, (cnd_t * condition, mtx_t *mutex), condition, mutex)
WAIT(C11, ONLY, cnd_timedwait, weft_no_time(until),
     (cnd_t *restrict condition, mtx_t *restrict mutex,
      const struct timespec *restrict until),
     condition, mutex, until)
TELL(C11, ONLY, cnd_signal, WEFT_RECORD_SIGNAL, cnd_t)
TELL(C11, ONLY, cnd_broadcast, WEFT_RECORD_BROADCAST, cnd_t)

WEFT_EXPORT void cnd_destroy(cnd_t *condition)
{
    WEFT_REAL(cnd_destroy)(condition);
    weft_event(WEFT_RECORD_DESTROY, WEFT_OBJECT_CONDITION, condition, WEFT_SITE);
}

/* ---- Semaphores ---- */

WEFT_EXPORT int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    int result = WEFT_REAL(sem_init)(semaphore, shared, value);

    if (result == 0) {
        weft_initialized(result, WEFT_OBJECT_SEMAPHORE, semaphore, shared != 0, WEFT_SITE,
                         __builtin_frame_address(0));
        count(WEFT_OBJECT_SEMAPHORE, semaphore, WEFT_SITE, value);
    }
    return result;
}

/* Other processes may use it already, so no INIT is recorded, but its count. */
WEFT_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    va_list list;
    unsigned mode = 0, value = 0;
    int now;
    sem_t *semaphore;

    va_start(list, flags);
    if (flags & O_CREAT) {
        mode = va_arg(list, unsigned);
        value = va_arg(list, unsigned);
    }
    va_end(list);
    semaphore = WEFT_REAL(sem_open)(name, flags, mode, value);
    if (semaphore != SEM_FAILED && sem_getvalue(semaphore, &now) == 0) {
        weft_shared_see_new(semaphore, name);
        count(WEFT_OBJECT_SEMAPHORE, semaphore, WEFT_SITE, (uint64_t)now);
    }
    return semaphore;
}

/* Called before each use, since each may go through another mapping. */
static inline void see_semaphore(const sem_t *semaphore)
{
    weft_shared_see_if(WEFT_SEMAPHORE_SHARED(semaphore), semaphore);
}

/*
 * Try the semaphore; record a wait only if that fails.  Before, invalid arguments are
 * refused and a pending cancellation acts, as in the function itself.
 */
#define TAKE(name, refused, cancelled, parameters, ...)                                    \
 WEFT_EXPORT int name parameters                                                           \
 {                                                                                         \
  int result = 0, saved = errno;                                                           \
  if (refused)                                                                             \
   return WEFT_REAL(name)(__VA_ARGS__);                                                    \
  cancelled;                                                                               \
  see_semaphore(semaphore);                                                                \
  if (WEFT_REAL(sem_trywait)(semaphore) != 0) {                                            \
   WEFT_WAITING;                                                                           \
   errno = saved;                                                                          \
   weft_waiting_begins(&waiting, WEFT_OBJECT_SEMAPHORE, semaphore, NULL, WEFT_SITE,        \
                       __builtin_frame_address(0));                                        \
   result = WEFT_REAL(name)(__VA_ARGS__);                                                  \
   weft_waiting_ends(&waiting, result == 0 ? WEFT_RECORD_ACQUIRE : WEFT_RECORD_GIVE_UP);   \
   return result;                                                                          \
  }                                                                                        \
  quick(WEFT_RECORD_ACQUIRE, WEFT_OBJECT_SEMAPHORE, semaphore, WEFT_SITE);                 \
  return result;                                                                           \
 }

TAKE(sem_wait, false, pthread_testcancel(), (sem_t * semaphore), semaphore)
TAKE(sem_timedwait, weft_no_time(until), pthread_testcancel(),
     (sem_t *restrict semaphore, const struct timespec *restrict until), semaphore, until)
TAKE(sem_clockwait, weft_no_time(until) || weft_no_clock(clock), (void)0,
     (sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until),
     semaphore, clock, until)

WEFT_EXPORT int sem_trywait(sem_t *semaphore)
{
    int result = WEFT_REAL(sem_trywait)(semaphore);

    if (result == 0) {
        see_semaphore(semaphore);
        quick(WEFT_RECORD_ACQUIRE, WEFT_OBJECT_SEMAPHORE, semaphore, WEFT_SITE);
    }
    return result;
}

/* Stamped before the call, like the release of a lock, and recorded if it succeeded. */
WEFT_EXPORT int sem_post(sem_t *semaphore)
{
    uint64_t ticks;
    int result;

    see_semaphore(semaphore);
    ticks = weft_ticks();
    result = WEFT_REAL(sem_post)(semaphore);

    if (result == 0)
        weft_log_object(ticks, WEFT_RECORD_RELEASE, WEFT_OBJECT_SEMAPHORE, semaphore,
                        WEFT_SITE, 0, 0);
    return result;
}

WEFT_EXPORT int sem_destroy(sem_t *semaphore)
{
    uint64_t ticks = weft_ticks();
    int result = WEFT_REAL(sem_destroy)(semaphore);
    return weft_destroyed(result, ticks, WEFT_OBJECT_SEMAPHORE, semaphore, WEFT_SITE);
}

/* This process cannot use it any more; others may. */
WEFT_EXPORT int sem_close(sem_t *semaphore)
{
    uint64_t ticks = weft_ticks();
    int result = WEFT_REAL(sem_close)(semaphore);
    return weft_destroyed(result, ticks, WEFT_OBJECT_SEMAPHORE, semaphore, WEFT_SITE);
}

/* ---- Barriers ---- */

WEFT_EXPORT int pthread_barrier_init(pthread_barrier_t *barrier,
                                     const pthread_barrierattr_t *attributes, unsigned size)
{
    int result = WEFT_REAL(pthread_barrier_init)(barrier, attributes, size);
    int sharing = PTHREAD_PROCESS_PRIVATE;

    if (result != 0)
        return result;
    if (attributes)
        pthread_barrierattr_getpshared(attributes, &sharing);
    weft_initialized(0, WEFT_OBJECT_BARRIER, barrier, sharing == PTHREAD_PROCESS_SHARED,
                     WEFT_SITE, __builtin_frame_address(0));
    count(WEFT_OBJECT_BARRIER, barrier, WEFT_SITE, size);
    return result;
}

WEFT_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    WEFT_WAITING;
    int result;

    weft_shared_see_if(WEFT_BARRIER_SHARED(barrier), barrier);
    weft_waiting_begins(&waiting, WEFT_OBJECT_BARRIER, barrier, NULL, WEFT_SITE,
                        __builtin_frame_address(0));
    result = WEFT_REAL(pthread_barrier_wait)(barrier);
    weft_waiting_ends(&waiting, result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD
                                    ? WEFT_RECORD_WAKE
                                    : WEFT_RECORD_GIVE_UP);
    return result;
}

WEFT_EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    int result = WEFT_REAL(pthread_barrier_destroy)(barrier);
    return weft_destroyed(result, weft_ticks(), WEFT_OBJECT_BARRIER, barrier, WEFT_SITE);
}
