/* SPDX-License-Identifier: Apache-2.0 */
/* The options of weft record for task DAGs. */
#ifndef WEFT_CLI_CMD_RECORD_TASKS_H
#define WEFT_CLI_CMD_RECORD_TASKS_H

#include "cli/command.h"

struct record_tasks {
    const char *contraction, *counters; /* texts as in format/records.h, or NULL */
};

/*
 * Reads --contract and --counters, which require the recorder of tasks among FAMILIES
 * (bits).  Returns 0, or after printing an error the exit status for wrong usage.
 */
int record_take_tasks(const struct weft_arguments *arguments, uint32_t families,
                      struct record_tasks *out);

/*
 * Opens a performance event in this process if TASKS has counters.  Returns its file
 * descriptor, which the caller closes, or -1.  The first performance event on a system
 * takes some 10 ms to open, since the kernel waits for all processors; with one open
 * already, the recorded program does not pay for that.
 */
int record_warm_counters(const struct record_tasks *tasks);

#endif
