/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the program that weft record was given, runs it and waits for it. */
#ifndef WEFT_CLI_CMD_RECORD_PROGRAM_H
#define WEFT_CLI_CMD_RECORD_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/cmd/record_follow.h"

/*
 * Returns the path of the file that running NAME would execute, searched in $PATH like the
 * shell; the caller frees it.  A NAME with a slash is returned as it is, unchecked.  NULL
 * if there is none.
 */
char *record_find_program(const char *name);

/* How a program is recorded. */
struct record_means {
    const char *libraries; /* paths to preload, as in LD_PRELOAD */
    const char *folder;    /* where the recording is written */
    bool observes;         /* also from outside (observe/observe.h) */
    int64_t sample_ns;     /* if it observes: processor time between samples; 0: none */
};

/*
 * Sets *PERIOD_NS to the time between samples by the option --sample: TEXT is "off" (0),
 * or samples a second, 1 to 10,000; NULL: 997, which no rate of timers divides.  Returns
 * false for another text.
 */
bool record_parse_rate(const char *text, int64_t *period_ns);

/*
 * Runs ARGUMENTS (the program and its arguments, NULL-terminated), recorded by MEANS; waits
 * for it, and follows the processes that it leaves (record_follow()).  Returns the
 * program's status as the shell has it: 128 + n for signal n, 127 if there is no such
 * program, 126 if it cannot run; for the last two *ERR, which must be zeroed before, has
 * WEFT_ERR_READ.  If the program cannot be observed from outside, it runs all the same,
 * and the recording says why.  SIGXFSZ and SIGPIPE stay ignored in this process.
 */
int record_run(const char **arguments, const struct record_means *means,
               struct record_following *following, struct weft_err *err);

#endif
