/* SPDX-License-Identifier: Apache-2.0 */
/* The option of weft record for arrays: --array NAME:SHAPE:TYPE. */
#ifndef WEFT_CLI_CMD_RECORD_ARRAYS_H
#define WEFT_CLI_CMD_RECORD_ARRAYS_H

#include "base/err.h"

/*
 * Returns the value of the environment variable (format/records.h) with which the recorder
 * records references by hooks to these N arrays of the program FILE (NULL if it was not
 * found).  Each array names a variable, whose size must match the shape and type.  The
 * caller frees the result.  NULL with *ERR on failure; WEFT_ERR_USAGE says what would be
 * right.
 */
char *record_describe_arrays(const char *file, const char *const *arrays, size_t n,
                             struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Returns true if the program FILE has no hooks at its loads and stores; false if it has,
 * or if this cannot be determined (a script, or a program without symbols).
 */
bool record_lacks_hooks(const char *file);

#endif
