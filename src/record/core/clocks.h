/* SPDX-License-Identifier: Apache-2.0 */
/* Clock samples: the clock of the stamps and the system's clocks at the same moment. */
#ifndef WEFT_RECORD_CLOCKS_H
#define WEFT_RECORD_CLOCKS_H

#include <time.h>

#include "record/core/core.h"

/* Returns a system clock in nanoseconds; 0 if a filter took the thread's clocks away. */
WEFT_HIDDEN int64_t weft_clock_ns(clockid_t clock);
/* Choose the clock of the stamps; call it before the first stamp. */
WEFT_HIDDEN void weft_clocks_choose(void);
/* Read all clocks; takes a few microseconds at most. */
WEFT_HIDDEN struct weft_clock_sample weft_clocks_sample(void);
/* Take a sample: it becomes the last one in the process's header, and may be kept, too. */
WEFT_HIDDEN void weft_clocks_note(void);
/*
 * Keep SAMPLE in the header if the last kept one is long enough ago.  Kept samples spread
 * over the whole run: when the header is full, every other one is dropped and the distance
 * between them doubles.
 */
WEFT_HIDDEN void weft_clocks_keep(struct weft_process_header *header,
                                  const struct weft_clock_sample *sample);
/* Reset in a forked child: another thread may have held the lock at the fork. */
WEFT_HIDDEN void weft_clocks_forked(void);

#endif
