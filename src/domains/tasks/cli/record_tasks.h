/* SPDX-License-Identifier: Apache-2.0 */
/* The options of weft record for task DAGs: --contract and --counters. */
#ifndef WEFT_CLI_CMD_RECORD_TASKS_H
#define WEFT_CLI_CMD_RECORD_TASKS_H

#include "cli/record_hooks.h"

/* The hooks of weft record for task DAGs: they check --contract and --counters, write these
   into the recording, and preload LLVM's OpenMP runtime where a program needs it. */
extern const struct weft_record_hooks record_tasks_hooks;

#endif
