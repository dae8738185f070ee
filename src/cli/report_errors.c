/* SPDX-License-Identifier: Apache-2.0 */
/* Reports errors and wrong usage of commands. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/command.h"

/* Replaces control characters, which names may hold, by ?, so that an error is one line. */
static void print_error(char *text)
{
    for (char *at = text; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
    fprintf(stderr, "weft: %s\n", text);
}

int weft_report(const struct weft_err *err)
{
    char text[1024];
    /* After a signal every failure is a consequence of it, as is an interrupted call. */
    if (weft_progress_signal()) {
        fputs("weft: cancelled\n", stderr);
        return 128 + weft_progress_signal();
    }
    weft_err_format(err, text, sizeof text);
    print_error(text);
    return weft_err_exit_status(err->code);
}

int weft_usage(const struct weft_command *command, const char *fmt, ...)
{
    char what[700], text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    snprintf(text, sizeof text, "%s: %s; see weft help %s", command->name, what,
             command->name);
    print_error(text);
    return 2;
}

bool weft_flush_output(struct weft_err *err)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    if (errno == EPIPE) /* the reader of the pipe has ended, like head: no error */
        return true;
    if (errno)
        return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write to standard output");
    /* An earlier write failed, and its errno is lost. */
    return weft_fail(err, WEFT_ERR_WRITE, "not all could be written to standard output");
}
