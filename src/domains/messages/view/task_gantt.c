/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task Gantt and task speed: the task of each processor over time, and the work that is
 * done in each second of its executions (Heath, Finger: ParaGraph, 2003, section 5.3, "Task
 * Gantt", "Task Speed").  Few stretches are bars; else each pixel has the colour of the
 * longest part of a stretch in it.
 */
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "domains/messages/view/task_displays.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

enum {
    MAX_BARS = 4000, /* in a picture */
    MAX_LEGEND = 64, /* tasks */
    SPEEDS = 5,      /* entries of the legend of speeds */
};

/* The difference of the two views (weft_view.own). */
struct kind {
    bool speed;
};
static const struct kind of_tasks = { false }, of_speed = { true };

static const struct weft_parameter parameters[] = { WEFT_PARAMETER_OF_ORDER,
                                                    WEFT_PARAMETER_OF_TASK_COLORS };
static const struct weft_parameter speed_parameters[] = { WEFT_PARAMETER_OF_ORDER };

static bool shows_speed(const struct weft_request *request)
{
    return ((const struct kind *)request->view->own)->speed;
}

/* ---- Table ---- */

/* Tables without speed leave out work and speed; the id is for a page. */
static bool write_stretch(struct weft_table *out, bool speed,
                          const struct weft_task_display *d, uint32_t index,
                          const struct weft_task_stretch *stretch, struct weft_span window)
{
    const struct weft_schema *schema = d->shown.schema;
    const struct weft_task_execution *of = &d->tasks->executions[stretch->execution];
    const struct weft_cell nothing = { .kind = WEFT_CELL_EMPTY };
    int64_t begin = stretch->begin > window.begin ? stretch->begin : window.begin,
            end = stretch->end < window.end ? stretch->end : window.end;
    double rate = weft_task_speed(d->tasks, of);
    struct weft_cell cells[7] = {
        weft_integer_cell(d->shown.processors->processors[index].number),
        weft_integer_cell(weft_ticks_to_ns(schema, begin - schema->span.begin)),
        weft_integer_cell(weft_ticks_to_ns(schema, end - schema->span.begin)),
        weft_task_cell(d, of->task),
    };
    size_t n = 4;
    if (speed) {
        cells[n++] = isnan(of->work) ? nothing : weft_real_cell(of->work, -1);
        cells[n++] = isnan(rate) ? nothing : weft_real_cell(rate, -1);
    }
    cells[n] = weft_integer_cell((int64_t)of->id);
    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct weft_task_display d;
    if (!weft_task_display_begin(&d, request, err))
        return false;
    struct weft_span window = d.shown.window;
    bool more = true, speed = shows_speed(request);
    weft_view_begin_table(request, out);
    for (uint32_t i = 0; more && i < d.shown.list.n; i++) {
        uint32_t index = d.shown.list.index[i];
        if (request->has_at) {
            const struct weft_task_stretch *at =
                weft_task_stretch_at(d.tasks, index, request->at);
            more = !at || write_stretch(out, speed, &d, index, at, d.shown.schema->span);
            continue;
        }
        struct weft_span whole = weft_window_with_end(d.shown.schema, window);
        for (uint32_t s = weft_task_stretch_from(d.tasks, index, window.begin);
             more && s < d.tasks->first_stretch[index + 1]
             && d.tasks->stretches[s].begin < whole.end;
             s++)
            more = write_stretch(out, speed, &d, index, &d.tasks->stretches[s], window);
        if (!weft_job_step(request->job, i, d.shown.list.n, err))
            return false;
    }
    out->end(out);
    return true;
}

/* ---- Picture ---- */

struct task_picture {
    const struct weft_request *request;
    struct weft_task_display d;
    struct weft_processor_rows rows;
    struct weft_scene *scene;
    bool speed;
    double most;   /* speed in the window; below 0: none is known */
    bool unknown;  /* that of an execution in the window is not */
    double *ticks; /* by task: time in the window, of all shown processors */
    size_t columns;
    uint32_t *pixels; /* [rows.n][columns] */
};

/* Calls VISIT with each stretch of processor INDEX in the window. */
static void each_stretch(const struct task_picture *p, uint32_t index,
                         void (*visit)(void *user, const struct weft_task_stretch *),
                         void *user)
{
    const struct weft_tasks *tasks = p->d.tasks;
    struct weft_span window = weft_window_with_end(p->d.shown.schema, p->d.shown.window);
    for (uint32_t s = weft_task_stretch_from(tasks, index, window.begin);
         s < tasks->first_stretch[index + 1] && tasks->stretches[s].begin < window.end; s++)
        visit(user, &tasks->stretches[s]);
}

static struct weft_swatch speed_look(const struct task_picture *p, double speed)
{
    struct weft_swatch look = { .hatch = WEFT_HATCH_NONE };
    double part = p->most > 0 ? fmax(speed, 0) / p->most : 1;
    look.fill = isnan(speed) ? p->request->theme->empty
                             : weft_ramp(p->request->theme,
                                         0.15 + 0.85 * (isfinite(part) ? part : 1));
    look.tone = look.fill;
    look.ink = weft_ink(look.fill);
    if (isnan(speed))
        look.hatch = WEFT_HATCH_DIAGONAL;
    return look;
}

static struct weft_swatch look_of(const struct task_picture *p, uint32_t execution)
{
    const struct weft_task_execution *of = &p->d.tasks->executions[execution];
    return p->speed ? speed_look(p, weft_task_speed(p->d.tasks, of))
                    : weft_task_look(&p->d, of->task);
}

static void measure(void *user, const struct weft_task_stretch *stretch)
{
    struct task_picture *p = user;
    const struct weft_task_execution *of = &p->d.tasks->executions[stretch->execution];
    struct weft_span window = p->d.shown.window;
    int64_t begin = stretch->begin > window.begin ? stretch->begin : window.begin,
            end = stretch->end < window.end ? stretch->end : window.end;
    p->ticks[of->task] += (double)(end - begin) + (end == begin);
    double speed = weft_task_speed(p->d.tasks, of);
    if (isnan(speed))
        p->unknown = true;
    else
        p->most = fmax(p->most, speed);
}

struct bars {
    const struct task_picture *p;
    uint32_t row, index;
};

static void draw_bar(void *user, const struct weft_task_stretch *stretch)
{
    const struct bars *bars = user;
    const struct task_picture *p = bars->p;
    const struct weft_schema *schema = p->d.shown.schema;
    const struct weft_task_execution *of = &p->d.tasks->executions[stretch->execution];
    struct weft_span window = p->d.shown.window;
    int64_t begin = stretch->begin > window.begin ? stretch->begin : window.begin,
            end = stretch->end < window.end ? stretch->end : window.end;
    double x = weft_row_x(&p->rows, begin), width = fmax(weft_row_x(&p->rows, end) - x, 1),
           top = weft_row_top(&p->rows, bars->row),
           height = weft_row_bottom(&p->rows, bars->row) - top;
    struct weft_mark *mark = weft_scene_rect(
        p->scene, (struct weft_rect){ x, p->rows.part.y + top, width, height },
        weft_swatch_paint(p->request->theme, look_of(p, stretch->execution),
                          fmin(width, height)));
    if (!mark)
        return;
    char length[WEFT_TIME_TEXT], at[WEFT_TIME_TEXT];
    double speed = weft_task_speed(p->d.tasks, of);
    struct weft_arena *arena = p->scene->arena;
    const char *work = isnan(of->work) ? ""
                                       : weft_arena_printf(arena, " · work %s",
                                                           weft_work_text(arena, of->work));
    if (!isnan(speed))
        work = weft_arena_printf(arena, "%s, %s in a second", work,
                                 weft_work_text(arena, speed));
    mark->id = of->id;
    weft_mark_title(p->scene, mark, "processor %s · %s · %s from %s%s",
                    p->d.shown.names[bars->row],
                    weft_task_text(&p->d, p->scene->arena, of->task),
                    weft_duration_text(schema, of->end - of->begin, length),
                    weft_duration_text(schema, of->begin - schema->span.begin, at), work);
}

/* A row of pixels: in each the longest part of a stretch so far. */
struct pixel_row {
    const struct task_picture *p;
    double *longest;     /* [columns], in columns; below 0: none */
    uint32_t *execution; /* [columns] */
};

static void paint_stretch(void *user, const struct weft_task_stretch *stretch)
{
    struct pixel_row *row = user;
    const struct task_picture *p = row->p;
    double from = weft_row_x(&p->rows, stretch->begin) - p->rows.part.x,
           to = weft_row_x(&p->rows, stretch->end) - p->rows.part.x;
    from = fmin(fmax(from, 0), (double)p->columns - 1e-6);
    to = fmin(fmax(to, from), (double)p->columns);
    for (size_t c = (size_t)from; c < p->columns && ((double)c < to || c == (size_t)from);
         c++) {
        double part = fmin(to, (double)c + 1) - fmax(from, (double)c);
        if (part > row->longest[c]) {
            row->longest[c] = part;
            row->execution[c] = stretch->execution;
        }
    }
}

static void paint_row(void *user, size_t i)
{
    const struct task_picture *p = user;
    struct weft_processor_list list = weft_group_of(&p->d.shown, (uint32_t)i, p->rows.size);
    struct pixel_row row = { .p = p,
                             .longest = weft_alloc(p->columns * sizeof *row.longest),
                             .execution = weft_alloc(p->columns * sizeof *row.execution) };
    for (size_t c = 0; c < p->columns; c++)
        row.longest[c] = -1;
    for (uint32_t k = 0; k < list.n && !weft_job_cancelled(p->request->job); k++)
        each_stretch(p, list.index[k], paint_stretch, &row);
    uint32_t *pixels = p->pixels + i * p->columns;
    for (size_t c = 0; c < p->columns; c++)
        pixels[c] = row.longest[c] < 0 ? 0 : look_of(p, row.execution[c]).tone;
    free(row.longest);
    free(row.execution);
}

static void paint_rows(struct task_picture *p)
{
    p->columns = (size_t)fmax(1, round(p->rows.part.width));
    p->pixels = weft_arena_zalloc(p->scene->arena, (size_t)p->rows.n * p->columns,
                                  sizeof *p->pixels);
    weft_parallel(p->rows.n, 1, paint_row, p);
    for (uint32_t row = 0; row < p->rows.n; row++) {
        double top = weft_row_top(&p->rows, row);
        weft_scene_raster(p->scene,
                          (struct weft_rect){ p->rows.part.x, p->rows.part.y + top,
                                              p->rows.part.width,
                                              weft_row_bottom(&p->rows, row) - top },
                          &(struct weft_raster){ (uint32_t)p->columns, 1,
                                                 p->pixels + (size_t)row * p->columns });
    }
}

static bool few_stretches(const struct task_picture *p)
{
    const struct weft_tasks *tasks = p->d.tasks;
    struct weft_span window = p->d.shown.window;
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->d.shown.list.n && p->rows.size == 1; i++) {
        uint32_t index = p->d.shown.list.index[i];
        n += weft_task_stretch_from(tasks, index, window.end)
             - weft_task_stretch_from(tasks, index, window.begin);
    }
    return p->rows.size == 1 && n <= MAX_BARS;
}

static void draw_rows(struct task_picture *p, const struct weft_frame *frame)
{
    weft_scene_layer(p->scene, "rows", frame->plot, WEFT_LAYER_MOVES_X);
    if (!few_stretches(p)) {
        paint_rows(p);
        return;
    }
    for (uint32_t row = 0; row < p->rows.n; row++) {
        struct bars bars = { p, row, p->d.shown.list.index[row] };
        each_stretch(p, bars.index, draw_bar, &bars);
    }
}

static size_t legend_of_speeds(const struct task_picture *p,
                               struct weft_legend_entry *legend)
{
    size_t n = 0;
    for (; p->most > 0 && n < SPEEDS; n++) {
        double speed = p->most * (1 - (double)n / (SPEEDS - 1));
        legend[n] = (struct weft_legend_entry){
            .swatch = speed_look(p, speed),
            .label = weft_arena_printf(p->request->arena, "%s in a second",
                                       weft_work_text(p->request->arena, speed)),
            .share = -1,
            .weight = SPEEDS - (double)n
        };
    }
    if (!p->unknown)
        return n;
    legend[n] = (struct weft_legend_entry){
        .swatch = speed_look(p, NAN), .label = "work not known", .share = -1, .weight = 0
    };
    return n + 1;
}

static size_t legend_of_tasks(const struct task_picture *p,
                              struct weft_legend_entry *legend)
{
    const struct weft_tasks *tasks = p->d.tasks;
    size_t n = 0;
    for (uint32_t t = 0; t < tasks->n && n < MAX_LEGEND; t++)
        if (p->ticks[t] > 0)
            legend[n++] = (struct weft_legend_entry){
                .swatch = weft_task_look(&p->d, t),
                .label = weft_task_text(&p->d, p->request->arena, t),
                .share = -1,
                .weight = p->ticks[t],
            };
    return n;
}

static bool begin(struct task_picture *p, const struct weft_request *request,
                  struct weft_err *err)
{
    *p = (struct task_picture){ .request = request,
                                .speed = shows_speed(request),
                                .most = -1 };
    if (!weft_task_display_begin(&p->d, request, err))
        return false;
    p->ticks =
        weft_arena_zalloc(request->arena, (size_t)p->d.tasks->n + 1, sizeof *p->ticks);
    for (uint32_t i = 0; i < p->d.shown.list.n; i++)
        each_stretch(p, p->d.shown.list.index[i], measure, p);
    return weft_job_step(request->job, 1, 1, err);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct task_picture p;
    struct weft_frame frame;
    struct weft_legend_entry legend[MAX_LEGEND + 1];
    if (!begin(&p, request, err))
        return false;
    p.scene = out;
    out->arena = request->arena;
    size_t n = p.speed ? legend_of_speeds(&p, legend) : legend_of_tasks(&p, legend);
    const char *note = weft_arena_printf(request->arena, " · %s",
                                         weft_tasks_text(&p.d, request->arena, 1, ""));
    weft_processor_rows_begin(&p.rows, &p.d.shown, &frame, out, request, legend, n, note);
    weft_frame_time_axis(&frame, p.d.shown.schema, request->window);
    weft_processor_rows_names(&p.rows, &frame);
    if (p.rows.n && p.d.shown.window.end > p.d.shown.window.begin)
        draw_rows(&p, &frame);
    else
        weft_frame_empty(&frame, "No processor did anything in this range.");
    weft_frame_moment(&frame, p.d.shown.schema, request->window);
    return weft_job_step(request->job, 0, 0, err);
}

static const struct weft_column columns[] = {
    { .name = "processor" },
    { .name = "start_ns" },
    { .name = "end_ns" },
    { .name = "task" },
    { .name = "id", .of_page = true },
};

static const struct weft_column speed_columns[] = {
    { .name = "processor" },
    { .name = "start_ns" },
    { .name = "end_ns" },
    { .name = "task" },
    { .name = "work", .help = "of the execution, in the program's unit" },
    { .name = "speed", .help = "work in a second of the execution" },
    { .name = "id", .of_page = true },
};

const struct weft_view weft_view_task_gantt = {
    .name = "task-gantt",
    .title = "Task Gantt chart",
    .group = "Tasks of processors",
    .explanation = "Each row is a processor over time, in the colour of the task that it "
                   "executes.",
    .needs = WEFT_TASKS_NEEDED,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_MARKED,
    .fills = weft_set_has_tasks,
    .scene = scene,
    .table = table,
    .own = &of_tasks,
};

const struct weft_view weft_view_task_speed = {
    .name = "task-speed",
    .title = "Task speed",
    .group = "Tasks of processors",
    .explanation =
        "Each row is a processor over time, the darker, the more work a second of "
        "its task does.",
    .needs = WEFT_TASKS_NEEDED,
    .parameters = speed_parameters,
    .n_parameters = sizeof speed_parameters / sizeof *speed_parameters,
    .columns = speed_columns,
    .n_columns = sizeof speed_columns / sizeof *speed_columns,
    .moment = WEFT_MOMENT_MARKED,
    .fills = weft_set_has_tasks,
    .scene = scene,
    .table = table,
    .own = &of_speed,
};
