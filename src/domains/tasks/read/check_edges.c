/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the edges of a file, which are redundant, against the structure. */
#include <inttypes.h>

#include "domains/tasks/read/dag_recorder_priv.h"

struct arc {
    uint32_t to;
    enum weft_dag_edge kind;
};

/* Limit of the steps down into sections and tasks per node, on average.  A real run needs
   about two; with many tasks before a deep nest it would be O(n^2). */
enum { MAX_STEPS = 100 };

static uint32_t first_in(const struct dag_file *file, uint32_t node,
                         struct dag_edges *edges)
{
    for (;; edges->steps++) {
        struct dag_inside inside = dag_inside_of(file, node);
        if (!inside.n)
            return node;
        node = inside.first;
    }
}

/* The next sibling of NODE, or WEFT_NONE. */
static uint32_t next_of(const struct dag_file *file, uint32_t node)
{
    struct dag_inside parent;
    if (!node)
        return WEFT_NONE;
    parent = dag_inside_of(file, file->parents[node]);
    return parent.n && node - parent.first < parent.n - 1 ? node + 1 : WEFT_NONE;
}

/* The node after the wait that joins a task, given the task's create. */
static uint32_t after_join(const struct dag_file *file, uint32_t create)
{
    return create && dag_inside_of(file, file->parents[create]).kind == WEFT_DAG_SECTION
               ? next_of(file, file->parents[create])
               : WEFT_NONE;
}

static size_t expected_arcs(const struct dag_file *file, uint32_t node,
                            struct dag_edges *edges, struct arc out[2])
{
    struct dag_inside inside = dag_inside_of(file, node);
    enum weft_dag_edge kind = WEFT_DAG_EDGE_WAIT_CONTINUATION;
    uint32_t next = next_of(file, node);
    size_t n = 0;
    if (inside.created != WEFT_NONE)
        out[n++] =
            (struct arc){ first_in(file, inside.created, edges), WEFT_DAG_EDGE_CREATE };
    if (inside.kind == WEFT_DAG_CREATE)
        kind = WEFT_DAG_EDGE_CREATE_CONTINUATION;
    else if (inside.kind == WEFT_DAG_OTHER)
        kind = WEFT_DAG_EDGE_OTHER_CONTINUATION;
    else if (inside.kind == WEFT_DAG_WAIT && next == WEFT_NONE)
        next = node ? next_of(file, file->parents[node]) : WEFT_NONE;
    if (inside.kind == WEFT_DAG_TASK || inside.kind == WEFT_DAG_END) {
        uint32_t task = inside.kind == WEFT_DAG_TASK || !node ? node : file->parents[node];
        kind = WEFT_DAG_EDGE_END;
        next = task ? after_join(file, file->parents[task]) : WEFT_NONE;
    }
    if (next != WEFT_NONE)
        out[n++] = (struct arc){ first_in(file, next, edges), kind };
    return n;
}

void dag_check_edges(const struct dag_file *file, struct dag_edges *edges, uint32_t node)
{
    struct arc expected[2];
    edges->given_up |= edges->steps > MAX_STEPS * (uint64_t)file->n;
    if (edges->given_up)
        return;
    size_t n = dag_inside_of(file, node).n ? 0 : expected_arcs(file, node, edges, expected);
    size_t met = 0;
    uint64_t base = dag_file_node(file->n);
    for (; edges->at < file->n_edges; edges->at++) {
        uint64_t at = base + edges->at * DAG_FILE_EDGE;
        int64_t kind = dag_file_i64(file, at) & UINT32_MAX;
        int64_t from = dag_file_i64(file, at + 8), to = dag_file_i64(file, at + 16);
        if (from > (int64_t)node)
            break;
        edges->unsorted |= from < edges->before;
        edges->before = from;
        bool agrees = false;
        for (size_t i = 0; i < n && from == (int64_t)node; i++)
            agrees |= expected[i].to == to && (int64_t)expected[i].kind == kind;
        met += agrees;
        if (!agrees && edges->wrong++ == 0)
            edges->first_wrong = (uint32_t)edges->at;
    }
    edges->missing += n - (met < n ? met : n);
}

void dag_report_edges(const struct dag_file *file, const struct dag_edges *edges)
{
    if (edges->given_up) {
        weft_builder_problem(file->builder, WEFT_WARNING, "edges-not-compared", 0,
                             "after %" PRIu64 " of %" PRIu64 " edges it was given up to "
                             "compare them with what is inside what",
                             edges->at, file->n_edges);
        return;
    }
    uint64_t wrong = edges->wrong + (file->n_edges - edges->at);
    uint64_t first = edges->wrong ? edges->first_wrong : edges->at;
    if (wrong)
        weft_builder_problem(file->builder, WEFT_WARNING, "wrong-edges", 0,
                             "%" PRIu64 " of %" PRIu64
                             " edges are not those that follow from what is inside "
                             "what%s, the first is edge %" PRIu64 "; they are not used",
                             wrong, file->n_edges,
                             edges->unsorted ? ", or are out of order" : "", first);
    if (edges->missing)
        weft_builder_problem(file->builder, WEFT_WARNING, "missing-edges", 0,
                             "%" PRIu64 " edges are missing that follow from what is "
                             "inside what",
                             edges->missing);
}
