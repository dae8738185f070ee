/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at what a blocked thread waits for, in /proc. */
#ifndef WEFT_OBSERVE_LOOKS_H
#define WEFT_OBSERVE_LOOKS_H

#include <stdbool.h>

#include "format/schedule_layout.h"

/* A record of what a thread is blocked in, and the top of its stack behind it. */
struct look {
    struct weft_schedule_look record;
    unsigned char stack[WEFT_SCHEDULE_LOOK_STACK];
};

/*
 * Fills *LOOK for thread TID of process PID: its time, its system call, the file of the
 * call's descriptor, and the top of its stack as far as it can be read.  The size in the
 * record is that of the record and the stack.  Returns false if the thread runs, has ended,
 * or may not be looked at.
 */
bool look_at(uint32_t pid, uint32_t tid, struct look *look);

#endif
