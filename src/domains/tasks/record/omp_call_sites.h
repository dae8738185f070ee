/* SPDX-License-Identifier: Apache-2.0 */
/* Places in the program of the events that an OpenMP runtime reports. */
#ifndef WEFT_RECORD_OMP_CALL_SITES_H
#define WEFT_RECORD_OMP_CALL_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "domains/tasks/record/ompt.h"
#include "record/core/core.h"

/* Learns in which mapped file the OpenMP runtime's code lies: the one with ADDRESS.  If the
   runtime is linked into the program itself, no code counts as the runtime's.  Called once,
   before any event. */
WEFT_HIDDEN void omp_places_begin(const void *address);
/*
 * Returns the place of an event, as an address in the program's code.  SITE is the return
 * address of a call into the runtime, as OMPT reports it, and is the place unless it lies
 * in the runtime's own code or in this library's.  In the runtime's, the place is the
 * return address of the taskloop call that the calling thread is in, or 0 if it is in none;
 * in this library's, that of the hook that has called the runtime.  0 for NULL.
 */
WEFT_HIDDEN uint64_t omp_place(const void *site);
/*
 * Returns the address in the program's code at which a task is created: the return address
 * in FRAME, the stack frame at which the creator entered the runtime.  If FRAME is NULL, is
 * no frame pointer, is not just above this call (4 KiB), or gives an address in the
 * runtime, returns omp_place(SITE).  FRAME comes first since LLVM's runtime keeps the SITE
 * of a libgomp-style call until it is asked for: the first task created during a barrier
 * would get the barrier's.
 */
WEFT_HIDDEN uint64_t omp_place_by_frame(const struct ompt_frame *frame, const void *site);

/* Returns true, once for each such task, if the calling thread begins a task that its
   creator waits for because the program says so (if(0)), whatever the team. */
WEFT_HIDDEN bool omp_begins_undeferred(void);

/* Notes that the calling thread is in a hook which returns to SITE, an address in the
   program's code or, without effect, in the runtime's; returns what to give to
   omp_hook_leaves() at the hook's end. */
WEFT_HIDDEN uint64_t omp_hook_enters(const void *site);
/* Returns the place of the innermost hook that the calling thread is in; 0: none. */
WEFT_HIDDEN uint64_t omp_hook_place(void);
/* Notes that the calling thread leaves a hook.  OUTER is what omp_hook_enters() returned at
   its begin: the place that counts again from here on.  */
WEFT_HIDDEN void omp_hook_leaves(uint64_t outer);

#endif
