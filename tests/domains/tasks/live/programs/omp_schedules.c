/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A loop a function, each with a schedule of its own; by two threads.  Functions whose region
 * the test looks for do something behind it: else compilers leave them by a jump, and the
 * region seems to be where they were called.
 */
#include <omp.h>
#include <stdint.h>

#define LOOP __attribute__((noinline)) static void

enum { N = 64 };

static volatile unsigned x[N];

static void work(int i, int rounds)
{
    for (int k = 0; k < rounds; k++)
        x[i] += (unsigned)k;
}

LOOP static_whole(void)
{
#pragma omp parallel
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
        work(i, 100);
    x[0]++;
}

LOOP static_by_4(void)
{
#pragma omp parallel
#pragma omp for schedule(static, 4)
    for (int i = 0; i < N; i++)
        work(i, 100);
    x[0]++;
}

LOOP dynamic_by_1(void)
{
#pragma omp parallel
#pragma omp for schedule(dynamic)
    for (int i = 0; i < N; i++)
        work(i, 100);
}

LOOP dynamic_by_8(void)
{
#pragma omp parallel
#pragma omp for schedule(monotonic : dynamic, 8)
    for (int i = 0; i < N; i++)
        work(i, 100);
}

LOOP guided_by_2(void)
{
#pragma omp parallel
#pragma omp for schedule(guided, 2)
    for (int i = 0; i < N; i++)
        work(i, 100);
}

LOOP ordered_by_2(void)
{
#pragma omp parallel
#pragma omp for ordered schedule(dynamic, 2)
    for (int i = 0; i < N; i++)
#pragma omp ordered
        work(i, 100);
}

LOOP as_told(void)
{
#pragma omp parallel
#pragma omp for schedule(runtime)
    for (int i = 0; i < N; i++)
        work(i, 100);
}

LOOP as_told_each_time(void)
{
#pragma omp parallel
#pragma omp for schedule(runtime)
    for (int i = 0; i < N; i++)
        work(i, 100);
}

LOOP automatic(void)
{
#pragma omp parallel
#pragma omp for schedule(auto)
    for (int i = 0; i < N; i++)
        work(i, 100);
    x[0]++;
}

/* The first thread is late at the end of the region. */
LOOP without_a_barrier(void)
{
#pragma omp parallel
    {
#pragma omp for schedule(dynamic, 3) nowait
        for (int i = 0; i < N; i++)
            work(i, 100);
        if (omp_get_thread_num() == 0)
            work(0, 10000000);
    }
    x[0]++;
}

LOOP of_unsigned(void)
{
#pragma omp parallel
#pragma omp for schedule(dynamic, 5)
    for (uint64_t i = 0; i < N; i++)
        work((int)i, 100);
}

LOOP at_once(void)
{
#pragma omp parallel for schedule(guided, 7)
    for (int i = 0; i < N; i++)
        work(i, 100);
}

int main(void)
{
    static_whole();
    static_by_4();
    dynamic_by_1();
    dynamic_by_8();
    guided_by_2();
    ordered_by_2();
    omp_set_schedule(omp_sched_guided, 3);
    as_told();
    as_told_each_time();
    omp_set_schedule(omp_sched_dynamic, 3);
    as_told_each_time();
    automatic();
    without_a_barrier();
    of_unsigned();
    at_once();
    return x[1] != 13 * 4950; /* each of 13 times 0 + ... + 99 */
}
