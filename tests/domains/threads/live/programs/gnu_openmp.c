/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits of 0.2 s in GCC's OpenMP, one for each argument: who waits for whom, where and how
 * long is known.  Thread 0 is the one that the others wait for, unless said otherwise.
 */
#include <omp.h>
#include <string.h>
#include <unistd.h>

enum { LONG_US = 200000, SHORT_US = 50000 };

static void region_end(void) /* 1 and 2 wait for 0 at the region's end */
{
#pragma omp parallel num_threads(3)
    if (omp_get_thread_num() == 0)
        usleep(LONG_US);
}

static void between(void) /* 1 and 2 have no work for 0.2 s */
{
    for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(3)
        usleep(SHORT_US);
        if (i == 0)
            usleep(LONG_US);
    }
}

static void barrier(void) /* 0 and 2 wait for 1 */
{
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 1)
            usleep(LONG_US);
#pragma omp barrier
        usleep(SHORT_US);
    }
}

static void loop(void) /* who has not got the long iteration waits */
{
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 3; i++)
            usleep(i == 0 ? SHORT_US + LONG_US : SHORT_US);
        usleep(SHORT_US);
    }
}

static void sections(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
            usleep(LONG_US + SHORT_US);
#pragma omp section
            usleep(SHORT_US);
        }
        usleep(SHORT_US);
    }
}

static void critical(void) /* the second waits while the first holds it */
{
#pragma omp parallel num_threads(2)
#pragma omp critical
    usleep(LONG_US);
}

static void named(void)
{
#pragma omp parallel num_threads(2)
#pragma omp critical(ledger)
    usleep(LONG_US);
}

static void lock(void)
{
    static omp_lock_t heap;

    omp_init_lock(&heap);
#pragma omp parallel num_threads(2)
    {
        omp_set_lock(&heap);
        usleep(LONG_US);
        omp_unset_lock(&heap);
    }
    omp_destroy_lock(&heap);
}

static void ordered(void) /* iteration 1 waits for iteration 0 and its ordered part */
{
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; i++) {
        if (i == 0)
            usleep(LONG_US);
#pragma omp ordered
        usleep(SHORT_US);
    }
}

static void tasks(void) /* 0 waits for a task that 1 has, at a taskwait */
{
    static volatile int taken;

#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task
        {
            taken = 1;
            usleep(LONG_US);
        }
        while (!taken)
            usleep(1000);
#pragma omp taskwait
    }
}

static void
nested(void) /* each thread of a team of 2 waits for the other of its own team */
{
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
        usleep(omp_get_thread_num() == outer ? SHORT_US : LONG_US);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } cases[] = { { "region_end", region_end }, { "between", between },
                  { "barrier", barrier },       { "loop", loop },
                  { "sections", sections },     { "critical", critical },
                  { "named", named },           { "lock", lock },
                  { "ordered", ordered },       { "tasks", tasks },
                  { "nested", nested } };

    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0)
            cases[i].function();
    return 0;
}
