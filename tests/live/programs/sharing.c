/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child of clone that runs in the memory and with the thread-local storage of its parent, which
 * waits for it meanwhile.  It takes and gives a lock 1000 times.  Ends with 0 when the child ended
 * with 7.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[262144] __attribute__((aligned(16)));
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int run(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    syscall(SYS_exit, 7);
    return unused != NULL;
}

int main(void)
{
    pid_t child = clone(run, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL);
    int status;

    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : 2;
}
