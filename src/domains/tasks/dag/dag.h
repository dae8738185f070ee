/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task DAGs: the run of a task-parallel program as a hierarchical graph, after DAG Recorder
 * (A. Huynh, "DAGViz: A DAG Visualization Tool for Analyzing Task Parallel Programs", master's
 * thesis, The University of Tokyo, 2015; section 1.2, figure 1.7).
 *
 * Nodes are numbered from 0, the root task.  A leaf is an interval that ran on one worker, named
 * for what ended it: it created a task, waited for tasks, ended the task, or something else that
 * may move the task to another worker.  A section holds creates, others and sections, in the
 * order in which they ran, and last the wait that joins the tasks they created; a task holds
 * sections and others and last its end.  The children of a section or task are numbered side by
 * side, behind it; the task that a create made has a number behind it, too, and has that create
 * as its parent.  A section or task without children was contracted, by the recorder or because
 * its details are lost: it stands for itself wherever a leaf may stand.
 *
 * Edges follow from the structure and are not kept (weft_dag_successors): from a child to the
 * next one of the same section or task (from the last one of a section that has no wait, to what
 * follows the section), from a create to the first node of its task, from the
 * last node of a task to what follows the wait that joined it: that of the section with its
 * create; where that has none, the next one around it that joins all, if there is one.
 *
 * Times are ticks of the trace.  Everything said of a section or task counts all that is inside
 * it, contracted or not, and of a section also the tasks that its creates made.
 *
 * Nothing that a file holds is believed.  What these functions say keeps the following, so
 * that whoever walks need not ask: a parent's number is lower than its child's; children,
 * and the task that a create made, are there and have it as their parent; times are within
 * WEFT_TIME_LIMIT, and end >= begin; ticks and counts are not negative and below 2^62 (add
 * them with weft_ticks_add, store/time.h).  A node in a damaged part of the file, and one whose
 * part of the file contradicts this, is a leaf of kind CREATE with 0 everywhere.  A section or task
 * whose figures alone are damaged keeps its place, times and inside; it counts as lost, too.
 */
#ifndef WEFT_DAG_DAG_H
#define WEFT_DAG_DAG_H

#include "store/source.h"

/* In the order of DAG Recorder's files; WEFT_DAG_LEAF_KINDS of them have no inside. */
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

/* What a node that is ready waits behind: the kind of edge that made it ready. */
enum weft_dag_edge {
    WEFT_DAG_EDGE_END,
    WEFT_DAG_EDGE_CREATE,
    WEFT_DAG_EDGE_CREATE_CONTINUATION,
    WEFT_DAG_EDGE_WAIT_CONTINUATION,
    WEFT_DAG_EDGE_OTHER_CONTINUATION,
    WEFT_DAG_EDGES,
};

enum { WEFT_DAG_COUNTERS = 4 };

struct weft_dag_node {
    enum weft_dag_kind kind;
    enum weft_dag_edge in_edge;
    uint32_t parent;   /* WEFT_NONE: the root; of a task inside, the create that made it */
    uint32_t first, n; /* its children, when it is a section or task; n = 0: contracted */
    uint32_t created;  /* the task that a create made, or WEFT_NONE */
    /* Of a wait: it joins all that nobody has joined inside of its section, not only the tasks of
       the section's own creates (the end of a task group, a barrier). */
    bool joins_all;
    int32_t worker, cpu; /* -1: several, or not known */
    uint32_t begin_site,
        end_site; /* places in the program (store/schema.h), or WEFT_NONE */
    int64_t begin, end;
    int64_t first_ready; /* when the first of its leaves became ready */
    int64_t last_start;  /* when the last of its leaves started */
    int64_t
        earliest; /* ticks from the root's begin to its begin, were there workers enough */
    int64_t work; /* t_1 */
    int64_t critical_path;                /* t_inf: of work alone, through what is inside */
    int64_t ready[WEFT_DAG_EDGES];        /* ticks that leaves were ready and not running */
    uint64_t leaves[WEFT_DAG_LEAF_KINDS]; /* logical leaves inside, by kind */
    uint64_t edges[WEFT_DAG_EDGES];       /* logical edges inside, by kind */
    uint64_t materialized;                /* nodes inside that are here, itself included */
    uint64_t least;   /* nodes inside, were everything contracted that ran on one worker */
    uint64_t creates; /* of its direct children, those that are creates */
    /*
     * Of a contracted node: does the trace say the rest, too?  Then `own_work` is without that of
     * the tasks whose creates are inside, and `create_delay` of these creates what
     * analyse/dag_time.h says of creates.
     */
    bool knows_inside;
    int64_t own_work, create_delay;
    /* What the program counted (cycles, misses ...): in its leaves, and on the critical path. */
    int64_t counters[WEFT_DAG_COUNTERS], critical_counters[WEFT_DAG_COUNTERS];
};

struct weft_dag; /* immutable; any number of threads may ask */

/* Does the trace have a task DAG? */
bool weft_dag_fills(const struct weft_source *source);
/* Its DAG; O(1).  Free it with weft_dag_close, before the source.  Error: WEFT_ERR_FORMAT. */
struct weft_dag *weft_dag_open(const struct weft_source *source,
                               struct weft_err *err) WEFT_MUST_CHECK;
void weft_dag_close(struct weft_dag *dag);

uint32_t weft_dag_size(const struct weft_dag *dag); /* nodes, at least 1 */
/* How many nodes are not here, since what holds them was contracted; O(1). */
uint64_t weft_dag_contracted(const struct weft_dag *dag);
/*
 * Tasks that were created in one place of the program and have no node, since what held them was
 * contracted.  Their works are their own, without those of the tasks that they created in turn.
 */
struct weft_dag_tasks {
    uint32_t site; /* of their creates, or WEFT_NONE */
    uint64_t count;
    uint64_t stolen;           /* began on another worker than their creator's */
    int64_t work;              /* ticks, together */
    int64_t smallest, largest; /* ticks, of one */
};
/*
 * What contracted nodes that `knows_inside` hold: tasks by place and size, in a number of entries
 * that follows from the program, not from the run.  O(1).
 */
uint64_t weft_dag_tasks_rows(const struct weft_dag *dag);
void weft_dag_tasks_row(const struct weft_dag *dag, uint64_t row,
                        struct weft_dag_tasks *out);
/* How many workers there were, at least 1; and one more than the highest number of one. */
uint32_t weft_dag_workers(const struct weft_dag *dag);
uint32_t weft_dag_worker_limit(const struct weft_dag *dag);
/* Everything about a node; O(1).  What lies in a damaged part of the file is 0 (a leaf). */
void weft_dag_node(const struct weft_dag *dag, uint32_t node, struct weft_dag_node *out);
/* Does it lie there?  Then its figures are not known: any other stands for itself at least. */
static inline bool weft_dag_is_lost(const struct weft_dag_node *node)
{
    return node->materialized == 0;
}
/* The parts of it that a walk needs, cheaper: kind, parent, first, n, created,
   joins_all. */
void weft_dag_shape(const struct weft_dag *dag, uint32_t node, struct weft_dag_node *out);
/*
 * The same, without touching what is inside of a section or task: of a damaged one, weft_dag_shape
 * then says that nothing is.  For whoever asks many, and goes into few.
 */
void weft_dag_glance(const struct weft_dag *dag, uint32_t node, struct weft_dag_node *out);
/* The container of a worker, whose name is the worker's; WEFT_NONE: nobody has the number. */
uint32_t weft_dag_worker_container(const struct weft_dag *dag, uint32_t worker);

/*
 * The notes of a trace with which its recorder says what it counted, names with commas, in the
 * order of the counters and empty for what could not be counted; and on what the tasks ran.
 */
#define WEFT_DAG_NOTE_COUNTED "counted"
#define WEFT_DAG_NOTE_RUNTIME "runtime"
/*
 * And the note that is there when the recorder knows when creations began, but of some not when
 * they were over: OpenMP's runtimes do not say.  What a task does behind these seems to begin with
 * them, and how long they took counts as its work.
 */
#define WEFT_DAG_NOTE_CREATIONS "creations"
bool weft_dag_knows_creations(const struct weft_dag *dag);
/*
 * The name of a counter, of which LENGTH bytes are written with their NUL; false: it counted
 * nothing.  A DAG that names none has "counter 1" and so on for those that are not 0.
 */
bool weft_dag_counter_name(const struct weft_dag *dag, int counter, char *name,
                           size_t length);

/*
 * Where a section or task is entered and left: the first leaf (or contracted node) inside it,
 * itself when it has no inside.  O(depth of the nest at that place), without recursion.
 */
uint32_t weft_dag_first(const struct weft_dag *dag, uint32_t node);
uint32_t weft_dag_last(const struct weft_dag *dag, uint32_t node);

/* An edge, to a leaf (or contracted node). */
struct weft_dag_arc {
    uint32_t to;
    enum weft_dag_edge kind;
};
enum { WEFT_DAG_ARCS = 2 };
/*
 * The edges out of a leaf (or contracted node): at most two.  Edges out of a section or task
 * with an inside are those of weft_dag_last().  O(depth of the nest) as above.
 */
size_t weft_dag_successors(const struct weft_dag *dag, uint32_t node,
                           struct weft_dag_arc out[WEFT_DAG_ARCS]);

/*
 * The same for those who ask for many nodes.  JOINS keeps what the climbs to the waits of tasks
 * have found, so that all nodes together cost O(n), however deep tasks without a wait are nested.
 * Several threads may share it.
 */
struct weft_dag_joins;
struct weft_dag_joins *weft_dag_joins_new(void);
void weft_dag_joins_free(struct weft_dag_joins *joins);
/* The innermost task around a node, or the node itself; WEFT_NONE: none is.  JOINS may be NULL. */
uint32_t weft_dag_task_of(const struct weft_dag *dag, uint32_t node,
                          struct weft_dag_joins *joins);
size_t weft_dag_successors_of_many(const struct weft_dag *dag, uint32_t node,
                                   struct weft_dag_joins *joins,
                                   struct weft_dag_arc out[WEFT_DAG_ARCS]);

/*
 * The same where some sections and tasks are closed, and stand for what is inside them: IS_OPEN
 * is asked for sections and tasks that have an inside.  NODE is a leaf, or closed; what holds it
 * is open.
 */
size_t weft_dag_successors_of_closed(const struct weft_dag *dag, uint32_t node,
                                     bool (*is_open)(void *user, uint32_t node), void *user,
                                     struct weft_dag_arc out[WEFT_DAG_ARCS]);

/*
 * A leaf (or contracted node) that ran on one worker is a state on that worker's track: the
 * state's id, and back.  WEFT_NO_ID, WEFT_NONE: there is none.  O(log n).
 */
uint64_t weft_dag_state(const struct weft_dag *dag, uint32_t node);
uint32_t weft_dag_node_of(const struct weft_dag *dag, uint64_t id);
/* The same of the N states of a worker's track from its number FIRST on: some ns a state. */
void weft_dag_nodes_of(const struct weft_dag *dag, uint32_t track, uint64_t first, size_t n,
                       uint32_t *out);
/*
 * The tracks of the variables: how many nodes were running, and ready behind a kind of edge.  A
 * contracted node adds what it has on average: work / (end - begin) while it ran, and
 * ready[kind] / (last_start - first_ready) in between.  WEFT_NONE: there is no such track.
 */
uint32_t weft_dag_running(const struct weft_dag *dag);
uint32_t weft_dag_ready(const struct weft_dag *dag, enum weft_dag_edge kind);

/*
 * Where the time of all workers went, in ticks, from the first thing that was ready to the last
 * end; their sum is workers * elapsed.  As DAG Recorder has it: a contracted node counts as one
 * that is ready from first_ready to last_start and runs from begin to end; what it does
 * not work meanwhile is delay.  O(containers).
 */
struct weft_dag_shares {
    int64_t work, delay, no_work;
};
/* False: the trace does not say. */
bool weft_dag_shares(const struct weft_dag *dag, struct weft_dag_shares *out);

#endif
