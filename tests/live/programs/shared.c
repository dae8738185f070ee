/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that wait for each other.  A step takes 100 ms.
 *
 *   1  the child waits for `to_child`, a semaphore in memory that both have; the parent posts
 *   2  the parent waits for `lock`, a mutex in that memory that the child holds
 *   3  the child waits in `condition`, there as well; the parent signals
 *   4  the child takes `robust` and exits with it; the parent takes it over
 *   5  another program, started as one, waits for a named semaphore; the parent posts.  It has
 *      the memory where the parent has other memory
 *
 * The program's argument is the name of the semaphore; the other program has a second one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asleep.h"

static struct shared {
    sem_t to_child, held;
    pthread_mutex_t lock, robust;
    pthread_cond_t condition;
    int signalled, parent;
} * shared;

static void step(void)
{
    usleep(100000);
}

static void set_up(void)
{
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;

    shared = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &mutex);
    pthread_mutexattr_setrobust(&mutex, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&shared->robust, &mutex);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->condition, &condition);
    sem_init(&shared->to_child, 1, 0);
    sem_init(&shared->held, 1, 0);
}

static int child(void)
{
    sem_wait(&shared->to_child);
    pthread_mutex_lock(&shared->lock);
    sem_post(&shared->held);
    wait_until_at(&shared->parent, &shared->lock, sizeof shared->lock);
    step();
    while (!shared->signalled)
        pthread_cond_wait(&shared->condition, &shared->lock);
    pthread_mutex_unlock(&shared->lock);
    pthread_mutex_lock(&shared->robust);
    exit(0);
}

static int other_program(const char *name)
{
    sem_t *semaphore = sem_open(name, 0);

    pthread_setname_np(pthread_self(), "other");
    return semaphore == SEM_FAILED || sem_wait(semaphore) != 0;
}

int main(int n_arguments, char **arguments)
{
    sem_t *named;
    pid_t pid;
    int status = 0;

    if (n_arguments == 3)
        return other_program(arguments[1]);
    set_up();
    shared->parent = own_thread();
    pid = fork();
    if (pid == 0)
        return child();
    wait_until_at(&pid, &shared->to_child, sizeof shared->to_child);
    step();
    sem_post(&shared->to_child);
    sem_wait(&shared->held);
    pthread_mutex_lock(&shared->lock); /* the child has it for a step, then waits */
    step();
    shared->signalled = 1;
    pthread_cond_signal(&shared->condition);
    pthread_mutex_unlock(&shared->lock);
    waitpid(pid, NULL, 0);
    step();
    if (pthread_mutex_lock(&shared->robust) != EOWNERDEAD)
        return 1;
    pthread_mutex_consistent(&shared->robust);
    pthread_mutex_unlock(&shared->robust);
    named = sem_open(arguments[1], O_CREAT | O_EXCL, 0600, 0);
    pid = fork();
    if (pid == 0) {
        execl("/proc/self/exe", "other", arguments[1], "other", (char *)NULL);
        _exit(1);
    }
    wait_until_in(&pid, SYS_futex, 0,
                  UINTPTR_MAX); /* the semaphore, wherever it is there */
    step();
    sem_post(named);
    waitpid(pid, &status, 0);
    sem_unlink(arguments[1]);
    return status != 0;
}
