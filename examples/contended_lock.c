/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four threads count words; three of them keep the lock of the shared table for a moment,
 * and one sorts the table while it holds the lock.  The lock summary names the lock that is
 * waited for most, its worst holder, and the line below where it is taken.
 *
 *   weft record -o lock.weft -- ./contended_lock && weft render lock-summary lock.weft --format text
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 300, BUCKETS = 4096 };

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static int table[BUCKETS];
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER; /* hardly ever waited for */
static long total;

static int compare(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

static void add_word(unsigned word)
{
    pthread_mutex_lock(&table_lock);
    table[word % BUCKETS]++;
    pthread_mutex_unlock(&table_lock);
}

static void sort_table(void)
{
    pthread_mutex_lock(&table_lock); /* held for the whole of the sorting: the mistake */
    qsort(table, BUCKETS, sizeof *table, compare);
    pthread_mutex_unlock(&table_lock);
}

static void *count(void *user)
{
    long number = (long)user;
    unsigned word = (unsigned)number;
    char name[16];
    snprintf(name, sizeof name, number ? "counter %ld" : "sorter", number);
    pthread_setname_np(pthread_self(), name);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 50; i++) {
            word = word * 1664525u + 1013904223u;
            add_word(word >> 16);
        }
        if (number == 0)
            sort_table();
        pthread_mutex_lock(&total_lock);
        total += 50;
        pthread_mutex_unlock(&total_lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld words counted\n", total);
    return total == THREADS * ROUNDS * 50 ? 0 : 1;
}
