/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a task DAG (dag.h) from the events of tasks, called points.  These are the points
 * at which DAG Recorder measures (thesis, section 1.2.2), and "other", where a task may
 * move to another worker.
 *
 * The points of one task must come in their order; those of different tasks may be
 * interleaved in any way, except that a task's creation (a point of its parent) precedes
 * its own points, and that its end is the last of them (WEFT_REQUIRE).  A time earlier than
 * the one before it in the same task is raised to that.  A create, a wait or the end of a
 * task that has not started, or that still is in a creation, a wait or an "other", first
 * lets it start or continue at the same place.
 *
 * Sections follow from creations and waits: the first creation opens a section, the wait
 * closes it.  After weft_dag_make_section() the next creation opens a section inside the
 * current one.  A section in which no task was created leaves no node.  A wait without a
 * section leaves none either: the interval continues.  Tasks that their parent does not
 * wait for stay in an open section, which has no wait; a wait of a section around it that
 * joins all inside joins them.
 *
 * When a section or task and everything inside it has ended, its figures are summed up and
 * it may be contracted: its inside is dropped, except for the sizes of its tasks by the
 * places that created them.  Memory is about 72 bytes for each leaf and 390 for each
 * section or task that is not contracted.  Amortized O(1) a point.
 */
#ifndef WEFT_DAG_MAKE_H
#define WEFT_DAG_MAKE_H

#include "domains/tasks/dag/dag.h"

/*
 * The rules of contraction: dropping the inside of a section or task and keeping its sums.
 * A section or task can be contracted only if it holds no "other", all its tasks were
 * waited for inside, and no order (weft_dag_make_order) leads into it or out of it.  By the
 * rules of DAG Recorder it is contracted if it ran on one worker and took less than MOST,
 * or if it took less than LEAST on any number of workers.
 */
struct weft_dag_contraction {
    bool off;            /* nothing is contracted */
    int64_t least, most; /* ticks; by default 0, and INT64_MAX */
    uint64_t leaves;     /* if not 0: instead, all with fewer logical leaves than this */
};

/* The time and place of a point (an event of a task). */
struct weft_dag_place {
    int64_t time;        /* ticks of the trace */
    int32_t worker, cpu; /* -1 if unknown */
    uint32_t site;       /* place in the program (schema), or WEFT_NONE */
    /* Totals of the worker's thread so far; not read without weft_dag_maker_counts(). */
    int64_t counters[WEFT_DAG_COUNTERS];
};

/* The tasks that a wait joins.  A task's section holds its creates up to the wait for them;
   sections nest. */
enum weft_dag_wait {
    WEFT_DAG_WAIT_SECTION, /* the tasks of the innermost section */
    /* OpenMP's taskwait: the tasks of the innermost section.  If that was opened by
       weft_dag_make_section, it stays open. */
    WEFT_DAG_WAIT_CHILDREN,
    /* All tasks inside the innermost section opened by weft_dag_make_section. */
    WEFT_DAG_WAIT_GROUP,
    WEFT_DAG_WAIT_ALL, /* all tasks inside any of the task's sections: a barrier */
};

/* Makes a task DAG from the events of tasks (points): weft_dag_maker_new() makes one,
   weft_dag_maker_free() frees it.  For one thread. */
struct weft_dag_maker;

/* Returns a maker of one task DAG that contracts by the rules CONTRACTION, which are
   copied; the caller frees it with weft_dag_maker_free().  Never NULL. */
struct weft_dag_maker *weft_dag_maker_new(const struct weft_dag_contraction *contraction);
/*
 * Turns on performance counters (weft_dag_place.counters); called before
 * weft_dag_make_root() (WEFT_REQUIRE), if at all.  An interval gets the difference between
 * the values at its end and its begin if both were on the same worker, else 0; sections and
 * tasks get the sums, in all and on the critical path.  Costs 32 bytes more a leaf and 130
 * more a section or task.
 */
void weft_dag_maker_counts(struct weft_dag_maker *maker);
/* Frees a maker and the arrays that it has returned; NULL is fine. */
void weft_dag_maker_free(struct weft_dag_maker *maker);

/*
 * A program begins: its root task starts at PLACE.  Returns the task's number for further
 * calls, which is free again when the task has ended.  The tasks of a program are inside
 * its root.  If there are several programs, weft_dag_make_finish() makes one task around
 * them, which creates each root at its begin and ends when the last one has.
 */
uint32_t weft_dag_make_root(struct weft_dag_maker *maker,
                            const struct weft_dag_place *place);
/*
 * TASK, which has not ended (WEFT_REQUIRE), begins to create a task at PLACE, until
 * weft_dag_make_created(): its interval ends, one of no length if TASK was not running.
 * Returns the number of the new task, which weft_dag_make_start() starts; it is free again
 * when the new task has ended.
 */
uint32_t weft_dag_make_create(struct weft_dag_maker *maker, uint32_t task,
                              const struct weft_dag_place *place);
/* TASK, which has not ended (WEFT_REQUIRE), has created a task and continues at PLACE.  No
   effect if it is not in a creation. */
void weft_dag_make_created(struct weft_dag_maker *maker, uint32_t task,
                           const struct weft_dag_place *place);
/* A reference to a task that stays valid after its end, when its number may be another
   task's; weft_dag_make_ref() makes it. */
struct weft_dag_ref {
    uint32_t node, stamp; /* the maker's; {0} refers to no task */
};
/* Returns a reference to TASK, which has not ended (WEFT_REQUIRE). */
struct weft_dag_ref weft_dag_make_ref(const struct weft_dag_maker *maker, uint32_t task);
/*
 * TASK, which has not ended (WEFT_REQUIRE), does not begin before the task BEFORE has
 * ended: TASK itself if it has not started, else its next interval.  Both must have been
 * created by one task, BEFORE first, or TASK is the creator of BEFORE.  No effect if that
 * is not so, if TASK is running, or if a wait has joined BEFORE, so that the order follows
 * from the structure; or if BEFORE is {0}, or was dropped by contraction.  KIND is why.
 */
void weft_dag_make_order(struct weft_dag_maker *maker, struct weft_dag_ref before,
                         uint32_t task, enum weft_dag_order_kind kind);
/* TASK, which weft_dag_make_create() made and which has not ended (WEFT_REQUIRE), starts to
   run at PLACE.  No effect if it has started. */
void weft_dag_make_start(struct weft_dag_maker *maker, uint32_t task,
                         const struct weft_dag_place *place);
/*
 * Makes the next weft_dag_make_create() of TASK, which has not ended (WEFT_REQUIRE), open a
 * section inside TASK's current one, as a task group does; after several calls it opens as
 * many, one inside the other.
 */
void weft_dag_make_section(struct weft_dag_maker *maker, uint32_t task);
/*
 * TASK, which has not ended (WEFT_REQUIRE), begins to wait for tasks at PLACE: its interval
 * ends (one of no length if TASK was not running), a section is closed (by WAIT), and it
 * waits until weft_dag_make_waited().  If there is no section to close
 * (weft_dag_make_joins() returns false), no node is made and its interval goes on; then
 * WEFT_DAG_WAIT_SECTION and WEFT_DAG_WAIT_GROUP cancel one weft_dag_make_section() that no
 * creation has followed yet, if there is one.  WEFT_DAG_WAIT_ALL cancels all of these if it
 * closes a section.
 */
void weft_dag_make_wait(struct weft_dag_maker *maker, uint32_t task,
                        enum weft_dag_wait wait, const struct weft_dag_place *place);
/* TASK, which has not ended (WEFT_REQUIRE), has waited for tasks since weft_dag_make_wait()
   and continues at PLACE.  No effect if it is not waiting. */
void weft_dag_make_waited(struct weft_dag_maker *maker, uint32_t task,
                          const struct weft_dag_place *place);
/* Adds TICKS to the time within TASK's running interval in which its thread waited for a
   lock, a critical section or its turn in an ordered one, and did not work.  No effect if
   TASK, which has not ended (WEFT_REQUIRE), is not running, or if TICKS <= 0. */
void weft_dag_make_waiting(struct weft_dag_maker *maker, uint32_t task, int64_t ticks);
/* TASK, which has not ended (WEFT_REQUIRE), may move to another worker: its interval ends
   at PLACE as an "other" (a leaf that neither creation, wait nor end has ended), and the
   task pauses until weft_dag_make_other_done().  No effect if it is not running. */
void weft_dag_make_other(struct weft_dag_maker *maker, uint32_t task,
                         const struct weft_dag_place *place);
/* TASK, which has not ended (WEFT_REQUIRE) and which weft_dag_make_other() paused,
   continues at PLACE.  It was ready to continue since the time READY (INT64_MIN: since it
   paused), or since the end of a task that it is ordered after, if that is later; but at
   the latest since the place's time.  No effect if it is not paused. */
void weft_dag_make_other_done(struct weft_dag_maker *maker, uint32_t task, int64_t ready,
                              const struct weft_dag_place *place);
/*
 * TASK, which has not ended (WEFT_REQUIRE), ends at PLACE: its interval ends (it begins at
 * PLACE, too, if TASK has not started or still waits, creates or pauses), its open sections
 * are closed without a wait, and its number is free for a new task.
 */
void weft_dag_make_end(struct weft_dag_maker *maker, uint32_t task,
                       const struct weft_dag_place *place);

/* Returns true if weft_dag_make_wait() with WAIT would now find a section of TASK to close,
   that is, tasks to wait for.  TASK has not ended (WEFT_REQUIRE). */
bool weft_dag_make_joins(const struct weft_dag_maker *maker, uint32_t task,
                         enum weft_dag_wait wait);
/* Returns the time from which TASK, which is running (WEFT_REQUIRE), was ready to run its
   interval. */
int64_t weft_dag_make_ready(const struct weft_dag_maker *maker, uint32_t task);
/* Returns true if TASK, which has not ended (WEFT_REQUIRE), is running: started, and not in
   a creation, wait or "other" (weft_dag_make_other()). */
bool weft_dag_make_runs(const struct weft_dag_maker *maker, uint32_t task);
/*
 * Returns the tasks whose creates are no nodes, since a node around them was contracted: *N
 * rows, one for each place and size class (of work; bounds are 1, 2 and 5 times powers of
 * ten ticks), in any order.  The array is the maker's and valid until the next point; NULL
 * if *N is 0.
 */
const struct weft_dag_tasks *weft_dag_make_tasks(const struct weft_dag_maker *maker,
                                                 size_t *n);
/* Returns the number of nodes that the maker holds at the moment, without those that
   contraction dropped. */
uint64_t weft_dag_make_size(const struct weft_dag_maker *maker);

/*
 * Called after the last event.  Ends, at TIME, all tasks that weft_dag_make_end() has not
 * ended, root tasks too, and returns their number.  TIME is in ticks and must not be before
 * any event.  If there are several programs, makes the task around their roots.
 */
uint64_t weft_dag_make_finish(struct weft_dag_maker *maker, int64_t time);
/*
 * Passes all nodes with USER to VISIT, in order of their numbers, in the form that
 * weft_dag_writer_add() needs; each is valid during its call.  Called after
 * weft_dag_make_finish().  Returns false, without a call, if there was no root.
 */
bool weft_dag_make_nodes(struct weft_dag_maker *maker,
                         void (*visit)(void *user, const struct weft_dag_node *node),
                         void *user);
/*
 * Returns the orders between the nodes that weft_dag_make_nodes() has passed, *N of them,
 * by rising `after`, then `before`.  Called after it; the array is the maker's, and NULL if
 * there never were any.
 */
const struct weft_dag_order *weft_dag_make_orders(const struct weft_dag_maker *maker,
                                                  size_t *n);

#endif
