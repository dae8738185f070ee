/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gantt chart: the class of each processor over time (Heath and Finger 2003, section 5.1).
 * Few changes are drawn as bars; otherwise, or with several processors in a row, each pixel
 * column shows the shares of the classes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "domains/messages/view/processor_rows.h"
#include "domains/messages/view/views.h"
#include "store/time.h"
#include "view/damage.h"

enum {
    MAX_BARS = 4000, /* in a picture: with more, shares tell as much */
    STACKED = 8,     /* pixels: in lower rows a column mixes its colours */
    MIXES = 64,      /* steps of a share: two steps of a screen's colour */
};

static const struct weft_parameter parameters[] = { WEFT_PARAMETER_OF_ORDER };

/* ---- Table ---- */

struct stretch_writer {
    const struct weft_schema *schema;
    struct weft_table *table;
    int64_t number;
    int64_t begin; /* of the current stretch */
    enum weft_class class;
    bool any, more;
    int64_t at; /* write only the stretch at this time; INT64_MIN: all */
};

static void write_stretch(struct stretch_writer *w, int64_t end)
{
    int64_t zero = w->schema->span.begin;
    bool last = end == w->schema->span.end; /* the span's end belongs to it */
    bool wanted = w->at == INT64_MIN || (w->at >= w->begin && (w->at < end || last));
    if (!w->any || !w->more || !wanted || w->class == WEFT_CLASS_UNKNOWN)
        return;
    const struct weft_cell cells[] = {
        weft_integer_cell(w->number),
        weft_integer_cell(weft_ticks_to_ns(w->schema, w->begin - zero)),
        weft_integer_cell(weft_ticks_to_ns(w->schema, end - zero)),
        weft_text_cell(weft_class_name(w->class)),
    };
    w->more = w->table->row(w->table, cells);
}

static bool next_stretch(void *user, int64_t time, enum weft_class class)
{
    struct stretch_writer *w = user;
    write_stretch(w, time);
    w->any = true;
    w->begin = time;
    w->class = class;
    return w->more;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct weft_shown shown;
    bool ok = weft_shown_begin(&shown, request, weft_setting(request, "order"), err);
    const struct weft_utilization *u = NULL;
    if (ok && request->has_at) {
        u = weft_use_utilization(request->use, err);
        ok = u != NULL;
    }
    struct stretch_writer w = { .schema = request->set->sources[0]->schema,
                                .table = out,
                                .more = true,
                                .at = request->has_at ? request->at : INT64_MIN };
    if (ok)
        weft_view_begin_table(request, out);
    for (uint32_t i = 0; ok && w.more && i < shown.list.n; i++) {
        uint32_t index = shown.list.index[i];
        /* At a moment, search the chunks for its stretch instead of reading the window. */
        struct weft_span window =
            u ? weft_utilization_around(u, index, request->at) : shown.window;
        w.number = shown.processors->processors[index].number;
        w.any = false;
        weft_class_changes(shown.processors, index, window, next_stretch, &w);
        write_stretch(&w, window.end);
        ok = weft_job_step(request->job, i, shown.list.n, err);
    }
    if (ok)
        out->end(out);
    return ok;
}

/* ---- Picture ---- */

struct gantt_picture {
    const struct weft_request *request;
    struct weft_shown shown;
    const struct weft_class_mips *mips; /* for rows with too many changes to read */
    struct weft_scene *scene;
    struct weft_processor_rows rows;
    struct weft_swatch looks[WEFT_CLASSES];
    struct weft_mixer mixer;
    weft_color mixes[MIXES + 1][MIXES + 1]; /* by shares of busy and overhead */
    size_t columns, height;
    uint32_t *pixels;             /* [height][columns] */
    double (*sums)[WEFT_CLASSES]; /* [rows]: time by class, in ticks or shares of columns */
};

struct bars {
    const struct gantt_picture *p;
    uint32_t row;
    int64_t begin;
    enum weft_class class;
    bool any;
};

static void draw_bar(struct bars *b, int64_t end)
{
    const struct gantt_picture *p = b->p;
    if (!b->any || b->class == WEFT_CLASS_UNKNOWN)
        return;
    double x0 = weft_row_x(&p->rows, b->begin), x1 = weft_row_x(&p->rows, end),
           y = p->rows.part.y + weft_row_top(&p->rows, b->row);
    struct weft_mark *mark = weft_scene_rect(
        p->scene,
        (struct weft_rect){ x0, y, x1 - x0,
                            p->rows.part.y + weft_row_bottom(&p->rows, b->row) - y },
        weft_swatch_paint(p->request->theme, p->looks[b->class],
                          weft_row_bottom(&p->rows, b->row)
                              - weft_row_top(&p->rows, b->row)));
    uint32_t index = p->shown.list.index[b->row];
    p->sums[b->row][b->class] += (double)(end - b->begin);
    if (!mark)
        return;
    char length[WEFT_TIME_TEXT], begin[WEFT_TIME_TEXT];
    mark->id = weft_container_id(p->shown.processors->processors[index].container, false);
    weft_mark_title(
        p->scene, mark, "processor %s · %s · %s from %s", p->shown.names[b->row],
        weft_class_name(b->class),
        weft_duration_text(p->shown.schema, end - b->begin, length),
        weft_duration_text(p->shown.schema, b->begin - p->shown.schema->span.begin, begin));
}

static bool next_bar(void *user, int64_t time, enum weft_class class)
{
    struct bars *b = user;
    draw_bar(b, time);
    b->any = true;
    b->begin = time;
    b->class = class;
    return true;
}

static void draw_bars(const struct gantt_picture *p)
{
    for (uint32_t row = 0; row < p->rows.n; row++) {
        struct bars bars = { .p = p, .row = row };
        weft_class_changes(p->shown.processors, p->shown.list.index[row], p->shown.window,
                           next_bar, &bars);
        draw_bar(&bars, p->shown.window.end);
    }
}

/*
 * Mixes the colours for all shares of busy and overhead in advance: a picture has a million
 * cells, and mixing costs more than counting their shares.
 */
static void mix_cells(struct gantt_picture *p)
{
    struct weft_swatch tones[WEFT_CLASSES];
    for (size_t k = 0; k < WEFT_CLASSES; k++) {
        tones[k] = p->looks[k];
        tones[k].fill = tones[k].tone;
    }
    weft_mixer_init(&p->mixer, tones, WEFT_CLASSES, p->request->theme->empty);
    for (int busy = 0; busy <= MIXES; busy++)
        for (int overhead = 0; overhead <= MIXES; overhead++) {
            int idle = MIXES - busy - overhead;
            const float shares[WEFT_CLASSES] = { [WEFT_CLASS_BUSY] = (float)busy,
                                                 [WEFT_CLASS_OVERHEAD] = (float)overhead,
                                                 [WEFT_CLASS_IDLE] =
                                                     (float)(idle > 0 ? idle : 0) };
            p->mixes[busy][overhead] =
                weft_mixer_mix(&p->mixer, shares, WEFT_CLASSES, 1 / (float)MIXES);
        }
}

/* A damaged trace may give shares below 0, huge, or NaN. */
static unsigned step_of(float share, float scale)
{
    float steps = share * scale + 0.5f;
    return steps > 0 ? steps < (float)MIXES ? (unsigned)steps : MIXES : 0;
}

/* The mixed colour of a cell of N processors; a part that cannot be read has no colour. */
static weft_color cell_color(const struct gantt_picture *p, const float *cell, float n)
{
    float scale = (float)MIXES / n;
    if (weft_unknown_share(cell, (double)n) > 0)
        return weft_mixer_mix(&p->mixer, cell, WEFT_CLASSES, 1 / n);
    return p->mixes[step_of(cell[WEFT_CLASS_BUSY], scale)]
                   [step_of(cell[WEFT_CLASS_OVERHEAD], scale)];
}

/* Sums shares by class, four columns at once so that the compiler can vectorize. */
static void sum_shares(const float *shares, size_t columns, double *sums)
{
    enum { ABREAST = 4 * WEFT_CLASSES };
    double parts[ABREAST] = { 0 };
    size_t n = columns * WEFT_CLASSES, i = 0;
    for (; i + ABREAST <= n; i += ABREAST)
        for (size_t k = 0; k < ABREAST; k++)
            parts[k] += (double)shares[i + k];
    for (size_t k = 0; i + k < n; k++)
        parts[k] += (double)shares[i + k];
    memset(sums, 0, WEFT_CLASSES * sizeof *sums);
    for (size_t k = 0; k < ABREAST; k++)
        sums[k % WEFT_CLASSES] += parts[k];
}

static void paint_row(void *user, size_t i)
{
    const struct gantt_picture *p = user;
    uint32_t row = (uint32_t)i;
    if (weft_job_cancelled(p->request->job))
        return;
    struct weft_processor_list list = weft_group_of(&p->shown, row, p->rows.size);
    float *shares = weft_alloc(p->columns * WEFT_CLASSES * sizeof *shares);
    weft_processors_shares(p->shown.processors, p->mips, list, p->shown.window, p->columns,
                           shares, p->request->job);
    size_t top = (size_t)round(weft_row_top(&p->rows, row)),
           bottom = (size_t)round(weft_row_bottom(&p->rows, row));
    top = top < p->height ? top : p->height - 1;
    bottom = bottom > top ? bottom < p->height ? bottom : p->height : top + 1;
    sum_shares(shares, p->columns, p->sums[row]);
    uint32_t *pixels = p->pixels + top * p->columns;
    if (bottom - top >= STACKED) {
        weft_paint_stacks(pixels, p->columns, bottom - top, shares, (float)list.n,
                          p->looks);
    } else {
        for (size_t c = 0; c < p->columns; c++)
            pixels[c] = cell_color(p, shares + c * WEFT_CLASSES, (float)list.n);
        for (size_t y = top + 1; y < bottom; y++)
            memcpy(p->pixels + y * p->columns, pixels, p->columns * sizeof *pixels);
    }
    free(shares);
}

static void paint_rows(struct gantt_picture *p)
{
    p->columns = (size_t)fmax(1, round(p->rows.part.width));
    p->height = (size_t)fmax(1, round(p->rows.part.height));
    p->pixels =
        weft_arena_zalloc(p->scene->arena, p->height * p->columns, sizeof *p->pixels);
    mix_cells(p);
    weft_parallel(p->rows.n, 1, paint_row, p);
    weft_scene_raster(
        p->scene, p->rows.part,
        &(struct weft_raster){ (uint32_t)p->columns, (uint32_t)p->height, p->pixels });
}

/* By track: the row of the processor whose calls it has, or WEFT_NONE. */
static uint32_t *rows_of_tracks(const struct gantt_picture *p, struct weft_arena *arena)
{
    size_t n = p->shown.schema->n_tracks;
    uint32_t *row_of = weft_arena_alloc(arena, (n + 1) * sizeof *row_of);
    for (size_t t = 0; t < n; t++)
        row_of[t] = WEFT_NONE;
    for (uint32_t i = 0; i < p->shown.list.n; i++) {
        uint32_t track = p->shown.processors->processors[p->shown.list.index[i]].track;
        if (track != WEFT_NONE)
            row_of[track] = i / p->rows.size;
    }
    return row_of;
}

/* Hatches rows where calls of a processor cannot be read. */
static void hatch_rows(const struct gantt_picture *p)
{
    const struct weft_damage *list;
    size_t n;
    struct weft_arena *arena = p->scene->arena;
    struct weft_span window = p->shown.window;
    if (!weft_damage_list(p->shown.processors->source, arena, &list, &n))
        return;
    const uint32_t *row_of = rows_of_tracks(p, arena);
    weft_scene_layer(p->scene, WEFT_DAMAGE_LAYER, p->rows.part, WEFT_LAYER_MOVES_X);
    for (size_t i = 0; i < n; i++) {
        uint32_t row =
            list[i].what == WEFT_DAMAGED_ENTITIES ? row_of[list[i].track] : WEFT_NONE;
        struct weft_span span = list[i].span;
        if (row == WEFT_NONE || span.end < window.begin || span.begin > window.end)
            continue;
        span.begin = span.begin > window.begin ? span.begin : window.begin;
        span.end = span.end < window.end ? span.end : window.end;
        double left = weft_row_x(&p->rows, span.begin), top = weft_row_top(&p->rows, row);
        weft_damage_hatch(p->scene, p->request->theme,
                          (struct weft_rect){ left, p->rows.part.y + top,
                                              weft_row_x(&p->rows, span.end) - left,
                                              weft_row_bottom(&p->rows, row) - top });
    }
}

static bool few_changes(const struct gantt_picture *p)
{
    const struct weft_source *source = p->shown.processors->source;
    uint64_t n = p->rows.n;
    for (uint32_t i = 0; i < p->rows.n && p->rows.size == 1 && n <= MAX_BARS; i++) {
        uint32_t track = p->shown.processors->processors[p->shown.list.index[i]].track;
        if (track != WEFT_NONE)
            n += source->ops->density(source, track, p->shown.window);
    }
    return p->rows.size == 1 && n <= MAX_BARS;
}

static size_t legend_of(const struct gantt_picture *p, struct weft_legend_entry *legend)
{
    double sums[WEFT_CLASSES] = { 0 }, all = 0;
    for (uint32_t row = 0; row < p->rows.n; row++)
        for (size_t k = 0; k < WEFT_CLASSES; k++) {
            sums[k] += p->sums[row][k];
            all += p->sums[row][k];
        }
    for (size_t k = 0; k < WEFT_CLASSES; k++)
        sums[k] /= fmax(all, 1e-9);
    return weft_class_legend(p->request->theme, sums, legend);
}

/* Draws the rows into a scene of their own first, since the legend needs their shares. */
static bool draw(struct gantt_picture *p, struct weft_scene *out, struct weft_arena *arena)
{
    struct weft_frame frame;
    struct weft_legend_entry legend[WEFT_CLASSES];
    const double all[WEFT_CLASSES] = { 1, 1, 1 };
    struct weft_scene *rows = weft_arena_zalloc(arena, 1, sizeof *rows);
    rows->arena = arena;
    p->scene = rows;
    size_t n = weft_class_legend(p->request->theme, all, legend);
    weft_processor_rows_begin(&p->rows, &p->shown, &frame, p->scene, p->request, legend, n,
                              "");
    p->sums = weft_arena_zalloc(arena, (size_t)p->rows.n + 1, sizeof *p->sums);
    bool any = p->rows.n && p->shown.window.end > p->shown.window.begin;
    struct weft_scene *bars = weft_arena_zalloc(arena, 1, sizeof *bars);
    weft_scene_init(bars, arena, p->request->width, p->request->height, 0);
    weft_scene_layer(bars, "rows", frame.plot, WEFT_LAYER_MOVES_X);
    p->scene = bars;
    if (any && few_changes(p))
        draw_bars(p);
    else if (any)
        paint_rows(p);
    if (any)
        hatch_rows(p);
    p->scene = out;
    out->arena = arena;
    n = legend_of(p, legend);
    weft_processor_rows_begin(&p->rows, &p->shown, &frame, p->scene, p->request, legend, n,
                              "");
    weft_frame_time_axis(&frame, p->shown.schema, p->request->window);
    weft_processor_rows_names(&p->rows, &frame);
    weft_scene_append(out, bars, 0, 0);
    if (!any)
        weft_frame_empty(&frame, "No processor did anything in this range.");
    weft_frame_moment(&frame, p->shown.schema, p->request->window);
    return any;
}

static bool begin(struct gantt_picture *p, const struct weft_request *request,
                  struct weft_err *err)
{
    *p = (struct gantt_picture){ .request = request };
    weft_class_swatches(request->theme, p->looks);
    if (!weft_shown_begin(&p->shown, request, weft_setting(request, "order"), err))
        return false;
    p->mips = weft_use_class_mips(request->use, err);
    return p->mips != NULL;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct gantt_picture p;
    bool ok = begin(&p, request, err);
    if (ok)
        draw(&p, out, request->arena);
    return ok && weft_job_step(request->job, 0, 0, err);
}

/* ---- Pointing ---- */

static void tell(const struct gantt_picture *p, struct weft_point at, uint64_t *id,
                 struct weft_table *out, struct weft_arena *arena)
{
    uint32_t row = weft_row_at(&p->rows, at.y);
    struct weft_span pixel;
    if (!p->rows.n || !weft_frame_pixel(p->rows.part, p->shown.window, at.x, &pixel)
        || at.y < p->rows.part.y)
        return;
    struct weft_processor_list list = weft_group_of(&p->shown, row, p->rows.size);
    float shares[WEFT_CLASSES];
    weft_class_shares_read(p->shown.processors, list, pixel, 1, shares);
    weft_fact(out, "row", weft_group_name(&p->shown, arena, row, p->rows.size));
    for (size_t k = 0; k < WEFT_CLASSES; k++)
        if (shares[k] > 0.0005f * (float)list.n)
            weft_fact(
                out, weft_class_name((enum weft_class)k),
                weft_arena_printf(arena, "%.1f %%", 100 * (double)shares[k] / list.n));
    double unknown = weft_unknown_share(shares, list.n);
    if (unknown > 0)
        weft_fact(out, "damaged", weft_arena_printf(arena, "%.1f %%", 100 * unknown));
    if (list.n == 1)
        *id = weft_container_id(p->shown.processors->processors[list.index[0]].container,
                                false);
}

static bool point(const struct weft_request *request, struct weft_point at, uint64_t *id,
                  struct weft_table *out, struct weft_err *err)
{
    struct gantt_picture p;
    if (!begin(&p, request, err))
        return false;
    struct weft_scene scene = { .arena = request->arena };
    struct weft_frame frame;
    struct weft_legend_entry legend[WEFT_CLASSES];
    const double all[WEFT_CLASSES] = { 1, 1, 1 };
    p.scene = &scene;
    weft_processor_rows_begin(&p.rows, &p.shown, &frame, p.scene, request, legend,
                              weft_class_legend(request->theme, all, legend), "");
    weft_table_begin_facts(out);
    tell(&p, at, id, out, request->arena);
    out->end(out);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "processor" },
    { .name = "start_ns" },
    { .name = "end_ns" },
    { .name = "state" },
};

const struct weft_view weft_view_gantt = {
    .name = "gantt",
    .title = "Gantt chart",
    .group = "Utilization",
    .explanation =
        "Each row is a processor over time: when it was busy, in the communication "
        "library, and idle.",
    .needs = "ranks, messages or activity (an MPI run, for example)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_MARKED,
    .fills = weft_set_has_processors,
    .scene = scene,
    .table = table,
    .point = point,
};
