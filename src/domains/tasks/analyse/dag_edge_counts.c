/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/analyse/dag_edge_counts.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/parallel.h"

enum { PARTS = 16, STEP = 1 << 14 /* nodes between two looks at the job: milliseconds */ };

struct edge_scan {
    const struct weft_dag *dag;
    struct weft_job *job;
    struct weft_dag_joins *joins;
    uint32_t workers;
    uint64_t (*all)[WEFT_DAG_EDGES]; /* by part */
    uint64_t **of;                   /* by part, as in struct weft_dag_edge_counts */
};

static uint32_t index_of(const struct edge_scan *scan, int32_t worker)
{
    return worker < 0 || (uint32_t)worker >= scan->workers ? scan->workers - 1
                                                           : (uint32_t)worker;
}

static void add(const struct edge_scan *scan, size_t part, enum weft_dag_edge kind,
                int32_t from, int32_t to, uint64_t n)
{
    scan->all[part][kind] += n;
    if (scan->workers > 0)
        scan->of[part][((size_t)kind * scan->workers + index_of(scan, from)) * scan->workers
                       + index_of(scan, to)] += n;
}

static void look_at_node(const struct edge_scan *scan, size_t part, uint32_t number)
{
    struct weft_dag_arc arcs[WEFT_DAG_ARCS];
    struct weft_dag_node node;
    weft_dag_shape(scan->dag, number, &node);
    if (node.n > 0)
        return;
    weft_dag_node(scan->dag, number, &node);
    for (int k = 0; k < WEFT_DAG_EDGES && node.kind >= WEFT_DAG_LEAF_KINDS; k++)
        add(scan, part, (enum weft_dag_edge)k, node.worker, node.worker, node.edges[k]);
    size_t n = weft_dag_successors_of_many(scan->dag, number, scan->joins, arcs);
    for (size_t a = 0; a < n; a++) {
        struct weft_dag_node next = { .worker = -1 };
        if (scan->workers > 0)
            weft_dag_node(scan->dag, arcs[a].to, &next);
        add(scan, part, arcs[a].kind, node.worker, next.worker, 1);
    }
}

static void look_at_part(void *user, size_t part)
{
    const struct edge_scan *scan = user;
    uint64_t n = weft_dag_size(scan->dag);
    uint64_t first = n * part / PARTS, after = n * (part + 1) / PARTS;
    for (uint64_t i = first; i < after; i++) {
        if (i % STEP == 0 && weft_job_cancelled(scan->job))
            break;
        look_at_node(scan, part, (uint32_t)i);
    }
    weft_mappings_rest(WEFT_MAPPED_MAX);
}

bool weft_dag_edge_counts_read(const struct weft_dag *dag, struct weft_job *job,
                               struct weft_dag_edge_counts *out, struct weft_err *err)
{
    uint32_t workers = weft_dag_worker_limit(dag);
    struct edge_scan scan = { .dag = dag, .job = job, .joins = weft_dag_joins_new() };
    scan.workers = workers > WEFT_DAG_MAX_MATRIX ? 0 : workers + 1;
    size_t size = (size_t)WEFT_DAG_EDGES * scan.workers * scan.workers;
    scan.all = weft_zalloc(PARTS, sizeof *scan.all);
    scan.of = weft_zalloc(PARTS, sizeof *scan.of);
    for (size_t part = 0; part < PARTS; part++)
        scan.of[part] = weft_zalloc(size + 1, sizeof **scan.of);
    weft_parallel(PARTS, 1, look_at_part, &scan);
    *out = (struct weft_dag_edge_counts){ .workers = scan.workers };
    if (size > 0)
        out->of = weft_zalloc(size, sizeof *out->of);
    for (size_t part = 0; part < PARTS; part++) {
        for (int k = 0; k < WEFT_DAG_EDGES; k++)
            out->all[k] += scan.all[part][k];
        for (size_t i = 0; i < size; i++)
            out->of[i] += scan.of[part][i];
        free(scan.of[part]);
    }
    free(scan.of);
    free(scan.all);
    weft_dag_joins_free(scan.joins);
    if (weft_job_step(job, 1, 1, err))
        return true;
    weft_dag_edge_counts_free(out);
    return false;
}

void weft_dag_edge_counts_free(struct weft_dag_edge_counts *counts)
{
    free(counts->of);
    counts->of = NULL;
}
