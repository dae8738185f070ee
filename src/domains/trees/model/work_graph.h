/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of work: the hierarchy of a tree (model/tree.h), the times of each node, and edges
 * between nodes. A node has the same number as in the tree, and
 *
 *     a begin and an end, in ticks of the trace's clock;
 *     a row (tree->pe, an index in tree->pes) and a label (tree->label);
 *     work: the ticks for which the node was the innermost on its row, less the ticks that
 *         it waited. The work of a call excludes the calls inside it; the work of a task
 *         excludes the tasks that ran inside it on the same row;
 *     waited ticks: the node was the innermost on its row, but its value says that it waits
 *         (a role of idling, or of a blocking send), or another state of its thread does.
 *         Only in a hierarchy of containment; else they are 0;
 *     edges that leave and reach it (model/tree_cross_edges.h), each with the role of its
 *         link: spawn, create-continuation, end, wait-continuation, data-dependence;
 *         message, wake-up.
 *
 * A node has one parent in the hierarchy. A node that several others created has the first
 * of them as its parent, and an edge from each.
 *
 * The hierarchy means one of two things:
 *
 *     Creation. Reductions of a logic program, and tasks: a parent created its children.
 *         A trace of tasks has states of a type of role task with an integer field of role
 *         number. A field of the task's first state names the parent: an entity, of role
 *         parent, or a number, of role parent-number; a task without either is a root.
 *         States with one number are pieces of one task, wherever they ran (an untied task
 *         moves). They become one node: it begins with the earliest, ends with the last,
 *         has the work of all, and links to any piece reach it. The reader of a trace makes
 *         numbers unique over all processes.
 *     Containment. Calls: a node lies inside its parent. Containment orders nothing.
 *
 * Memory: 20 bytes a node and 9 an edge, beside the tree's 38 a node, and 16 for each piece
 * of a node of several pieces. Durations have 32 bits; longer ones are kept in a table of
 * their own.
 */
#ifndef WEFT_MODEL_WORK_GRAPH_H
#define WEFT_MODEL_WORK_GRAPH_H

#include "base/hash_map.h"
#include "domains/trees/model/tree_cross_edges.h"

/* The meaning of "parent" in a graph: it created the node, or contains it in time. */
enum weft_hierarchy {
    WEFT_HIERARCHY_CREATION,    /* reductions and tasks */
    WEFT_HIERARCHY_CONTAINMENT, /* calls */
};

/* A duration in ticks for each node of a graph, in 32 bits; longer ones are in a table of
   their own. Part of a struct weft_graph; weft_graph_work() and its like read it. */
struct weft_durations {
    uint32_t *ticks; /* [nodes]; WEFT_NONE: the duration is in `longer`, at the index that
                        `index` gives for the node */
    struct weft_id_map index;
    int64_t *longer; /* [n_longer] ticks */
    size_t n_longer, capacity;
};

/* One of several states of a trace that are one node of a graph: a part of a task that was
   suspended and resumed. */
struct weft_graph_piece {
    uint64_t id;   /* of the state */
    uint32_t node; /* the node that it is a piece of */
};

/* A tree with the times of its nodes and edges between them, read-only. Made by
   weft_graph_read() or weft_graph_of(), freed by weft_graph_free(). */
struct weft_graph {
    const struct weft_tree *tree;
    const struct weft_tree_edges *edges;
    struct weft_tree *own_tree;        /* `tree`; NULL when the caller owns it */
    struct weft_tree_edges *own_edges; /* `edges`; NULL when the caller owns them */
    enum weft_hierarchy hierarchy;     /* the meaning of "parent" */
    struct weft_durations length;      /* end less begin */
    struct weft_durations work;        /* read by weft_graph_work() */
    struct weft_durations waited;      /* read by weft_graph_waited() */
    struct weft_graph_piece
        *pieces; /* of nodes of several pieces, by node, then by begin */
    uint32_t n_pieces;
};

/* Returns true if weft_graph_read() has something to read: the trace has a type of numbered
   tasks (weft_tree_task_type), or reductions or calls (weft_tree_fills). */
bool weft_graph_fills(const struct weft_source *source);
/*
 * Returns the graph of the tasks of the trace SOURCE; without a type of tasks that of its
 * reductions, or else of its calls. To be freed with weft_graph_free(). NULL with
 * WEFT_ERR_FORMAT without a root, WEFT_ERR_LIMIT for too many nodes, rows or edges, or
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled. O(nodes + links); takes about 100
 * bytes a node meanwhile.
 */
struct weft_graph *weft_graph_read(const struct weft_source *source, struct weft_job *job,
                                   struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the graph over TREE and EDGES, which were read from SOURCE before. The caller
 * keeps owning both, and they must outlive the graph. To be freed with weft_graph_free().
 * NULL with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
struct weft_graph *weft_graph_of(const struct weft_source *source,
                                 const struct weft_tree *tree,
                                 const struct weft_tree_edges *edges, struct weft_job *job,
                                 struct weft_err *err) WEFT_MUST_CHECK;
/* Frees a graph, with its tree and edges unless the caller owns them. NULL: no effect. */
void weft_graph_free(struct weft_graph *graph);
/* Returns the bytes of memory that the graph owns. */
size_t weft_graph_bytes(const struct weft_graph *graph);

/* Returns the node of the entity (state) ID, which may be any piece of a task, or of the
   thread whose container has ID; WEFT_NONE if the graph has no such node. O(1). */
uint32_t weft_graph_node(const struct weft_graph *graph, uint64_t id);
/* Returns the id of a node's state, the earliest one of a task of several pieces; a
   thread's container id; WEFT_NO_ID for the added root "all" (weft_tree_id). O(1). */
uint64_t weft_graph_entity(const struct weft_graph *graph, uint32_t node);
/*
 * Returns the states that are one node, the pieces of a task that was suspended and
 * resumed, in order of their begins, and sets *N to their number, 2 or more; owned by the
 * graph. NULL with *N = 0 if the node has only one state or none. O(log pieces + *N).
 */
const struct weft_graph_piece *weft_graph_pieces(const struct weft_graph *graph,
                                                 uint32_t node, uint32_t *n);

/* Returns the time at which a node begins, in ticks of the trace's clock; a task of several
   pieces begins with its earliest. O(1). */
int64_t weft_graph_begin(const struct weft_graph *graph, uint32_t node);
/* Returns the time at which a node ends, in ticks of the trace's clock: a task of several
   pieces with its last piece, a thread or the added root with the child that ends last.
   O(1). */
int64_t weft_graph_end(const struct weft_graph *graph, uint32_t node);
/* Returns the ticks for which a node was the innermost one open on its row and did not
   wait; the nodes inside it do not count. 0 for a thread or the added root. O(1). */
int64_t weft_graph_work(const struct weft_graph *graph, uint32_t node);
/* Returns the ticks for which a node was the innermost one open on its row, but waited;
   always 0 in a hierarchy of creation (reductions, tasks). O(1). */
int64_t weft_graph_waited(const struct weft_graph *graph, uint32_t node);

/*
 * Returns the target nodes of the edges that leave a node, ascending, and sets *N to how
 * many edges there are; owned by the graph. The edges' numbers are consecutive, from
 * graph->edges->out_begin[node] on.
 */
static inline const uint32_t *weft_graph_out(const struct weft_graph *graph, uint32_t node,
                                             uint32_t *n)
{
    const struct weft_tree_edges *edges = graph->edges;
    *n = edges->out_begin[node + 1] - edges->out_begin[node];
    return edges->to + edges->out_begin[node];
}
/* Returns the numbers of the edges that reach a node, in order of their source nodes
   (weft_tree_edge_from), and sets *N to how many there are; owned by the graph. */
static inline const uint32_t *weft_graph_in(const struct weft_graph *graph, uint32_t node,
                                            uint32_t *n)
{
    const struct weft_tree_edges *edges = graph->edges;
    *n = edges->in_begin[node + 1] - edges->in_begin[node];
    return edges->in + edges->in_begin[node];
}

#endif
