/* SPDX-License-Identifier: Apache-2.0 */
/* Records the begin and end of threads, however they are made, and processor time. */
#ifndef WEFT_RECORD_THREAD_LIVES_H
#define WEFT_RECORD_THREAD_LIVES_H

#include "record/core/core.h"

/* Makes the pthread key whose destructor closes a thread's log.  Once in a process. */
WEFT_HIDDEN void weft_lifecycle_start(void);
/*
 * Call when the calling thread has begun: opens its log with its NUMBER, from
 * weft_process_next_thread(), and has it closed when the thread ends.
 */
WEFT_HIDDEN void weft_lifecycle_begin(uint32_t number);
/*
 * Has the calling thread's log closed when the thread ends, by a destructor; no effect if
 * weft_lifecycle_start() could make no pthread key.
 */
WEFT_HIDDEN void weft_lifecycle_watch(void);
/*
 * Records the calling thread's processor time so far in its log, which is opened if it has
 * none, and sets `looked` of the log to the time now.  No record if seccomp forbids to ask.
 */
WEFT_HIDDEN void weft_lifecycle_processor_time(void);
/*
 * Calls thread_ends (core.h) of every recorder library that has joined and has it, in the
 * thread that ends.
 */
WEFT_HIDDEN void weft_families_thread_ends(void);

#endif
