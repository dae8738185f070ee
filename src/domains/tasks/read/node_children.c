/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the children of each node.  Each node in turn claims its children, which come after
 * it, so there are no cycles, and which no other node may have claimed.  A node with a
 * wrong claim keeps its figures and loses its children; nodes that no parent claims are
 * left out.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "domains/tasks/read/dag_recorder_priv.h"

enum {
    STEP = 1 << 16,      /* nodes between two steps of the job: some milliseconds */
    MAX_VAIN_LOOKS = 64, /* per node: nodes looked at in claims that were refused */
};

static void report(struct dag_file *file, const char *kind, uint32_t node, const char *what)
{
    weft_builder_problem(file->builder, WEFT_ERROR, kind, (uint64_t)node + 1,
                         "node %" PRIu32 ": %s; what is inside it is left out", node, what);
}

static enum weft_dag_kind kind_of(const struct dag_file *file, uint32_t node)
{
    uint32_t kind = (uint32_t)dag_node_i32(file, node, DAG_FILE_KIND);
    return kind < WEFT_DAG_KINDS ? (enum weft_dag_kind)kind : WEFT_DAG_OTHER;
}

struct dag_inside dag_inside_of(const struct dag_file *file, uint32_t node)
{
    struct dag_inside inside = { kind_of(file, node), WEFT_NONE, 0, WEFT_NONE };
    if (node == 0)
        inside.kind = WEFT_DAG_TASK;
    int64_t first = dag_node_i64(file, node, DAG_FILE_FIRST);
    int64_t after = dag_node_i64(file, node, DAG_FILE_AFTER),
            left = (int64_t)file->n - node;
    if (inside.kind == WEFT_DAG_CREATE) {
        if (first > 0 && first < left && file->parents[node + first] == node)
            inside.created = node + (uint32_t)first;
    } else if (inside.kind >= WEFT_DAG_SECTION && first > 0 && after > first
               && after <= left && file->parents[node + first] == node
               && file->parents[node + after - 1] == node) {
        inside.first = node + (uint32_t)first;
        inside.n = (uint32_t)(after - first);
    }
    return inside;
}

/* Claims the N nodes from FIRST on, all or none. */
static void claim(struct dag_file *file, uint32_t node, int64_t first, int64_t after)
{
    int64_t left = (int64_t)file->n - node, all = (int64_t)file->said_nodes - node;
    if (first <= 0 || after <= first) {
        report(file, "backward", node, "what it says is inside it lies before it");
        return;
    }
    if (after > left) {
        if (!file->cut || after > all)
            report(file, "out-of-range", node,
                   "what it says is inside it lies outside the file");
        return;
    }
    if (file->vain_looks > MAX_VAIN_LOOKS * (uint64_t)file->n) {
        report(
            file, "overlap", node,
            "so many nodes before it claim the children of others that it is not believed");
        return;
    }
    for (int64_t i = first; i < after; i++)
        if (file->parents[node + i] != WEFT_NONE) {
            report(file, "overlap", node, "another node has some of its children, too");
            file->vain_looks += (uint64_t)(i - first);
            return;
        }
    for (int64_t i = first; i < after; i++)
        file->parents[node + i] = node;
}

/* Reports a child whose kind does not belong into its parent. */
static void check_place(struct dag_file *file, uint32_t node, enum weft_dag_kind kind)
{
    enum weft_dag_kind above = kind_of(file, file->parents[node]);
    bool fits = kind != WEFT_DAG_TASK && kind != WEFT_DAG_END;
    if (above == WEFT_DAG_CREATE)
        fits = kind == WEFT_DAG_TASK;
    else if (above == WEFT_DAG_TASK || file->parents[node] == 0)
        fits = kind == WEFT_DAG_SECTION || kind == WEFT_DAG_OTHER || kind == WEFT_DAG_END;
    if (!fits)
        weft_builder_problem(file->builder, WEFT_WARNING, "odd-place", (uint64_t)node + 1,
                             "node %" PRIu32 " is of kind %d, and its parent of kind %d: "
                             "sections hold creates, sections, others and waits; tasks "
                             "hold sections, others and ends; creates make tasks",
                             node, (int)kind, (int)above);
}

static void note_worker(struct dag_file *file, uint32_t node)
{
    int32_t worker = dag_node_i32(file, node, DAG_FILE_WORKER);
    if (worker < 0 || worker >= DAG_MAX_WORKERS)
        return;
    file->workers[worker] = true;
    if ((uint32_t)worker >= file->worker_limit)
        file->worker_limit = (uint32_t)worker + 1;
}

static void look_at(struct dag_file *file, uint32_t node)
{
    note_worker(file, node);
    enum weft_dag_kind kind = node ? kind_of(file, node) : WEFT_DAG_TASK;
    uint32_t said = (uint32_t)dag_node_i32(file, node, DAG_FILE_KIND);
    int64_t first = dag_node_i64(file, node, DAG_FILE_FIRST);
    int64_t after = dag_node_i64(file, node, DAG_FILE_AFTER);
    if (said != (uint32_t)kind)
        weft_builder_problem(file->builder, WEFT_ERROR, "unknown-kind", (uint64_t)node + 1,
                             "node %" PRIu32 " is of kind %" PRIu32 "; it is taken as %s",
                             node, said, node ? "other" : "a task, as it is the root");
    if (node)
        check_place(file, node, kind);
    if (kind >= WEFT_DAG_SECTION && first != after)
        claim(file, node, first, after);
    if (kind != WEFT_DAG_CREATE || first == 0)
        return;
    if (first > 0 && first < (int64_t)file->n - node
        && kind_of(file, node + (uint32_t)first) != WEFT_DAG_TASK) {
        report(file, "no-task", node, "what it says it created is no task");
        return;
    }
    claim(file, node, first, first < INT64_MAX ? first + 1 : first);
}

/* Numbers the remaining nodes if some are left out. */
static void number_nodes(struct dag_file *file)
{
    uint32_t next = 0;
    file->numbers = weft_alloc((size_t)file->n * sizeof *file->numbers);
    for (uint32_t i = 0; i < file->n; i++)
        file->numbers[i] = i && file->parents[i] == WEFT_NONE ? WEFT_NONE : next++;
    weft_builder_problem(file->builder, WEFT_ERROR, "left-out", 0,
                         "%" PRIu32 " of %" PRIu32 " nodes are inside none, and left out",
                         file->n_left_out, file->n);
}

bool dag_find_structure(struct dag_file *file, struct weft_job *job, struct weft_err *err)
{
    file->workers = weft_zalloc(DAG_MAX_WORKERS, sizeof *file->workers);
    file->parents = weft_alloc((size_t)file->n * sizeof *file->parents);
    file->counts = weft_alloc((size_t)file->n * sizeof *file->counts);
    memset(file->parents, 0xff, (size_t)file->n * sizeof *file->parents);
    for (uint32_t i = 0; i < file->n; i++) {
        file->counts[i] = 1;
        if (i && file->parents[i] == WEFT_NONE)
            file->n_left_out++;
        else
            look_at(file, i);
        if (i % STEP == 0) {
            weft_mapping_pass(&file->map, dag_file_node(i));
            if (!weft_job_step(job, i / 3, file->n,
                               err)) /* a third of the time of reading */
                return false;
        }
    }
    for (uint32_t i = file->n; i-- > 1;)
        if (file->parents[i] != WEFT_NONE)
            file->counts[file->parents[i]] += file->counts[i];
    if (file->n_left_out)
        number_nodes(file);
    return true;
}
