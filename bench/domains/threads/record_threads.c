/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thread costs that does nothing, and a lock among many that are taken in turn.  Prints
 * microseconds a thread, or nanoseconds a pair of lock and unlock: the least of the rounds.
 * bench/record_threads.sh runs it bare and recorded.
 *
 *   record_threads threads N
 *   record_threads locks N
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 20, PAIRS = 200000 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void *run(void *unused)
{
    return unused;
}

/* One after the other, in ROUNDS equal parts. */
static double threads_us(long n)
{
    double least = 1e18;

    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns(), each;
        for (long i = 0; i < n / ROUNDS; i++) {
            pthread_t thread;
            if (pthread_create(&thread, NULL, run, NULL) != 0)
                exit(1);
            pthread_join(thread, NULL);
        }
        each = (now_ns() - begin) / (double)(n / ROUNDS);
        least = each < least ? each : least;
    }
    return least * 1e-3;
}

static double locks_ns(long n)
{
    pthread_mutex_t *locks = calloc((size_t)n, sizeof *locks);
    double least = 1e18;

    if (!locks)
        exit(1);
    for (long i = 0; i < n; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns(), each;
        long pairs = 0;
        while (pairs < PAIRS)
            for (long i = 0; i < n; i++, pairs++) {
                pthread_mutex_lock(&locks[i]);
                pthread_mutex_unlock(&locks[i]);
            }
        each = (now_ns() - begin) / (double)pairs;
        least = each < least ? each : least;
    }
    free(locks);
    return least;
}

int main(int n_arguments, char **arguments)
{
    long n = n_arguments > 2 ? atol(arguments[2]) : 0;

    if (n < ROUNDS && (n < 1 || strcmp(arguments[1], "threads") == 0)) {
        fprintf(stderr, "usage: record_threads threads|locks N\n");
        return 2;
    }
    if (strcmp(arguments[1], "threads") == 0)
        printf("%.2f\n", threads_us(n));
    else
        printf("%.2f\n", locks_ns(n));
    return 0;
}
