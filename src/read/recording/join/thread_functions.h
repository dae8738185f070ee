/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the function that a thread runs.  A runtime (OpenMP, C++) starts all of its threads
 * with one function of its own; the program's function is then found through the thread's
 * argument.
 */
#ifndef WEFT_READ_RECORDING_THREAD_FUNCTIONS_H
#define WEFT_READ_RECORDING_THREAD_FUNCTIONS_H

#include "read/recording/logs/load_recording.h"
#include "read/recording/sites/sites.h"

/*
 * Returns the name of the function that a thread of process image IMAGE (index in the
 * recording) runs, by the record BIRTH of its creation: demangled, without parameters.  If
 * a runtime started it and the program's function is not found, the result is for C++ the
 * name of the callable's type, for GLib and Python a label ("Python thread"), else the
 * runtime's own start function.  Returns NULL if no name is known.  The name is valid as
 * long as both SITES and ARENA live.
 */
const char *starts_function(struct sites *sites, uint32_t image, const struct birth *birth,
                            struct weft_arena *arena);

#endif
