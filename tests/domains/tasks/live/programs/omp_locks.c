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

static omp_lock_t plain;
static omp_nest_lock_t nested;

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 10;

    omp_init_lock(&plain);
    omp_init_nest_lock(&nested);
#pragma omp parallel
    for (int i = 0; i < rounds; i++) {
#pragma omp critical(account) /* here */
        usleep(SLEEP);
        omp_set_lock(&plain); /* and here */
        usleep(SLEEP);
        omp_unset_lock(&plain);
        omp_set_nest_lock(&nested);
        omp_set_nest_lock(&nested);
        usleep(SLEEP);
        omp_unset_nest_lock(&nested);
        omp_unset_nest_lock(&nested);
    }
    return 0;
}
