/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tasks of a run, as ParaGraph has them (Heath and Finger 2003, section 5.3): the
 * program says when a processor begins and ends its part of a task, and how much work that
 * was.  Tasks have numbers, or else names.  Each part is an execution; the same task may be
 * executed by several processors, and by one processor several times.  Executions of a
 * processor nest: it is in the innermost one, and a stretch is a time in which that is the
 * same.
 *
 * Executions are the states of one track of each processor (weft_processor.task_track).
 * In a trace without such tracks they are the parallel constructs that a thread executes
 * (weft_processor.construct_track): regions, shared loops, explicit tasks, not the waits in
 * between.  Constructs of one kind at one place are a task; its name says both.
 */
#ifndef WEFT_MODEL_TASK_EXECUTIONS_H
#define WEFT_MODEL_TASK_EXECUTIONS_H

#include "domains/messages/model/processors.h"

/* All executions with one number, or one name. */
struct weft_task {
    bool numbered;
    int64_t number;   /* if it is numbered */
    const char *name; /* its number as text, or else the name of its value; of the list */
    /* of a construct: value and site (index in the schema's sites); else WEFT_NONE */
    uint32_t value, site;
    uint32_t color;      /* its number modulo 2^32, or else its place in the list */
    int64_t begin, end;  /* its life: first begin and last end of its executions, ticks */
    uint32_t processors; /* how many have executed it */
};

/* A processor's part of a task, from its entry to its exit. */
struct weft_task_execution {
    int64_t begin, end; /* ticks */
    double work;        /* in the program's unit; NAN: not known */
    uint64_t id;        /* of the state */
    uint32_t task;      /* index in tasks */
    bool again;         /* it is inside an execution of the same task */
};

/* A time in which a processor's innermost execution is the same; it may have no length. */
struct weft_task_stretch {
    int64_t begin, end; /* ticks */
    uint32_t execution; /* index in executions */
};

/* The tasks of a trace; made by weft_tasks_make, freed by weft_tasks_free. */
struct weft_tasks {
    const struct weft_processors *processors; /* borrowed */
    struct weft_task *tasks; /* [n]: by number, then those with names, by name */
    uint32_t n;
    bool any_work; /* the work of an execution is known */
    /* by processor, then in order of begin, outer ones before inner ones */
    struct weft_task_execution *executions;
    struct weft_task_stretch *stretches; /* by processor, then in order of time */
    /* [processors->n + 1]: where those of each processor begin in the arrays above */
    uint32_t *first_execution, *first_stretch;
    struct weft_arena arena; /* of the names */
};

/*
 * Reads the tasks of PROCESSORS' trace, which must outlive the result.  O(m log m) of m
 * executions, 100 bytes each.  The caller frees the result with weft_tasks_free.  Returns
 * NULL with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled, or with WEFT_ERR_LIMIT at
 * 2^31 executions.
 */
struct weft_tasks *weft_tasks_make(const struct weft_processors *processors,
                                   struct weft_job *job,
                                   struct weft_err *err) WEFT_MUST_CHECK;
/* Frees TASKS; NULL is fine. */
void weft_tasks_free(struct weft_tasks *tasks);
/* Returns the bytes of memory that TASKS takes, without the processors. */
size_t weft_tasks_bytes(const struct weft_tasks *tasks);

/*
 * Returns the index of the first stretch of processor INDEX that ends after TIME, or has no
 * length and is at TIME; first_stretch[INDEX + 1] if there is none.  O(log n).
 */
uint32_t weft_task_stretch_from(const struct weft_tasks *tasks, uint32_t index,
                                int64_t time);
/*
 * Returns the stretch of processor INDEX that holds TIME (begin <= TIME < end), or NULL if
 * the processor is in no task then.
 */
const struct weft_task_stretch *weft_task_stretch_at(const struct weft_tasks *tasks,
                                                     uint32_t index, int64_t time);
/*
 * Returns the work of EXECUTION in each second of its time; NAN if its work is not known,
 * or it has no length.
 */
double weft_task_speed(const struct weft_tasks *tasks,
                       const struct weft_task_execution *execution);

#endif
