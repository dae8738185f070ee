/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the OpenMP runtimes of a recorded process in its memory maps. */
#ifndef WEFT_DOMAINS_TASKS_JOIN_RUNTIMES_H
#define WEFT_DOMAINS_TASKS_JOIN_RUNTIMES_H

#include <stdbool.h>

#include "read/recording/recorder_registry.h"

/* Adds a warning to the trace that JOIN builds if tasks of the process image IMAGE were to
   be recorded and its only OpenMP runtime is GCC's, which cannot be recorded, since it has
   no interface for tools (OMPT). */
void omp_report_runtimes(struct join *join, const struct image *image);
/* Returns true if the recorded memory maps of the process image name an OpenMP runtime
   (GCC's, LLVM's or Intel's). */
bool omp_has_runtime(const struct image *image);

#endif
