/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts itself in every way that the C library has, each time without the environment that it
 * was given itself.  The program that was started ("child") says an instant.  "title" instead
 * rewrites its arguments, as servers do that show there what they are at, and forks.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weft/weft.h"

extern char **environ;

static char *const none[] = { NULL };
static const char *self;

/* In a forked child: become the program by the N-th way; returns when that failed. */
static void become(int n)
{
    char *arguments[] = { (char *)self, (char *)"child", NULL };
    int file = open(self, O_RDONLY | O_CLOEXEC);

    clearenv();
    switch (n) {
    case 0: execve(self, arguments, none); break;
    case 1: execv(self, arguments); break;
    case 2: execvp(self, arguments); break;
    case 3: execvpe(self, arguments, none); break;
    case 4: execl(self, self, "child", (char *)NULL); break;
    case 5: execlp(self, self, "child", (char *)NULL); break;
    case 6: execle(self, self, "child", (char *)NULL, none); break;
    case 7: fexecve(file, arguments, none); break;
    default: execveat(AT_FDCWD, self, arguments, none, 0); break;
    }
}

static int wait_for(pid_t child)
{
    int status;

    return waitpid(child, &status, 0) == child && WIFEXITED(status)
           && WEXITSTATUS(status) == 0;
}

static int by_spawn(int by_name)
{
    char *arguments[] = { (char *)self, (char *)"child", NULL };
    pid_t child;

    return (by_name ? posix_spawnp : posix_spawn)(&child, self, NULL, NULL, arguments, none)
               == 0
           && wait_for(child);
}

static int by_vfork(void)
{
    char *arguments[] = { (char *)self, (char *)"child", NULL };
    pid_t child = vfork();

    if (child == 0) {
        execve(self, arguments, none);
        _exit(9);
    }
    return wait_for(child);
}

static int by_shell(void)
{
    char command[1024];
    FILE *pipe;

    snprintf(command, sizeof command, "%s child", self);
    clearenv();
    if (system(command) != 0)
        return 0;
    clearenv();
    pipe = popen(command, "r");
    return pipe && pclose(pipe) == 0;
}

static int show_title(char **arguments)
{
    size_t size = strlen(arguments[1]) + (size_t)(arguments[1] - arguments[0]);
    pid_t child;

    memset(arguments[0], 0, size);
    snprintf(arguments[0], size, "a: /b.conf");
    child = fork();
    if (child == 0)
        exit(0);
    return wait_for(child) ? 0 : 1;
}

int main(int n_arguments, char **arguments)
{
    self = arguments[0];
    if (n_arguments > 1 && strcmp(arguments[1], "child") == 0) {
        weft_instant("here");
        return 0;
    }
    if (n_arguments > 1 && strcmp(arguments[1], "title") == 0)
        return show_title(arguments);
    for (int n = 0; n < 9; n++) {
        pid_t child = fork();
        if (child == 0) {
            execv("/no/such/program", arguments); /* which fails, and is forgotten */
            become(n);
            _exit(9);
        }
        if (!wait_for(child))
            return 10 + n;
    }
    return !by_spawn(0) ? 20 : !by_spawn(1) ? 21 : !by_vfork() ? 22 : !by_shell() ? 23 : 0;
}
