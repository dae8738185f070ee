/* SPDX-License-Identifier: Apache-2.0 */
/* The schedules of loops, which the runtime's interface for tools does not tell. */
#ifndef WEFT_RECORD_OMP_LOOPS_H
#define WEFT_RECORD_OMP_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/core/core.h"

/* The words for a loop in WEFT_RECORD_OMP_WORK. */
struct omp_loop {
    /* enum weft_omp_schedule, also with its bit; _UNKNOWN: `chunk` means nothing, either */
    uint64_t schedule;
    uint64_t chunk; /* iterations, as the program asked for; 0: none is given */
};

/* In omp_loop.schedule: these are sections of a program of GCC, which the runtime tells as
   a loop. */
#define OMP_SECTIONS 0x1000

/* Returns true if the calling thread is in a call that begins a region of sections. */
WEFT_HIDDEN bool omp_begins_sections(void);
/* Returns what is known of the loop that the calling thread begins at this event; each loop
   is told once, and then WEFT_OMP_SCHEDULE_UNKNOWN until the next one. */
WEFT_HIDDEN struct omp_loop omp_loop_take(void);
/* The calling thread begins a loop, whose iterations it may ask for. */
WEFT_HIDDEN void omp_dispatch_begins(void);
/*
 * The calling thread ends its loop.  Returns true if it has asked for iterations, and sets
 * WORDS to the two of WEFT_RECORD_OMP_WORK_END; else false.
 */
WEFT_HIDDEN bool omp_dispatch_ends(uint64_t words[2]);

#endif
