/* SPDX-License-Identifier: Apache-2.0 */
/* The processors that a display shows, and the looks of what it shows about them. */
#include "domains/messages/view/processor_display_helpers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/bars.h"

/* ---- Processors that are shown ---- */

static bool is_under(const struct weft_shown *shown, uint32_t under, uint32_t index)
{
    const struct weft_container *containers = shown->schema->containers;
    uint32_t order = containers[shown->processors->processors[index].container].order;
    return order >= containers[under].order && order < containers[under].subtree_end;
}

static void list_processors(struct weft_shown *shown, uint32_t under,
                            const struct weft_order *order, struct weft_arena *arena)
{
    const struct weft_processors *p = shown->processors;
    uint32_t *index = weft_arena_alloc(arena, ((size_t)p->n + 1) * sizeof *index), n = 0;
    shown->names = weft_arena_alloc(arena, ((size_t)p->n + 1) * sizeof *shown->names);
    for (uint32_t at = 0; at < p->n; at++) {
        uint32_t i = order->processor[at];
        if (!is_under(shown, under, i))
            continue;
        const char *name = order->names ? order->names[i] : NULL;
        shown->names[n] = name ? weft_arena_strdup(arena, name)
                               : weft_processor_text(arena, &p->processors[i]);
        index[n++] = i;
    }
    shown->list = (struct weft_processor_list){ index, n };
}

bool weft_setting_smoothing(const struct weft_request *request,
                            const struct weft_schema *schema, int64_t *width,
                            struct weft_err *err)
{
    const char *text = weft_setting(request, "smoothing");
    if (!weft_parse_time(schema, text, strlen(text), width, err))
        return false;
    *width = weft_ticks_between(schema->span.begin, *width);
    if (*width < 0)
        return weft_fail(err, WEFT_ERR_USAGE,
                         "smoothing=%s (right: a length of time, as 20ms or 2%%)", text);
    *width = *width < 1 ? 1 : *width < WEFT_TIME_LIMIT ? *width : WEFT_TIME_LIMIT - 1;
    return true;
}

bool weft_shown_begin(struct weft_shown *shown, const struct weft_request *request,
                      const char *order, struct weft_err *err)
{
    *shown = (struct weft_shown){ .processors = weft_use_processors(request->use, err) };
    if (!shown->processors)
        return false;
    shown->schema = request->set->sources[0]->schema;
    struct weft_span span = shown->schema->span, window = request->window;
    window.begin = window.begin > span.begin ? window.begin : span.begin;
    window.end = window.end < span.end ? window.end : span.end;
    window.end = window.end > window.begin ? window.end : window.begin;
    shown->window = window;
    struct weft_order made;
    bool ok = weft_order_make(shown->processors->n, order ? order : "natural", &made, err);
    if (ok)
        list_processors(shown, request->under, &made, request->arena);
    weft_order_free(&made);
    return ok;
}

/*
 * Whether the trace has a state for time that the program or the recorder did not record.
 */
static bool any_unrecorded(const struct weft_schema *schema)
{
    for (uint32_t v = 0; v < schema->n_values; v++)
        if (weft_role_is(schema->values[v].role, WEFT_ROLE_MEASURING))
            return true;
    return false;
}

const char *weft_shown_text(const struct weft_shown *shown, struct weft_arena *arena,
                            struct weft_span window, const char *per, uint32_t size)
{
    uint32_t n = shown->list.n;
    return weft_arena_printf(
        arena, "%s%s · %s processor%s%s",
        size > 1 ? weft_arena_printf(arena, "%" PRIu32 " processors %s · ", size, per) : "",
        weft_range_text(arena, shown->schema, window), weft_number_text(arena, n, 0),
        n == 1 ? "" : "s",
        any_unrecorded(shown->schema) ? " · overhead includes what is not recorded" : "");
}

struct weft_span weft_shown_so_far(const struct weft_shown *shown,
                                   const struct weft_request *request)
{
    struct weft_span so_far = shown->window;
    if (!request->has_at)
        return so_far;
    struct weft_span span = shown->schema->span;
    so_far.end = request->at < span.begin ? span.begin
                 : request->at > span.end ? span.end
                                          : request->at;
    so_far.begin = so_far.end > so_far.begin ? so_far.begin : span.begin;
    return so_far;
}

struct weft_span weft_shown_since_start(const struct weft_shown *shown,
                                        const struct weft_request *request)
{
    return (struct weft_span){ shown->schema->span.begin,
                               weft_shown_so_far(shown, request).end };
}

uint32_t weft_group_size(uint32_t n, double most)
{
    uint64_t size = 1;
    while ((double)((n + size - 1) / size) > fmax(most, 1))
        size *= 2;
    return (uint32_t)size;
}

const char *weft_group_name(const struct weft_shown *shown, struct weft_arena *arena,
                            uint32_t group, uint32_t size)
{
    uint32_t n = weft_group_of(shown, group, size).n;
    const char *const *names = shown->names + (size_t)group * size;
    return n == 1 ? weft_arena_printf(arena, "processor %s", names[0])
                  : weft_arena_printf(arena, "processors %s to %s", names[0], names[n - 1]);
}

/* ---- Looks ---- */

bool weft_theme_hatches(const struct weft_theme *theme)
{
    return theme->name == WEFT_THEME_MONO;
}

void weft_class_swatches(const struct weft_theme *theme,
                         struct weft_swatch looks[WEFT_CLASSES])
{
    static const enum weft_hatch hatches[] = { WEFT_HATCH_NONE, WEFT_HATCH_DOTS,
                                               WEFT_HATCH_DIAGONAL };
    static const weft_color tones[] = { 0xffdcdcdc, 0xff969696, 0xff464646 };
    const weft_color colors[] = { theme->busy, theme->overhead, theme->idle };
    bool mono = weft_theme_hatches(theme);
    for (size_t c = 0; c < WEFT_CLASSES; c++)
        looks[c] = (struct weft_swatch){ .fill = mono ? theme->panel : colors[c],
                                         .tone = mono ? tones[c] : colors[c],
                                         .ink = mono ? theme->text : weft_ink(colors[c]),
                                         .hatch = mono ? hatches[c] : WEFT_HATCH_NONE };
}

struct weft_paint weft_swatch_paint(const struct weft_theme *theme,
                                    struct weft_swatch swatch, double narrowest)
{
    enum { OUTLINED = 4 }; /* pixels; an outline would fill a narrower area */
    bool outlined = weft_theme_hatches(theme);
    if (outlined && narrowest < OUTLINED)
        return (struct weft_paint){ .fill = swatch.tone };
    return (struct weft_paint){ .fill = swatch.fill,
                                .stroke = outlined || swatch.hatch ? theme->text : 0,
                                .stroke_width = outlined ? 0.5f : 0,
                                .hatch = swatch.hatch };
}

int64_t *weft_unknown_ticks(const struct weft_utilization *utilization,
                            struct weft_processor_list list, struct weft_span window,
                            struct weft_arena *arena)
{
    size_t n = (size_t)list.n + 1;
    int64_t(*ticks)[WEFT_CLASSES] = weft_arena_zalloc(arena, n, sizeof *ticks);
    int64_t *unknown = weft_arena_zalloc(arena, n, sizeof *unknown);
    weft_utilization_ticks(utilization, list, window, ticks);
    for (uint32_t i = 0; i < list.n; i++) {
        unknown[i] = window.end - window.begin;
        for (size_t c = 0; c < WEFT_CLASSES; c++)
            unknown[i] -= ticks[i][c];
    }
    return unknown;
}

double weft_unknown_share(const float shares[WEFT_CLASSES], double n)
{
    const double rounding = 1e-3;
    double known = 0;
    for (size_t k = 0; k < WEFT_CLASSES; k++)
        known += (double)shares[k];
    double unknown = 1 - known / n;
    return unknown > rounding ? fmin(unknown, 1) : 0;
}

/* Rounds a level down, to at most HEIGHT; a damaged trace may give NaN, which becomes 0. */
static uint32_t pixels_below(float level, size_t height)
{
    return level >= (float)height ? (uint32_t)height : level > 0 ? (uint32_t)level : 0;
}

/* Goes row by row, since the pixels of a column are far apart in memory. */
void weft_paint_stacks(uint32_t *pixels, size_t columns, size_t height, const float *shares,
                       float n, const struct weft_swatch looks[WEFT_CLASSES])
{
    uint32_t *levels = weft_alloc(WEFT_CLASSES * (columns + 1) * sizeof *levels);
    uint32_t *busy = levels, *overhead = levels + columns, *idle = overhead + columns;
    for (size_t c = 0; c < columns; c++) {
        const float *of = shares + c * WEFT_CLASSES;
        float level = 0.5f;
        for (size_t k = 0; k < 2; k++) {
            level += of[k] / n * (float)height;
            levels[k * columns + c] = pixels_below(level, height);
        }
        float unknown = (float)weft_unknown_share(of, (double)n);
        idle[c] = pixels_below(0.5f + (1 - unknown) * (float)height, height);
    }
    const weft_color tones[] = { looks[0].tone, looks[1].tone, looks[2].tone };
    for (size_t y = 0; y < height; y++) {
        uint32_t *row = pixels + (height - 1 - y) * columns;
        for (size_t c = 0; c < columns; c++) {
            uint32_t rest = y < idle[c] ? tones[2] : 0;
            uint32_t above = y < overhead[c] ? tones[1] : rest;
            row[c] = y < busy[c] ? tones[0] : above;
        }
    }
    free(levels);
}

struct weft_swatch weft_swatch_faint(const struct weft_theme *theme,
                                     struct weft_swatch swatch)
{
    const float weight = 0.45f;
    swatch.fill = weft_mix(&swatch.tone, &weight, 1, theme->panel);
    swatch.tone = swatch.fill;
    swatch.ink = weft_ink(swatch.fill);
    if (weft_theme_hatches(theme)) {
        swatch.fill = theme->panel;
        swatch.hatch = WEFT_HATCH_DOTS;
    }
    return swatch;
}

size_t weft_class_legend(const struct weft_theme *theme, const double shares[WEFT_CLASSES],
                         struct weft_legend_entry entries[WEFT_CLASSES])
{
    struct weft_swatch looks[WEFT_CLASSES];
    weft_class_swatches(theme, looks);
    size_t n = 0;
    for (size_t c = 0; c < WEFT_CLASSES; c++)
        if (shares[c] > 0)
            entries[n++] =
                (struct weft_legend_entry){ looks[c], weft_class_name((enum weft_class)c),
                                            shares[c] };
    return n;
}

/* ---- Axes ---- */

void weft_axis_name(struct weft_frame *frame, const char *name, bool time_axis)
{
    enum { MIN_HEIGHT = 110, TIMES = 20 }; /* pixels: least height; a row of times */
    struct weft_scene *scene = frame->scene;
    if (frame->plot.height < MIN_HEIGHT)
        return;
    double y = frame->plot.y + 10 - (time_axis ? TIMES : 0);
    frame->plot.y += WEFT_AXIS_NAME_HEIGHT;
    frame->plot.height -= WEFT_AXIS_NAME_HEIGHT;
    scene->frame.plot = frame->plot;
    weft_scene_layer(scene, "name", (struct weft_rect){ 0, 0, scene->width, scene->height },
                     WEFT_LAYER_FIXED);
    weft_scene_text(scene, (struct weft_point){ 8, y }, WEFT_ANCHOR_START, WEFT_FONT_SANS,
                    WEFT_SMALL_SIZE, frame->theme->text, name);
}

/* Pixels between two numbers; even a low plot has several. */
static double spacing(double height)
{
    return fmin(34, fmax(13, height / 5));
}

static struct weft_axis axis_of(struct weft_arena *arena, double low, double high,
                                double height, bool whole)
{
    high = high > low ? high : low + 1;
    return whole ? weft_count_axis(arena, low, high, height, spacing(height))
                 : weft_value_axis(arena, low, high, "", height, spacing(height));
}

double weft_value_gutter(struct weft_arena *arena, double low, double high, double height,
                         bool whole)
{
    struct weft_axis axis = axis_of(arena, low, high, height, whole);
    return fmax(weft_labels_width(&axis), 8) + 8;
}

void weft_value_lines(struct weft_frame *frame, struct weft_rect plot, double low,
                      double high, bool whole)
{
    struct weft_scene *scene = frame->scene;
    struct weft_axis axis = axis_of(scene->arena, low, high, plot.height, whole);
    weft_scene_layer(scene, "numbers",
                     (struct weft_rect){ 0, plot.y - 8, scene->width, plot.height + 16 },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < axis.n_ticks; i++) {
        const char *label = axis.ticks[i].label;
        label += low < 0 && strncmp(label, "-", 1) == 0;
        weft_value_line(frame, plot, plot.y + plot.height - axis.ticks[i].at, label);
    }
}

uint32_t weft_name_step(uint32_t n, double length, double need)
{
    uint64_t step = 1;
    for (unsigned i = 0; length * (double)step < need * (double)n && step < n; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return (uint32_t)(step < n ? step : n ? n : 1);
}

void weft_names_below(struct weft_frame *frame, struct weft_rect plot, uint32_t n,
                      uint32_t size, const char *const *names, const char *what)
{
    struct weft_scene *scene = frame->scene;
    const struct weft_theme *theme = frame->theme;
    double y = plot.y + plot.height + 12, widest = 0, end = plot.x - 8;
    double room = scene->width - 1;
    const char **labels = weft_arena_alloc(scene->arena, ((size_t)n + 1) * sizeof *labels);
    for (uint32_t i = 0; i < n; i++) {
        labels[i] = names ? names[(size_t)i * size]
                          : weft_arena_printf(scene->arena, "%" PRIu64, (uint64_t)i * size);
        widest = fmax(widest, weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, labels[i]));
    }
    weft_scene_layer(
        scene, "names",
        (struct weft_rect){ 0, plot.y + plot.height, scene->width, WEFT_NAMES_HEIGHT },
        WEFT_LAYER_FIXED);
    uint32_t step = weft_name_step(n, plot.width, widest + 8);
    for (uint32_t i = 0; i < n; i += step) {
        double half = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, labels[i]) / 2;
        double x = plot.x + plot.width * ((double)i + 0.5) / (double)n;
        x = fmax(x, half + 1);
        if (x - half < end || x + half > room)
            continue;
        weft_scene_text(scene, (struct weft_point){ x, y }, WEFT_ANCHOR_MIDDLE,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet, labels[i]);
        end = x + half + 4;
    }
    weft_scene_text(scene, (struct weft_point){ plot.x + plot.width, y + 13 },
                    WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text, what);
}

void weft_fact(struct weft_table *table, const char *name, const char *value)
{
    const struct weft_cell cells[] = { weft_text_cell(name), weft_text_cell(value) };
    table->row(table, cells);
}
