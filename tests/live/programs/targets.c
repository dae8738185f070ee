/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts the program FOLDER/NAME in every way that takes a path, a name or a descriptor, with the
 * environment that it has itself, and says how each ended.  FOLDER is in PATH.  With two more
 * arguments the file of the first is given the name of the second before.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char path[4096];
static const char *folder, *name;
static char *arguments[2];

/* In a forked child: become the program by the N-th way; returns when that failed. */
static void become(int n)
{
    int file = open(path, O_RDONLY), place = open(folder, O_PATH | O_DIRECTORY);

    switch (n) {
    case 0: execve(path, arguments, environ); break;
    case 1: execvp(name, arguments); break;
    case 2: execlp(name, name, (char *)NULL); break;
    case 3: fexecve(file, arguments, environ); break;
    case 4: execveat(place, name, arguments, environ, 0); break;
    default: execveat(file, "", arguments, environ, AT_EMPTY_PATH); break;
    }
}

static void say(const char *how, int n, pid_t child)
{
    int status = -1;

    waitpid(child, &status, 0);
    printf("%s %d: status %d\n", how, n, status);
    fflush(stdout);
}

int main(int n_arguments, char **given)
{
    pid_t child;

    if (n_arguments < 3)
        return 2;
    if (n_arguments > 3 && rename(given[3], given[4]) != 0)
        return 3;
    folder = given[1];
    name = given[2];
    arguments[0] = given[2];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (int n = 0; n < 6; n++) {
        child = fork();
        if (child == 0) {
            become(n);
            _exit(99);
        }
        say("exec", n, child);
    }
    child = vfork();
    if (child == 0) {
        execv(path, arguments);
        _exit(99);
    }
    say("vfork", 0, child);
    if (posix_spawn(&child, path, NULL, NULL, arguments, environ) == 0)
        say("spawn", 0, child);
    if (posix_spawnp(&child, name, NULL, NULL, arguments, environ) == 0)
        say("spawn", 1, child);
    return system(name);
}
