/* SPDX-License-Identifier: Apache-2.0 */
/* Places in the program of the events that an OpenMP runtime reports. */
#ifndef WEFT_RECORD_OMP_PLACES_H
#define WEFT_RECORD_OMP_PLACES_H

#include <stdint.h>

#include "domains/tasks/record/ompt.h"
#include "record/core/core.h"

/* Learns where the runtime's code lies: ADDRESS is in it.  Called before any event. */
WEFT_HIDDEN void omp_places_begin(const void *address);
/*
 * Returns the place in the program of an event whose call into the runtime returns to SITE.
 * Where the runtime reports a place in its own code, it is the place of the taskloop that
 * the calling thread is in, else 0.
 */
WEFT_HIDDEN uint64_t omp_place(const void *site);
/*
 * The same for a new task, whose creator entered the runtime at FRAME, or NULL.  LLVM's
 * runtime caches the address of a libgomp-style call until it is asked for, so the first
 * task created during a barrier would seem to be created at that barrier; FRAME is right.
 */
WEFT_HIDDEN uint64_t omp_place_by_frame(const struct ompt_frame *frame, const void *site);

#endif
