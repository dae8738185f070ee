/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making a task DAG (dag.h) of what tasks did.  The points are those at which DAG Recorder
 * measures (thesis, section 1.2.2), and "other", where a task may move to another worker.
 *
 * Points of one task come in the order in which it did them; those of several tasks may be
 * interleaved in any way, but a task is made known by the creation that its parent enters.
 * Times of one task that run backwards are brought forward.
 *
 * Sections follow from creations and waits: the first creation opens one, the wait closes it.
 * weft_dag_make_section() says that the next creation opens one inside that; a section in which
 * nothing was created leaves no node, and a wait that finds no section leaves none, either: the
 * interval goes on.  Tasks that their parent does not wait for stay in an open section, which
 * has no wait; a wait for all that is inside of the section around it joins them.
 *
 * When a section or task and all that is inside is over, its figures are summed up, and it may
 * be contracted: its inside is forgotten, but for how large its tasks were, by the places that
 * created them.  Memory is that of what is not contracted, about 72 bytes a leaf and 370 a section
 * or task.  Amortized O(1) a point.
 */
#ifndef WEFT_DAG_MAKE_H
#define WEFT_DAG_MAKE_H

#include "domains/tasks/dag/dag.h"

/*
 * What is contracted, of those whose tasks were all waited for inside and that hold no "other".
 * As DAG Recorder: what ran on one worker, unless it took MOST or more; and whatever took less
 * than LEAST.
 */
struct weft_dag_contraction {
    bool off;
    int64_t least, most; /* ticks; by default 0, and INT64_MAX */
    uint64_t leaves;     /* not 0: instead of all this, what has fewer logical leaves */
};

/* A moment of a task. */
struct weft_dag_place {
    int64_t time;
    int32_t worker, cpu;                 /* -1: not known */
    uint32_t site;                       /* or WEFT_NONE */
    int64_t counters[WEFT_DAG_COUNTERS]; /* of the worker, so far; weft_dag_maker_counts */
};

/* What a wait joins. */
enum weft_dag_wait {
    WEFT_DAG_WAIT_SECTION,  /* the tasks of the innermost section */
    WEFT_DAG_WAIT_CHILDREN, /* those of the task in the innermost section, which goes on when
                               it was asked for: OpenMP's taskwait */
    WEFT_DAG_WAIT_GROUP, /* all that is inside of the innermost section that was asked for */
    WEFT_DAG_WAIT_ALL,   /* all that is inside of any of the task's sections: a barrier */
};

struct weft_dag_maker;

struct weft_dag_maker *weft_dag_maker_new(const struct weft_dag_contraction *contraction);
/*
 * Before the first point: places say what their worker has counted.  An interval has the
 * difference when it began on the worker on which it ended, else 0; sections and tasks have the
 * sums, and those of their critical path.  Memory is then 32 bytes more a leaf, and 130 more a
 * section or task.
 */
void weft_dag_maker_counts(struct weft_dag_maker *maker);
void weft_dag_maker_free(struct weft_dag_maker *maker); /* NULL is fine */

/* Tasks have numbers, which are given again when the task has ended. */
/* The root starts: the first call. */
uint32_t weft_dag_make_root(struct weft_dag_maker *maker,
                            const struct weft_dag_place *place);
/* TASK enters a creation; the number of the new task. */
uint32_t weft_dag_make_create(struct weft_dag_maker *maker, uint32_t task,
                              const struct weft_dag_place *place);
void weft_dag_make_created(struct weft_dag_maker *maker, uint32_t task,
                           const struct weft_dag_place *place);
/* A task that has not started cannot before TIME: it depends on another one. */
void weft_dag_make_depends(struct weft_dag_maker *maker, uint32_t task, int64_t time);
void weft_dag_make_start(struct weft_dag_maker *maker, uint32_t task,
                         const struct weft_dag_place *place);
void weft_dag_make_section(struct weft_dag_maker *maker, uint32_t task);
void weft_dag_make_wait(struct weft_dag_maker *maker, uint32_t task,
                        enum weft_dag_wait wait, const struct weft_dag_place *place);
void weft_dag_make_waited(struct weft_dag_maker *maker, uint32_t task,
                          const struct weft_dag_place *place);
/* Other code begins, and ends; the task could go on from READY (at most the place's time). */
void weft_dag_make_other(struct weft_dag_maker *maker, uint32_t task,
                         const struct weft_dag_place *place);
void weft_dag_make_other_done(struct weft_dag_maker *maker, uint32_t task, int64_t ready,
                              const struct weft_dag_place *place);
void weft_dag_make_end(struct weft_dag_maker *maker, uint32_t task,
                       const struct weft_dag_place *place);

/* Would a wait of this kind find tasks to join? */
bool weft_dag_make_joins(const struct weft_dag_maker *maker, uint32_t task,
                         enum weft_dag_wait wait);
/* Is it in an interval: has it started, and is it neither creating nor waiting? */
bool weft_dag_make_runs(const struct weft_dag_maker *maker, uint32_t task);
/*
 * Of the tasks whose creates are not among the nodes, since what held them was contracted, those
 * of one place and about one size.  Steps of size are 1, 2 and 5 times a power of ten: there are
 * no ticks from some of one entry to some of another in which one of these lies.  N: entries.
 * The maker's, until the next point.
 */
const struct weft_dag_tasks *weft_dag_make_tasks(const struct weft_dag_maker *maker,
                                                 size_t *n);
/* Nodes that are kept at the moment. */
uint64_t weft_dag_make_size(const struct weft_dag_maker *maker);

/*
 * No point comes any more.  Tasks that have not ended do so at TIME, which is after all others;
 * returns how many, the root among them.
 */
uint64_t weft_dag_make_finish(struct weft_dag_maker *maker, int64_t time);
/*
 * Give all nodes to TAKE, in order of their numbers, as dag/write.h wants them; after finish.
 * False: there was no root.
 */
bool weft_dag_make_nodes(const struct weft_dag_maker *maker,
                         void (*take)(void *user, const struct weft_dag_node *node),
                         void *user);

#endif
