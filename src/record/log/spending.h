/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the time of the program's threads that recording takes besides writing events.
 * Processor time counts, so that time for which a thread is preempted is left out.
 */
#ifndef WEFT_RECORD_SPENDING_H
#define WEFT_RECORD_SPENDING_H

#include "record/core/core.h"

/* When work began: by stamp, by CLOCK_MONOTONIC, and in the thread's processor time. */
struct weft_spending {
    uint64_t ticks;
    int64_t system_ns, thread_ns;
};

/* Returns the calling thread's processor time in nanoseconds; 0 if it is forbidden. */
WEFT_HIDDEN int64_t weft_thread_ns(void);
/* Begin measuring work.  THREAD_NS: the thread's processor time now; 0: unknown. */
WEFT_HIDDEN struct weft_spending weft_spending_begins(int64_t thread_ns);
/*
 * Add the time since weft_spending_begins(), in ticks, to `spent` of the process's header.
 * Beyond 20 us only the processor time counts, if it is known.
 */
WEFT_HIDDEN void weft_spending_ends(const struct weft_spending *spending);

#endif
