/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dag_sums TRACE: the root of a task DAG, and how the time of its workers is divided, worked out
 * from the nodes:
 *
 *     creations work critical-path elapsed workers delay no-work most-running nodes sites
 *
 * The sites are those of creations, as file:line, each once, and then, as after:file:line, those
 * at which tasks went on behind a wait.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/tasks/dag/dag.h"
#include "store/trace/trace.h"

struct change {
    int64_t time;
    int running, ready;
};

static int compare(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    return x->time < y->time ? -1 : x->time > y->time;
}

/* Of creations, or of what follows waits. */
static uint32_t site_of(const struct weft_dag_node *node, bool after)
{
    bool follows = node->in_edge == WEFT_DAG_EDGE_END
                   || node->in_edge == WEFT_DAG_EDGE_WAIT_CONTINUATION;

    if (after)
        return follows && node->kind < WEFT_DAG_LEAF_KINDS ? node->begin_site : WEFT_NONE;
    return node->kind == WEFT_DAG_CREATE ? node->end_site : WEFT_NONE;
}

static void print_sites(const struct weft_dag *dag, const struct weft_schema *schema,
                        bool after)
{
    char *seen = calloc(schema->n_sites + 1, 1);

    for (uint32_t i = 0; seen && i < weft_dag_size(dag); i++) {
        struct weft_dag_node node;
        uint32_t site;
        weft_dag_node(dag, i, &node);
        site = site_of(&node, after);
        if (site >= schema->n_sites || seen[site])
            continue;
        seen[site] = 1;
        printf(" %s%s:%" PRIu32, after ? "after:" : "", schema->sites[site].file,
               schema->sites[site].line);
    }
    free(seen);
}

int main(int argc, char **argv)
{
    struct weft_err err = { 0 };
    struct weft_trace *trace = argc == 2 ? weft_trace_open(argv[1], &err) : NULL;
    struct weft_dag *dag = trace ? weft_dag_open(weft_trace_source(trace), &err) : NULL;
    struct weft_dag_node root, node;
    struct change *changes;
    int64_t delay = 0, nowork = 0, stretched = 0;
    int running = 0, ready = 0, most = 0, workers;
    size_t n = 0;

    if (!dag) {
        fprintf(stderr, "dag_sums: %s\n", err.message);
        return 1;
    }
    workers = (int)weft_dag_workers(dag);
    weft_dag_node(dag, 0, &root);
    changes = malloc((4 * (size_t)weft_dag_size(dag)) * sizeof *changes);
    if (!changes)
        return 1;
    for (uint32_t i = 0; i < weft_dag_size(dag); i++) {
        weft_dag_node(dag, i, &node);
        if (node.n > 0)
            continue;
        stretched += node.end - node.begin - node.work;
        changes[n++] = (struct change){ node.begin, 1, 0 };
        changes[n++] = (struct change){ node.end, -1, 0 };
        changes[n++] = (struct change){ node.first_ready, 0, 1 };
        changes[n++] = (struct change){ node.last_start, 0, -1 };
    }
    qsort(changes, n, sizeof *changes, compare);
    for (size_t i = 0; i < n; i++) {
        int64_t ticks = i > 0 ? changes[i].time - changes[i - 1].time : 0;
        int idle = workers - running;
        delay += ticks * (idle < ready ? idle : ready);
        nowork += ticks * (idle - ready > 0 ? idle - ready : 0);
        if (ticks > 0 && running > most)
            most = running;
        running += changes[i].running;
        ready += changes[i].ready;
    }
    printf("%" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 " %d %" PRId64 " %" PRId64
           " %d %" PRIu32,
           root.leaves[WEFT_DAG_CREATE], root.work, root.critical_path,
           root.end - root.begin, workers, delay + stretched, nowork, most,
           weft_dag_size(dag));
    print_sites(dag, weft_trace_source(trace)->schema, false);
    print_sites(dag, weft_trace_source(trace)->schema, true);
    printf("\n");
    free(changes);
    weft_dag_close(dag);
    weft_trace_close(trace);
    return 0;
}
