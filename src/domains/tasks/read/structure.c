/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the children of each node.  Each node in turn claims its children, which come after
 * it, so there are no cycles, and which no other node may have claimed.  A node with a
 * wrong claim keeps its figures and loses its children; nodes that no parent claims are
 * left out.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "domains/tasks/read/dag_priv.h"

enum {
    STEP = 1 << 16,      /* nodes between two steps of the job: some milliseconds */
    MAX_VAIN_LOOKS = 64, /* per node: nodes looked at in claims that were refused */
};

static void report(struct dag_reading *r, const char *kind, uint32_t node, const char *what)
{
    weft_builder_problem(r->builder, WEFT_ERROR, kind, (uint64_t)node + 1,
                         "node %" PRIu32 ": %s; what is inside it is left out", node, what);
}

static enum weft_dag_kind kind_of(const struct dag_reading *r, uint32_t node)
{
    uint32_t kind = (uint32_t)dag_node_i32(r, node, DAG_FILE_KIND);
    return kind < WEFT_DAG_KINDS ? (enum weft_dag_kind)kind : WEFT_DAG_OTHER;
}

struct dag_inside dag_inside_of(const struct dag_reading *r, uint32_t node)
{
    struct dag_inside inside = { kind_of(r, node), WEFT_NONE, 0, WEFT_NONE };
    if (node == 0)
        inside.kind = WEFT_DAG_TASK;
    int64_t first = dag_node_i64(r, node, DAG_FILE_FIRST);
    int64_t after = dag_node_i64(r, node, DAG_FILE_AFTER), left = (int64_t)r->n - node;
    if (inside.kind == WEFT_DAG_CREATE) {
        if (first > 0 && first < left && r->parents[node + first] == node)
            inside.created = node + (uint32_t)first;
    } else if (inside.kind >= WEFT_DAG_SECTION && first > 0 && after > first
               && after <= left && r->parents[node + first] == node
               && r->parents[node + after - 1] == node) {
        inside.first = node + (uint32_t)first;
        inside.n = (uint32_t)(after - first);
    }
    return inside;
}

/* Claims the N nodes from FIRST on, all or none. */
static void claim(struct dag_reading *r, uint32_t node, int64_t first, int64_t after)
{
    int64_t left = (int64_t)r->n - node, all = (int64_t)r->said_nodes - node;
    if (first <= 0 || after <= first) {
        report(r, "backward", node, "what it says is inside it lies before it");
        return;
    }
    if (after > left) {
        if (!r->cut || after > all)
            report(r, "out-of-range", node,
                   "what it says is inside it lies outside the file");
        return;
    }
    if (r->vain_looks > MAX_VAIN_LOOKS * (uint64_t)r->n) {
        report(
            r, "overlap", node,
            "so many nodes before it claim the children of others that it is not believed");
        return;
    }
    for (int64_t i = first; i < after; i++)
        if (r->parents[node + i] != WEFT_NONE) {
            report(r, "overlap", node, "another node has some of its children, too");
            r->vain_looks += (uint64_t)(i - first);
            return;
        }
    for (int64_t i = first; i < after; i++)
        r->parents[node + i] = node;
}

/* Reports a child whose kind does not belong into its parent. */
static void check_place(struct dag_reading *r, uint32_t node, enum weft_dag_kind kind)
{
    enum weft_dag_kind above = kind_of(r, r->parents[node]);
    bool fits = kind != WEFT_DAG_TASK && kind != WEFT_DAG_END;
    if (above == WEFT_DAG_CREATE)
        fits = kind == WEFT_DAG_TASK;
    else if (above == WEFT_DAG_TASK || r->parents[node] == 0)
        fits = kind == WEFT_DAG_SECTION || kind == WEFT_DAG_OTHER || kind == WEFT_DAG_END;
    if (!fits)
        weft_builder_problem(r->builder, WEFT_WARNING, "odd-place", (uint64_t)node + 1,
                             "node %" PRIu32 " is of kind %d, and its parent of kind %d: "
                             "sections hold creates, sections, others and waits; tasks "
                             "hold sections, others and ends; creates make tasks",
                             node, (int)kind, (int)above);
}

static void note_worker(struct dag_reading *r, uint32_t node)
{
    int32_t worker = dag_node_i32(r, node, DAG_FILE_WORKER);
    if (worker < 0 || worker >= DAG_MAX_WORKERS)
        return;
    r->workers[worker] = true;
    if ((uint32_t)worker >= r->worker_limit)
        r->worker_limit = (uint32_t)worker + 1;
}

static void look_at(struct dag_reading *r, uint32_t node)
{
    note_worker(r, node);
    enum weft_dag_kind kind = node ? kind_of(r, node) : WEFT_DAG_TASK;
    uint32_t said = (uint32_t)dag_node_i32(r, node, DAG_FILE_KIND);
    int64_t first = dag_node_i64(r, node, DAG_FILE_FIRST);
    int64_t after = dag_node_i64(r, node, DAG_FILE_AFTER);
    if (said != (uint32_t)kind)
        weft_builder_problem(r->builder, WEFT_ERROR, "unknown-kind", (uint64_t)node + 1,
                             "node %" PRIu32 " is of kind %" PRIu32 "; it is taken as %s",
                             node, said, node ? "other" : "a task, as it is the root");
    if (node)
        check_place(r, node, kind);
    if (kind >= WEFT_DAG_SECTION && first != after)
        claim(r, node, first, after);
    if (kind != WEFT_DAG_CREATE || first == 0)
        return;
    if (first > 0 && first < (int64_t)r->n - node
        && kind_of(r, node + (uint32_t)first) != WEFT_DAG_TASK) {
        report(r, "no-task", node, "what it says it created is no task");
        return;
    }
    claim(r, node, first, first < INT64_MAX ? first + 1 : first);
}

/* Numbers the remaining nodes if some are left out. */
static void number_nodes(struct dag_reading *r)
{
    uint32_t next = 0;
    r->numbers = weft_alloc((size_t)r->n * sizeof *r->numbers);
    for (uint32_t i = 0; i < r->n; i++)
        r->numbers[i] = i && r->parents[i] == WEFT_NONE ? WEFT_NONE : next++;
    weft_builder_problem(r->builder, WEFT_ERROR, "left-out", 0,
                         "%" PRIu32 " of %" PRIu32 " nodes are inside none, and left out",
                         r->n_left_out, r->n);
}

bool dag_find_structure(struct dag_reading *r, struct weft_job *job, struct weft_err *err)
{
    r->workers = weft_zalloc(DAG_MAX_WORKERS, sizeof *r->workers);
    r->parents = weft_alloc((size_t)r->n * sizeof *r->parents);
    r->counts = weft_alloc((size_t)r->n * sizeof *r->counts);
    memset(r->parents, 0xff, (size_t)r->n * sizeof *r->parents);
    for (uint32_t i = 0; i < r->n; i++) {
        r->counts[i] = 1;
        if (i && r->parents[i] == WEFT_NONE)
            r->n_left_out++;
        else
            look_at(r, i);
        if (i % STEP == 0) {
            weft_mapping_pass(&r->map, dag_file_node(i));
            if (!weft_job_step(job, i / 3, r->n, err)) /* a third of the time of reading */
                return false;
        }
    }
    for (uint32_t i = r->n; i-- > 1;)
        if (r->parents[i] != WEFT_NONE)
            r->counts[r->parents[i]] += r->counts[i];
    if (r->n_left_out)
        number_nodes(r);
    return true;
}
