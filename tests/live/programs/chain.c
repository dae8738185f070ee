/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A chain of waits: `consumer` waits for a condition that `producer` signals after 30 ms of
 * sleep, which begin when `holder` gives a lock back, after 60 ms of sleep, or as many as the
 * argument says.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, queue = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t together;
static int filled, held_ms = 60;

static void *holder(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_barrier_wait(&together);
    usleep(held_ms * 1000);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *producer(void *unused)
{
    pthread_barrier_wait(&together);
    pthread_mutex_lock(&lock);
    usleep(30000);
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&queue);
    filled = 1;
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&queue);
    return unused;
}

static void *consumer(void *unused)
{
    pthread_barrier_wait(&together);
    pthread_mutex_lock(&queue);
    while (!filled)
        pthread_cond_wait(&full, &queue);
    pthread_mutex_unlock(&queue);
    return unused;
}

int main(int n, char **arguments)
{
    void *(*const of[])(void *) = { holder, producer, consumer };
    pthread_t threads[3];
    if (n > 1)
        held_ms = atoi(arguments[1]);
    pthread_barrier_init(&together, NULL, 3);
    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, of[i], NULL))
            return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
