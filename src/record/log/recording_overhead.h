/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the time of the program's threads that recording takes besides writing events.
 * Processor time counts, so that time for which a thread is preempted is left out.
 */
#ifndef WEFT_RECORD_RECORDING_OVERHEAD_H
#define WEFT_RECORD_RECORDING_OVERHEAD_H

#include "record/core/core.h"

/* When work began: by stamp, by CLOCK_MONOTONIC, and in the thread's processor time. */
struct weft_spending {
    uint64_t ticks;
    int64_t system_ns, thread_ns;
};

/* Returns the calling thread's processor time in ns; 0 if seccomp forbids to ask. */
WEFT_HIDDEN int64_t weft_thread_ns(void);
/*
 * Begins measuring the recorder's own work in the calling thread; give the result to
 * weft_spending_ends() in the same thread.  THREAD_NS is the thread's processor time now,
 * weft_thread_ns(); 0 if it has just begun, or if that is unknown.
 */
WEFT_HIDDEN struct weft_spending weft_spending_begins(int64_t thread_ns);
/*
 * Adds the time since weft_spending_begins(), in ticks of the process's clock, to `spent`
 * of the process's header, if there is one.  If it was more than 20 us, only the part in
 * which the thread used a processor counts, where that is known.
 */
WEFT_HIDDEN void weft_spending_ends(const struct weft_spending *spending);

#endif
