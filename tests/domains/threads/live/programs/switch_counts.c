/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads whose switches are known: "sleeps" sleeps 300 times for a millisecond, "moves"
 * goes from one processor to another and back 50 times, "shares" computes for 0.2 s of its
 * time beside another thread on the same processor.  Each prints its name and what the
 * kernel counted of it: voluntary and involuntary switches, ns of processor time.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static int first = -1, last = -1; /* processors */

static long long processor_time(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (long long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void go_to(int processor)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static void say(const char *name)
{
    struct rusage usage;

    getrusage(RUSAGE_THREAD, &usage);
    printf("%s %ld %ld %lld\n", name, usage.ru_nvcsw, usage.ru_nivcsw, processor_time());
}

static void *sleeps(void *user)
{
    pthread_setname_np(pthread_self(), "sleeps");
    for (int i = 0; i < 300; i++)
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    say("sleeps");
    return user;
}

static void *moves(void *user)
{
    pthread_setname_np(pthread_self(), "moves");
    go_to(first);
    for (int i = 0; i < 25; i++) {
        go_to(last);
        go_to(first);
    }
    say("moves");
    return user;
}

static void *shares(void *name)
{
    long long until;

    pthread_setname_np(pthread_self(), name);
    go_to(first);
    until = processor_time() + 200000000;
    while (processor_time() < until)
        ;
    say(name);
    return name;
}

static void run(void *(*function)(void *), void *(*beside)(void *), void *user)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, function, user);
    if (beside)
        pthread_create(&threads[1], NULL, beside, "beside");
    for (int i = 0; i < (beside ? 2 : 1); i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    cpu_set_t all;

    sched_getaffinity(0, sizeof all, &all);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all)) {
            first = first < 0 ? i : first;
            last = i;
        }
    run(sleeps, NULL, NULL);
    run(moves, NULL, NULL);
    run(shares, shares, "shares");
    printf("processors %d 0 0\n", first == last ? 1 : 2);
    return 0;
}
