/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that weft record is told of by --array NAME:SHAPE:TYPE. */
#ifndef WEFT_CLI_CMD_RECORD_ARRAYS_H
#define WEFT_CLI_CMD_RECORD_ARRAYS_H

#include "base/err.h"

/*
 * What the recorder must find in its environment (format/recording_arrays.h) to record
 * references by hooks, and these N arrays of the program FILE (NULL: it was not found).
 * Each is a variable that is found by its name and must be as long as its shape and type
 * say: WEFT_ERR_USAGE says what would be right.  Free it; NULL with *err.
 */
char *record_describe_arrays(const char *file, const char *const *arrays, size_t n,
                             struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Does the program FILE have no hooks at its loads and stores?  False when that cannot be
 * seen: of a script, or a program without symbols.
 */
bool record_lacks_hooks(const char *file);

#endif
