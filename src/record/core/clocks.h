/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the clock of time stamps, and samples it together with the system's clocks. */
#ifndef WEFT_RECORD_CLOCKS_H
#define WEFT_RECORD_CLOCKS_H

#include <time.h>

#include "record/core/core.h"

/* Returns a system clock in nanoseconds; 0 if seccomp took the thread's clocks away. */
WEFT_HIDDEN int64_t weft_clock_ns(clockid_t clock);
/* Choose TSC or CLOCK_MONOTONIC for time stamps; call it before the first stamp. */
WEFT_HIDDEN void weft_clocks_choose(void);
/* Read all clocks; takes a few microseconds at most. */
WEFT_HIDDEN struct weft_clock_sample weft_clocks_sample(void);
/*
 * Sample the clocks into the process header's `last`, and call weft_clocks_keep().  No
 * effect without a header, without clocks, or while another thread does it.
 */
WEFT_HIDDEN void weft_clocks_note(void);
/*
 * Keep SAMPLE in the header if the last kept one is long enough ago.  Kept samples spread
 * over the whole run: when the header is full, every other one is dropped and the distance
 * between them doubles.
 */
WEFT_HIDDEN void weft_clocks_keep(struct weft_process_header *header,
                                  const struct weft_clock_sample *sample);
/*
 * In a forked child: free the samples' lock, which another thread may have held, and begin
 * anew with the smallest distance between kept samples.
 */
WEFT_HIDDEN void weft_clocks_forked(void);

#endif
