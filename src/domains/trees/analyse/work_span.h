/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work and span of a graph (Blumofe and Leiserson, "Scheduling multithreaded computations by
 * work stealing", 1999): how long one processor would need, and how long as many as one likes
 * would, because some of it has to wait for other parts.  Work by span is the parallelism that
 * the program offers.
 *
 * A node counts with its work and runs as a whole, after all that it waits for: where the
 * hierarchy is creation, its parent; and whatever an edge leads from, but for
 *
 *     wake-ups and migrations, which follow from the schedule and not from the program;
 *     from a node to itself;
 *     where the hierarchy is creation, ends and continuations (end, create-continuation,
 *     wait-continuation): they order parts of a task, not tasks.
 *
 * Where a trace does not know for how long nodes ran, they may count one each instead.
 *
 * So the span is an upper bound where a task goes on beside those that it has created, and
 * exact where it does not, as reductions.  Containment orders nothing.
 */
#ifndef WEFT_ANALYSE_WORK_SPAN_H
#define WEFT_ANALYSE_WORK_SPAN_H

#include "domains/trees/model/graph.h"

enum weft_work_unit {
    WEFT_WORK_IN_TICKS,
    WEFT_WORK_IN_NODES, /* each that is an entity counts 1 */
};

struct weft_work_span {
    int64_t work;   /* of all nodes */
    int64_t span;   /* of the nodes of the path */
    uint32_t *path; /* [n_path] nodes: a longest way, from its first node to its last */
    uint32_t n_path;
    /*
     * Nodes that wait for themselves, or for others that do: a fault of the trace.  They are
     * in the work, not in the span.
     */
    uint32_t n_cyclic;
    uint32_t first_cyclic; /* WEFT_NONE: there are none */
};

/*
 * O(nodes + edges), in topological order (Kahn 1962), without recursion; takes 20 bytes a node
 * meanwhile.  WEFT_ERR_CANCELLED.
 */
bool weft_work_span(const struct weft_graph *graph, enum weft_work_unit unit,
                    struct weft_job *job, struct weft_work_span *out,
                    struct weft_err *err) WEFT_MUST_CHECK;
void weft_work_span_free(struct weft_work_span *span);

#endif
