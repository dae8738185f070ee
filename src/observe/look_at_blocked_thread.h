/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at what a blocked thread waits for, in /proc. */
#ifndef WEFT_OBSERVE_LOOK_AT_BLOCKED_THREAD_H
#define WEFT_OBSERVE_LOOK_AT_BLOCKED_THREAD_H

#include <stdbool.h>

#include "format/schedule_layout.h"

/*
 * A look at a blocked thread, as the file of observations has it: the first record.size
 * bytes are the record and as much of the stack as was read.
 */
struct look {
    struct weft_schedule_look record;
    unsigned char stack[WEFT_SCHEDULE_LOOK_STACK];
};

/*
 * Fills *LOOK for thread TID of process PID: the present time (ns of CLOCK_MONOTONIC), the
 * system call (WEFT_LOOK_PAGE or WEFT_LOOK_STOPPED: none) with its arguments, the file that
 * the call's descriptor leads to ("" if none is known), and the top of the stack, as far as
 * it can be read: record.size says how much, maybe nothing.
 * Returns false if the thread is running, has ended, or may not be looked at;
 * *LOOK is then not usable.  The thread is not stopped, so it may go on meanwhile.
 */
bool look_at(uint32_t pid, uint32_t tid, struct look *look);

#endif
