/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of the threads' time recording takes besides the events themselves.  What counts is
 * processor time: a thread that others keep from running meanwhile does not spend that time.
 */
#ifndef WEFT_RECORD_SPENDING_H
#define WEFT_RECORD_SPENDING_H

#include "record/core/core.h"

/* When something began: on the clock of records, the system's, and the thread's own. */
struct weft_spending {
    uint64_t ticks;
    int64_t system_ns, thread_ns;
};

/* Processor time of the calling thread in nanoseconds; 0: it may not be asked for. */
WEFT_HIDDEN int64_t weft_thread_ns(void);
/* The recorder begins something.  THREAD_NS: the thread's time now, as far as that is known. */
WEFT_HIDDEN struct weft_spending weft_spending_begins(int64_t thread_ns);
/* It is done: count it in the process's header.  The thread's time is asked for if it took long. */
WEFT_HIDDEN void weft_spending_ends(const struct weft_spending *spending);

#endif
