/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work and span of a graph (Blumofe and Leiserson, "Scheduling multithreaded computations
 * by work stealing", 1999): the time that one processor would need, and the time that any
 * number of processors would need because nodes wait for others. Work / span is the
 * parallelism of the program.
 *
 * A node runs as a whole for the ticks of its work, after all nodes that it waits for: its
 * parent, in a hierarchy of creation, and the source of each edge that reaches it, except
 * for
 *
 *     wake-ups and migrations, which follow from the schedule and not from the program;
 *     edges from a node to itself;
 *     in a hierarchy of creation, ends and continuations (end, create-continuation,
 *     wait-continuation): they order parts of a task, not tasks.
 *
 * So the span is an upper bound where a task runs on beside the tasks that it created, and
 * exact where it does not, as with reductions. Containment orders nothing.
 *
 * Nodes may count 1 each instead, for traces without the durations of nodes.
 */
#ifndef WEFT_ANALYSE_WORK_SPAN_H
#define WEFT_ANALYSE_WORK_SPAN_H

#include "domains/trees/model/work_graph.h"

/* The unit of work and span: ticks of the trace's clock, or nodes of the graph. */
enum weft_work_unit {
    WEFT_WORK_IN_TICKS,
    WEFT_WORK_IN_NODES, /* a node with an entity counts 1, others (threads, "all") 0 */
};

/* Work and span of a graph. weft_work_span() fills it, weft_work_span_free() empties it. */
struct weft_work_span {
    int64_t work;   /* sum over all nodes, in the unit asked for */
    int64_t span;   /* sum over the nodes on the path */
    uint32_t *path; /* [n_path] nodes of a longest path of waits, in order; NULL: all nodes
                       are cyclic */
    uint32_t n_path;
    /*
     * Nodes on a cycle of waits, or that wait for such nodes: a fault of the trace. Their
     * work counts, but not for the span.
     */
    uint32_t n_cyclic;
    uint32_t first_cyclic; /* the first such node, or WEFT_NONE */
};

/*
 * Computes, in UNIT, the work of all nodes of GRAPH, and the work on a longest path of
 * nodes that wait for one another (span), in topological order (Kahn 1962): a node waits
 * for its parent, in a hierarchy of creation, and for the sources of its edges (not of
 * wake-ups and migrations, nor, in a hierarchy of creation, of ends and continuations).
 * *OUT is overwritten; weft_work_span_free() frees what it holds. Returns false, with
 * nothing to free, with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled. O(nodes +
 * edges), without recursion; takes 20 bytes a node meanwhile.
 */
bool weft_work_span(const struct weft_graph *graph, enum weft_work_unit unit,
                    struct weft_job *job, struct weft_work_span *out,
                    struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the path of SPAN, but not SPAN itself, and empties it; a second call is allowed. */
void weft_work_span_free(struct weft_work_span *span);

#endif
