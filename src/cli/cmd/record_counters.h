/* SPDX-License-Identifier: Apache-2.0 */
/* The performance counters of weft record --counters. */
#ifndef WEFT_CLI_CMD_RECORD_COUNTERS_H
#define WEFT_CLI_CMD_RECORD_COUNTERS_H

#include "cli/command.h"

/*
 * Returns 0 if LIST, the value of --counters, names counters that can be recorded
 * (format/performance_counters.h), each once and not too many; else the exit status of
 * wrong usage of COMMAND, after printing what is wrong.
 */
int record_check_counters(const struct weft_command *command, const char *list);
/*
 * Opens a performance event in this process; returns its descriptor, which the caller
 * closes after the recording, or -1.  The first one on a system takes some 10 ms to open,
 * since the kernel waits for all processors; with one open already, the recorded program
 * does not pay for that.
 */
int record_open_first_counter(void);

#endif
