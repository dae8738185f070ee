/* SPDX-License-Identifier: Apache-2.0 */
/* Examines a program before it runs: can it be recorded, and which libraries it needs. */
#ifndef WEFT_READ_RECORDING_OBSTACLE_H
#define WEFT_READ_RECORDING_OBSTACLE_H

#include <stdbool.h>

/*
 * Returns why the program at PATH cannot be recorded: a constant sentence without a capital
 * or full stop, with a remedy.  NULL if no obstacle is known, also if the file cannot be
 * read.  For a script, its interpreter is examined.  *SANITIZED (may be NULL) is set to
 * whether the program would fail with the recorder preloaded (a sanitizer, or musl).
 */
const char *weft_recording_obstacle(const char *path, bool *sanitized);

/*
 * Returns true if the program at PATH, or the interpreter of a script, names a shared
 * library that begins with LIBRARY among those it needs (DT_NEEDED).  Indirect dependencies
 * are not searched; false if the file cannot be read.
 */
bool weft_recording_needs(const char *path, const char *library);

#endif
