/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ownership of memory that a thread uses until its last instruction: the thread holds a
 * robust mutex, which the kernel marks when the thread is gone.  No system calls.
 */
#ifndef WEFT_RECORD_OWNER_H
#define WEFT_RECORD_OWNER_H

#include <pthread.h>

#include "record/core/core.h"

/* Make the calling thread the owner until it is gone; false if that is not detectable. */
WEFT_HIDDEN bool weft_owner_begin(pthread_mutex_t *owner);
/* Returns true, once, if the thread that called weft_owner_begin is gone. */
WEFT_HIDDEN bool weft_owner_is_gone(pthread_mutex_t *owner);

#endif
