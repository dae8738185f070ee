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

/*
 * Returns the name of the function that a thread of process image IMAGE (index in the
 * recording) runs, by the record of its creation; for some runtimes, if that is unknown, a
 * label ("Python thread"), for C++ the name of the callable's type.  NULL if nothing is
 * known.  The name lives as long as both SITES and ARENA.
 */
const char *starts_function(struct sites *sites, uint32_t image, const struct birth *birth,
                            struct weft_arena *arena);

#endif
