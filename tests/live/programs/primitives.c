/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of each, in an order that sleeping 100 ms makes sure of: the worker waits first, main
 * wakes it 100 ms later.
 *
 *   semaphore   count 0; the worker blocks; main posts (it wakes: 0 again); main posts: 1
 *   condition   the worker waits, main signals
 *   barrier     of two: the worker first, main last
 *   rwlock      main holds it for writing, the worker wants to read
 *   spin lock   main holds it, the worker spins
 *   join        main waits for the worker, which sleeps
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "asleep.h"

static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int signalled;
static int of_worker, of_main, spins; /* numbers of threads; it is about to spin */

static void *work(void *unused)
{
    __atomic_store_n(&of_worker, own_thread(), __ATOMIC_RELEASE);
    pthread_setname_np(pthread_self(), "worker one");
    sem_wait(&semaphore);
    pthread_mutex_lock(&mutex);
    while (!signalled)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    __atomic_store_n(&spins, 1, __ATOMIC_RELEASE);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    /* The word that is waited for lies in what the thread's handle points to. */
    wait_until_at(&of_main, (void *)pthread_self(), 4096);
    usleep(100000);
    return unused;
}

/* It has nothing else to do that takes so long. */
static void wait_until_it_spins(pthread_t worker)
{
    struct timespec begin, now;
    clockid_t clock;

    while (!__atomic_load_n(&spins, __ATOMIC_ACQUIRE))
        pause_unrecorded(1);
    if (pthread_getcpuclockid(worker, &clock) != 0)
        exit(1);
    clock_gettime(clock, &begin);
    do {
        pause_unrecorded(1);
        clock_gettime(clock, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec
             < 10000000);
}

int main(void)
{
    pthread_t worker;

    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_spin_init(&spin, 0);
    pthread_rwlock_wrlock(&rwlock);
    pthread_spin_lock(&spin);
    pthread_create(&worker, NULL, work, NULL);
    of_main = own_thread();
    wait_until_at(&of_worker, &semaphore, sizeof semaphore);
    usleep(100000);
    sem_post(&semaphore);
    wait_until_at(&of_worker, &condition, sizeof condition);
    usleep(100000);
    sem_post(&semaphore);
    pthread_mutex_lock(&mutex);
    signalled = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    wait_until_at(&of_worker, &barrier, sizeof barrier);
    usleep(100000);
    pthread_barrier_wait(&barrier);
    wait_until_at(&of_worker, &rwlock, sizeof rwlock);
    usleep(100000);
    pthread_rwlock_unlock(&rwlock);
    wait_until_it_spins(worker);
    usleep(100000);
    pthread_spin_unlock(&spin);
    pthread_join(worker, NULL);
    return 0;
}
