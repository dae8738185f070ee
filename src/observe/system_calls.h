/* SPDX-License-Identifier: Apache-2.0 */
/* System calls that may block: what a thread waits for in them. */
#ifndef WEFT_OBSERVE_SYSTEM_CALLS_H
#define WEFT_OBSERVE_SYSTEM_CALLS_H

#include <stdint.h>

/* The event that a thread blocked in a system call waits for. */
enum call_wait {
    CALL_SLEEPS,         /* for a time */
    CALL_POLLS,          /* until one of several descriptors is ready, or a client comes */
    CALL_READS,          /* for data, or for the device that has them */
    CALL_WRITES,         /* for room, or for the device */
    CALL_SYNCS,          /* until data are on the device */
    CALL_OPENS,          /* for the other end of a FIFO, or for the device */
    CALL_CONNECTS,       /* for the other end of a connection */
    CALL_LOCKS_FILE,     /* for a lock on a file */
    CALL_FUTEX,          /* for another thread: every lock of the C library ends there */
    CALL_SEMAPHORE,      /* for a semaphore of System V */
    CALL_WAITS_FOR_CHILD,
    CALL_WAITS_FOR_SIGNAL,
    CALL_MEMORY,         /* for a change of the address space */
    CALL_OTHER,
    CALL_PAGE,           /* no call: for a page of memory */
    CALL_STOPPED,        /* no call: a signal or a debugger has stopped the thread */
    CALL_WAITS,          /* number of these */
};

struct system_call {
    int64_t number;
    const char *name;
    enum call_wait wait;
    int descriptor; /* index of the argument that is a descriptor; -1: none */
};

/* Returns the system call with this number on this architecture; NULL: not in the table. */
const struct system_call *system_call(int64_t number);

#endif
