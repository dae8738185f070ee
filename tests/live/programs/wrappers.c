/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `waiter` waits for `mutex` in take(), by way of uv_mutex_lock, and for the counter in
 * count_down(), by way of uv_sem_wait (wrapped.c); 100 ms each.  take_free() takes `lone`, by way
 * of uv_mutex_lock, and never waits.
 */
#include <pthread.h>
#include <unistd.h>

#include "asleep.h"

void uv_mutex_lock(pthread_mutex_t *mutex);
void uv_sem_wait(pthread_mutex_t *mutex, pthread_cond_t *condition, int *value);

static pthread_mutex_t mutex, counter_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t counted = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t lone = PTHREAD_MUTEX_INITIALIZER;
static int counter;
static int number; /* of the thread that waits */

static __attribute__((noinline)) void take(void)
{
    uv_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static __attribute__((noinline)) void take_free(void)
{
    uv_mutex_lock(&lone);
    pthread_mutex_unlock(&lone);
}

static __attribute__((noinline)) void count_down(void)
{
    uv_sem_wait(&counter_mutex, &counted, &counter);
    counter = 0;
}

static void *waiter(void *unused)
{
    __atomic_store_n(&number, own_thread(), __ATOMIC_RELEASE);
    take();
    count_down();
    return unused;
}

int main(void)
{
    pthread_t thread;

    take_free();
    pthread_mutex_init(&mutex, NULL);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, waiter, NULL);
    wait_until_at(&number, &mutex, sizeof mutex);
    usleep(100000);
    pthread_mutex_unlock(&mutex);
    wait_until_at(&number, &counted, sizeof counted);
    usleep(100000);
    pthread_mutex_lock(&counter_mutex);
    counter = 1;
    pthread_cond_signal(&counted);
    pthread_mutex_unlock(&counter_mutex);
    pthread_join(thread, NULL);
    return 0;
}
