/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two threads that hand a byte to and fro through pipes; the first computes for about 200
 * microseconds before each.  Each round is four switches of threads or fewer.  Prints the
 * microseconds of a round: the least and the median of RUNS.
 *
 *     switch_pair RUNS ROUNDS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int to[2], fro[2];
static volatile unsigned sink;

static void compute(void)
{
    for (unsigned i = 0; i < 450000; i++)
        sink += i;
}

static void *answer(void *unused)
{
    char byte;

    while (read(to[0], &byte, 1) == 1 && byte)
        if (write(fro[1], &byte, 1) != 1)
            abort();
    return unused;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec * 1e-3;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int n, char **arguments)
{
    int runs = n > 1 ? atoi(arguments[1]) : 10, rounds = n > 2 ? atoi(arguments[2]) : 5000;
    double *took = calloc((size_t)runs, sizeof *took);
    char byte = 1;
    pthread_t thread;

    if (!took || pipe(to) != 0 || pipe(fro) != 0)
        return 2;
    pthread_create(&thread, NULL, answer, NULL);
    for (int i = 0; i < runs; i++) {
        double begin = now();
        for (int k = 0; k < rounds; k++) {
            compute();
            if (write(to[1], &byte, 1) != 1 || read(fro[0], &byte, 1) != 1)
                return 2;
        }
        took[i] = (now() - begin) / rounds;
    }
    byte = 0;
    if (write(to[1], &byte, 1) != 1)
        return 2;
    pthread_join(thread, NULL);
    qsort(took, (size_t)runs, sizeof *took, compare);
    printf("%.3f %.3f\n", took[0], took[runs / 2]);
    return 0;
}
