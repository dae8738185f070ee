/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* pthread_setattr_default_np */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/help.h"
#include "cli/options.h"
#include "cli/revision.h"
#include "cli/version.h"

/* Checks that all output was written: standard output may be a file on a full disk. */
static int finish_output(int status)
{
    struct weft_err err = { 0 };
    return status != 0 || weft_flush_output(&err) ? status : weft_report(&err);
}

static int run_command(const struct weft_command *command, char **argv)
{
    struct weft_arena arena = { 0 };
    struct weft_arguments arguments;
    struct weft_err err = { 0 };
    bool help;
    int status = 0;
    /* A closed pipe ends weft without a message; but a recorded program must start with the
       SIGPIPE action that weft itself was given. */
    if (!command->passthrough) {
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_IGN); /* exceeding a file size limit fails write() */
    }
    if (!weft_parse_arguments(command, argv, &arena, &arguments, &help, &err))
        status = weft_usage(command, "%s", err.message);
    else if (help)
        weft_help_command(stdout, command);
    else
        status = command->run(&arguments);
    weft_arena_free(&arena);
    return finish_output(status);
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        weft_help_general(stderr);
        return 2;
    }
    const char *name = argv[1];
    if (strcmp(name, "--version") == 0) {
        bool known = WEFT_REVISION[0] != '-';
        printf("weft " WEFT_VERSION "%s%s%s\n", known ? " (" : "",
               known ? WEFT_REVISION : "", known ? ")" : "");
        return finish_output(0);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        weft_help_general(stdout);
        return finish_output(0);
    }
    if (name[0] == '-') {
        struct weft_err err = { 0 };
        weft_fail(&err, WEFT_ERR_USAGE,
                  "unknown option %s (weft COMMAND, weft --help or weft --version)", name);
        return weft_report(&err);
    }
    const struct weft_command *command = weft_command_find(name);
    return command ? run_command(command, argv + 2) : weft_report_unknown_command(name);
}

/*
 * Opens closed standard descriptors on something that can neither be read nor written, so
 * that using them fails as before, and that the next opened file does not get their number.
 * They are closed on exec: a recorded program finds them closed.
 */
static void keep_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)!open("/dev/null",
                        (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
}

/* ---- A stack that is large enough ---- */

enum {
    STACK = 8 << 20
}; /* bytes: what libraries that read programs and draw text count on */

struct call {
    int argc, status;
    char **argv;
};

static void *run_call(void *user)
{
    struct call *call = user;
    call->status = run(call->argc, call->argv);
    return NULL;
}

/*
 * With a smaller limit (ulimit -s), all threads get the usual stack; a recorded program
 * keeps its limit.
 */
int main(int argc, char **argv)
{
    struct call call = { argc, 0, argv };
    struct rlimit limit;
    pthread_attr_t attributes;
    pthread_t thread;
    keep_standard_descriptors();
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= STACK)
        return run(argc, argv);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    pthread_setattr_default_np(&attributes);
    if (pthread_create(&thread, &attributes, run_call, &call) != 0)
        return run(argc, argv);
    pthread_join(thread, NULL);
    return call.status;
}
