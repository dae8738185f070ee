/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are woken while another thread spins on their only processor: each is ready
 * from then on until the spinner lets it run, which may take long, since it has the policy
 * SCHED_IDLE.  A thread on another processor wakes them; they wait for nothing else.  Each
 * prints its name and what the kernel says of it: how long it ran, and how long it was
 * ready, in ns.  With an argument nothing spins.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 10, PAUSE_NS = 20000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static sem_t go, done;
static atomic_bool over;
static int round_told;
static bool tells_inside;
static cpu_set_t busy, other; /* the processor with the spinner, and another one */

static void rest(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
}

static pthread_t begin(const cpu_set_t *where, void *(*function)(void *), void *user)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    pthread_attr_setaffinity_np(&attributes, sizeof *where, where);
    if (pthread_create(&thread, &attributes, function, user) != 0)
        exit(1);
    pthread_attr_destroy(&attributes);
    return thread;
}

static void *spin(void *user)
{
    pthread_setname_np(pthread_self(), "spinner");
    while (!atomic_load(&over))
        ;
    return user;
}

static void *pause_and_end(void *user)
{
    rest();
    return user;
}

struct kind {
    const char *name;
    void (*waits)(int round), (*wakes)(int round);
};

static void takes_mutex(int round)
{
    (void)round;
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

/* The waiter is told to go on once the lock is held. */
static void gives_mutex(int round)
{
    (void)round;
    pthread_mutex_lock(&lock);
    sem_post(&go);
    rest();
    pthread_mutex_unlock(&lock);
}

static void takes_shared(int round)
{
    if (round % 2)
        pthread_rwlock_rdlock(&shared);
    else
        pthread_rwlock_wrlock(&shared);
    pthread_rwlock_unlock(&shared);
}

static void gives_shared(int round)
{
    (void)round;
    pthread_rwlock_wrlock(&shared);
    sem_post(&go);
    rest();
    pthread_rwlock_unlock(&shared);
}

static void takes_condition(int round)
{
    pthread_mutex_lock(&guard);
    while (round_told <= round)
        pthread_cond_wait(&told, &guard);
    pthread_mutex_unlock(&guard);
}

/* Signals with the mutex in hand, which is held a while longer, or without it. */
static void gives_condition(int round)
{
    sem_post(&go);
    rest();
    pthread_mutex_lock(&guard);
    round_told = round + 1;
    if (tells_inside) {
        pthread_cond_broadcast(&told);
        rest();
    }
    pthread_mutex_unlock(&guard);
    if (!tells_inside)
        pthread_cond_signal(&told);
}

static void takes_post(int round)
{
    (void)round;
    sem_wait(&go);
}

static void gives_post(int round)
{
    (void)round;
    sem_post(&go);
    rest();
    sem_post(&go);
}

static void passes(int round)
{
    (void)round;
    pthread_barrier_wait(&both);
}

static void comes_last(int round)
{
    (void)round;
    sem_post(&go);
    rest();
    pthread_barrier_wait(&both);
}

static void joins(int round)
{
    (void)round;
    pthread_join(begin(&other, pause_and_end, NULL), NULL);
}

static void lets_join(int round)
{
    (void)round;
    sem_post(&go);
}

static const struct kind kinds[] = {
    { "mutex", takes_mutex, gives_mutex },
    { "shared", takes_shared, gives_shared },
    { "condition", takes_condition, gives_condition },
    { "inside", takes_condition, gives_condition },
    { "semaphore", takes_post, gives_post },
    { "barrier", passes, comes_last },
    { "join", joins, lets_join },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void *wait_for(void *user)
{
    const struct kind *kind = user;
    unsigned long long ran = 0, ready = 0;
    FILE *file;

    pthread_setname_np(pthread_self(), kind->name);
    sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){ 0 });
    for (int round = 0; round < ROUNDS; round++) {
        sem_wait(&go);
        kind->waits(round);
        sem_post(&done);
    }
    file = fopen("/proc/thread-self/schedstat", "r");
    if (!file || fscanf(file, "%llu %llu", &ran, &ready) != 2)
        exit(1);
    fclose(file);
    printf("%s %llu %llu\n", kind->name, ran, ready);
    return user;
}

/* Finds the first and the last processor that the program may use. */
static void find_processors(void)
{
    cpu_set_t all;
    int first = -1, last = -1;

    sched_getaffinity(0, sizeof all, &all);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all)) {
            first = first < 0 ? i : first;
            last = i;
        }
    CPU_ZERO(&busy);
    CPU_ZERO(&other);
    CPU_SET(first, &busy);
    CPU_SET(last, &other);
}

int main(int argc, char **argv)
{
    pthread_t spinner;
    bool spins = argc == 1;

    (void)argv;
    find_processors();
    sched_setaffinity(0, sizeof other, &other);
    sem_init(&go, 0, 0);
    sem_init(&done, 0, 0);
    pthread_barrier_init(&both, NULL, 2);
    if (spins)
        spinner = begin(&busy, spin, NULL);
    for (int kind = 0; kind < KINDS; kind++) {
        pthread_t waiter = begin(&busy, wait_for, (void *)&kinds[kind]);
        round_told = 0;
        tells_inside = kind == 3;
        for (int round = 0; round < ROUNDS; round++) {
            rest();
            kinds[kind].wakes(round);
            sem_wait(&done);
        }
        pthread_join(waiter, NULL);
    }
    atomic_store(&over, true);
    if (spins)
        pthread_join(spinner, NULL);
    return 0;
}
