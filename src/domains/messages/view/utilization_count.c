/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Utilization count: how many processors were busy, in overhead and idle, over time (Heath
 * and Finger 2003, section 5.1).
 */
#include <math.h>
#include <stdlib.h>

#include "domains/messages/view/processor_display_helpers.h"
#include "domains/messages/view/views.h"
#include "store/time.h"
#include "view/damage.h"

/* ---- Table ---- */

struct moment_writer {
    const struct weft_schema *schema;
    struct weft_table *table;
};

static bool write_counts(void *user, int64_t time, const uint32_t counts[WEFT_CLASSES])
{
    const struct moment_writer *w = user;
    const struct weft_cell cells[] = {
        weft_integer_cell(weft_ticks_to_ns(w->schema, time - w->schema->span.begin)),
        weft_integer_cell(counts[WEFT_CLASS_BUSY]),
        weft_integer_cell(counts[WEFT_CLASS_OVERHEAD]),
        weft_integer_cell(counts[WEFT_CLASS_IDLE]),
    };
    return w->table->row(w->table, cells);
}

/* Writes a row of the counts at a moment. */
static void write_moment(const struct weft_shown *shown, struct moment_writer *w,
                         int64_t at, struct weft_arena *arena)
{
    uint8_t *class = weft_arena_alloc(arena, (size_t)shown->processors->n + 1);
    uint32_t counts[WEFT_CLASSES + 1] = { 0 }; /* last: unreadable */
    weft_processors_at(shown->processors, at, class);
    for (uint32_t i = 0; i < shown->list.n; i++)
        counts[class[shown->list.index[i]]]++;
    write_counts(w, at, counts);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct weft_shown shown;
    bool ok = weft_shown_begin(&shown, request, NULL, err);
    const struct weft_utilization *utilization =
        ok && !request->has_at ? weft_use_utilization(request->use, err) : NULL;
    ok = ok && (request->has_at || utilization);
    if (ok) {
        struct moment_writer w = { shown.schema, out };
        weft_view_begin_table(request, out);
        if (request->has_at)
            write_moment(&shown, &w, request->at, request->arena);
        else
            ok = weft_count_changes(utilization, shown.list, shown.window, write_counts, &w,
                                    request->job, err);
        if (ok)
            out->end(out);
    }
    return ok;
}

/* ---- Picture ---- */

struct count_picture {
    struct weft_shown shown;
    const struct weft_concurrency *concurrency;
    struct weft_rect part; /* part of the plot that the trace's span covers */
    size_t columns;
    float *shares; /* [columns][WEFT_CLASSES] */
    struct weft_swatch looks[WEFT_CLASSES];
};

/*
 * Gets the shares for each pixel column of the part of the window within the trace's span.
 */
static void ask(struct count_picture *p, const struct weft_request *request,
                struct weft_arena *arena, struct weft_rect plot)
{
    struct weft_span window = request->window, shown = p->shown.window;
    double per_tick = plot.width / (double)(window.end - window.begin);
    p->part = plot;
    p->part.x += (double)(shown.begin - window.begin) * per_tick;
    p->part.width = (double)(shown.end - shown.begin) * per_tick;
    p->columns = shown.end > shown.begin ? (size_t)fmax(1, round(p->part.width)) : 0;
    p->shares = weft_arena_zalloc(arena, (p->columns + 1) * WEFT_CLASSES, sizeof(float));
    if (p->columns && p->shown.list.n)
        weft_concurrency_shares(p->concurrency, shown, p->columns, p->shares);
}

static void draw_pixels(const struct count_picture *p, struct weft_scene *scene)
{
    size_t height = (size_t)fmax(1, p->part.height), columns = p->columns;
    uint32_t *pixels = weft_arena_alloc(scene->arena, height * columns * sizeof *pixels);
    weft_paint_stacks(pixels, columns, height, p->shares, (float)p->shown.list.n, p->looks);
    weft_scene_raster(scene, p->part,
                      &(struct weft_raster){ (uint32_t)columns, (uint32_t)height, pixels });
}

/* Draws each class as a polygon, which can be hatched. */
static void draw_areas(const struct count_picture *p, struct weft_scene *scene,
                       const struct weft_theme *theme)
{
    double each = p->part.height / (double)p->shown.list.n;
    double *level = weft_arena_zalloc(scene->arena, p->columns, sizeof *level);
    for (size_t k = 0; k < WEFT_CLASSES; k++) {
        size_t n = 2 * (p->columns + 1);
        struct weft_point *edge = weft_arena_alloc(scene->arena, n * sizeof *edge);
        for (size_t c = 0; c <= p->columns; c++) {
            size_t of = c < p->columns ? c : p->columns - 1;
            double x = p->part.x + (double)c * p->part.width / (double)p->columns;
            double before = level[of], share = (double)p->shares[of * WEFT_CLASSES + k];
            double after = fmin(p->part.height, before + share * each);
            edge[c] = (struct weft_point){ x, p->part.y + p->part.height - before };
            edge[n - 1 - c] = (struct weft_point){ x, p->part.y + p->part.height - after };
        }
        weft_scene_polygon(scene, edge, n,
                           weft_swatch_paint(theme, p->looks[k], p->part.height));
        for (size_t c = 0; c < p->columns; c++)
            level[c] = fmin(p->part.height,
                            level[c] + (double)p->shares[c * WEFT_CLASSES + k] * each);
    }
}

/* Hatches the unreadable share of each column, above the classes. */
static void hatch_unknown(const struct count_picture *p, struct weft_scene *scene,
                          const struct weft_theme *theme)
{
    size_t after = 0;
    double n = (double)p->shown.list.n, width = p->part.width / (double)p->columns;
    weft_scene_layer(scene, WEFT_DAMAGE_LAYER, p->part, WEFT_LAYER_MOVES_X);
    for (size_t c = 0; c < p->columns; c = after) {
        double unknown = weft_unknown_share(p->shares + c * WEFT_CLASSES, n);
        for (after = c + 1; after < p->columns; after++)
            if (fabs(weft_unknown_share(p->shares + after * WEFT_CLASSES, n) - unknown)
                > 1e-3)
                break;
        if (unknown > 0)
            weft_damage_hatch(scene, theme,
                              (struct weft_rect){ p->part.x + (double)c * width, p->part.y,
                                                  (double)(after - c) * width,
                                                  p->part.height * unknown });
    }
}

static size_t legend_of(const struct count_picture *p, const struct weft_theme *theme,
                        struct weft_legend_entry legend[WEFT_CLASSES])
{
    double shares[WEFT_CLASSES] = { 0 };
    double all = (double)p->columns * (double)p->shown.list.n;
    for (size_t c = 0; c < p->columns; c++)
        for (size_t k = 0; k < WEFT_CLASSES; k++)
            shares[k] += (double)p->shares[c * WEFT_CLASSES + k] / all;
    return weft_class_legend(theme, shares, legend);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct count_picture p = { 0 };
    struct weft_legend_entry legend[WEFT_CLASSES];
    if (weft_shown_begin(&p.shown, request, NULL, err))
        p.concurrency = weft_use_concurrency(request->use, err);
    if (!p.concurrency)
        return false;
    weft_class_swatches(request->theme, p.looks);
    double n = p.shown.list.n,
           gutter = weft_value_gutter(request->arena, 0, n, request->height, true);
    struct weft_rect guess = { 8 + gutter, 0, fmax(1, request->width - 16 - gutter), 1 };
    ask(&p, request, request->arena, guess);
    bool any = p.columns && p.shown.list.n;
    struct weft_frame frame;
    weft_frame_begin(&frame, out, request, gutter, true, legend,
                     any ? legend_of(&p, request->theme, legend) : 0,
                     weft_shown_text(&p.shown, request->arena, request->window, "", 1));
    weft_axis_name(&frame, "processors", true);
    weft_frame_time_axis(&frame, p.shown.schema, request->window);
    weft_value_lines(&frame, frame.plot, 0, fmax(n, 1), true);
    p.part.x += frame.plot.x - guess.x;
    p.part.y = frame.plot.y;
    p.part.height = frame.plot.height;
    weft_scene_layer(out, "counts", frame.plot, WEFT_LAYER_MOVES_X);
    if (!any)
        weft_frame_empty(&frame, "No processor did anything in this range.");
    else if (weft_theme_hatches(request->theme))
        draw_areas(&p, out, request->theme);
    else
        draw_pixels(&p, out);
    if (any && weft_damage_of_set(request->set))
        hatch_unknown(&p, out, request->theme);
    weft_frame_moment(&frame, p.shown.schema, request->window);
    return weft_job_step(request->job, 0, 0, err);
}

/* ---- Pointing ---- */

static bool point(const struct weft_request *request, struct weft_point at, uint64_t *id,
                  struct weft_table *out, struct weft_err *err)
{
    struct weft_scene drawn;
    struct weft_shown shown;
    (void)id;
    bool ok = scene(request, &drawn, err) && weft_shown_begin(&shown, request, NULL, err);
    const struct weft_concurrency *concurrency =
        ok ? weft_use_concurrency(request->use, err) : NULL;
    ok = concurrency != NULL;
    if (ok) {
        struct weft_span pixel;
        float shares[WEFT_CLASSES];
        char text[WEFT_TIME_TEXT];
        weft_table_begin_facts(out);
        if (weft_frame_pixel(drawn.frame.plot, request->window, at.x, &pixel)
            && pixel.begin >= shown.window.begin && pixel.end <= shown.window.end
            && shown.list.n) {
            weft_concurrency_shares(concurrency, pixel, 1, shares);
            weft_fact(out, "time",
                      weft_duration_text(shown.schema,
                                         pixel.begin - shown.schema->span.begin, text));
            for (size_t k = WEFT_CLASSES; k-- > 0;)
                weft_fact(out, weft_class_name((enum weft_class)k),
                          weft_arena_printf(request->arena, "%.4g", (double)shares[k]));
            double unknown = weft_unknown_share(shares, shown.list.n);
            if (unknown > 0)
                weft_fact(
                    out, "damaged",
                    weft_arena_printf(request->arena, "%.4g", unknown * shown.list.n));
        }
        out->end(out);
    }
    return ok;
}

static const struct weft_column columns[] = {
    { .name = "time_ns" },
    { .name = "busy" },
    { .name = "overhead" },
    { .name = "idle" },
};

const struct weft_view weft_view_utilization_count = {
    .name = "utilization-count",
    .title = "Utilization count",
    .group = "Utilization",
    .explanation = "How many processors were busy (at the bottom), in the communication "
                   "library, and idle (on top), over time.",
    .needs = "ranks, messages or activity (an MPI run, for example)",
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_MARKED,
    .fills = weft_set_has_processors,
    .scene = scene,
    .table = table,
    .point = point,
};
