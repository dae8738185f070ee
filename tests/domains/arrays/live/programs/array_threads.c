/* SPDX-License-Identifier: Apache-2.0 */
/*
 * array_threads N: N threads sweep over an array, a step each; what is referred to is the same for
 * any N.  Between two sweeps a child is forked, which refers to what its parent does not.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/weft_array.h"

enum { SIDE = 64, SWEEPS = 6, MAX_THREADS = 8 };

static double from[SIDE][SIDE], to[SIDE][SIDE];
static long seen[4];
static int n_threads;
static pthread_barrier_t barrier;

static void sweep(int first, int after)
{
    for (int i = first; i < after; i++)
        for (int j = 1; j < SIDE - 1; j++)
            to[i][j] = from[i][j - 1] + from[i][j + 1];
}

static void fork_child(void)
{
    pid_t child = fork();

    if (child == 0) {
        for (int i = 0; i < 4; i++)
            seen[i] = i;
        exit(0);
    }
    if (child < 0 || waitpid(child, NULL, 0) != child)
        exit(1);
}

static void *work(void *argument)
{
    long number = (long)argument;
    int part = SIDE / n_threads;

    for (int i = 0; i < SWEEPS; i++) {
        sweep((int)number * part, (int)(number + 1) * part);
        pthread_barrier_wait(&barrier);
        if (number == 0) {
            if (i == 2)
                fork_child();
            weft_array_step();
        }
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_THREADS];

    n_threads = argc > 1 ? atoi(argv[1]) : 1;
    weft_array("from", 2, (const size_t[]){ SIDE, SIDE });
    weft_array_at(from, sizeof from[0][0]);
    weft_array("to", 2, (const size_t[]){ SIDE, SIDE });
    weft_array_at(to, sizeof to[0][0]);
    weft_array("seen", 1, (const size_t[]){ 4 });
    weft_array_at(seen, sizeof seen[0]);
    pthread_barrier_init(&barrier, NULL, (unsigned)n_threads);
    for (long i = 0; i < n_threads; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            return 1;
    for (int i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
