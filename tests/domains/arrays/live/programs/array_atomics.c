/* SPDX-License-Identifier: Apache-2.0 */
/* Threads add to counters, and to one of 16 bytes: hooks do atomic operations themselves. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weft/weft_array.h"

enum { THREADS = 4, ROUNDS = 10000, COUNTERS = 8 };

static _Atomic long counters[COUNTERS];
static _Atomic unsigned char bytes;
static _Atomic short shorts;
static long plain;
static atomic_flag lock = ATOMIC_FLAG_INIT;

static void *work(void *argument)
{
    long own = (long)argument;

    for (int i = 0; i < ROUNDS; i++) {
        long seen;
        atomic_fetch_add(&counters[0], 1);
        atomic_fetch_add_explicit(&bytes, 1, memory_order_relaxed);
        atomic_fetch_sub(&shorts, 1);
        while (atomic_flag_test_and_set(&lock))
            ;
        plain++;
        atomic_flag_clear(&lock);
        seen = atomic_load(&counters[1]);
        while (!atomic_compare_exchange_weak(&counters[1], &seen, seen + own))
            ;
        atomic_fetch_or(&counters[2], 1L << own);
        atomic_fetch_and(&counters[3], ~(1L << own));
        atomic_fetch_xor(&counters[4], 1L << own);
    }
    return NULL;
}

static void check(const char *what, long is, long expected)
{
    if (is == expected)
        return;
    printf("%s: %ld instead of %ld\n", what, is, expected);
    exit(1);
}

int main(void)
{
    pthread_t threads[THREADS];
    long from[4] = { 1, 2, 3, 4 }, to[4];

    weft_array("counters", 1, (const size_t[]){ COUNTERS });
    weft_array_at((const void *)counters, sizeof counters[0]);
    atomic_init(&counters[3], 31);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    weft_array_at(NULL, 0);
    check("fetch_add", counters[0], THREADS * ROUNDS);
    check("compare_exchange", counters[1], 6L * ROUNDS);
    check("fetch_or", counters[2], 15);
    check("fetch_and", counters[3], 16);
    check("fetch_xor", counters[4], 0);
    check("fetch_add of bytes", bytes, THREADS * ROUNDS % 256);
    check("fetch_sub of shorts", shorts, (short)-(THREADS * ROUNDS));
    check("under a lock", plain, THREADS * ROUNDS);
    check("exchange", atomic_exchange(&counters[0], 5), THREADS * ROUNDS);
    check("store", counters[0], 5);
    memcpy(to, from, sizeof to);
    check("memcpy", to[3], 4);
    return 0;
}
