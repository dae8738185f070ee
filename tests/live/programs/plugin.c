/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library that makes a thread while it is loaded, and waits for it.  The thread is the first
 * in the process that takes a read-write lock.
 */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *run(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return unused;
}

__attribute__((constructor)) static void load(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, run, NULL) == 0)
        pthread_join(thread, NULL);
}
