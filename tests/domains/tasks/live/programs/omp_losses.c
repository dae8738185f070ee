/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omp_losses: a loop or another construct a function, each with a loss that is known by
 * construction, by two threads.  A step is busy for some time of its thread's processor.  The
 * comment on each says the most work of a thread and the mean, in steps, and who waits.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdlib.h>
#include <time.h>

#define LOSS __attribute__((noinline)) static void

static double unit;
static volatile double sink[4096];

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void steps(int n)
{
    double until = now() + n * unit;

    while (now() < until)
        ;
}

/* 12 and 4 steps. */
LOSS slow_half(void)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 8; i++)
        steps(i < 4 ? 3 : 1);
    sink[0]++;
}

/* 8 and 8. */
LOSS even(void)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 8; i++)
        steps(2);
    sink[0]++;
}

/* 12 and 4: every other iteration is slow. */
LOSS slow_each_other(void)
{
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 8; i++)
        steps(i % 2 ? 1 : 3);
    sink[0]++;
}

/* 9 and 1: one iteration has nearly all, and the other thread takes the rest. */
LOSS one_long(void)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 2; i++)
        steps(i ? 1 : 9);
    sink[0]++;
}

/* Nothing but asking for iterations. */
LOSS tiny(void)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 100000; i++)
        sink[i & 4095] += i;
    sink[0]++;
}

/* 10 and 2: the whole loop in two pieces. */
LOSS too_large(void)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (int i = 0; i < 8; i++)
        steps(i == 0 ? 7 : i < 4 ? 1 : i == 4 ? 2 : 0);
    sink[0]++;
}

/* 8 in all, one after the other. */
LOSS in_order(void)
{
#pragma omp parallel for ordered schedule(dynamic, 1)
    for (int i = 0; i < 8; i++) {
#pragma omp ordered
        steps(1);
    }
    sink[0]++;
}

/* The loop itself has no barrier: 4 and 0 steps, and then 0 and 4, are 4 and 4. */
LOSS no_wait(void)
{
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 2; i++)
            steps(i ? 0 : 4);
        if (omp_get_thread_num() == 1)
            steps(4);
    }
    sink[0]++;
}

/* 6 and 2. */
LOSS sections(void)
{
#pragma omp parallel sections
    {
#pragma omp section
        steps(6);
#pragma omp section
        steps(2);
    }
    sink[0]++;
}

/* One thread works, and the other waits 4 steps. */
LOSS single(void)
{
#pragma omp parallel
    {
#pragma omp single
        steps(4);
        sink[omp_get_thread_num()]++;
    }
    sink[0]++;
}

/* Between two barriers each waits for the other: 3 steps twice. */
LOSS barriers(void)
{
#pragma omp parallel
    {
        steps(omp_get_thread_num() ? 4 : 1);
#pragma omp barrier
        steps(omp_get_thread_num() ? 1 : 4);
#pragma omp barrier
        sink[omp_get_thread_num()]++;
    }
    sink[0]++;
}

int main(int n, char **arguments)
{
    unit = 1e-6 * (n > 1 ? atof(arguments[1]) : 2000);
    omp_set_num_threads(2);
    slow_half();
    even();
    slow_each_other();
    one_long();
    tiny();
    too_large();
    in_order();
    no_wait();
    sections();
    single();
    barriers();
    return 0;
}
