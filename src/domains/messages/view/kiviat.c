/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kiviat diagram: each processor is a spoke of a wheel.  A point on it, from the hub to the
 * rim, is the share of the recent time that it was busy, and the points are the corners of
 * a polygon.  A lighter polygon behind it is the highest share so far (Heath and Finger
 * 2003, section 5.1).  Without a moment the point is the average of the window, since at a
 * run's end there often is nothing to see.
 *
 * Time that cannot be read is in no average: the spoke is hatched from the least to the
 * greatest average that is possible.  A spoke has no point where less than half of the time
 * is known, and no highest share where less than one smoothing interval is.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "domains/messages/view/processor_display_helpers.h"
#include "domains/messages/view/views.h"
#include "store/time.h"
#include "view/damage.h"

static const struct weft_parameter parameters[] = {
    WEFT_PARAMETER_OF_SMOOTHING,
    { .name = "overhead",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "idle|busy",
      .fallback = "idle",
      .help = "whether time in the communication library counts as busy" },
    WEFT_PARAMETER_OF_ORDER,
};

struct kiviat {
    struct weft_shown shown;
    struct weft_span so_far, window; /* of the highest share; of averages */
    int64_t width;                   /* ticks of the smoothing interval */
    struct weft_average *list;       /* by position */
    /* By position, 0 to 1; NAN where too little is known. */
    double *share;   /* share busy of the known recent time, or of the window's */
    double *most;    /* highest share of any recent time so far */
    double *unknown; /* the part of share's time that cannot be read */
    bool at_moment;
};

/* Sets the shares. RANGE is the part of the request's window up to its moment. */
static void find_shares(struct kiviat *k, const struct weft_utilization *u,
                        struct weft_span range, struct weft_arena *arena)
{
    int64_t begin = k->shown.schema->span.begin, end = k->so_far.end;
    struct weft_span recent = { end - begin > k->width ? end - k->width : begin, end };
    const int64_t *of_all = weft_unknown_ticks(u, k->shown.list, k->so_far, arena);
    const int64_t *of_window =
        weft_unknown_ticks(u, k->shown.list, k->at_moment ? recent : range, arena);
    /* Near the trace's begin there is less than the interval: the average is of that. */
    struct weft_span averaged = k->at_moment ? recent : range;
    double length = (double)(averaged.end - averaged.begin);
    for (uint32_t i = 0; i < k->shown.list.n; i++) {
        int64_t spent = k->at_moment ? k->list[i].current : k->list[i].spent;
        double known = length - (double)of_window[i];
        bool enough = !of_all[i] || end - k->so_far.begin - of_all[i] >= k->width;
        k->unknown[i] = length > 0 ? (double)of_window[i] / length : 0;
        k->share[i] = k->unknown[i] > 0.5 ? NAN : known > 0 ? (double)spent / known : 0;
        k->most[i] = enough ? (double)k->list[i].high / (double)k->width : NAN;
        if (k->at_moment && k->most[i] < k->share[i])
            k->most[i] = k->share[i];
    }
}

static bool begin(struct kiviat *k, const struct weft_request *request,
                  struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    const char *order = weft_setting(request, "order");
    if (!weft_shown_begin(&k->shown, request, order, err)
        || !weft_setting_smoothing(request, k->shown.schema, &k->width, err))
        return false;
    bool busy = strcmp(weft_setting(request, "overhead"), "busy") == 0;
    const struct weft_averages *averages =
        weft_use_averages(request->use, k->width, busy, err);
    if (!averages)
        return false;
    k->so_far = weft_shown_since_start(&k->shown, request);
    k->list = weft_arena_zalloc(arena, (size_t)k->shown.list.n + 1, sizeof *k->list);
    struct weft_span range = k->window = weft_shown_so_far(&k->shown, request);
    weft_averages_of(averages, k->shown.list, k->so_far, range.begin, k->list);
    double *numbers =
        weft_arena_zalloc(arena, 3 * ((size_t)k->shown.list.n + 1), sizeof *numbers);
    k->share = numbers;
    k->most = k->share + k->shown.list.n;
    k->unknown = k->most + k->shown.list.n;
    k->at_moment = request->has_at;
    find_shares(k, averages->utilization, range, arena);
    return true;
}

static struct weft_cell percent_cell(double part)
{
    return isnan(part) ? (struct weft_cell){ .kind = WEFT_CELL_EMPTY }
                       : weft_real_cell(100 * part, 4);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct kiviat k;
    if (!begin(&k, request, err))
        return false;
    weft_view_begin_table(request, out);
    for (uint32_t i = 0; i < k.shown.list.n; i++) {
        const struct weft_cell cells[] = {
            weft_integer_cell(k.shown.processors->processors[k.shown.list.index[i]].number),
            percent_cell(k.share[i]),
            percent_cell(k.most[i]),
        };
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

/* ---- Picture ---- */

struct wheel {
    const struct kiviat *k;
    struct weft_frame *frame;
    struct weft_point centre;
    double radius;
    uint32_t n, size; /* spokes; processors in a spoke */
    struct weft_swatch current, high;
};

/*
 * Returns the point of spoke I at PART of the radius; spoke 0 points up, the others follow
 * clockwise.
 */
static struct weft_point on_spoke(const struct wheel *w, uint32_t i, double part)
{
    double angle = 2 * M_PI * (double)i / (double)w->n - M_PI / 2;
    return (struct weft_point){ w->centre.x + w->radius * part * cos(angle),
                                w->centre.y + w->radius * part * sin(angle) };
}

/* The mean, 0 to 1, of the processors of a spoke that have a share; NAN if none has. */
static double part_of(const struct wheel *w, uint32_t spoke, bool high)
{
    const double *parts = high ? w->k->most : w->k->share;
    struct weft_processor_list list = weft_group_of(&w->k->shown, spoke, w->size);
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < list.n; i++) {
        double part = parts[(size_t)spoke * w->size + i];
        sum += isnan(part) ? 0 : part;
        n += !isnan(part);
    }
    return n ? sum / n : NAN;
}

/* The least possible average of a processor: unreadable time counts as not busy. */
static double least_of(const struct kiviat *k, size_t at)
{
    struct weft_span range = k->window;
    double length = k->at_moment ? (double)k->width : (double)(range.end - range.begin);
    int64_t spent = k->at_moment ? k->list[at].current : k->list[at].spent;
    return length > 0 ? (double)spent / length : 0;
}

/*
 * Returns the part of a spoke's time that cannot be read, 0 to 1, and its least average in
 * *LEAST.
 */
static double unknown_part(const struct wheel *w, uint32_t spoke, double *least)
{
    struct weft_processor_list list = weft_group_of(&w->k->shown, spoke, w->size);
    double sum = 0;
    *least = 0;
    for (uint32_t i = 0; i < list.n; i++) {
        size_t at = (size_t)spoke * w->size + i;
        sum += w->k->unknown[at] / list.n;
        *least += least_of(w->k, at) / list.n;
    }
    return sum;
}

static void draw_spokes(const struct wheel *w)
{
    enum { MAX_SPOKES = 128 }; /* more would be a grey disc */
    struct weft_paint line = { .stroke = w->frame->theme->grid, .stroke_width = 1 };
    for (uint32_t i = 0; i < w->n && w->n <= MAX_SPOKES; i++)
        weft_scene_line(w->frame->scene, w->centre, on_spoke(w, i, 1), line);
}

static void draw_rings(const struct wheel *w)
{
    enum { PARTS = 4, CORNERS = 180 };
    struct weft_scene *scene = w->frame->scene;
    struct weft_paint line = { .stroke = w->frame->theme->grid, .stroke_width = 1 };
    struct weft_point ring[CORNERS + 1];
    for (int part = 1; part <= PARTS; part++) {
        for (int i = 0; i <= CORNERS; i++) {
            double angle = 2 * M_PI * i / CORNERS;
            double r = w->radius * part / PARTS;
            ring[i] = (struct weft_point){ w->centre.x + r * cos(angle),
                                           w->centre.y + r * sin(angle) };
        }
        weft_scene_polyline(scene, ring, CORNERS + 1, line);
    }
}

/* Draws N neighbouring spokes from FIRST on, each of which has a point. */
static void draw_run(const struct wheel *w, uint32_t first, uint32_t n, bool high)
{
    enum { FEW = 2 }; /* one or two corners have no area, and become lines */
    struct weft_scene *scene = w->frame->scene;
    struct weft_swatch look = high ? w->high : w->current;
    struct weft_point *corners =
        weft_arena_alloc(scene->arena, ((size_t)n + 1) * sizeof *corners);
    for (uint32_t i = 0; i < n; i++)
        corners[i] = on_spoke(w, (first + i) % w->n, part_of(w, (first + i) % w->n, high));
    corners[n] = w->centre;
    if (n > FEW) {
        weft_scene_polygon(scene, corners, n + (n < w->n),
                           weft_swatch_paint(w->frame->theme, look, w->radius));
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        weft_scene_line(
            scene, w->centre, corners[i],
            (struct weft_paint){ .stroke = look.tone, .stroke_width = high ? 9 : 5 });
}

/* Draws the polygon, in pieces between spokes without a point. */
static void draw_polygon(const struct wheel *w, bool high)
{
    uint32_t start = 0;
    while (start < w->n && !isnan(part_of(w, start, high)))
        start++;
    if (start == w->n) {
        draw_run(w, 0, w->n, high);
        return;
    }
    for (uint32_t i = 1, run = 0; i <= w->n; i++) {
        bool ends = isnan(part_of(w, (start + i) % w->n, high));
        if (ends && run)
            draw_run(w, (start + i - run) % w->n, run, high);
        run = ends ? 0 : run + 1;
    }
}

/* Hatches each spoke from its least possible average to the greatest. */
static void draw_unknown(const struct wheel *w)
{
    struct weft_scene *scene = w->frame->scene;
    double sweep = 2 * M_PI / (double)w->n;
    weft_scene_layer(scene, WEFT_DAMAGE_LAYER, w->frame->plot, WEFT_LAYER_FIXED);
    for (uint32_t i = 0; i < w->n; i++) {
        double least, unknown = unknown_part(w, i, &least);
        if (unknown > 0)
            weft_scene_sector(scene, w->centre, w->radius * least,
                              w->radius * fmin(1, least + unknown),
                              ((double)i - 0.25) * sweep - M_PI / 2, sweep / 2,
                              weft_damage_paint(w->frame->theme));
    }
}

/* Draws as many names around the rim as have room, and the percentages of the rings. */
static void draw_names(const struct wheel *w)
{
    struct weft_scene *scene = w->frame->scene;
    const struct weft_theme *theme = w->frame->theme;
    double round = 2 * M_PI * (w->radius + 10), room = 16;
    for (uint32_t i = 0; i < w->n; i++)
        room = fmax(room, 12
                              + weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                                                w->k->shown.names[(size_t)i * w->size]));
    uint32_t step = 1;
    while (round / w->n * step < room && step < w->n)
        step *= 2;
    for (uint32_t i = 0; i + step <= w->n || i == 0; i += step) {
        struct weft_point at = on_spoke(w, i, 1 + 11 / fmax(w->radius, 1));
        const char *name = w->k->shown.names[(size_t)i * w->size];
        double half = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, name) / 2;
        at.x += (at.x - w->centre.x) / (w->radius + 11) * fmax(0, half - 4);
        weft_scene_text(scene, (struct weft_point){ at.x, at.y + 4 }, WEFT_ANCHOR_MIDDLE,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet, name);
    }
    for (int part = 1; part <= 4 && w->radius >= 80; part++)
        weft_scene_text(
            scene,
            (struct weft_point){ w->centre.x + 3, w->centre.y - w->radius * part / 4 + 11 },
            WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text,
            part == 4   ? "100 %"
            : part == 3 ? "75"
            : part == 2 ? "50"
                        : "25");
}

/* Adds an invisible sector around each spoke, for the pointer. */
static void draw_sectors(const struct wheel *w)
{
    struct weft_scene *scene = w->frame->scene;
    for (uint32_t i = 0; i < w->n; i++) {
        double sweep = 2 * M_PI / (double)w->n;
        struct weft_processor_list list = weft_group_of(&w->k->shown, i, w->size);
        struct weft_mark *mark = weft_scene_sector(scene, w->centre, 0, w->radius,
                                                   ((double)i - 0.5) * sweep - M_PI / 2,
                                                   sweep, (struct weft_paint){ 0 });
        if (mark && list.n == 1)
            mark->id = weft_container_id(
                w->k->shown.processors->processors[list.index[0]].container, false);
        const char *name = weft_group_name(&w->k->shown, scene->arena, i, w->size);
        double share = part_of(w, i, false), most = part_of(w, i, true), least;
        double unknown = unknown_part(w, i, &least);
        const char *damage = unknown > 0
                                 ? weft_arena_printf(scene->arena,
                                                     " · damaged: %.1f %% of this time "
                                                     "cannot be read",
                                                     100 * unknown)
                                 : "";
        if (isnan(share))
            weft_mark_title(scene, mark, "%s%s", name, damage);
        else
            weft_mark_title(scene, mark, "%s · %.1f %%, at most %.1f %%%s", name,
                            100 * share, 100 * fmax(share, most), damage);
    }
}

static void place_wheel(struct wheel *w)
{
    enum { NAMES = 22 };
    struct weft_rect plot = w->frame->plot;
    double widest = 0, side = fmin(plot.width, plot.height);
    for (uint32_t i = 0; i < w->k->shown.list.n && i < 2000; i++)
        widest = fmax(
            widest, weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, w->k->shown.names[i]));
    double margin = side >= 120 ? NAMES : 4;
    w->radius = fmax(1, fmin(plot.height / 2 - margin,
                             plot.width / 2 - margin - (side >= 120 ? widest : 0)));
    w->centre = (struct weft_point){ plot.x + plot.width / 2, plot.y + plot.height / 2 };
    w->size = weft_group_size(w->k->shown.list.n, M_PI * w->radius);
    w->n = (w->k->shown.list.n + w->size - 1) / w->size;
}

static void draw(const struct kiviat *k, const struct weft_request *request,
                 struct weft_scene *out, struct weft_arena *arena)
{
    struct weft_swatch looks[WEFT_CLASSES];
    struct weft_frame frame;
    struct wheel w = { .k = k, .frame = &frame };
    char width[WEFT_TIME_TEXT];
    weft_class_swatches(request->theme, looks);
    w.current = looks[WEFT_CLASS_BUSY];
    if (weft_theme_hatches(request->theme))
        w.current.hatch = WEFT_HATCH_DIAGONAL;
    w.high = weft_swatch_faint(request->theme, looks[WEFT_CLASS_BUSY]);
    struct weft_legend_entry legend[] = { { w.current, k->at_moment ? "now" : "on average",
                                            -1, 2 },
                                          { w.high, "most so far", -1, 1 } };
    /*
     * The subtitle needs the processors per spoke, and these the frame, so it is made
     * twice.
     */
    for (int round = 0; round < 2; round++) {
        weft_frame_begin(
            &frame, out, request, 0, false, legend, 2,
            weft_arena_printf(
                arena, k->at_moment ? "%s · average of %s" : "%s · most in %s",
                weft_shown_text(&k->shown, arena, k->so_far, "a spoke", round ? w.size : 1),
                weft_duration_text(k->shown.schema, k->width, width)));
        place_wheel(&w);
    }
    if (!k->shown.list.n || k->so_far.end <= k->so_far.begin) {
        weft_frame_empty(&frame, "No time has passed here.");
        return;
    }
    weft_scene_layer(out, "wheel", frame.plot, WEFT_LAYER_FIXED);
    draw_spokes(&w);
    draw_polygon(&w, true);
    draw_polygon(&w, false);
    draw_rings(&w);
    draw_unknown(&w);
    weft_scene_layer(out, "names", frame.plot, WEFT_LAYER_FIXED);
    draw_sectors(&w);
    if (fmin(frame.plot.width, frame.plot.height) >= 120)
        draw_names(&w);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct kiviat k;
    if (!begin(&k, request, err))
        return false;
    draw(&k, request, out, request->arena);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "processor", .selects = "row in \"processor number $\"" },
    { .name = "current_pct" },
    { .name = "high_water_pct" },
};

const struct weft_view weft_view_kiviat = {
    .name = "kiviat",
    .title = "Kiviat diagram",
    .group = "Utilization",
    .explanation =
        "Each spoke is a processor: the farther out, the busier it is, from idle at "
        "the hub to always busy at the rim.",
    .needs = "ranks, messages or activity (an MPI run, for example)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_processors,
    .scene = scene,
    .table = table,
};
