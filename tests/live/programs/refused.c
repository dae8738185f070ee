/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the C library refuses before it looks whether anybody has to wait: times that are none,
 * clocks that are none, and threads that are to be cancelled.  All of these locks are free, and
 * the semaphore can be taken; `held` is held once, and refused ten times in a condition.  Then what
 * it refuses to who has the lock already: nobody waits for `own`, `again`, `held` and `shared`.  The
 * status has a bit for each kind of call that was refused.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <time.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER,
                       clocked = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t own = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
                       again = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static const struct timespec none = { 0, 2000000000 }, far = { 4000000000, 0 };

/* Both have been cancelled before they wait. */
static void *wait_plainly(void *unused)
{
    pthread_cancel(pthread_self());
    sem_wait(&semaphore);
    return unused;
}

static void *wait_until(void *unused)
{
    pthread_cancel(pthread_self());
    sem_timedwait(&semaphore, &far);
    return unused;
}

static bool is_cancelled(void *(*wait)(void *))
{
    pthread_t thread;
    void *result = NULL;

    if (pthread_create(&thread, NULL, wait, NULL) != 0)
        return false;
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED;
}

/* Each of these fails at once; a recursive mutex is had once more. */
static bool has_already(void)
{
    bool refused = true;

    pthread_mutex_lock(&own);
    pthread_mutex_lock(&again);
    pthread_mutex_lock(&held);
    pthread_rwlock_wrlock(&shared);
    for (int i = 0; i < 10; i++) {
        refused = refused && pthread_mutex_lock(&own) == EDEADLK;
        refused = refused && pthread_mutex_timedlock(&own, &far) == EDEADLK;
        refused =
            refused && pthread_mutex_clocklock(&own, CLOCK_MONOTONIC, &far) == EDEADLK;
        refused = refused && pthread_mutex_lock(&again) == 0;
        refused = refused && pthread_mutex_timedlock(&held, &none) == EINVAL;
        refused =
            refused && pthread_mutex_clocklock(&held, CLOCK_REALTIME, &none) == EINVAL;
        refused = refused && pthread_rwlock_wrlock(&shared) == EDEADLK;
        refused = refused && pthread_rwlock_rdlock(&shared) == EDEADLK;
        refused = refused && pthread_rwlock_timedwrlock(&shared, &far) == EDEADLK;
        pthread_mutex_unlock(&again);
    }
    pthread_rwlock_unlock(&shared);
    pthread_mutex_unlock(&held);
    pthread_mutex_unlock(&again);
    pthread_mutex_unlock(&own);
    return refused;
}

int main(void)
{
    int refused = 0;

    sem_init(&semaphore, 0, 10);
    pthread_mutex_lock(&held);
    for (int i = 0; i < 10; i++)
        refused |= (pthread_cond_timedwait(&condition, &held, &none) == EINVAL) << 0;
    pthread_mutex_unlock(&held);
    refused |= (pthread_rwlock_timedrdlock(&shared, &none) == EINVAL) << 1;
    refused |= (sem_timedwait(&semaphore, &none) != 0) << 2;
    refused |= (pthread_mutex_clocklock(&clocked, CLOCK_PROCESS_CPUTIME_ID, &far) == EINVAL)
               << 3;
    refused |= is_cancelled(wait_plainly) << 4;
    refused |= is_cancelled(wait_until) << 5;
    refused |= has_already() << 6;
    return refused;
}
