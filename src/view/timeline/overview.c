/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overview, the strip at the top of the workbench: shows how many tracks were in each state
 * over the whole span, stacked, and marks the window.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/container_relevance.h"
#include "analyse/lifetime.h"
#include "store/time.h"
#include "view/damage.h"
#include "view/picture_frame.h"
#include "view/views.h"

static const struct weft_parameter parameters[] = {
    { .name = "type",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "",
      .help = "the type of state (the one with most time unless given)" },
};

struct overview {
    const struct weft_source *source;
    uint32_t type;
    uint32_t *tracks;
    size_t n_tracks;
    unsigned slots;
    size_t columns;
    float *shares;    /* [columns][slots], summed over all tracks */
    uint32_t *values; /* by slot; WEFT_NONE: none, or several */
};

/*
 * Returns the type of state to show: the one asked for; else the most relevant, and among
 * equally relevant ones that with most time.  Time alone would choose locks, which are free
 * for longer than threads run.
 */
static uint32_t main_type(const struct weft_schema *schema, const char *wanted)
{
    double *ticks = weft_zalloc(schema->n_types, sizeof *ticks);
    for (uint32_t v = 0; v < schema->n_values; v++)
        ticks[schema->values[v].type] += (double)schema->values[v].self_ticks;
    uint32_t best = WEFT_NONE;
    unsigned best_order = 0;
    for (uint32_t t = 0; t < schema->n_types; t++) {
        /* Several types may have the same name, as those of mutexes and barriers. */
        if (schema->types[t].kind != WEFT_STATE
            || (wanted[0] && strcmp(schema->types[t].name, wanted) != 0))
            continue;
        /* A recorder may define a type but record no states of it. */
        unsigned order = ticks[t] > 0 ? weft_type_order(schema, t) : WEFT_TYPE_ORDERS;
        if (best == WEFT_NONE || order < best_order
            || (order == best_order && ticks[t] > ticks[best])) {
            best = t;
            best_order = order;
        }
    }
    free(ticks);
    return best;
}

static bool ask(const struct weft_request *request, struct weft_arena *arena,
                struct overview *o, struct weft_span span, size_t columns, bool exact,
                struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    const struct weft_schema *schema = source->schema;
    const struct weft_container *root = &schema->containers[request->under];
    const char *wanted = weft_setting(request, "type");
    *o = (struct overview){ .source = source, .columns = columns };
    o->type = main_type(schema, wanted);
    if (o->type == WEFT_NONE)
        return weft_fail(err, WEFT_ERR_USAGE, "no type of state is called '%s'", wanted);
    o->slots = schema->types[o->type].slots;
    o->tracks = weft_arena_alloc(arena, (schema->n_tracks + 1) * sizeof *o->tracks);
    for (uint32_t i = schema->track_begin[root->order];
         i < schema->track_begin[root->subtree_end]; i++) {
        uint32_t t = schema->track_at[i];
        if (schema->tracks[t].type == o->type)
            o->tracks[o->n_tracks++] = t;
    }
    o->shares = weft_arena_zalloc(arena, columns * o->slots, sizeof *o->shares);
    struct weft_share_query query = { o->tracks, o->n_tracks,  span, columns,
                                      o->shares, request->job, exact };
    source->ops->shares(source, &query);
    if (!weft_job_step(request->job, 0, 0, err))
        return false;
    o->values = weft_arena_alloc(arena, o->slots * sizeof *o->values);
    size_t of_type = 0;
    for (unsigned s = 0; s < o->slots; s++)
        o->values[s] = WEFT_NONE;
    for (uint32_t v = 0; v < schema->n_values; v++)
        if (schema->values[v].type == o->type) {
            of_type++;
            if (schema->values[v].rank < o->slots)
                o->values[schema->values[v].rank] = v;
        }
    if (of_type > o->slots)
        o->values[o->slots - 1] = WEFT_NONE;
    return true;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct overview o;
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_span span = request->has_at ? weft_request_instant(request) : schema->span;
    size_t columns = request->width >= 1 && !request->has_at ? (size_t)request->width : 1;
    if (!ask(request, request->arena, &o, span, columns, true, err))
        return false;
    weft_view_begin_table(request, out);
    for (size_t c = 0; c < columns; c++) {
        int64_t at =
            span.begin - schema->span.begin
            + (int64_t)((__int128)(span.end - span.begin) * (int64_t)c / (int64_t)columns);
        for (unsigned s = 0; s < o.slots; s++) {
            if (!(o.shares[c * o.slots + s] > 0))
                continue;
            const struct weft_cell cells[] = {
                weft_integer_cell(weft_ticks_to_ns(schema, at)),
                weft_text_cell(o.values[s] == WEFT_NONE ? "(others)"
                                                        : schema->values[o.values[s]].name),
                weft_real_cell((double)o.shares[c * o.slots + s], 3),
            };
            if (!out->row(out, cells)) {
                c = columns;
                break;
            }
        }
    }
    out->end(out);
    return true;
}

static void draw_stack(struct weft_frame *frame, struct weft_arena *arena,
                       const struct overview *o, const weft_color *colors,
                       struct weft_job *job)
{
    struct weft_rect plot = frame->plot;
    size_t height = (size_t)fmax(1, plot.height);
    uint32_t *pixels = weft_arena_zalloc(arena, height * o->columns, sizeof *pixels);
    float each = (float)height / (float)(o->n_tracks ? o->n_tracks : 1);
    for (size_t c = 0; c < o->columns && !weft_job_cancelled(job); c++) {
        float level = 0.5f;
        size_t y = height;
        for (unsigned s = 0; s < o->slots && y > 0; s++) {
            level += o->shares[c * o->slots + s] * each;
            /* A damaged store may give a share that is negative or not a number. */
            size_t until = level >= (float)height ? 0
                           : level > 0            ? height - (size_t)level
                                                  : height;
            for (; y > until; y--)
                pixels[(y - 1) * o->columns + c] = colors[s];
        }
    }
    weft_scene_layer(frame->scene, "overview", plot, WEFT_LAYER_FIXED);
    weft_scene_raster(
        frame->scene, plot,
        &(struct weft_raster){ (uint32_t)o->columns, (uint32_t)height, pixels });
}

/*
 * Draws the stack as one area for each value, for themes with hatches: a hatch cannot be
 * seen in a column one pixel wide.
 */
static void draw_areas(struct weft_frame *frame, struct weft_arena *arena,
                       const struct overview *o, const struct weft_swatch *swatches)
{
    struct weft_rect plot = frame->plot;
    double each = plot.height / (double)(o->n_tracks ? o->n_tracks : 1);
    double *level = weft_arena_zalloc(arena, o->columns, sizeof *level);
    weft_scene_layer(frame->scene, "overview", plot, WEFT_LAYER_FIXED);
    for (unsigned s = 0; s < o->slots; s++) {
        struct weft_point *edge =
            weft_arena_alloc(arena, 2 * (o->columns + 1) * sizeof *edge);
        size_t n = 2 * o->columns;
        double most = 0;
        for (size_t c = 0; c < o->columns; c++) {
            double x = plot.x + ((double)c + 0.5) * plot.width / (double)o->columns;
            double share = (double)o->shares[c * o->slots + s] * each;
            edge[c] = (struct weft_point){ x, plot.y + plot.height - level[c] };
            level[c] = fmin(plot.height, level[c] + share);
            edge[n - 1 - c] = (struct weft_point){ x, plot.y + plot.height - level[c] };
            most = fmax(most, share);
        }
        if (most > 0)
            weft_scene_polygon(frame->scene, edge, n,
                               (struct weft_paint){ .fill = swatches[s].fill,
                                                    .hatch = swatches[s].hatch,
                                                    .stroke = frame->theme->text,
                                                    .stroke_width = 0.5f });
    }
}

/*
 * Returns true if the track is among the chosen ones, which are all of their type between
 * the first and the last.
 */
static bool is_asked(const struct overview *o, uint32_t track)
{
    return o->n_tracks && track >= o->tracks[0] && track <= o->tracks[o->n_tracks - 1]
           && o->source->schema->tracks[track].type == o->type;
}

/* Hatches at the top, where tracks without a state are, as many as cannot be read. */
static void hatch_unknown(struct weft_frame *frame, struct weft_arena *arena,
                          const struct overview *o, struct weft_span span)
{
    const struct weft_damage *list;
    size_t n, end;
    if (!weft_damage_list(o->source, arena, &list, &n) || !n)
        return;
    struct weft_rect plot = frame->plot;
    double per = (double)o->columns / (double)(span.end - span.begin);
    double *unknown = weft_arena_zalloc(arena, o->columns + 2, sizeof *unknown);
    for (size_t i = 0; i < n; i++) {
        if (list[i].what != WEFT_DAMAGED_ENTITIES || !is_asked(o, list[i].track))
            continue;
        double begin = ((double)list[i].span.begin - (double)span.begin) * per;
        double after = ((double)list[i].span.end - (double)span.begin) * per;
        size_t first = (size_t)fmin(fmax(begin, 0), (double)o->columns - 1);
        size_t last = (size_t)fmin(fmax(after, 0), (double)o->columns);
        unknown[first]++;
        unknown[last > first ? last : first + 1]--;
    }
    for (size_t c = 1; c < o->columns; c++)
        unknown[c] += unknown[c - 1];
    weft_scene_layer(frame->scene, WEFT_DAMAGE_LAYER, plot, WEFT_LAYER_FIXED);
    for (size_t c = 0; c < o->columns; c = end) {
        double width = plot.width / (double)o->columns;
        for (end = c + 1; end < o->columns && unknown[end] == unknown[c];)
            end++;
        if (unknown[c] > 0)
            weft_damage_hatch(
                frame->scene, frame->theme,
                (struct weft_rect){
                    plot.x + (double)c * width, plot.y, (double)(end - c) * width,
                    plot.height * fmin(1, unknown[c] / (double)o->n_tracks) });
    }
}

static void mark_window(struct weft_frame *frame, const struct weft_request *request)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_span span = schema->span, window = request->window;
    if (window.begin <= span.begin && window.end >= span.end)
        return;
    double per = frame->plot.width / (double)(span.end - span.begin);
    double x = frame->plot.x + (double)(window.begin - span.begin) * per;
    double width = fmax(2, (double)(window.end - window.begin) * per);
    weft_color accent = request->theme->accent;
    weft_scene_rect(frame->scene,
                    (struct weft_rect){ x, frame->plot.y, width, frame->plot.height },
                    (struct weft_paint){ .fill = (accent & 0xffffffu) | 0x30000000u,
                                         .stroke = accent,
                                         .stroke_width = 1.5f });
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    const struct weft_theme *theme = request->theme;
    struct overview o;
    size_t columns = (size_t)fmax(1, request->width - 16);
    if (!ask(request, request->arena, &o, schema->span, columns, false, err))
        return false;
    struct weft_swatch *swatches = weft_palette(request->arena, schema, theme);
    struct weft_legend_entry *legend =
        weft_arena_alloc(request->arena, o.slots * sizeof *legend);
    weft_color colors[WEFT_MAX_SLOTS];
    struct weft_swatch looks[WEFT_MAX_SLOTS];
    bool hues = theme->name != WEFT_THEME_MONO && theme->name != WEFT_THEME_GREY;
    size_t n = 0;
    double lived = 0; /* ticks that the containers lived: 100 % of shares */
    for (size_t t = 0; t < o.n_tracks; t++)
        lived += (double)weft_track_lifetime(schema, o.tracks[t], schema->span);
    for (unsigned s = 0; s < o.slots; s++) {
        double sum = 0;
        for (size_t c = 0; c < columns; c++)
            sum += (double)o.shares[c * o.slots + s];
        struct weft_swatch other = { theme->quiet, theme->quiet, theme->panel,
                                     WEFT_HATCH_NONE };
        struct weft_swatch swatch =
            o.values[s] == WEFT_NONE ? other : swatches[o.values[s]];
        colors[s] = swatch.tone;
        if (hues)
            swatch.hatch = WEFT_HATCH_NONE; /* columns of a pixel cannot be hatched */
        looks[s] = swatch;
        if (sum > 0)
            legend[n++] = (struct weft_legend_entry){
                swatch,
                o.values[s] == WEFT_NONE ? "others" : schema->values[o.values[s]].name,
                sum / (double)columns * (double)(schema->span.end - schema->span.begin)
                    / fmax(1, lived)
            };
    }
    struct weft_frame frame;
    const char *subtitle =
        weft_arena_printf(request->arena, "%s · %s of %zu tracks",
                          weft_range_text(request->arena, schema, schema->span),
                          schema->types[o.type].name, o.n_tracks);
    weft_frame_begin(&frame, out, request, 0, true, legend, n, subtitle);
    struct weft_span span = schema->span;
    span.end += span.end == span.begin;
    weft_frame_time_axis(&frame, schema, span);
    /* The strip shows the whole span, so a page must not shift it when the window moves. */
    out->frame.has_time = false;
    if (hues)
        draw_stack(&frame, request->arena, &o, colors, request->job);
    else
        draw_areas(&frame, request->arena, &o, looks);
    hatch_unknown(&frame, request->arena, &o, span);
    mark_window(&frame, request);
    weft_frame_moment(&frame, schema, span);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "time_ns" },
    { .name = "value" },
    { .name = "tracks" },
};

const struct weft_view weft_view_overview = {
    .name = "overview",
    .title = "Overview",
    .group = "Timeline",
    .explanation =
        "The whole run at a glance: how many tracks were in each state; the frame "
        "is the window.",
    .needs = "states (any recording has them)",
    .moment = WEFT_MOMENT_MARKED,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = weft_set_has_states,
    .scene = scene,
    .table = table,
};
