/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/analyse/work_span.h"

#include <stdlib.h>
#include <string.h>

#include "store/time.h"

enum { STEP = 1 << 14 }; /* nodes between two looks at the job: about a millisecond */

struct work_search {
    const struct weft_graph *graph;
    bool by_creation;
    enum weft_work_unit unit;
    uint32_t *waits;  /* by node: unfinished nodes that it waits for */
    int64_t *longest; /* by node: length of the longest path to its end */
    uint32_t *before; /* by node: the node before it on that path, or WEFT_NONE */
    uint32_t *ready;  /* nodes without unfinished waits, in the order of finishing */
    uint32_t n_ready;
};

/* Returns true if an edge's target must wait for its source. */
static bool orders(const struct work_search *s, uint32_t edge)
{
    enum weft_role role = weft_tree_edge_role(s->graph->edges, edge);
    if (role == WEFT_ROLE_WAKE_UP || role == WEFT_ROLE_MIGRATION)
        return false;
    return !s->by_creation
           || (role != WEFT_ROLE_END && role != WEFT_ROLE_CREATE_CONTINUATION
               && role != WEFT_ROLE_WAIT_CONTINUATION);
}

static int64_t work_of(const struct work_search *s, uint32_t node)
{
    return s->unit == WEFT_WORK_IN_TICKS ? weft_graph_work(s->graph, node)
                                         : s->graph->tree->ordinal[node] != WEFT_NONE;
}

static bool count_waits(struct work_search *s, struct weft_job *job, struct weft_err *err)
{
    const struct weft_tree *tree = s->graph->tree;
    const struct weft_tree_edges *edges = s->graph->edges;
    for (uint32_t i = 0; i < tree->n; i++) {
        if (i % STEP == 0 && !weft_job_step(job, 0, tree->n, err))
            return false;
        s->before[i] = WEFT_NONE;
        s->waits[i] += s->by_creation && tree->parent[i] != WEFT_NONE;
        for (uint32_t e = edges->out_begin[i]; e < edges->out_begin[i + 1]; e++)
            if (edges->to[e] != i && orders(s, e))
                s->waits[edges->to[e]]++;
    }
    for (uint32_t i = 0; i < tree->n; i++)
        if (!s->waits[i])
            s->ready[s->n_ready++] = i;
    return true;
}

/* NODE has finished: TO has one less to wait for. */
static void pass_on(struct work_search *s, uint32_t node, uint32_t to)
{
    if (s->before[to] == WEFT_NONE || s->longest[node] > s->longest[s->before[to]])
        s->before[to] = node;
    if (--s->waits[to] == 0)
        s->ready[s->n_ready++] = to;
}

static void finish_node(struct work_search *s, uint32_t node)
{
    const struct weft_tree *tree = s->graph->tree;
    const struct weft_tree_edges *edges = s->graph->edges;
    uint32_t before = s->before[node];
    s->longest[node] =
        weft_ticks_add(before == WEFT_NONE ? 0 : s->longest[before], work_of(s, node));
    for (uint32_t c = tree->first_child[node];
         s->by_creation && c < tree->first_child[node + 1]; c++)
        pass_on(s, node, c);
    for (uint32_t e = edges->out_begin[node]; e < edges->out_begin[node + 1]; e++)
        if (edges->to[e] != node && orders(s, e))
            pass_on(s, node, edges->to[e]);
}

static bool search(struct work_search *s, struct weft_job *job, struct weft_err *err)
{
    if (!count_waits(s, job, err))
        return false;
    for (uint32_t i = 0; i < s->n_ready; i++) {
        if (i % STEP == 0 && !weft_job_step(job, i, s->graph->tree->n, err))
            return false;
        finish_node(s, s->ready[i]);
    }
    return true;
}

static void report(const struct work_search *s, struct weft_work_span *out)
{
    uint32_t n = s->graph->tree->n, last = WEFT_NONE;
    for (uint32_t i = n; i-- > 0;) {
        out->work = weft_ticks_add(out->work, work_of(s, i));
        if (s->waits[i])
            out->first_cyclic = i;
        else if (last == WEFT_NONE || s->longest[i] >= s->longest[last])
            last = i;
    }
    out->n_cyclic = n - s->n_ready;
    if (last == WEFT_NONE)
        return;
    out->span = s->longest[last];
    for (uint32_t i = last; i != WEFT_NONE; i = s->before[i])
        out->n_path++;
    out->path = weft_alloc(out->n_path * sizeof *out->path);
    uint32_t at = out->n_path;
    for (uint32_t i = last; i != WEFT_NONE; i = s->before[i])
        out->path[--at] = i;
}

bool weft_work_span(const struct weft_graph *graph, enum weft_work_unit unit,
                    struct weft_job *job, struct weft_work_span *out, struct weft_err *err)
{
    size_t n = (size_t)graph->tree->n + 1;
    struct work_search s = { .graph = graph,
                             .unit = unit,
                             .by_creation = graph->hierarchy == WEFT_HIERARCHY_CREATION };
    *out = (struct weft_work_span){ .first_cyclic = WEFT_NONE };
    s.waits = weft_zalloc(n, sizeof *s.waits);
    s.longest = weft_alloc(n * sizeof *s.longest);
    s.before = weft_alloc(n * sizeof *s.before);
    s.ready = weft_alloc(n * sizeof *s.ready);
    bool ok = search(&s, job, err);
    if (ok)
        report(&s, out);
    free(s.waits);
    free(s.longest);
    free(s.before);
    free(s.ready);
    return ok;
}

void weft_work_span_free(struct weft_work_span *span)
{
    free(span->path);
    *span = (struct weft_work_span){ .first_cyclic = WEFT_NONE };
}
