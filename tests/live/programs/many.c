/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 64 threads and 10^6 lock operations, with waits that can be reasoned out.
 *
 * Main holds the gate until all 64 threads have said that they go for it, and 300 ms more.  So
 * each of them must be blocked on the gate, at least until main gives it back.  Then each locks
 * and unlocks a mutex of its own 15,624 times, which nobody else touches: there nobody may
 * ever be blocked.  64 * (1 + 15,624) = 1,000,000 acquisitions, and main's one.
 */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "asleep.h"

enum { THREADS = 64, ROUNDS = 15624 };

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static struct {
    pthread_mutex_t mutex;
    long count;
    char apart[64];
} own[THREADS];
static sem_t ready;
static int numbers[THREADS];

static void *run(void *index)
{
    long i = (long)index;

    __atomic_store_n(&numbers[i], own_thread(), __ATOMIC_RELEASE);
    sem_post(&ready);
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    for (int k = 0; k < ROUNDS; k++) {
        pthread_mutex_lock(&own[i].mutex);
        own[i].count++;
        pthread_mutex_unlock(&own[i].mutex);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    sem_init(&ready, 0, 0);
    pthread_mutex_lock(&gate);
    for (long i = 0; i < THREADS; i++) {
        pthread_mutex_init(&own[i].mutex, NULL);
        pthread_create(&threads[i], NULL, run, (void *)i);
    }
    for (int i = 0; i < THREADS; i++)
        sem_wait(&ready);
    for (int i = 0; i < THREADS; i++)
        wait_until_at(&numbers[i], &gate, sizeof gate);
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
