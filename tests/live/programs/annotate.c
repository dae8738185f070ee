/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Says known things through weft.h.  "annotate kill N": N instants, then SIGKILL; "annotate
 * full N": the same with a limit of 1 MB on the size of files, then a normal end; else one of
 * everything.  Also compiled as C++, statically and without PIE.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "weft/weft.h"

static void everything(void)
{
    weft_thread_name("the only one");
    weft_begin("outer");
    weft_begin_text("made up");
    weft_instant("in the middle");
    weft_end();
    weft_end();
    weft_counter("length", 1.5);
    weft_counter("length", 2.5);
    weft_task_begin("tile", 1000.0);
    weft_task_end();
    weft_send("halo", 7, 4096);
    weft_receive("halo", 7, 4096);
    weft_end();
}

int main(int n_arguments, char **arguments)
{
    long n = n_arguments > 2 ? atol(arguments[2]) : 0;

    if (n == 0) {
        everything();
        return 0;
    }
    if (strcmp(arguments[1], "full") == 0) {
        struct rlimit limit = { 1000000, 1000000 };
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            return 1;
    }
    for (long i = 0; i < n; i++)
        weft_instant("tick");
    if (strcmp(arguments[1], "kill") == 0)
        kill(getpid(), SIGKILL);
    return 0;
}
