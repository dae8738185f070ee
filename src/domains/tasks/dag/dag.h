/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task DAGs: the run of a task-parallel program as a hierarchical graph, after DAG Recorder
 * (A. Huynh, "DAGViz: A DAG Visualization Tool for Analyzing Task Parallel Programs",
 * master's thesis, The University of Tokyo, 2015; section 1.2, figure 1.7).
 *
 * Nodes are numbered from 0, the root task.  A leaf is an interval that ran on one worker;
 * its kind says what ended it: the task created a task, waited for tasks, ended, or did
 * something else that may move it to another worker.  A section holds creates, others and
 * sections, in the order in which they ran, and last the wait that joins the tasks they
 * created; a task holds sections and others, and last its end.  The children of a section
 * or task have consecutive numbers, higher than its own.  The task that a create made has a
 * higher number than the create, and the create as its parent.  A section or task without
 * children is contracted, by the recorder or because its details are lost: it takes the
 * place of a leaf.
 *
 * Edges follow from the structure and are not stored (weft_dag_successors): from a child to
 * the next one of the same section or task (from the last child of a section without a wait
 * to the node after the section); from a create to the first node of its task; and from the
 * last node of a task to the node after the wait that joined it.  That wait is the one of
 * the section with the task's create; if this has none, the innermost wait around it that
 * joins all, if any.
 *
 * Times are ticks of the trace.  The figures of a section or task include everything inside
 * it, contracted or not, and those of a section also the tasks that its creates made.
 *
 * Files may be damaged or hostile, so the functions below check what they read.  A caller
 * may rely on this: a parent's number is lower than its child's; children, and the task
 * that a create made, exist and have the node as their parent; times are within
 * WEFT_TIME_LIMIT, and end >= begin; ticks and counts are at least 0 and below 2^62 (add
 * them with weft_ticks_add, store/time.h).  A node in a damaged part of the file, or whose
 * structure contradicts this, reads as a leaf of kind CREATE with 0 everywhere.  A section
 * or task of which only the figures are damaged keeps its place, times and children; it
 * counts as lost, too.
 */
#ifndef WEFT_DAG_DAG_H
#define WEFT_DAG_DAG_H

#include "store/source.h"

/*
 * Kinds of nodes, numbered as in DAG Recorder's files; those below WEFT_DAG_LEAF_KINDS are
 * leaves, named after what ended them.
 */
enum weft_dag_kind {
    WEFT_DAG_CREATE,
    WEFT_DAG_WAIT,
    WEFT_DAG_OTHER,
    WEFT_DAG_END,
    WEFT_DAG_SECTION,
    WEFT_DAG_TASK,
    WEFT_DAG_KINDS,
    WEFT_DAG_LEAF_KINDS = WEFT_DAG_SECTION,
};

/* Kinds of edges of a task DAG.  A node is "ready behind" an edge of the kind that made it
   ready. */
enum weft_dag_edge {
    WEFT_DAG_EDGE_END,                 /* a task's end to the node after the wait for it */
    WEFT_DAG_EDGE_CREATE,              /* a create to the first node of its task */
    WEFT_DAG_EDGE_CREATE_CONTINUATION, /* a create to the next node of its own task */
    WEFT_DAG_EDGE_WAIT_CONTINUATION,   /* a wait to the next node of its own task */
    WEFT_DAG_EDGE_OTHER_CONTINUATION,  /* an "other" to the next node of its own task */
    WEFT_DAG_EDGES,                    /* their number */
};

/*
 * The reason of an order (struct weft_dag_order): why a node could not begin before a task
 * had ended, though no wait joins that task.  Orders are stored, since they do not follow
 * from the structure.
 */
enum weft_dag_order_kind {
    WEFT_DAG_ORDER_DEPENDENCE, /* a dependence, as of OpenMP's clause `depend` */
    /* The two exclude each other: the order is that of their creation, though they may have
       run in another. */
    WEFT_DAG_ORDER_EXCLUSION,
    WEFT_DAG_ORDER_INCLUDED, /* the creator waited while its new task ran */
    WEFT_DAG_ORDER_KINDS,
};

/* The node `after` did not begin before the task `before` had ended.  Both are inside one
   task; `after` is a task or a leaf. */
struct weft_dag_order {
    uint32_t before, after; /* nodes */
    enum weft_dag_order_kind kind;
};

enum { WEFT_DAG_COUNTERS = 4 }; /* performance counters of a node, at most */

/*
 * A node of a task DAG: a leaf (an interval that ran on one worker), a section (a part of a
 * task up to a wait) or a task (the thesis on DAGViz, section 1.2).  A copy that
 * weft_dag_node() fills in; it owns nothing.  Times are ticks of the trace.
 */
struct weft_dag_node {
    enum weft_dag_kind kind;
    enum weft_dag_edge in_edge; /* kind of edge that made the node ready */
    uint32_t parent;            /* for a task its create; WEFT_NONE for the root */
    /* Its children: the nodes from FIRST to FIRST + N - 1.  WEFT_NONE and 0 for a leaf, and
       for a section or task that is contracted. */
    uint32_t first, n;
    uint32_t created; /* the task that a create made, or WEFT_NONE */
    /*
     * For a wait: it joins all tasks inside its section that no wait has joined yet, not
     * only those of the section's own creates (the end of a task group, a barrier).
     */
    bool joins_all;
    int32_t worker, cpu; /* -1 if several, or unknown */
    /* Places in the program (store/schema.h), or WEFT_NONE. */
    uint32_t begin_site, end_site;
    int64_t begin, end;
    int64_t first_ready; /* when the first of its leaves became ready */
    int64_t last_start;  /* when the last of its leaves started */
    /* Ticks from the root's begin to this node's, if there were unlimited workers. */
    int64_t earliest;
    int64_t work; /* of all leaves inside (t_1), in ticks: without `waiting` */
    /* Ticks within its leaves in which the task's thread waited for a lock, a critical
       section or its turn in an ordered one. */
    int64_t waiting;
    int64_t critical_path; /* most work on a path through it (t_inf), in ticks */
    /* Ticks that leaves were ready and not running, by the edge that made them ready. */
    int64_t ready[WEFT_DAG_EDGES];
    /* Leaves and edges inside, by kind, those that contraction dropped included. */
    uint64_t leaves[WEFT_DAG_LEAF_KINDS];
    uint64_t edges[WEFT_DAG_EDGES];
    uint64_t materialized; /* nodes in the DAG, itself and all inside; 0: it is damaged */
    uint64_t least;        /* nodes left if all that ran on one worker were contracted */
    uint64_t creates;      /* direct children that are creates */
    /*
     * For a contracted node: true if the trace has the next two fields.  `own_work`
     * excludes the tasks whose creates are inside; `create_delay` is the delay of these
     * creates as in analyse/dag_time_breakdown.h.
     */
    bool knows_inside;
    int64_t own_work, create_delay;
    /*
     * Performance counters (cycles, misses ...), by the COUNTER of weft_dag_counter_name():
     * of all leaves, and on the critical path; 0 if not counted.
     */
    int64_t counters[WEFT_DAG_COUNTERS], critical_counters[WEFT_DAG_COUNTERS];
};

/* The task DAG of a trace: weft_dag_open() makes it, weft_dag_close() frees it.  Safe to
   read from any number of threads. */
struct weft_dag;

/* Returns true if the trace SOURCE has a task DAG.  O(1). */
bool weft_dag_fills(const struct weft_source *source);
/*
 * Opens the DAG of the trace SOURCE, without reading nodes; takes a bit of memory for each.
 * The caller closes it with weft_dag_close() before SOURCE.  NULL with WEFT_ERR_FORMAT if
 * the trace has no DAG, or one of 2^32 - 1 or more nodes.
 */
struct weft_dag *weft_dag_open(const struct weft_source *source,
                               struct weft_err *err) WEFT_MUST_CHECK;
/* Frees a DAG, before its source is closed; NULL is fine. */
void weft_dag_close(struct weft_dag *dag);

uint32_t weft_dag_size(const struct weft_dag *dag); /* nodes, at least 1 */
/* Returns how many nodes are missing because a node around them was contracted (its inside
   dropped); missing sections without a wait are not counted.  0 if the root is damaged.
   O(1). */
uint64_t weft_dag_contracted(const struct weft_dag *dag);
/*
 * Tasks of one size class that were created at one place in the program and have no node,
 * since a node around them was contracted.  Their work excludes the tasks that they
 * created.
 */
struct weft_dag_tasks {
    uint32_t site;  /* of their creates, or WEFT_NONE */
    uint64_t count; /* number of tasks */
    /* Tasks that began on another worker than their creator's; without those that had to
       wait for a dependence first. */
    uint64_t stolen;
    int64_t work;              /* total, in ticks */
    int64_t smallest, largest; /* least and most work of one task, in ticks */
};
/*
 * Returns the number of rows of the table of tasks inside contracted nodes (those with
 * weft_dag_node.knows_inside), which weft_dag_tasks_row() reads: one for each place and
 * size class (of work; bounds are 1, 2 and 5 times powers of ten ticks).  It depends on the
 * program, not on the length of the run.  O(1).
 */
uint64_t weft_dag_tasks_rows(const struct weft_dag *dag);
/* Reads row ROW of the table of tasks inside contracted nodes into *OUT; ROW is below
   weft_dag_tasks_rows().  A row in a damaged part of the file has a count of 0. */
void weft_dag_tasks_row(const struct weft_dag *dag, uint64_t row,
                        struct weft_dag_tasks *out);
/*
 * Returns the number of orders of the DAG (struct weft_dag_order: a node could not begin
 * before a task had ended that no wait joins).  Where contraction dropped the nodes of
 * tasks, their orders are gone, too, but the figures of the node around them count them.
 * O(1).
 */
uint64_t weft_dag_orders(const struct weft_dag *dag);
/* Reads order ROW, below weft_dag_orders(), into *OUT; the rows are in order of `after`,
   then `before`.  Returns false if it is damaged; *OUT is then not to be used. */
bool weft_dag_order(const struct weft_dag *dag, uint64_t row, struct weft_dag_order *out);
/*
 * Reads order ROW, below weft_dag_orders(), like weft_dag_order(), but the rows are in
 * order of `before`, then `after`.  Returns false if it is damaged.
 */
bool weft_dag_order_by_before(const struct weft_dag *dag, uint64_t row,
                              struct weft_dag_order *out);
/* Returns the first row, for weft_dag_order(), whose `after` is NODE or a higher number;
   weft_dag_orders() if there is none.  O(log orders). */
uint64_t weft_dag_orders_into(const struct weft_dag *dag, uint32_t node);
/* Returns the first row, for weft_dag_order_by_before(), whose `before` is NODE or a higher
   number; weft_dag_orders() if there is none.  O(log orders). */
uint64_t weft_dag_orders_from(const struct weft_dag *dag, uint32_t node);

/* Returns the number of workers, at least 1; their numbers may have gaps. */
uint32_t weft_dag_workers(const struct weft_dag *dag);
/* Returns the highest worker number plus one, at least 1: the length of arrays by
   worker. */
uint32_t weft_dag_worker_limit(const struct weft_dag *dag);
/* Reads all fields of the node NODE, below weft_dag_size() (else it aborts), into *OUT;
   O(1).  In a damaged part of the file it reads as a leaf of kind CREATE with figures of 0,
   worker and CPU -1, and no sites, which weft_dag_is_lost() tells from a good node. */
void weft_dag_node(const struct weft_dag *dag, uint32_t node, struct weft_dag_node *out);
/* Returns true if a node that weft_dag_node() has read is in a damaged part of the file, or
   its figures are; a good node has materialized >= 1. */
static inline bool weft_dag_is_lost(const struct weft_dag_node *node)
{
    return node->materialized == 0;
}
/* Reads the structure of the node NODE, below weft_dag_size(): sets only kind, parent,
   first, n, created and joins_all of *OUT.  Cheaper than weft_dag_node(). */
void weft_dag_shape(const struct weft_dag *dag, uint32_t node, struct weft_dag_node *out);
/*
 * Reads the structure of the node NODE like weft_dag_shape(), but does not check that the
 * children of a section or task name it as their parent.  (If they do not,
 * weft_dag_shape() reads it as a CREATE without children.)  For a caller that looks at many
 * nodes and enters few: it must call weft_dag_shape() before it reads a node's children.
 */
void weft_dag_glance(const struct weft_dag *dag, uint32_t node, struct weft_dag_node *out);
/* Returns the container (thread), an index in the schema's containers, of the worker with
   the number WORKER; WEFT_NONE if no worker has it. */
uint32_t weft_dag_worker_container(const struct weft_dag *dag, uint32_t worker);

/* Key of a note (key and text) of the trace: the names of the performance counters, in
   their order, separated by commas; an empty name for one that could not be counted. */
#define WEFT_DAG_NOTE_COUNTED "counted"
/* Key of a note (key and text) of the trace: the name of the tasking runtime. */
#define WEFT_DAG_NOTE_RUNTIME "runtime"
/*
 * Key of a note of the trace, which exists if the recorder does not know for some creations
 * when they ended (OpenMP runtimes do not tell).  The time of such a creation counts as
 * work of the task's next interval, which seems to begin with the creation.
 */
#define WEFT_DAG_NOTE_CREATIONS "creations"
/* Key of a note of the trace, which exists if the run had parallel regions and no tasks of
   its own: then the only tasks of the DAG are those of the regions' threads. */
#define WEFT_DAG_NOTE_REGIONS "only regions"
/* Key of a note (key and text) of the trace: the names of the programs whose tasks the DAG
   has, separated by commas. */
#define WEFT_DAG_NOTE_PROGRAMS "tasks of"
/* Key of a note of the trace, which exists if several programs made tasks: then the root is
   a task around them, which created the root task of each, and ran nothing. */
#define WEFT_DAG_NOTE_SEVERAL "several programs"
/* Returns true if several programs of the trace made tasks: the DAG's root is then a task
   around their root tasks. */
bool weft_dag_has_several(const struct weft_dag *dag);
/* Returns true if TASK, a task below weft_dag_size(), is the root task of a program. */
bool weft_dag_is_program(const struct weft_dag *dag, uint32_t task);
/* Returns true if the trace SOURCE has a task DAG, unless it notes that the program made no
   tasks of its own but those of parallel regions (WEFT_DAG_NOTE_REGIONS). */
bool weft_dag_has_tasks(const struct weft_source *source);
/* Returns false if the trace does not say for all creations of tasks when they ended: it
   has the note WEFT_DAG_NOTE_CREATIONS, or its table of notes is damaged. */
bool weft_dag_knows_creations(const struct weft_dag *dag);
/*
 * Writes the name of performance counter COUNTER (0 to WEFT_DAG_COUNTERS - 1) to NAME, cut
 * to LENGTH bytes with the NUL.  Returns false if it was not counted; NAME is then not to
 * be used.  If the trace names no counters, those that are not 0 in the root count, and are
 * called "counter 1" and so on.
 */
bool weft_dag_counter_name(const struct weft_dag *dag, int counter, char *name,
                           size_t length);

/* Returns the first leaf, or contracted node (one without its children), inside the
   section or task NODE; NODE itself if it has no children.  O(nesting depth there), no
   recursion. */
uint32_t weft_dag_first(const struct weft_dag *dag, uint32_t node);
/* Returns the last leaf, or contracted node (one without its children), inside the section
   or task NODE, created tasks left out; NODE itself if it has no children.  O(nesting depth
   there), no recursion. */
uint32_t weft_dag_last(const struct weft_dag *dag, uint32_t node);

/* An edge that leaves a node: where it leads to, and its kind. */
struct weft_dag_arc {
    uint32_t to; /* a leaf or contracted node */
    enum weft_dag_edge kind;
};
enum { WEFT_DAG_ARCS = 2 }; /* edges that leave a node, at most */
/*
 * Writes the edges that leave NODE, a leaf or contracted node (a section or task without
 * its children), to OUT and returns their number, at most two.  0 for a section or task
 * with children: ask for its weft_dag_last().  O(nesting depth).
 */
size_t weft_dag_successors(const struct weft_dag *dag, uint32_t node,
                           struct weft_dag_arc out[WEFT_DAG_ARCS]);

/*
 * A cache of the waits that join tasks, for a caller that asks for the successors of many
 * nodes: all nodes together then cost O(nodes), however deeply tasks without a wait are
 * nested.  Several threads may share it.
 */
struct weft_dag_joins;
/* Returns an empty cache of the waits that join tasks, for one DAG; the caller frees it
   with weft_dag_joins_free().  Never NULL. */
struct weft_dag_joins *weft_dag_joins_new(void);
/* Frees a cache of the waits that join tasks; NULL is fine. */
void weft_dag_joins_free(struct weft_dag_joins *joins);
/* Returns NODE if it is a task, else the innermost task around it; WEFT_NONE if there is
   none, as in a damaged DAG.  JOINS caches results for further calls on this DAG; it may be
   NULL. */
uint32_t weft_dag_task_of(const struct weft_dag *dag, uint32_t node,
                          struct weft_dag_joins *joins);
/* Writes the edges that leave NODE, a leaf or contracted node, to OUT and returns their
   number, like weft_dag_successors(), but keeps the waits that it finds in JOINS, so that
   all nodes together cost O(nodes). */
size_t weft_dag_successors_of_many(const struct weft_dag *dag, uint32_t node,
                                   struct weft_dag_joins *joins,
                                   struct weft_dag_arc out[WEFT_DAG_ARCS]);

/*
 * Writes the edges that leave NODE to OUT and returns their number, like
 * weft_dag_successors(), in the DAG in which each section or task with children for which
 * IS_OPEN(USER, node) returns false is closed: it counts as a leaf.  NODE must be a leaf,
 * contracted or closed, and everything around it open.  O(nesting depth).
 */
size_t weft_dag_successors_of_closed(const struct weft_dag *dag, uint32_t node,
                                     bool (*is_open)(void *user, uint32_t node), void *user,
                                     struct weft_dag_arc out[WEFT_DAG_ARCS]);

/* Returns the entity id of the state that NODE is on its worker's track: a leaf or
   contracted node that ran on one worker is one.  WEFT_NO_ID if the node has no state.
   O(log n). */
uint64_t weft_dag_state(const struct weft_dag *dag, uint32_t node);
/* Returns the node that the state with the entity id ID, on a worker's track, shows;
   WEFT_NONE if ID is no such state.  O(log n). */
uint32_t weft_dag_node_of(const struct weft_dag *dag, uint64_t id);
/*
 * Writes to OUT[N] the nodes that N consecutive states of TRACK, a worker's track, show;
 * FIRST is the number of the first of these states on the track, from 0.  WEFT_NONE for a
 * state without a node.  Some ns a state.
 */
void weft_dag_nodes_of(const struct weft_dag *dag, uint32_t track, uint64_t first, size_t n,
                       uint32_t *out);
/*
 * Returns the track of the trace's variable with the number of running nodes; WEFT_NONE if
 * there is no such track.  A node that is contracted or waited inside counts as work /
 * (end - begin) from begin to end.
 */
uint32_t weft_dag_running(const struct weft_dag *dag);
/*
 * Returns the track of the trace's variable with the number of nodes that an edge of KIND
 * made ready and that have not begun; WEFT_NONE if there is no such track.  A contracted
 * node counts as ready[kind] / (last_start - first_ready) from first_ready to last_start.
 */
uint32_t weft_dag_ready(const struct weft_dag *dag, enum weft_dag_edge kind);

/* Returns the track of the trace's variable with the number of workers in a wait for tasks
   (weft_dag_writer_add_wait()) that run no node; WEFT_NONE if there is no such track. */
uint32_t weft_dag_waiting(const struct weft_dag *dag);

/*
 * How the time of all workers is divided, in ticks, from the first moment at which a node
 * was ready to the last end; the four add up to workers * elapsed.  Waiting: for locks,
 * within nodes, and for tasks that other workers ran, without a node.  Delay: workers that
 * ran no node while there was a ready one for each of them; no_work: the other workers that
 * ran none.  Like in DAG Recorder, a contracted node
 * is ready from first_ready to last_start and runs from begin to end; its time in between
 * is delay, unless it worked or waited.
 */
struct weft_dag_shares {
    int64_t work, waiting, delay, no_work;
    int64_t task_waits; /* the part of `waiting` that is for tasks */
};
/*
 * Sets *OUT to how the workers' time is divided over the whole run, as the trace stores it.
 * Returns false if the trace does not have it; *OUT is then not to be used.  O(containers).
 */
bool weft_dag_shares(const struct weft_dag *dag, struct weft_dag_shares *out);

#endif
