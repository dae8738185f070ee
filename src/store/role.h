/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roles: what the types, values, containers and fields of a trace mean.  Every tool has its
 * own names ("MPI_Recv", "Sleeping", "blocked on mutex"); views and analyses look at roles
 * and never compare names, so a trace of any tool fills the same displays.
 *
 * Readers and recorders give the roles that they know; users give roles to other traces
 * (`--map FILE`).  A role may be a kind of another: "mutex" is a kind of "lock", which is a
 * kind of "synchronization". weft_role_is() follows that chain, so a display of idle time
 * finds "blocked on a lock" without naming it.
 *
 * The numbers are stored in files: never change one; new ones go into the gaps.
 */
#ifndef WEFT_STORE_ROLE_H
#define WEFT_STORE_ROLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts of things that a role may describe; each role suits one sort. */
enum weft_role_subject {
    WEFT_ROLE_OF_CONTAINER, /* container types, and single containers that differ */
    WEFT_ROLE_OF_STATE,     /* state types */
    WEFT_ROLE_OF_VALUE,     /* values of state types, event types and link types */
    WEFT_ROLE_OF_EVENT,     /* event types */
    WEFT_ROLE_OF_VARIABLE,  /* variable types */
    WEFT_ROLE_OF_LINK,      /* link types */
    WEFT_ROLE_OF_FIELD,     /* fields of entities and of containers */
    WEFT_ROLE_SUBJECTS,
};

/*
 * The meaning of a type, value, container or field; groups are by enum weft_role_subject.
 * role.c gives each role a name, a more general role (or none) and an explanation.  Files
 * store the numbers.
 */
enum weft_role {
    WEFT_ROLE_NONE = 0, /* nothing is known */

    /* Containers. */
    WEFT_ROLE_MACHINE = 1,
    WEFT_ROLE_HOST,
    WEFT_ROLE_GROUP,
    WEFT_ROLE_EXECUTOR, /* general role of containers that do work */
    WEFT_ROLE_PROCESS,
    WEFT_ROLE_THREAD,
    WEFT_ROLE_PROCESSOR,
    WEFT_ROLE_RANK,
    WEFT_ROLE_WORKER,
    WEFT_ROLE_DEVICE,
    WEFT_ROLE_SYNCHRONIZATION, /* general role of containers that threads wait at */
    WEFT_ROLE_LOCK,
    WEFT_ROLE_MUTEX,
    WEFT_ROLE_READ_WRITE_LOCK,
    WEFT_ROLE_SPIN_LOCK,
    WEFT_ROLE_CONDITION,
    WEFT_ROLE_SEMAPHORE,
    WEFT_ROLE_BARRIER,
    WEFT_ROLE_MEMORY,
    WEFT_ROLE_NETWORK,
    WEFT_ROLE_ARRAY,
    WEFT_ROLE_COMMUNICATOR,

    /* State types. */
    WEFT_ROLE_ACTIVITY = 64,
    WEFT_ROLE_CALL,
    WEFT_ROLE_TASK,
    WEFT_ROLE_REDUCTION,
    WEFT_ROLE_SYNCHRONIZATION_STATE,
    WEFT_ROLE_LOCK_STATE,
    WEFT_ROLE_SEMAPHORE_STATE,
    WEFT_ROLE_COMMUNICATION,
    WEFT_ROLE_TASK_INTERVAL,
    WEFT_ROLE_OCCUPATION,

    /* Values. */
    WEFT_ROLE_BUSY = 128,
    WEFT_ROLE_RUNNING,
    WEFT_ROLE_COMPUTING,
    WEFT_ROLE_OVERHEAD,
    WEFT_ROLE_SENDING,
    WEFT_ROLE_RECEIVING,
    WEFT_ROLE_SCHEDULING,
    WEFT_ROLE_IDLE,
    WEFT_ROLE_READY,
    WEFT_ROLE_SLEEPING,
    WEFT_ROLE_BLOCKED,
    WEFT_ROLE_BLOCKED_ON_LOCK,
    WEFT_ROLE_BLOCKED_ON_CONDITION,
    WEFT_ROLE_BLOCKED_ON_SEMAPHORE,
    WEFT_ROLE_BLOCKED_ON_BARRIER,
    WEFT_ROLE_BLOCKED_ON_END,
    WEFT_ROLE_BLOCKED_ON_MESSAGE,
    WEFT_ROLE_BLOCKED_ON_COLLECTIVE,
    WEFT_ROLE_BLOCKED_ON_TASK,
    WEFT_ROLE_BLOCKED_ON_DATA,
    WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT,
    WEFT_ROLE_FREE,
    WEFT_ROLE_HELD,
    WEFT_ROLE_CONTENDED,
    WEFT_ROLE_TESTING,
    WEFT_ROLE_SETTING_UP,
    WEFT_ROLE_MEASURING,
    WEFT_ROLE_ONE_TO_ALL,
    WEFT_ROLE_ALL_TO_ONE,
    WEFT_ROLE_ALL_TO_ALL,
    WEFT_ROLE_PREFIX,
    WEFT_ROLE_BLOCKING_SEND,
    WEFT_ROLE_BEFORE_CREATE,
    WEFT_ROLE_BEFORE_WAIT,
    WEFT_ROLE_BEFORE_OTHER,
    WEFT_ROLE_BEFORE_END,
    WEFT_ROLE_WHOLE_SECTION,
    WEFT_ROLE_WHOLE_TASK,
    WEFT_ROLE_NEIGHBORS,
    WEFT_ROLE_PARALLEL_REGION,
    WEFT_ROLE_SHARED_WORK,
    WEFT_ROLE_HEAP,
    WEFT_ROLE_MAPPED_MEMORY,
    WEFT_ROLE_MAPPED_FILE,
    WEFT_ROLE_SPINNING,
    WEFT_ROLE_ALL_WAIT,
    WEFT_ROLE_BLOCKED_ON_RECEIVER,

    /* Event types. */
    WEFT_ROLE_MARK = 256,
    WEFT_ROLE_NAMING,
    WEFT_ROLE_COLLECTIVE_OPERATION,
    WEFT_ROLE_STEP,
    WEFT_ROLE_LABEL,
    WEFT_ROLE_NOTE,
    WEFT_ROLE_DATA,
    WEFT_ROLE_SAMPLE,
    WEFT_ROLE_ALLOCATION,

    /* Variable types. */
    WEFT_ROLE_AMOUNT = 320,
    WEFT_ROLE_WAITERS,
    WEFT_ROLE_CUMULATIVE,
    WEFT_ROLE_PROCESSOR_TIME,
    WEFT_ROLE_CAPACITY,
    WEFT_ROLE_USAGE,
    WEFT_ROLE_RUNNING_NODES,
    WEFT_ROLE_READY_NODES,
    WEFT_ROLE_READY_AFTER_END,
    WEFT_ROLE_READY_AFTER_CREATE,
    WEFT_ROLE_READY_IN_CREATOR,
    WEFT_ROLE_READY_AFTER_WAIT,
    WEFT_ROLE_READY_AFTER_OTHER,
    WEFT_ROLE_LIVE_BYTES,
    WEFT_ROLE_MAPPED_BYTES,
    WEFT_ROLE_MAPPED_FILE_BYTES,
    WEFT_ROLE_WAITING_WORKERS,

    /* Link types. */
    WEFT_ROLE_MESSAGE = 384,
    WEFT_ROLE_COLLECTIVE,
    WEFT_ROLE_TRANSFER,
    WEFT_ROLE_WAKE_UP,
    WEFT_ROLE_DEPENDENCE,
    WEFT_ROLE_SPAWN,
    WEFT_ROLE_CREATE_CONTINUATION,
    WEFT_ROLE_END,
    WEFT_ROLE_WAIT_CONTINUATION,
    WEFT_ROLE_DATA_DEPENDENCE,
    WEFT_ROLE_MIGRATION,
    WEFT_ROLE_CONNECTION,

    /* Fields. */
    WEFT_ROLE_SITE = 448,
    WEFT_ROLE_OBJECT,
    WEFT_ROLE_HOLDER,
    WEFT_ROLE_ACQUISITION,
    WEFT_ROLE_BYTES,
    WEFT_ROLE_TAG,
    WEFT_ROLE_WORK,
    WEFT_ROLE_NUMBER,
    WEFT_ROLE_PARENT,
    WEFT_ROLE_PARENT_ROW,
    WEFT_ROLE_PARENT_NUMBER,
    WEFT_ROLE_RECORD_NUMBER,
    WEFT_ROLE_CLAUSE,
    WEFT_ROLE_SINCE,
    WEFT_ROLE_RANK_NUMBER,
    WEFT_ROLE_PROCESS_ID,
    WEFT_ROLE_THREAD_ID,
    WEFT_ROLE_PROCESSOR_NUMBER,
    WEFT_ROLE_ADDRESS,
    WEFT_ROLE_SYMBOL,
    WEFT_ROLE_CREATED_AT,
    WEFT_ROLE_COORDINATE,
    WEFT_ROLE_SHAPE,
    WEFT_ROLE_DISTRIBUTION,
    WEFT_ROLE_WOKEN,
    WEFT_ROLE_WAITS,
    WEFT_ROLE_OPERATION,
    WEFT_ROLE_COMMUNICATOR_OF,
    WEFT_ROLE_ROOT,
    WEFT_ROLE_MEMBERS,
    WEFT_ROLE_PARTNER,
    WEFT_ROLE_COMPLETES,
    WEFT_ROLE_NODE,
    WEFT_ROLE_WORKER_NUMBER,
    WEFT_ROLE_DELAY,
    WEFT_ROLE_NO_WORK,
    WEFT_ROLE_ELEMENT_BYTES,
    WEFT_ROLE_COLUMN_MAJOR,
    WEFT_ROLE_ARRANGEMENT,
    WEFT_ROLE_PARAMETERS,
    WEFT_ROLE_SHARED,
    WEFT_ROLE_CALL_STACK,
    WEFT_ROLE_SAMPLED_TIME,
    WEFT_ROLE_GIVEN_NAME,
    WEFT_ROLE_PROGRAM,
    WEFT_ROLE_ALLOCATING_THREAD,
    WEFT_ROLE_ALLOCATIONS,
    WEFT_ROLE_FREES,
    WEFT_ROLE_FREES_ELSEWHERE,
    WEFT_ROLE_REFUSALS,
    WEFT_ROLE_LARGEST,
    WEFT_ROLE_LIVE_AT_END,
    WEFT_ROLE_LIVE_AT_PEAK,
    WEFT_ROLE_ALLOCATOR_TIME,
    WEFT_ROLE_LONGEST_CALL,
    WEFT_ROLE_SYSTEM_TIME,
    WEFT_ROLE_PAGE_FAULTS,
    WEFT_ROLE_SCHEDULE,
    WEFT_ROLE_CHUNK,
    WEFT_ROLE_VOLUNTARY_SWITCHES,
    WEFT_ROLE_PREEMPTIONS,
    WEFT_ROLE_PROCESSOR_CHANGES,
    WEFT_ROLE_COUNTED,
    WEFT_ROLE_TASK_WAITS,
    WEFT_ROLE_DISPATCHES,
    WEFT_ROLE_DISPATCH_TIME,
    WEFT_ROLE_TASK_NUMBER,
    WEFT_ROLE_CREATOR_NUMBER,

    WEFT_ROLE_LIMIT = 576,
};

/* Returns a name like "read-write-lock"; "" for WEFT_ROLE_NONE and invalid numbers. */
const char *weft_role_name(enum weft_role role);
/* Returns a phrase that describes the objects with the role; "" for WEFT_ROLE_NONE. */
const char *weft_role_explanation(enum weft_role role);
/* Returns what the role may describe; WEFT_ROLE_SUBJECTS for none or an invalid role. */
enum weft_role_subject weft_role_subject(enum weft_role role);
/* Returns "container", "value", ...; "" for WEFT_ROLE_SUBJECTS. */
const char *weft_role_subject_name(enum weft_role_subject subject);
/* Returns the next more general role (mutex: lock); WEFT_ROLE_NONE if there is none. */
enum weft_role weft_role_parent(enum weft_role role);
/*
 * Returns true if ROLE is GENERAL or a kind of it; false if one of them is WEFT_ROLE_NONE.
 */
bool weft_role_is(enum weft_role role, enum weft_role general);
/* Returns the role with NAME, as weft_role_name() gives it; WEFT_ROLE_NONE: none has it. */
enum weft_role weft_role_find(const char *name);

#endif
