/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows a row for each processing element (or thread): its reductions, the time that it was
 * busy, the suspensions of its goals, and its reductions with the parent on another PE.
 */
#include <stdlib.h>
#include <string.h>

#include "domains/trees/view/tree_damage.h"
#include "domains/trees/view/tree_prepared.h"
#include "domains/trees/view/tree_words.h"
#include "domains/trees/view/views.h"
#include "store/time.h"
#include "view/bars.h"

struct pe {
    uint64_t reductions, suspensions, in, out;
    int64_t busy;
    bool damaged; /* some of its reductions are unreadable: sums are unknown */
};

struct pes {
    const struct tree_span *span;
    struct tree_words words;
    const struct weft_tree *tree;
    const struct weft_source *source;
    struct pe *list;
    bool has_suspensions;
    bool damaged; /* some row is damaged, at any time: numbers that need the tree are
                     unknown */
};

struct field_total {
    uint64_t *sum;
    bool ones; /* count the entities with the field instead of adding its values */
};

static bool add_run(void *user, const struct weft_field_run *run)
{
    struct field_total *total = user;
    for (size_t i = 0; i < run->n; i++)
        *total->sum += total->ones ? 1 : run->values[i] > 0 ? (uint64_t)run->values[i] : 0;
    return true;
}

/*
 * Counts suspensions: the sum of the field `waits`, or without it the goals with `since`.
 */
static void count_suspensions(struct pes *pes)
{
    const struct weft_schema *schema = pes->source->schema;
    if (pes->tree->type == WEFT_NONE)
        return;
    uint32_t type = pes->tree->type;
    uint32_t many = weft_field_of_type(schema, type, WEFT_ROLE_WAITS, WEFT_FIELD_INTEGER);
    uint32_t since = weft_field_of_type(schema, type, WEFT_ROLE_SINCE, WEFT_FIELD_INTEGER);
    uint32_t field = many != WEFT_NONE ? many : since;
    pes->has_suspensions = field != WEFT_NONE;
    for (uint32_t p = 0; field != WEFT_NONE && p < pes->tree->n_pes; p++) {
        struct field_total total = { &pes->list[p].suspensions, many == WEFT_NONE };
        if (pes->tree->pes[p].track != WEFT_NONE)
            pes->source->ops->column(pes->source, pes->tree->pes[p].track, field, add_run,
                                     &total);
    }
}

/* Adds the work, without waiting, of the nodes that begin in the window. */
static bool measure_work(struct pes *pes, const struct weft_request *request,
                         struct weft_err *err)
{
    const struct weft_graph *graph = tree_graph_of(request->use, 0, err);
    for (uint32_t i = 0; graph && i < graph->tree->n; i++)
        if (graph->tree->ordinal[i] != WEFT_NONE
            && graph->tree->time[i] >= request->window.begin
            && graph->tree->time[i] <= request->window.end)
            pes->list[graph->tree->pe[i]].busy += weft_graph_work(graph, i);
    return graph != NULL;
}

/*
 * Measures for how long each PE had a state. Sums by value would tell it, too, but cost all
 * values for each PE.
 */
static bool measure_busy(struct pes *pes, const struct weft_request *request,
                         struct weft_arena *arena, struct weft_err *err)
{
    enum { AT_ONCE = 64 }; /* PEs queried between two looks at the job */
    const struct weft_tree *tree = pes->tree;
    uint32_t n_values = pes->source->schema->n_values;
    uint8_t *of = weft_arena_alloc(arena, n_values + 1);
    memset(of, 1, n_values + 1);
    const struct weft_classing classing = { .of = of, .none = 0 };
    for (uint32_t p = 0; p < tree->n_pes;) {
        struct weft_class_query queries[AT_ONCE];
        int64_t ticks[AT_ONCE][WEFT_TALLIES] = { { 0 } };
        uint32_t asked[AT_ONCE], n = 0;
        for (; n < AT_ONCE && p < tree->n_pes; p++) {
            if (tree->pes[p].track == WEFT_NONE)
                continue;
            asked[n] = p;
            queries[n++] = (struct weft_class_query){ tree->pes[p].track, request->window };
        }
        pes->source->ops->class_ticks(pes->source, queries, n, &classing, ticks);
        for (uint32_t i = 0; i < n; i++)
            pes->list[asked[i]].busy = ticks[i][1];
        if (!weft_job_step(request->job, p, tree->n_pes, err))
            return false;
    }
    return true;
}

/* Finds the damage; all data that the numbers need has been read. */
static void find_damage(struct pes *pes, const struct weft_request *request,
                        struct weft_arena *arena)
{
    struct tree_damage damage;
    tree_damage_find(pes->source, pes->tree, request->window, arena, &damage);
    pes->damaged = damage.any;
    for (uint32_t p = 0; damage.of_row && p < pes->tree->n_pes; p++)
        pes->list[p].damaged = damage.of_row[p];
}

/*
 * Counts the reductions in the tree by row, and migrations. The tree has all reductions
 * unless parents are lost.
 */
static void count_nodes(struct pes *pes, struct weft_span window)
{
    const struct weft_tree *tree = pes->tree;
    for (uint32_t i = 0; i < tree->n; i++) {
        if (tree->ordinal[i] == WEFT_NONE || tree->time[i] < window.begin
            || tree->time[i] > window.end)
            continue;
        pes->list[tree->pe[i]].reductions++;
        uint32_t parent = tree->parent[i];
        if (parent == WEFT_NONE || tree->ordinal[parent] == WEFT_NONE
            || tree->pe[parent] == tree->pe[i])
            continue;
        pes->list[tree->pe[i]].in++;
        pes->list[tree->pe[parent]].out++;
    }
}

struct beginnings {
    struct weft_span window;
    uint64_t *n;
    struct weft_job *job;
};

static bool count_state(void *user, const struct weft_state *state)
{
    enum { STEP = 1 << 16 };
    struct beginnings *b = user;
    if (state->begin >= b->window.begin && state->begin <= b->window.end)
        ++*b->n;
    return *b->n % STEP || !weft_job_cancelled(b->job);
}

/*
 * Counts the reductions of each PE again from its states: a reduction with a lost parent is
 * not in the tree.
 */
static bool count_states(struct pes *pes, const struct weft_request *request,
                         struct weft_err *err)
{
    const struct weft_tree *tree = pes->tree;
    /* Reductions that begin at the window's end count, as they do in the tree. */
    const struct weft_span window = { request->window.begin, request->window.end + 1 };
    for (uint32_t p = 0; p < tree->n_pes; p++) {
        struct beginnings b = { request->window, &pes->list[p].reductions, request->job };
        if (tree->pes[p].track == WEFT_NONE)
            continue;
        pes->list[p].reductions = 0;
        pes->source->ops->states(pes->source, tree->pes[p].track, window, count_state, &b);
        if (!weft_job_step(request->job, p, tree->n_pes, err))
            return false;
    }
    return true;
}

static bool begin(struct pes *pes, const struct weft_request *request,
                  struct weft_arena *arena, struct weft_err *err)
{
    *pes = (struct pes){ .source = request->set->sources[0] };
    const struct weft_tree *tree = tree_of(request->use, 0, err);
    if (!tree)
        return false;
    pes->tree = tree;
    pes->list = weft_arena_zalloc(arena, tree->n_pes + 1, sizeof *pes->list);
    count_nodes(pes, request->window);
    pes->words = tree_words_of(tree, pes->source->schema);
    count_suspensions(pes);
    pes->span = tree_span_of(request->use, 0, err);
    bool all_there = !tree->has_reductions || !tree->lost;
    if (pes->span && (all_there || count_states(pes, request, err))
        && (tree->has_reductions ? measure_busy(pes, request, arena, err)
                                 : measure_work(pes, request, err))) {
        find_damage(pes, request, arena);
        return true;
    }
    return false;
}

/* Work and span are those of the whole run, equal in each row: nanoseconds, or nodes. */
static struct weft_cell amount_cell(const struct pes *pes, int64_t amount)
{
    return weft_integer_cell(pes->span->unit == WEFT_WORK_IN_NODES
                                 ? amount
                                 : weft_ticks_to_ns(pes->source->schema, amount));
}

/* An empty cell when damage hides a part of the number. */
static struct weft_cell known_cell(bool damaged, int64_t number)
{
    return damaged ? (struct weft_cell){ .kind = WEFT_CELL_EMPTY }
                   : weft_integer_cell(number);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct pes pes;
    bool ok = begin(&pes, request, request->arena, err);
    /* Computed once, since it visits all PEs. */
    const double used = ok ? tree_span_used(pes.span, pes.tree) : 0;
    if (ok)
        weft_view_begin_table(request, out);
    for (uint32_t p = 0; ok && p < pes.tree->n_pes; p++) {
        const struct pe *pe = &pes.list[p];
        const struct weft_cell none = { .kind = WEFT_CELL_EMPTY };
        const struct weft_cell cells[] = {
            weft_integer_cell(p),
            known_cell(pe->damaged, (int64_t)pe->reductions),
            known_cell(pe->damaged, weft_ticks_to_ns(pes.source->schema, pe->busy)),
            pes.has_suspensions ? known_cell(pe->damaged, (int64_t)pe->suspensions) : none,
            known_cell(pes.damaged, (int64_t)pe->in),
            known_cell(pes.damaged, (int64_t)pe->out),
            pes.damaged ? none : amount_cell(&pes, pes.span->of.work),
            pes.damaged ? none : amount_cell(&pes, pes.span->of.span),
            pes.damaged ? none : weft_real_cell(tree_span_offered(pes.span), 3),
            pes.damaged ? none : weft_real_cell(used, 3),
        };
        if (!out->row(out, cells))
            break;
    }
    if (ok) {
        out->end(out);
    }
    return ok;
}

static const char *numbers_of(const struct pes *pes, const struct pe *pe,
                              struct weft_arena *arena)
{
    char busy[WEFT_TIME_TEXT];
    const char *suspensions =
        pes->has_suspensions ? weft_arena_printf(
            arena, " · %s suspensions", weft_number_text(arena, (double)pe->suspensions, 0))
                             : "";
    const char *busy_text = weft_duration_text(pes->source->schema, pe->busy, busy);
    const char *count = weft_number_text(arena, (double)pe->reductions, 0);
    if (pe->damaged)
        return weft_arena_printf(arena, "damaged: %s %s can be read", count,
                                 pes->tree->has_reductions ? "reductions" : "calls");
    if (!pes->tree->has_reductions) /* a call never migrates */
        return weft_arena_printf(arena, "%s calls · work %s", count, busy_text);
    if (pes->damaged)
        return weft_arena_printf(arena, "%s reductions · busy %s%s", count, busy_text,
                                 suspensions);
    return weft_arena_printf(arena, "%s reductions · busy %s%s · %s in, %s out", count,
                             busy_text, suspensions,
                             weft_number_text(arena, (double)pe->in, 0),
                             weft_number_text(arena, (double)pe->out, 0));
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct pes pes;
    if (!begin(&pes, request, request->arena, err))
        return false;
    uint32_t n = pes.tree->n_pes;
    struct weft_bar *bars = weft_arena_alloc(request->arena, (n + 1) * sizeof *bars);
    for (uint32_t p = 0; p < n; p++) {
        bars[p] =
            (struct weft_bar){ pes.tree->pes[p].name, weft_number_swatch(request->theme, p),
                               (double)pes.list[p].reductions,
                               numbers_of(&pes, &pes.list[p], request->arena),
                               weft_container_id(pes.tree->pes[p].container, false) };
        if (pes.list[p].damaged)
            bars[p].swatch.hatch = WEFT_HATCH_CROSS;
    }
    struct weft_frame frame;
    struct weft_view view = *request->view;
    struct weft_request titled = *request;
    titled.view = &view;
    view.title = pes.words.Rows;
    if (!pes.tree->has_reductions)
        view.explanation = weft_arena_printf(
            request->arena,
            "Each bar is the calls of one %s; waiting and sleeping are no work.",
            pes.words.row);
    weft_frame_begin(
        &frame, out, &titled, weft_bars_gutter(request, bars, n), false, NULL, 0,
        weft_arena_printf(
            request->arena, "%s · %s",
            weft_range_text(request->arena, pes.source->schema, request->window),
            pes.damaged
                ? "work and span are not known"
                : tree_span_text(request->arena, pes.span, pes.tree, pes.source->schema)));
    weft_bars_draw(&frame, bars, n);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "pe" },          { .name = "reductions" },  { .name = "busy_ns" },
    { .name = "suspensions" }, { .name = "migrated_in" }, { .name = "migrated_out" },
    { .name = "work" },        { .name = "span" },        { .name = "parallelism" },
    { .name = "used" },
};

const struct weft_view weft_view_tree_pes = {
    .name = "tree-pes",
    .title = "Processing elements",
    .group = "Tree",
    .of_all = true,
    .explanation =
        "Each bar is the reductions of one PE; in and out: those whose parent ran "
        "on another, and children that did.",
    .needs =
        "reductions (weft fghc), or nested calls or states, or threads that create others",
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = tree_set_fills,
    .scene = scene,
    .table = table,
};
