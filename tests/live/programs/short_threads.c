/* SPDX-License-Identifier: Apache-2.0 */
/* short_threads N [LOCKS]: N threads one after the other; then LOCKS locks in turn, ten times. */
#include <pthread.h>
#include <stdlib.h>

static void *run(void *unused)
{
    return unused;
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
    long n = n_arguments > 1 ? atol(arguments[1]) : 0;

    for (long i = 0; i < n; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, run, NULL) != 0)
            return 1;
        pthread_join(thread, NULL);
    }
    return n_arguments > 2 ? take_in_turn(atol(arguments[2])) : 0;
}
