/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects in memory that is mapped twice: taken through one mapping and given back through the
 * other; and again by another program, which has not initialized them.  Prints how often each was
 * had: a line "KIND NUMBER".
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMES = 100 };

static struct objects {
    pthread_mutex_t mutex;
    pthread_rwlock_t rwlock;
    pthread_spinlock_t spin;
    sem_t semaphore;
    pthread_cond_t condition;
    pthread_barrier_t barrier;
    int mutexes, rwlocks, spins, semaphores;
    int turn_of; /* whose turn it is, under the mutex */
} * one, *other;

static void map(int file)
{
    one = mmap(NULL, sizeof *one, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    /* Not where the other mapping's neighbour would be. */
    mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    other = mmap(NULL, sizeof *other, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (one == MAP_FAILED || other == MAP_FAILED)
        exit(1);
}

static void initialize(void)
{
    pthread_mutexattr_t mutex;
    pthread_rwlockattr_t rwlock;
    pthread_condattr_t condition;
    pthread_barrierattr_t barrier;

    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&one->mutex, &mutex);
    pthread_rwlockattr_init(&rwlock);
    pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&one->rwlock, &rwlock);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&one->condition, &condition);
    pthread_barrierattr_init(&barrier);
    pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&one->barrier, &barrier, 2);
    pthread_spin_init(&one->spin, PTHREAD_PROCESS_SHARED);
    sem_init(&one->semaphore, 1, 1);
}

static void have_all(void)
{
    pthread_mutex_lock(&one->mutex);
    one->mutexes++;
    pthread_mutex_unlock(&other->mutex);
    pthread_rwlock_wrlock(&other->rwlock);
    one->rwlocks++;
    pthread_rwlock_unlock(&one->rwlock);
    pthread_spin_lock(&one->spin);
    one->spins++;
    pthread_spin_unlock(&other->spin);
    sem_wait(&other->semaphore);
    one->semaphores++;
    sem_post(&one->semaphore);
}

/* Two take turns; the mutex is given back by its other address while one waits. */
static void take_turns(int me)
{
    for (int i = 0; i < TIMES / 10; i++) {
        pthread_mutex_lock(&one->mutex);
        one->mutexes++;
        while (one->turn_of != me) {
            pthread_cond_wait(&other->condition, &other->mutex);
            one->mutexes++;
        }
        one->turn_of = !me;
        pthread_cond_broadcast(&one->condition);
        pthread_mutex_unlock(&other->mutex);
    }
}

static void *work(void *me)
{
    pthread_barrier_wait(me ? &one->barrier : &other->barrier);
    for (int i = 0; i < TIMES; i++)
        have_all();
    take_turns(me != NULL);
    return NULL;
}

static void two_threads(void)
{
    pthread_t thread;

    one->turn_of = 0;
    pthread_create(&thread, NULL, work, one);
    work(NULL);
    pthread_join(thread, NULL);
}

int main(int n_arguments, char **arguments)
{
    char number[16];
    int file = n_arguments > 1 ? atoi(arguments[1]) : memfd_create("twice", 0);

    if (n_arguments == 1 && ftruncate(file, sizeof *one) != 0)
        return 1;
    map(file);
    if (n_arguments == 1)
        initialize();
    two_threads();
    if (n_arguments > 1)
        return 0;
    snprintf(number, sizeof number, "%d", file);
    if (fork() == 0) {
        execl("/proc/self/exe", "second", number, (char *)NULL);
        _exit(1);
    }
    wait(NULL);
    printf("Mutex %d\nRead-write lock %d\nSpin lock %d\nSemaphore %d\n", one->mutexes,
           one->rwlocks, one->spins, one->semaphores);
    return 0;
}
