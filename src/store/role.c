/* SPDX-License-Identifier: Apache-2.0 */
#include "store/role.h"

#include <string.h>

struct role {
    const char *name;
    enum weft_role_subject subject;
    enum weft_role parent;
    const char *explanation;
};

/* clang-format off */
#define CONTAINER WEFT_ROLE_OF_CONTAINER
#define STATE     WEFT_ROLE_OF_STATE
#define VALUE     WEFT_ROLE_OF_VALUE
#define EVENT     WEFT_ROLE_OF_EVENT
#define VARIABLE  WEFT_ROLE_OF_VARIABLE
#define LINK      WEFT_ROLE_OF_LINK
#define FIELD     WEFT_ROLE_OF_FIELD
#define ROLE(id, name, subject, parent, text)                                              \
 [WEFT_ROLE_##id] = { name, subject, WEFT_ROLE_##parent, text }

static const struct role roles[WEFT_ROLE_LIMIT] = {
    ROLE(MACHINE, "machine", CONTAINER, NONE, "all that the run used"),
    ROLE(HOST, "host", CONTAINER, NONE, "a computer with a clock and a memory of its own"),
    ROLE(GROUP, "group", CONTAINER, NONE, "holds other containers and means nothing else"),
    ROLE(EXECUTOR, "executor", CONTAINER, NONE, "work is done on it"),
    ROLE(PROCESS, "process", CONTAINER, EXECUTOR, "a process of the operating system, or a simulated one"),
    ROLE(THREAD, "thread", CONTAINER, EXECUTOR, "a thread of a process"),
    ROLE(PROCESSOR, "processor", CONTAINER, EXECUTOR, "a processor or core of a machine"),
    ROLE(RANK, "rank", CONTAINER, EXECUTOR, "a process of a message-passing program"),
    ROLE(WORKER, "worker", CONTAINER, EXECUTOR, "executes tasks of a runtime system"),
    ROLE(DEVICE, "device", CONTAINER, EXECUTOR, "an accelerator"),
    ROLE(SYNCHRONIZATION, "synchronization", CONTAINER, NONE, "threads wait for each other at it"),
    ROLE(LOCK, "lock", CONTAINER, SYNCHRONIZATION, "is held by one at a time, or by readers"),
    ROLE(MUTEX, "mutex", CONTAINER, LOCK, "a lock that is held by one at a time"),
    ROLE(READ_WRITE_LOCK, "read-write-lock", CONTAINER, LOCK, "a lock that many may hold for reading"),
    ROLE(SPIN_LOCK, "spin-lock", CONTAINER, LOCK, "a lock whose waiters keep their processors"),
    ROLE(CONDITION, "condition", CONTAINER, SYNCHRONIZATION, "a condition variable"),
    ROLE(SEMAPHORE, "semaphore", CONTAINER, SYNCHRONIZATION, "a counting semaphore"),
    ROLE(BARRIER, "barrier", CONTAINER, SYNCHRONIZATION, "lets nobody pass until all are there"),
    ROLE(MEMORY, "memory", CONTAINER, NONE, "a memory that data is moved into and out of"),
    ROLE(NETWORK, "network", CONTAINER, NONE, "a link or a switch of a network"),
    ROLE(ARRAY, "array", CONTAINER, NONE, "an array of a program"),
    ROLE(COMMUNICATOR, "communicator", CONTAINER, NONE, "processes that communicate with one another"),

    ROLE(ACTIVITY, "activity", STATE, NONE, "what an executor was doing: busy, overhead or idle"),
    ROLE(CALL, "call", STATE, NONE, "calls or regions of a program, nested"),
    ROLE(TASK, "task", STATE, NONE, "executions of tasks"),
    ROLE(REDUCTION, "reduction", STATE, TASK, "reductions of goals of a logic program"),
    ROLE(SYNCHRONIZATION_STATE, "synchronization-state", STATE, NONE, "whether something that threads wait at is free"),
    ROLE(LOCK_STATE, "lock-state", STATE, SYNCHRONIZATION_STATE, "whether a lock is free, held or contended"),
    ROLE(SEMAPHORE_STATE, "semaphore-state", STATE, SYNCHRONIZATION_STATE, "whether a semaphore can be taken"),
    ROLE(COMMUNICATION, "communication", STATE, ACTIVITY, "calls of a message-passing library; between them the program computes"),
    ROLE(TASK_INTERVAL, "task-interval", STATE, NONE, "intervals of tasks that ran on a worker: leaves of a task DAG"),

    ROLE(OCCUPATION, "occupation", STATE, NONE, "who had a processor: nobody between the states"),

    ROLE(BUSY, "busy", VALUE, NONE, "does what the program is for"),
    ROLE(RUNNING, "running", VALUE, BUSY, "is not blocked, as far as is known"),
    ROLE(SPINNING, "spinning", VALUE, RUNNING, "polls memory in a loop, without progress, until another thread writes it"),
    ROLE(COMPUTING, "computing", VALUE, BUSY, "computes"),
    ROLE(PARALLEL_REGION, "parallel-region", VALUE, COMPUTING, "is in a region that several threads execute"),
    ROLE(SHARED_WORK, "shared-work", VALUE, COMPUTING, "does its part of a loop or sections that threads share"),
    ROLE(OVERHEAD, "overhead", VALUE, NONE, "works, but only because the program is parallel"),
    ROLE(SENDING, "sending", VALUE, OVERHEAD, "sends a message"),
    ROLE(RECEIVING, "receiving", VALUE, OVERHEAD, "takes in a message that is there"),
    ROLE(SCHEDULING, "scheduling", VALUE, OVERHEAD, "looks for, hands out or prepares work"),
    ROLE(IDLE, "idle", VALUE, NONE, "does nothing"),
    ROLE(READY, "ready", VALUE, IDLE, "could run and has no processor"),
    ROLE(SLEEPING, "sleeping", VALUE, IDLE, "has nothing to do, or waits for a time to come"),
    ROLE(BLOCKED, "blocked", VALUE, IDLE, "waits for somebody else"),
    ROLE(BLOCKED_ON_LOCK, "blocked-on-lock", VALUE, BLOCKED, "waits for a lock"),
    ROLE(BLOCKED_ON_CONDITION, "blocked-on-condition", VALUE, BLOCKED, "waits for a condition variable"),
    ROLE(BLOCKED_ON_SEMAPHORE, "blocked-on-semaphore", VALUE, BLOCKED, "waits for a semaphore"),
    ROLE(BLOCKED_ON_BARRIER, "blocked-on-barrier", VALUE, BLOCKED, "waits at a barrier"),
    ROLE(BLOCKED_ON_END, "blocked-on-end", VALUE, BLOCKED, "waits for a thread or process to end"),
    ROLE(BLOCKED_ON_MESSAGE, "blocked-on-message", VALUE, BLOCKED, "waits for a message"),
    ROLE(BLOCKED_ON_RECEIVER, "blocked-on-receiver", VALUE, BLOCKED_ON_MESSAGE, "sends a message, and waits until its receiver takes it"),
    ROLE(BLOCKED_ON_COLLECTIVE, "blocked-on-collective", VALUE, BLOCKED, "takes part in a collective operation"),
    ROLE(BLOCKED_ON_TASK, "blocked-on-task", VALUE, BLOCKED, "waits for tasks to end"),
    ROLE(BLOCKED_ON_DATA, "blocked-on-data", VALUE, BLOCKED, "waits for data to be moved or made"),
    ROLE(BLOCKED_ON_INPUT_OUTPUT, "blocked-on-input-output", VALUE, BLOCKED, "is in a call that reads, writes or waits for a file"),
    ROLE(FREE, "free", VALUE, NONE, "nobody holds it"),
    ROLE(HELD, "held", VALUE, NONE, "somebody holds it"),
    ROLE(CONTENDED, "contended", VALUE, HELD, "somebody holds it and others wait"),
    ROLE(TESTING, "testing", VALUE, OVERHEAD, "asks, without waiting, whether something is there or done"),
    ROLE(SETTING_UP, "setting-up", VALUE, OVERHEAD, "begins or ends the run, or prepares what it needs"),
    ROLE(MEASURING, "measuring", VALUE, OVERHEAD, "does the recorder's own work, or is not recorded"),
    ROLE(ONE_TO_ALL, "one-to-all", VALUE, NONE, "a collective operation in which the root sends to all others"),
    ROLE(ALL_TO_ONE, "all-to-one", VALUE, NONE, "a collective operation in which all others send to the root"),
    ROLE(ALL_TO_ALL, "all-to-all", VALUE, NONE, "a collective operation in which each sends to all others"),
    ROLE(ALL_WAIT, "all-wait", VALUE, ALL_TO_ALL, "a collective operation in which each only waits for all others"),
    ROLE(PREFIX, "prefix", VALUE, NONE, "a collective operation in which each sends to those behind it"),
    ROLE(NEIGHBORS, "neighbors", VALUE, NONE, "a collective operation in which each sends to its neighbours, as links say"),
    ROLE(BLOCKING_SEND, "blocking-send", VALUE, SENDING, "sends a message, and waits until its memory may be used again"),
    ROLE(BEFORE_CREATE, "before-create", VALUE, RUNNING, "runs a task until that creates another one"),
    ROLE(BEFORE_WAIT, "before-wait", VALUE, RUNNING, "runs a task until that waits for those it created"),
    ROLE(BEFORE_OTHER, "before-other", VALUE, RUNNING, "runs a task until that does something else after which another worker may go on"),
    ROLE(BEFORE_END, "before-end", VALUE, RUNNING, "runs a task until its end"),
    ROLE(WHOLE_SECTION, "whole-section", VALUE, RUNNING, "runs a section, with all that it created, of which no details are kept"),
    ROLE(WHOLE_TASK, "whole-task", VALUE, RUNNING, "runs a task, with all that it created, of which no details are kept"),
    ROLE(HEAP, "heap", VALUE, NONE, "blocks of an allocator"),
    ROLE(MAPPED_MEMORY, "mapped-memory", VALUE, NONE, "memory that a program maps"),
    ROLE(MAPPED_FILE, "mapped-file", VALUE, NONE, "files that a program maps"),

    ROLE(MARK, "mark", EVENT, NONE, "something of interest happened"),
    ROLE(NAMING, "naming", EVENT, NONE, "something got a name"),
    ROLE(COLLECTIVE_OPERATION, "collective-operation", EVENT, NONE, "collective operations of a communicator, at their first entry"),
    ROLE(STEP, "step", EVENT, NONE, "ends of steps: what a program does within one might happen at the same time"),
    ROLE(LABEL, "label", EVENT, MARK, "the program says what something is called"),
    ROLE(NOTE, "note", EVENT, MARK, "the program says a text"),
    ROLE(DATA, "data", EVENT, MARK, "the program hands over values"),
    ROLE(SAMPLE, "sample", EVENT, NONE, "what an executor was in, each for a part of the time that it ran"),
    ROLE(ALLOCATION, "allocation", EVENT, NONE, "what one place of a program allocated, all its calls together, told at the end"),

    ROLE(AMOUNT, "amount", VARIABLE, NONE, "how much there is"),
    ROLE(WAITERS, "waiters", VARIABLE, AMOUNT, "how many wait"),
    ROLE(CUMULATIVE, "cumulative", VARIABLE, NONE, "only grows: its slope is what matters"),
    ROLE(PROCESSOR_TIME, "processor-time", VARIABLE, CUMULATIVE, "seconds of processor time used so far"),
    ROLE(CAPACITY, "capacity", VARIABLE, NONE, "how much could be used"),
    ROLE(USAGE, "usage", VARIABLE, NONE, "how much of a capacity is used"),
    ROLE(RUNNING_NODES, "running-nodes", VARIABLE, AMOUNT, "how many nodes of a task DAG run"),
    ROLE(READY_NODES, "ready-nodes", VARIABLE, AMOUNT, "how many nodes of a task DAG could run and do not"),
    ROLE(READY_AFTER_END, "ready-after-end", VARIABLE, READY_NODES, "those that became ready by the end of a task"),
    ROLE(READY_AFTER_CREATE, "ready-after-create", VARIABLE, READY_NODES, "those that begin a task that was created"),
    ROLE(READY_IN_CREATOR, "ready-in-creator", VARIABLE, READY_NODES, "those that go on with a task that created another one"),
    ROLE(READY_AFTER_WAIT, "ready-after-wait", VARIABLE, READY_NODES, "those that go on with a task that waited for others"),
    ROLE(READY_AFTER_OTHER, "ready-after-other", VARIABLE, READY_NODES, "those that go on with a task after something else"),
    ROLE(WAITING_WORKERS, "waiting-workers", VARIABLE, AMOUNT, "how many workers wait for tasks that others run, and run nothing"),
    ROLE(LIVE_BYTES, "live-bytes", VARIABLE, AMOUNT, "bytes of an allocator that are in use"),
    ROLE(MAPPED_BYTES, "mapped-bytes", VARIABLE, AMOUNT, "bytes of memory that are mapped"),
    ROLE(MAPPED_FILE_BYTES, "mapped-file-bytes", VARIABLE, AMOUNT, "bytes of files that are mapped"),

    ROLE(MESSAGE, "message", LINK, NONE, "from the send of a message to its receive"),
    ROLE(COLLECTIVE, "collective", LINK, MESSAGE, "a part of a collective operation"),
    ROLE(TRANSFER, "transfer", LINK, MESSAGE, "data moved between memories"),
    ROLE(WAKE_UP, "wake-up", LINK, NONE, "from what ended a wait to the thread that waited"),
    ROLE(DEPENDENCE, "dependence", LINK, NONE, "one had to end before the other could begin"),
    ROLE(SPAWN, "spawn", LINK, DEPENDENCE, "one created the other"),
    ROLE(CREATE_CONTINUATION, "create-continuation", LINK, DEPENDENCE, "from a creation to what follows it in the creator"),
    ROLE(END, "end", LINK, DEPENDENCE, "from the end of a task to who waited for it"),
    ROLE(WAIT_CONTINUATION, "wait-continuation", LINK, DEPENDENCE, "from a wait to what follows it"),
    ROLE(DATA_DEPENDENCE, "data-dependence", LINK, DEPENDENCE, "from who made data to who used it"),
    ROLE(MIGRATION, "migration", LINK, NONE, "work that moved to another executor"),
    ROLE(CONNECTION, "connection", LINK, NONE, "joins two parts of a machine for the whole run; nothing that happens"),

    ROLE(SITE, "site", FIELD, NONE, "where in the program"),
    ROLE(OBJECT, "object", FIELD, NONE, "what is waited for or used"),
    ROLE(HOLDER, "holder", FIELD, NONE, "who holds it"),
    ROLE(ACQUISITION, "acquisition", FIELD, NONE, "1 where a hold begins"),
    ROLE(BYTES, "bytes", FIELD, NONE, "a size in bytes"),
    ROLE(TAG, "tag", FIELD, NONE, "the tag of a message"),
    ROLE(WORK, "work", FIELD, NONE, "how much work it was, in the program's own unit"),
    ROLE(NUMBER, "number", FIELD, NONE, "the number by which the program or its runtime knows it"),
    ROLE(PARENT, "parent", FIELD, NONE, "the entity that created it"),
    ROLE(PARENT_ROW, "parent-row", FIELD, NONE, "the number of the executor that its parent ran on"),
    ROLE(PARENT_NUMBER, "parent-number", FIELD, NONE, "its parent's number on that executor"),
    ROLE(RECORD_NUMBER, "record-number", FIELD, NONE, "its position in the order of the run, from 1"),
    ROLE(CLAUSE, "clause", FIELD, NONE, "the number of the clause of the procedure, from 1"),
    ROLE(SINCE, "since", FIELD, NONE, "the time from which on it waited"),
    ROLE(RANK_NUMBER, "rank-number", FIELD, NONE, "the number of a process of a message-passing program"),
    ROLE(PROCESS_ID, "process-id", FIELD, NONE, "the operating system's number of a process"),
    ROLE(THREAD_ID, "thread-id", FIELD, NONE, "the operating system's number of a thread"),
    ROLE(PROCESSOR_NUMBER, "processor-number", FIELD, NONE, "the number of a processor"),
    ROLE(ADDRESS, "address", FIELD, NONE, "an address in the memory of the process"),
    ROLE(SYMBOL, "symbol", FIELD, NONE, "the name that the program has for it"),
    ROLE(CREATED_AT, "created-at", FIELD, NONE, "where in the program it was created"),
    ROLE(COORDINATE, "coordinate", FIELD, NONE, "a place in a mesh; the fields in order are its axes"),
    ROLE(SHAPE, "shape", FIELD, NONE, "an extent of an array; the fields in order are its dimensions"),
    ROLE(DISTRIBUTION, "distribution", FIELD, NONE, "how an array is spread over processors"),
    ROLE(WOKEN, "woken", FIELD, NONE, "the time from which on it could go on"),
    ROLE(WAITS, "waits", FIELD, NONE, "how many times it waited"),
    ROLE(OPERATION, "operation", FIELD, NONE, "the collective operation that a call takes part in"),
    ROLE(COMMUNICATOR_OF, "communicator-of", FIELD, NONE, "the communicator that it belongs to"),
    ROLE(ROOT, "root", FIELD, NONE, "the number of the process that sends to all or receives from all"),
    ROLE(MEMBERS, "members", FIELD, NONE, "the numbers of the processes that belong to it, as 0-3,8"),
    ROLE(PARTNER, "partner", FIELD, NONE, "the processor at the other end of what a call does"),
    ROLE(COMPLETES, "completes", FIELD, NONE, "the operations that a call completes, as a text"),
    ROLE(NODE, "node", FIELD, NONE, "the number of a node of the task DAG"),
    ROLE(WORKER_NUMBER, "worker-number", FIELD, NONE, "the number of a worker in the task DAG"),
    ROLE(TASK_NUMBER, "task-number", FIELD, NONE, "the number of the task that runs"),
    ROLE(CREATOR_NUMBER, "creator-number", FIELD, NONE, "the number of the task that created it; of a task that runs in parts, with the first"),
    ROLE(DELAY, "delay", FIELD, NONE, "ticks that workers did not work while something was ready"),
    ROLE(NO_WORK, "no-work", FIELD, NONE, "ticks that workers did not work as nothing was ready"),
    ROLE(TASK_WAITS, "task-waits", FIELD, NONE, "ticks that workers waited for tasks that others ran, and ran nothing"),
    ROLE(ELEMENT_BYTES, "element-bytes", FIELD, NONE, "the size of an element of an array"),
    ROLE(COLUMN_MAJOR, "column-major", FIELD, NONE, "1 when the first index of an array counts fastest, as in Fortran"),
    ROLE(ARRANGEMENT, "arrangement", FIELD, NONE, "an extent of the arrangement of processors that own an array; the fields in order are its dimensions"),
    ROLE(PARAMETERS, "parameters", FIELD, NONE, "the values that an event has, as PICL writes them: how many, their type, and they"),
    ROLE(SHARED, "shared", FIELD, NONE, "1 where readers hold it, 0 where a writer does"),
    ROLE(CALL_STACK, "call-stack", FIELD, NONE, "the functions that it was in, the outermost first, with semicolons between them"),
    ROLE(SAMPLED_TIME, "sampled-time", FIELD, NONE, "ticks of running that a sample stands for"),
    ROLE(GIVEN_NAME, "given-name", FIELD, NONE, "the name that the program gave it by a call of the recorder"),
    ROLE(PROGRAM, "program", FIELD, NONE, "the program that the process was executing"),
    ROLE(ALLOCATING_THREAD, "allocating-thread", FIELD, NONE, "the thread that allocated"),
    ROLE(ALLOCATIONS, "allocations", FIELD, NONE, "how many times something was allocated"),
    ROLE(FREES, "frees", FIELD, NONE, "how many of these were given back"),
    ROLE(FREES_ELSEWHERE, "frees-elsewhere", FIELD, NONE, "how many of these by another thread"),
    ROLE(REFUSALS, "refusals", FIELD, NONE, "how many times the allocator had nothing"),
    ROLE(LARGEST, "largest", FIELD, NONE, "the size of the largest of these, in bytes"),
    ROLE(LIVE_AT_END, "live-at-end", FIELD, NONE, "bytes in use at the end"),
    ROLE(LIVE_AT_PEAK, "live-at-peak", FIELD, NONE, "bytes in use when the process had most"),
    ROLE(ALLOCATOR_TIME, "allocator-time", FIELD, NONE, "ticks in calls that allocate and give back"),
    ROLE(LONGEST_CALL, "longest-call", FIELD, NONE, "ticks of the longest of these calls"),
    ROLE(SYSTEM_TIME, "system-time", FIELD, NONE, "nanoseconds of processor time in the kernel, in its whole life"),
    ROLE(PAGE_FAULTS, "page-faults", FIELD, NONE, "how many page faults it had, in its whole life"),
    ROLE(SCHEDULE, "schedule", FIELD, NONE, "how iterations were divided among the threads"),
    ROLE(CHUNK, "chunk", FIELD, NONE, "how many iterations a thread was given at a time, at least"),
    ROLE(DISPATCHES, "dispatches", FIELD, NONE, "how often a thread asked for iterations of a loop"),
    ROLE(DISPATCH_TIME, "dispatch-time", FIELD, NONE, "ticks that a thread took to ask for iterations of a loop"),
    ROLE(VOLUNTARY_SWITCHES, "voluntary-switches", FIELD, NONE, "how often it gave its processor up, in its whole life"),
    ROLE(PREEMPTIONS, "preemptions", FIELD, NONE, "how often it lost its processor to another thread, in its whole life"),
    ROLE(PROCESSOR_CHANGES, "processor-changes", FIELD, NONE, "how often it got another processor than before, in its whole life"),
    ROLE(COUNTED, "counted", FIELD, NONE, "what a performance counter counted of it, in its whole life"),
};
/* clang-format on */

static const struct role *role_at(enum weft_role role)
{
    static const struct role none = { "", WEFT_ROLE_SUBJECTS, WEFT_ROLE_NONE, "" };
    return (unsigned)role < WEFT_ROLE_LIMIT && roles[role].name ? &roles[role] : &none;
}

const char *weft_role_name(enum weft_role role)
{
    return role_at(role)->name;
}

const char *weft_role_explanation(enum weft_role role)
{
    return role_at(role)->explanation;
}

enum weft_role_subject weft_role_subject(enum weft_role role)
{
    return role_at(role)->subject;
}

const char *weft_role_subject_name(enum weft_role_subject subject)
{
    static const char *const names[] = { "container", "state", "value", "event",
                                         "variable",  "link",  "field" };
    return (unsigned)subject < WEFT_ROLE_SUBJECTS ? names[subject] : "";
}

enum weft_role weft_role_parent(enum weft_role role)
{
    return role_at(role)->parent;
}

bool weft_role_is(enum weft_role role, enum weft_role general)
{
    for (; role != WEFT_ROLE_NONE; role = weft_role_parent(role))
        if (role == general)
            return true;
    return false;
}

enum weft_role weft_role_find(const char *name)
{
    for (int role = 1; role < WEFT_ROLE_LIMIT && name[0]; role++)
        if (roles[role].name && strcmp(roles[role].name, name) == 0)
            return role;
    return WEFT_ROLE_NONE;
}
