/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ownership of memory that a thread uses until its last instruction: the thread holds a
 * robust mutex, which the kernel marks when the thread is gone.  No system calls.
 */
#ifndef WEFT_RECORD_OWNER_H
#define WEFT_RECORD_OWNER_H

#include <pthread.h>

#include "record/core/core.h"

/*
 * Initialize *OWNER and lock it by the calling thread until that is gone; false if its end
 * could not be detected.
 */
WEFT_HIDDEN bool weft_owner_begin(pthread_mutex_t *owner);
/*
 * Returns true, once, if the thread that called weft_owner_begin(OWNER) is gone; call it
 * only after that, not from two threads at a time.
 */
WEFT_HIDDEN bool weft_owner_is_gone(pthread_mutex_t *owner);

#endif
