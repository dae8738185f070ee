/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels share.  Each is a program of OpenMP tasks with the task structure of the one
 * of the same name in the Barcelona OpenMP Tasks Suite (Duran, Teruel, Ferrer, Martorell,
 * Ayguadé: "Barcelona OpenMP Tasks Suite", ICPP 2009).  It takes its size as an argument, counts
 * the tasks that it creates, checks its result, and prints both:
 *
 *     fib 20: 21890 tasks, 6765, right
 */
#ifndef WEFT_EXAMPLES_TASKS_H
#define WEFT_EXAMPLES_TASKS_H

#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MAX = 1024 };

/* Each thread counts in a cache line of its own. */
static long created[THREADS_MAX][8];

/*
 * Beside each `omp task`.  A macro: compilers mix its instructions with those that create the
 * task, whose place in the source would be here, were it a function.
 */
#define count_task() ((void)created[omp_get_thread_num() % THREADS_MAX][0]++)

static inline int size_of(int argc, char **argv, int otherwise)
{
    return argc > 1 ? atoi(argv[1]) : otherwise;
}

/* The last line of main. */
static inline int report(const char *name, int size, double result, bool right)
{
    long tasks = 0;

    for (int i = 0; i < THREADS_MAX; i++)
        tasks += created[i][0];
    printf("%s %d: %ld tasks, %.10g, %s\n", name, size, tasks, result,
           right ? "right" : "WRONG");
    return right ? 0 : 1;
}

/* A random number that follows from a seed alone (Steele, Lea, Flood: SplitMix, 2014). */
static inline uint64_t mix(uint64_t seed)
{
    seed += UINT64_C(0x9e3779b97f4a7c15);
    seed = (seed ^ (seed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    seed = (seed ^ (seed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return seed ^ (seed >> 31);
}

/* From 0 to 1. */
static inline double fraction(uint64_t seed)
{
    return (double)(mix(seed) >> 11) * 0x1p-53;
}

#endif
