/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A signal handler jumps out of whatever it interrupts.
 *
 *   1000 jumps out of hooks: the timer hits every 100 us while the thread does nothing but call
 *        one (a signal of a condition that nobody waits in, which may be left at any point)
 *   then out of sem_wait() and out of read(), each when it has waited for 100 ms
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

#include "asleep.h"

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

static pthread_t interrupter;
static int of_main;          /* number of the main thread */
static int wanted, n_wanted; /* the call that it is about to wait in, and how many so far */

/* Interrupts each wait of the main thread when that has lasted for 100 ms. */
static void *interrupt(void *unused)
{
    for (int n = 1; n <= 2; n++) {
        while (__atomic_load_n(&n_wanted, __ATOMIC_ACQUIRE) < n)
            pause_unrecorded(1);
        wait_until_in(&of_main, wanted, 0, UINTPTR_MAX);
        pause_unrecorded(100);
        syscall(SYS_tgkill, getpid(), of_main, SIGALRM);
    }
    return unused;
}

/* The signal is for the main thread only. */
static void start_interrupter(void)
{
    sigset_t alarm, before;

    of_main = own_thread();
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, &before);
    pthread_create(&interrupter, NULL, interrupt, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void let_interrupt(int call)
{
    wanted = call;
    __atomic_add_fetch(&n_wanted, 1, __ATOMIC_RELEASE);
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
    start_interrupter();
    if (unseen ? __builtin_setjmp(out_unseen) : sigsetjmp(out, 1))
        jumps++;
    if (jumps < 1000) {
        start_timer(100);
        for (;;)
            pthread_cond_signal(&nobody);
    }
    if (!(unseen ? __builtin_setjmp(out_unseen) : sigsetjmp(out, 1))) {
        let_interrupt(SYS_futex);
        sem_wait(&never);
    }
    work();
    if (pipe(ends) != 0)
        return 1;
    if (!(unseen ? __builtin_setjmp(out_unseen) : sigsetjmp(out, 1))) {
        let_interrupt(SYS_read);
        if (read(ends[0], &byte, 1) >= 0)
            return 1;
    }
    work();
    for (int i = 0; i < 20000; i++) {
        pthread_mutex_lock(&after);
        pthread_mutex_unlock(&after);
    }
    pthread_join(interrupter, NULL);
    return 0;
}
