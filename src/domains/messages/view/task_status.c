/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task status: which tasks have begun and which are completed at a moment, or when most are
 * in progress, as squares (Heath, Finger: ParaGraph, 2003, section 5.3, "Task Status").  A
 * task is in progress from its first begin on, and completed from its last end on, by
 * whatever processor.
 */
#include <math.h>
#include <stdlib.h>

#include "base/compare.h"
#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/task_displays.h"
#include "domains/messages/view/views.h"

enum status { NOT_BEGUN, IN_PROGRESS, COMPLETED, STATUSES };
enum { MAX_SQUARES = 20000, MIN_LABEL_SIDE = 14 };

static const char *const status_names[STATUSES] = { "not begun", "in progress",
                                                    "completed" };

static enum status status_at(const struct weft_task *task, int64_t time)
{
    return time < task->begin ? NOT_BEGUN : time < task->end ? IN_PROGRESS : COMPLETED;
}

/* Returns the first time at which most tasks are in progress; there is at least one. */
static int64_t busiest_time(const struct weft_task_display *d, struct weft_arena *arena)
{
    uint32_t n = d->tasks->n, ended = 0, most = 0;
    int64_t *begins = weft_arena_alloc(arena, ((size_t)n + 1) * sizeof *begins);
    int64_t *ends = weft_arena_alloc(arena, ((size_t)n + 1) * sizeof *ends);
    int64_t time = d->tasks->tasks[0].begin;
    for (uint32_t t = 0; t < n; t++) {
        begins[t] = d->tasks->tasks[t].begin;
        ends[t] = d->tasks->tasks[t].end;
    }
    qsort(begins, n, sizeof *begins, weft_by_i64);
    qsort(ends, n, sizeof *ends, weft_by_i64);
    for (uint32_t begun = 0; begun < n; begun++) {
        if (begun + 1 < n && begins[begun + 1] == begins[begun])
            continue;
        while (ended < n && ends[ended] <= begins[begun])
            ended++;
        if (begun + 1 - ended > most) {
            most = begun + 1 - ended;
            time = begins[begun];
        }
    }
    return time;
}

static struct comm_moment moment_of(const struct weft_task_display *d,
                                    const struct weft_request *request)
{
    if (request->has_at || !d->tasks->n)
        return comm_asked_moment(request);
    return (struct comm_moment){ busiest_time(d, request->arena),
                                 "when most were in progress" };
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct weft_task_display d;
    if (!weft_task_display_begin(&d, request, err))
        return false;
    int64_t time = moment_of(&d, request).time;
    weft_view_begin_table(request, out);
    for (uint32_t t = 0; t < d.tasks->n; t++) {
        const struct weft_cell cells[] = {
            weft_task_cell(&d, t),
            weft_text_cell(status_names[status_at(&d.tasks->tasks[t], time)]),
            weft_task_where_cell(&d, request, t),
        };
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

struct status_picture {
    struct weft_task_display d;
    struct weft_frame frame;
    struct comm_moment moment;
    uint32_t size, n, columns; /* tasks a square; squares; squares in a row */
    double side;
};

static struct weft_paint paint_of(const struct weft_theme *theme, double status,
                                  double side)
{
    return (struct weft_paint){ .fill = status > 0 ? weft_ramp(theme, 0.1 + 0.425 * status)
                                                   : theme->panel,
                                .stroke = side >= 4 ? theme->quiet : 0,
                                .stroke_width = side >= 4 ? 1 : 0 };
}

/* A square of several tasks has their mean status, from 0 to 2. */
static void draw_square(const struct status_picture *p, uint32_t square)
{
    struct weft_scene *scene = p->frame.scene;
    uint32_t first = square * p->size, n = 0, of[STATUSES] = { 0 };
    double sum = 0, seam = p->side >= 6 ? 1 : 0;
    for (uint32_t t = first; t < first + p->size && t < p->d.tasks->n; t++, n++) {
        enum status status = status_at(&p->d.tasks->tasks[t], p->moment.time);
        of[status]++;
        sum += status;
    }
    struct weft_rect rect = { p->frame.plot.x + square % p->columns * p->side,
                              p->frame.plot.y + 6 + (double)(square / p->columns) * p->side,
                              p->side - seam, p->side - seam };
    struct weft_paint paint = paint_of(p->frame.theme, sum / n, p->side);
    struct weft_mark *mark = weft_scene_rect(scene, rect, paint);
    if (!mark)
        return;
    const char *name = weft_task_text(&p->d, scene->arena, first);
    mark->action = weft_list_action(weft_task_where(&p->d, scene->arena, first));
    if (p->size > 1)
        weft_mark_title(scene, mark,
                        "%u tasks from %s on: %u not begun, %u in progress, %u "
                        "completed",
                        n, name, of[NOT_BEGUN], of[IN_PROGRESS], of[COMPLETED]);
    else
        weft_mark_title(scene, mark, "%s: %s", name,
                        status_names[status_at(&p->d.tasks->tasks[first], p->moment.time)]);
    if (p->size > 1 || p->side < MIN_LABEL_SIDE
        || weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, p->d.names[first])
               > rect.width - 4)
        return;
    weft_scene_text(
        scene, (struct weft_point){ rect.x + rect.width / 2, rect.y + rect.height / 2 + 4 },
        WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, WEFT_SMALL_SIZE, weft_ink(paint.fill),
        p->d.names[first]);
}

static void draw(struct status_picture *p, const struct weft_request *request,
                 struct weft_scene *out)
{
    struct weft_arena *arena = request->arena;
    struct weft_legend_entry legend[STATUSES];
    uint32_t counts[STATUSES] = { 0 };
    for (uint32_t t = 0; t < p->d.tasks->n; t++)
        counts[status_at(&p->d.tasks->tasks[t], p->moment.time)]++;
    for (int s = 0; s < STATUSES; s++) {
        weft_color fill = paint_of(request->theme, s, 10).fill;
        legend[s] = (struct weft_legend_entry){
            .swatch = { fill, fill, weft_ink(fill), WEFT_HATCH_NONE },
            .label = weft_arena_printf(arena, "%s %u", status_names[s], counts[s]),
            .share = -1,
            .weight = STATUSES - s
        };
    }
    p->size = weft_group_size(p->d.tasks->n, MAX_SQUARES);
    p->n = (p->d.tasks->n + p->size - 1) / p->size;
    weft_frame_begin(&p->frame, out, request, 0, false, legend, STATUSES,
                     weft_arena_printf(arena, "%s · %s",
                                       comm_moment_text(arena, request, p->moment),
                                       weft_tasks_text(&p->d, arena, p->size, "a square")));
    weft_fit_squares(p->n, p->frame.plot.width, fmax(1, p->frame.plot.height - 6), &p->side,
                     &p->columns);
    weft_scene_layer(out, "tasks", p->frame.plot, WEFT_LAYER_FIXED);
    for (uint32_t i = 0; i < p->n; i++)
        draw_square(p, i);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct status_picture p = { 0 };
    if (!weft_task_display_begin(&p.d, request, err))
        return false;
    p.moment = moment_of(&p.d, request);
    draw(&p, request, out);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "task" },
    { .name = "state" },
    { .name = "where", .of_page = true },
};

const struct weft_view weft_view_task_status = {
    .name = "task-status",
    .title = "Task status",
    .group = "Tasks of processors",
    .explanation =
        "Each square is a task, row by row: blank before any processor begins it, "
        "light while it is in progress, dark when it is completed.",
    .needs = WEFT_TASKS_NEEDED,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .of_all = true,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_tasks,
    .scene = scene,
    .table = table,
};
