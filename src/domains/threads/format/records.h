/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of threads, locks, waits and calls in a recording (recording_layout.h has
 * their framing).  Below, "+" precedes a word of the record; "slot": the argument is the
 * number that a WEFT_RECORD_PAIR gave to an object and a site, the call's return address.
 */
#ifndef WEFT_FORMAT_RECORDING_THREADS_H
#define WEFT_FORMAT_RECORDING_THREADS_H

#include "format/recording_layout.h"
#include "format/stack_words.h"

/* The number of this family of records, which is a part of their kinds. */
enum { WEFT_FAMILY_THREADS = 1 };

/*
 * Kinds of records of threads.  Each has an argument, a small integer; "slot": it names an
 * object and the return address (site) of the call.  "+" precedes each word that follows.
 */
enum {
    WEFT_RECORD_CREATE =
        WEFT_FIRST_KIND(WEFT_FAMILY_THREADS), /* + ordinal of the new thread + site
                                                 + address of its start routine; may be
                                                 followed by up to
                                                 WEFT_ARGUMENT_WORDS words that the
                                                 routine's argument points to */
    WEFT_RECORD_JOIN,   /* waits for a thread's end; + its pthread_t + site */
    WEFT_RECORD_JOINED, /* the wait of JOIN ended; argument 1: the other thread ended; 0:
                           it failed */

    WEFT_RECORD_WAIT, /* slot: begins to wait for the object.  For a condition: right after
                            the RELEASE of the mutex, which is taken again at the end */
    WEFT_RECORD_GIVE_UP, /* slot: the wait ended without success (time-out, error,
                            cancelled) */
    WEFT_RECORD_ACQUIRE, /* slot: the lock is held; a semaphore: decremented */
    WEFT_RECORD_SHARE,   /* slot: the lock is held for reading */
    WEFT_RECORD_RELEASE, /* slot: about to give the lock back, unless KEPT comes next, or
                            after a wait that was given up; a semaphore: about to post */
    WEFT_RECORD_WAKE,    /* slot: the wait ended: woken up (condition), passed (barrier) */
    WEFT_RECORD_SIGNAL,  /* slot: about to signal the condition */
    WEFT_RECORD_BROADCAST, /* slot: about to signal the condition to all */
    WEFT_RECORD_COUNT,     /* slot; + number: count of a semaphore, size of a barrier */
    WEFT_RECORD_DESTROY,   /* slot: the object was destroyed; a semaphore: or closed */

    WEFT_RECORD_CALL,   /* argument: enum weft_call; + site: a call that may sleep begins */
    WEFT_RECORD_RETURN, /* the latest such call returned */

    WEFT_RECORD_KEPT,    /* slot: giving the lock back failed, it is still held */
    WEFT_RECORD_INHERIT, /* slot: the lock is held; its owner has died */
    WEFT_RECORD_INIT,    /* argument: enum weft_object; it was initialized; + its address
                            + site */
    WEFT_RECORD_LEFT,   /* argument: number of waits (WAIT, JOIN, CALL) left by a longjmp */
    WEFT_RECORD_STACK,  /* + words of the stack at this and later calls from the site
                           (format/stack_words.h) */
    WEFT_RECORD_SHARED, /* memory that other processes may share: + begin + end + offset
                           in the file + device + inode + path (text) */
    WEFT_RECORD_PATH,   /* + number, with WEFT_PATH_BIT, which stands for a site from now on
                         + return addresses of calls, the innermost first */
    WEFT_RECORD_TEAM_WAIT, /* argument: WEFT_TEAM_... flags; + team (a number that no other
                              team of the process has then) + site: begins to wait until
                              all threads of its team have come */
    WEFT_RECORD_TEAM_GO,   /* the wait of the latest TEAM_WAIT is over: all have come; or
                            + team of a WEFT_TEAM_BEGINS: a worker has a part of that
                            parallel region */
    WEFT_RECORD_THREADS_END, /* one more than the last kind */
};

/*
 * The kind of an object that threads wait for: the argument of WEFT_RECORD_INIT, and the
 * class of a slot.  C11's mtx_t and cnd_t count as mutex and condition.  Locks come first.
 */
enum weft_object {
    WEFT_OBJECT_MUTEX,
    WEFT_OBJECT_RWLOCK,
    WEFT_OBJECT_SPIN,
    WEFT_OBJECT_CONDITION,
    WEFT_OBJECT_SEMAPHORE,
    WEFT_OBJECT_BARRIER,
    WEFT_OBJECT_KINDS, /* the number of kinds */
};

/* Flags of WEFT_RECORD_TEAM_WAIT. */
enum {
    /* All others of the team have come before: they may go on. */
    WEFT_TEAM_LAST = 1,
    /*
     * At the end of a parallel region, in a thread that waits for work once all have come.
     */
    WEFT_TEAM_WORKER = 2,
    /* At the begin of a parallel region, in the thread that begins it. */
    WEFT_TEAM_BEGINS = 4,
};

/* The kind of a call that may sleep: the argument of WEFT_RECORD_CALL. */
enum weft_call {
    WEFT_CALL_SLEEP, /* until a time, or a signal */
    WEFT_CALL_POLL,  /* until a file is ready; also accept() */
    WEFT_CALL_READ,
    WEFT_CALL_WRITE,
    WEFT_CALL_WAIT_CHILD, /* until a child process changes its state */
    WEFT_CALL_SYNC,       /* fsync(), fdatasync() */
    WEFT_CALL_TASKS,      /* until tasks of OpenMP have ended */
    WEFT_CALL_TURN,       /* until the earlier iterations have left their ordered part */
    WEFT_CALL_KINDS,      /* the number of kinds */
};

/*
 * The highest bit of a site, which no address has: the site is then the number of a
 * WEFT_RECORD_PATH that the same thread wrote before.
 */
#define WEFT_PATH_BIT (UINT64_C(1) << 63)
/* Also set in the number of a path in which each address is the last one's caller. */
#define WEFT_PATH_EXACT (UINT64_C(1) << 62)
enum { WEFT_PATH_MAX = 9 }; /* the most return addresses of a WEFT_RECORD_PATH */

/*
 * The most words in a WEFT_RECORD_CREATE that are copies of those to which the argument of
 * the new thread's start routine points.
 */
enum { WEFT_ARGUMENT_WORDS = 4 };

#endif
