/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of the calling thread (cycles, misses ...), written before each record that may end
 * an interval.  They are asked of the kernel, which is a system call an event, or two: so only
 * when the recording's facts name some.  Where the kernel has or allows none of a name, one
 * record says so for the whole process.
 */
#ifndef WEFT_RECORD_OMP_COUNTERS_H
#define WEFT_RECORD_OMP_COUNTERS_H

#include <stdint.h>

#include "record/core/core.h"

struct weft_log;

/* How many the facts name; 0 before weft_counters_start. */
WEFT_HIDDEN extern uint32_t weft_counters;

/* Read the facts, and count in the calling thread from here on: at the start of a program, so
   that what it does before its first task counts, too. */
WEFT_HIDDEN void weft_counters_start(void);
/* A record of those of the calling thread, when there are any. */
WEFT_HIDDEN void weft_counters_write(struct weft_log *log, uint64_t ticks);
/* The calling thread ends. */
WEFT_HIDDEN void weft_counters_end(void);

static inline void weft_counters_note(struct weft_log *log, uint64_t ticks)
{
    if (__builtin_expect(weft_counters != 0, 0))
        weft_counters_write(log, ticks);
}

#endif
