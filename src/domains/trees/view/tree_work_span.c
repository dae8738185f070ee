/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes work and span of a tree, the parallelism that the run used, and how long its
 * nodes waited.
 */
#include <math.h>
#include <stdlib.h>

#include "domains/trees/view/tree_prepared.h"
#include "domains/trees/view/tree_words.h"
#include "store/time.h"
#include "view/axis_ticks.h"

/* ---- Work and span ---- */

static void free_span(void *thing)
{
    struct tree_span *span = thing;
    weft_work_span_free(&span->of);
    weft_thread_span_free(&span->threads);
    free(span);
}

/* A trace with the times of suspensions also has the idle times of PEs. */
bool tree_knows_lengths(const struct weft_tree *tree, const struct weft_schema *schema)
{
    return !tree->has_reductions
           || weft_field_of_type(schema, tree->type, WEFT_ROLE_SINCE, WEFT_FIELD_INTEGER)
                  != WEFT_NONE;
}

static struct weft_span time_of(const struct weft_graph *graph)
{
    struct weft_span time = { INT64_MAX, INT64_MIN };
    for (uint32_t i = 0; i < graph->tree->n; i++) {
        int64_t last = weft_graph_end(graph, i);
        time.begin = graph->tree->time[i] < time.begin ? graph->tree->time[i] : time.begin;
        time.end = last > time.end ? last : time.end;
    }
    return time;
}

/* Returns the innermost call of a row that is open at a time, or WEFT_NONE. */
static uint32_t call_at(const struct weft_source *source, const struct weft_tree *tree,
                        uint32_t row, int64_t time)
{
    struct weft_innermost at;
    source->ops->values_at(source, &tree->pes[row].track, 1, time, &at);
    return at.id != WEFT_NO_ID ? weft_tree_find(tree, at.id) : WEFT_NONE;
}

/* Sets the path to the calls at both ends of each stretch of the longest path. */
static void find_calls(const struct weft_source *source, const struct weft_tree *tree,
                       struct tree_span *span)
{
    enum { MAX_STRETCHES = 20000 }; /* stretches: a picture shows no more corners */
    const struct weft_thread_span *threads = &span->threads;
    uint32_t n = threads->n_path < MAX_STRETCHES ? threads->n_path : MAX_STRETCHES;
    uint32_t *path = weft_alloc((2 * (size_t)n + 1) * sizeof *path);
    for (uint32_t i = 0; i < n; i++) {
        const struct weft_stretch *at = &threads->stretches[threads->path[i]];
        const int64_t times[] = { at->time.begin, at->time.end - 1 };
        for (int k = 0; k < 2; k++) {
            uint32_t node = call_at(source, tree, at->row, times[k]),
                     have = span->of.n_path;
            if (node != WEFT_NONE && (!have || path[have - 1] != node))
                path[span->of.n_path++] = node;
        }
    }
    span->of.path = path;
}

static bool measure_threads(const struct weft_prepare_args *args,
                            const struct weft_graph *graph, struct tree_span *span,
                            struct weft_err *err)
{
    const struct weft_source *source = args->set->sources[0];
    uint32_t at_work = 0;
    if (!weft_thread_span(source, graph->tree, args->job, &span->threads, err))
        return false;
    for (uint32_t i = 0; i < graph->tree->n_pes; i++)
        at_work += graph->tree->pes[i].count > 0;
    span->of.first_cyclic = WEFT_NONE;
    span->of.work = span->threads.work;
    span->of.span = span->threads.span;
    span->at_least = !span->threads.n_links && at_work > 1;
    find_calls(source, graph->tree, span);
    return true;
}

static bool make_span(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                      struct weft_err *err)
{
    const struct weft_held *held = tree_hold_graph(args, err);
    if (!held)
        return false;
    const struct weft_graph *graph = tree_graph_in(held);
    struct tree_span *span = weft_zalloc(1, sizeof *span);
    struct weft_span time = time_of(graph);
    span->unit = tree_knows_lengths(graph->tree, args->set->sources[0]->schema)
                     ? WEFT_WORK_IN_TICKS
                     : WEFT_WORK_IN_NODES;
    span->begin = time.begin;
    span->length = time.end - time.begin;
    bool ok = graph->hierarchy == WEFT_HIERARCHY_CREATION
                  ? weft_work_span(graph, span->unit, args->job, &span->of, err)
                  : measure_threads(args, graph, span, err);
    weft_release(held); /* a path does not refer to the graph */
    if (!ok) {
        free_span(span);
        return false;
    }
    *thing = span;
    *bytes = sizeof *span + span->of.n_path * sizeof *span->of.path
             + span->threads.n_stretches * sizeof *span->threads.stretches
             + span->threads.n_path * sizeof *span->threads.path;
    return true;
}

static const struct weft_preparation span_preparation = { "tree work and span", make_span,
                                                          free_span };

const struct tree_span *tree_span_of(struct weft_use *use, size_t source,
                                     struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources + source, 1 };
    return weft_use_get(use, &span_preparation, &one, NULL, 0, err);
}

double tree_span_offered(const struct tree_span *span)
{
    return span->of.span > 0 ? (double)span->of.work / (double)span->of.span : 0;
}

double tree_span_used(const struct tree_span *span, const struct weft_tree *tree)
{
    uint32_t busy = 0;
    for (uint32_t i = 0; i < tree->n_pes; i++)
        busy += tree->pes[i].count > 0;
    if (span->unit == WEFT_WORK_IN_NODES) /* at most one reduction on each PE at a time */
        return fmin(busy, tree_span_offered(span));
    return span->length > 0 ? (double)span->of.work / (double)span->length : 0;
}

static const char *amount_text(struct weft_arena *arena, const struct weft_schema *schema,
                               enum weft_work_unit unit, int64_t amount)
{
    char time[WEFT_TIME_TEXT];
    if (unit == WEFT_WORK_IN_NODES)
        return weft_number_text(arena, (double)amount, 0);
    return weft_arena_printf(arena, "%s", weft_duration_text(schema, amount, time));
}

const char *tree_span_text(struct weft_arena *arena, const struct tree_span *span,
                           const struct weft_tree *tree, const struct weft_schema *schema)
{
    bool in_nodes = span->unit == WEFT_WORK_IN_NODES;
    if (!span->of.work)
        return "no work was recorded, only waiting";
    const char *work = amount_text(arena, schema, span->unit, span->of.work);
    double offered = tree_span_offered(span), used = tree_span_used(span, tree);
    const char *way = amount_text(arena, schema, span->unit, span->of.span);
    const char *text = weft_arena_printf(
        arena, "work %s%s, span %s%s: parallelism %s%s, of which %s%s used (%s %%)", work,
        in_nodes ? " reductions" : "", span->at_least ? "at least " : "", way,
        span->at_least ? "at most " : "", weft_number_text(arena, offered, 1),
        in_nodes ? "at most " : "", weft_number_text(arena, used, 1),
        weft_number_text(arena, offered > 0 ? 100 * used / offered : 0, 1));
    if (span->threads.n_backward)
        text =
            weft_arena_printf(arena, "%s; %s links end before they begin", text,
                              weft_number_text(arena, (double)span->threads.n_backward, 0));
    if (span->of.n_cyclic)
        text = weft_arena_printf(arena, "%s; %s wait for themselves", text,
                                 weft_number_text(arena, span->of.n_cyclic, 0));
    return text;
}

/* ---- Waiting ---- */

struct waiting {
    const struct weft_tree *tree;
    const struct weft_tree_pe *pe;
    int64_t *ticks; /* by node: how long it waited */
};

static bool copy_since(void *user, const struct weft_field_run *run)
{
    const struct waiting *w = user;
    for (size_t i = 0; i < run->n; i++) {
        uint32_t node = run->ordinals[i] < w->pe->count
                            ? w->tree->node_of[w->pe->first + run->ordinals[i]]
                            : WEFT_NONE;
        if (node != WEFT_NONE && run->values[i] < w->tree->time[node]
            && run->values[i] > -WEFT_TIME_LIMIT)
            w->ticks[node] = w->tree->time[node] - run->values[i];
    }
    return true;
}

/* Shortens the waits of goals that were woken before they ran: they waited until then. */
static bool shorten_waits(void *user, const struct weft_field_run *run)
{
    const struct waiting *w = user;
    for (size_t i = 0; i < run->n; i++) {
        uint32_t node = run->ordinals[i] < w->pe->count
                            ? w->tree->node_of[w->pe->first + run->ordinals[i]]
                            : WEFT_NONE;
        if (node == WEFT_NONE || run->values[i] >= w->tree->time[node])
            continue;
        int64_t ready = w->tree->time[node] - weft_time_clamp(run->values[i]);
        w->ticks[node] = ready < w->ticks[node] ? w->ticks[node] - ready : 0;
    }
    return true;
}

static void read_suspensions(const struct weft_source *source, const struct weft_tree *tree,
                             int64_t *ticks)
{
    struct waiting w = { tree, NULL, ticks };
    uint32_t since =
        weft_field_of_type(source->schema, tree->type, WEFT_ROLE_SINCE, WEFT_FIELD_INTEGER);
    uint32_t woken =
        weft_field_of_type(source->schema, tree->type, WEFT_ROLE_WOKEN, WEFT_FIELD_INTEGER);
    for (uint32_t p = 0; p < tree->n_pes && since != WEFT_NONE; p++) {
        w.pe = &tree->pes[p];
        if (!w.pe->count)
            continue;
        source->ops->column(source, w.pe->track, since, copy_since, &w);
        if (woken != WEFT_NONE)
            source->ops->column(source, w.pe->track, woken, shorten_waits, &w);
    }
}

static bool make_waits(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                       struct weft_err *err)
{
    const struct weft_held *held = tree_hold_graph(args, err);
    if (!held)
        return false;
    const struct weft_graph *graph = tree_graph_in(held);
    uint32_t n = graph->tree->n;
    struct tree_waits *waits = weft_zalloc(1, sizeof *waits);
    waits->ticks = weft_zalloc((size_t)n + 1, sizeof *waits->ticks);
    if (graph->tree->has_reductions)
        read_suspensions(args->set->sources[0], graph->tree, waits->ticks);
    for (uint32_t i = 0; i < n; i++) {
        if (!graph->tree->has_reductions)
            waits->ticks[i] = weft_graph_waited(graph, i);
        waits->most = waits->ticks[i] > waits->most ? waits->ticks[i] : waits->most;
    }
    weft_release(held);
    *thing = waits;
    *bytes = sizeof *waits + n * sizeof *waits->ticks;
    return true;
}

static void free_waits(void *thing)
{
    struct tree_waits *waits = thing;
    free(waits->ticks);
    free(waits);
}

static const struct weft_preparation waits_preparation = { "tree waits", make_waits,
                                                           free_waits };

const struct tree_waits *tree_waits_of(struct weft_use *use, size_t source,
                                       struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources + source, 1 };
    return weft_use_get(use, &waits_preparation, &one, NULL, 0, err);
}
