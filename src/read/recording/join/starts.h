/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the function that a thread runs.  A runtime (OpenMP, C++) starts all of its threads
 * with one function of its own; the program's function is then found through the thread's
 * argument.
 */
#ifndef WEFT_READ_RECORDING_STARTS_H
#define WEFT_READ_RECORDING_STARTS_H

#include "read/recording/logs/files.h"
#include "read/recording/sites/sites.h"

/* Returns the name of the function that the thread runs; NULL if unknown. */
const char *starts_function(struct sites *sites, uint32_t image, const struct birth *birth,
                            struct weft_arena *arena);

#endif
