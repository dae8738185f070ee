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

static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int signalled;

static void *work(void *unused)
{
    pthread_setname_np(pthread_self(), "worker one");
    sem_wait(&semaphore);
    pthread_mutex_lock(&mutex);
    while (!signalled)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    usleep(100000);
    return unused;
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
    usleep(100000);
    sem_post(&semaphore);
    usleep(100000);
    sem_post(&semaphore);
    pthread_mutex_lock(&mutex);
    signalled = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    usleep(100000);
    pthread_barrier_wait(&barrier);
    usleep(100000);
    pthread_rwlock_unlock(&rwlock);
    usleep(100000);
    pthread_spin_unlock(&spin);
    pthread_join(worker, NULL);
    return 0;
}
