/* SPDX-License-Identifier: Apache-2.0 */
/*
 * short_threads N [LOCKS]: N threads one after the other; then LOCKS locks in turn, ten times.
 * The status is 2 when the process has grown after the first thousand: nothing of a thread that
 * has ended should stay.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FEW = 1000, MAX_MORE_BYTES = 4 << 20 };

static void *run(void *unused)
{
    return unused;
}

/* Bytes of the process that are in memory. */
static long resident(void)
{
    long size, pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (file && fscanf(file, "%ld %ld", &size, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static int take_in_turn(long n)
{
    pthread_mutex_t *locks = calloc((size_t)n + 1, sizeof *locks);

    if (!locks)
        return 1;
    for (long i = 0; i < n; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (int round = 0; round < 10; round++)
        for (long i = 0; i < n; i++) {
            pthread_mutex_lock(&locks[i]);
            pthread_mutex_unlock(&locks[i]);
        }
    free(locks);
    return 0;
}

int main(int n_arguments, char **arguments)
{
    long n = n_arguments > 1 ? atol(arguments[1]) : 0, before = 0;

    for (long i = 0; i < n; i++) {
        pthread_t thread;
        if (i == FEW)
            before = resident();
        if (pthread_create(&thread, NULL, run, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    if (before && resident() - before > MAX_MORE_BYTES)
        return 2;
    return n_arguments > 2 ? take_in_turn(atol(arguments[2])) : 0;
}
