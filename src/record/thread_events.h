/* SPDX-License-Identifier: Apache-2.0 */
/* Threads: being told when one ends. */
#ifndef WEFT_RECORD_THREAD_EVENTS_H
#define WEFT_RECORD_THREAD_EVENTS_H

#include "record/log.h"

/* Make the key whose destructor closes a thread's log.  Once a process. */
WEFT_HIDDEN void weft_threads_start(void);
/* Processor time of the calling thread so far, into its log: at calls that block. */
WEFT_HIDDEN void weft_threads_sample_cpu(void);

#endif
