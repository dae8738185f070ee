/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forks a child that ends with 3, and a child that executes this program anew ("again"), which
 * makes a thread.  Each says one instant; the forked child uses a name that its parent used.
 */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/weft.h"

static void say(void)
{
    weft_instant("here");
}

static void *run(void *unused)
{
    say();
    return unused;
}

int main(int n_arguments, char **arguments)
{
    pthread_t thread;
    int status;
    pid_t child;

    say();
    if (n_arguments > 1 && strcmp(arguments[1], "again") == 0) {
        pthread_create(&thread, NULL, run, NULL);
        pthread_join(thread, NULL);
        return 4;
    }
    child = fork();
    if (child == 0) {
        say();
        _exit(3);
    }
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3)
        return 1;
    child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "again", "again", (char *)NULL);
        _exit(9);
    }
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 4)
        return 2;
    return 5;
}
