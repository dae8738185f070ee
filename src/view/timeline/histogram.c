/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Histogram: how the durations, or a field, of what a selection means are distributed.  The
 * things are walked over twice: for the range of the values, then to count them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "model/field_cache.h"
#include "store/time.h"
#include "view/bars.h"
#include "view/timeline/histogram_bins.h"
#include "view/timeline/requested_entities.h"
#include "view/views.h"

static const struct weft_parameter parameters[] = {
    SELECTED_THINGS,
    { .name = "of",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "duration",
      .help = "duration, or a field that holds numbers: bytes" },
    { .name = "scale",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "log|linear",
      .fallback = "log",
      .help = "log: each bin is wider than the one before by a factor" },
    { .name = "bins",
      .kind = WEFT_PARAMETER_NUMBER,
      .minimum = 1,
      .maximum = 200,
      .fallback = "40",
      .help = "about how many",
      .seldom = true },
};

struct bin {
    uint64_t count;
    double ticks; /* the durations of its things together */
};

/* The values on a part of the tracks. */
struct part {
    struct histogram_range range;
    uint64_t n, without; /* with a value, and without */
    struct bin *bins;    /* [n_edges - 1]; NULL in the first walk */
};

struct histogram {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_where_query query;
    const char *of; /* NULL: durations */
    struct weft_arena *arena;
    uint32_t *tracks;
    size_t n_tracks, n_parts;
    struct part *parts;
    /* the result */
    struct part all;
    double edges[HISTOGRAM_EDGES];
    size_t n_edges;
};

struct part_walk {
    const struct histogram *histogram;
    struct part *part;
    struct weft_field_window field;
    bool real;
};

/* Sets *VALUE to a thing's: nanoseconds, or the field's; false if it has none. */
static bool value_of(struct part_walk *walk, const struct weft_thing *thing, double *value)
{
    const struct histogram *histogram = walk->histogram;
    union {
        int64_t bits;
        double real;
    } field;
    if (!histogram->of) {
        *value = (double)weft_ticks_to_ns(histogram->schema, thing->end - thing->begin);
        return true;
    }
    if (!weft_field_window_find(&walk->field, weft_entity_ordinal(thing->id), &field.bits))
        return false;
    *value = walk->real ? field.real : (double)field.bits;
    return isfinite(*value);
}

static void widen(struct part *part, double value)
{
    struct histogram_range *range = &part->range;
    if (!part->n++)
        *range = (struct histogram_range){ value, value, 0, true };
    range->least = fmin(range->least, value);
    range->most = fmax(range->most, value);
    range->whole &= value == trunc(value);
    if (value > 0 && (range->least_positive <= 0 || value < range->least_positive))
        range->least_positive = value;
}

/* Returns the bin whose edges are around VALUE. */
static size_t bin_of(const struct histogram *histogram, double value)
{
    size_t low = 0, high = histogram->n_edges - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (histogram->edges[middle] <= value)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool see(void *user, const struct weft_thing *thing)
{
    struct part_walk *walk = user;
    struct part *part = walk->part;
    double value;
    if (!value_of(walk, thing, &value)) {
        part->without++;
        return true;
    }
    if (!part->bins) {
        widen(part, value);
        return true;
    }
    struct bin *bin = &part->bins[bin_of(walk->histogram, value)];
    bin->count++;
    bin->ticks += (double)weft_ticks_between(thing->begin, thing->end);
    return true;
}

static void walk_part(void *user, size_t index)
{
    struct histogram *h = user;
    struct part_walk *walk = weft_zalloc(1, sizeof *walk);
    walk->histogram = h;
    walk->part = &h->parts[index];
    size_t from = h->n_tracks * index / h->n_parts;
    size_t to = h->n_tracks * (index + 1) / h->n_parts;
    for (size_t i = from; i < to && !weft_job_cancelled(h->query.job); i++) {
        uint32_t track = h->tracks[i], type = h->schema->tracks[track].type;
        if (h->of) {
            uint32_t field = weft_where_number_field(h->schema, type, h->of);
            weft_field_window_begin_field(&walk->field, h->source, track, field);
            walk->real =
                field != WEFT_NONE && h->schema->fields[field].kind == WEFT_FIELD_REAL;
        }
        weft_where_walk(&h->query, track, see, walk);
    }
    free(walk);
}

static void join_ranges(struct histogram *h)
{
    struct part all = { 0 };
    for (size_t i = 0; i < h->n_parts; i++) {
        const struct part *part = &h->parts[i];
        all.without += part->without;
        if (!part->n)
            continue;
        struct histogram_range kept = all.range, range = part->range;
        if (all.n) {
            range.least = fmin(range.least, kept.least);
            range.most = fmax(range.most, kept.most);
            range.whole &= kept.whole;
            if (kept.least_positive > 0
                && (range.least_positive <= 0
                    || kept.least_positive < range.least_positive))
                range.least_positive = kept.least_positive;
        }
        all.range = range;
        all.n += part->n;
    }
    h->all = all;
}

static void count(struct histogram *h)
{
    size_t n_bins = h->n_edges - 1;
    h->all.bins = weft_arena_zalloc(h->arena, n_bins, sizeof *h->all.bins);
    for (size_t i = 0; i < h->n_parts; i++)
        h->parts[i].bins = weft_arena_zalloc(h->arena, n_bins, sizeof *h->all.bins);
    weft_parallel(h->n_parts, 1, walk_part, h);
    for (size_t i = 0; i < h->n_parts; i++)
        for (size_t b = 0; b < n_bins; b++) {
            h->all.bins[b].count += h->parts[i].bins[b].count;
            h->all.bins[b].ticks += h->parts[i].bins[b].ticks;
        }
}

/* Fails if no type has a field of numbers with the name. */
static bool field_exists(const struct weft_schema *schema, const char *name,
                         struct weft_err *err)
{
    for (uint32_t t = 0; t < schema->n_types; t++)
        if (weft_where_number_field(schema, t, name) != WEFT_NONE)
            return true;
    return weft_fail(err, WEFT_ERR_USAGE,
                     "of=%s: no state, event or link has numbers in a field of that name "
                     "(right: of=duration, of=FIELD)",
                     name);
}

static bool measure(const struct weft_request *request, struct histogram *h,
                    struct weft_err *err)
{
    const char *of = weft_setting(request, "of");
    bool duration = strcmp(of, parameters[1].fallback) == 0;
    *h = (struct histogram){ .source = request->set->sources[0],
                             .schema = request->set->sources[0]->schema,
                             .of = duration ? NULL : of,
                             .arena = request->arena };
    if (h->of && !field_exists(h->schema, of, err))
        return false;
    struct weft_where *where =
        weft_where_new(h->source, weft_setting(request, "where"), err);
    if (!where)
        return false;
    h->query =
        (struct weft_where_query){ where, weft_window_with_end(h->schema, request->window),
                                   request->under, request->job };
    h->tracks = weft_where_tracks(&h->query, h->arena, &h->n_tracks);
    h->n_parts = 2 * (size_t)weft_parallel_width();
    h->parts = weft_arena_zalloc(h->arena, h->n_parts, sizeof *h->parts);
    weft_parallel(h->n_parts, 1, walk_part, h);
    join_ranges(h);
    if (h->all.n) {
        h->n_edges = histogram_edges(
            &h->all.range, strcmp(weft_setting(request, "scale"), "log") == 0,
            (unsigned)weft_setting_number(request, "bins"), h->edges);
        count(h);
    }
    weft_where_free(where);
    return weft_job_step(request->job, 1, 1, err);
}

/* ---- The table ---- */

static const struct weft_column columns[] = {
    { "from", "the least of the bin: nanoseconds, or in the field's unit",
      .selects = "of=duration:duration >= \"$ns\"|{of} >= \"$\"" },
    { "to", "what is less than that is in the bin",
      .selects = "of=duration:duration < \"$ns\"|{of} < \"$\"" },
    { "count", "things in the bin" },
    { "total_ns", "their durations together, in whole" },
};

/* Returns a whole number as such. */
static struct weft_cell edge_cell(double edge)
{
    return edge == trunc(edge) && fabs(edge) < 0x1p53 ? weft_integer_cell((int64_t)edge)
                                                      : weft_real_cell(edge, -1);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct histogram h;
    if (!measure(request, &h, err))
        return false;
    weft_view_begin_table(request, out);
    for (size_t b = 0; b + 1 < h.n_edges; b++) {
        const struct weft_cell cells[] = {
            edge_cell(h.edges[b]),
            edge_cell(h.edges[b + 1]),
            weft_integer_cell((int64_t)h.all.bins[b].count),
            weft_integer_cell(weft_mean_to_ns(h.schema, h.all.bins[b].ticks, 1)),
        };
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

/* ---- The picture ---- */

/* "20 µs", "64 KiB", "4,096" */
static const char *edge_text(const struct histogram *h, double edge)
{
    char text[WEFT_TIME_TEXT];
    if (!h->of)
        return weft_arena_strdup(h->arena, weft_nanoseconds_text(edge, text));
    if (edge == trunc(edge) && fabs(edge) < 1e15)
        return weft_number_text(h->arena, edge, 0);
    return weft_arena_printf(h->arena, "%.3g", edge);
}

enum { BELOW = 30 /* pixels below the bars: labels of edges, and what is measured */ };

/* Draws the edges' names as far as they do not touch, at their ticks. */
static void draw_edges(struct weft_frame *frame, const struct histogram *h,
                       struct weft_rect plot)
{
    struct weft_scene *scene = frame->scene;
    double step = plot.width / (double)(h->n_edges - 1), y = plot.y + plot.height, end = 0;
    for (size_t i = 0; i < h->n_edges; i++) {
        const char *label = edge_text(h, h->edges[i]);
        double half = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, label) / 2;
        double x = plot.x + step * (double)i, at = fmin(x, scene->width - half - 1);
        if (i && at - half < end)
            continue;
        end = at + half + 10;
        weft_scene_line(
            scene, (struct weft_point){ x, y }, (struct weft_point){ x, y + 4 },
            (struct weft_paint){ .stroke = frame->theme->quiet, .stroke_width = 1 });
        weft_scene_text(scene, (struct weft_point){ at, y + 15 }, WEFT_ANCHOR_MIDDLE,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet, label);
    }
    weft_scene_text(scene, (struct weft_point){ plot.x + plot.width, y + 28 },
                    WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->text,
                    h->of ? h->of : "duration");
}

/* Returns the selection of the values in a bin, of all that is selected. */
static const char *where_of(const struct histogram *h, size_t b)
{
    struct weft_arena *arena = h->arena;
    const char *unit = h->of ? "" : "ns";
    const char *name = h->of ? weft_where_and(arena, "", "", h->of) : "duration";
    if (!name)
        return NULL;
    const char *least = weft_arena_printf(arena, "%s >=", name);
    const char *above = weft_arena_printf(arena, "%s <", name);
    const char *where = weft_where_and(
        arena, "", least, weft_arena_printf(arena, "%.17g%s", h->edges[b], unit));
    return weft_where_and(arena, where, above,
                          weft_arena_printf(arena, "%.17g%s", h->edges[b + 1], unit));
}

static void draw_bins(struct weft_frame *frame, const struct histogram *h,
                      struct weft_rect plot, double most)
{
    struct weft_scene *scene = frame->scene;
    struct weft_swatch swatch = weft_name_swatch(frame->theme, h->of ? h->of : "duration");
    double step = plot.width / (double)(h->n_edges - 1), gap = step > 4 ? 1 : 0;
    for (size_t b = 0; b + 1 < h->n_edges; b++) {
        const struct bin *bin = &h->all.bins[b];
        double height = plot.height * (double)bin->count / most;
        char total[WEFT_TIME_TEXT];
        if (!bin->count)
            continue;
        height = fmax(height, 1);
        struct weft_mark *mark = weft_scene_rect(
            scene,
            (struct weft_rect){ plot.x + step * (double)b, plot.y + plot.height - height,
                                fmax(step - gap, 0.5), height },
            (struct weft_paint){ .fill = swatch.fill, .hatch = swatch.hatch });
        if (mark)
            mark->action = weft_list_action(where_of(h, b));
        weft_mark_title(scene, mark, "%s to less than %s · %s · %.3g %% · %s in all",
                        edge_text(h, h->edges[b]), edge_text(h, h->edges[b + 1]),
                        weft_number_text(h->arena, (double)bin->count, 0),
                        100 * (double)bin->count / (double)h->all.n,
                        weft_nanoseconds_text(
                            (double)weft_mean_to_ns(h->schema, bin->ticks, 1), total));
    }
}

static void draw(struct weft_frame *frame, const struct histogram *h)
{
    double most = 0;
    for (size_t b = 0; b + 1 < h->n_edges; b++)
        most = fmax(most, (double)h->all.bins[b].count);
    frame->plot.height = fmax(1, frame->plot.height - BELOW);
    frame->plot.width = fmax(1, frame->plot.width - 12);
    struct weft_rect plot = weft_axes_draw(frame, most, "count", 0, 0, NULL);
    weft_scene_layer(
        frame->scene, "bins",
        (struct weft_rect){ 0, plot.y, frame->scene->width, plot.height + BELOW },
        WEFT_LAYER_FIXED);
    draw_bins(frame, h, plot, most);
    draw_edges(frame, h, plot);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct histogram h;
    if (!measure(request, &h, err))
        return false;
    struct weft_frame frame;
    weft_frame_begin(
        &frame, out, request, 0, false, NULL, 0,
        weft_arena_printf(
            request->arena, "%s selected, in %s",
            weft_number_text(request->arena, (double)(h.all.n + h.all.without), 0),
            weft_range_text(request->arena, h.schema, request->window)));
    if (h.all.n)
        draw(&frame, &h);
    else
        weft_frame_empty(&frame, h.all.without ? "Nothing that is selected has that field."
                                               : "Nothing in this range is selected.");
    return true;
}

/* Tells how many things lack the field, and are in no bin. */
static const char *remark(const struct weft_request *request)
{
    struct histogram h;
    struct weft_err err;
    if (strcmp(weft_setting(request, "of"), parameters[1].fallback) == 0
        || !measure(request, &h, &err) || !h.all.without)
        return NULL;
    return weft_arena_printf(request->arena, "%s of the things selected have no %s",
                             weft_number_text(request->arena, (double)h.all.without, 0),
                             h.of);
}

const struct weft_view weft_view_histogram = {
    .name = "histogram",
    .title = "Histogram",
    .group = "Statistics",
    .explanation =
        "Each bar is how many of the states, events and links that the selection "
        "means have a duration, or a field, from its left edge to its right.",
    .needs = "states, events or links (any recording has them)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = things_fill,
    .scene = scene,
    .table = table,
    .remark = remark,
};
