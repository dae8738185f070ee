/* SPDX-License-Identifier: Apache-2.0 */
/* Places in the program of the events that an OpenMP runtime reports. */
#ifndef WEFT_RECORD_OMP_CALL_SITES_H
#define WEFT_RECORD_OMP_CALL_SITES_H

#include <stdint.h>

#include "domains/tasks/record/ompt.h"
#include "record/core/core.h"

/* Learns where the runtime's code lies: ADDRESS is in it.  Called before any event. */
WEFT_HIDDEN void omp_places_begin(const void *address);
/*
 * Returns the place of an event, as an address in the program's code: SITE, to which the
 * call into the runtime returns.  If SITE is in the runtime's own code, the return address
 * of the taskloop's call that the calling thread is in; 0 if it is in none.
 */
WEFT_HIDDEN uint64_t omp_place(const void *site);
/*
 * Returns the place of a new task like omp_place(SITE), but by FRAME, at which its creator
 * entered the runtime, if that has a frame pointer just above this call; FRAME may be NULL.
 * LLVM's runtime caches the address of a libgomp-style call until it is asked for, so the
 * first task created during a barrier would seem to be created at that barrier; FRAME is
 * right.
 */
WEFT_HIDDEN uint64_t omp_place_by_frame(const struct ompt_frame *frame, const void *site);

#endif
