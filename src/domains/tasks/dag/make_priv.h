/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the maker share: make.c takes the points, make_sum.c sums up what is over,
 * make_tasks.c counts the tasks that are contracted, make_nodes.c numbers the nodes. */
#ifndef WEFT_DAG_MAKE_PRIV_H
#define WEFT_DAG_MAKE_PRIV_H

#include "base/map.h"
#include "domains/tasks/dag/make.h"

struct make_node {
    int64_t begin, end, first_ready;
    uint32_t next;   /* sibling, or WEFT_NONE */
    uint32_t parent; /* section or task that it is in; of a task: the create */
    uint32_t inside; /* of a create: the task; of a section or task: its first child */
    uint32_t sum;    /* of a section or task: index of its figures; else WEFT_NONE */
    uint32_t begin_site, end_site;
    int32_t worker, cpu;
    int64_t gap; /* of a create: until its worker went on, or MAKE_NO_GAP */
    uint8_t kind, in_edge;
};

#define MAKE_NO_GAP INT64_MAX

/* What was counted in a section or task: in all, and on the ways that `span` and `tail` are of. */
struct make_counts {
    int64_t all[WEFT_DAG_COUNTERS], span[WEFT_DAG_COUNTERS], tail[WEFT_DAG_COUNTERS];
};

/* What was counted in a leaf. */
struct make_counters {
    int64_t of[WEFT_DAG_COUNTERS];
};

/* A section or task. */
struct make_sum {
    int64_t last_start, work;
    int64_t span; /* critical path to what follows it */
    int64_t tail; /* and to the last end of those tasks inside that nothing has joined */
    int64_t ready[WEFT_DAG_EDGES];
    uint64_t leaves[WEFT_DAG_LEAF_KINDS], edges[WEFT_DAG_EDGES];
    uint64_t materialized, least;
    uint64_t creates; /* direct ones */
    uint64_t ends;    /* edges from ends of tasks to what follows it */
    uint64_t carried; /* tasks inside that nothing has joined */
    int64_t own_end;  /* task: of its last leaf */
    int64_t own_work; /* without that of the tasks created inside */
    int64_t create_delay;
    /* Section: when the last of its tasks ended, and the last of all inside. */
    int64_t latest, latest_inside;
    uint32_t last;        /* child */
    uint32_t n;           /* children */
    uint32_t unsummed;    /* sections and tasks inside that are not summed up yet */
    int32_t first_worker; /* of its first leaf */
    /* Section: children behind its last section that nobody asked for, from a create on. */
    uint32_t run, before_run;
    bool asked;  /* section: somebody asked for it */
    bool closed; /* nothing is added any more */
    bool waits;  /* section: its last child is a wait ... */
    bool deep;   /* ... that joins all that is inside */
    bool over;   /* summed up */
};

enum make_phase { MAKE_NEW, MAKE_RUNNING, MAKE_CREATING, MAKE_WAITING, MAKE_OTHER };

/* A task that has not ended. */
struct make_task {
    uint32_t node;    /* or WEFT_NONE: the place is free, and next_free the next one */
    uint32_t section; /* innermost that is open, or WEFT_NONE */
    uint32_t asked;   /* sections that were asked for and are not there yet */
    uint32_t waited;  /* section that the latest wait closed */
    uint32_t create;  /* its latest one */
    uint32_t next_free;
    enum make_phase phase;
    /* The interval that is running, or that comes next. */
    enum weft_dag_edge in_edge;
    int64_t first_ready;
    struct weft_dag_place begin;
};

struct weft_dag_maker {
    struct weft_dag_contraction contraction;
    struct make_node *nodes;
    struct make_sum *sums;
    struct make_task *tasks;
    size_t n_nodes, nodes_capacity, n_sums, sums_capacity, n_tasks, tasks_capacity;
    uint32_t free_node, free_sum, free_task; /* lists, or WEFT_NONE */
    uint64_t used;                           /* nodes */
    uint32_t root;                           /* node, or WEFT_NONE */
    /* Of nodes and of sums, by their index, when something is counted; else NULL. */
    bool counts;
    struct make_counters *node_counters;
    struct make_counts *sum_counts;
    size_t node_counters_capacity, sum_counts_capacity;
    uint32_t *stack; /* for walks */
    size_t stack_capacity;
    /* Tasks whose creates are forgotten, by place and size: their index by both. */
    struct weft_dag_tasks *forgotten;
    size_t n_forgotten, forgotten_capacity;
    struct weft_id_map forgotten_index;
};

static inline struct make_sum *make_sum_of(const struct weft_dag_maker *maker,
                                           uint32_t node)
{
    return &maker->sums[maker->nodes[node].sum];
}

static inline bool make_is_leaf(const struct make_node *node)
{
    return node->kind < WEFT_DAG_LEAF_KINDS;
}

/* The section that the task NODE was created in, or WEFT_NONE: the root. */
static inline uint32_t make_section_of_task(const struct weft_dag_maker *maker,
                                            uint32_t node)
{
    uint32_t create = maker->nodes[node].parent;

    return create == WEFT_NONE ? WEFT_NONE : maker->nodes[create].parent;
}

/*
 * The task of a create that is about to be forgotten is counted among those that are
 * (make_tasks.c).
 */
void make_count_forgotten(struct weft_dag_maker *maker, const struct make_node *create);
/* Of nodes that are forgotten. */
void make_free_node(struct weft_dag_maker *maker, uint32_t node);
/* A section or task is closed, or something inside of it is over: sum up what can be. */
void make_settle(struct weft_dag_maker *maker, uint32_t node);

#endif
