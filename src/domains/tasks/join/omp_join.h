/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts the records of task parallelism: tasks become a DAG (dag/make.h); waits,
 * work-sharing and locks become states of threads.  A store has one DAG: that of the
 * program with tasks, or one around those of several programs.
 */
#ifndef WEFT_READ_RECORDING_OMP_JOIN_H
#define WEFT_READ_RECORDING_OMP_JOIN_H

#include "domains/tasks/dag/make.h"
#include "domains/tasks/format/records.h"
#include "domains/tasks/join/depends.h"
#include "read/recording/join/join.h"

/* A parallel region of OpenMP, from its begin on; the join's arena owns it. */
struct omp_region {
    uint64_t number;         /* omp_key() of its number in the records */
    struct omp_task *met_by; /* the task that encountered the parallel construct */
    uint64_t met_by_number;  /* met_by->number then; differs once the struct is reused */
    struct weft_dag_place begin; /* where it was encountered */
    uint32_t after; /* the store's site of the code that follows the region, or WEFT_NONE */
    struct omp_task *members; /* its implicit tasks, linked by next_member */
    /* Times: the last arrival at the region's latest even and odd barrier, and the latest
       completion of a task; INT64_MIN: none yet.  Threads leave a barrier after both. */
    int64_t arrived[2], completed;
    bool over; /* its end was read */
};

/* A task of the recorded program; the join's arena owns it.  After its end the struct is
   reused for another task, with another number, unless it `stays`. */
struct omp_task {
    uint64_t number;  /* omp_key() of its number in the records */
    uint32_t index;   /* index in omp_join.all_tasks */
    uint32_t made;    /* its number in omp_join.maker */
    uint64_t creator; /* number of the task that created it; 0: not known */
    uint32_t site;    /* the store's site where it was created, or WEFT_NONE */
    bool started, ended;
    bool told;         /* its first state was written */
    bool stays;        /* the struct is not reused, since others point to it */
    bool creates;      /* its latest creation began at `pause`; its end is unknown so far */
    bool resumed;      /* its thread returned to it after that creation */
    bool yields;       /* it left its thread before it was complete */
    bool in_barrier;   /* it waits in a barrier now */
    bool joins;        /* its latest barrier waits for tasks that this task created */
    uint32_t barriers; /* number of barriers so far */
    uint32_t after_wait; /* the store's site of the code that follows its latest wait */
    /* Where it reached the barrier, created a task, or its thread returned to it after
       that creation. */
    struct weft_dag_place pause;
    struct omp_region *region;    /* that it is in; NULL: none */
    struct omp_task *next_member; /* next in region->members or in the free list */
    bool final;    /* its tasks are included: it waits for each when it creates it */
    bool detached; /* it has left its thread, and ends when its event is fulfilled */
    /* The number in the records of the taskwait with dependences that it is in, or 0; then
       whether that waits for any task; and its address and place. */
    uint64_t waits_for;
    bool waits;
    uint64_t wait_address;
    struct weft_dag_place wait;
    int64_t waits_since; /* its taskwait or task group's end began; INT64_MIN: in none */
    struct omp_depends *depends; /* of the tasks that it creates, or NULL; heap */
};

struct omp_lock; /* a lock or critical section (omp_locks.c) */

/* A thread's wait for a lock, a critical section or its turn in an ordered one. */
struct omp_lock_wait {
    bool waits;            /* it waits now; else nothing here counts */
    bool contended;        /* the lock was another thread's meanwhile */
    uint64_t taken;        /* how often the lock had been taken when the wait began */
    uint32_t kind;         /* enum weft_omp_lock */
    struct omp_lock *lock; /* NULL for the turn in an ordered section */
    uint64_t site;         /* address of the code that waits */
    int64_t begin;         /* ticks of the trace */
};

/* The types, values and fields that the store's builder has for one kind of locks. */
struct omp_lock_types {
    bool known; /* they are defined; else nothing here counts */
    /* The type of the locks' containers; that of their states, and its values: free; held;
       held while others wait. */
    uint32_t object, states, values[3];
    /* Two fields of the containers; three of the states. */
    uint32_t address, first_used_at, holder, acquisition, site;
};

/* A recorded program that may have tasks: a process from its start or exec to its end or
   next exec. */
struct omp_program {
    struct omp_task *root; /* NULL: it has no tasks so far */
    uint32_t root_thread;  /* index of the thread whose end ends the root task; WEFT_NONE:
                              a record ends it (weft_task.h) */
};

/* An open state of a thread, in struct omp_thread. */
struct omp_state {
    uint32_t value;  /* index in omp_join.values */
    uint64_t id;     /* its entity */
    int64_t begin;   /* ticks of the trace */
    uint64_t region; /* of a parallel region: its number in the records; else 0 */
};

/* The state of a recorded thread while its records of task parallelism are joined. */
struct omp_thread {
    struct omp_task *task; /* the running task, or NULL; valid while ... */
    uint64_t number;       /* ... task->number is this */
    uint32_t worker;       /* its worker number in the DAG; WEFT_NONE until omp_place() */
    int32_t cpu;           /* processor that it runs on, or -1: unknown */
    int64_t counters[WEFT_DAG_COUNTERS]; /* latest values of the performance counters */
    int64_t start;                       /* time of its start */
    struct omp_lock_wait wait;
    uint32_t track;     /* the builder's track of its states, or WEFT_NONE: none yet */
    uint64_t work_site; /* address of the work-sharing construct that began last; 0: none
                           since the region began, or a barrier followed it */
    struct omp_state *states; /* [n_states]: those open, innermost last */
    uint32_t open[64]; /* by index in omp_join.values: its open states of that value */
    size_t n_states, states_capacity;
};

/* A taskwait or the end of a task group, on the thread of its task, up to the time at which
   the task could go on. */
struct omp_task_wait {
    uint32_t worker;
    int64_t begin, end;
};

/* The state of the join of a recording's task parallelism; begin() and end() in omp.c make
   and free it. */
struct omp_join {
    struct join *join;
    struct omp_thread *threads; /* by index in join->threads */
    /* The builder's numbers of the type of the threads' states, of its values by the kind
       of activity (omp_states.c), and of its fields: place, region's number, iterations, lock,
       a loop's schedule and chunk, how often iterations were asked for, and how long.  Set if has_types. */
    uint32_t type, values[64], site, number, count, object, schedule, chunk, asked, asking;
    uint32_t task, creator; /* fields of the state of a task: its number, its creator's */
    struct weft_id_map region_sites; /* by omp_key() of a region: index in sites */
    uint64_t *sites;                 /* [n_sites], addresses of parallel constructs */
    size_t n_sites, sites_capacity;
    bool has_types;

    struct omp_lock_types lock_types[WEFT_OMP_LOCKS];
    /* The builder's type of links from the thread that gave a lock back to the one that
       waited for it, WEFT_NONE until it is defined; and the links' value. */
    uint32_t given_back, gave_back;
    struct weft_text_map lock_map;   /* by image, kind and address: index in locks */
    struct weft_text_map lock_names; /* by process and name: how many locks have it */
    struct omp_lock **locks;         /* [n_locks] */
    size_t n_locks, locks_capacity;

    const char **runtimes; /* by process image: OpenMP runtime; NULL if unknown */
    const char *counted;   /* counters' names separated by commas, or NULL */
    /* By counter: OMP_COUNTED; the errno with which it failed; 0: it was counted only part
       of the time. */
    int errors[WEFT_DAG_COUNTERS];

    /* The DAG. */
    struct weft_dag_contraction contraction;
    struct weft_dag_maker *maker;
    bool points;                  /* the programs use weft_task.h, not OpenMP */
    struct omp_program *programs; /* [n_images] by process image; .root NULL: no tasks */
    uint32_t image;               /* of the first program, or WEFT_NONE */
    uint32_t n_programs;
    /* By omp_key(): index in all_tasks, in all_regions. */
    struct weft_id_map tasks, regions;
    struct omp_task **all_tasks;
    size_t n_tasks, tasks_capacity;
    struct omp_task *free_task; /* free list, linked by next_member */
    struct omp_region **all_regions;
    size_t n_regions, regions_capacity;
    struct omp_task_wait *waits; /* [n_waits] */
    size_t n_waits, waits_capacity;
    uint32_t *workers; /* [n_workers] by worker number: its thread's container */
    size_t n_workers, workers_capacity;
    /* Threads whose next record waits for one of another thread: a creation, a region. */
    struct join_place unknown;
    int64_t last;        /* time of the latest record */
    uint64_t lost;       /* records of unknown or ended tasks */
    uint64_t untold;     /* creations whose end is unknown */
    uint64_t tasks_made; /* by the program, without those of regions */
    uint64_t others;     /* further initial tasks of programs */
};

enum { OMP_COUNTED = -1 }; /* in omp_join.errors: the counter was counted */

/* Sets omp->counted from the recording's facts (its lines KEY=VALUE), NULL if they name no
   counters; allocates omp->runtimes, all NULL, which end() frees; sets all of omp->errors
   to OMP_COUNTED.  omp->join must be set. */
void omp_begin_counting(struct omp_join *omp);
/* Keeps in OMP what RECORD of THREAD says: values of its performance counters, a counter
   that is not counted, or the runtime's name (the first one of a process image counts).
   Returns true; false, without effect, if RECORD is of another kind. */
bool omp_join_count(struct omp_join *omp, const struct join_thread *thread,
                    const struct record *record);
/*
 * Notes in the trace which performance counters were counted (WEFT_DAG_NOTE_COUNTED) and
 * the runtime (WEFT_DAG_NOTE_RUNTIME), if known, and reports counters that failed as
 * problems.  Called if the trace has a DAG: omp->image is set.
 */
void omp_note_counted(struct omp_join *omp);

/* Returns the program that THREAD runs, owned by OMP; never NULL, but its root is NULL
   until omp_begin_program(). */
static inline struct omp_program *omp_program_of(struct omp_join *omp,
                                                 const struct join_thread *thread)
{
    return &omp->programs[thread->image];
}
/* Begins the program that THREAD runs: its root task, with NUMBER in the records, starts at
   PLACE and ends with the thread of index ROOT_THREAD (WEFT_NONE: by a record).  The first
   program of the recording also makes omp->maker.  If the program has begun already, only
   counts this call in omp->others. */
void omp_begin_program(struct omp_join *omp, const struct join_thread *thread,
                       uint64_t number, const struct weft_dag_place *place,
                       uint32_t root_thread);
/* Returns the key of a task's or region's NUMBER in the records of a process image: numbers
   are unique within one. */
static inline uint64_t omp_key(uint32_t image, uint64_t number)
{
    return (uint64_t)image << 40 ^ number;
}
/* Returns the time and place of an event for dag/make.h: TIME, the thread's worker number,
   processor and latest counters, and the store's site of the code at ADDRESS, WEFT_NONE if
   ADDRESS is 0.  Gives THREAD the next worker number if it has none yet. */
struct weft_dag_place omp_place(struct omp_join *omp, const struct join_thread *thread,
                                uint64_t address, int64_t time);
/* Returns the task with a number in the records of THREAD's program, also one that has
   ended if its struct is not reused yet; NULL if none is known. */
struct omp_task *omp_find_task(const struct omp_join *omp, const struct join_thread *thread,
                               uint64_t number);
/* Registers the task NUMBER of the records of THREAD's program, whose number in omp->maker
   is MADE and that was created at SITE; returns it, owned by OMP, for omp_find_task(). */
struct omp_task *omp_add_task(struct omp_join *omp, const struct join_thread *thread,
                              uint64_t number, uint32_t made, uint32_t site);
/* Ends TASK at PLACE, also in omp->maker, frees its `depends`, and lets its struct be
   reused unless it `stays`.  No effect if it has ended. */
void omp_end_task(struct omp_join *omp, struct omp_task *task,
                  const struct weft_dag_place *place);

/* Puts a RECORD of OpenMP's tasks, regions or waits, at TIME, into the DAG (omp_tasks.c);
   returns true, without effect, for other kinds.  Returns false if it needs a record of
   another thread that was not read yet, such as the task's creation: the caller then passes
   it again later. */
bool omp_join_task(struct omp_join *omp, struct join_thread *thread,
                   const struct record *record, int64_t time);
/* Counts TICKS of the running interval of the task that THREAD runs as a wait for a lock
   (omp_tasks.c).  No effect if it runs none. */
void omp_join_waited(struct omp_join *omp, const struct join_thread *thread, int64_t ticks);
/* Puts a RECORD of a task of weft_task.h, at TIME, into the DAG (weft_task.c) and returns
   true.  Returns false if its task's creation, a record of another thread, was not read
   yet: the caller then passes it again later.  If the task has ended, or its creation will
   not come any more (thread->forced), only counts the record in omp->lost. */
bool omp_join_point(struct omp_join *omp, struct join_thread *thread,
                    const struct record *record, int64_t time);
/* Opens or closes the state of THREAD (parallel region, wait, work-sharing, critical
   section, other task) that RECORD begins or ends at TIME; the end of a region also closes
   the region's states of other threads, and its begin only notes its place.  Other records
   have no effect (omp_states.c). */
void omp_join_state(struct omp_join *omp, const struct join_thread *thread,
                    const struct record *record, int64_t time);
/*
 * Adds to the store the state of THREAD in which it waited, from WAIT->begin to TIME, for a
 * lock whose container is OBJECT (WEFT_NONE: none).  Returns the state's entity id, or
 * WEFT_NO_ID if it cannot be added (omp_states.c).
 */
uint64_t omp_push_lock_wait(struct omp_join *omp, const struct join_thread *thread,
                            const struct omp_lock_wait *wait, uint32_t object,
                            int64_t time);
/*
 * Handles a RECORD of a lock or critical section at TIME: writes the lock's states, and
 * begins or ends the wait of THREAD (omp_locks.c).  Returns the ticks for which THREAD
 * waited if it acquires the lock by this record, else 0; 0 also if the lock was free, or if
 * it waited less than a microsecond for its turn in an ordered section.  No effect, and 0,
 * for records of other kinds.
 */
int64_t omp_join_lock(struct omp_join *omp, const struct join_thread *thread,
                      const struct record *record, int64_t time);
/* Ends the wait of THREAD for a lock, if it is in one, at TIME, and writes it as a state of
   the thread.  Returns the ticks for which it waited; 0, and no state, if it was in none,
   the lock was free, or the wait for a turn was below a microsecond. */
int64_t omp_end_lock_wait(struct omp_join *omp, const struct join_thread *thread,
                          int64_t time);

#endif
