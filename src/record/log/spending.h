/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of the threads that recording takes besides the events themselves.  Processor
 * time counts, so that time for which a thread is preempted is left out.
 */
#ifndef WEFT_RECORD_SPENDING_H
#define WEFT_RECORD_SPENDING_H

#include "record/core/core.h"

/*
 * The begin of some work: in ticks, in the system's time, and in the thread's processor
 * time.
 */
struct weft_spending {
    uint64_t ticks;
    int64_t system_ns, thread_ns;
};

/*
 * Returns the calling thread's processor time in nanoseconds; 0 if a filter forbids the
 * call.
 */
WEFT_HIDDEN int64_t weft_thread_ns(void);
/*
 * Work of the recorder begins.  THREAD_NS is the thread's processor time, or 0 if not
 * known.
 */
WEFT_HIDDEN struct weft_spending weft_spending_begins(int64_t thread_ns);
/*
 * The work ends: add its time to the header.  Reads the processor time only if it took
 * long.
 */
WEFT_HIDDEN void weft_spending_ends(const struct weft_spending *spending);

#endif
