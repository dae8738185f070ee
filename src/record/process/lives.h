/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and end of threads, whoever makes them, and what they have used. */
#ifndef WEFT_RECORD_LIVES_H
#define WEFT_RECORD_LIVES_H

#include "record/core/core.h"

/* Make the key whose destructor closes a thread's log.  Once a process. */
WEFT_HIDDEN void weft_lives_start(void);
/* The calling thread has begun: open its log, and be told when it ends. */
WEFT_HIDDEN void weft_lives_begin(uint32_t number);
/* Be told when the calling thread ends. */
WEFT_HIDDEN void weft_lives_watch(void);
WEFT_HIDDEN void weft_lives_processor_time(void);
/* Call every family's thread_ends. */
WEFT_HIDDEN void weft_families_thread_ends(void);

#endif
