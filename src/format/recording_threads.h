/* SPDX-License-Identifier: Apache-2.0 */
/* A recording's records of threads, locks, waits and calls (recording_layout.h frames them). */
#ifndef WEFT_FORMAT_RECORDING_THREADS_H
#define WEFT_FORMAT_RECORDING_THREADS_H

#include "format/recording_layout.h"

enum {
    WEFT_RECORD_CREATE =
        WEFT_FIRST_KIND(WEFT_FAMILY_THREADS), /* + ordinal of the new thread + site
                                                 + address of its start routine */
    WEFT_RECORD_JOIN,                         /* blocks on a thread; + handle + site */
    WEFT_RECORD_JOINED,                       /* 1: it had ended */

    WEFT_RECORD_WAIT,    /* slot: blocks on it */
    WEFT_RECORD_GIVE_UP, /* slot: came back without (time-out, error) */
    WEFT_RECORD_ACQUIRE, /* slot: holds it; semaphore: took one */
    WEFT_RECORD_SHARE,   /* slot: holds it for reading */
    WEFT_RECORD_RELEASE, /* slot: about to give it back; semaphore: about to post */
    WEFT_RECORD_WAKE,    /* slot: woke up (condition), passed (barrier) */
    WEFT_RECORD_SIGNAL,  /* slot of a condition */
    WEFT_RECORD_BROADCAST,
    WEFT_RECORD_COUNT,   /* slot; + number: count of a semaphore, size of a barrier */
    WEFT_RECORD_DESTROY, /* slot */

    WEFT_RECORD_CALL,   /* enum weft_call; + site: a call that may sleep */
    WEFT_RECORD_RETURN, /* from it */
    WEFT_RECORD_THREADS_END,
};

/* What an object is: the class of a pair. */
enum weft_object {
    WEFT_OBJECT_MUTEX,
    WEFT_OBJECT_RWLOCK,
    WEFT_OBJECT_SPIN,
    WEFT_OBJECT_CONDITION,
    WEFT_OBJECT_SEMAPHORE,
    WEFT_OBJECT_BARRIER,
    WEFT_OBJECT_KINDS,
};

enum weft_call {
    WEFT_CALL_SLEEP,
    WEFT_CALL_POLL,
    WEFT_CALL_READ,
    WEFT_CALL_WRITE,
    WEFT_CALL_WAIT_CHILD,
    WEFT_CALL_KINDS,
};

#endif
