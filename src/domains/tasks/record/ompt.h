/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of OpenMP's interface for tools (OpenMP API 5.2, chapter 19) that the recorder
 * uses, declared here so that it builds where no OpenMP runtime with the interface is
 * installed.
 */
#ifndef WEFT_RECORD_OMP_OMPT_H
#define WEFT_RECORD_OMP_OMPT_H

#include <stdint.h>

/* OMPT's ompt_data_t: a word that the tool keeps for a thread, task or region. */
union ompt_data {
    uint64_t value;
    void *pointer;
};

/* OMPT's ompt_frame_t: the stack frames at which a task entered the runtime (enter) and
   left it for the program's code (exit).  The runtime owns it. */
struct ompt_frame {
    union ompt_data exit_frame, enter_frame;
    int exit_frame_flags, enter_frame_flags;
};
/* In ompt_frame's flags: the mask of the bits that say what kind of address the frame is,
   and the kind for the value of the frame pointer. */
enum { OMPT_FRAME_KINDS = 0xf0, OMPT_FRAME_POINTER = 0x20 };
typedef void (*ompt_function)(void); /* any function; cast to its real type before a call */
/* OMPT's ompt_function_lookup_t: returns the runtime's function NAME, such as
   "ompt_set_callback", or NULL if it has none. */
typedef ompt_function (*ompt_lookup)(const char *name);
/* OMPT's ompt_set_callback_t: asks the runtime to call CALLBACK at each EVENT, an enum
   ompt_event; returns OMPT's ompt_set_result_t, which says if it will always, sometimes or
   never. */
typedef int (*ompt_set_callback)(int event, ompt_function callback);

/* OMPT's ompt_start_tool_result_t, which the tool's ompt_start_tool() returns: the runtime
   calls `initialize` when it starts, which returns 0 if the tool is not to be used, and
   `finalize` when it ends, both with the address of `data`. */
struct ompt_start_tool_result {
    int (*initialize)(ompt_lookup lookup, int device, union ompt_data *data);
    void (*finalize)(union ompt_data *data);
    union ompt_data data;
};

/* OMPT's ompt_callbacks_t: the events for which the recorder sets callbacks. */
enum ompt_event {
    OMPT_PARALLEL_BEGIN = 3,
    OMPT_PARALLEL_END = 4,
    OMPT_TASK_CREATE = 5,
    OMPT_TASK_SCHEDULE = 6,
    OMPT_IMPLICIT_TASK = 7,
    OMPT_SYNC_REGION_WAIT = 16,
    OMPT_MUTEX_RELEASED = 17,
    OMPT_DEPENDENCES = 18,
    OMPT_WORK = 20,
    OMPT_SYNC_REGION = 23,
    OMPT_MUTEX_ACQUIRE = 26,
    OMPT_MUTEX_ACQUIRED = 27,
    OMPT_NEST_LOCK = 28,
    OMPT_CANCEL = 30,
};

/* OMPT's ompt_scope_endpoint_t: whether a callback is for the begin or the end. */
enum ompt_scope { OMPT_BEGIN = 1, OMPT_END = 2 };

/* OMPT's ompt_dependence_t: a dependence of a new task, on the variable at an address. */
struct ompt_dependence {
    union ompt_data variable;
    int type; /* enum ompt_dependence_type */
};

/* OMPT's ompt_dependence_type_t. */
enum ompt_dependence_type {
    OMPT_IN = 1,
    OMPT_OUT = 2,
    OMPT_INOUT = 3,
    OMPT_MUTEXINOUTSET = 4,
    OMPT_INOUTSET = 7,
    OMPT_OUT_ALL_MEMORY = 34,
    OMPT_INOUT_ALL_MEMORY = 35,
};

/* OMPT's ompt_task_flag_t: bits that describe a new task.  OMPT_TASK_MERGED is one, too,
   but does not fit into an enum. */
enum ompt_task_flag {
    OMPT_TASK_INITIAL = 0x1,
    OMPT_TASK_TASKWAIT = 0x10, /* a taskwait with dependences */
    OMPT_TASK_UNDEFERRED = 0x08000000,
    OMPT_TASK_UNTIED = 0x10000000,
    OMPT_TASK_FINAL = 0x20000000,
    OMPT_TASK_MERGEABLE = 0x40000000,
};
#define OMPT_TASK_MERGED 0x80000000u

/* OMPT's ompt_cancel_flag_t: this bit is set for a task that will not begin. */
enum { OMPT_CANCEL_DISCARDED_TASK = 0x40 };

/* OMPT's ompt_sync_region_t: the kinds of constructs in which threads wait. */
enum ompt_sync_region {
    OMPT_BARRIER = 1, /* of an unspecified kind */
    OMPT_BARRIER_IMPLICIT = 2,
    OMPT_BARRIER_EXPLICIT = 3,
    OMPT_BARRIER_IMPLEMENTATION = 4,
    OMPT_TASKWAIT = 5,
    OMPT_TASKGROUP = 6,
    OMPT_REDUCTION = 7,
    OMPT_BARRIER_WORKSHARE = 8,
    OMPT_BARRIER_PARALLEL = 9,
    OMPT_BARRIER_TEAMS = 10,
};

/* OMPT's ompt_mutex_t: the kinds of locks. */
enum ompt_mutex {
    OMPT_MUTEX_LOCK = 1,
    OMPT_MUTEX_TEST_LOCK = 2,
    OMPT_MUTEX_NEST_LOCK = 3,
    OMPT_MUTEX_TEST_NEST_LOCK = 4,
    OMPT_MUTEX_CRITICAL = 5,
    OMPT_MUTEX_ATOMIC = 6,
    OMPT_MUTEX_ORDERED = 7,
};

#endif
