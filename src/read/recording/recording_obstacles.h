/* SPDX-License-Identifier: Apache-2.0 */
/* Examines a program before it runs: can it be recorded, and which libraries it needs. */
#ifndef WEFT_READ_RECORDING_RECORDING_OBSTACLES_H
#define WEFT_READ_RECORDING_RECORDING_OBSTACLES_H

#include <stdbool.h>

/*
 * Returns why no recorder can be preloaded into the program at PATH: a constant sentence
 * without a capital or full stop ("it is statically linked, so that ..."), often with a
 * remedy.  NULL if no obstacle is known, also if the file cannot be read.  For a script,
 * its interpreter is examined.  *SANITIZED (SANITIZED may be NULL) is set to whether the
 * program would fail with the recorder preloaded (a sanitizer, or musl), so that it must
 * not be run.
 */
const char *weft_recording_obstacle(const char *path, bool *sanitized);

/*
 * Returns true if the program at PATH, or the interpreter of a script, names a shared
 * library whose name begins with LIBRARY ("libgomp.so") among those it needs (DT_NEEDED).
 * Dependencies of its libraries are not searched; false if the file cannot be read.
 */
bool weft_recording_needs(const char *path, const char *library);

#endif
