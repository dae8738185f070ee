/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads take two mutexes in opposite order and meet in between: a deadlock.  Main kills
 * the whole process, as people do.
 */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "asleep.h"

static pthread_mutex_t mutexes[2] = { PTHREAD_MUTEX_INITIALIZER,
                                      PTHREAD_MUTEX_INITIALIZER };
static pthread_barrier_t both_have_one;
static int numbers[2];

static void *run(void *index)
{
    long first = (long)index;

    __atomic_store_n(&numbers[first], own_thread(), __ATOMIC_RELEASE);
    pthread_mutex_lock(&mutexes[first]);
    pthread_barrier_wait(&both_have_one);
    pthread_mutex_lock(&mutexes[1 - first]);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_barrier_init(&both_have_one, NULL, 2);
    pthread_create(&threads[0], NULL, run, (void *)0);
    pthread_create(&threads[1], NULL, run, (void *)1);
    for (int i = 0; i < 2; i++)
        wait_until_at(&numbers[i], &mutexes[1 - i], sizeof *mutexes);
    usleep(300000);
    kill(getpid(), SIGKILL);
    return 0;
}
