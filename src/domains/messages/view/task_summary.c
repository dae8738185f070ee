/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task summary: the life of each task, from its first begin to its last end by whatever
 * processor, in the run, and its percentage of that (Heath, Finger: ParaGraph, 2003,
 * section 5.3, "Task Summary").
 */
#include <math.h>

#include "domains/messages/view/task_displays.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

static const struct weft_parameter parameters[] = { WEFT_PARAMETER_OF_TASK_COLORS };

/* The percentage of the run from its begin until TIME. */
static double percent_at(const struct weft_task_display *d, int64_t time)
{
    struct weft_span span = d->shown.schema->span;
    double length = (double)(span.end - span.begin);
    return length > 0 ? 100 * (double)(time - span.begin) / length : 0;
}

static double share_of(const struct weft_task_display *d, const struct weft_task *task)
{
    struct weft_span span = d->shown.schema->span;
    double length = (double)(span.end - span.begin);
    return length > 0 ? 100 * (double)(task->end - task->begin) / length : 0;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct weft_task_display d;
    if (!weft_task_display_begin(&d, request, err))
        return false;
    const struct weft_schema *schema = d.shown.schema;
    weft_view_begin_table(request, out);
    for (uint32_t t = 0; t < d.tasks->n; t++) {
        const struct weft_task *task = &d.tasks->tasks[t];
        const struct weft_cell cells[] = {
            weft_task_cell(&d, t),
            weft_integer_cell(weft_ticks_to_ns(schema, task->begin - schema->span.begin)),
            weft_integer_cell(weft_ticks_to_ns(schema, task->end - schema->span.begin)),
            weft_real_cell(share_of(&d, task), -1),
            weft_task_where_cell(&d, request, t),
        };
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

/* Draws SIZE tasks from FIRST on: from the first begin to the last end of any. */
static void draw_bar(const struct weft_task_display *d, struct weft_frame *frame,
                     struct weft_rect slot, uint32_t first, uint32_t size)
{
    const struct weft_schema *schema = d->shown.schema;
    struct weft_arena *arena = frame->scene->arena;
    struct weft_task all = d->tasks->tasks[first];
    uint32_t after = first;
    for (; after < first + size && after < d->tasks->n; after++) {
        const struct weft_task *task = &d->tasks->tasks[after];
        all.begin = task->begin < all.begin ? task->begin : all.begin;
        all.end = task->end > all.end ? task->end : all.end;
    }
    double width = slot.width >= 4 ? slot.width - 1 : slot.width;
    double low = slot.height * percent_at(d, all.begin) / 100,
           high = slot.height * percent_at(d, all.end) / 100;
    low = fmin(low, slot.height - 1);
    struct weft_rect bar = { slot.x, slot.y + slot.height - fmax(high, low + 1), width,
                             fmax(high - low, 1) };
    weft_scene_rect(
        frame->scene, bar,
        weft_swatch_paint(frame->theme, weft_task_look(d, first), fmin(width, bar.height)));
    struct weft_mark *mark = weft_scene_rect(
        frame->scene, (struct weft_rect){ slot.x, slot.y, width, slot.height },
        (struct weft_paint){ 0 });
    if (!mark)
        return;
    char length[WEFT_TIME_TEXT], begin[WEFT_TIME_TEXT];
    const char *name = weft_task_text(d, arena, first);
    if (after - first > 1)
        name =
            weft_arena_printf(arena, "%s to %s", name, weft_task_text(d, arena, after - 1));
    else
        mark->action = weft_list_action(weft_task_where(d, arena, first));
    weft_mark_title(frame->scene, mark, "%s: %.3g %% of the run, %s from %s", name,
                    share_of(d, &all),
                    weft_duration_text(schema, all.end - all.begin, length),
                    weft_duration_text(schema, all.begin - schema->span.begin, begin));
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_task_display d;
    struct weft_frame frame;
    if (!weft_task_display_begin(&d, request, err))
        return false;
    double gutter = weft_value_gutter(request->arena, 0, 100, request->height, false);
    uint32_t size = weft_group_size(d.tasks->n, fmax(1, request->width - 16 - gutter));
    weft_frame_begin(&frame, out, request, gutter, false, NULL, 0,
                     weft_arena_printf(request->arena, "%s · %s",
                                       weft_range_text(request->arena, d.shown.schema,
                                                       d.shown.schema->span),
                                       weft_tasks_text(&d, request->arena, size, "a bar")));
    weft_axis_name(&frame, "% of the run", false);
    struct weft_rect plot = frame.plot;
    plot.y += 6;
    plot.height = fmax(1, plot.height - 6 - WEFT_NAMES_HEIGHT);
    uint32_t n = (d.tasks->n + size - 1) / size;
    weft_value_lines(&frame, plot, 0, 100, false);
    weft_names_below(&frame, plot, n, size, d.names, "task");
    weft_scene_layer(out, "bars", plot, WEFT_LAYER_FIXED);
    for (uint32_t i = 0; i < n; i++) {
        double x = plot.x + weft_slot_edge(plot.width, n, i);
        draw_bar(&d, &frame,
                 (struct weft_rect){ x, plot.y,
                                     plot.x + weft_slot_edge(plot.width, n, i + 1) - x,
                                     plot.height },
                 i * size, size);
    }
    return true;
}

static const struct weft_column columns[] = {
    { .name = "task" },
    { .name = "start_ns", .help = "when the first processor begins it" },
    { .name = "end_ns", .help = "when the last processor ends it" },
    { .name = "share_pct", .help = "of the run" },
    { .name = "where", .of_page = true },
};

const struct weft_view weft_view_task_summary = {
    .name = "task-summary",
    .title = "Task summary",
    .group = "Tasks of processors",
    .explanation = "Each bar is a task, from its first begin to its last end by any "
                   "processor, in percent of the run.",
    .needs = WEFT_TASKS_NEEDED,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .of_all = true,
    .of_run = true,
    .fills = weft_set_has_tasks,
    .scene = scene,
    .table = table,
};
