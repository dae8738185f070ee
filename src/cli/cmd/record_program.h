/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the program that weft record was given, runs it and waits for it. */
#ifndef WEFT_CLI_CMD_RECORD_PROGRAM_H
#define WEFT_CLI_CMD_RECORD_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/cmd/record_descendants.h"

/*
 * Returns the path of the file that running NAME would execute: the first regular file of
 * this name that may be executed, in the folders of $PATH ("/usr/bin:/bin" if unset).  A
 * NAME with a slash is returned as it is, unchecked.  NULL if there is none; the caller
 * frees the result.
 */
char *record_find_program(const char *name);

/* How a program is recorded. */
struct record_means {
    const char *libraries; /* paths to preload, with colons; put before $LD_PRELOAD */
    const char *folder; /* absolute path of the folder that the recording is written to */
    bool observes;      /* also observe it from outside (observe/observe.h) */
    /* if it observes: processor time of a thread between samples of it; 0: no samples */
    int64_t sample_ns;
    bool faults;          /* also counts page faults: no recorder inside will tell them */
    const char *counters; /* of each thread, as of observer_begin(); or NULL */
};

/*
 * Sets *PERIOD_NS to the time between samples by TEXT, the value of --sample: "off" (0 ns:
 * none), or samples a second, 1 to 10,000 (the period is rounded down); NULL, without the
 * option: 997, which no rate of timers divides.  Returns false, with *PERIOD_NS 0, for
 * another text.
 */
bool record_parse_rate(const char *text, int64_t *period_ns);

/*
 * Runs ARGUMENTS (the program and its arguments, NULL-terminated), recorded as MEANS
 * says; waits for it, and follows the processes that it leaves
 * (record_follow()).  FOLLOWING has its program, output and front set.  Returns the
 * program's status as the shell has it: 128 + n for signal n; 127 if there is no such
 * program, 126 if it cannot run: *ERR, which must be zeroed before, then has
 * WEFT_ERR_READ, which tells these from a program's own status. If the program cannot be
 * observed from outside, it runs all the same, and the recording says why.  SIGXFSZ and
 * SIGPIPE stay ignored in this process.
 */
int record_run(const char **arguments, const struct record_means *means,
               struct record_following *following, struct weft_err *err);

#endif
