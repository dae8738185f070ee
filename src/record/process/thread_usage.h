/* SPDX-License-Identifier: Apache-2.0 */
/* Records the kernel's counts of a thread: time in the kernel, page faults. */
#ifndef WEFT_RECORD_THREAD_USAGE_H
#define WEFT_RECORD_THREAD_USAGE_H

#include "record/core/core.h"

/*
 * Records the kernel's counts (time in the program and in the kernel, page faults) of the
 * calling thread so far, which is about to end and has a log; no record if seccomp forbids
 * to ask.
 */
WEFT_HIDDEN void weft_usage_of_caller(void);
/*
 * At exit: records, in the calling thread's log, the kernel's counts so far (time in the
 * program and in the kernel, page faults) of all threads of the process, at most 4,096 of
 * them.  Times of other threads than the caller are multiples of 10 ms, as /proc has them.
 * Costs about 20 microseconds a thread.  No records for other threads if /proc cannot be
 * read, and none at all if seccomp forbids to ask.
 */
WEFT_HIDDEN void weft_usage_of_all(void);

#endif
