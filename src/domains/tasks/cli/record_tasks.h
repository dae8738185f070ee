/* SPDX-License-Identifier: Apache-2.0 */
/* The option of weft record for task DAGs: --contract. */
#ifndef WEFT_CLI_CMD_RECORD_TASKS_H
#define WEFT_CLI_CMD_RECORD_TASKS_H

#include "cli/record_hooks.h"

/* The functions that `weft record` calls for task DAGs: they check the option --contract,
   write it into the recording, and preload LLVM's OpenMP runtime if the program uses GCC's
   and can run on LLVM's. */
extern const struct weft_record_hooks record_tasks_hooks;

#endif
