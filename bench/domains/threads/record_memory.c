/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pair of malloc and free of 100 bytes in nanoseconds, the least of the rounds: on one
 * thread, or on N that do nothing else.  bench/domains/threads/record_memory.sh runs it bare
 * and recorded.
 *
 *   record_memory N
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 20, PAIRS = 20000, MAX_THREADS = 64 };

static void *volatile sink; /* so that no call is left out */

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void *run(void *least)
{
    double *result = least;

    *result = 1e18;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now_ns(), each;
        for (int i = 0; i < PAIRS; i++) {
            void *block = malloc(100);
            sink = block;
            free(block);
        }
        each = (now_ns() - begin) / PAIRS;
        *result = each < *result ? each : *result;
    }
    return NULL;
}

int main(int n_arguments, char **arguments)
{
    int n = n_arguments > 1 ? atoi(arguments[1]) : 0;
    pthread_t threads[MAX_THREADS];
    double least[MAX_THREADS], sum = 0;

    if (n < 1 || n > MAX_THREADS) {
        fprintf(stderr, "usage: record_memory THREADS, at most 64\n");
        return 2;
    }
    for (int i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, run, &least[i]) != 0)
            return 1;
    for (int i = 0; i < n; i++) {
        pthread_join(threads[i], NULL);
        sum += least[i];
    }
    printf("%.2f\n", sum / n);
    return 0;
}
