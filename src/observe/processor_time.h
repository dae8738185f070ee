/* SPDX-License-Identifier: Apache-2.0 */
/* How the kernel divides a thread's processor time between user mode and the kernel. */
#ifndef WEFT_OBSERVE_PROCESSOR_TIME_H
#define WEFT_OBSERVE_PROCESSOR_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "format/schedule_layout.h"

/*
 * Sets *RECORD to the processor time of thread TID of process PID until now; its `time` is
 * 0.  Returns false if the thread has ended or may not be read.  Takes about 10
 * microseconds.
 */
bool processor_time_read(uint32_t pid, uint32_t tid, struct weft_schedule_usage *record);

#endif
