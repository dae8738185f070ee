/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance counters of the calling thread (cycles, misses ...), written before each
 * record that may end an interval.  Reading them takes one or two system calls an event, so
 * it is done only if the recording's facts name counters.  If the kernel lacks or refuses a
 * counter, one record says so for the whole process.
 */
#ifndef WEFT_RECORD_OMP_COUNTERS_H
#define WEFT_RECORD_OMP_COUNTERS_H

#include <stdint.h>

#include "record/core/core.h"

struct weft_log;

/* Number of performance counters that the recording's facts (its lines KEY=VALUE) name, of
   those in weft_counter_table, at most WEFT_COUNTERS_MAX; 0 before weft_counters_start(). */
WEFT_HIDDEN extern uint32_t weft_counters;

/*
 * Reads the names of counters in the recording's facts into weft_counters and starts the
 * calling thread's counters, if it names any.  Called once, at the start of the program, so
 * that its work before the first task is counted.  A forked child closes the counters that
 * it inherits.  Keeps errno.
 */
WEFT_HIDDEN void weft_counters_start(void);
/*
 * Writes a record of the calling thread's counters at TICKS into LOG, the thread's log; the
 * first call in a thread starts them.  Writes none if the kernel counts none or they cannot
 * be read.  For each counter that it refuses or counts only part of the time, the first
 * thread that finds this writes one record that says so.  Keeps errno.
 */
WEFT_HIDDEN void weft_counters_write(struct weft_log *log, uint64_t ticks);
/* Closes the counters of the calling thread, at its end; no effect if it has none.  Keeps
   errno. */
WEFT_HIDDEN void weft_counters_end(void);

/* Calls weft_counters_write(), which records the calling thread's counters at TICKS in LOG,
   the thread's log, if the recording's facts name any; else no effect. */
static inline void weft_counters_note(struct weft_log *log, uint64_t ticks)
{
    if (__builtin_expect(weft_counters != 0, 0))
        weft_counters_write(log, ticks);
}

#endif
