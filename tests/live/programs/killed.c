/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread works for a while and then waits for ever, in a call that nothing hooks, as the main
 * thread does until it kills the process after two seconds.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int never;

static void *work(void *unused)
{
    for (volatile long i = 0; i < 100000000; i++)
        ;
    syscall(SYS_futex, &never, FUTEX_WAIT, 0, NULL);
    return unused;
}

int main(void)
{
    struct timespec two_seconds = { 2, 0 };
    pthread_t thread;

    if (pthread_create(&thread, NULL, work, NULL) != 0)
        return 1;
    syscall(SYS_nanosleep, &two_seconds, NULL);
    return kill(getpid(), SIGKILL);
}
