/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's counts of each thread: its time in the kernel, and its page faults. */
#ifndef WEFT_READ_RECORDING_THREAD_USAGE_H
#define WEFT_READ_RECORDING_THREAD_USAGE_H

#include "read/recording/join/join.h"

/*
 * Defines the fields of threads "time in the kernel" and "page faults" in the builder, and
 * sets join->system_time and join->page_faults.  join->thread_type must be defined.
 */
void usage_define_fields(struct join *join);
/*
 * Takes RECORD, a WEFT_RECORD_USAGE that THREAD has written: sets the fields of the thread
 * that it is about, THREAD or one of its process by its id, if that is running.  The time
 * in the kernel stays unknown below a second of processor time.  A record with impossible
 * numbers has no effect.
 */
void usage_record(struct join *join, struct join_thread *thread,
                  const struct record *record);

#endif
