/* SPDX-License-Identifier: Apache-2.0 */
/* What weft record is asked about task DAGs. */
#ifndef WEFT_CLI_CMD_RECORD_TASKS_H
#define WEFT_CLI_CMD_RECORD_TASKS_H

#include "cli/command.h"

struct record_tasks {
    const char *contraction, *counters; /* as recording_omp.h has them; or NULL */
};

/*
 * Take --contract and --counters; they go with the recorder of tasks only, which is one of
 * FAMILIES (bits) then.  0, or the exit status of wrong usage, which was said.
 */
int record_take_tasks(const struct weft_arguments *arguments, uint32_t families,
                      struct record_tasks *out);

/*
 * Count something in this process until the result is closed, or -1: the first performance event
 * on a system makes whoever opens it wait for all processors, some 10 ms, which then are not the
 * program's.
 */
int record_warm_counters(const struct record_tasks *tasks);

#endif
