/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program may see of calls that start others: its environment before and after a shell,
 * also one in which a thread is cancelled, or another changes it; a child's number in a handler
 * of SIGCHLD; the refusal of no environment and of no path at all.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 200 };

static volatile pid_t child;
static volatile int unknown, ended;

static void shells(void)
{
    static char first[] = "WORD=1", second[] = "WORD=2", path[] = "PATH=/bin:/usr/bin";
    static char *mine[] = { path, first, NULL };
    FILE *shell;
    const char *word;

    environ = mine;
    (void)!system("echo $WORD");
    mine[1] = second;
    (void)!system("echo $WORD");
    word = getenv("WORD");
    printf("%s %d\n", word ? word : "none", environ == mine);
    setenv("WORD", "3", 1); /* which is in a list of the library's from now on */
    (void)!system("echo $WORD");
    clearenv();
    shell = popen("echo $WORD$LD_PRELOADED", "w");
    if (shell)
        pclose(shell);
    printf("%d variables, LD_PRELOAD %s\n", environ && *environ,
           getenv("LD_PRELOAD") ? "set" : "not set");
}

static void *wait_long(void *shell)
{
    *(int *)shell = system("sleep 100 & echo $! >new; mv new sleeper; wait");
    return shell;
}

/* A thread that is cancelled in a shell, which the C library ends then. */
static void cancelled_shell(void)
{
    char **before = environ;
    void *result;
    pthread_t thread;
    int shell;

    unlink("sleeper");
    if (pthread_create(&thread, NULL, wait_long, &shell) != 0)
        return;
    while (access("sleeper", R_OK) != 0)
        usleep(1000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%s, %d\n", result == PTHREAD_CANCELED ? "cancelled" : "to its end",
           environ == before);
    (void)!system("kill $(cat sleeper)");
}

static void *wait_for_file(void *unused)
{
    (void)!system("echo >begun; while [ ! -e go ]; do sleep 0.01; done");
    return unused;
}

/* What another thread does to the environment meanwhile holds. */
static void changed_meanwhile(void)
{
    const char *path;
    pthread_t thread;

    setenv("PATH", "/bin:/usr/bin", 1);
    setenv("WORD", "1", 1);
    setenv("OTHER", "1", 1);
    unlink("begun");
    unlink("go");
    if (pthread_create(&thread, NULL, wait_for_file, NULL) != 0)
        return;
    while (access("begun", R_OK) != 0)
        usleep(1000);
    setenv("WORD", "2", 1);
    unsetenv("OTHER");
    close(open("go", O_WRONLY | O_CREAT, 0600));
    pthread_join(thread, NULL);
    path = getenv("PATH");
    printf("%s %s %s\n", path ? path : "none", getenv("WORD"),
           getenv("OTHER") ? "still there" : "gone");
}

static void take(int unused)
{
    pid_t one;

    (void)unused;
    while ((one = waitpid(-1, NULL, WNOHANG)) > 0) {
        unknown += one != child;
        ended++;
    }
}

static void children(const char *path)
{
    const struct sigaction action = { .sa_handler = take, .sa_flags = SA_RESTART };
    char name[] = "child", mode[] = "ends";
    char *const arguments[] = { name, mode, NULL };

    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < CHILDREN; i++) {
        child = 0;
        if (posix_spawn((pid_t *)&child, path, NULL, NULL, arguments, NULL) != 0)
            return;
        while (ended <= i)
            usleep(50);
    }
    signal(SIGCHLD, SIG_DFL);
    printf("%d of %d children have ended, %d of them unknown\n", ended, CHILDREN, unknown);
}

int main(int n, char **arguments)
{
    char name[] = "child", mode[] = "ends";
    char *const words[] = { name, mode, NULL };
    const char *volatile no_path = NULL; /* which the compiler warns of */

    if (n > 1) /* a child */
        return 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    children(arguments[0]);
    fexecve(open(arguments[0], O_RDONLY | O_CLOEXEC), words, NULL);
    printf("%s\n", strerror(errno));
    execveat(open(arguments[0], O_RDONLY | O_CLOEXEC), no_path, words, environ,
             AT_EMPTY_PATH);
    printf("%s\n", strerror(errno));
    shells();
    cancelled_shell();
    changed_meanwhile();
    return 0;
}
