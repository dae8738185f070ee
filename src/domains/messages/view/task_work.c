/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task work: the rate at which work is done, and how much is done so far, of all processors
 * or of one (Heath, Finger: ParaGraph, 2003, section 5.3, "Task Work"; model/task_work.h).
 */
#include <math.h>
#include <string.h>

#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/task_displays.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

static const struct weft_parameter parameters[] = {
    { .name = "processor",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "all",
      .help = "only the work of this processor: its number, or all" },
};

/* The units of the rate, and of the work that is done so far. */
static const char *const UNITS[2] = { "in a second", "so far" };

struct work_query {
    const struct weft_schema *schema;
    const struct weft_processors *processors;
    const struct weft_work *work;
    uint32_t processor;  /* or WEFT_NONE: all */
    double ticks_second; /* ticks in a second */
};

static bool begin(struct work_query *query, const struct weft_request *request,
                  struct weft_err *err)
{
    const char *processor = weft_setting(request, "processor");
    const struct weft_tasks *tasks = weft_use_tasks(request->use, err);
    if (!tasks)
        return false;
    query->schema = request->set->sources[0]->schema;
    query->processors = tasks->processors;
    query->ticks_second =
        (double)query->schema->ticks_numerator / (double)query->schema->ticks_denominator;
    query->processor = WEFT_NONE;
    if (*processor && strcmp(processor, "all") != 0
        && !comm_processor(tasks->processors, processor, &query->processor, err))
        return false;
    query->work = weft_use_work(request->use, query->processor, err);
    return query->work != NULL;
}

static bool put_row(const struct work_query *query, struct weft_table *out,
                    const struct weft_work_step *step)
{
    const struct weft_cell cells[] = {
        weft_integer_cell(
            weft_ticks_to_ns(query->schema, step->time - query->schema->span.begin)),
        weft_real_cell(step->rate * query->ticks_second, -1),
        weft_real_cell(step->cumulative, -1),
    };
    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct work_query query;
    if (!begin(&query, request, err))
        return false;
    struct weft_span window = request->has_at
                                  ? weft_request_instant(request)
                                  : weft_window_with_end(query.schema, request->window);
    struct weft_work_step first = weft_work_at(query.work, window.begin);
    weft_view_begin_table(request, out);
    bool more = put_row(&query, out, &first);
    for (size_t i = 0; more && i < query.work->n && query.work->steps[i].time < window.end;
         i++)
        if (query.work->steps[i].time > window.begin)
            more = put_row(&query, out, &query.work->steps[i]);
    out->end(out);
    return true;
}

/* ---- Picture ---- */

/* Draws the mean rate of each column of pixels as an area. */
static void draw_rates(struct weft_frame *frame, struct weft_rect plot, const double *rates,
                       size_t n, double most)
{
    struct weft_point *points =
        weft_arena_alloc(frame->scene->arena, (2 * n + 2) * sizeof *points);
    double width = plot.width / (double)n, floor_y = plot.y + plot.height;
    size_t at = 0;
    points[at++] = (struct weft_point){ plot.x, floor_y };
    for (size_t i = 0; i < n; i++) {
        double y = floor_y - plot.height * fmax(rates[i], 0) / most;
        points[at++] = (struct weft_point){ plot.x + (double)i * width, y };
        points[at++] = (struct weft_point){ plot.x + (double)(i + 1) * width, y };
    }
    points[at++] = (struct weft_point){ plot.x + plot.width, floor_y };
    weft_scene_polygon(frame->scene, points, at,
                       (struct weft_paint){ .fill = weft_ramp(frame->theme, 0.5) });
}

static void draw_cumulative(struct weft_frame *frame, struct weft_rect plot,
                            const double *cumulative, size_t n, double least, double most)
{
    struct weft_point *points =
        weft_arena_alloc(frame->scene->arena, (n + 1) * sizeof *points);
    for (size_t i = 0; i <= n; i++)
        points[i] = (struct weft_point){
            plot.x + plot.width * (double)i / (double)n,
            plot.y
                + plot.height * (1 - (cumulative[i] - least) / fmax(most - least, 1e-300))
        };
    weft_scene_polyline(
        frame->scene, points, n + 1,
        (struct weft_paint){ .stroke = weft_unhatched(frame->theme, frame->theme->accent),
                             .stroke_width = 2 });
}

static void draw_titles(struct weft_frame *frame, struct weft_rect plot,
                        const double *rates, const double *cumulative, size_t n)
{
    enum { WIDTH = 4 };
    double width = plot.width / (double)n;
    for (size_t i = 0; i < n; i += WIDTH) {
        size_t after = i + WIDTH < n ? i + WIDTH : n;
        double rate = 0;
        for (size_t k = i; k < after; k++)
            rate += rates[k] / (double)(after - i);
        struct weft_mark *mark =
            weft_scene_rect(frame->scene,
                            (struct weft_rect){ plot.x + (double)i * width, plot.y,
                                                (double)(after - i) * width, plot.height },
                            (struct weft_paint){ 0 });
        weft_mark_title(frame->scene, mark, "%s in a second · %s so far",
                        weft_work_text(frame->scene->arena, rate),
                        weft_work_text(frame->scene->arena, cumulative[after]));
    }
}

static const char *subtitle_of(const struct work_query *query,
                               const struct weft_request *request)
{
    struct weft_arena *arena = request->arena;
    const char *text =
        query->processor == WEFT_NONE
            ? "all processors"
            : weft_arena_printf(
                arena, "processor %s",
                weft_processor_text(arena,
                                    &query->processors->processors[query->processor]));
    text = weft_arena_printf(arena, "%s · %s",
                             weft_range_text(arena, query->schema, request->window), text);
    if (query->work->unknown)
        text = weft_arena_printf(
            arena, "%s · without %s executions that do not say their work", text,
            weft_number_text(arena, (double)query->work->unknown, 0));
    return text;
}

/* Draws both curves, one above the other. */
static void draw(const struct work_query *query, struct weft_frame *frame,
                 const struct weft_request *request)
{
    enum { SPACE = 8 };
    struct weft_scene *scene = frame->scene;
    struct weft_rect part = frame->plot;
    size_t n = (size_t)fmax(1, part.width);
    double *rates = weft_arena_alloc(scene->arena, n * sizeof *rates);
    double *cumulative = weft_arena_alloc(scene->arena, (n + 1) * sizeof *cumulative);
    double length = (double)(request->window.end - request->window.begin), most = 0;
    for (size_t i = 0; i <= n; i++)
        cumulative[i] =
            weft_work_at(query->work,
                         request->window.begin + (int64_t)(length * (double)i / (double)n))
                .cumulative;
    for (size_t i = 0; i < n; i++) {
        rates[i] = (cumulative[i + 1] - cumulative[i])
                   / fmax(length / (double)n / query->ticks_second, 1e-300);
        most = fmax(most, rates[i]);
    }
    part.height = fmax(1, (part.height - SPACE) / 2);
    for (int second = 0; second < 2; second++) {
        struct weft_rect plot = part;
        plot.y += second * (part.height + SPACE);
        if (plot.height > 60) {
            plot.y += COMM_NAME;
            plot.height -= COMM_NAME;
        }
        double top = fmax(second ? cumulative[n] : most, 1e-9);
        comm_time_plot_axis(frame, plot, top, UNITS[second], "work");
        weft_scene_layer(scene, second ? "cumulative" : "rate", plot, WEFT_LAYER_MOVES_X);
        if (second)
            draw_cumulative(frame, plot, cumulative, n, 0, top * COMM_HEADROOM);
        else
            draw_rates(frame, plot, rates, n, top * COMM_HEADROOM);
        draw_titles(frame, plot, rates, cumulative, n);
    }
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct work_query query;
    struct weft_frame frame;
    if (!begin(&query, request, err))
        return false;
    double most[2] = { 1e-9, 1e-9 }, gutter = 0;
    for (size_t i = 0; i < query.work->n; i++) {
        most[0] = fmax(most[0], query.work->steps[i].rate * query.ticks_second);
        most[1] = fmax(most[1], query.work->steps[i].cumulative);
    }
    for (int k = 0; k < 2; k++)
        gutter = fmax(gutter, comm_axis_gutter(request->arena, most[k], UNITS[k],
                                               request->height / 2));
    weft_frame_begin(&frame, out, request, fmin(gutter, request->width / 3), true, NULL, 0,
                     subtitle_of(&query, request));
    weft_frame_time_axis(&frame, query.schema, request->window);
    if (query.work->known)
        draw(&query, &frame, request);
    else
        weft_frame_empty(&frame, "The trace does not say how much work tasks were.");
    weft_frame_moment(&frame, query.schema, request->window);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "time_ns" },
    { .name = "rate", .help = "work in a second, from then on" },
    { .name = "cumulative", .help = "work until then" },
};

const struct weft_view weft_view_task_work = {
    .name = "task-work",
    .title = "Task work",
    .group = "Tasks of processors",
    .explanation =
        "How much work tasks do in each second, and how much they have done, over "
        "time; the work of an execution counts evenly from its begin to its end.",
    .needs = WEFT_TASKS_NEEDED,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .of_all = true,
    .moment = WEFT_MOMENT_MARKED,
    .fills = weft_set_has_tasks,
    .scene = scene,
    .table = table,
};
