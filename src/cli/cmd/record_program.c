/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the program to record, runs it and waits for it. */
#define _GNU_SOURCE
#include "cli/cmd/record_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cmd/record_signals.h"
#include "cli/command.h"
#include "format/recording_layout.h"
#include "observe/observe.h"

char *record_find_program(const char *name)
{
    const char *path = getenv("PATH");

    if (strchr(name, '/'))
        return weft_strdup(name);
    /* An empty entry is the folder that one is in, as for execvp(). */
    for (const char *at = path ? path : "/usr/bin:/bin";;) {
        size_t length = strcspn(at, ":");
        char *file = length == 0 ? weft_asprintf("./%s", name)
                                 : weft_asprintf("%.*s/%s", (int)length, at, name);
        struct stat status;
        if (access(file, X_OK) == 0 && stat(file, &status) == 0 && S_ISREG(status.st_mode))
            return file;
        free(file);
        if (!at[length])
            return NULL;
        at += length + 1;
    }
}

bool record_parse_rate(const char *text, int64_t *period_ns)
{
    enum { USUAL_RATE = 997, MOST_RATE = 10000, SECOND_NS = 1000000000 };
    char *end;
    long rate = USUAL_RATE;

    *period_ns = 0;
    if (text && strcmp(text, "off") == 0)
        return true;
    if (text)
        rate = text[0] >= '0' && text[0] <= '9' ? strtol(text, &end, 10) : 0;
    if (rate < 1 || rate > MOST_RATE || (text && *end))
        return false;
    *period_ns = SECOND_NS / rate;
    return true;
}

static void set_environment(const char *libraries, const char *folder)
{
    const char *others = getenv("LD_PRELOAD");
    char *preload = others && *others ? weft_asprintf("%s:%s", libraries, others)
                                      : weft_strdup(libraries);

    setenv("LD_PRELOAD", preload, 1);
    setenv(WEFT_RECORD_DIR_VARIABLE, folder, 1);
    free(preload);
}

/* Pipes between weft and the child in which the program will run. */
struct child_pipes {
    int go[2];   /* closed by weft when the child may execute the program */
    int tell[2]; /* to weft: the error number of a failed execution */
};

/* In the child: executes the program, or sends the error number through the pipe. */
static _Noreturn void become_program(const char **arguments,
                                     const struct child_pipes *pipes)
{
    int error;
    char byte;

    close(pipes->go[1]);
    while (read(pipes->go[0], &byte, 1) < 0 && errno == EINTR)
        ;
    execvp(arguments[0], (char *const *)arguments);
    error = errno;
    if (write(pipes->tell[1], &error, sizeof error) != sizeof error)
        _exit(125);
    _exit(error == ENOENT ? 127 : 126);
}

/* Waits for the program, and reaps the orphans that it leaves meanwhile. */
static int wait_for(pid_t child)
{
    int status = 0, other;
    pid_t ended;

    while ((ended = waitpid(-1, &other, 0)) != child)
        if (ended < 0 && errno != EINTR)
            return 126 << 8;
    status = other;
    return status;
}

/*
 * Takes over weft's signals from the start of the program on.  A signal sent to weft alone
 * is passed on; no other signal may end weft, which has to join the recording.
 */
static void handle_signals(struct record_signals *before)
{
    struct sigaction ignore = { .sa_handler = SIG_IGN }, usual = { .sa_handler = SIG_DFL };

    record_pass_signals(before);
    /* These two stay ignored to the end: the join reports a limit on file sizes, and a
       closed standard error must not end weft. */
    sigaction(SIGXFSZ, &ignore, &before->of[SIGXFSZ]);
    sigaction(SIGPIPE, &ignore, &before->of[SIGPIPE]);
    /* With SIGCHLD ignored, the kernel would discard the program's status. */
    sigaction(SIGCHLD, &usual, &before->of[SIGCHLD]);
}

/* After the program, these signals end weft again. */
static void restore_signals(const struct record_signals *before)
{
    static const int ending[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };

    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        sigaction(ending[i], &before->of[ending[i]], NULL);
}

/* Gives the program the signal actions and mask that weft was started with. */
static void hand_on_signals(const struct record_signals *before, const sigset_t *mask)
{
    record_give_signals_back(before);
    sigaction(SIGXFSZ, &before->of[SIGXFSZ], NULL);
    sigaction(SIGPIPE, &before->of[SIGPIPE], NULL);
    sigaction(SIGCHLD, &before->of[SIGCHLD], NULL);
    sigprocmask(SIG_SETMASK, mask, NULL);
}

static int shell_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Reports the signal that ended the program, like a shell: not for SIGINT and SIGPIPE. */
static void say_signal(const char *program, int status)
{
    if (!WIFSIGNALED(status) || WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGPIPE)
        return;
    fprintf(stderr, "weft: %s was ended by signal %d (%s)\n", program, WTERMSIG(status),
            strsignal(WTERMSIG(status)));
}

/* The program has ended: from here on these signals are for weft. */
static void follow(struct record_following *following, const struct record_signals *before,
                   int status)
{
    sigset_t held, free_before;

    sigemptyset(&held);
    sigaddset(&held, SIGINT);
    sigaddset(&held, SIGTERM);
    sigaddset(&held, SIGHUP);
    sigprocmask(SIG_BLOCK, &held, &free_before);
    restore_signals(before);
    record_follow(following, shell_status(status));
    sigprocmask(SIG_SETMASK, &free_before, NULL);
}

/* Begins to observe the child; if that is refused, the recording says why. */
static struct observer *observe(pid_t child, const struct record_means *means)
{
    struct weft_err refused = { 0 };

    if (child <= 0 || !means->observes)
        return NULL;
    return observer_begin(child, means->folder, means->sample_ns, means->counters,
                          means->faults, &refused);
}

/* The program has ended, and all that it started, or the recording is to end. */
static void end_observing(struct observer *observer)
{
    struct weft_err err = { 0 };

    if (!observer_end(observer, &err))
        weft_report(&err);
}

static bool open_pipes(struct child_pipes *pipes, struct weft_err *err)
{
    if (pipe2(pipes->go, O_CLOEXEC) == 0) {
        if (pipe2(pipes->tell, O_CLOEXEC) == 0)
            return true;
        close(pipes->go[0]);
        close(pipes->go[1]);
    }
    return weft_fail_errno(err, WEFT_ERR_READ, "cannot make a pipe");
}

/* Lets the child go; returns 0, or the error number of its failed execution. */
static int let_go(const struct child_pipes *pipes)
{
    int error = 0;

    close(pipes->go[0]);
    close(pipes->go[1]);
    close(pipes->tell[1]);
    while (read(pipes->tell[0], &error, sizeof error) < 0 && errno == EINTR)
        ;
    close(pipes->tell[0]);
    return error;
}

int record_run(const char **arguments, const struct record_means *means,
               struct record_following *following, struct weft_err *err)
{
    struct record_signals before;
    struct observer *observer;
    sigset_t passed, free_before;
    struct child_pipes pipes;
    int status = 126 << 8, error;
    pid_t child;

    if (!open_pipes(&pipes, err))
        return 126;
    record_follow_begin(following);
    /* Block the signals until the child that they are passed on to exists. */
    record_list_signals(&passed);
    sigprocmask(SIG_BLOCK, &passed, &free_before);
    handle_signals(&before);
    child = fork();
    if (child == 0) {
        hand_on_signals(&before, &free_before);
        set_environment(means->libraries, means->folder);
        become_program(arguments, &pipes);
    }
    record_signals_go_to(child);
    sigprocmask(SIG_SETMASK, &free_before, NULL);
    if (child < 0)
        weft_fail_errno(err, WEFT_ERR_READ, "cannot start a process");
    observer = observe(child, means);
    error = let_go(&pipes);
    if (child > 0) {
        status = wait_for(child);
        if (error) {
            errno = error;
            weft_fail_errno(err, WEFT_ERR_READ, "cannot run \"%s\"", arguments[0]);
        }
        say_signal(arguments[0], status);
    }
    record_signals_go_to(0);
    if (err->code)
        restore_signals(&before);
    else
        follow(following, &before, status);
    end_observing(observer);
    record_follow_end(following);
    return shell_status(status);
}
