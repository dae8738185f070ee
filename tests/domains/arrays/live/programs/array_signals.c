/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says where an array lies, again and again, until 1000 signals have come.  Their handler says a
 * step ("step"), or jumps out of wherever it came ("jump").  Or forks children that say a step
 * each, while the handler does ("fork").
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/weft_array.h"

static volatile sig_atomic_t n;
static volatile sig_atomic_t jumps, may_jump;
static sigjmp_buf out;

static void handle(int number)
{
    (void)number;
    n = n + 1;
    if (!jumps)
        weft_array_step();
    else if (may_jump)
        siglongjmp(out, 1);
}

static void have_a_child(void)
{
    pid_t child = fork();

    if (child == 0) {
        weft_array_step();
        _exit(0);
    }
    while (waitpid(child, NULL, 0) != child)
        ;
}

int main(int n_arguments, char **arguments)
{
    enum { SIGNALS = 1000 };
    static double array[8][8];
    const struct itimerval often = { { 0, 300 }, { 0, 300 } },
                           never = { { 0, 0 }, { 0, 0 } };
    struct sigaction action;

    jumps = n_arguments > 1 && strcmp(arguments[1], "jump") == 0;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigaction(SIGALRM, &action, NULL);
    weft_array("a", 2, (const size_t[]){ 8, 8 });
    setitimer(ITIMER_REAL, &often, NULL);
    (void)sigsetjmp(out, 1);
    may_jump = 1;
    while (n < SIGNALS)
        if (n_arguments > 1 && strcmp(arguments[1], "fork") == 0)
            have_a_child();
        else
            weft_array_at(array, sizeof array[0][0]);
    may_jump = 0;
    setitimer(ITIMER_REAL, &never, NULL);
    weft_array_at(NULL, sizeof array[0][0]); /* no signal ends it */
    puts("1000 signals");
    return 0;
}
