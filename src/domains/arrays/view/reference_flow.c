/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reference flow: the messages between processors for references to remote elements
 * (CIS-TR-93-21, section 6.1, misses it).  In a step, all that one processor needs of
 * another is one message.
 */
#include <math.h>
#include <string.h>

#include "domains/arrays/view/color_ramp.h"
#include "domains/arrays/view/view_skeleton.h"
#include "domains/arrays/view/views.h"

static const struct weft_parameter parameters[] = {
    ARRAYS_PARAMETER_ARRAY,
    ARRAYS_PARAMETER_DISTRIBUTION,
    { .name = "show",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "elements|messages|bytes|references",
      .fallback = "elements",
      .help = "what colours stand for" },
    ARRAYS_PARAMETER_STATISTIC,
    ARRAYS_PARAMETER_STEP,
    ARRAYS_PARAMETER_COMPUTE,
    ARRAYS_PARAMETER_PROCESSOR,
    ARRAYS_PARAMETER_SCALE,
    ARRAYS_PARAMETER_LIT,
};

enum shown { SHOW_ELEMENTS, SHOW_MESSAGES, SHOW_BYTES, SHOW_REFERENCES };
static const char *const shown_names[] = { "elements", "messages", "bytes", "references" };

enum {
    LEFT = 44,
    ABOVE = 18, /* pixels for numbers of processors */
    RIGHT = 70,
    BELOW = 16,    /* for the axes' names */
    MAX_SIDE = 96, /* largest side of a cell */
    MIN_MARK_SIDE = 5,
    MAX_MARKS = 4096,
};

struct flow {
    struct arrays_question *q;
    const struct arrays_flows *flows;
    enum shown show;
    struct arrays_scale scale;
    struct arrays_ramp ramp;
    struct weft_rect cells;
    double side;    /* of a cell */
    uint32_t n;     /* number of cells in a row */
    unsigned shift; /* a cell is 2^shift processors each way */
    double *sums;   /* [n][n] */
    struct weft_flow all;
};

static uint64_t value_of(const struct weft_flow *flow, enum shown show)
{
    return show == SHOW_ELEMENTS   ? flow->elements
           : show == SHOW_MESSAGES ? flow->messages
           : show == SHOW_BYTES    ? flow->bytes
                                   : flow->references;
}

static struct flow flow_of(struct arrays_question *q)
{
    struct flow flow = { .q = q, .show = SHOW_ELEMENTS };
    const char *show = weft_setting(q->request, "show");
    for (size_t i = 0; i < sizeof shown_names / sizeof *shown_names; i++)
        if (strcmp(show, shown_names[i]) == 0)
            flow.show = (enum shown)i;
    return flow;
}

/* Why there are no flows to show, or NULL. */
static const char *missing_of(const struct arrays_question *q)
{
    if (!arrays_missing(q) && !q->distributions
        && !weft_profile_names_requesters(q->profile))
        return "The trace does not say which processor asked: it needs the requester's row "
               "and column behind each reference, or a distribution (distribution=FILE).";
    return arrays_missing(q);
}

static const char *amount_text(const struct flow *flow, double value)
{
    const struct arrays_question *q = flow->q;
    const char *a_step = q->statistic == ARRAYS_AVERAGE ? " a step" : "";
    if (flow->show == SHOW_BYTES)
        return weft_arena_printf(q->arena, "%s%s",
                                 weft_bytes_text(q->arena, (int64_t)(value + 0.5)), a_step);
    return weft_arena_printf(q->arena, "%s %s%s", arrays_value_text(q, value),
                             shown_names[flow->show], a_step);
}

/* ---- The picture ---- */

static bool place_cells(struct flow *flow, struct weft_rect plot)
{
    double room = fmax(1, fmin(plot.width - LEFT - RIGHT, plot.height - ABOVE - BELOW));
    flow->shift = 0;
    while ((flow->n = ((flow->q->processors - 1) >> flow->shift) + 1) > room)
        flow->shift++;
    flow->side = fmin(room / flow->n, MAX_SIDE);
    if (flow->side >= 2)
        flow->side = floor(flow->side);
    double side = flow->side * flow->n;
    flow->cells =
        (struct weft_rect){ ceil(plot.x + LEFT), ceil(plot.y + ABOVE), side, side };
    return true;
}

static void add_flows(struct flow *flow)
{
    struct arrays_question *q = flow->q;
    double most = 0;
    flow->sums = weft_arena_zalloc(q->arena, (size_t)flow->n * flow->n, sizeof *flow->sums);
    flow->all = (struct weft_flow){ .from = 0 };
    for (size_t i = 0; i < flow->flows->n; i++) {
        const struct weft_flow *of = &flow->flows->flows[i];
        size_t cell = (size_t)(of->from >> flow->shift) * flow->n + (of->to >> flow->shift);
        flow->sums[cell] +=
            (double)value_of(of, flow->show) / arrays_divisor(q, q->statistic);
        most = fmax(most, flow->sums[cell]);
        flow->all.references += of->references;
        flow->all.elements += of->elements;
        flow->all.messages += of->messages;
        flow->all.bytes += of->bytes;
    }
    if (flow->scale.kind == ARRAYS_SCALE_NUMBER)
        most = flow->scale.number;
    arrays_ramp_make(&flow->ramp, q->request->theme, &flow->scale, ARRAYS_ALL, q->statistic,
                     most, false);
}

static void make_legend(const struct flow *flow, struct arrays_legend *legend)
{
    enum { STEPS = 4 };
    const struct arrays_question *q = flow->q;
    double last = 0;
    for (int i = 1; i <= STEPS && flow->ramp.most > 0; i++) {
        double value = flow->ramp.most * i / STEPS;
        if (flow->ramp.most >= STEPS && q->statistic != ARRAYS_AVERAGE)
            value = floor(value + 0.5);
        if (value <= last)
            continue;
        last = value;
        struct weft_swatch swatch = { .fill = arrays_ramp_color(&flow->ramp, value) };
        const char *text = amount_text(flow, value);
        arrays_legend_say(legend, q, swatch,
                          i > 1 ? text
                                : weft_arena_printf(q->arena, "shade (linear): %s", text));
    }
    arrays_legend_lit(legend, q);
}

static const char *group_name(const struct flow *flow, uint32_t group)
{
    uint32_t first = group << flow->shift;
    uint32_t last =
        (uint32_t)fmin(flow->q->processors - 1, first + ((uint32_t)1 << flow->shift) - 1);
    return first == last ? weft_arena_printf(flow->q->arena, "%u", first)
                         : weft_arena_printf(flow->q->arena, "%u…%u", first, last);
}

static void draw_labels(const struct flow *flow, struct weft_scene *scene)
{
    const struct weft_theme *theme = flow->q->request->theme;
    const struct weft_rect *cells = &flow->cells;
    double end = -INFINITY;
    uint32_t step = 1;
    while (step * flow->side < 14)
        step *= 2;
    weft_scene_layer(scene, "labels",
                     (struct weft_rect){ 0, cells->y - ABOVE, scene->width,
                                         cells->height + ABOVE + BELOW },
                     WEFT_LAYER_FIXED);
    for (uint32_t g = 0; g < flow->n; g += step) {
        const char *name = group_name(flow, g);
        double half = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, name) / 2;
        double at = (g + 0.5) * flow->side, x = fmax(cells->x + at, cells->x + half);
        weft_scene_text(
            scene, (struct weft_point){ cells->x - 5, cells->y + fmax(at, 5) + 4 },
            WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet, name);
        if (x - half < end + 6 || x + half > cells->x + cells->width + 8)
            continue;
        weft_scene_text(scene, (struct weft_point){ x, cells->y - 5 }, WEFT_ANCHOR_MIDDLE,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet, name);
        end = x + half;
    }
    weft_scene_text(
        scene, (struct weft_point){ cells->x + cells->width + 12, cells->y - 5 },
        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text, "receivers");
    weft_scene_text(scene, (struct weft_point){ cells->x, cells->y + cells->height + 13 },
                    WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text,
                    "↑ senders");
}

static const char *title_of(const struct flow *flow, uint32_t from, uint32_t to)
{
    const struct arrays_question *q = flow->q;
    struct weft_flow sum = { .from = from };
    for (size_t i = 0; i < flow->flows->n; i++) {
        const struct weft_flow *of = &flow->flows->flows[i];
        if (of->from >> flow->shift != from || of->to >> flow->shift != to)
            continue;
        sum.references += of->references;
        sum.elements += of->elements;
        sum.messages += of->messages;
        sum.bytes += of->bytes;
    }
    return weft_arena_printf(
        q->arena, "%s → %s · %s · elements: %s · messages: %s, %s · remote references: %s",
        group_name(flow, from), group_name(flow, to), arrays_steps_text(q, q->statistic),
        arrays_value_text(q, (double)sum.elements),
        arrays_value_text(q, (double)sum.messages),
        weft_bytes_text(q->arena, (int64_t)sum.bytes),
        arrays_value_text(q, (double)sum.references));
}

static bool is_lit_pair(const struct flow *flow, uint32_t from, uint32_t to)
{
    return flow->shift || arrays_is_lit(flow->q, from) || arrays_is_lit(flow->q, to);
}

static weft_color color_of(const struct flow *flow, uint32_t from, uint32_t to)
{
    double value = flow->sums[(size_t)from * flow->n + to];
    weft_color color = arrays_ramp_color(&flow->ramp, value);
    return flow->q->lit.n_ranges && !is_lit_pair(flow, from, to)
               ? arrays_faint(flow->q->request->theme, color)
               : color;
}

static void draw_marks(const struct flow *flow, struct weft_scene *scene)
{
    double seam = flow->side >= 4 ? 1 : 0;
    for (uint32_t from = 0; from < flow->n; from++)
        for (uint32_t to = 0; to < flow->n; to++) {
            if (flow->sums[(size_t)from * flow->n + to] <= 0)
                continue;
            struct weft_rect box = { flow->cells.x + to * flow->side,
                                     flow->cells.y + from * flow->side, flow->side - seam,
                                     flow->side - seam };
            struct weft_mark *mark = weft_scene_rect(
                scene, box, (struct weft_paint){ .fill = color_of(flow, from, to) });
            if (mark)
                mark->title = title_of(flow, from, to);
        }
}

static void draw_raster(const struct flow *flow, struct weft_scene *scene)
{
    struct weft_arena *arena = flow->q->arena;
    struct weft_raster *raster = weft_arena_zalloc(arena, 1, sizeof *raster);
    uint32_t *pixels = weft_arena_zalloc(arena, (size_t)flow->n * flow->n, sizeof *pixels);
    for (uint32_t from = 0; from < flow->n; from++)
        for (uint32_t to = 0; to < flow->n; to++)
            if (flow->sums[(size_t)from * flow->n + to] > 0)
                pixels[(size_t)from * flow->n + to] = color_of(flow, from, to);
    *raster = (struct weft_raster){ .columns = flow->n, .rows = flow->n, .pixels = pixels };
    weft_scene_raster(scene, flow->cells, raster);
}

static const char *subtitle_of(const struct flow *flow)
{
    const struct arrays_question *q = flow->q;
    return weft_arena_printf(
        q->arena, "%s · %s: %s elements in %s messages, %s%s", arrays_title(q),
        arrays_steps_text(q, q->statistic == ARRAYS_STEP ? ARRAYS_STEP : ARRAYS_CUMULATIVE),
        arrays_value_text(q, (double)flow->all.elements),
        arrays_value_text(q, (double)flow->all.messages),
        weft_bytes_text(q->arena, (int64_t)flow->all.bytes),
        flow->shift ? weft_arena_printf(q->arena, " · each cell: %u × %u processors",
                                        1u << flow->shift, 1u << flow->shift)
                    : "");
}

static bool lay_out(struct flow *flow, struct weft_scene *scene, struct weft_frame *frame,
                    struct weft_err *err)
{
    struct arrays_question *q = flow->q;
    struct arrays_legend legend = { .n = 0 };
    const char *subtitle = arrays_title(q);
    flow->flows = arrays_use_flows(q, err);
    if (!flow->flows || !arrays_read_scale(q, &flow->scale, err))
        return false;
    for (int pass = 0; pass < 2; pass++) {
        weft_frame_begin(frame, scene, q->request, 0, false, legend.entries, legend.n,
                         subtitle);
        place_cells(flow, frame->plot);
        add_flows(flow);
        legend.n = 0;
        make_legend(flow, &legend);
        subtitle = subtitle_of(flow);
    }
    arrays_tell_steps(q, scene);
    return true;
}

static void draw_flow(const struct flow *flow, struct weft_frame *frame)
{
    struct weft_scene *scene = frame->scene;
    struct weft_paint outline = { .stroke = frame->theme->quiet, .stroke_width = 1 };
    draw_labels(flow, scene);
    weft_scene_layer(scene, "cells", flow->cells, WEFT_LAYER_FIXED);
    if (flow->side >= MIN_MARK_SIDE && flow->flows->n <= MAX_MARKS)
        draw_marks(flow, scene);
    else
        draw_raster(flow, scene);
    weft_scene_rect(scene, flow->cells, outline);
}

static bool draw(struct arrays_question *q, struct weft_scene *scene, struct weft_err *err)
{
    struct flow flow = flow_of(q);
    struct weft_frame frame;
    bool ok = lay_out(&flow, scene, &frame, err);
    if (ok)
        draw_flow(&flow, &frame);
    return ok;
}

/* ---- Table and point ---- */

static bool put_flows(struct arrays_question *q, struct weft_table *table,
                      struct weft_err *err)
{
    const struct arrays_flows *flows = arrays_use_flows(q, err);
    double divisor = arrays_divisor(q, q->statistic);
    if (!flows)
        return false;
    weft_view_begin_table(q->request, table);
    for (size_t i = 0; i < flows->n; i++) {
        const struct weft_flow *of = &flows->flows[i];
        const uint64_t values[] = { of->elements, of->messages, of->bytes, of->references };
        struct weft_cell cells[6] = { weft_integer_cell(of->from),
                                      weft_integer_cell(of->to) };
        for (int k = 0; k < 4; k++)
            cells[2 + k] = q->statistic == ARRAYS_AVERAGE
                               ? weft_real_cell((double)values[k] / divisor, 6)
                               : weft_integer_cell((int64_t)values[k]);
        if (!table->row(table, cells))
            break;
    }
    table->end(table);
    return true;
}

static bool put_point(struct arrays_question *q, struct weft_point at, uint64_t *id,
                      struct weft_table *table, struct weft_err *err)
{
    struct flow flow = flow_of(q);
    struct weft_scene drawn;
    struct weft_frame frame;
    (void)id;
    if (!lay_out(&flow, &drawn, &frame, err))
        return false;
    double column = floor((at.x - flow.cells.x) / flow.side);
    double row = floor((at.y - flow.cells.y) / flow.side);
    if (column >= 0 && row >= 0 && column < flow.n && row < flow.n)
        arrays_put_lines(q, table, title_of(&flow, (uint32_t)row, (uint32_t)column));
    return true;
}

static const struct arrays_display display = {
    .all_arrays = true,
    .missing = missing_of,
    .draw = draw,
    .put_table = put_flows,
    .put_point = put_point,
};

static const struct weft_column columns[] = {
    { .name = "from" },     { .name = "to" },    { .name = "elements" },
    { .name = "messages" }, { .name = "bytes" }, { .name = "references" },
};

const struct weft_view weft_view_reference_flow = {
    .name = "reference-flow",
    .title = "Reference flow",
    .group = "Arrays",
    .explanation = "Rows send to columns: the darker, the more elements processors need of "
                   "one another; in a step, all of a pair is one message.",
    .needs = ARRAYS_NEEDS,
    .of_run = true,
    .of_all = true,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = arrays_fills,
    .scene = arrays_scene,
    .table = arrays_table,
    .point = arrays_point,
    .own = &display,
};
