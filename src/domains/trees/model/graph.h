/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs of work: a hierarchy of nodes (model/tree.h), what each node cost, and edges between
 * them.  A node's number is that of the tree; it has
 *
 *     a begin and an end, in ticks of the trace's clock;
 *     a row of the trace where it began (tree->pe, in tree->pes), and a label (tree->label);
 *     work: the ticks for which it was what its row did.  A call's work is without the calls
 *         inside it, a task's without the tasks that ran inside it on the same row.  Nor is
 *         it work of a call to wait or sleep: its value says so (a kind of idle, or of blocking
 *         send), or a state that its thread is in meanwhile;
 *     how long it waited so: what its work lacks of the time that it was what its row did;
 *     edges that leave and reach it (model/tree_edges.h), each with the role of its link:
 *         spawn, create-continuation, end, wait-continuation, data-dependence; message,
 *         wake-up.
 *
 * A node has one parent in the hierarchy.  Whatever else it comes from reaches it by an edge:
 * a node that several have made has the first as its parent and edges from all.
 *
 * What the hierarchy means depends on the trace:
 *
 *     Creation.  Reductions of a logic program, and tasks: a parent created its children.
 *         A trace of tasks has states of a type of role task with an integer field of role
 *         number.  The parent of a task is said by a field of its first state: an entity, of
 *         role parent, or its number, of role parent-number; without, it is a root.  States
 *         with one number are pieces of one task, wherever they ran (an untied task moves):
 *         one node, that begins with the earliest, ends with the last, has the work of all,
 *         and is what links to each of them reach.  A reader makes numbers that
 *         belong to several processes unique.
 *     Containment.  Calls: a node is inside its parent, which orders nothing.
 *
 * Memory: 20 bytes a node and 9 an edge, beside the tree's 38 a node, and 16 for each piece of
 * a node of several.  Durations are 32 bits; the few that need more are kept aside.
 */
#ifndef WEFT_MODEL_GRAPH_H
#define WEFT_MODEL_GRAPH_H

#include "base/map.h"
#include "domains/trees/model/tree_edges.h"

enum weft_hierarchy {
    WEFT_HIERARCHY_CREATION,
    WEFT_HIERARCHY_CONTAINMENT,
};

/* Lengths of time by node: 32 bits, or those that are longer, aside. */
struct weft_durations {
    uint32_t *ticks; /* [n]; WEFT_NONE: it is in `longer` */
    struct weft_id_map index;
    int64_t *longer;
    size_t n_longer, capacity;
};

struct weft_graph_piece {
    uint64_t id; /* of the state */
    uint32_t node;
};

struct weft_graph {
    const struct weft_tree *tree;
    const struct weft_tree_edges *edges;
    struct weft_tree *own_tree; /* NULL: it belongs to somebody else */
    struct weft_tree_edges *own_edges;
    enum weft_hierarchy hierarchy;
    struct weft_durations length; /* from begin to end */
    struct weft_durations work;
    struct weft_durations waited;
    struct weft_graph_piece
        *pieces; /* of nodes that have several, by node, then by begin */
    uint32_t n_pieces;
};

/* Has the trace tasks, reductions, or states of threads (weft_tree_fills)? */
bool weft_graph_fills(const struct weft_source *source);
/*
 * The graph of a trace; free it with weft_graph_free.  O(nodes + links), and about 100 bytes a
 * node meanwhile.  Errors: those of weft_tree_read and weft_tree_edges_read.
 */
struct weft_graph *weft_graph_read(const struct weft_source *source, struct weft_job *job,
                                   struct weft_err *err) WEFT_MUST_CHECK;
/*
 * The same over a tree and edges that have been read of SOURCE already, stay the caller's, and
 * outlive the graph.  Error: WEFT_ERR_CANCELLED.
 */
struct weft_graph *weft_graph_of(const struct weft_source *source,
                                 const struct weft_tree *tree,
                                 const struct weft_tree_edges *edges, struct weft_job *job,
                                 struct weft_err *err) WEFT_MUST_CHECK;
void weft_graph_free(struct weft_graph *graph);
size_t weft_graph_bytes(const struct weft_graph *graph); /* of memory that is its own */

/* The node of an entity, any piece of it, or WEFT_NONE; and its first entity (weft_tree_id). */
uint32_t weft_graph_node(const struct weft_graph *graph, uint64_t id);
uint64_t weft_graph_entity(const struct weft_graph *graph, uint32_t node);
/* The pieces of a node of several, in order of their begins; NULL: it has one, or none. */
const struct weft_graph_piece *weft_graph_pieces(const struct weft_graph *graph,
                                                 uint32_t node, uint32_t *n);

int64_t weft_graph_begin(const struct weft_graph *graph, uint32_t node);
int64_t weft_graph_end(const struct weft_graph *graph, uint32_t node);
int64_t weft_graph_work(const struct weft_graph *graph, uint32_t node);
int64_t weft_graph_waited(const struct weft_graph *graph, uint32_t node);

/*
 * The nodes that the N edges of a node lead to.  Their edges are numbered one after another,
 * from edges->out_begin[node] on.
 */
static inline const uint32_t *weft_graph_out(const struct weft_graph *graph, uint32_t node,
                                             uint32_t *n)
{
    const struct weft_tree_edges *edges = graph->edges;
    *n = edges->out_begin[node + 1] - edges->out_begin[node];
    return edges->to + edges->out_begin[node];
}
/* The numbers of the N edges that reach a node (weft_tree_edge_from says from where). */
static inline const uint32_t *weft_graph_in(const struct weft_graph *graph, uint32_t node,
                                            uint32_t *n)
{
    const struct weft_tree_edges *edges = graph->edges;
    *n = edges->in_begin[node + 1] - edges->in_begin[node];
    return edges->in + edges->in_begin[node];
}

#endif
