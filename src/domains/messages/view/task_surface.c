/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task surface: for each processor and each task how long it took, how much work it was, or
 * how fast that was done, as colours of a plane (Heath, Finger: ParaGraph, 2003, section
 * 5.3, "Task Surface"), in the window, or until the moment.  The elapsed time of a task
 * includes that of tasks inside; an execution inside one of the same task is not counted
 * twice.  Work counts at the end of an execution; speed is the work of such executions
 * divided by their time.
 */
#include <math.h>
#include <string.h>

#include "domains/messages/view/task_displays.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

enum quantity { ELAPSED, WORK, SPEED };
enum { MAX_RECTS = 4000, NAMES_GUTTER = 8, MIN_PITCH = 13 };

static const struct weft_parameter parameters[] = {
    { .name = "value",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "elapsed|work|speed",
      .fallback = "elapsed",
      .help = "elapsed: time; work: as the program says; speed: work in a second" },
    WEFT_PARAMETER_OF_ORDER,
};

/* Sums over executions of one task on one processor. */
struct cell {
    double elapsed;      /* ticks in the window */
    double work;         /* of executions that end in it */
    double worked_ticks; /* time of those, if their work is known */
    bool any, any_work;
};

struct surface {
    struct weft_task_display d;
    enum quantity quantity;
    struct weft_span window;
    struct cell *cells; /* [tasks->n], of one processor, or of a group */
};

static bool begin(struct surface *s, const struct weft_request *request,
                  struct weft_err *err)
{
    const char *value = weft_setting(request, "value");
    if (!weft_task_display_begin(&s->d, request, err))
        return false;
    s->quantity = strcmp(value, "work") == 0    ? WORK
                  : strcmp(value, "speed") == 0 ? SPEED
                                                : ELAPSED;
    s->window = weft_shown_so_far(&s->d.shown, request);
    s->cells =
        weft_arena_alloc(request->arena, ((size_t)s->d.tasks->n + 1) * sizeof *s->cells);
    return true;
}

/* Adds the executions of processor INDEX to the cells. */
static void add_processor(struct surface *s, uint32_t index)
{
    const struct weft_tasks *tasks = s->d.tasks;
    struct weft_span window = s->window;
    for (uint32_t i = tasks->first_execution[index];
         i < tasks->first_execution[index + 1] && tasks->executions[i].begin <= window.end;
         i++) {
        const struct weft_task_execution *of = &tasks->executions[i];
        struct cell *cell = &s->cells[of->task];
        int64_t from = of->begin > window.begin ? of->begin : window.begin,
                to = of->end < window.end ? of->end : window.end;
        if (to < from)
            continue;
        cell->any = true;
        cell->elapsed += of->again ? 0 : (double)(to - from);
        if (isnan(of->work) || of->end > window.end)
            continue;
        cell->any_work = true;
        cell->work += of->work;
        cell->worked_ticks += (double)(of->end - of->begin);
    }
}

/* Returns the value of a cell, elapsed time in ns; NAN: there is none. */
static double value_of(const struct surface *s, const struct cell *cell)
{
    const struct weft_schema *schema = s->d.shown.schema;
    double ns_a_tick =
        1e9 * (double)schema->ticks_denominator / (double)schema->ticks_numerator;
    if (!cell->any || (s->quantity != ELAPSED && !cell->any_work)
        || (s->quantity == SPEED && !(cell->worked_ticks > 0)))
        return NAN;
    return s->quantity == ELAPSED ? cell->elapsed * ns_a_tick
           : s->quantity == WORK  ? cell->work
                                  : cell->work / (cell->worked_ticks * ns_a_tick / 1e9);
}

/* Returns VALUE, not negative, rounded; a damaged trace may have times that do not fit. */
static int64_t whole(double value)
{
    return value < 9e18 ? (int64_t)round(value) : INT64_MAX;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct surface s;
    if (!begin(&s, request, err))
        return false;
    bool more = true;
    weft_view_begin_table(request, out);
    for (uint32_t i = 0; more && i < s.d.shown.list.n; i++) {
        uint32_t index = s.d.shown.list.index[i];
        memset(s.cells, 0, s.d.tasks->n * sizeof *s.cells);
        add_processor(&s, index);
        for (uint32_t t = 0; more && t < s.d.tasks->n; t++) {
            double value = value_of(&s, &s.cells[t]);
            if (isnan(value))
                continue;
            const struct weft_cell cells[] = {
                weft_integer_cell(s.d.shown.processors->processors[index].number),
                weft_task_cell(&s.d, t),
                s.quantity == ELAPSED ? weft_integer_cell(whole(value))
                                      : weft_real_cell(value, -1),
                weft_task_where_cell(&s.d, request, t),
            };
            more = out->row(out, cells);
        }
        if (!weft_job_step(request->job, i, s.d.shown.list.n, err))
            return false;
    }
    out->end(out);
    return true;
}

/* ---- Picture ---- */

struct surface_picture {
    struct surface *s;
    struct weft_frame frame;
    struct weft_rect plot;
    uint32_t row_size, rows;       /* processors in a row; number of rows */
    uint32_t column_size, columns; /* tasks in a column; number of columns */
    double *values;                /* [rows][columns]; NAN: none */
    double most;
};

/* Fills the values: sums over groups, but of speeds their quotient. */
static void find_values(struct surface_picture *p, struct weft_arena *arena)
{
    struct surface *s = p->s;
    p->values =
        weft_arena_alloc(arena, ((size_t)p->rows * p->columns + 1) * sizeof *p->values);
    for (uint32_t row = 0; row < p->rows; row++) {
        struct weft_processor_list list = weft_group_of(&s->d.shown, row, p->row_size);
        memset(s->cells, 0, s->d.tasks->n * sizeof *s->cells);
        for (uint32_t i = 0; i < list.n; i++)
            add_processor(s, list.index[i]);
        for (uint32_t column = 0; column < p->columns; column++) {
            struct cell sum = { 0 };
            uint32_t first = column * p->column_size;
            for (uint32_t t = first; t < first + p->column_size && t < s->d.tasks->n; t++) {
                sum.any |= s->cells[t].any;
                sum.any_work |= s->cells[t].any_work;
                sum.elapsed += s->cells[t].elapsed;
                sum.work += s->cells[t].work;
                sum.worked_ticks += s->cells[t].worked_ticks;
            }
            double value = value_of(s, &sum);
            p->values[(size_t)row * p->columns + column] = value;
            p->most = isnan(value) ? p->most : fmax(p->most, value);
        }
    }
}

static weft_color color_of(const struct surface_picture *p, double value)
{
    if (isnan(value))
        return 0;
    double part = p->most > 0 ? fmax(value, 0) / p->most : 0;
    return weft_ramp(p->frame.theme, 0.1 + 0.9 * (isfinite(part) ? part : 1));
}

static const char *value_text(const struct surface *s, struct weft_arena *arena,
                              double value)
{
    char time[WEFT_TIME_TEXT];
    if (s->quantity == ELAPSED) {
        const struct weft_schema *schema = s->d.shown.schema;
        double ticks = value / 1e9 * (double)schema->ticks_numerator
                       / (double)schema->ticks_denominator;
        return weft_arena_strdup(
            arena, weft_duration_text(schema, whole(fmin(ticks, 4e18)), time));
    }
    return weft_arena_printf(arena, s->quantity == WORK ? "work %s" : "%s in a second",
                             weft_work_text(arena, value));
}

static void draw_rects(const struct surface_picture *p)
{
    struct weft_scene *scene = p->frame.scene;
    for (uint32_t row = 0; row < p->rows; row++)
        for (uint32_t column = 0; column < p->columns; column++) {
            double value = p->values[(size_t)row * p->columns + column];
            if (isnan(value))
                continue;
            double x = weft_slot_edge(p->plot.width, p->columns, column),
                   y = weft_slot_edge(p->plot.height, p->rows, row),
                   width = weft_slot_edge(p->plot.width, p->columns, column + 1) - x,
                   height = weft_slot_edge(p->plot.height, p->rows, row + 1) - y;
            double seam = width >= 6 && height >= 6 ? 1 : 0;
            struct weft_mark *mark =
                weft_scene_rect(scene,
                                (struct weft_rect){ p->plot.x + x, p->plot.y + y,
                                                    width - seam, height - seam },
                                (struct weft_paint){ .fill = color_of(p, value) });
            if (!mark)
                continue;
            if (p->column_size == 1)
                mark->action =
                    weft_list_action(weft_task_where(&p->s->d, scene->arena, column));
            weft_mark_title(scene, mark, "%s · %s · %s",
                            weft_group_name(&p->s->d.shown, scene->arena, row, p->row_size),
                            weft_task_text(&p->s->d, scene->arena, column * p->column_size),
                            value_text(p->s, scene->arena, value));
        }
}

static void draw_raster(const struct surface_picture *p)
{
    size_t n = (size_t)p->rows * p->columns;
    uint32_t *pixels = weft_arena_alloc(p->frame.scene->arena, (n + 1) * sizeof *pixels);
    for (size_t i = 0; i < n; i++)
        pixels[i] = color_of(p, p->values[i]);
    weft_scene_raster(p->frame.scene, p->plot,
                      &(struct weft_raster){ p->columns, p->rows, pixels });
}

static void draw_row_names(const struct surface_picture *p)
{
    struct weft_scene *scene = p->frame.scene;
    uint32_t step = weft_name_step(p->rows, p->plot.height, MIN_PITCH);
    for (uint32_t row = 0; row < p->rows; row += step) {
        double y = p->plot.y
                   + (weft_slot_edge(p->plot.height, p->rows, row)
                      + weft_slot_edge(p->plot.height, p->rows, row + 1))
                         / 2;
        const char *name = weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                                         p->s->d.shown.names[(size_t)row * p->row_size],
                                         p->frame.plot.x - NAMES_GUTTER);
        if (name)
            weft_scene_text(scene, (struct weft_point){ p->plot.x - 5, y + 4 },
                            WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                            p->frame.theme->quiet, name);
    }
}

static double gutter_of(const struct weft_shown *shown, const struct weft_request *request)
{
    double widest = NAMES_GUTTER;
    for (uint32_t i = 0; i < shown->list.n; i += shown->list.n / 512 + 1)
        widest =
            fmax(widest, weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, shown->names[i]));
    return fmin(widest + NAMES_GUTTER, request->width / 4);
}

/* Begins the frame with the scale of colours, once the greatest value is known. */
static void begin_frame(struct surface_picture *p, const struct weft_request *request,
                        struct weft_scene *out)
{
    enum { STEPS = 5 };
    struct weft_legend_entry legend[STEPS];
    struct surface *s = p->s;
    p->frame.theme = request->theme;
    for (int i = 0; i < STEPS; i++) {
        double value = p->most * i / (STEPS - 1);
        weft_color fill = color_of(p, value);
        legend[i] = (struct weft_legend_entry){
            .swatch = { fill, fill, weft_ink(fill), WEFT_HATCH_NONE },
            .label = value_text(s, request->arena, value),
            .share = -1,
            .weight = STEPS - i,
        };
    }
    weft_frame_begin(
        &p->frame, out, request, gutter_of(&s->d.shown, request), false, legend, STEPS,
        weft_arena_printf(
            request->arena, "%s · %s",
            weft_shown_text(&s->d.shown, request->arena, s->window, "a row", p->row_size),
            weft_tasks_text(&s->d, request->arena, p->column_size, "a column")));
    weft_axis_name(&p->frame, "processor", false);
    p->plot = p->frame.plot;
    p->plot.y += 6;
    p->plot.height = fmax(1, p->plot.height - 6 - WEFT_NAMES_HEIGHT);
    p->row_size = weft_group_size(s->d.shown.list.n, p->plot.height);
    p->rows = (s->d.shown.list.n + p->row_size - 1) / p->row_size;
    p->column_size = weft_group_size(s->d.tasks->n, p->plot.width);
    p->columns = (s->d.tasks->n + p->column_size - 1) / p->column_size;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct surface s;
    if (!begin(&s, request, err))
        return false;
    struct surface_picture p = { .s = &s, .row_size = 1, .column_size = 1 };
    out->arena = request->arena;
    begin_frame(&p, request, out); /* for the size of groups */
    find_values(&p, request->arena);
    begin_frame(&p, request, out);
    if (!p.rows || (s.quantity != ELAPSED && !s.d.tasks->any_work)) {
        weft_frame_empty(&p.frame, p.rows
                                       ? "The trace does not say how much work tasks were."
                                       : "There is no processor here.");
        return true;
    }
    draw_row_names(&p);
    weft_names_below(&p.frame, p.plot, p.columns, p.column_size, s.d.names, "task");
    weft_scene_layer(out, "surface", p.plot, WEFT_LAYER_FIXED);
    if ((uint64_t)p.rows * p.columns <= MAX_RECTS)
        draw_rects(&p);
    else
        draw_raster(&p);
    return weft_job_step(request->job, 1, 1, err);
}

static const struct weft_column columns[] = {
    { .name = "processor" },
    { .name = "task" },
    { .name = "value",
      .help = "elapsed: ns; work: the program's unit; speed: that a second" },
    { .name = "where", .of_page = true },
};

const struct weft_view weft_view_task_surface = {
    .name = "task-surface",
    .title = "Task surface",
    .group = "Tasks of processors",
    .explanation = "Each cell is what a processor did of a task: the darker, the longer it "
                   "took, the more work it was, or the faster that was done.",
    .needs = WEFT_TASKS_NEEDED,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_tasks,
    .scene = scene,
    .table = table,
};
