/* SPDX-License-Identifier: Apache-2.0 */
/* The option of weft record that names arrays of the program: --array NAME:SHAPE:TYPE. */
#ifndef WEFT_CLI_CMD_RECORD_ARRAYS_H
#define WEFT_CLI_CMD_RECORD_ARRAYS_H

#include "cli/record_hooks.h"

/* Checks --array, and sets the environment variable WEFT_RECORD_ARRAYS (format/records.h)
   for the program if --with names arrays; else unsets it. */
extern const struct weft_record_hooks record_arrays_hooks;

#endif
