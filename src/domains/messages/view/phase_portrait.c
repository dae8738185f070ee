/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phase portrait: a curve in a square, from the left to the right how much was on its way,
 * as a part of the most in the run, and upwards what part of the processors was busy, both
 * on average over an interval before each moment (Heath, Finger: ParaGraph, 2003, section
 * 5.4, "Phase Portrait").
 */
#include <math.h>
#include <string.h>

#include "base/binary_search.h"
#include "domains/messages/model/phase_portrait_points.h"
#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/task_color_code.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

static const struct weft_parameter parameters[] = {
    WEFT_PARAMETER_OF_SMOOTHING,
    { .name = "show",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "auto|bytes|messages",
      .fallback = "auto",
      .help =
          "what is counted of the messages on their way: auto is bytes if any are known" },
    { .name = "color",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "auto|task|time",
      .fallback = "auto",
      .help =
          "by the task of the first processor, or by time: auto is by task if it has any" },
    COMM_PARAMETER_COLLECTIVES,
    WEFT_PARAMETER_OF_TASK_COLORS,
};

/* STEPS: points in an interval.  The rest: the least and the most points in a range. */
enum { STEPS = 16, LEAST_POINTS = 200, MOST_POINTS = 20000, MOST_DRAWN = 2000 };

struct portrait {
    const struct weft_schema *schema;
    const struct weft_processors *processors;
    struct weft_phase phase;
    struct weft_span window; /* the request's, cut to the trace's span */
    struct weft_phase_point
        *points; /* [n], equally far apart, the last at the window's end */
    size_t n;
    bool by_task;
};

/* Makes at most MOST points, without their averages. */
static void place_points(struct portrait *p, size_t most, struct weft_arena *arena)
{
    int64_t length = p->window.end - p->window.begin;
    double wanted = STEPS * (double)length / (double)p->phase.width;
    int64_t n = (int64_t)fmin(fmax(wanted, LEAST_POINTS), (double)most);
    int64_t step = length / n > 1 ? length / n : 1;
    p->n = length > 0 ? (size_t)(length / step) + 1 : 0;
    p->points = weft_arena_zalloc(arena, p->n + 1, sizeof *p->points);
    for (size_t i = 0; i < p->n; i++)
        p->points[i].time = p->window.end - (int64_t)(p->n - 1 - i) * step;
    /* Before the run's begin there is nothing to average. */
    if (p->n && p->points[0].time <= p->schema->span.begin) {
        p->points++;
        p->n--;
    }
}

static bool begin(struct portrait *p, const struct weft_request *request,
                  struct weft_err *err)
{
    enum weft_collectives collectives = comm_collectives(request);
    struct weft_shown shown;
    if (!weft_shown_begin(&shown, request, NULL, err))
        return false;
    *p = (struct portrait){ .schema = shown.schema,
                            .processors = shown.processors,
                            .window = shown.window };
    p->phase.collectives = collectives;
    if (!weft_setting_smoothing(request, p->schema, &p->phase.width, err))
        return false;
    p->phase.traffic = weft_use_traffic(request->use, err);
    if (!p->phase.traffic)
        return false;
    p->phase.history = comm_use_history(request->use, collectives, WEFT_NONE, err);
    if (!p->phase.history)
        return false;
    p->phase.bytes = comm_shows_bytes(request)
                     || (strcmp(weft_setting(request, "show"), "auto") == 0
                         && weft_history_peak(p->phase.history).bytes > 0);
    p->phase.utilization = weft_use_utilization(request->use, err);
    const char *color = weft_setting(request, "color");
    p->by_task = strcmp(color, "task") == 0
                 || (strcmp(color, "auto") == 0 && !weft_theme_hatches(request->theme)
                     && shown.processors->processors[0].task_track != WEFT_NONE);
    return p->phase.utilization;
}

static struct weft_cell percent_cell(double part)
{
    return isnan(part) ? (struct weft_cell){ .kind = WEFT_CELL_EMPTY }
                       : weft_real_cell(100 * part, -1);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct portrait p;
    struct weft_phase_point now = { .time = request->at };
    if (!begin(&p, request, err))
        return false;
    if (request->has_at) {
        p.points = &now;
        p.n = 1;
    } else {
        place_points(&p, MOST_POINTS, request->arena);
    }
    if (!weft_phase_exact(&p.phase, p.points, p.n, request->job, err))
        return false;
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < p.n; i++) {
        const struct weft_cell cells[] = {
            weft_integer_cell(
                weft_ticks_to_ns(p.schema, p.points[i].time - p.schema->span.begin)),
            percent_cell(p.points[i].utilization),
            percent_cell(p.points[i].communication),
        };
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

/* ---- Picture ---- */

enum { SHADES = 32, MAX_LEGEND = 12, NO_TASK = -1 };

struct phase_picture {
    const struct portrait *p;
    struct weft_frame frame;
    struct weft_task_colors colors;
    int64_t *task; /* [n]: the task of the first processor, or NO_TASK */
    struct weft_rect square;
};

static struct weft_point place_of(const struct phase_picture *picture,
                                  const struct weft_phase_point *point)
{
    const struct weft_rect *square = &picture->square;
    return (struct weft_point){ square->x + square->width * point->communication,
                                square->y + square->height * (1 - point->utilization) };
}

static void find_tasks(struct phase_picture *picture, struct weft_arena *arena)
{
    const struct portrait *p = picture->p;
    picture->task = weft_arena_alloc(arena, (p->n + 1) * sizeof *picture->task);
    for (size_t i = 0; i < p->n; i++) {
        int64_t number;
        bool any = p->by_task && weft_task_at(p->processors, 0, p->points[i].time, &number)
                   && number >= 0;
        picture->task[i] = any ? number : NO_TASK;
    }
}

static weft_color color_of_time(const struct weft_theme *theme, double part)
{
    const double palest = 0.3;
    return weft_ramp(theme, palest + (1 - palest) * floor(part * SHADES) / SHADES);
}

/* Returns the colour of the curve from point I on. */
static weft_color color_of(const struct phase_picture *picture, size_t i)
{
    const struct weft_theme *theme = picture->frame.theme;
    if (!picture->p->by_task)
        return color_of_time(theme, (double)i / (double)picture->p->n);
    if (picture->task[i] == NO_TASK)
        return theme->text;
    return weft_unhatched(theme, weft_task_swatch(&picture->colors, picture->task[i]).tone);
}

/* Draws the curve from point FIRST to LAST, in pieces of one colour; FAINT: all in grey. */
static void draw_curve(const struct phase_picture *picture, size_t first, size_t last,
                       bool faint)
{
    struct weft_scene *scene = picture->frame.scene;
    const struct portrait *p = picture->p;
    struct weft_point *points = weft_arena_alloc(scene->arena, (p->n + 1) * sizeof *points);
    for (size_t i = first; i < last;) {
        weft_color color =
            faint ? weft_ramp(picture->frame.theme, 0.25) : color_of(picture, i);
        size_t n = 0, from = i;
        points[n++] = place_of(picture, &p->points[i]);
        while (i < last && (faint || color_of(picture, i) == color))
            points[n++] = place_of(picture, &p->points[++i]);
        struct weft_mark *mark = weft_scene_polyline(
            scene, points, n,
            (struct weft_paint){ .stroke = color, .stroke_width = faint ? 1 : 1.5f });
        if (picture->p->by_task && picture->task[from] != NO_TASK)
            weft_mark_title(scene, mark, "task %lld", (long long)picture->task[from]);
    }
}

/* Marks some points of the curve for the pointer. */
static void draw_hints(const struct phase_picture *picture)
{
    enum { HINTS = 500, SIZE = 8 };
    struct weft_scene *scene = picture->frame.scene;
    const struct portrait *p = picture->p;
    size_t step = p->n / HINTS + 1;
    char time[WEFT_TIME_TEXT];
    for (size_t i = 0; i < p->n; i += step) {
        const struct weft_phase_point *point = &p->points[i];
        if (isnan(point->utilization) || isnan(point->communication))
            continue;
        struct weft_mark *mark =
            weft_scene_glyph(scene, WEFT_GLYPH_CIRCLE, place_of(picture, point), SIZE, 0,
                             (struct weft_paint){ 0 });
        weft_mark_title(
            scene, mark, "%s · %.1f %% busy · %.1f %% of the most on its way",
            weft_duration_text(p->schema, point->time - p->schema->span.begin, time),
            100 * point->utilization, 100 * point->communication);
    }
}

/* Draws a disc at a point, with TEXT beside it. */
static void draw_dot(const struct phase_picture *picture,
                     const struct weft_phase_point *point, const char *text, bool hollow,
                     weft_color color)
{
    enum { SIZE = 9 };
    struct weft_scene *scene = picture->frame.scene;
    if (isnan(point->utilization) || isnan(point->communication))
        return;
    struct weft_point at = place_of(picture, point);
    weft_scene_glyph(
        scene, WEFT_GLYPH_CIRCLE, at, SIZE, 0,
        (struct weft_paint){ .fill = hollow ? picture->frame.theme->panel : color,
                             .stroke = color,
                             .stroke_width = 1.5f });
    double width = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, text) + SIZE;
    bool left = at.x + width > picture->square.x + picture->square.width;
    double y = at.y < picture->square.y + 12 ? at.y + 14 : at.y - 5;
    weft_scene_rect(scene,
                    (struct weft_rect){ at.x + (left ? -width : SIZE) - 1, y - 10,
                                        width - SIZE + 2, 13 },
                    (struct weft_paint){ .fill = picture->frame.theme->panel });
    weft_scene_text(scene, (struct weft_point){ at.x + (left ? -SIZE : SIZE), y },
                    left ? WEFT_ANCHOR_END : WEFT_ANCHOR_START, WEFT_FONT_SANS,
                    WEFT_SMALL_SIZE, picture->frame.theme->text, text);
}

static size_t legend_of(const struct phase_picture *picture,
                        struct weft_legend_entry *legend)
{
    const struct portrait *p = picture->p;
    const struct weft_theme *theme = picture->frame.theme;
    size_t n = 0;
    if (!p->by_task) {
        for (int i = 0; i < 3; i++) {
            static const char *const names[] = { "at first", "then", "at last" };
            weft_color color = color_of_time(theme, i / 2.0);
            legend[n++] = (struct weft_legend_entry){ { color, color, weft_ink(color),
                                                        WEFT_HATCH_NONE },
                                                      names[i],
                                                      -1,
                                                      0,
                                                      (uint32_t)i + 1 };
        }
        return n;
    }
    for (size_t i = 0; i < p->n && n <= MAX_LEGEND; i++) {
        int64_t task = picture->task[i];
        size_t k = 0;
        while (k < n && legend[k].number != (uint32_t)(task + 2))
            k++;
        if (k < n)
            continue;
        if (n == MAX_LEGEND) { /* the others have no entry of their own */
            legend[n++] = (struct weft_legend_entry){ { theme->panel, theme->panel,
                                                        theme->text, WEFT_HATCH_NONE },
                                                      "and others",
                                                      -1,
                                                      0,
                                                      UINT32_MAX };
            break;
        }
        weft_color color = color_of(picture, i);
        legend[n++] = (struct weft_legend_entry){
            { color, color, weft_ink(color), WEFT_HATCH_NONE },
            task == NO_TASK ? "no task"
                            : weft_arena_printf(picture->frame.scene->arena, "task %lld",
                                                (long long)task),
            -1,
            0,
            (uint32_t)(task + 2)
        };
    }
    return n;
}

/* Draws the square with its axes, into what is left of the plot. */
static void draw_axes(struct phase_picture *picture)
{
    enum { LABELS = 30, RIGHT = 16, SPACING = 40 };
    struct weft_frame *frame = &picture->frame;
    struct weft_scene *scene = frame->scene;
    const struct weft_theme *theme = frame->theme;
    weft_axis_name(frame, "% of the processors busy", false);
    double side = fmax(1, fmin(frame->plot.width - RIGHT, frame->plot.height - LABELS - 6));
    picture->square = (struct weft_rect){ frame->plot.x, frame->plot.y + 6, side, side };
    const struct weft_rect *square = &picture->square;
    weft_value_lines(frame, *square, 0, 100, false);
    weft_scene_layer(scene, "axis",
                     (struct weft_rect){ 0, square->y, scene->width, side + LABELS },
                     WEFT_LAYER_FIXED);
    struct weft_axis axis = weft_value_axis(scene->arena, 0, 100, "", side, SPACING);
    struct weft_paint line = { .stroke = theme->grid, .stroke_width = 1 };
    for (size_t i = 0; i < axis.n_ticks; i++) {
        double x = square->x + axis.ticks[i].at;
        weft_scene_line(scene, (struct weft_point){ x, square->y },
                        (struct weft_point){ x, square->y + side }, line);
        weft_scene_text(scene, (struct weft_point){ x, square->y + side + 13 },
                        WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet,
                        axis.ticks[i].label);
    }
    const char *name = picture->p->phase.bytes ? "% of the most bytes ever on their way"
                                               : "% of the most messages ever on their way";
    weft_scene_text(scene, (struct weft_point){ square->x, square->y + side + 26 },
                    WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text,
                    weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, name,
                                  frame->plot.x + frame->plot.width - square->x));
}

static void draw_all(struct phase_picture *picture, const struct weft_request *request,
                     const struct weft_concurrency *concurrency)
{
    const struct portrait *p = picture->p;
    const struct weft_theme *theme = request->theme;
    struct weft_scene *scene = picture->frame.scene;
    size_t last = p->n - 1;
    draw_axes(picture);
    struct weft_rect clip = picture->square;
    weft_scene_layer(scene, "curve",
                     (struct weft_rect){ clip.x - 6, clip.y - 6,
                                         fmax(1, picture->frame.plot.width),
                                         clip.height + 12 },
                     WEFT_LAYER_FIXED);
    if (request->has_at) {
        last = WEFT_FIRST(i, 0, p->n, p->points[i].time > request->at);
        last -= last > 0;
        draw_curve(picture, 0, p->n - 1, true);
    }
    draw_curve(picture, 0, last, false);
    draw_hints(picture);
    draw_dot(picture, &p->points[0], "begin", true, theme->text);
    if (!request->has_at) {
        draw_dot(picture, &p->points[last], "end", false, theme->text);
        return;
    }
    struct weft_phase_point now = { .time = request->at };
    char time[WEFT_TIME_TEXT];
    weft_phase_quick(&p->phase, concurrency, &now, 1);
    draw_dot(picture, &now,
             weft_duration_text(p->schema, request->at - p->schema->span.begin, time),
             false, theme->accent);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct portrait p;
    struct weft_legend_entry legend[MAX_LEGEND + 1];
    char width[WEFT_TIME_TEXT];
    if (!begin(&p, request, err))
        return false;
    const struct weft_concurrency *concurrency = weft_use_concurrency(request->use, err);
    if (!concurrency)
        return false;
    struct phase_picture picture = { .p = &p,
                                     .frame = { .theme = request->theme, .scene = out } };
    if (!weft_task_colors_make(&picture.colors, request->theme,
                               weft_setting(request, "colors"), err))
        return false;
    out->arena = request->arena;
    place_points(&p, MOST_DRAWN, request->arena);
    weft_phase_quick(&p.phase, concurrency, p.points, p.n);
    find_tasks(&picture, request->arena);
    size_t n = legend_of(&picture, legend);
    weft_frame_begin(&picture.frame, out, request,
                     weft_value_gutter(request->arena, 0, 100, request->height, false),
                     false, legend, n,
                     weft_arena_printf(request->arena, "%s · average of %s%s%s",
                                       weft_range_text(request->arena, p.schema, p.window),
                                       weft_duration_text(p.schema, p.phase.width, width),
                                       *comm_collectives_text(request, p.phase.traffic)
                                           ? " · with the messages of collectives"
                                           : "",
                                       p.by_task ? " · tasks of the first processor" : ""));
    const struct weft_amount peak = weft_history_peak(p.phase.history);
    if (!p.n)
        weft_frame_empty(&picture.frame, "No time has passed here.");
    else if (!(p.phase.bytes ? peak.bytes : peak.messages))
        weft_frame_empty(&picture.frame, p.phase.bytes
                                             ? "No bytes are known of what was on its way "
                                               "(show=messages counts the messages)."
                                             : "No message was ever on its way.");
    else
        draw_all(&picture, request, concurrency);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "time_ns" },
    { .name = "utilization_pct" },
    { .name = "communication_pct" },
};

const struct weft_view weft_view_phase_portrait = {
    .name = "phase-portrait",
    .title = "Phase portrait",
    .group = "Communication",
    .explanation = "A curve over time: the higher, the more processors are busy, and the "
                   "farther to the right, the more is on its way.",
    .needs = "messages between processors (weft record --with mpi)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .of_all = true,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_traffic,
    .scene = scene,
    .table = table,
};
