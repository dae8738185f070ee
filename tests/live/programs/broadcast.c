/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four threads wait in `condition`.  After 100 ms the main thread broadcasts and keeps `mutex`
 * for 100 ms more; then they take it, one after the other, and each keeps it for 50 ms.
 */
#include <pthread.h>
#include <unistd.h>

#include "asleep.h"

enum { WAITERS = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int told;
static int numbers[WAITERS];

static void *wait_for_it(void *number)
{
    __atomic_store_n((int *)number, own_thread(), __ATOMIC_RELEASE);
    pthread_mutex_lock(&mutex);
    while (!told)
        pthread_cond_wait(&condition, &mutex);
    usleep(50000);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t threads[WAITERS];

    for (int i = 0; i < WAITERS; i++)
        pthread_create(&threads[i], NULL, wait_for_it, &numbers[i]);
    for (int i = 0; i < WAITERS; i++)
        wait_until_at(&numbers[i], &condition, sizeof condition);
    usleep(100000);
    pthread_mutex_lock(&mutex);
    told = 1;
    pthread_cond_broadcast(&condition);
    usleep(100000);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
