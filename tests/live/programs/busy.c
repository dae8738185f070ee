/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main thread holds `busy` for 200 ms.  Meanwhile it tries to destroy it, which fails, and a
 * waiter begins to wait for it.  Then it destroys it, and holds a new one at the same place.
 */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t busy;

static void *wait(void *unused)
{
    pthread_mutex_lock(&busy);
    pthread_mutex_unlock(&busy);
    return unused;
}

int main(void)
{
    pthread_t waiter;

    pthread_mutex_init(&busy, NULL);
    pthread_mutex_lock(&busy);
    if (pthread_mutex_destroy(&busy) != EBUSY)
        return 1;
    pthread_create(&waiter, NULL, wait, NULL);
    usleep(200000);
    pthread_mutex_unlock(&busy);
    pthread_join(waiter, NULL);
    if (pthread_mutex_destroy(&busy) != 0)
        return 1;
    pthread_mutex_init(&busy, NULL);
    pthread_mutex_lock(&busy);
    pthread_mutex_unlock(&busy);
    return 0;
}
