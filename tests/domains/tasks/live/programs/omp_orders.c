/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omp_orders WHAT: tasks whose critical path is known by construction; each is busy for 20 ms of
 * processor time of its thread.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void busy(void)
{
    struct timespec now;
    double until;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    until = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec + 0.02;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec < until);
}

static int x, y;

/* Five tasks, each after the one before: 100 ms. */
static void chain(void)
{
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(inout : x)
        busy();
    }
}

/* One writes, two read, one writes: 60 ms. */
static void diamond(void)
{
#pragma omp task depend(out : x)
    busy();
#pragma omp task depend(in : x)
    busy();
#pragma omp task depend(in : x)
    busy();
#pragma omp task depend(inout : x)
    busy();
}

/* Two chains of two, in a task group after the first of each: 40 ms. */
static void groups(void)
{
#pragma omp task depend(out : x)
    busy();
#pragma omp task depend(out : y)
    busy();
#pragma omp taskgroup
    {
#pragma omp task depend(in : x)
        busy();
#pragma omp task depend(in : y)
        busy();
    }
}

/* Three that exclude one another: 60 ms. */
static void exclusive(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(mutexinoutset : x)
        busy();
    }
}

/* A task that is run at once, then the creator's own work: 40 ms. */
static void included(void)
{
#pragma omp task if (0)
    busy();
    busy();
}

/* Tasks in a final task are run at once: 60 ms. */
static void in_final(void)
{
#pragma omp task final(1)
    {
#pragma omp task
        busy();
#pragma omp task
        busy();
        busy();
    }
}

/* The creator waits for the task that writes x, not for the other: 40 ms. */
static void waits(void)
{
#pragma omp task depend(out : x)
    busy();
#pragma omp task depend(out : y)
    busy();
#pragma omp taskwait depend(in : x)
    busy();
}

/* Four tasks of one construct: 20 ms. */
static void taskloop(void)
{
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 4; i++)
        busy();
}

/* 64 tasks of one construct, which the runtime's tasks create: nothing is busy. */
static void many(void)
{
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 64; i++)
        __asm__ volatile("");
}

/* Tasks that are cancelled before they begin: nothing is lost. */
static void cancelled(void)
{
#pragma omp taskgroup
    {
        for (int i = 0; i < 8; i++) {
#pragma omp task
            {
#pragma omp cancel taskgroup
                busy();
            }
        }
    }
}

/* A task that ends when another one fulfils its event.  LLVM's runtime has no such task for
   programs of GCC, which it finds in their symbols: so it is a program of its own. */
static void detached(void)
{
#ifdef DETACH
    omp_event_handle_t event;
# pragma omp task detach(event)
    busy();
# pragma omp task
    omp_fulfill_event(event);
# pragma omp taskwait
#endif
}

static const struct {
    const char *name;
    void (*run)(void);
} all[] = {
    { "chain", chain },         { "diamond", diamond },   { "groups", groups },
    { "exclusive", exclusive }, { "included", included }, { "in_final", in_final },
    { "waits", waits },         { "taskloop", taskloop }, { "many", many },
    { "cancelled", cancelled }, { "detached", detached },
};

int main(int n, char **arguments)
{
    for (size_t i = 0; n == 2 && i < sizeof all / sizeof *all; i++)
        if (strcmp(arguments[1], all[i].name) == 0) {
#pragma omp parallel
#pragma omp single
            all[i].run();
            return 0;
        }
    return 2;
}
