/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_omp ROUNDS N: fib(N) by OpenMP tasks, as often, each round timed.  Prints the least and
 * the median of the nanoseconds per task.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long tasks;

static long fib(int n)
{
    long x, y;

    if (n < 2)
        return n;
#pragma omp task shared(x) firstprivate(n)
    x = fib(n - 1);
#pragma omp task shared(y) firstprivate(n)
    y = fib(n - 2);
#pragma omp taskwait
    return x + y;
}

static long count(int n)
{
    return n < 2 ? 0 : 2 + count(n - 1) + count(n - 2);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10, n = argc > 2 ? atoi(argv[2]) : 12;
    double *times = malloc((size_t)(rounds > 0 ? rounds : 1) * sizeof *times);
    volatile long result = 0;

    if (!times || rounds < 1)
        return 1;
    tasks = count(n);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < rounds; i++) {
        double begin = seconds();
        result += fib(n);
        times[i] = (seconds() - begin) * 1e9 / (double)tasks;
    }
    qsort(times, (size_t)rounds, sizeof *times, compare);
    printf("%.1f %.1f\n", times[0], times[rounds / 2]);
    free(times);
    return 0;
}
