/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at what a blocked thread waits for, in /proc. */
#ifndef WEFT_OBSERVE_LOOKS_H
#define WEFT_OBSERVE_LOOKS_H

#include <stdbool.h>

#include "format/schedule_layout.h"

/*
 * Fills *LOOK for thread TID of process PID: its time, its system call, and the file of the
 * call's descriptor.  Returns false if the thread runs, has ended, or may not be looked at.
 */
bool look_at(uint32_t pid, uint32_t tid, struct weft_schedule_look *look);

#endif
