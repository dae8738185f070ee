/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the program that weft record was given, runs it and waits for it. */
#ifndef WEFT_CLI_CMD_RECORD_PROGRAM_H
#define WEFT_CLI_CMD_RECORD_PROGRAM_H

#include "base/err.h"
#include "cli/cmd/record_follow.h"

/* The file that running NAME means, as the shell finds it; free it.  NULL: none. */
char *record_find_program(const char *name);

/*
 * Run the program with LIBRARIES (as LD_PRELOAD has them) preloaded, wait for it, and
 * follow those that it leaves.  Returns the program's status as the shell has it: 128 + n
 * for signal n, 127 when there is no such program, 126 when it cannot run.
 */
int record_run(const char **arguments, const char *libraries, const char *folder,
               struct record_following *following, struct weft_err *err);

#endif
