/* SPDX-License-Identifier: Apache-2.0 */
/* Examines a program before it runs: can it be recorded, and which libraries it needs. */
#ifndef WEFT_READ_RECORDING_OBSTACLE_H
#define WEFT_READ_RECORDING_OBSTACLE_H

#include <stdbool.h>

/*
 * Returns why the file cannot be recorded (one sentence, with a remedy); NULL if no
 * obstacle is known.  For a script, its interpreter is examined.  *SANITIZED (may be NULL)
 * is set to whether the program would crash with the recorder, so that it must not be run.
 */
const char *weft_recording_obstacle(const char *path, bool *sanitized);

/*
 * Returns true if the program at PATH, or the interpreter of a script, names a library that
 * begins with LIBRARY among those it needs.  Indirect dependencies are not searched.
 */
bool weft_recording_needs(const char *path, const char *library);

#endif
