/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one recorded event costs: times pairs of begin + end annotations, and lock + unlock of
 * a mutex that nobody else wants.  Prints nanoseconds per pair, the least and the median of
 * the rounds.
 * bench/record_pair.sh runs it bare, recorded, and under eztrace.
 *
 *   record_pair annotations|locks ROUNDS PAIRS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "weft/weft.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double annotations(long n)
{
    double begin = now_ns();

    for (long i = 0; i < n; i++) {
        weft_begin("pair");
        weft_end();
    }
    return (now_ns() - begin) / (double)n;
}

static double locks(long n)
{
    double begin = now_ns();

    for (long i = 0; i < n; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    return (now_ns() - begin) / (double)n;
}

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b)
           - (*(const double *)a < *(const double *)b);
}

int main(int n_arguments, char **arguments)
{
    static double ns[1000];
    int rounds;

    if (n_arguments != 4) {
        fprintf(stderr, "usage: record_pair annotations|locks ROUNDS PAIRS\n");
        return 2;
    }
    rounds = atoi(arguments[2]);
    rounds = rounds < 1 ? 1 : rounds > 1000 ? 1000 : rounds;
    for (int i = 0; i < rounds; i++) {
        long n = atol(arguments[3]);
        ns[i] = strcmp(arguments[1], "locks") == 0 ? locks(n) : annotations(n);
    }
    qsort(ns, (size_t)rounds, sizeof *ns, compare);
    printf("%.2f %.2f\n", ns[0], ns[rounds / 2]);
    return 0;
}
