/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A signal handler jumps out of whatever it interrupts.
 *
 *   1000 jumps out of hooks: the timer hits every 100 us while the thread does nothing but call
 *        one (a signal of a condition that nobody waits in, which may be left at any point)
 *   then out of sem_wait() and out of read(), each after 100 ms
 *   then 100 ms of work, and 20,000 pairs of lock and unlock of `after`
 *
 * With the argument "stack" the handler has a stack of its own; with "unseen" it jumps without
 * the C library.
 */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static sigjmp_buf out;
static void *out_unseen[5];
static int unseen;
static pthread_cond_t nobody = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t after = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;

static void jump(int signal)
{
    (void)signal;
    if (unseen)
        __builtin_longjmp(out_unseen, 1);
    siglongjmp(out, 1);
}

static void start_timer(long microseconds)
{
    struct itimerval once = { { 0, 0 }, { 0, microseconds } };
    setitimer(ITIMER_REAL, &once, NULL);
}

static void work(void)
{
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec
           < 100000000);
}

int main(int n_arguments, char **arguments)
{
    volatile int jumps = 0;
    int ends[2];
    char byte;
    stack_t other = { .ss_sp = malloc(65536), .ss_size = 65536 };
    struct sigaction action = { .sa_handler = jump, .sa_flags = SA_NODEFER };

    if (n_arguments > 1 && strcmp(arguments[1], "stack") == 0)
        action.sa_flags |= SA_ONSTACK;
    unseen = n_arguments > 1 && strcmp(arguments[1], "unseen") == 0;
    sigaltstack(&other, NULL);
    sigaction(SIGALRM, &action, NULL);
    sem_init(&never, 0, 0);
    if (unseen ? __builtin_setjmp(out_unseen) : sigsetjmp(out, 1))
        jumps++;
    if (jumps < 1000) {
        start_timer(100);
        for (;;)
            pthread_cond_signal(&nobody);
    }
    if (!(unseen ? __builtin_setjmp(out_unseen) : sigsetjmp(out, 1))) {
        start_timer(100000);
        sem_wait(&never);
    }
    work();
    if (pipe(ends) != 0)
        return 1;
    if (!(unseen ? __builtin_setjmp(out_unseen) : sigsetjmp(out, 1))) {
        start_timer(100000);
        if (read(ends[0], &byte, 1) >= 0)
            return 1;
    }
    work();
    for (int i = 0; i < 20000; i++) {
        pthread_mutex_lock(&after);
        pthread_mutex_unlock(&after);
    }
    return 0;
}
