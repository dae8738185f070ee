/* SPDX-License-Identifier: Apache-2.0 */
/* How commands report errors and wrong usage. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/command.h"

/* Control characters, which names may hold, become ?, so that an error stays one line. */
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
    /* After a signal all that fails does so because of it: a call that was interrupted,
       too. */
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
    if (errno == EPIPE) /* the reader of a pipe has ended, as head does: no error */
        return true;
    if (errno)
        return weft_fail_errno(err, WEFT_ERR_WRITE, "cannot write to standard output");
    /* It was an earlier part that could not be written: why is not known any more. */
    return weft_fail(err, WEFT_ERR_WRITE, "not all could be written to standard output");
}
