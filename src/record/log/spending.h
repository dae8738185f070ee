/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The time of the threads that recording takes besides the events themselves.  Processor
 * time counts, so that time for which a thread is preempted is left out.
 */
#ifndef WEFT_RECORD_SPENDING_H
#define WEFT_RECORD_SPENDING_H

#include "record/core/core.h"

/* The begin of work: in ticks, in system time, and in the thread's processor time. */
struct weft_spending {
    uint64_t ticks;
    int64_t system_ns, thread_ns;
};

/* Returns the calling thread's processor time in nanoseconds; 0 if it is forbidden. */
WEFT_HIDDEN int64_t weft_thread_ns(void);
/* Work of the recorder begins.  THREAD_NS: the thread's processor time now; 0: unknown. */
WEFT_HIDDEN struct weft_spending weft_spending_begins(int64_t thread_ns);
/* The work ends: add its time to the header.  Asks for processor time if it was long. */
WEFT_HIDDEN void weft_spending_ends(const struct weft_spending *spending);

#endif
