/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task parallelism in a recording: tasks become a DAG (dag/make.h), waits, shared work and
 * locks states of threads.  A store has one DAG: that of the first process with tasks.
 */
#ifndef WEFT_READ_RECORDING_OMP_JOIN_H
#define WEFT_READ_RECORDING_OMP_JOIN_H

#include "domains/tasks/dag/make.h"
#include "domains/tasks/format/records.h"
#include "read/recording/join/join.h"

struct omp_region {
    uint64_t number;
    struct omp_task *met_by;
    uint64_t met_by_number;
    struct weft_dag_place begin;
    uint32_t after;           /* site of what follows it */
    struct omp_task *members; /* its implicit tasks, by next_member */
    /* When the last thread came to a barrier, by whether their number is odd; and when the last
       task was complete: a barrier is left behind both. */
    int64_t arrived[2], completed;
    bool over;
};

/* Its place is used again when it has ended: then the number is another. */
struct omp_task {
    uint64_t number;
    uint32_t index; /* of all_tasks */
    uint32_t made;  /* the maker's number */
    uint32_t site;  /* where it was created */
    bool started, ended;
    bool stays;   /* its place is not used again */
    bool creates; /* its latest creation goes on from `pause`, as far as is known */
    bool resumed; /* its thread came back to it behind that creation */
    bool yields;  /* it left its thread and was not complete */
    bool in_barrier;
    bool joins;                  /* ... in which tasks of its own are waited for */
    uint32_t barriers;           /* so far */
    uint32_t after_wait;         /* site of what follows its latest wait */
    struct weft_dag_place pause; /* where it came to the barrier, or created a task */
    struct omp_region *region;
    struct omp_task *next_member;
    uint64_t *waiting; /* tasks that depend on it */
    size_t n_waiting, waiting_capacity;
};

struct omp_thread {
    struct omp_task *task; /* that it runs, or NULL ... */
    uint64_t number;       /* ... while that has this number */
    uint32_t worker;       /* or WEFT_NONE: it ran no task yet */
    int32_t cpu;
    int64_t counters[WEFT_DAG_COUNTERS]; /* so far */
    int64_t start;
    uint64_t lock_site; /* of the lock that it waited for last */
    uint32_t track;     /* of states, or WEFT_NONE */
    uint32_t *states;   /* values that are open, innermost last */
    uint32_t open[64];  /* how often each of omp_join's values is */
    size_t n_states, states_capacity;
};

struct omp_join {
    struct join *join;
    struct omp_thread *threads; /* as join->threads */
    uint32_t type, site, values[64];
    bool has_types;

    const char **runtimes;         /* by image; NULL: it has said nothing */
    const char *counted;           /* names with commas, or NULL */
    int errors[WEFT_DAG_COUNTERS]; /* why one is not counted, or OMP_COUNTED */

    /* The DAG's. */
    struct weft_dag_contraction contraction;
    struct weft_dag_maker *maker;
    uint32_t image;       /* that it is of, or WEFT_NONE */
    bool points;          /* the program says itself what its tasks do (weft_task.h) */
    uint32_t root_thread; /* that runs the root task */
    struct omp_task *root;
    struct weft_id_map tasks, regions; /* by number: index */
    struct omp_task **all_tasks;
    size_t n_tasks, tasks_capacity;
    struct omp_task *free_task; /* by next_member */
    struct omp_region **all_regions;
    size_t n_regions, regions_capacity;
    uint32_t *workers; /* containers */
    size_t n_workers, workers_capacity;
    struct join_place unknown; /* threads that run a task that nobody has created yet */
    int64_t last;              /* time of the latest record */
    uint64_t lost;             /* records of tasks that are not known */
    uint64_t untold;           /* creations of which nobody says when they were over */
    uint64_t others;           /* initial tasks of other threads and processes */
};

enum { OMP_COUNTED = -1 }; /* no error */

/* What is counted, as weft record was told, and what comes of it (counted.c). */
void omp_begin_counting(struct omp_join *omp);
/* The record is of what is counted or which runtime it is, not of what tasks do. */
bool omp_take_count(struct omp_join *omp, const struct join_thread *thread,
                    const struct record *record);
/* Tell the trace, when it has a DAG. */
void omp_note_counted(struct omp_join *omp);

/* Does the record's image have the DAG?  The first that asks gets it. */
bool omp_has_dag(struct omp_join *omp, const struct join_thread *thread);
/* A moment on a thread, which is a worker from now on; ADDRESS 0: no site. */
struct weft_dag_place omp_place(struct omp_join *omp, const struct join_thread *thread,
                                uint64_t address, int64_t time);
/* By number; NULL: not known. */
struct omp_task *omp_find_task(const struct omp_join *omp, uint64_t number);
/* A task of the maker's, known from now on. */
struct omp_task *omp_add_task(struct omp_join *omp, uint64_t number, uint32_t made,
                              uint32_t site);
void omp_end_task(struct omp_join *omp, struct omp_task *task,
                  const struct weft_dag_place *place);

/* OpenMP's records (tasks.c), and those of weft_task.h (points.c); false: not yet. */
bool omp_take_task(struct omp_join *omp, struct join_thread *thread,
                   const struct record *record, int64_t time);
bool omp_take_point(struct omp_join *omp, struct join_thread *thread,
                    const struct record *record, int64_t time);
/* What a record says of the states of its thread (states.c). */
void omp_take_state(struct omp_join *omp, const struct join_thread *thread,
                    const struct record *record, int64_t time);

#endif
