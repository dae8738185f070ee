/* SPDX-License-Identifier: Apache-2.0 */
/* The schedules of loops, which the runtime's interface for tools does not tell. */
#ifndef WEFT_RECORD_OMP_LOOPS_H
#define WEFT_RECORD_OMP_LOOPS_H

#include <stdint.h>

#include "record/core/core.h"

/* The words for a loop in WEFT_RECORD_OMP_WORK. */
struct omp_loop {
    uint64_t schedule, chunk; /* WEFT_OMP_SCHEDULE_UNKNOWN: nothing is known */
};

/* Returns what is known of the loop that the calling thread begins at this event; each loop
   is told once. */
WEFT_HIDDEN struct omp_loop omp_loop_take(void);

#endif
