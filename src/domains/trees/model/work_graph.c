/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/model/work_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/parallel.h"
#include "domains/trees/model/idle.h"
#include "domains/trees/model/tree_tasks.h"
#include "store/time.h"

enum { STEP = 1 << 14 }; /* states between two looks at the job: below a millisecond */

/* ---- Durations ---- */

/* Stores TICKS [n], none of them negative, in less memory. */
static void pack(struct weft_durations *out, const int64_t *ticks, uint32_t n)
{
    out->ticks = weft_alloc(((size_t)n + 1) * sizeof *out->ticks);
    for (uint32_t i = 0; i < n; i++) {
        bool fits = ticks[i] < WEFT_NONE;
        out->ticks[i] = fits ? (uint32_t)ticks[i] : WEFT_NONE;
        if (fits)
            continue;
        weft_id_map_put(&out->index, i, (uint32_t)out->n_longer);
        out->longer =
            weft_grow(out->longer, &out->capacity, out->n_longer + 1, sizeof *out->longer);
        out->longer[out->n_longer++] = ticks[i];
    }
}

static int64_t duration_of(const struct weft_durations *of, uint32_t node)
{
    return of->ticks[node] != WEFT_NONE ? of->ticks[node]
                                        : of->longer[weft_id_map_get(&of->index, node)];
}

static size_t durations_bytes(const struct weft_durations *of, uint32_t n)
{
    enum { SLOT = 16 }; /* bytes of a slot of the map; half of them are in use */
    return n * sizeof *of->ticks + of->n_longer * (2 * SLOT + sizeof *of->longer);
}

static void durations_free(struct weft_durations *of)
{
    free(of->ticks);
    free(of->longer);
    weft_id_map_free(&of->index);
}

/* ---- Times ---- */

struct graph_times {
    const struct weft_source *source;
    const struct weft_graph *graph;
    int64_t *end, *work, *waited; /* by node, in ticks */
    const struct weft_waiting *waiting;
    uint32_t *groups; /* [n_groups + 1]: the first row of each container */
    uint32_t n_groups;
    struct weft_job *job;
};

struct row_walk {
    const struct graph_times *times;
    const struct weft_tree_pe *row;
    struct open { /* the open states, by depth */
        uint32_t node;
        int64_t own;    /* ticks outside of the states inside it */
        int64_t waited; /* ticks of `own` in which its thread did not work */
        bool waits;     /* its value means waiting: all of `own` is */
    } * open;
    const struct weft_idle_times *idle; /* or NULL */
    size_t n_open, capacity;
    uint32_t seen;
    bool by_roles; /* values tell waiting from work */
};

/* Closes the states from DEPTH on and adds their work and waiting to their nodes. */
static void close_from(struct row_walk *walk, size_t depth)
{
    while (walk->n_open > depth) {
        const struct open *open = &walk->open[--walk->n_open];
        const struct graph_times *times = walk->times;
        if (open->node == WEFT_NONE || open->own <= 0)
            continue;
        int64_t waited = open->waits ? open->own : open->waited;
        waited = waited < 0 ? 0 : waited > open->own ? open->own : waited;
        times->work[open->node] =
            weft_ticks_add(times->work[open->node], open->own - waited);
        times->waited[open->node] = weft_ticks_add(times->waited[open->node], waited);
    }
}

static bool add_state(void *user, const struct weft_state *state)
{
    struct row_walk *walk = user;
    const struct graph_times *times = walk->times;
    const struct weft_tree *tree = times->graph->tree;
    uint64_t ordinal = weft_entity_ordinal(state->id);
    int64_t length = weft_ticks_length(state->begin, state->end);
    if (++walk->seen % STEP == 0 && weft_job_cancelled(times->job))
        return false;
    close_from(walk, state->depth);
    int64_t waited = walk->idle ? weft_idle_until(walk->idle, state->end)
                                      - weft_idle_until(walk->idle, state->begin)
                                : 0;
    if (walk->n_open) {
        walk->open[walk->n_open - 1].own -= length;
        walk->open[walk->n_open - 1].waited -= waited;
    }
    uint32_t node =
        ordinal < walk->row->count ? tree->node_of[walk->row->first + ordinal] : WEFT_NONE;
    walk->open =
        weft_grow(walk->open, &walk->capacity, walk->n_open + 1, sizeof *walk->open);
    bool waits = walk->by_roles && state->value != WEFT_NONE
                 && weft_role_waits(times->source->schema->values[state->value].role);
    walk->open[walk->n_open++] = (struct open){ node, length, waited, waits };
    if (node != WEFT_NONE && state->end > times->end[node])
        times->end[node] = state->end;
    return true;
}

static void walk_row(const struct graph_times *times, uint32_t row, struct weft_idle *idle)
{
    const struct weft_span all = { INT64_MIN, INT64_MAX };
    struct row_walk walk = { .times = times, .row = &times->graph->tree->pes[row] };
    if (walk.row->track == WEFT_NONE || weft_job_cancelled(times->job))
        return;
    walk.by_roles = times->graph->hierarchy == WEFT_HIERARCHY_CONTAINMENT;
    if (walk.by_roles)
        walk.idle = weft_idle_of(idle, walk.row->track);
    times->source->ops->states(times->source, walk.row->track, all, add_state, &walk);
    close_from(&walk, 0);
    free(walk.open);
}

/*
 * Walks the rows of a container. Different rows have no node in common, except nodes of
 * several pieces.
 */
static void walk_group(void *user, size_t group)
{
    const struct graph_times *times = user;
    struct weft_idle idle = { .waiting = times->waiting };
    for (uint32_t row = times->groups[group]; row < times->groups[group + 1]; row++)
        walk_row(times, row, &idle);
    weft_idle_end(&idle);
}

static void group_rows(struct graph_times *times)
{
    const struct weft_tree *tree = times->graph->tree;
    times->groups = weft_alloc(((size_t)tree->n_pes + 1) * sizeof *times->groups);
    for (uint32_t p = 0; p < tree->n_pes; p++)
        if (!p || tree->pes[p].container != tree->pes[p - 1].container)
            times->groups[times->n_groups++] = p;
    times->groups[times->n_groups] = tree->n_pes;
}

/*
 * A node of several pieces may be on several rows, so such graphs are walked by one thread.
 */
static bool walk_rows(struct graph_times *times, struct weft_err *err)
{
    enum { ROUND = 64 }; /* containers between two looks at the job */
    struct weft_waiting waiting;
    bool ok = true;
    weft_waiting_begin(&waiting, times->source);
    times->waiting = &waiting;
    group_rows(times);
    for (uint32_t g = 0; g < times->n_groups && ok && times->graph->n_pieces; g++) {
        walk_group(times, g);
        ok = g % ROUND || weft_job_step(times->job, g, times->n_groups, err);
    }
    if (!times->graph->n_pieces)
        weft_parallel(times->n_groups, 1, walk_group, times);
    free(times->groups);
    weft_waiting_end(&waiting);
    return ok && weft_job_step(times->job, times->n_groups, times->n_groups, err);
}

/* Nodes without an entity (threads, the added root) end with the last child. */
static void end_containers(const struct weft_tree *tree, int64_t *end)
{
    for (uint32_t i = tree->n; i-- > 1;) {
        uint32_t parent = tree->parent[i];
        if (tree->ordinal[parent] == WEFT_NONE && end[i] > end[parent])
            end[parent] = end[i];
    }
}

static bool read_times(struct weft_graph *graph, const struct weft_source *source,
                       struct weft_job *job, struct weft_err *err)
{
    const struct weft_tree *tree = graph->tree;
    struct graph_times times = { .source = source, .graph = graph, .job = job };
    times.end = weft_alloc(((size_t)tree->n + 1) * sizeof *times.end);
    times.work = weft_zalloc((size_t)tree->n + 1, sizeof *times.work);
    times.waited = weft_zalloc((size_t)tree->n + 1, sizeof *times.waited);
    memcpy(times.end, tree->time, tree->n * sizeof *times.end);
    bool ok = walk_rows(&times, err);
    end_containers(tree, times.end);
    pack(&graph->work, times.work, tree->n);
    free(times.work);
    pack(&graph->waited, times.waited, tree->n);
    free(times.waited);
    for (uint32_t i = 0; i < tree->n; i++)
        times.end[i] = weft_ticks_length(tree->time[i], times.end[i]);
    pack(&graph->length, times.end, tree->n);
    free(times.end);
    return ok;
}

/* ---- Pieces ---- */

/* Returns true if ORDINAL is the entity that its node has in the tree. */
static bool is_first(const struct weft_tree *tree, const struct weft_tree_pe *row,
                     uint64_t ordinal)
{
    uint32_t node = tree->node_of[row->first + ordinal];
    return tree->ordinal[node] == ordinal && &tree->pes[tree->pe[node]] == row;
}

struct timed_piece {
    struct weft_graph_piece piece;
    int64_t begin;
};

static int by_node(const void *a, const void *b)
{
    const struct timed_piece *x = a, *y = b;
    return WEFT_COMPARE(x->piece.node, y->piece.node) ?: WEFT_COMPARE(x->begin, y->begin)
           ?: WEFT_COMPARE(x->piece.id, y->piece.id);
}

/* Lists the states of nodes of several pieces; returns how many. */
static size_t list_pieces(const struct weft_tree *tree, struct timed_piece **list)
{
    uint8_t *several = weft_zalloc((size_t)tree->n + 1, sizeof *several);
    size_t n = 0, capacity = 0;
    *list = NULL;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t p = 0; p < tree->n_pes; p++)
            for (uint64_t i = 0; i < tree->pes[p].count; i++) {
                uint32_t node = tree->node_of[tree->pes[p].first + i];
                if (node == WEFT_NONE)
                    continue;
                if (pass == 0)
                    several[node] |= !is_first(tree, &tree->pes[p], i);
                if (pass == 0 || !several[node])
                    continue;
                *list = weft_grow(*list, &capacity, n + 1, sizeof **list);
                (*list)[n++] =
                    (struct timed_piece){ { weft_entity_id(tree->pes[p].track, i), node },
                                          0 };
            }
    free(several);
    return n;
}

static bool read_pieces(struct weft_graph *graph, const struct weft_source *source,
                        struct weft_job *job, struct weft_err *err)
{
    struct timed_piece *list;
    size_t n = list_pieces(graph->tree, &list);
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) {
        struct weft_state state;
        ok = i % STEP || weft_job_step(job, i, n, err);
        if (source->ops->state(source, list[i].piece.id, &state))
            list[i].begin = state.begin;
    }
    if (n)
        qsort(list, n, sizeof *list, by_node);
    graph->pieces = weft_alloc((n + 1) * sizeof *graph->pieces);
    for (size_t i = 0; i < n; i++)
        graph->pieces[i] = list[i].piece;
    graph->n_pieces = (uint32_t)n;
    free(list);
    return ok;
}

const struct weft_graph_piece *weft_graph_pieces(const struct weft_graph *graph,
                                                 uint32_t node, uint32_t *n)
{
    uint32_t first = WEFT_FIRST(i, 0, graph->n_pieces, graph->pieces[i].node >= node);
    *n = 0;
    while (first + *n < graph->n_pieces && graph->pieces[first + *n].node == node)
        ++*n;
    return *n ? &graph->pieces[first] : NULL;
}

/* ---- Reading ---- */

bool weft_graph_fills(const struct weft_source *source)
{
    return weft_tree_task_type(source->schema) != WEFT_NONE || weft_tree_fills(source);
}

/*
 * Adds the times and pieces to a graph with a tree and edges; frees the graph on failure.
 */
static struct weft_graph *finish(struct weft_graph *graph, const struct weft_source *source,
                                 struct weft_job *job, struct weft_err *err)
{
    uint32_t tasks = weft_tree_task_type(source->schema);
    bool of_tasks = tasks != WEFT_NONE && graph->tree->type == tasks;
    graph->hierarchy = of_tasks || graph->tree->has_reductions ? WEFT_HIERARCHY_CREATION
                                                               : WEFT_HIERARCHY_CONTAINMENT;
    if ((!of_tasks || read_pieces(graph, source, job, err))
        && read_times(graph, source, job, err))
        return graph;
    weft_graph_free(graph);
    return NULL;
}

struct weft_graph *weft_graph_read(const struct weft_source *source, struct weft_job *job,
                                   struct weft_err *err)
{
    struct weft_graph *graph = weft_zalloc(1, sizeof *graph);
    uint32_t tasks = weft_tree_task_type(source->schema);
    graph->own_tree = tasks == WEFT_NONE ? weft_tree_read(source, job, err)
                                         : weft_tree_read_tasks(source, tasks, job, err);
    if (graph->own_tree)
        graph->own_edges = weft_tree_edges_read(graph->own_tree, source, job, err);
    graph->tree = graph->own_tree;
    graph->edges = graph->own_edges;
    if (graph->edges)
        return finish(graph, source, job, err);
    weft_graph_free(graph);
    return NULL;
}

struct weft_graph *weft_graph_of(const struct weft_source *source,
                                 const struct weft_tree *tree,
                                 const struct weft_tree_edges *edges, struct weft_job *job,
                                 struct weft_err *err)
{
    struct weft_graph *graph = weft_zalloc(1, sizeof *graph);
    graph->tree = tree;
    graph->edges = edges;
    return finish(graph, source, job, err);
}

void weft_graph_free(struct weft_graph *graph)
{
    if (!graph)
        return;
    weft_tree_free(graph->own_tree);
    weft_tree_edges_free(graph->own_edges);
    durations_free(&graph->length);
    durations_free(&graph->work);
    durations_free(&graph->waited);
    free(graph->pieces);
    free(graph);
}

size_t weft_graph_bytes(const struct weft_graph *graph)
{
    return sizeof *graph + (graph->own_tree ? weft_tree_bytes(graph->own_tree) : 0)
           + (graph->own_edges ? weft_tree_edges_bytes(graph->own_edges) : 0)
           + durations_bytes(&graph->length, graph->tree->n)
           + durations_bytes(&graph->work, graph->tree->n)
           + durations_bytes(&graph->waited, graph->tree->n)
           + graph->n_pieces * sizeof *graph->pieces;
}

/* ---- Asking ---- */

uint32_t weft_graph_node(const struct weft_graph *graph, uint64_t id)
{
    return weft_tree_find(graph->tree, id);
}

uint64_t weft_graph_entity(const struct weft_graph *graph, uint32_t node)
{
    return weft_tree_id(graph->tree, node);
}

int64_t weft_graph_begin(const struct weft_graph *graph, uint32_t node)
{
    return graph->tree->time[node];
}

int64_t weft_graph_end(const struct weft_graph *graph, uint32_t node)
{
    return weft_ticks_add(graph->tree->time[node], duration_of(&graph->length, node));
}

int64_t weft_graph_work(const struct weft_graph *graph, uint32_t node)
{
    return duration_of(&graph->work, node);
}

int64_t weft_graph_waited(const struct weft_graph *graph, uint32_t node)
{
    return duration_of(&graph->waited, node);
}
