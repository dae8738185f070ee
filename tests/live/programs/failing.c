/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `owned` is initialized in set_up() and checks errors; `plain` is not initialized by a call.
 * The main thread holds both for 200 ms; after 100 ms a thief gives `owned` back ten times, and
 * waits in a condition with it, and with `nobodys`, which fails each time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t owned, nobodys, plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *steal(void *unused)
{
    usleep(100000);
    for (int i = 0; i < 10; i++)
        if (pthread_mutex_unlock(&owned) != EPERM
            || pthread_cond_wait(&condition, &owned) != EPERM
            || pthread_cond_wait(&condition, &nobodys) != EPERM)
            _exit(1);
    return unused;
}

static __attribute__((noinline)) void set_up(void)
{
    pthread_mutexattr_t checked;

    pthread_mutexattr_init(&checked);
    pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&owned, &checked);
    pthread_mutex_init(&nobodys, &checked);
}

int main(void)
{
    pthread_t thief;

    set_up();
    pthread_create(&thief, NULL, steal, NULL);
    pthread_mutex_lock(&owned);
    pthread_mutex_lock(&plain);
    usleep(200000);
    pthread_mutex_unlock(&plain);
    pthread_mutex_unlock(&owned);
    pthread_join(thief, NULL);
    return 0;
}
