/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording's records of task parallelism (framed as in recording_layout.h): the events
 * of OpenMP's tool interface (OMPT), and those of programs that use weft_task.h.
 *
 * Tasks and parallel regions have numbers from 1, unique in a process image.  A thread runs
 * the task of its latest WEFT_RECORD_OMP_IMPLICIT or WEFT_RECORD_OMP_SCHEDULE.
 */
#ifndef WEFT_FORMAT_RECORDING_OMP_H
#define WEFT_FORMAT_RECORDING_OMP_H

#include "format/recording_layout.h"

/* Key of a recording's fact (a line KEY=VALUE of its file "recording"): the rules by which
   its task DAG is contracted, in the form that join/contraction_rules.h parses. */
#define WEFT_RECORDING_CONTRACTION "contraction"

enum { WEFT_FAMILY_OMP = 4 }; /* number of this family of records */

/*
 * Kinds of records of task parallelism.  Each comment lists the record's argument (20
 * bits), then after each "+" one of its 64-bit words.  Tasks and regions are numbers from
 * 1; a site is an address in the program's code, 0 if unknown; a lock is OMPT's wait_id.
 */
enum {
    /* Number of the processor on which the thread runs from here on. */
    WEFT_RECORD_OMP_CPU = WEFT_FIRST_KIND(WEFT_FAMILY_OMP),
    WEFT_RECORD_OMP_INITIAL,  /* + task: the thread's initial task, outside of any region */
    WEFT_RECORD_OMP_PARALLEL, /* threads asked for; + region + encountering task + site */
    WEFT_RECORD_OMP_PARALLEL_END, /* + region + encountering task */
    WEFT_RECORD_OMP_IMPLICIT,     /* number in the team; + region + task */
    WEFT_RECORD_OMP_IMPLICIT_END, /* + task */
    WEFT_RECORD_OMP_CREATE,       /* enum weft_omp_task bits; + task + site */
    WEFT_RECORD_OMP_SCHEDULE,     /* enum weft_omp_status of the task before; + task */
    WEFT_RECORD_OMP_DEPENDS,      /* enum weft_omp_depend; + the new task + an address */
    WEFT_RECORD_OMP_DISCARD,      /* + task: it was cancelled, and will never begin */
    /* enum weft_omp_wait; + site, or: 0 + 1, at the end of the parallel region */
    WEFT_RECORD_OMP_WAIT,
    WEFT_RECORD_OMP_WAIT_END, /* enum weft_omp_wait */
    WEFT_RECORD_OMP_GROUP,    /* + site: a task group begins; its end is a wait */
    /* enum weft_omp_work; + site + OMPT's count; of a loop, if they are known: + its
       schedule, enum weft_omp_schedule, + its chunk in iterations, 0 for none */
    WEFT_RECORD_OMP_WORK,
    /* enum weft_omp_work; of a loop whose iterations the thread had to ask for: + how
       often, + the share of the loop that took, of WEFT_OMP_WHOLE_LOOP; 0: not known */
    WEFT_RECORD_OMP_WORK_END,
    WEFT_RECORD_OMP_LOCK_WAIT, /* enum weft_omp_lock; + lock + site */
    WEFT_RECORD_OMP_LOCK,      /* enum weft_omp_lock; + lock: acquired */
    WEFT_RECORD_OMP_UNLOCK,    /* enum weft_omp_lock; + lock */

    /* weft_task.h: the points of DAG Recorder. */
    WEFT_RECORD_TASK_START,   /* + task + site: recording starts, and this is the root */
    WEFT_RECORD_TASK_STOP,    /* + task + site: the root ends */
    WEFT_RECORD_TASK_CREATES, /* + task + site + new task: enters the creation of a task */
    WEFT_RECORD_TASK_POINT,   /* enum weft_task_point of weft_task.h; + task + site */

    /* Used by both. */
    WEFT_RECORD_OMP_RUNTIME, /* text: name of the tasking runtime */
    /* Number of counters; + the thread's value of each so far, in the order of the fact
       WEFT_RECORDING_COUNTERS; 0 for one that is not counted. */
    WEFT_RECORD_OMP_COUNTERS,
    /* A counter that is not counted: its index in that fact, from 0; + errno, or 0 if the
       machine cannot count all of them at a time. */
    WEFT_RECORD_OMP_UNCOUNTED,
    WEFT_RECORD_OMP_END, /* one more than the last kind */
};

/* Bits in the argument of WEFT_RECORD_OMP_CREATE: properties of a new task. */
enum weft_omp_task {
    /* Its creator waits for it.  In a team of one thread, where all do, only if the program
       says so by if(0). */
    WEFT_OMP_UNDEFERRED = 1,
    WEFT_OMP_UNTIED = 2,
    WEFT_OMP_FINAL = 4,
    WEFT_OMP_MERGEABLE = 8,
    WEFT_OMP_MERGED = 16,
    WEFT_OMP_DEPENDS = 32, /* it has a `depend` clause */
    /* No task, but a taskwait with dependences, which waits only for tasks that have them;
       it ends by a schedule record with the status WEFT_OMP_WAITED. */
    WEFT_OMP_TASKWAIT = 64,
};

/* The type of a `depend` clause of a new task for an address: on which earlier tasks of its
   creator that named the same address the new task depends. */
enum weft_omp_depend {
    WEFT_OMP_IN,          /* on those that did not name it as `in` */
    WEFT_OMP_OUT,         /* on all: `out`, `inout` */
    WEFT_OMP_EXCLUSIVE,   /* `mutexinoutset`: like inoutset, and they exclude one another */
    WEFT_OMP_SET,         /* `inoutset`: on those that did not name it so */
    WEFT_OMP_ALL,         /* `omp_all_memory`: on all tasks with a dependence */
    WEFT_OMP_DEPENDENCES, /* their number */
};

/* Argument of WEFT_RECORD_OMP_SCHEDULE: why a thread left its task; OMPT's
   ompt_task_status_t, with the same numbers.  The record's task is the one that the thread
   runs now, or 0 if the runtime names none.  For the two fulfilments of a detached task's
   event, and for WEFT_OMP_WAITED (the end of a taskwait with dependences), it is the task
   or taskwait that is over. */
enum weft_omp_status {
    WEFT_OMP_COMPLETE = 1,
    WEFT_OMP_YIELD = 2,
    WEFT_OMP_CANCEL = 3,
    WEFT_OMP_DETACH = 4,
    WEFT_OMP_EARLY_FULFIL = 5,
    WEFT_OMP_LATE_FULFIL = 6,
    WEFT_OMP_SWITCH = 7,
    WEFT_OMP_WAITED = 8,
};

/* Argument of WEFT_RECORD_OMP_WAIT and _WAIT_END: in which construct a thread waits. */
enum weft_omp_wait {
    WEFT_OMP_WAIT_TASKS,   /* taskwait */
    WEFT_OMP_WAIT_GROUP,   /* end of a taskgroup */
    WEFT_OMP_WAIT_BARRIER, /* explicit */
    /* Barrier at the end of a region or of a work-sharing construct, or of unknown kind. */
    WEFT_OMP_WAIT_IMPLICIT,
    WEFT_OMP_WAITS, /* their number */
};

/* Argument of WEFT_RECORD_OMP_WORK and _WORK_END: the work-sharing construct, or taskloop,
   that a thread begins or ends. */
enum weft_omp_work {
    WEFT_OMP_LOOP,
    WEFT_OMP_SECTIONS,
    WEFT_OMP_SINGLE,
    WEFT_OMP_WORKSHARE,
    WEFT_OMP_DISTRIBUTE,
    WEFT_OMP_TASKLOOP,
    WEFT_OMP_WORKS, /* their number */
};

/* The share in WEFT_RECORD_OMP_WORK_END that is a whole loop. */
#define WEFT_OMP_WHOLE_LOOP 4294967296.0

/* How the iterations of a loop are divided among the threads: its schedule clause, or if
   that says `runtime`, what the runtime was told, if that is known. */
enum weft_omp_schedule {
    WEFT_OMP_SCHEDULE_UNKNOWN,
    WEFT_OMP_SCHEDULE_STATIC,
    WEFT_OMP_SCHEDULE_DYNAMIC,
    WEFT_OMP_SCHEDULE_GUIDED,
    WEFT_OMP_SCHEDULE_AUTO,
    WEFT_OMP_SCHEDULE_RUNTIME,
    WEFT_OMP_SCHEDULES,                /* their number */
    WEFT_OMP_SCHEDULE_ORDERED = 0x100, /* a bit beside these: the loop is ordered */
};

/* Argument of WEFT_RECORD_OMP_LOCK_WAIT, _LOCK and _UNLOCK: the kind of lock. */
enum weft_omp_lock {
    WEFT_OMP_MUTEX, /* omp_lock_t and omp_nest_lock_t */
    WEFT_OMP_CRITICAL,
    WEFT_OMP_ATOMIC,
    WEFT_OMP_ORDERED,
    WEFT_OMP_LOCKS, /* their number */
};

#endif
