/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lane for each worker with the nodes that it ran as boxes over time (Huynh 2015, section
 * 3.3.3), exact at any zoom: if a pixel holds many nodes, it shows the share of time in
 * which one ran.  Under the boxes, how long each was ready before it started; a steal is
 * marked at the node's start, with a line to the lane of the worker that made it ready.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/tasks/view/dag_lanes.h"
#include "domains/tasks/view/task_runs_for_comparison.h"
#include "domains/tasks/view/views.h"
#include "store/time.h"
#include "view/axis_ticks.h"

static const struct weft_parameter parameters[] = {
    { .name = "direction",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "across|down",
      .fallback = "across",
      .help = "where time goes" },
    { .name = "color",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "worker|cpu|kind|begin|end|both",
      .fallback = "worker",
      .help = "what colours say; begin, end: places in the program" },
    { .name = "delays",
      .kind = WEFT_PARAMETER_FLAG,
      .fallback = "on",
      .help = "show how long nodes were ready before they started" },
    { .name = "steals",
      .kind = WEFT_PARAMETER_FLAG,
      .fallback = "on",
      .help = "mark nodes that another worker made ready" },
    { .name = "node",
      .kind = WEFT_PARAMETER_ENTITY,
      .fallback = "",
      .help = "mark this node (node:NUMBER, or an id), and what it had to follow" },
};

enum {
    MIN_LANE = 3,   /* pixels; if there are too many workers, some are not drawn */
    AXIS_DOWN = 58, /* pixels for the times on the left, if time goes down */
    HEAD_DOWN = 16, /* ... and for the names of lanes above */
};

static uint32_t track_of(const struct weft_schema *schema, uint32_t container)
{
    if (container >= schema->n_containers)
        return WEFT_NONE;
    uint32_t at = schema->containers[container].order;
    for (uint32_t i = schema->track_begin[at]; i < schema->track_begin[at + 1]; i++) {
        uint32_t t = schema->track_at[i];
        if (weft_role_is(schema->types[schema->tracks[t].type].role,
                         WEFT_ROLE_TASK_INTERVAL))
            return t;
    }
    return WEFT_NONE;
}

/* ---- Frame ---- */

static const char *lane_name(const struct dag_lanes *l, uint32_t lane)
{
    return weft_dag_worker_name(l->p.dag, l->p.schema, (int32_t)l->workers[lane],
                                l->p.arena);
}

static void draw_names(struct dag_lanes *l)
{
    double side = dag_lane_side(l), least = l->down ? 40 : 13;
    uint32_t each = (uint32_t)fmax(1, ceil(least / fmax(side, 0.1)));
    const struct weft_theme *theme = l->p.request->theme;
    weft_scene_layer(l->p.scene, "lanes",
                     (struct weft_rect){ 0, 0, l->p.scene->width, l->p.scene->height },
                     WEFT_LAYER_FIXED);
    for (uint32_t i = 0; i < l->drawn; i += each) {
        struct weft_rect lane = dag_part_of_lane(l, i, 0, 0, 0, 1);
        double room = l->down ? side * each - 4 : l->plot.x - 8;
        const char *name = weft_text_fit(l->p.arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                                         lane_name(l, i), room);
        if (!name)
            continue;
        struct weft_point at =
            l->down ? (struct weft_point){ lane.x + side / 2, lane.y - 5 }
                    : (struct weft_point){ l->plot.x - 5, lane.y + side * 0.45 + 4 };
        weft_scene_text(l->p.scene, at, l->down ? WEFT_ANCHOR_MIDDLE : WEFT_ANCHOR_END,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet, name);
    }
}

/* If time goes down: draws its numbers on the left, and lines across the lanes. */
static void draw_axis_down(struct dag_lanes *l)
{
    const struct weft_theme *theme = l->p.request->theme;
    struct weft_axis axis =
        weft_time_axis(l->p.arena, l->p.schema, l->window, l->plot.height, 60);
    weft_scene_layer(l->p.scene, "time axis",
                     (struct weft_rect){ 0, l->plot.y - HEAD_DOWN,
                                         l->plot.x + l->plot.width,
                                         l->plot.height + HEAD_DOWN },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < axis.n_ticks; i++) {
        double y = l->plot.y + axis.ticks[i].at;
        weft_scene_line(l->p.scene, (struct weft_point){ l->plot.x - 4, y },
                        (struct weft_point){ l->plot.x + l->plot.width, y },
                        (struct weft_paint){ .stroke = theme->grid, .stroke_width = 1 });
        weft_scene_text(
            l->p.scene, (struct weft_point){ l->plot.x - 7, fmax(y + 4, l->plot.y + 6) },
            WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet,
            weft_arena_printf(l->p.arena, "%s %s", axis.ticks[i].label, axis.unit));
    }
    if (axis.offset)
        weft_scene_text(l->p.scene, (struct weft_point){ 4, l->plot.y - 5 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet,
                        axis.offset);
}

static void begin_frame(struct dag_lanes *l)
{
    const struct weft_request *request = l->p.request;
    double gutter = 8;
    for (uint32_t i = 0; i < l->n && i < 512; i++)
        gutter =
            fmax(gutter, weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, lane_name(l, i)));
    gutter = l->down ? AXIS_DOWN : fmin(gutter + 8, request->width * 0.25);
    const char *range = weft_range_text(l->p.arena, l->p.schema, request->window);
    if (l->drawn < l->n)
        range =
            weft_arena_printf(l->p.arena, "%s · %u of %u workers", range, l->drawn, l->n);
    weft_frame_begin(&l->p.frame, l->p.scene, request, gutter, !l->down, l->legend,
                     l->n_legend, range);
    l->plot = l->p.frame.plot;
    if (l->down) {
        l->plot.y += HEAD_DOWN;
        l->plot.height = fmax(1, l->plot.height - HEAD_DOWN);
    }
    l->drawn = (uint32_t)fmin(
        l->n, fmax(1, (l->down ? l->plot.width : l->plot.height) / MIN_LANE));
}

/* A worker, and the place of its thread in the tree of containers. */
struct placed_worker {
    uint32_t place, worker;
};

static int compare_places(const void *left, const void *right)
{
    const struct placed_worker *a = left, *b = right;
    return WEFT_COMPARE(a->place, b->place) ?: WEFT_COMPARE(a->worker, b->worker);
}

/* Lanes are in order of workers; of several programs in that of timelines, so that each
   program's are together.  Workers without a container ran nothing. */
static void find_lanes(struct dag_lanes *l)
{
    uint32_t limit = weft_dag_worker_limit(l->p.dag);
    struct placed_worker *placed =
        weft_arena_alloc(l->p.arena, (limit + 1) * sizeof *placed);
    uint32_t n = 0;
    l->workers = weft_arena_alloc(l->p.arena, (limit + 1) * sizeof *l->workers);
    l->lanes = weft_arena_alloc(l->p.arena, (limit + 1) * sizeof *l->lanes);
    l->tracks = weft_arena_alloc(l->p.arena, (limit + 1) * sizeof *l->tracks);
    for (uint32_t worker = 0; worker < limit; worker++) {
        uint32_t container = weft_dag_worker_container(l->p.dag, worker);
        l->lanes[worker] = WEFT_NONE;
        if (container != WEFT_NONE)
            placed[n++] =
                (struct placed_worker){ weft_dag_has_several(l->p.dag)
                                            ? l->p.schema->containers[container].order
                                            : 0,
                                        worker };
    }
    if (n > 1)
        qsort(placed, n, sizeof *placed, compare_places);
    for (; l->n < n; l->n++) {
        uint32_t worker = placed[l->n].worker;
        l->lanes[worker] = l->n;
        l->workers[l->n] = worker;
        l->tracks[l->n] =
            track_of(l->p.schema, weft_dag_worker_container(l->p.dag, worker));
    }
    l->drawn = l->n;
}

static bool begin(struct dag_lanes *l, const struct weft_request *request,
                  struct weft_arena *arena, struct weft_scene *out, struct weft_err *err)
{
    static const char *const colors[] = { "worker", "cpu", "kind", "begin", "end", "both" };
    const char *node = weft_setting(request, "node");
    const char *color = weft_setting(request, "color");
    *l = (struct dag_lanes){ .p = { .request = request,
                                    .arena = arena,
                                    .scene = out,
                                    .source = request->set->sources[0],
                                    .schema = request->set->sources[0]->schema,
                                    .marked = WEFT_NONE },
                             .window = request->window };
    l->down = strcmp(weft_setting(request, "direction"), "down") == 0;
    l->delays = strcmp(weft_setting(request, "delays"), "on") == 0;
    l->steals = strcmp(weft_setting(request, "steals"), "on") == 0;
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (strcmp(color, colors[i]) == 0)
            l->p.color = (enum dag_color)i;
    l->p.dag = dag_opened(request->use, err);
    l->contracted = l->p.dag ? dag_contracted_of(request->use, err) : NULL;
    if (!l->contracted || !dag_number_places(&l->p, err)
        || (*node && !weft_dag_node_named(l->p.dag, "node", node, &l->p.marked, err))) {
        weft_dag_use_end(request->use);
        return false;
    }
    find_lanes(l);
    l->legend = weft_arena_zalloc(arena, DAG_MAX_LABELS + 1, sizeof *l->legend);
    l->stolen = weft_arena_alloc(arena, DAG_MAX_BOXES * sizeof *l->stolen);
    return true;
}

/* The legend takes room, so its entries are found by drawing once without it. */
static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct dag_lanes l;
    if (!begin(&l, request, request->arena, out, err))
        return false;
    begin_frame(&l);
    if (!request->bare) {
        dag_draw_lanes(&l);
        begin_frame(&l);
    }
    l.n_legend = 0;
    l.n_boxes = l.n_waits = l.n_stolen = 0;
    if (l.down)
        draw_axis_down(&l);
    else
        weft_frame_time_axis(&l.p.frame, l.p.schema, request->window);
    draw_names(&l);
    dag_draw_lanes(&l);
    dag_draw_steals(&l);
    dag_draw_orders_of_marked(&l);
    if (request->bare)
        weft_frame_keep_legend(out, l.legend, l.n_legend);
    if (!l.down)
        weft_frame_moment(&l.p.frame, l.p.schema, request->window);
    weft_dag_use_end(request->use);
    return weft_job_step(request->job, 0, 0, err);
}

/* ---- Table ---- */

struct lane_writer {
    struct dag_lanes *l;
    struct weft_table *table;
    bool more;
};

static bool write_node(void *user, const struct weft_state *state)
{
    struct lane_writer *w = user;
    const struct weft_schema *schema = w->l->p.schema;
    uint32_t node = weft_dag_node_of(w->l->p.dag, state->id);
    struct weft_dag_node all;
    if (node == WEFT_NONE)
        return true;
    weft_dag_node(w->l->p.dag, node, &all);
    int32_t from = dag_stolen_from(w->l, node, &all);
    int64_t zero = schema->span.begin;
    /* The time of an unreadable node is known from its state. */
    bool lost = weft_dag_is_lost(&all);
    int64_t begin = lost ? state->begin : all.begin, end = lost ? state->end : all.end;
    const struct weft_cell none = { .kind = WEFT_CELL_EMPTY };
    const struct weft_cell cells[] = {
        weft_integer_cell(w->l->workers[w->l->lane]),
        weft_integer_cell(node),
        lost ? none : weft_text_cell(weft_dag_kind_text(all.kind)),
        weft_integer_cell(weft_ticks_to_ns(schema, begin - zero)),
        weft_integer_cell(weft_ticks_to_ns(schema, end - zero)),
        lost ? none : weft_integer_cell(weft_ticks_to_ns(schema, all.first_ready - zero)),
        lost ? none
             : weft_integer_cell(weft_ticks_to_ns(schema, all.begin - all.first_ready)),
        from < 0 ? none : weft_integer_cell(from),
    };
    return w->more = w->table->row(w->table, cells);
}

static const struct weft_column columns[] = {
    { "worker", "the worker that ran the node, by its number" },
    { "node", "the node, by its number" },
    { "kind",
      "create, wait, other or end: what ended this part of a task; section or task: "
      "contracted" },
    { "begin_ns", "when it began, from the begin of the trace" },
    { "end_ns", "when it ended" },
    { "ready_ns", "when it, or the first part inside of it, became ready" },
    { "delay_ns", "how long it was ready before it began" },
    { "stolen_from",
      "the worker that had made it ready by a create, when that is another one; else empty "
      "(dag-steals has those made ready otherwise, too)" },
};

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct weft_scene unused;
    struct dag_lanes l;
    bool ok = begin(&l, request, request->arena, &unused, err);
    if (ok) {
        struct lane_writer w = { &l, out, true };
        struct weft_span window = request->has_at
                                      ? weft_request_instant(request)
                                      : weft_window_with_end(l.p.schema, request->window);
        weft_view_begin_table(request, out);
        for (l.lane = 0; ok && w.more && l.lane < l.n; l.lane++) {
            if (l.tracks[l.lane] != WEFT_NONE)
                l.p.source->ops->states(l.p.source, l.tracks[l.lane], window, write_node,
                                        &w);
            ok = weft_job_step(request->job, l.lane, l.n, err);
        }
        out->end(out);
        weft_dag_use_end(request->use);
    }
    return ok;
}

/* ---- Pointing ---- */

static void tell(struct dag_lanes *l, struct weft_point at, uint64_t *id,
                 struct weft_table *table)
{
    double side = dag_lane_side(l);
    double across = l->down ? at.x - l->plot.x : at.y - l->plot.y;
    double far =
        l->down ? (at.y - l->plot.y) / l->plot.height : (at.x - l->plot.x) / l->plot.width;
    struct weft_dag_fact facts[WEFT_DAG_MAX_FACTS];
    struct weft_innermost found = { .id = WEFT_NO_ID };
    size_t few;
    if (across < 0 || across >= side * l->drawn || far < 0 || far >= 1)
        return;
    uint32_t lane = (uint32_t)(across / side);
    int64_t time =
        l->window.begin + (int64_t)(far * (double)(l->window.end - l->window.begin));
    if (l->tracks[lane] != WEFT_NONE)
        l->p.source->ops->values_at(l->p.source, &l->tracks[lane], 1, time, &found);
    uint32_t node =
        found.id == WEFT_NO_ID ? WEFT_NONE : weft_dag_node_of(l->p.dag, found.id);
    if (node == WEFT_NONE)
        return;
    *id = found.id;
    size_t n = weft_dag_facts(l->p.source, l->p.dag, node, l->p.arena, facts, &few);
    for (size_t i = 0; i < n; i++) {
        const struct weft_cell cells[] = { weft_text_cell(facts[i].name),
                                           weft_text_cell(facts[i].value) };
        if (!table->row(table, cells))
            break;
    }
}

static bool point(const struct weft_request *request, struct weft_point at, uint64_t *id,
                  struct weft_table *table, struct weft_err *err)
{
    struct weft_scene unused;
    struct dag_lanes l;
    if (!begin(&l, request, request->arena, &unused, err))
        return false;
    if (!request->bare) { /* the positions of lanes depend on the legend */
        begin_frame(&l);
        dag_draw_lanes(&l);
    }
    begin_frame(&l);
    weft_table_begin_facts(table);
    tell(&l, at, id, table);
    table->end(table);
    weft_dag_use_end(request->use);
    return true;
}

static enum weft_place place(const struct weft_set *set)
{
    return weft_dag_has_tasks(set->sources[0]) ? WEFT_PLACE_BESIDE : WEFT_PLACE_NONE;
}

const struct weft_view weft_view_dag_timeline = {
    .name = "dag-timeline",
    .title = "Timeline of workers",
    .group = "Tasks",
    .explanation =
        "A lane for each worker, with its nodes, a contracted one as high as its part of work, "
        "and its waits for tasks; thin lines below: how long nodes were ready; diamonds: "
        "steals.",
    .needs = "tasks (weft record --with omp, weft_task.h, or a .dag file)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .moment = WEFT_MOMENT_MARKED,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = dag_fills,
    .place = place,
    .scene = scene,
    .table = table,
    .point = point,
};
