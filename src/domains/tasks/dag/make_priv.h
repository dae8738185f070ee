/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the maker: make.c handles the points, make_sum.c sums up what has ended,
 * make_count_contracted_tasks.c counts the tasks of contracted nodes,
 * make_number_and_pass_nodes.c numbers the nodes.
 */
#ifndef WEFT_DAG_MAKE_PRIV_H
#define WEFT_DAG_MAKE_PRIV_H

#include "base/hash_map.h"
#include "domains/tasks/dag/make.h"

/* A node of a DAG that is being made; the maker owns it and numbers it by index, which is
   not its number in the finished DAG.  Times are ticks. */
struct make_node {
    int64_t begin, end, first_ready;
    uint32_t next;   /* sibling, or WEFT_NONE; of a free node: the next in the free list */
    uint32_t parent; /* section or task around it; for a task its create */
    uint32_t inside; /* task of a create; first child of a section or task; or WEFT_NONE */
    uint32_t sum;    /* of a section or task: index in the maker's sums; else WEFT_NONE */
    uint32_t begin_site, end_site; /* or WEFT_NONE */
    int32_t worker, cpu;           /* -1: several, or unknown */
    int64_t waiting;               /* as in struct weft_dag_node; of a leaf */
    int64_t gap; /* of a create: ticks until its worker ran an interval that follows it in
                    the DAG, or MAKE_NO_GAP */
    uint8_t kind, in_edge; /* enum weft_dag_kind, enum weft_dag_edge */
    uint32_t orders; /* of a task or leaf: its first struct make_order, or WEFT_NONE */
};

/* An order: a task that must have ended before a node begins; an element of a list that
   belongs to that node. */
struct make_order {
    /* In the first of a list: ticks for which the node is held up by the tasks of the list
       on unlimited workers. */
    int64_t held;
    uint32_t before; /* the task's node */
    uint32_t next;   /* in the list, or in the list of free ones; or WEFT_NONE */
    uint8_t kind;    /* enum weft_dag_order_kind */
};

/* make_node.gap: the worker ran no interval that follows the create. */
#define MAKE_NO_GAP INT64_MAX

/*
 * Performance counters of a section or task: of everything inside, and on the paths that
 * `span` and `tail` of its struct make_sum measure.
 */
struct make_counts {
    int64_t all[WEFT_DAG_COUNTERS], span[WEFT_DAG_COUNTERS], tail[WEFT_DAG_COUNTERS];
    int64_t finish[WEFT_DAG_COUNTERS]; /* on the path to make_sum.finish */
};

/* Performance counters of a leaf: what each counted within it. */
struct make_counters {
    int64_t of[WEFT_DAG_COUNTERS];
};

/* The figures of a section or task that struct make_node has no room for; times and work in
   ticks. */
struct make_sum {
    int64_t last_start, work, waiting;
    int64_t span; /* critical path to the node that follows it */
    int64_t tail; /* longest path to the end of a task inside that no wait has joined */
    /* The span, with what orders from outside hold up, as the latest pass of make_paths()
       through it found. */
    int64_t transit;
    int64_t ready[WEFT_DAG_EDGES];
    uint64_t leaves[WEFT_DAG_LEAF_KINDS], edges[WEFT_DAG_EDGES];
    uint64_t materialized, least;
    uint64_t creates; /* children that are creates */
    uint64_t ends;    /* edges from ends of tasks inside to the node that follows it */
    uint64_t carried; /* tasks inside that no wait has joined */
    int64_t own_end;  /* task: end of its last leaf */
    int64_t own_work; /* without the tasks created inside */
    int64_t create_delay;
    /* Section: the last end of its own tasks, and of all sections and tasks inside that are
       summed up; INT64_MIN: none has ended. */
    int64_t latest, latest_inside;
    uint32_t last;        /* its last child */
    uint32_t n;           /* number of children */
    uint32_t unsummed;    /* sections and tasks inside that are not summed up yet */
    int32_t first_worker; /* worker of its first leaf */
    /* Section: its first create after its last child that is a section not opened by
       weft_dag_make_section, and the child before that create; or WEFT_NONE. */
    uint32_t run, before_run;
    uint32_t stamp; /* task: not that of another task; 0 if free */
    /* Task: ticks to its end on unlimited workers, in the latest pass of make_paths(). */
    int64_t finish;
    uint64_t pass; /* task: the number of that pass */
    bool asked;    /* section: opened by weft_dag_make_section */
    bool crossed;  /* section: an order leads from inside to outside, or back */
    bool closed;   /* no child is added any more */
    bool waits;    /* section: its last child is a wait ... */
    bool deep;     /* ... that joins all tasks inside, not only its own */
    bool over;     /* its figures are complete */
};

/* The state of a task, in the order of the constants: created but not started; running;
   between weft_dag_make_create() and _created(); between _wait() and _waited(); between
   _other() and _other_done(). */
enum make_phase { MAKE_NEW, MAKE_RUNNING, MAKE_CREATING, MAKE_WAITING, MAKE_OTHER };

/* A task that has not ended, or a free slot for one.  Nodes are indices in the maker's. */
struct make_task {
    uint32_t node;      /* its node; WEFT_NONE if this slot is free */
    uint32_t section;   /* innermost open section, or WEFT_NONE */
    uint32_t asked;     /* calls of weft_dag_make_section whose section is not open yet */
    uint32_t waited;    /* section that the task's latest wait closed */
    uint32_t create;    /* its latest create */
    uint32_t next_free; /* of a free slot: the next in the free list */
    uint32_t orders; /* of its next interval: the first struct make_order, or WEFT_NONE */
    enum make_phase phase;
    /* The running interval, or the next one. */
    enum weft_dag_edge in_edge;
    int64_t first_ready, waiting;
    struct weft_dag_place begin;
};

/* A task DAG that is being made; weft_dag_maker_new() makes it, weft_dag_maker_free() frees
   it. */
struct weft_dag_maker {
    struct weft_dag_contraction contraction;
    struct make_node *nodes; /* [n_nodes], free ones included */
    struct make_sum *sums;   /* [n_sums], likewise; make_node.sum is an index */
    struct make_task *tasks; /* [n_tasks], likewise, by the callers' task numbers */
    size_t n_nodes, nodes_capacity, n_sums, sums_capacity, n_tasks, tasks_capacity;
    uint32_t free_node, free_sum, free_task; /* heads of free lists, or WEFT_NONE */
    uint64_t used;                           /* nodes that are not free */
    uint32_t root;   /* node, or WEFT_NONE: of the first program, then around all */
    uint32_t *roots; /* [n_roots] nodes: of each program */
    size_t n_roots, roots_capacity;
    /* Counters, by index of the node or sum; NULL if nothing is counted. */
    bool counts;
    struct make_counters *node_counters;
    struct make_counts *sum_counts;
    size_t node_counters_capacity, sum_counts_capacity;
    uint32_t *stack; /* nodes, for make_push() */
    size_t stack_capacity;
    struct make_frame *frames; /* of make_paths() */
    size_t frames_capacity;
    uint64_t pass;             /* number of its latest pass */
    uint32_t stamp;            /* latest that was given */
    struct make_order *orders; /* [n_orders], free ones included */
    size_t n_orders, orders_capacity;
    uint32_t free_order;
    struct weft_dag_order *given_orders; /* [n_given]: of the numbered nodes */
    size_t n_given, given_capacity;
    /* Tasks whose creates were dropped by contraction, by place and size class; the map is
       from both to the index. */
    struct weft_dag_tasks *forgotten;
    size_t n_forgotten, forgotten_capacity;
    struct weft_id_map forgotten_index;
};

/* Pushes NODE on maker->stack, which has *N nodes, and adds 1 to *N. */
static inline void make_push(struct weft_dag_maker *maker, size_t *n, uint32_t node)
{
    maker->stack =
        weft_grow(maker->stack, &maker->stack_capacity, *n + 1, sizeof *maker->stack);
    maker->stack[(*n)++] = node;
}

/* Returns the figures of the section or task with index NODE; the maker owns them, and the
   pointer is valid until a node is made. */
static inline struct make_sum *make_sum_of(const struct weft_dag_maker *maker,
                                           uint32_t node)
{
    return &maker->sums[maker->nodes[node].sum];
}

/* Returns true if NODE is a leaf, that is, neither a section nor a task. */
static inline bool make_is_leaf(const struct make_node *node)
{
    return node->kind < WEFT_DAG_LEAF_KINDS;
}

/* Returns the work of a leaf, in ticks: its time but for `waiting`. */
static inline int64_t make_work_of(const struct make_node *leaf)
{
    return leaf->end - leaf->begin - leaf->waiting;
}

/* Returns the index of the section in which the task with index NODE was created; WEFT_NONE
   for the root. */
static inline uint32_t make_section_of_task(const struct weft_dag_maker *maker,
                                            uint32_t node)
{
    uint32_t create = maker->nodes[node].parent;

    return create == WEFT_NONE ? WEFT_NONE : maker->nodes[create].parent;
}

/*
 * Counts the task of CREATE, which is about to be dropped by contraction, in
 * maker->forgotten (make_count_contracted_tasks.c).  The task's sum must be complete.
 */
void make_count_forgotten(struct weft_dag_maker *maker, const struct make_node *create);
/* Puts the node with index NODE, its figures if it is a section or task, and its list of
   orders into the free lists; nodes inside it stay. */
void make_free_node(struct weft_dag_maker *maker, uint32_t node);
/* Called when the section or task with index NODE was closed, or one inside it ended: sums
   up NODE and the sections and tasks around it, as far as all inside them has ended, and
   contracts them by maker->contraction. */
void make_settle(struct weft_dag_maker *maker, uint32_t node);

/*
 * Sets span, tail and transit (longest paths, struct make_sum) of the section or task with
 * index NODE, in which all has ended and is summed up; sets `transit` of the sections in it
 * that orders cross (make_longest_paths.c).
 */
void make_paths(struct weft_dag_maker *maker, uint32_t node);
/* Moves the list of orders (tasks that must have ended before) of TASK's interval to the
   leaf with index LEAF, which that interval has become, and marks the sections that they
   lead into or out of as crossed (make_orders_between_tasks.c). */
void make_orders_attach(struct weft_dag_maker *maker, struct make_task *task,
                        uint32_t leaf);
/*
 * Marks SECTION as crossed if an order of a task or leaf in it leads into it from outside:
 * if a task outside must have ended before.  Called when children have been moved into it,
 * before any order leads out of it.
 */
void make_orders_cross(struct weft_dag_maker *maker, uint32_t section);
/* Frees the list of orders (struct make_order) that begins with the one with index FIRST,
   which may be WEFT_NONE. */
void make_orders_free(struct weft_dag_maker *maker, uint32_t first);
/* Sets maker->given_orders and n_given, sorted and without duplicates, for
   weft_dag_make_orders().  NUMBERS has the number in the DAG of each node, by index;
   WEFT_NONE for one that was not passed on, whose orders are left out. */
void make_orders_give(struct weft_dag_maker *maker, const uint32_t *numbers);
/* Returns the latest end, in ticks, of a task in the list of orders that begins with index
   FIRST, but for exclusions; INT64_MIN if none has ended. */
int64_t make_orders_end(const struct weft_dag_maker *maker, uint32_t first);

#endif
