/* SPDX-License-Identifier: Apache-2.0 */
/* A recording's records of threads, locks, waits and calls (recording_layout.h frames them). */
#ifndef WEFT_FORMAT_RECORDING_THREADS_H
#define WEFT_FORMAT_RECORDING_THREADS_H

#include "format/recording_layout.h"

enum {
    WEFT_RECORD_CREATE =
        WEFT_FIRST_KIND(WEFT_FAMILY_THREADS), /* + ordinal of the new thread + site
                                                 + address of its start routine; may be
                                                 followed by words at its argument */
    WEFT_RECORD_JOIN,                         /* blocks on a thread; + handle + site */
    WEFT_RECORD_JOINED,                       /* 1: it had ended */

    WEFT_RECORD_WAIT,    /* slot: blocks on it.  Of a condition: right after the release of
                            the mutex, which the thread takes when the wait is over */
    WEFT_RECORD_GIVE_UP, /* slot: came back without (time-out, error, cancelled) */
    WEFT_RECORD_ACQUIRE, /* slot: holds it; semaphore: took one */
    WEFT_RECORD_SHARE,   /* slot: holds it for reading */
    WEFT_RECORD_RELEASE, /* slot: about to give it back, unless KEPT comes next, or behind a
                            wait that was given up; semaphore: about to post */
    WEFT_RECORD_WAKE,    /* slot: woke up (condition), passed (barrier) */
    WEFT_RECORD_SIGNAL,  /* slot of a condition */
    WEFT_RECORD_BROADCAST,
    WEFT_RECORD_COUNT,   /* slot; + number: count of a semaphore, size of a barrier */
    WEFT_RECORD_DESTROY, /* slot */

    WEFT_RECORD_CALL,   /* enum weft_call; + site: a call that may sleep */
    WEFT_RECORD_RETURN, /* from it */

    WEFT_RECORD_KEPT,    /* slot: giving it back has failed */
    WEFT_RECORD_INHERIT, /* slot: holds it; who held it before has died */
    WEFT_RECORD_INIT,    /* enum weft_object; + object + site: it was initialized there */
    WEFT_RECORD_LEFT,   /* so many calls that wait (WAIT, JOIN, CALL) were left by a jump */
    WEFT_RECORD_STACK,  /* the stack at the calls from this site that follow: + site
                            + WEFT_STACK_... */
    WEFT_RECORD_SHARED, /* memory that other processes may have, too: + begin + end + offset
                            in the file + device + inode + path (text) */
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

/* Words of WEFT_RECORD_STACK. */
enum {
    WEFT_STACK_SITE,    /* return address of the call */
    WEFT_STACK_POINTER, /* the stack pointer after the call's return */
    WEFT_STACK_FRAME,   /* the frame pointer then, whatever it is used for */
    WEFT_STACK_WORDS,   /* what lies at the stack pointer, upwards ... */
    WEFT_STACK_MOST = WEFT_STACK_WORDS + 16, /* ... enough for some frames of wrappers */
};

enum { WEFT_ARGUMENT_WORDS = 4 }; /* kept of what a new thread's argument points to */

#endif
