/* SPDX-License-Identifier: Apache-2.0 */
/* The option of weft record that names arrays of the program: --array NAME:SHAPE:TYPE. */
#ifndef WEFT_CLI_CMD_RECORD_ARRAYS_H
#define WEFT_CLI_CMD_RECORD_ARRAYS_H

#include "cli/record_hooks.h"

/*
 * The hooks of weft record for references to arrays.  If --with names arrays, prepare()
 * sets the environment variable WEFT_RECORD_ARRAYS (format/records.h) for the program to
 * the arrays that --array names, maybe none, and fails if one is no variable of that size
 * in the program; else it unsets the variable, and --array is wrong usage.
 */
extern const struct weft_record_hooks record_arrays_hooks;

#endif
