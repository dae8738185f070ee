/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/model/tree_time_sizes.h"

#include <stdlib.h>

#include "base/compare.h"

enum { STEP = 1 << 14 }; /* nodes between two looks at the job: about a millisecond */

/* ---- Sums ---- */

static bool sum_work(const struct weft_graph *graph, double *sizes, struct weft_job *job,
                     struct weft_err *err)
{
    const struct weft_tree *tree = graph->tree;
    for (uint32_t i = 0; i < tree->n; i++)
        sizes[i] = (double)weft_graph_work(graph, i);
    for (uint32_t i = tree->n; i-- > 1;) { /* children have higher numbers than parents */
        if (i % STEP == 0 && !weft_job_step(job, tree->n - i, tree->n, err))
            return false;
        sizes[tree->parent[i]] += sizes[i];
    }
    return true;
}

/* ---- Shared time ---- */

struct child_change { /* a child begins or ends */
    int64_t time;
    uint32_t child;
    bool begins;
};

struct time_shares {
    const struct weft_graph *graph;
    double *sizes;
    struct child_change *changes;
    size_t capacity;
};

static int by_time(const void *a, const void *b)
{
    const struct child_change *x = a, *y = b;
    return WEFT_COMPARE(x->time, y->time) ?: WEFT_COMPARE(x->child, y->child);
}

/* Returns a child's interval, cut to its parent's. */
static struct weft_span inside(const struct weft_graph *graph, uint32_t parent,
                               uint32_t child)
{
    struct weft_span in = { weft_graph_begin(graph, child), weft_graph_end(graph, child) };
    int64_t begin = weft_graph_begin(graph, parent), end = weft_graph_end(graph, parent);
    in.begin = in.begin < begin ? begin : in.begin;
    in.end = in.end > end ? end : in.end;
    in.end = in.end < in.begin ? in.begin : in.end;
    return in;
}

/* Returns true if the children, which are in order of begin, do not overlap. */
static bool in_turn(const struct weft_graph *graph, uint32_t parent,
                    struct weft_tree_run children)
{
    int64_t last = INT64_MIN;
    for (uint32_t c = children.begin; c < children.end; c++) {
        struct weft_span in = inside(graph, parent, c);
        if (in.begin < last)
            return false;
        last = in.end;
    }
    return true;
}

/*
 * Gives each of K children that run at once 1 / K of that time. `sum` runs over such
 * shares, and a child gets the sum at its end less that at its begin.
 */
static void share_time(struct time_shares *s, uint32_t parent,
                       struct weft_tree_run children)
{
    size_t n = 0, running = 0;
    double sum = 0;
    s->changes =
        weft_grow(s->changes, &s->capacity, 2 * ((size_t)children.end - children.begin) + 1,
                  sizeof *s->changes);
    for (uint32_t c = children.begin; c < children.end; c++) {
        struct weft_span in = inside(s->graph, parent, c);
        s->sizes[c] = 0;
        if (in.begin == in.end)
            continue;
        s->changes[n++] = (struct child_change){ in.begin, c, true };
        s->changes[n++] = (struct child_change){ in.end, c, false };
    }
    qsort(s->changes, n, sizeof *s->changes, by_time);
    for (size_t i = 0; i < n; i++) {
        const struct child_change *change = &s->changes[i];
        if (running)
            sum += (double)(change->time - s->changes[i - 1].time) / (double)running;
        s->sizes[change->child] += change->begins ? -sum : sum;
        running += change->begins ? 1 : (size_t)-1;
    }
}

/* Computes the sizes of a node's children from its own size. */
static void size_children(struct time_shares *s, uint32_t parent)
{
    const struct weft_graph *graph = s->graph;
    struct weft_tree_run children = { graph->tree->first_child[parent],
                                      graph->tree->first_child[parent + 1] };
    double length =
        (double)(weft_graph_end(graph, parent) - weft_graph_begin(graph, parent));
    double scale = length > 0 ? s->sizes[parent] / length : 0;
    if (in_turn(graph, parent, children)) {
        for (uint32_t c = children.begin; c < children.end; c++) {
            struct weft_span in = inside(graph, parent, c);
            s->sizes[c] = (double)(in.end - in.begin);
        }
    } else {
        share_time(s, parent, children);
    }
    for (uint32_t c = children.begin; c < children.end; c++)
        s->sizes[c] *= scale;
}

static bool share_all(const struct weft_graph *graph, double *sizes, struct weft_job *job,
                      struct weft_err *err)
{
    struct time_shares s = { .graph = graph, .sizes = sizes };
    bool ok = true;
    sizes[0] = (double)(weft_graph_end(graph, 0) - weft_graph_begin(graph, 0));
    for (uint32_t i = 0; i < graph->tree->n && ok; i++) {
        size_children(&s, i);
        ok = i % STEP || weft_job_step(job, i, graph->tree->n, err);
    }
    free(s.changes);
    return ok;
}

double *weft_tree_sizes(const struct weft_graph *graph, enum weft_tree_measure measure,
                        struct weft_job *job, struct weft_err *err)
{
    double *sizes = weft_alloc(((size_t)graph->tree->n + 1) * sizeof *sizes);
    bool inside_parents = graph->hierarchy == WEFT_HIERARCHY_CONTAINMENT;
    if (measure == WEFT_TREE_TIME && inside_parents ? share_all(graph, sizes, job, err)
                                                    : sum_work(graph, sizes, job, err))
        return sizes;
    free(sizes);
    return NULL;
}
