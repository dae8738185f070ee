/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each of these threads waits, is cancelled after 100 ms, and spends 100 ms in a clean-up
 * handler: in_condition with the mutex `guard`, which pthread_cond_wait has taken again for it;
 * in_semaphore; in_read; and in_join, which waits for another one.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "asleep.h"

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int ends[2];
static int numbers[4];

static void clean_up(void *mutex)
{
    usleep(100000);
    if (mutex)
        pthread_mutex_unlock(mutex);
}

static void *in_condition(void *unused)
{
    __atomic_store_n(&numbers[0], own_thread(), __ATOMIC_RELEASE);
    pthread_mutex_lock(&guard);
    pthread_cleanup_push(clean_up, &guard);
    for (;;)
        pthread_cond_wait(&condition, &guard);
    pthread_cleanup_pop(0);
    return unused;
}

static void *in_semaphore(void *unused)
{
    __atomic_store_n(&numbers[1], own_thread(), __ATOMIC_RELEASE);
    pthread_cleanup_push(clean_up, NULL);
    sem_wait(&semaphore);
    pthread_cleanup_pop(0);
    return unused;
}

static void *in_read(void *unused)
{
    char byte;

    __atomic_store_n(&numbers[2], own_thread(), __ATOMIC_RELEASE);
    pthread_cleanup_push(clean_up, NULL);
    while (read(ends[0], &byte, 1) != 1)
        continue;
    pthread_cleanup_pop(0);
    return unused;
}

static void *in_join(void *other)
{
    __atomic_store_n(&numbers[3], own_thread(), __ATOMIC_RELEASE);
    pthread_cleanup_push(clean_up, NULL);
    pthread_join(*(pthread_t *)other, NULL);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    void *(*const runs[])(void *) = { in_condition, in_semaphore, in_read };
    pthread_t threads[3], joiner;

    sem_init(&semaphore, 0, 0);
    if (pipe(ends) != 0)
        return 1;
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, runs[i], NULL);
    pthread_create(&joiner, NULL, in_join, &threads[1]);
    wait_until_at(&numbers[0], &condition, sizeof condition);
    wait_until_at(&numbers[1], &semaphore, sizeof semaphore);
    wait_until_in(&numbers[2], SYS_read, (uintptr_t)ends[0], (uintptr_t)ends[0]);
    /* The word that is waited for lies in what the thread's handle points to. */
    wait_until_at(&numbers[3], (void *)threads[1], 4096);
    usleep(100000);
    pthread_cancel(joiner);
    pthread_join(joiner, NULL);
    for (int i = 0; i < 3; i++)
        pthread_cancel(threads[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
