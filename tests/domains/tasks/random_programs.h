/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs with tasks, run by random workers: what the maker is told, and beside it the
 * flat DAG that this was: intervals, and the edges into each.
 */
#ifndef WEFT_TESTS_RANDOM_PROGRAMS_H
#define WEFT_TESTS_RANDOM_PROGRAMS_H

#include "domains/tasks/dag/make.h"

enum point_kind {
    POINT_ROOT,
    POINT_CREATE,
    POINT_CREATED,
    POINT_ORDER, /* child: the task that has ended before */
    POINT_START,
    POINT_SECTION,
    POINT_WAIT,
    POINT_WAITED,
    POINT_OTHER,
    POINT_OTHER_DONE,
    POINT_WAITING, /* ticks: how long the interval waited for locks */
    POINT_END,
};

struct point {
    enum point_kind what;
    uint32_t task, child; /* by number in the program */
    enum weft_dag_wait wait;
    int64_t ready, ticks;
    int64_t waited; /* by the worker for locks, so far: it counts nothing then */
    struct weft_dag_place
        place; /* its site: the number of the leaf that begins or ends there */
};

enum { ORDER_EDGE = WEFT_DAG_EDGES };

struct edge {
    uint32_t from, to;       /* leaves: from < to */
    enum weft_dag_edge kind; /* ORDER_EDGE: of an order */
    uint32_t wait;           /* END, WAIT_CONTINUATION: the leaf of the wait that made it */
    /* ORDER_EDGE: the leaves that created the two tasks; or `to`, when that is no task. */
    uint32_t from_create, to_create;
};

struct leaf {
    enum weft_dag_kind kind;
    enum weft_dag_edge in_edge;
    int64_t begin, end, ready, waiting;
    int32_t worker, cpu;
    size_t first_edge, n_edges; /* into it */
};

struct program_task {
    uint32_t create;    /* the leaf that created it; of the root: WEFT_NONE */
    uint32_t joined_by; /* the leaf of the wait that joined it, or WEFT_NONE */
};

struct program {
    struct point *points;
    size_t n_points, points_capacity;
    struct leaf *leaves;
    size_t n_leaves, leaves_capacity;
    struct edge *edges;
    size_t n_edges, edges_capacity;
    struct program_task *tasks;
    size_t n_tasks, tasks_capacity;
};

/* SEED decides about the number of workers and tasks, and the words that the program uses. */
struct program random_program(uint32_t seed);
/* Exchange points of different tasks that do not depend on one another. */
void random_order(struct program *program, uint32_t seed);
/* Tell the maker all points. */
void program_replay(const struct program *program, struct weft_dag_maker *maker);
void random_program_free(struct program *program);

#endif
