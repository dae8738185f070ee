/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four times as many threads as processors, which all compute from their begin until 0.3 s
 * after the last one has begun.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_bool stop;

static void *compute(void *user)
{
    volatile unsigned *own = user;

    while (!stop)
        ++*own;
    return NULL;
}

int main(void)
{
    size_t n = 4 * (size_t)sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t *threads = calloc(n, sizeof *threads);
    unsigned *counts = calloc(n, sizeof *counts);

    for (size_t i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, compute, &counts[i]);
    nanosleep(&(struct timespec){ 0, 300000000 }, NULL);
    stop = 1;
    for (size_t i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    free(counts);
    return 0;
}
