/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To whom memory belongs that a thread uses until its very last instruction: it owns a robust
 * mutex, which the kernel marks when the thread is gone.  No system calls.
 */
#ifndef WEFT_RECORD_OWNER_H
#define WEFT_RECORD_OWNER_H

#include <pthread.h>

#include "record/core/core.h"

/* The calling thread owns it from now on, until it is gone.  False: that cannot be known here. */
WEFT_HIDDEN bool weft_owner_begin(pthread_mutex_t *owner);
/* Is the thread gone that called weft_owner_begin?  True once. */
WEFT_HIDDEN bool weft_owner_is_gone(pthread_mutex_t *owner);

#endif
