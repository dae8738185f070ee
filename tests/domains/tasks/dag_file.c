/* SPDX-License-Identifier: Apache-2.0 */
#include "dag_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct position {
    uint64_t t;
    int64_t counters[4];
    int32_t worker, cpu;
    const char *file;
    int64_t file_idx, line;
};
struct node {
    struct position start, end;
    uint64_t est, t_1, t_inf, first_ready_t, last_start_t;
    uint64_t t_ready[5];
    int64_t logical_node_counts[4], logical_edge_counts[5];
    int64_t cur_node_count, min_node_count, n_child_create_tasks;
    int32_t worker, cpu;
    uint32_t kind, in_edge_kind;
    int64_t counters_1[4], counters_inf[4];
    int64_t edges_begin, edges_end;
    int64_t first, after;
};
static_assert(sizeof(struct position) == 72 && sizeof(struct node) == 432,
              "as in the file");
struct edge {
    uint32_t kind, nothing;
    int64_t u, v;
};

static int compare_edges(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;
    return a->u != b->u ? (a->u < b->u ? -1 : 1) : a->v < b->v ? -1 : a->v > b->v;
}

static const char names[] = "\0a.c\0dir/b.c";
static const int64_t name_offsets[] = { 0, 1, 5 };

static void put_site(struct position *at, uint32_t site)
{
    at->file_idx = site == WEFT_NONE ? 0 : 1 + site % 2;
    at->line = site == WEFT_NONE ? 0 : site + 1;
}

static struct node node_of(const struct weft_dag_node *is, uint32_t i)
{
    struct node node = { .est = (uint64_t)is->earliest,
                         .t_1 = (uint64_t)is->work,
                         .t_inf = (uint64_t)is->critical_path,
                         .first_ready_t = (uint64_t)is->first_ready,
                         .last_start_t = (uint64_t)is->last_start,
                         .cur_node_count = (int64_t)is->materialized,
                         .min_node_count = (int64_t)is->least,
                         .n_child_create_tasks = (int64_t)is->creates,
                         .worker = is->worker,
                         .cpu = is->cpu,
                         .kind = is->kind,
                         .in_edge_kind = is->in_edge };
    node.start.t = (uint64_t)is->begin;
    node.end.t = (uint64_t)is->end;
    put_site(&node.start, is->begin_site);
    put_site(&node.end, is->end_site);
    memcpy(node.t_ready, is->ready, sizeof node.t_ready);
    memcpy(node.logical_node_counts, is->leaves, sizeof node.logical_node_counts);
    memcpy(node.logical_edge_counts, is->edges, sizeof node.logical_edge_counts);
    memcpy(node.counters_1, is->counters, sizeof node.counters_1);
    memcpy(node.counters_inf, is->critical_counters, sizeof node.counters_inf);
    if (is->n) {
        node.first = is->first - i;
        node.after = node.first + is->n;
    } else if (is->created != WEFT_NONE) {
        node.first = is->created - i;
    }
    return node;
}

unsigned char *dag_file_make(const struct random_dag *dag, size_t *size)
{
    struct edge *edges = weft_alloc((dag->n_arcs + 1) * sizeof *edges);
    for (uint32_t a = 0; a < dag->n_arcs; a++)
        edges[a] =
            (struct edge){ dag->arcs[a].kind, 0, dag->arcs[a].from, dag->arcs[a].to };
    qsort(edges, dag->n_arcs, sizeof *edges, compare_edges);
    int64_t head[] = { dag->n, dag->n_arcs, 123456789, dag->n_workers };
    int64_t table[] = { 3, (int64_t)(32 + sizeof name_offsets + sizeof names), 77, 78 };
    size_t nodes_size = dag->n * sizeof(struct node),
           edges_size = dag->n_arcs * sizeof *edges;
    *size = 45 + sizeof head + nodes_size + edges_size + (size_t)table[1];
    unsigned char *bytes = weft_alloc(*size), *at = bytes;
    memcpy(at, "DAG_RECORDER FORMAT VERSION  1.24 2014/09/18\n", 45);
    at += 45;
    memcpy(at, head, sizeof head);
    at += sizeof head;
    int64_t edge = 0;
    for (uint32_t i = 0; i < dag->n; i++, at += sizeof(struct node)) {
        struct node node = node_of(&dag->nodes[i], i);
        node.edges_begin = edge;
        while (edge < dag->n_arcs && edges[edge].u == i)
            edge++;
        node.edges_end = edge;
        memcpy(at, &node, sizeof node);
    }
    memcpy(at, edges, edges_size);
    at += edges_size;
    memcpy(at, table, sizeof table);
    at += sizeof table;
    memcpy(at, name_offsets, sizeof name_offsets);
    memcpy(at + sizeof name_offsets, names, sizeof names);
    free(edges);
    return bytes;
}
