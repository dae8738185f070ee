/* SPDX-License-Identifier: Apache-2.0 */
/* A table of system calls that may block, and what a thread waits for in each. */
#ifndef WEFT_OBSERVE_BLOCKING_SYSTEM_CALLS_H
#define WEFT_OBSERVE_BLOCKING_SYSTEM_CALLS_H

#include <stdint.h>

/* The event that a blocked thread waits for: one kind for each group of system calls. */
enum call_wait {
    CALL_SLEEPS,          /* for a time */
    CALL_POLLS,           /* until a descriptor is ready, or a client connects */
    CALL_READS,           /* for data, or for the device that has them */
    CALL_WRITES,          /* for room, or for the device */
    CALL_SYNCS,           /* until data are on the device */
    CALL_OPENS,           /* for the other end of a FIFO, or for the device */
    CALL_CONNECTS,        /* for the other end of a connection */
    CALL_LOCKS_FILE,      /* for a lock on a file */
    CALL_FUTEX,           /* for another thread: every lock of the C library ends there */
    CALL_SEMAPHORE,       /* for a semaphore of System V */
    CALL_WAITS_FOR_CHILD, /* for a child's end, or (vfork) until it executes a program */
    CALL_WAITS_FOR_SIGNAL,
    CALL_MEMORY,  /* for a change of the address space */
    CALL_OTHER,   /* in another call: of the table, or one that is not in it */
    CALL_PAGE,    /* no call: for a page of memory */
    CALL_STOPPED, /* no call: a signal or a debugger has stopped the thread */
    CALL_WAITS,   /* number of the kinds above */
};

/* An entry of the table of system calls that may block. */
struct system_call {
    int64_t number;      /* on this architecture */
    const char *name;    /* "read" */
    enum call_wait wait; /* never CALL_PAGE or CALL_STOPPED */
    int descriptor;      /* which argument is a file descriptor, from 0; -1: none is */
};

/*
 * Returns the table's entry for the system call with NUMBER on this architecture; NULL if
 * it is not in the table (no negative number is).  The entry is static.
 */
const struct system_call *system_call(int64_t number);

#endif
