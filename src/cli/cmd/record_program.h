/* SPDX-License-Identifier: Apache-2.0 */
/* What weft record does with the program itself: look at it, run it, wait for it. */
#ifndef WEFT_CLI_CMD_RECORD_PROGRAM_H
#define WEFT_CLI_CMD_RECORD_PROGRAM_H

#include <stdbool.h>

#include "base/err.h"

/* The file that running NAME means, as the shell finds it; free it.  NULL: none. */
char *record_find_program(const char *name);

/*
 * Why this file cannot be recorded (one sentence, with what to do), or NULL.  *sanitized:
 * running it with the recorder would crash, so that it is better not run.
 */
const char *record_obstacle(const char *path, bool *sanitized);

/*
 * Run the program with LIBRARIES (as LD_PRELOAD has them) preloaded, and wait.  Returns its status as the shell has it:
 * 128 + n for signal n, 127 when there is no such program, 126 when it cannot run.
 */
int record_run(const char **arguments, const char *libraries, const char *folder,
               struct weft_err *err);

#endif
