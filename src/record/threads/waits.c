/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions, semaphores, barriers: what threads wait in without holding it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <threads.h>

#include "record/threads/threads.h"

static void event(uint32_t kind, enum weft_object class, const void *object, uint64_t site)
{
    weft_log_object(weft_ticks(), kind, class, object, site, 0, 0);
}

static void count(enum weft_object class, const void *object, uint64_t site,
                  uint64_t number)
{
    weft_log_object(weft_ticks(), WEFT_RECORD_COUNT, class, object, site, 1, number);
}

/*
 * Waiting in a condition gives the mutex back and takes it again.  When exactly it was taken
 * again cannot be seen from here: at the latest when the call returns.
 */
#define WAIT_CONDITION(call)                                                               \
 do {                                                                                      \
  uint64_t site_ = WEFT_SITE;                                                              \
  int result_;                                                                             \
  CORE.processor_time();                                                                   \
  event(WEFT_RECORD_RELEASE, WEFT_OBJECT_MUTEX, mutex, site_);                             \
  event(WEFT_RECORD_WAIT, WEFT_OBJECT_CONDITION, condition, site_);                        \
  result_ = call;                                                                          \
  event(result_ == 0 ? WEFT_RECORD_WAKE : WEFT_RECORD_GIVE_UP, WEFT_OBJECT_CONDITION,      \
        condition, site_);                                                                 \
  event(WEFT_RECORD_ACQUIRE, WEFT_OBJECT_MUTEX, mutex, site_);                             \
  return result_;                                                                          \
 } while (0)

/* The version with clocks and large conditions; old programs' own is left alone. */
#ifdef __SANITIZE_THREAD__ /* whose own definitions have no version */
# define CONDITION(name) WEFT_REAL(name)
#else
# define CONDITION(name) WEFT_REAL_VERSION(name, "GLIBC_2.3.2")
#endif

WEFT_EXPORT int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    WAIT_CONDITION(CONDITION(pthread_cond_wait)(condition, mutex));
}

WEFT_EXPORT int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                       const struct timespec *until)
{
    WAIT_CONDITION(CONDITION(pthread_cond_timedwait)(condition, mutex, until));
}

WEFT_EXPORT int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                       clockid_t clock, const struct timespec *until)
{
    WAIT_CONDITION(WEFT_REAL(pthread_cond_clockwait)(condition, mutex, clock, until));
}

WEFT_EXPORT int pthread_cond_signal(pthread_cond_t *condition)
{
    event(WEFT_RECORD_SIGNAL, WEFT_OBJECT_CONDITION, condition, WEFT_SITE);
    return CONDITION(pthread_cond_signal)(condition);
}

WEFT_EXPORT int pthread_cond_broadcast(pthread_cond_t *condition)
{
    event(WEFT_RECORD_BROADCAST, WEFT_OBJECT_CONDITION, condition, WEFT_SITE);
    return CONDITION(pthread_cond_broadcast)(condition);
}

WEFT_EXPORT int pthread_cond_destroy(pthread_cond_t *condition)
{
    event(WEFT_RECORD_DESTROY, WEFT_OBJECT_CONDITION, condition, WEFT_SITE);
    return CONDITION(pthread_cond_destroy)(condition);
}

WEFT_EXPORT int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    WAIT_CONDITION(WEFT_REAL(cnd_wait)(condition, mutex));
}

WEFT_EXPORT int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
    WAIT_CONDITION(WEFT_REAL(cnd_timedwait)(condition, mutex, until));
}

WEFT_EXPORT int cnd_signal(cnd_t *condition)
{
    event(WEFT_RECORD_SIGNAL, WEFT_OBJECT_CONDITION, condition, WEFT_SITE);
    return WEFT_REAL(cnd_signal)(condition);
}

WEFT_EXPORT int cnd_broadcast(cnd_t *condition)
{
    event(WEFT_RECORD_BROADCAST, WEFT_OBJECT_CONDITION, condition, WEFT_SITE);
    return WEFT_REAL(cnd_broadcast)(condition);
}

WEFT_EXPORT void cnd_destroy(cnd_t *condition)
{
    event(WEFT_RECORD_DESTROY, WEFT_OBJECT_CONDITION, condition, WEFT_SITE);
    WEFT_REAL(cnd_destroy)(condition);
}

WEFT_EXPORT int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    int result = WEFT_REAL(sem_init)(semaphore, shared, value);

    if (result == 0)
        count(WEFT_OBJECT_SEMAPHORE, semaphore, WEFT_SITE, value);
    return result;
}

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
    if (semaphore != SEM_FAILED && sem_getvalue(semaphore, &now) == 0)
        count(WEFT_OBJECT_SEMAPHORE, semaphore, WEFT_SITE, (uint64_t)now);
    return semaphore;
}

#define WAIT_SEMAPHORE(call)                                                               \
 do {                                                                                      \
  uint64_t site_ = WEFT_SITE;                                                              \
  int result_ = 0, saved_ = errno;                                                         \
  if (WEFT_REAL(sem_trywait)(semaphore) != 0) {                                            \
   errno = saved_;                                                                         \
   event(WEFT_RECORD_WAIT, WEFT_OBJECT_SEMAPHORE, semaphore, site_);                       \
   CORE.processor_time();                                                                  \
   result_ = call;                                                                         \
  }                                                                                        \
  event(result_ == 0 ? WEFT_RECORD_ACQUIRE : WEFT_RECORD_GIVE_UP, WEFT_OBJECT_SEMAPHORE,   \
        semaphore, site_);                                                                 \
  return result_;                                                                          \
 } while (0)

WEFT_EXPORT int sem_wait(sem_t *semaphore)
{
    WAIT_SEMAPHORE(WEFT_REAL(sem_wait)(semaphore));
}

WEFT_EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *until)
{
    WAIT_SEMAPHORE(WEFT_REAL(sem_timedwait)(semaphore, until));
}

WEFT_EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock,
                              const struct timespec *until)
{
    WAIT_SEMAPHORE(WEFT_REAL(sem_clockwait)(semaphore, clock, until));
}

WEFT_EXPORT int sem_trywait(sem_t *semaphore)
{
    int result = WEFT_REAL(sem_trywait)(semaphore);

    if (result == 0)
        event(WEFT_RECORD_ACQUIRE, WEFT_OBJECT_SEMAPHORE, semaphore, WEFT_SITE);
    return result;
}

WEFT_EXPORT int sem_post(sem_t *semaphore)
{
    event(WEFT_RECORD_RELEASE, WEFT_OBJECT_SEMAPHORE, semaphore, WEFT_SITE);
    return WEFT_REAL(sem_post)(semaphore);
}

WEFT_EXPORT int sem_destroy(sem_t *semaphore)
{
    event(WEFT_RECORD_DESTROY, WEFT_OBJECT_SEMAPHORE, semaphore, WEFT_SITE);
    return WEFT_REAL(sem_destroy)(semaphore);
}

WEFT_EXPORT int sem_close(sem_t *semaphore)
{
    event(WEFT_RECORD_DESTROY, WEFT_OBJECT_SEMAPHORE, semaphore, WEFT_SITE);
    return WEFT_REAL(sem_close)(semaphore);
}

WEFT_EXPORT int pthread_barrier_init(pthread_barrier_t *barrier,
                                     const pthread_barrierattr_t *attributes, unsigned size)
{
    int result = WEFT_REAL(pthread_barrier_init)(barrier, attributes, size);

    if (result == 0)
        count(WEFT_OBJECT_BARRIER, barrier, WEFT_SITE, size);
    return result;
}

WEFT_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    uint64_t site = WEFT_SITE;
    int result;

    CORE.processor_time();
    event(WEFT_RECORD_WAIT, WEFT_OBJECT_BARRIER, barrier, site);
    result = WEFT_REAL(pthread_barrier_wait)(barrier);
    event(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD ? WEFT_RECORD_WAKE
                                                                 : WEFT_RECORD_GIVE_UP,
          WEFT_OBJECT_BARRIER, barrier, site);
    return result;
}

WEFT_EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    event(WEFT_RECORD_DESTROY, WEFT_OBJECT_BARRIER, barrier, WEFT_SITE);
    return WEFT_REAL(pthread_barrier_destroy)(barrier);
}
