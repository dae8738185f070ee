/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the clock of time stamps, and samples it together with the system's clocks. */
#ifndef WEFT_RECORD_CLOCKS_H
#define WEFT_RECORD_CLOCKS_H

#include <time.h>

#include "record/core/core.h"

/*
 * Returns the system clock CLOCK in nanoseconds, by the C library's clock_gettime(); 0 if
 * it fails, or if seccomp's strict mode took the thread's clocks away.
 */
WEFT_HIDDEN int64_t weft_clock_ns(clockid_t clock);
/*
 * Chooses the clock of the process's time stamps: the TSC if it has a constant rate, else
 * CLOCK_MONOTONIC.  Call it before the first stamp.
 */
WEFT_HIDDEN void weft_clocks_choose(void);
/*
 * Returns the time now by the clock of time stamps (in ticks), by CLOCK_MONOTONIC and the
 * time of day (in ns): the best of five readings, whose stamp was read within error_ticks
 * of CLOCK_MONOTONIC.  Takes a few microseconds at most.
 */
WEFT_HIDDEN struct weft_clock_sample weft_clocks_sample(void);
/*
 * Samples the clocks into `last` of the process's header, and lets weft_clocks_keep() keep
 * that sample.  No effect without a header, in a thread that has lost its clocks, or while
 * another thread does it.
 */
WEFT_HIDDEN void weft_clocks_note(void);
/*
 * Keeps a copy of *SAMPLE in `samples` of HEADER if the last kept one (at first `first`) is
 * at least the current distance ago, 0.25 s in the beginning.  When WEFT_CLOCK_SAMPLES are
 * kept, every other one is dropped and the distance doubles, so they spread over the whole
 * run.  One thread at a time.
 */
WEFT_HIDDEN void weft_clocks_keep(struct weft_process_header *header,
                                  const struct weft_clock_sample *sample);
/*
 * In a forked child: frees the lock of weft_clocks_note(), which another thread may have
 * held, and begins anew with the smallest distance between kept samples.
 */
WEFT_HIDDEN void weft_clocks_forked(void);

#endif
