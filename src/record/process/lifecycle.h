/* SPDX-License-Identifier: Apache-2.0 */
/* Records the begin and end of threads, however they are made, and processor time. */
#ifndef WEFT_RECORD_LIVES_H
#define WEFT_RECORD_LIVES_H

#include "record/core/core.h"

/* Make the key whose destructor closes a thread's log.  Once in a process. */
WEFT_HIDDEN void weft_lifecycle_start(void);
/* The calling thread has begun: open its log and watch for its end. */
WEFT_HIDDEN void weft_lifecycle_begin(uint32_t number);
/* Have the calling thread's log closed when the thread ends. */
WEFT_HIDDEN void weft_lifecycle_watch(void);
/* Record the calling thread's processor time so far. */
WEFT_HIDDEN void weft_lifecycle_processor_time(void);
/* Call every family's thread_ends. */
WEFT_HIDDEN void weft_families_thread_ends(void);

#endif
