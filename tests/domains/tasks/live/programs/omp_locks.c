/* SPDX-License-Identifier: Apache-2.0 */
/*
 * omp_locks ROUNDS: every thread sleeps 2 ms in a critical section ROUNDS times, and in a lock, and
 * in a nested lock that it has twice.  Nothing happens outside of them.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

enum { SLEEP = 2000 }; /* us */

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    omp_lock_t lock;
    omp_nest_lock_t nested;

    omp_init_lock(&lock);
    omp_init_nest_lock(&nested);
#pragma omp parallel
    for (int i = 0; i < rounds; i++) {
#pragma omp critical(account) /* here */
        usleep(SLEEP);
        omp_set_lock(&lock); /* and here */
        usleep(SLEEP);
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nested);
        omp_set_nest_lock(&nested);
        usleep(SLEEP);
        omp_unset_nest_lock(&nested);
        omp_unset_nest_lock(&nested);
    }
    return 0;
}
