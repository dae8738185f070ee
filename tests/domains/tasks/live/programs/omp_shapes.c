/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omp_shapes: a line for each shape, "NAME TASKS PATH WORK REGIONS".
 * omp_shapes NAME UNIT: runs it.  A step is busy for UNIT microseconds of its thread's processor
 * time.  TASKS are explicit ones; PATH and WORK count steps on the critical path and in all.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double unit;

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

static void step(void)
{
    steps(1);
}

static int x, y, z;
static int many[64];

static void none(void)
{
    steps(3);
}

static void independent(void)
{
    for (int i = 0; i < 6; i++) {
#pragma omp task
        step();
    }
}

static void chain(void)
{
    for (int i = 0; i < 5; i++) {
#pragma omp task depend(inout : x)
        step();
    }
}

static void two_chains(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(inout : x)
        step();
#pragma omp task depend(inout : y)
        step();
    }
}

static void diamond(void)
{
#pragma omp task depend(out : x)
    step();
#pragma omp task depend(in : x)
    step();
#pragma omp task depend(in : x)
    step();
#pragma omp task depend(inout : x)
    step();
}

static void fan_in(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(out : many[i])
        step();
    }
#pragma omp task depend(in : many[0], many[1], many[2])
    steps(2);
}

static void fan_out(void)
{
#pragma omp task depend(out : x)
    steps(2);
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(in : x)
        step();
    }
}

/* Each reader must have ended before the second writer begins. */
static void write_after_read(void)
{
#pragma omp task depend(in : x)
    step();
#pragma omp task depend(in : x)
    steps(2);
#pragma omp task depend(out : x)
    step();
}

static void wavefront(void)
{
    static int cell[5][5];

    for (int i = 1; i < 5; i++)
        for (int j = 1; j < 5; j++) {
#pragma omp task depend(in : cell[i - 1][j], cell[i][j - 1]) depend(out : cell[i][j])
            step();
        }
}

/* Tiles of 4 x 4: each column needs a potrf, then trsm, then syrk or gemm. */
static void cholesky(void)
{
    enum { N = 4 };
    static int a[N][N];

    for (int k = 0; k < N; k++) {
#pragma omp task depend(inout : a[k][k])
        step();
        for (int i = k + 1; i < N; i++) {
#pragma omp task depend(in : a[k][k]) depend(inout : a[i][k])
            step();
        }
        for (int i = k + 1; i < N; i++) {
#pragma omp task depend(in : a[i][k]) depend(inout : a[i][i])
            step();
            for (int j = k + 1; j < i; j++) {
#pragma omp task depend(in : a[i][k], a[j][k]) depend(inout : a[i][j])
                step();
            }
        }
    }
}

static void exclusive(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(mutexinoutset : x)
        step();
    }
}

static void exclusive_after(void)
{
#pragma omp task depend(out : x)
    step();
    for (int i = 0; i < 2; i++) {
#pragma omp task depend(mutexinoutset : x)
        step();
    }
#pragma omp task depend(in : x)
    step();
}

#ifndef NO_SET
static void set(void)
{
# pragma omp task depend(out : x)
    step();
    for (int i = 0; i < 3; i++) {
# pragma omp task depend(inoutset : x)
        step();
    }
# pragma omp task depend(in : x)
    step();
}
#endif

static void objects(void)
{
    omp_depend_t object;

#pragma omp depobj(object) depend(inout : x)
    for (int i = 0; i < 3; i++) {
#pragma omp task depend(depobj : object)
        step();
    }
#pragma omp taskwait
#pragma omp depobj(object) destroy
}

static void iterators(void)
{
    for (int i = 0; i < 4; i++) {
#pragma omp task depend(out : many[i])
        step();
    }
#pragma omp task depend(iterator(i = 0 : 4), in : many[i])
    step();
}

static void sections_of_array(void)
{
#pragma omp task depend(out : many [0:2])
    step();
#pragma omp task depend(out : many [2:2])
    steps(2);
#pragma omp task depend(in : many [0:2])
    step();
}

/* It waits for the task that writes x, and then works as long. */
static void wait_for_one(void)
{
#pragma omp task depend(out : x)
    step();
#pragma omp task depend(out : y)
    steps(3);
#pragma omp taskwait depend(in : x)
    step();
}

static void wait_twice(void)
{
    for (int i = 0; i < 2; i++) {
#pragma omp task
        step();
#pragma omp task
        steps(2);
#pragma omp taskwait
    }
}

/* A group waits for what its tasks create, too. */
static void group(void)
{
#pragma omp taskgroup
    {
#pragma omp task
        {
#pragma omp task
            steps(2);
            step();
        }
    }
    step();
}

static void group_of_chain(void)
{
#pragma omp taskgroup
    {
        for (int i = 0; i < 2; i++) {
#pragma omp task depend(inout : x)
            step();
        }
    }
#pragma omp task depend(in : x)
    step();
}

/* Into a group, from before it. */
static void into_group(void)
{
#pragma omp task depend(out : x)
    step();
#pragma omp task depend(out : y)
    steps(2);
#pragma omp taskgroup
    {
#pragma omp task depend(in : x)
        steps(3);
#pragma omp task depend(in : y)
        step();
    }
}

static void divide(int depth)
{
    step();
    if (depth > 1) {
#pragma omp task
        divide(depth - 1);
#pragma omp task
        divide(depth - 1);
#pragma omp taskwait
    }
}

static void tree(void)
{
    divide(4);
}

static void included(void)
{
#pragma omp task if (0)
    step();
    step();
}

static void included_by_dependence(void)
{
#pragma omp task depend(out : x)
    step();
#pragma omp task if (0) depend(in : x)
    step();
    step();
}

static void in_final(void)
{
#pragma omp task final(1)
    {
#pragma omp task
        step();
#pragma omp task
        step();
        step();
    }
}

static void merged(void)
{
#pragma omp task mergeable if (0)
    step();
    step();
}

static void untied(void)
{
    for (int i = 0; i < 4; i++) {
#pragma omp task untied
        step();
    }
}

static void yields(void)
{
    for (int i = 0; i < 2; i++) {
#pragma omp task
        {
            step();
#pragma omp taskyield
            step();
        }
    }
}

static void priorities(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp task priority(i)
        step();
    }
}

static void taskloop(void)
{
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 4; i++)
        step();
}

static void taskloop_of_two(void)
{
#pragma omp taskloop num_tasks(2)
    for (int i = 0; i < 4; i++)
        step();
    step();
}

/* A task's own tasks are not what those behind it depend on. */
static void dependences_of_levels(void)
{
#pragma omp task depend(out : x)
    {
#pragma omp task depend(out : x)
        steps(3);
        step();
    }
#pragma omp task depend(in : x)
    step();
}

static void reduction(void)
{
    int sum = 0;

#pragma omp taskgroup task_reduction(+ : sum)
    {
        for (int i = 0; i < 3; i++) {
#pragma omp task in_reduction(+ : sum)
            {
                sum += i;
                step();
            }
        }
    }
    z = sum;
}

static void creator_works(void)
{
#pragma omp task
    step();
    steps(2);
#pragma omp taskwait
    step();
}

/* Waiting is no work, and an order that none asked for. */
static void critical(void)
{
    for (int i = 0; i < 3; i++) {
#pragma omp task
        {
#pragma omp critical
            step();
        }
    }
}

static void regions(void)
{
    for (int i = 0; i < 2; i++) {
#pragma omp parallel
#pragma omp single
        independent();
    }
}

static const struct shape {
    const char *name;
    void (*run)(void);
    int tasks, path, work, regions; /* 0 regions: it has its own, two */
} shapes[] = {
    { "none", none, 0, 3, 3, 1 },
    { "independent", independent, 6, 1, 6, 1 },
    { "chain", chain, 5, 5, 5, 1 },
    { "two_chains", two_chains, 6, 3, 6, 1 },
    { "diamond", diamond, 4, 3, 4, 1 },
    { "fan_in", fan_in, 4, 3, 5, 1 },
    { "fan_out", fan_out, 5, 3, 6, 1 },
    { "write_after_read", write_after_read, 3, 3, 4, 1 },
    { "wavefront", wavefront, 16, 7, 16, 1 },
    { "cholesky", cholesky, 20, 10, 20, 1 },
    { "exclusive", exclusive, 3, 3, 3, 1 },
    { "exclusive_after", exclusive_after, 4, 4, 4, 1 },
#ifndef NO_SET
    { "set", set, 5, 3, 5, 1 },
#endif
    { "objects", objects, 3, 3, 3, 1 },
    { "iterators", iterators, 5, 2, 5, 1 },
    { "sections_of_array", sections_of_array, 3, 2, 4, 1 },
    { "wait_for_one", wait_for_one, 2, 3, 5, 1 },
    { "wait_twice", wait_twice, 4, 4, 6, 1 },
    { "group", group, 2, 3, 4, 1 },
    { "group_of_chain", group_of_chain, 3, 3, 3, 1 },
    { "into_group", into_group, 4, 4, 7, 1 },
    { "tree", tree, 14, 4, 15, 1 },
    { "included", included, 1, 2, 2, 1 },
    { "included_by_dependence", included_by_dependence, 2, 3, 3, 1 },
    { "in_final", in_final, 3, 3, 3, 1 },
    { "merged", merged, 1, 2, 2, 1 },
    { "untied", untied, 4, 1, 4, 1 },
    { "yields", yields, 2, 2, 4, 1 },
    { "priorities", priorities, 3, 1, 3, 1 },
    { "taskloop", taskloop, 4, 1, 4, 1 },
    { "taskloop_of_two", taskloop_of_two, 2, 3, 5, 1 },
    { "dependences_of_levels", dependences_of_levels, 3, 3, 5, 1 },
    { "reduction", reduction, 3, 1, 3, 1 },
    { "creator_works", creator_works, 1, 3, 4, 1 },
    { "critical", critical, 3, 1, 3, 1 },
    { "regions", regions, 12, 2, 12, 0 },
};

static void run(const struct shape *shape)
{
    if (shape->regions == 0) {
        shape->run();
        return;
    }
#pragma omp parallel
#pragma omp single
    shape->run();
}

int main(int n, char **arguments)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *shape = &shapes[i];
        if (n < 3) {
            printf("%s %d %d %d %d\n", shape->name, shape->tasks, shape->path, shape->work,
                   shape->regions ? shape->regions : 2);
        } else if (strcmp(arguments[1], shape->name) == 0) {
            unit = 1e-6 * atof(arguments[2]);
            run(shape);
            return 0;
        }
    }
    return n < 3 ? 0 : 2;
}
