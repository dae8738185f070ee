/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wrappers as libraries have them: optimized, without frame pointers, with frames of several
 * sizes, and one inside another.  The names are those of libuv.
 */
#include <pthread.h>
#include <stdlib.h>

void uv_mutex_init(pthread_mutex_t *mutex);
void uv_mutex_lock(pthread_mutex_t *mutex);
void uv_sem_wait(pthread_mutex_t *mutex, pthread_cond_t *condition, int *value);

void uv_mutex_lock(pthread_mutex_t *mutex)
{
    if (pthread_mutex_lock(mutex))
        abort();
}

/* With a frame of its own, and saved registers. */
void uv_sem_wait(pthread_mutex_t *mutex, pthread_cond_t *condition, int *value)
{
    volatile int spread[8] = { 0 };

    uv_mutex_lock(mutex);
    while (*value == 0) {
        spread[*value & 7]++;
        if (pthread_cond_wait(condition, mutex))
            abort();
    }
    *value -= 1 + spread[7];
    if (pthread_mutex_unlock(mutex))
        abort();
}

void uv_mutex_init(pthread_mutex_t *mutex)
{
    if (pthread_mutex_init(mutex, NULL))
        abort();
}
