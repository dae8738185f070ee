/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/view/dag_lanes.h"

#include <math.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "domains/tasks/view/worker_load_by_column.h"
#include "store/time.h"
#include "view/damage.h"

enum {
    MAX_SAMPLES = 4000,  /* nodes looked up for the colours of columns */
    MAX_EDGES = 20000,   /* columns drawn with edges; more are drawn as shades */
    MAX_LANE = 300,      /* pixels */
    MAX_LANE_DOWN = 400, /* ... if time goes down, since names need room */
};

/* ---- Positions ---- */

static double along(const struct dag_lanes *l, int64_t time)
{
    double length = l->down ? l->plot.height : l->plot.width;
    double at = (double)(time - l->window.begin) / (double)(l->window.end - l->window.begin)
                * length;
    return fmin(fmax(at, -1e6), 1e6);
}

double dag_lane_side(const struct dag_lanes *l)
{
    double room = (l->down ? l->plot.width : l->plot.height) / fmax(l->drawn, 1);
    return fmin(room, l->down ? MAX_LANE_DOWN : MAX_LANE);
}

struct weft_rect dag_part_of_lane(const struct dag_lanes *l, uint32_t lane, double from,
                                  double to, double top, double bottom)
{
    double side = dag_lane_side(l), first = (lane + top) * side,
           last = (lane + bottom) * side;
    if (l->down)
        return (struct weft_rect){ l->plot.x + first, l->plot.y + from, last - first,
                                   to - from };
    return (struct weft_rect){ l->plot.x + from, l->plot.y + first, to - from,
                               last - first };
}

static struct weft_point point_in_lane(const struct dag_lanes *l, uint32_t lane,
                                       int64_t time, double part)
{
    struct weft_rect r =
        dag_part_of_lane(l, lane, along(l, time), along(l, time), part, part);
    return (struct weft_point){ r.x, r.y };
}

/* ---- Steals ---- */

int32_t dag_stolen_from(const struct dag_lanes *l, uint32_t node,
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
        if (box.kind == WEFT_DAG_CREATE) { /* the task's first node, after its create */
            weft_dag_node(l->p.dag, parent, &up);
            return up.worker != all->worker && up.end == all->first_ready ? up.worker : -1;
        }
        if (child != box.first) { /* after its sibling */
            weft_dag_node(l->p.dag, child - 1, &up);
            return up.kind == WEFT_DAG_CREATE && up.worker != all->worker
                           && up.end == all->first_ready
                       ? up.worker
                       : -1;
        }
        child = parent;
        up = box;
    }
    return -1;
}

/* ---- Boxes ---- */

static void count_in_legend(struct dag_lanes *l, const struct weft_swatch *swatch,
                            const char *label, uint32_t number, double weight)
{
    size_t k = 0;
    while (k < l->n_legend
           && (l->legend[k].number != number || strcmp(l->legend[k].label, label) != 0))
        k++;
    if (k == DAG_MAX_LABELS)
        return;
    if (k == l->n_legend)
        l->legend[l->n_legend++] =
            (struct weft_legend_entry){ *swatch, label, -1, 0, number };
    l->legend[k].weight += weight;
}

static void draw_delay(struct dag_lanes *l, const struct weft_dag_node *all,
                       struct weft_swatch swatch)
{
    double from = along(l, all->first_ready), to = along(l, all->begin);
    if (!l->delays || to - from < 1 || dag_lane_side(l) < 8)
        return;
    weft_scene_rect(l->p.scene, dag_part_of_lane(l, l->lane, from, to, 0.84, 0.92),
                    (struct weft_paint){ .fill = (swatch.tone & 0xffffffu) | 0x90000000u });
}

static void note_steal(struct dag_lanes *l, uint32_t node, const struct weft_dag_node *all)
{
    int32_t from = l->steals ? dag_stolen_from(l, node, all) : -1;
    uint32_t lane = from < 0 ? WEFT_NONE : l->lanes[from];
    if (lane >= l->drawn || l->n_stolen == DAG_MAX_BOXES)
        return;
    l->stolen[l->n_stolen++] = (struct dag_steal){ node, l->lane, lane };
}

void dag_draw_steals(struct dag_lanes *l)
{
    const struct weft_theme *theme = l->p.request->theme;
    double size = fmin(9, fmax(5, dag_lane_side(l) / 4));
    weft_scene_layer(l->p.scene, "steals", l->plot, l->down ? 0 : WEFT_LAYER_MOVES_X);
    for (size_t i = 0; i < l->n_stolen; i++) {
        struct dag_steal steal = l->stolen[i];
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
        weft_mark_title(l->p.scene, mark, "%s · stolen from %s",
                        dag_title(&l->p, steal.node, &all),
                        weft_dag_worker_name(l->p.dag, l->p.schema,
                                             (int32_t)l->workers[steal.from], l->p.arena));
    }
}

/* The shares of its time in which a node worked, and waited for locks; the rest are delays
   inside a contracted node. */
struct parts {
    double worked, waited;
};

static struct parts parts_of(const struct weft_dag_node *all)
{
    bool is_contracted = all->kind >= WEFT_DAG_LEAF_KINDS && !all->n;
    double lasted = (double)(all->end - all->begin);
    struct parts parts = { 1, 0 };
    if (lasted <= 0 || (!is_contracted && all->waiting == 0))
        return parts;
    parts.worked = fmin((double)all->work / lasted, 1);
    parts.waited = fmin((double)all->waiting / lasted, 1 - parts.worked);
    return parts;
}

static const char *title_of(struct dag_lanes *l, uint32_t node,
                            const struct weft_dag_node *all, struct parts parts)
{
    char lasted[WEFT_TIME_TEXT], waited[WEFT_TIME_TEXT];
    const char *title = dag_title(&l->p, node, all);
    if (parts.worked == 1)
        return title;
    weft_duration_text(l->p.schema, all->end - all->begin, lasted);
    weft_duration_text(l->p.schema, all->waiting, waited);
    return weft_arena_printf(
        l->p.arena, "%s · in %.3g %% of %s%s%s", title, 100 * parts.worked, lasted,
        all->waiting ? " · waiting for locks " : "", all->waiting ? waited : "");
}

/* In black and white an outline separates white nodes from the background, but would hide
   narrow ones. */
static struct weft_paint paint_of(const struct dag_lanes *l, struct weft_swatch swatch,
                                  bool narrow)
{
    const struct weft_theme *theme = l->p.request->theme;
    bool mono = theme->name == WEFT_THEME_MONO;
    if (mono && narrow)
        return (struct weft_paint){ .fill = swatch.tone };
    return (struct weft_paint){ .fill = swatch.fill,
                                .hatch = swatch.hatch,
                                .stroke = mono ? theme->text : 0,
                                .stroke_width = mono ? 0.7f : 0 };
}

/* Draws a node: its whole time in a light colour if it did not work throughout, its share
   of work on top, and above that the share in which it waited for locks. */
static void draw_node(struct dag_lanes *l, const struct weft_state *state, uint32_t node,
                      const struct weft_dag_node *all, struct weft_swatch swatch)
{
    const struct weft_theme *theme = l->p.request->theme;
    double from = along(l, all->begin), to = fmax(along(l, all->end), from + 1);
    double seam = to - from > 4 ? 1 : 0;
    struct parts parts = parts_of(all);
    struct weft_swatch waiting = weft_role_swatch(theme, WEFT_ROLE_BLOCKED_ON_LOCK);
    struct weft_paint paint = paint_of(l, swatch, seam == 0), light = paint;
    light.hatch = WEFT_HATCH_NONE;
    light.fill = (swatch.tone & 0xffffffu) | 0x40000000u;
    double top = 0.8 - 0.7 * parts.worked, above = top - 0.7 * parts.waited;
    const struct {
        double top, bottom;
        struct weft_paint paint;
        bool shown;
    } drawn[] = {
        { 0.1, 0.8, parts.worked < 1 ? light : paint, true },
        { top, 0.8, paint, parts.worked < 1 },
        { above, top, paint_of(l, waiting, seam == 0), parts.waited > 0 },
    };
    const char *title = title_of(l, node, all, parts);
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        struct weft_mark *mark =
            drawn[i].shown
                ? weft_scene_rect(l->p.scene,
                                  dag_part_of_lane(l, l->lane, from, to - seam,
                                                   drawn[i].top, drawn[i].bottom),
                                  drawn[i].paint)
                : NULL;
        if (!mark)
            continue;
        mark->id = state->id;
        mark->title = title;
    }
    if (parts.waited > 0)
        count_in_legend(l, &waiting, "waiting for locks", UINT32_MAX, 1);
    if (node == l->p.marked)
        weft_scene_rect(l->p.scene, dag_part_of_lane(l, l->lane, from, to - seam, 0.1, 0.8),
                        (struct weft_paint){ .stroke = theme->accent, .stroke_width = 2 });
}

/* Returns " (FILE:LINE)" of the state, or "" if its place is not known. */
static const char *place_of(struct dag_lanes *l, const struct weft_state *state)
{
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = l->p.source->ops->fields(l->p.source, state->id, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *site =
        weft_field_with_role(l->p.schema, fields, n, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    const char *text = site ? weft_site_text(l->p.arena, l->p.schema, site->index) : "";
    return *text ? weft_arena_printf(l->p.arena, " (%s)", text) : "";
}

/* Draws a wait for tasks (a taskwait, the end of a task group), before the nodes in it. */
static bool draw_wait(void *user, const struct weft_state *state)
{
    struct dag_lanes *l = user;
    const struct weft_schema *schema = l->p.schema;
    double from = along(l, state->begin), to = along(l, state->end);
    const char *name = schema->values[state->value].name;
    char lasted[WEFT_TIME_TEXT];
    if (!weft_role_is(schema->values[state->value].role, WEFT_ROLE_BLOCKED_ON_TASK)
        || to - from < 1)
        return true;
    struct weft_mark *mark =
        weft_scene_rect(l->p.scene, dag_part_of_lane(l, l->lane, from, to, 0.1, 0.8),
                        paint_of(l, l->value_colors[state->value], false));
    if (!mark)
        return false;
    weft_duration_text(schema, state->end - state->begin, lasted);
    mark->id = state->id;
    weft_mark_title(l->p.scene, mark, "%s%s · %s", name, place_of(l, state), lasted);
    count_in_legend(l, &l->value_colors[state->value], name, UINT32_MAX - 1, 1);
    return weft_job_step(l->p.request->job, ++l->n_waits, 0, NULL)
           && l->n_waits < DAG_MAX_BOXES;
}

/* Draws the waits for tasks of the lane's thread, but for those narrower than a pixel. */
static void draw_waits(struct dag_lanes *l)
{
    const struct weft_schema *schema = l->p.schema;
    uint32_t container = weft_dag_worker_container(l->p.dag, l->workers[l->lane]);
    if (container >= schema->n_containers)
        return;
    uint32_t at = schema->containers[container].order;
    for (uint32_t i = schema->track_begin[at]; i < schema->track_begin[at + 1]; i++) {
        uint32_t t = schema->track_at[i];
        const struct weft_type *type = &schema->types[schema->tracks[t].type];
        if (type->kind == WEFT_STATE && !weft_role_is(type->role, WEFT_ROLE_TASK_INTERVAL)
            && weft_value_with_role(schema, schema->tracks[t].type,
                                    WEFT_ROLE_BLOCKED_ON_TASK)
                   != WEFT_NONE)
            l->p.source->ops->states(l->p.source, t, l->window, draw_wait, l);
    }
}

/* Looks up nodes in batches, since states come roughly in order. */
static uint32_t node_of(struct dag_lanes *l, uint64_t state)
{
    uint32_t track = weft_entity_track(state);
    uint64_t ordinal = weft_entity_ordinal(state);
    if (track != l->known_track || ordinal - l->known_first >= DAG_KNOWN) {
        l->known_track = track;
        l->known_first = ordinal;
        weft_dag_nodes_of(l->p.dag, track, ordinal, DAG_KNOWN, l->known);
    }
    return l->known[ordinal - l->known_first];
}

/* Draws an unreadable node.  Its time is known from its state, which is in another part of
   the file.  Adjacent ones are joined to one hatch, which outlines would hide. */
static void draw_lost(struct dag_lanes *l, const struct weft_state *state, uint32_t node)
{
    double from = along(l, state->begin), to = fmax(along(l, state->end), from + 1);
    struct weft_paint paint = weft_damage_paint(l->p.request->theme);
    if (from < l->lost_until + 2)
        paint.stroke_width = 0;
    l->lost_until = to;
    struct weft_mark *mark = weft_scene_rect(
        l->p.scene, dag_part_of_lane(l, l->lane, from, to, 0.1, 0.8), paint);
    if (!mark)
        return;
    mark->id = state->id;
    weft_mark_title(l->p.scene, mark, "damaged: node %u cannot be read", node);
}

static bool draw_box(void *user, const struct weft_state *state)
{
    struct dag_lanes *l = user;
    uint32_t node = node_of(l, state->id);
    struct weft_dag_node all;
    const char *label;
    if (node == WEFT_NONE)
        return true;
    weft_dag_node(l->p.dag, node, &all);
    l->n_boxes++;
    if (weft_dag_is_lost(&all)) { /* the legend has an entry for damage */
        draw_lost(l, state, node);
        return weft_job_step(l->p.request->job, l->n_boxes, 0, NULL);
    }
    struct weft_swatch swatch = dag_swatch(&l->p, &all, &label);
    draw_node(l, state, node, &all, swatch);
    count_in_legend(l, &swatch, label, dag_legend_number(&l->p, &all), 1);
    draw_delay(l, &all, swatch);
    note_steal(l, node, &all);
    return weft_job_step(l->p.request->job, l->n_boxes, 0, NULL);
}

/* ---- Columns ---- */

/* Adjacent pixel columns of one colour, from FIRST on, with their tops in the lane. */
struct columns {
    struct weft_swatch swatch;
    const char *label;
    uint32_t number; /* sort key in the legend */
    bool is_lost;    /* the colour is unknown, since the node is unreadable */
    size_t first, n;
    double *tops;     /* top of each column, as a share of the lane */
    uint32_t *pixels; /* of the lane; NULL: each column is as high as its share */
};

/* Finds the colour of the node that runs at a time; returns false if none does. */
static bool find_swatch(struct dag_lanes *l, int64_t time, struct columns *next)
{
    const struct weft_source *source = l->p.source;
    /* If colours are by worker, all its nodes have the same. */
    struct weft_dag_node all = { .worker = (int32_t)l->workers[l->lane],
                                 .cpu = -1,
                                 .materialized = 1 };
    struct weft_innermost found = { .id = WEFT_NO_ID };
    if (l->p.color != DAG_BY_WORKER) {
        source->ops->values_at(source, &l->tracks[l->lane], 1, time, &found);
        uint32_t node =
            found.id == WEFT_NO_ID ? WEFT_NONE : weft_dag_node_of(l->p.dag, found.id);
        if (node == WEFT_NONE)
            return false;
        weft_dag_node(l->p.dag, node, &all);
    }
    next->swatch = dag_swatch(&l->p, &all, &next->label);
    next->number = dag_legend_number(&l->p, &all);
    next->is_lost = weft_dag_is_lost(&all);
    return true;
}

static void draw_one_colour(struct dag_lanes *l, struct columns *columns)
{
    const double floor_at = 0.8;
    size_t n = columns->n;
    struct weft_point *points = weft_arena_alloc(l->p.arena, (2 * n + 2) * sizeof *points);
    size_t n_points = 0;
    for (size_t i = 0, next; i < n; i = next) { /* columns of equal height share an edge */
        for (next = i + 1; next < n && columns->tops[next] == columns->tops[i];)
            next++;
        double from = (double)(columns->first + i), to = (double)(columns->first + next);
        struct weft_rect at =
            dag_part_of_lane(l, l->lane, from, to, columns->tops[i], columns->tops[i]);
        points[n_points++] = (struct weft_point){ at.x, at.y };
        points[n_points++] = (struct weft_point){ at.x + at.width, at.y + at.height };
    }
    struct weft_rect whole =
        dag_part_of_lane(l, l->lane, (double)columns->first, (double)(columns->first + n),
                         floor_at, floor_at);
    points[n_points++] =
        (struct weft_point){ whole.x + whole.width, whole.y + whole.height };
    points[n_points++] = (struct weft_point){ whole.x, whole.y };
    weft_color color = columns->swatch.tone ? columns->swatch.tone : columns->swatch.fill;
    weft_scene_polygon(l->p.scene, points, n_points, (struct weft_paint){ .fill = color });
}

/* The same as shades, if there are too many columns for edges. */
static void shade_one_colour(struct columns *columns)
{
    weft_color color = columns->swatch.tone ? columns->swatch.tone : columns->swatch.fill;
    for (size_t i = 0; i < columns->n; i++) {
        double busy = (0.8 - columns->tops[i]) / 0.7;
        columns->pixels[columns->first + i] =
            (color & 0xffffffu) | (uint32_t)lround(255 * busy) << 24;
    }
}

static void end_colour(struct dag_lanes *l, struct columns *columns)
{
    if (!columns->n)
        return;
    if (columns->is_lost)
        weft_damage_hatch(l->p.scene, l->p.request->theme,
                          dag_part_of_lane(l, l->lane, (double)columns->first,
                                           (double)(columns->first + columns->n), 0.1,
                                           0.8));
    else if (columns->pixels)
        shade_one_colour(columns);
    else
        draw_one_colour(l, columns);
    if (!columns->is_lost) /* the legend has an entry for damage */
        count_in_legend(l, &columns->swatch, columns->label, columns->number,
                        (double)columns->n);
    columns->n = 0;
}

static void draw_shades(struct dag_lanes *l, uint32_t *pixels, size_t n)
{
    struct weft_raster *raster = weft_arena_zalloc(l->p.arena, 1, sizeof *raster);
    raster->columns = l->down ? 1 : (uint32_t)n;
    raster->rows = l->down ? (uint32_t)n : 1;
    raster->pixels = pixels;
    weft_scene_raster(l->p.scene, dag_part_of_lane(l, l->lane, 0, (double)n, 0.1, 0.8),
                      raster);
}

/* The share of each of N columns in which each lane's worker worked, lane by lane. */
static double *busy_parts(struct dag_lanes *l, size_t n)
{
    double *busy = weft_arena_alloc(l->p.arena, l->drawn * n * sizeof *busy);
    struct dag_busy_row *rows = weft_arena_alloc(l->p.arena, l->drawn * sizeof *rows);
    for (uint32_t i = 0; i < l->drawn; i++)
        rows[i] = (struct dag_busy_row){ .workers = &l->workers[i],
                                         .tracks = &l->tracks[i],
                                         .n = 1,
                                         .n_tracks = l->tracks[i] != WEFT_NONE,
                                         .busy = busy + i * n };
    dag_busy_rows(l->p.source, l->contracted, l->window, n, l->p.request->job, rows,
                  l->drawn);
    return busy;
}

/* Draws the columns of the current lane. */
static void draw_columns(struct dag_lanes *l, size_t n, const double *busy)
{
    const double least = 0.004; /* of a column; less is invisible */
    size_t each = l->p.color == DAG_BY_WORKER ? n : (size_t)l->drawn * n / MAX_SAMPLES + 1;
    const double steps = fmax(2, round(2 * 0.7 * dag_lane_side(l))); /* half pixels */
    struct columns columns = { .swatch.fill = l->p.request->theme->quiet,
                               .label = "several",
                               .tops = weft_arena_alloc(l->p.arena, n * sizeof(double)) };
    if ((size_t)l->drawn * n > MAX_EDGES)
        columns.pixels = weft_arena_zalloc(l->p.arena, n, sizeof *columns.pixels);
    int64_t length = (l->window.end - l->window.begin) / (int64_t)n;
    for (size_t c = 0; c < n; c++) {
        struct columns next = columns;
        if (c % each == 0
            && find_swatch(l, l->window.begin + length * (int64_t)c + length / 2, &next)
            && (next.number != columns.number || strcmp(next.label, columns.label) != 0)) {
            end_colour(l, &columns);
            next.n = 0;
            columns = next;
        }
        if (busy[c] < least) {
            end_colour(l, &columns);
            continue;
        }
        if (!columns.n)
            columns.first = c;
        columns.tops[columns.n++] = 0.8 - 0.7 * fmin(round(busy[c] * steps) / steps, 1);
    }
    end_colour(l, &columns);
    if (columns.pixels)
        draw_shades(l, columns.pixels, n);
}

/* ---- All lanes ---- */

static bool few_boxes(const struct dag_lanes *l)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < l->drawn; i++)
        if (l->tracks[i] != WEFT_NONE)
            n += l->p.source->ops->density(l->p.source, l->tracks[i], l->window);
    return n <= 2 * DAG_MAX_BOXES; /* density() counts begins and ends */
}

void dag_draw_lanes(struct dag_lanes *l)
{
    bool boxes = few_boxes(l);
    l->p.memo = dag_memo_new(l->p.arena);
    l->known_track = WEFT_NONE;
    l->value_colors = weft_palette(l->p.arena, l->p.schema, l->p.request->theme);
    size_t n = (size_t)fmax(1, round(l->down ? l->plot.height : l->plot.width));
    const double *busy = boxes ? NULL : busy_parts(l, n);
    weft_scene_layer(l->p.scene, "nodes", l->plot, l->down ? 0 : WEFT_LAYER_MOVES_X);
    for (l->lane = 0; l->lane < l->drawn; l->lane++) {
        l->lost_until = -INFINITY;
        draw_waits(l);
        if (l->tracks[l->lane] == WEFT_NONE)
            continue;
        if (boxes)
            l->p.source->ops->states(l->p.source, l->tracks[l->lane], l->window, draw_box,
                                     l);
        else
            draw_columns(l, n, busy + l->lane * n);
    }
}
