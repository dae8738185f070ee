/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lane for each worker and in it the nodes that it ran, as boxes over time (Huynh 2015, section
 * 3.3.3), exact at any zoom: where a pixel holds many nodes, it shows the share of time in which
 * one ran.  Under the boxes, how long each had been ready before it started; a steal is marked
 * where the node starts, with a line to the lane of the worker that made it ready.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/scale.h"
#include "view/tasks/dag_picture.h"
#include "view/views.h"

static const struct weft_parameter parameters[] = {
    { "direction", WEFT_PARAMETER_CHOICE, "across|down", 0, 0, "across", "where time goes",
      false, NULL },
    { "color", WEFT_PARAMETER_CHOICE, "worker|cpu|kind|begin|end|both", 0, 0, "worker",
      "what colours say; begin, end: places in the program", false, NULL },
    { "delays", WEFT_PARAMETER_FLAG, NULL, 0, 0, "on",
      "show how long nodes were ready before they started", false, NULL },
    { "steals", WEFT_PARAMETER_FLAG, NULL, 0, 0, "on",
      "mark nodes that another worker made ready", false, NULL },
    { "node", WEFT_PARAMETER_ENTITY, NULL, 0, 0, "",
      "mark this node (node:NUMBER, or an id)", false, NULL },
};

enum {
    MOST_BOXES = 5000, /* in a picture; where there are more, columns show shares of time */
    MOST_SAMPLES = 4000,  /* nodes looked at for the colours of columns */
    LEAST_LANE = 3,       /* pixels; of more workers not all are drawn */
    MOST_LANE = 140,      /* pixels */
    MOST_LANE_DOWN = 240, /* the same when time goes down: names need room */
    AXIS_DOWN = 58,       /* pixels for the times at the left, when time goes down */
    HEAD_DOWN = 16,       /* and for the names of lanes above */
};

struct steal {
    uint32_t node, by, from; /* lanes */
};

struct lanes {
    struct dag_picture p; /* its source, DAG, colours and frame; no layout */
    bool down, delays, steals;
    struct weft_span window;
    uint32_t n, drawn;
    uint32_t *workers; /* [n], their numbers, by lane */
    uint32_t *lanes;   /* by number, or WEFT_NONE */
    uint32_t *tracks;  /* [n], or WEFT_NONE */
    struct weft_rect plot;
    struct weft_legend_entry *legend;
    size_t n_legend;
    uint32_t lane; /* that is being drawn */
    uint64_t n_boxes;
    struct steal *stolen; /* [MOST_BOXES] */
    size_t n_stolen;
};

/* ---- Where things are ---- */

static double along(const struct lanes *l, int64_t time)
{
    double length = l->down ? l->plot.height : l->plot.width;
    double at = (double)(time - l->window.begin) / (double)(l->window.end - l->window.begin)
                * length;
    return fmin(fmax(at, -1e6), 1e6);
}

static double lane_side(const struct lanes *l)
{
    double room = (l->down ? l->plot.width : l->plot.height) / fmax(l->drawn, 1);
    return fmin(room, l->down ? MOST_LANE_DOWN : MOST_LANE);
}

/* From FROM to TO in time; in the lane from TOP to BOTTOM, parts of its side. */
static struct weft_rect part_of_lane(const struct lanes *l, uint32_t lane, double from,
                                     double to, double top, double bottom)
{
    double side = lane_side(l), first = (lane + top) * side, last = (lane + bottom) * side;
    if (l->down)
        return (struct weft_rect){ l->plot.x + first, l->plot.y + from, last - first,
                                   to - from };
    return (struct weft_rect){ l->plot.x + from, l->plot.y + first, to - from,
                               last - first };
}

static struct weft_point point_in_lane(const struct lanes *l, uint32_t lane, int64_t time,
                                       double part)
{
    struct weft_rect r = part_of_lane(l, lane, along(l, time), along(l, time), part, part);
    return (struct weft_point){ r.x, r.y };
}

static uint32_t track_of(const struct weft_schema *schema, uint32_t container)
{
    if (container >= schema->n_containers)
        return WEFT_NONE;
    uint32_t at = schema->containers[container].order;
    for (uint32_t t = schema->track_begin[at]; t < schema->track_begin[at + 1]; t++)
        if (weft_role_is(schema->types[schema->tracks[t].type].role,
                         WEFT_ROLE_TASK_INTERVAL))
            return t;
    return WEFT_NONE;
}

/* ---- Steals ---- */

/* The worker that made a node ready when that was another one than ran it, or -1. */
static int32_t stolen_from(const struct lanes *l, uint32_t node,
                           const struct weft_dag_node *all)
{
    struct weft_dag_node up, box;
    uint32_t child = node;
    if (all->worker < 0
        || (all->in_edge != WEFT_DAG_EDGE_CREATE
            && all->in_edge != WEFT_DAG_EDGE_CREATE_CONTINUATION))
        return -1;
    weft_dag_shape(l->p.dag, child, &up);
    for (uint32_t parent = up.parent; parent != WEFT_NONE; parent = up.parent) {
        weft_dag_shape(l->p.dag, parent, &box);
        if (box.kind == WEFT_DAG_CREATE) { /* the task's first node: behind its create */
            weft_dag_node(l->p.dag, parent, &up);
            return up.worker != all->worker ? up.worker : -1;
        }
        if (child != box.first) { /* behind its sibling */
            weft_dag_node(l->p.dag, child - 1, &up);
            return up.kind == WEFT_DAG_CREATE && up.worker != all->worker ? up.worker : -1;
        }
        child = parent;
        up = box;
    }
    return -1;
}

/* ---- Boxes ---- */

static void count_in_legend(struct lanes *l, const struct weft_swatch *swatch,
                            const char *label)
{
    enum { MOST = 64 };
    size_t k = 0;
    while (k < l->n_legend && strcmp(l->legend[k].label, label) != 0)
        k++;
    if (k == MOST)
        return;
    if (k == l->n_legend)
        l->legend[l->n_legend++] = (struct weft_legend_entry){ *swatch, label, -1, 0 };
    l->legend[k].weight++;
}

static void draw_delay(struct lanes *l, const struct weft_dag_node *all,
                       struct weft_swatch swatch)
{
    double from = along(l, all->first_ready), to = along(l, all->begin);
    if (!l->delays || to - from < 1 || lane_side(l) < 8)
        return;
    weft_scene_rect(l->p.scene, part_of_lane(l, l->lane, from, to, 0.84, 0.92),
                    (struct weft_paint){ .fill = (swatch.tone & 0xffffffu) | 0x90000000u });
}

static void note_steal(struct lanes *l, uint32_t node, const struct weft_dag_node *all)
{
    int32_t from = l->steals ? stolen_from(l, node, all) : -1;
    uint32_t lane = from < 0 ? WEFT_NONE : l->lanes[from];
    if (lane >= l->drawn || l->n_stolen == MOST_BOXES)
        return;
    l->stolen[l->n_stolen++] = (struct steal){ node, l->lane, lane };
}

/* Over all boxes. */
static void draw_steals(struct lanes *l)
{
    const struct weft_theme *theme = l->p.request->theme;
    double size = fmin(9, fmax(5, lane_side(l) / 4));
    weft_scene_layer(l->p.scene, "steals", l->plot, l->down ? 0 : WEFT_LAYER_MOVES_X);
    for (size_t i = 0; i < l->n_stolen; i++) {
        struct steal steal = l->stolen[i];
        struct weft_dag_node all;
        weft_dag_node(l->p.dag, steal.node, &all);
        struct weft_point to = point_in_lane(l, steal.by, all.begin, 0.45);
        struct weft_point from = point_in_lane(l, steal.from, all.first_ready, 0.45);
        weft_scene_line(
            l->p.scene, from, to,
            (struct weft_paint){ .stroke = (theme->text & 0xffffffu) | 0x99000000u,
                                 .stroke_width = 1 });
        struct weft_mark *mark = weft_scene_glyph(
            l->p.scene, WEFT_GLYPH_DIAMOND, to, size, 0,
            (struct weft_paint){
                .fill = theme->panel, .stroke = theme->text, .stroke_width = 1 });
        if (!mark)
            continue;
        mark->id = weft_dag_mark_id(l->p.dag, steal.node);
        weft_mark_title(l->p.scene, mark, "%s · stolen from worker %u",
                        dag_title(&l->p, steal.node, &all), l->workers[steal.from]);
    }
}

static bool draw_box(void *user, const struct weft_state *state)
{
    struct lanes *l = user;
    uint32_t node = weft_dag_node_of(l->p.dag, state->id);
    const struct weft_theme *theme = l->p.request->theme;
    struct weft_dag_node all;
    const char *label;
    if (node == WEFT_NONE)
        return true;
    weft_dag_node(l->p.dag, node, &all);
    struct weft_swatch swatch = dag_swatch(&l->p, &all, &label);
    double from = along(l, all.begin), to = fmax(along(l, all.end), from + 1);
    double seam = to - from > 4 ? 1 : 0;
    bool mono = theme->name == WEFT_THEME_MONO;
    struct weft_mark *mark =
        weft_scene_rect(l->p.scene, part_of_lane(l, l->lane, from, to - seam, 0.1, 0.8),
                        (struct weft_paint){ .fill = swatch.fill,
                                             .hatch = swatch.hatch,
                                             .stroke = mono ? theme->text : 0,
                                             .stroke_width = mono ? 0.7f : 0 });
    if (mark) {
        mark->id = state->id;
        mark->title = dag_title(&l->p, node, &all);
        count_in_legend(l, &swatch, label);
        l->n_boxes++;
    }
    draw_delay(l, &all, swatch);
    note_steal(l, node, &all);
    if (node == l->p.marked)
        weft_scene_rect(l->p.scene, part_of_lane(l, l->lane, from, to - seam, 0.1, 0.8),
                        (struct weft_paint){ .stroke = theme->accent, .stroke_width = 2 });
    return weft_job_step(l->p.request->job, l->n_boxes, 0, NULL);
}

/* ---- Columns ---- */

/* The colour of what runs at a time; false: nothing does. */
static bool find_swatch(struct lanes *l, int64_t time, struct weft_swatch *swatch,
                        const char **label)
{
    const struct weft_source *source = l->p.source;
    struct weft_dag_node all = { .worker = (int32_t)l->workers[l->lane], .cpu = -1 };
    struct weft_innermost found = { .id = WEFT_NO_ID };
    if (l->p.color != DAG_BY_WORKER) {
        source->ops->values_at(source, &l->tracks[l->lane], 1, time, &found);
        uint32_t node =
            found.id == WEFT_NO_ID ? WEFT_NONE : weft_dag_node_of(l->p.dag, found.id);
        if (node == WEFT_NONE)
            return false;
        weft_dag_node(l->p.dag, node, &all);
    }
    *swatch = dag_swatch(&l->p, &all, label);
    return true;
}

static void draw_columns(struct lanes *l)
{
    const struct weft_source *source = l->p.source;
    uint32_t track = l->tracks[l->lane];
    size_t n = (size_t)fmax(1, round(l->down ? l->plot.height : l->plot.width));
    uint32_t slots = l->p.schema->types[l->p.schema->tracks[track].type].slots;
    float *shares = weft_arena_alloc(l->p.arena, n * slots * sizeof *shares);
    source->ops->shares(source, &(struct weft_share_query){ .tracks = &track,
                                                            .n_tracks = 1,
                                                            .window = l->window,
                                                            .columns = n,
                                                            .shares = shares,
                                                            .job = l->p.request->job });
    size_t each = (size_t)l->drawn * n / MOST_SAMPLES + 1;
    const char *label = "several";
    struct weft_swatch swatch = { .fill = l->p.request->theme->quiet };
    for (size_t c = 0; c < n; c++) {
        double share = 0;
        for (uint32_t s = 0; s < slots; s++)
            share += (double)shares[c * slots + s];
        int64_t length = (l->window.end - l->window.begin) / (int64_t)n;
        if (c % each == 0)
            find_swatch(l, l->window.begin + length * (int64_t)c + length / 2, &swatch,
                        &label);
        if (share < 0.004)
            continue;
        count_in_legend(l, &swatch, label);
        weft_scene_rect(
            l->p.scene,
            part_of_lane(l, l->lane, (double)c, (double)c + 1, 0.8 - 0.7 * fmin(share, 1),
                         0.8),
            (struct weft_paint){ .fill = swatch.tone ? swatch.tone : swatch.fill });
    }
}

/* ---- Frame ---- */

static bool few_boxes(const struct lanes *l)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < l->drawn; i++)
        if (l->tracks[i] != WEFT_NONE)
            n += l->p.source->ops->density(l->p.source, l->tracks[i], l->window);
    return n <= 2 * MOST_BOXES; /* a begin and an end each */
}

static const char *lane_name(const struct lanes *l, uint32_t lane)
{
    uint32_t container = weft_dag_worker_container(l->p.dag, l->workers[lane]);
    return container < l->p.schema->n_containers
               ? l->p.schema->containers[container].name
               : weft_arena_printf(l->p.arena, "worker %u", l->workers[lane]);
}

static void draw_names(struct lanes *l)
{
    double side = lane_side(l), least = l->down ? 40 : 13;
    uint32_t each = (uint32_t)fmax(1, ceil(least / fmax(side, 0.1)));
    const struct weft_theme *theme = l->p.request->theme;
    weft_scene_layer(l->p.scene, "lanes",
                     (struct weft_rect){ 0, 0, l->p.scene->width, l->p.scene->height },
                     WEFT_LAYER_FIXED);
    for (uint32_t i = 0; i < l->drawn; i += each) {
        struct weft_rect lane = part_of_lane(l, i, 0, 0, 0, 1);
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

/* When time goes down: its numbers at the left, and lines across the lanes. */
static void draw_axis_down(struct lanes *l)
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

static void begin_frame(struct lanes *l)
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
    weft_frame_begin(&l->p.frame, l->p.scene, l->p.arena, &weft_view_dag_timeline, request,
                     gutter, !l->down, l->legend, l->n_legend, range);
    l->plot = l->p.frame.plot;
    if (l->down) {
        l->plot.y += HEAD_DOWN;
        l->plot.height = fmax(1, l->plot.height - HEAD_DOWN);
    }
    l->drawn = (uint32_t)fmin(
        l->n, fmax(1, (l->down ? l->plot.width : l->plot.height) / LEAST_LANE));
}

static void draw_lanes(struct lanes *l)
{
    bool boxes = few_boxes(l);
    weft_scene_layer(l->p.scene, "nodes", l->plot, l->down ? 0 : WEFT_LAYER_MOVES_X);
    for (l->lane = 0; l->lane < l->drawn; l->lane++) {
        if (l->tracks[l->lane] == WEFT_NONE)
            continue;
        if (boxes)
            l->p.source->ops->states(l->p.source, l->tracks[l->lane], l->window, draw_box,
                                     l);
        else
            draw_columns(l);
    }
}

/* Workers without a container ran nothing. */
static void find_lanes(struct lanes *l)
{
    uint32_t limit = weft_dag_worker_limit(l->p.dag);
    l->workers = weft_arena_alloc(l->p.arena, (limit + 1) * sizeof *l->workers);
    l->lanes = weft_arena_alloc(l->p.arena, (limit + 1) * sizeof *l->lanes);
    l->tracks = weft_arena_alloc(l->p.arena, (limit + 1) * sizeof *l->tracks);
    for (uint32_t worker = 0; worker < limit; worker++) {
        uint32_t container = weft_dag_worker_container(l->p.dag, worker);
        l->lanes[worker] = container == WEFT_NONE ? WEFT_NONE : l->n;
        if (container == WEFT_NONE)
            continue;
        l->workers[l->n] = worker;
        l->tracks[l->n++] = track_of(l->p.schema, container);
    }
    l->drawn = l->n;
}

static bool begin(struct lanes *l, const struct weft_request *request,
                  struct weft_arena *arena, struct weft_scene *out, struct weft_err *err)
{
    static const char *const colors[] = { "worker", "cpu", "kind", "begin", "end", "both" };
    const struct weft_view *view = &weft_view_dag_timeline;
    const char *node = weft_setting(view, request, "node");
    const char *color = weft_setting(view, request, "color");
    *l = (struct lanes){ .p = { .request = request,
                                .view = view,
                                .arena = arena,
                                .scene = out,
                                .source = request->set->sources[0],
                                .schema = request->set->sources[0]->schema,
                                .marked = WEFT_NONE },
                         .window = request->window };
    l->down = strcmp(weft_setting(view, request, "direction"), "down") == 0;
    l->delays = strcmp(weft_setting(view, request, "delays"), "on") == 0;
    l->steals = strcmp(weft_setting(view, request, "steals"), "on") == 0;
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (strcmp(color, colors[i]) == 0)
            l->p.color = (enum dag_color)i;
    weft_use_begin(&l->p.prepared, request);
    l->p.dag = dag_opened(&l->p.prepared, err);
    if (!l->p.dag || !dag_number_places(&l->p, err)
        || (*node && !weft_dag_node_named(l->p.dag, "node", node, &l->p.marked, err))) {
        weft_use_end(&l->p.prepared);
        return false;
    }
    find_lanes(l);
    l->legend = weft_arena_zalloc(arena, 65, sizeof *l->legend);
    l->stolen = weft_arena_alloc(arena, MOST_BOXES * sizeof *l->stolen);
    return true;
}

/* The legend takes room: what is in it is found by drawing once without it. */
static bool scene(const struct weft_request *request, struct weft_arena *arena,
                  struct weft_scene *out, struct weft_err *err)
{
    struct lanes l;
    if (!begin(&l, request, arena, out, err))
        return false;
    begin_frame(&l);
    draw_lanes(&l);
    begin_frame(&l);
    l.n_legend = 0;
    l.n_boxes = l.n_stolen = 0;
    if (l.down)
        draw_axis_down(&l);
    else
        weft_frame_time_axis(&l.p.frame, l.p.schema, request->window);
    draw_names(&l);
    draw_lanes(&l);
    draw_steals(&l);
    if (!l.down)
        weft_frame_moment(&l.p.frame, l.p.schema, request->window);
    weft_use_end(&l.p.prepared);
    return weft_job_step(request->job, 0, 0, err);
}

/* ---- Table ---- */

struct writing {
    struct lanes *l;
    struct weft_table *table;
    bool more;
};

static bool write_node(void *user, const struct weft_state *state)
{
    struct writing *w = user;
    const struct weft_schema *schema = w->l->p.schema;
    uint32_t node = weft_dag_node_of(w->l->p.dag, state->id);
    struct weft_dag_node all;
    if (node == WEFT_NONE)
        return true;
    weft_dag_node(w->l->p.dag, node, &all);
    int32_t from = stolen_from(w->l, node, &all);
    int64_t zero = schema->span.begin;
    const struct weft_cell cells[] = {
        weft_integer_cell(w->l->workers[w->l->lane]),
        weft_integer_cell(node),
        weft_text_cell(weft_dag_kind_text(all.kind)),
        weft_integer_cell(weft_ticks_to_ns(schema, all.begin - zero)),
        weft_integer_cell(weft_ticks_to_ns(schema, all.end - zero)),
        weft_integer_cell(weft_ticks_to_ns(schema, all.first_ready - zero)),
        weft_integer_cell(weft_ticks_to_ns(schema, all.begin - all.first_ready)),
        from < 0 ? (struct weft_cell){ .kind = WEFT_CELL_EMPTY } : weft_integer_cell(from),
    };
    return w->more = w->table->row(w->table, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    static const char *const names[] = { "worker", "node",     "kind",     "begin_ns",
                                         "end_ns", "ready_ns", "delay_ns", "stolen_from" };
    struct weft_arena arena = { 0 };
    struct weft_scene unused;
    struct lanes l;
    bool ok = begin(&l, request, &arena, &unused, err);
    if (ok) {
        struct writing w = { &l, out, true };
        struct weft_span window = request->has_at
                                      ? weft_request_instant(request)
                                      : weft_window_with_end(l.p.schema, request->window);
        out->begin(out, names, sizeof names / sizeof *names);
        for (l.lane = 0; ok && w.more && l.lane < l.n; l.lane++) {
            if (l.tracks[l.lane] != WEFT_NONE)
                l.p.source->ops->states(l.p.source, l.tracks[l.lane], window, write_node,
                                        &w);
            ok = weft_job_step(request->job, l.lane, l.n, err);
        }
        out->end(out);
        weft_use_end(&l.p.prepared);
    }
    weft_arena_free(&arena);
    return ok;
}

/* ---- Pointing ---- */

static void tell(struct lanes *l, struct weft_point at, uint64_t *id,
                 struct weft_table *table)
{
    double side = lane_side(l);
    double across = l->down ? at.x - l->plot.x : at.y - l->plot.y;
    double far =
        l->down ? (at.y - l->plot.y) / l->plot.height : (at.x - l->plot.x) / l->plot.width;
    struct weft_dag_fact facts[WEFT_DAG_MOST_FACTS];
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
    static const char *const names[] = { "name", "value" };
    struct weft_arena arena = { 0 };
    struct weft_scene unused;
    struct lanes l;
    *id = WEFT_NO_ID;
    bool ok = begin(&l, request, &arena, &unused, err);
    if (ok) {
        if (!request->bare) { /* where lanes are depends on the legend */
            begin_frame(&l);
            draw_lanes(&l);
        }
        begin_frame(&l);
        table->begin(table, names, 2);
        tell(&l, at, id, table);
        table->end(table);
        weft_use_end(&l.p.prepared);
    }
    weft_arena_free(&arena);
    return ok;
}

static bool fills(const struct weft_set *set)
{
    return weft_dag_fills(set->sources[0]);
}

static enum weft_place place(const struct weft_set *set)
{
    (void)set;
    return WEFT_PLACE_BESIDE;
}

const struct weft_view weft_view_dag_timeline = {
    .name = "dag-timeline",
    .title = "Timeline of workers",
    .group = "Tasks",
    .explanation =
        "A lane for each worker and in it the nodes that it ran; thin lines below "
        "say how long they were ready before; diamonds are steals.",
    .needs = "tasks (weft record --with omp, weft_task.h, or a .dag file)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .moment = WEFT_MOMENT_MARKED,
    .fills = fills,
    .place = place,
    .scene = scene,
    .table = table,
    .point = point,
};
