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
 *         (a role of idling, or of a blocking send), or another state of its thread does;
 *     edges that leave and reach it (model/tree_edges.h), each with the role of its link:
 *         spawn, create-continuation, end, wait-continuation, data-dependence; message,
 *         wake-up.
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
#ifndef WEFT_MODEL_GRAPH_H
#define WEFT_MODEL_GRAPH_H

#include "base/map.h"
#include "domains/trees/model/tree_edges.h"

enum weft_hierarchy {
    WEFT_HIERARCHY_CREATION,
    WEFT_HIERARCHY_CONTAINMENT,
};

/* Durations by node, in 32 bits each; longer ones are in a table of their own. */
struct weft_durations {
    uint32_t *ticks; /* [nodes]; WEFT_NONE: the duration is in `longer`, at the index that
                        `index` gives for the node */
    struct weft_id_map index;
    int64_t *longer;
    size_t n_longer, capacity;
};

/* One of several states that are one node, such as a task that was resumed. */
struct weft_graph_piece {
    uint64_t id; /* of the state */
    uint32_t node;
};

struct weft_graph {
    const struct weft_tree *tree;
    const struct weft_tree_edges *edges;
    struct weft_tree *own_tree; /* NULL when the caller owns the tree */
    struct weft_tree_edges *own_edges;
    enum weft_hierarchy hierarchy;
    struct weft_durations length; /* end less begin */
    struct weft_durations work;
    struct weft_durations waited;
    struct weft_graph_piece
        *pieces; /* of nodes of several pieces, by node, then by begin */
    uint32_t n_pieces;
};

/* Returns true if the trace has a type of tasks, reductions, or calls (weft_tree_fills). */
bool weft_graph_fills(const struct weft_source *source);
/*
 * Returns the graph of a trace, to be freed with weft_graph_free(). O(nodes + links), and
 * about 100 bytes a node meanwhile. NULL with the errors of weft_tree_read(),
 * weft_tree_read_tasks() and weft_tree_edges_read().
 */
struct weft_graph *weft_graph_read(const struct weft_source *source, struct weft_job *job,
                                   struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Returns the graph over a tree and edges that were read from SOURCE before. The caller
 * keeps owning them, and they must outlive the graph. NULL with WEFT_ERR_CANCELLED.
 */
struct weft_graph *weft_graph_of(const struct weft_source *source,
                                 const struct weft_tree *tree,
                                 const struct weft_tree_edges *edges, struct weft_job *job,
                                 struct weft_err *err) WEFT_MUST_CHECK;
void weft_graph_free(struct weft_graph *graph);
size_t weft_graph_bytes(const struct weft_graph *graph); /* bytes of memory that the graph
                                                            owns */

/*
 * Returns the node of an entity, which may be any piece of the node, or WEFT_NONE.
 * weft_graph_entity returns the first entity of a node (weft_tree_id).
 */
uint32_t weft_graph_node(const struct weft_graph *graph, uint64_t id);
uint64_t weft_graph_entity(const struct weft_graph *graph, uint32_t node);
/*
 * Returns the N pieces of a node in order of their begins; NULL and N = 0 for a node of one
 * piece or none. O(log pieces).
 */
const struct weft_graph_piece *weft_graph_pieces(const struct weft_graph *graph,
                                                 uint32_t node, uint32_t *n);

/* Return a node's begin, end, work and waited time in ticks of the trace's clock. O(1). */
int64_t weft_graph_begin(const struct weft_graph *graph, uint32_t node);
int64_t weft_graph_end(const struct weft_graph *graph, uint32_t node);
int64_t weft_graph_work(const struct weft_graph *graph, uint32_t node);
int64_t weft_graph_waited(const struct weft_graph *graph, uint32_t node);

/*
 * Returns the targets of the N edges that leave a node. Their edge numbers are consecutive,
 * from edges->out_begin[node] on.
 */
static inline const uint32_t *weft_graph_out(const struct weft_graph *graph, uint32_t node,
                                             uint32_t *n)
{
    const struct weft_tree_edges *edges = graph->edges;
    *n = edges->out_begin[node + 1] - edges->out_begin[node];
    return edges->to + edges->out_begin[node];
}
/*
 * Returns the numbers of the N edges that reach a node; weft_tree_edge_from gives their
 * sources.
 */
static inline const uint32_t *weft_graph_in(const struct weft_graph *graph, uint32_t node,
                                            uint32_t *n)
{
    const struct weft_tree_edges *edges = graph->edges;
    *n = edges->in_begin[node + 1] - edges->in_begin[node];
    return edges->in + edges->in_begin[node];
}

#endif
