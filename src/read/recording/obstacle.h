/* SPDX-License-Identifier: Apache-2.0 */
/* What can be seen of a program before it runs: why it cannot be recorded, what it needs. */
#ifndef WEFT_READ_RECORDING_OBSTACLE_H
#define WEFT_READ_RECORDING_OBSTACLE_H

#include <stdbool.h>

/*
 * Why this file cannot be recorded (one sentence, with what to do), or NULL: nothing is known
 * to be in the way.  Of a script, its interpreter is looked at.  *sanitized (may be NULL):
 * running it with the recorder would crash, so that it is better not run.
 */
const char *weft_recording_obstacle(const char *path, bool *sanitized);

/*
 * Does the program at PATH name a library that it needs whose name begins with LIBRARY?  Of a
 * script, its interpreter.  Libraries that others of its libraries need are not looked for.
 */
bool weft_recording_needs(const char *path, const char *library);

#endif
