/* SPDX-License-Identifier: Apache-2.0 */
/* Where the clock of the stamps stood when the system's clocks did. */
#ifndef WEFT_RECORD_CLOCKS_H
#define WEFT_RECORD_CLOCKS_H

#include <time.h>

#include "record/core/core.h"

/* One of the system's clocks in nanoseconds; 0: the thread has none any more. */
WEFT_HIDDEN int64_t weft_clock_ns(clockid_t clock);
/* Choose the clock of the stamps, before the first one. */
WEFT_HIDDEN void weft_clocks_choose(void);
/* Read all clocks; a few microseconds at most. */
WEFT_HIDDEN struct weft_clock_sample weft_clocks_sample(void);
/* Note in the process's header where the clocks stand: its last sample, perhaps kept. */
WEFT_HIDDEN void weft_clocks_note(void);
/*
 * Keep a sample in the header, if the last one that was kept is long enough ago.  They are
 * spread over the whole run: when there is no room every other one goes, and the distance
 * doubles.
 */
WEFT_HIDDEN void weft_clocks_keep(struct weft_process_header *header,
                                  const struct weft_clock_sample *sample);
/* In a forked child: another thread may have been at it. */
WEFT_HIDDEN void weft_clocks_forked(void);

#endif
