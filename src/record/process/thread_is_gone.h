/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ownership of memory that a thread uses until its last instruction: the thread holds a
 * robust mutex, which the kernel marks when the thread is gone.  No system calls.
 */
#ifndef WEFT_RECORD_THREAD_IS_GONE_H
#define WEFT_RECORD_THREAD_IS_GONE_H

#include <pthread.h>

#include "record/core/core.h"

/*
 * Initializes *OWNER as a robust mutex and locks it by the calling thread, which keeps it
 * until it is gone.  Returns false if the thread's end could not be detected: seccomp
 * forbids robust mutexes, or the C library's functions were not found.
 */
WEFT_HIDDEN bool weft_owner_begin(pthread_mutex_t *owner);
/*
 * Returns true if the thread that called weft_owner_begin(OWNER) is gone.  Call it only
 * after weft_owner_begin() has succeeded, not from two threads at a time, and not again
 * after it has returned true, until a thread calls weft_owner_begin(OWNER) anew.
 */
WEFT_HIDDEN bool weft_owner_is_gone(pthread_mutex_t *owner);

#endif
