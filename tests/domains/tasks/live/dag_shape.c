/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dag_shape TRACE: what is known by construction of a task DAG, in one line:
 *
 *     creations critical-path work slow-critical-path rest
 *
 * The two paths and the work, in ns, are without what the root task did itself, before, between
 * and after its parallel regions.  The slow path is the longest one through all nodes, edges and
 * orders, found here one by one; -1 if nodes are contracted.  The rest is what work, waiting,
 * delay and no-work lack of all of the workers' time, in ticks.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "domains/tasks/dag/dag.h"
#include "store/time.h"
#include "store/trace/trace.h"

struct edge {
    uint32_t from, to;
};

struct graph {
    const struct weft_dag *dag;
    struct edge *edges; /* [n] */
    size_t n;
};

/* All edges between leaves: those of the structure, and orders from the ends of tasks. */
static bool list_edges(struct graph *graph)
{
    const struct weft_dag *dag = graph->dag;
    uint64_t orders = weft_dag_orders(dag);

    graph->edges = calloc(2 * (size_t)weft_dag_size(dag) + orders, sizeof *graph->edges);
    if (!graph->edges)
        return false;
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        struct weft_dag_arc arcs[WEFT_DAG_ARCS];
        size_t n = weft_dag_successors(dag, i, arcs);
        for (size_t a = 0; a < n; a++)
            graph->edges[graph->n++] = (struct edge){ i, arcs[a].to };
    }
    for (uint64_t row = 0; row < orders; row++) {
        struct weft_dag_order order;
        if (weft_dag_order(dag, row, &order))
            graph->edges[graph->n++] = (struct edge){ weft_dag_last(dag, order.before),
                                                      weft_dag_first(dag, order.after) };
    }
    return true;
}

/* The longest path, by looking at all edges until none makes a way longer; -1 if that never
   ends, or if a node is contracted. */
static int64_t slow_path(const struct graph *graph)
{
    uint32_t n = weft_dag_size(graph->dag);
    int64_t *ends = calloc(n, sizeof *ends), most = 0; /* of the longest way to each */
    int64_t *works = calloc(n, sizeof *works);
    bool changes = ends && works;

    for (uint32_t i = 0; changes && i < n; i++) {
        struct weft_dag_node node;
        weft_dag_node(graph->dag, i, &node);
        if (node.kind >= WEFT_DAG_LEAF_KINDS && node.n == 0)
            most = -1;
        works[i] = ends[i] = node.n > 0 ? 0 : node.work;
    }
    for (uint32_t round = 0; changes && most >= 0; round++) {
        changes = false;
        for (size_t e = 0; e < graph->n; e++) {
            const struct edge *edge = &graph->edges[e];
            int64_t end = ends[edge->from] + works[edge->to];
            changes |= end > ends[edge->to];
            ends[edge->to] = end > ends[edge->to] ? end : ends[edge->to];
        }
        if (round > n)
            most = -1;
    }
    for (uint32_t i = 0; most >= 0 && i < n; i++)
        most = ends[i] > most ? ends[i] : most;
    free(ends);
    free(works);
    return most;
}

/* The work of the root task's own leaves, which all are on its critical path. */
static int64_t serial_work(const struct weft_dag *dag)
{
    int64_t work = 0;

    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        struct weft_dag_node node;
        weft_dag_node(dag, i, &node);
        if (node.kind < WEFT_DAG_LEAF_KINDS && weft_dag_task_of(dag, i, NULL) == 0)
            work += node.work;
    }
    return work;
}

int main(int argc, char **argv)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = argc == 2 ? weft_trace_open(argv[1], &err) : NULL;
    struct weft_dag *dag = trace ? weft_dag_open(weft_trace_source(trace), &err) : NULL;
    struct graph graph = { .dag = dag };
    const struct weft_schema *schema;
    struct weft_dag_shares shares;
    struct weft_dag_node root;
    int64_t serial, slow, rest;

    if (!dag || !list_edges(&graph) || !weft_dag_shares(dag, &shares)) {
        fprintf(stderr, "dag_shape: %s\n", err.message);
        return 1;
    }
    schema = weft_trace_source(trace)->schema;
    weft_dag_node(dag, 0, &root);
    serial = serial_work(dag);
    slow = slow_path(&graph);
    rest = (int64_t)weft_dag_workers(dag) * (root.end - root.first_ready) - shares.work
           - shares.waiting - shares.delay - shares.no_work;
    printf("%" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
           root.leaves[WEFT_DAG_CREATE],
           weft_ticks_to_ns(schema, root.critical_path - serial),
           weft_ticks_to_ns(schema, root.work - serial),
           slow < 0 ? -1 : weft_ticks_to_ns(schema, slow - serial), rest);
    free(graph.edges);
    weft_dag_close(dag);
    weft_trace_close(trace);
    return 0;
}
