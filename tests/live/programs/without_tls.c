/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A child that has no thread-local storage, as sandboxes make them: its thread pointer leads
 * nowhere, so that whatever touches errno or a thread's own variable dies of SIGSEGV.  It ends
 * by _exit(7).  Ends with 0 when the child ended with 7.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[65536] __attribute__((aligned(16)));
/* Bound before the child runs: the dynamic linker may need thread-local storage, too. */
static void (*volatile leave)(int) = _exit;

static int run(void *unused)
{
    (void)unused;
    leave(7);
    return 1;
}

int main(void)
{
    int status;
    pid_t child = clone(run, stack + sizeof stack, CLONE_SETTLS | SIGCHLD, NULL, NULL,
                        (void *)16, NULL);

    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? 0 : 2;
}
