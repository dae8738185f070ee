/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eight threads that compute for 0.4 s of the clock, on however few processors.  Prints the
 * name of each and the nanoseconds of processor time that the kernel counts for it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 8, WORK_MS = 400 };

static long long used[THREADS];

static long long read_clock(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void *compute(void *user)
{
    long long *own = user;
    long long end = read_clock(CLOCK_MONOTONIC) + WORK_MS * 1000000LL;
    char name[16];

    snprintf(name, sizeof name, "spin-%d", (int)(own - used));
    pthread_setname_np(pthread_self(), name);
    while (read_clock(CLOCK_MONOTONIC) < end)
        ;
    *own = read_clock(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, compute, &used[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        printf("spin-%d %lld\n", i, used[i]);
    return 0;
}
