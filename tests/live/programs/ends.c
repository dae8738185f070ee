/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ends: children that end in each way, waited for in each way.  A thread begins after each wait,
 * and so tells when that was over; one more between two waits for a child that stops first.
 * ends main: the main thread ends before its process; with "exec" another goes on as "ends child".
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAYS_TO_END = 4, WAYS_TO_WAIT = 6, WITHOUT_STATUS = WAYS_TO_WAIT };

static void *nothing(void *unused)
{
    return unused;
}

static void mark(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, nothing, NULL) != 0)
        abort();
    pthread_join(thread, NULL);
}

static void end(int way)
{
    pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&held);
    switch (way) {
    case 0: kill(getpid(), SIGKILL); break;
    case 1:
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
        break;
    case 2: syscall(SYS_exit_group, 3); break;
    default: exit(0);
    }
}

static void wait_for(pid_t child, int way)
{
    siginfo_t information;
    int status;

    switch (way) {
    case 0: waitpid(child, &status, 0); break;
    case 1: waitpid(child, NULL, 0); break;
    case 2: wait(&status); break;
    case 3: wait3(&status, 0, NULL); break;
    case 4: wait4(child, NULL, 0, NULL); break;
    case 5: waitid(P_PID, (id_t)child, &information, WEXITED); break;
    default: waitid(P_PID, (id_t)child, NULL, WEXITED); break;
    }
}

static void one_child(int way, int waits)
{
    pid_t child = fork();

    if (child == 0)
        end(way);
    wait_for(child, waits);
    mark();
}

static void stop_first(void)
{
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        raise(SIGSTOP);
        end(0);
    }
    waitpid(child, &status, WUNTRACED);
    if (!WIFSTOPPED(status))
        abort();
    mark();
    kill(child, SIGCONT);
    waitpid(child, &status, 0);
    mark();
}

static pthread_t first;

/* EXEC: NULL, or not. */
static void *goes_on(void *exec)
{
    pthread_join(first, NULL);
    if (exec)
        execl("/proc/self/exe", "live_ends", "child", (char *)NULL);
    mark();
    return NULL;
}

static void main_ends(void *exec)
{
    pthread_t thread;

    first = pthread_self();
    if (pthread_create(&thread, NULL, goes_on, exec) != 0)
        abort();
    pthread_exit(NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "child") == 0)
        return 0;
    if (argc > 1)
        main_ends(argc > 2 ? argv : NULL);
    for (int way = 0; way < WAYS_TO_END; way++)
        for (int waits = 0; waits < WAYS_TO_WAIT; waits++)
            one_child(way, waits);
    one_child(0, WITHOUT_STATUS);
    stop_first();
    return 0;
}
