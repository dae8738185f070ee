/* SPDX-License-Identifier: Apache-2.0 */
/* Programs into which the recorder cannot be loaded. */
#ifndef WEFT_READ_RECORDING_OBSTACLE_H
#define WEFT_READ_RECORDING_OBSTACLE_H

#include <stdbool.h>

/*
 * Why this file cannot be recorded (one sentence, with what to do), or NULL: nothing is known
 * to be in the way.  Of a script, its interpreter is looked at.  *sanitized (may be NULL):
 * running it with the recorder would crash, so that it is better not run.
 */
const char *weft_recording_obstacle(const char *path, bool *sanitized);

#endif
