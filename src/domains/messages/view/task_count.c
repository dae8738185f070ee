/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task count: how many processors execute each task at a moment; without one, how many did
 * so on average over the task's life, as far as that is in the window (Heath, Finger:
 * ParaGraph, 2003, section 5.3, "Task Count").  A processor counts for its innermost task.
 * A life without length counts the processors that executed the task.
 */
#include <math.h>

#include "domains/messages/view/task_displays.h"
#include "domains/messages/view/views.h"

static const struct weft_parameter parameters[] = { WEFT_PARAMETER_OF_TASK_COLORS };

struct count {
    struct weft_task_display d;
    double *processors; /* by task */
};

static void count_now(struct count *c, int64_t time)
{
    for (uint32_t i = 0; i < c->d.shown.list.n; i++) {
        const struct weft_task_stretch *at =
            weft_task_stretch_at(c->d.tasks, c->d.shown.list.index[i], time);
        if (at)
            c->processors[c->d.tasks->executions[at->execution].task]++;
    }
}

/* Sums ticks by task; in *AT_ONCE how many processors are in it without length. */
static void sum_ticks(struct count *c, struct weft_span window, uint32_t *at_once)
{
    const struct weft_tasks *tasks = c->d.tasks;
    for (uint32_t i = 0; i < c->d.shown.list.n; i++) {
        uint32_t index = c->d.shown.list.index[i];
        for (uint32_t s = weft_task_stretch_from(tasks, index, window.begin);
             s < tasks->first_stretch[index + 1] && tasks->stretches[s].begin < window.end;
             s++) {
            const struct weft_task_stretch *of = &tasks->stretches[s];
            uint32_t task = tasks->executions[of->execution].task;
            int64_t begin = of->begin > window.begin ? of->begin : window.begin,
                    end = of->end < window.end ? of->end : window.end;
            c->processors[task] += (double)(end - begin);
            at_once[task] += of->begin == of->end;
        }
    }
}

static void count_average(struct count *c, const struct weft_request *request)
{
    const struct weft_tasks *tasks = c->d.tasks;
    struct weft_span window = weft_window_with_end(c->d.shown.schema, c->d.shown.window);
    uint32_t *at_once =
        weft_arena_zalloc(request->arena, (size_t)tasks->n + 1, sizeof *at_once);
    sum_ticks(c, window, at_once);
    for (uint32_t t = 0; t < tasks->n; t++) {
        const struct weft_task *task = &tasks->tasks[t];
        int64_t begin = task->begin > window.begin ? task->begin : window.begin,
                end = task->end < window.end ? task->end : window.end;
        if (task->begin == task->end)
            c->processors[t] = fmin(at_once[t], task->processors);
        else
            c->processors[t] /= end > begin ? (double)(end - begin) : 1;
    }
}

static bool begin(struct count *c, const struct weft_request *request, struct weft_err *err)
{
    if (!weft_task_display_begin(&c->d, request, err))
        return false;
    c->processors =
        weft_arena_zalloc(request->arena, (size_t)c->d.tasks->n + 1, sizeof *c->processors);
    if (request->has_at)
        count_now(c, request->at);
    else
        count_average(c, request);
    return true;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct count c;
    if (!begin(&c, request, err))
        return false;
    weft_view_begin_table(request, out);
    for (uint32_t t = 0; t < c.d.tasks->n; t++) {
        const struct weft_cell cells[] = {
            weft_task_cell(&c.d, t),
            request->has_at ? weft_integer_cell((int64_t)c.processors[t])
                            : weft_real_cell(c.processors[t], -1),
            weft_task_where_cell(&c.d, request, t),
        };
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

/* Draws the bar of SIZE tasks from FIRST on: that of the most processors. */
static void draw_bar(const struct count *c, struct weft_frame *frame, struct weft_rect slot,
                     uint32_t first, uint32_t size, double most, bool now)
{
    struct weft_arena *arena = frame->scene->arena;
    uint32_t best = first;
    for (uint32_t t = first; t < first + size && t < c->d.tasks->n; t++)
        best = c->processors[t] > c->processors[best] ? t : best;
    double height = slot.height * c->processors[best] / most;
    double width = slot.width >= 4 ? slot.width - 1 : slot.width;
    if (c->processors[best] > 0)
        weft_scene_rect(
            frame->scene,
            (struct weft_rect){ slot.x, slot.y + slot.height - fmax(height, 1), width,
                                fmax(height, 1) },
            weft_swatch_paint(frame->theme, weft_task_look(&c->d, best), width));
    struct weft_mark *mark = weft_scene_rect(
        frame->scene, (struct weft_rect){ slot.x, slot.y, width, slot.height },
        (struct weft_paint){ 0 });
    if (!mark)
        return;
    mark->action = weft_list_action(weft_task_where(&c->d, arena, best));
    weft_mark_title(frame->scene, mark,
                    now ? "%s: %.0f processors" : "%s: %.3g processors on average",
                    weft_task_text(&c->d, arena, best), c->processors[best]);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct count c;
    struct weft_frame frame;
    if (!begin(&c, request, err))
        return false;
    double most = 1;
    for (uint32_t t = 0; t < c.d.tasks->n; t++)
        most = fmax(most, c.processors[t]);
    double gutter = weft_value_gutter(request->arena, 0, most, request->height, true);
    uint32_t size = weft_group_size(c.d.tasks->n, fmax(1, request->width - 16 - gutter));
    weft_frame_begin(
        &frame, out, request, gutter, false, NULL, 0,
        weft_arena_printf(request->arena, "%s · %s",
                          request->has_at ? "now" : "on average over its life",
                          weft_tasks_text(&c.d, request->arena, size,
                                          "a bar, of which the greatest is shown")));
    weft_axis_name(&frame, "processors", false);
    struct weft_rect plot = frame.plot;
    plot.y += 6;
    plot.height = fmax(1, plot.height - 6 - WEFT_NAMES_HEIGHT);
    uint32_t n = (c.d.tasks->n + size - 1) / size;
    weft_value_lines(&frame, plot, 0, most, true);
    weft_names_below(&frame, plot, n, size, c.d.names, "task");
    weft_scene_layer(out, "bars", plot, WEFT_LAYER_FIXED);
    for (uint32_t i = 0; i < n; i++) {
        double x = plot.x + weft_slot_edge(plot.width, n, i);
        draw_bar(&c, &frame,
                 (struct weft_rect){ x, plot.y,
                                     plot.x + weft_slot_edge(plot.width, n, i + 1) - x,
                                     plot.height },
                 i * size, size, most, request->has_at);
    }
    return true;
}

static const struct weft_column columns[] = {
    { .name = "task" },
    { .name = "processors", .help = "now; at the end the average over the task's life" },
    { .name = "where", .of_page = true },
};

const struct weft_view weft_view_task_count = {
    .name = "task-count",
    .title = "Task count",
    .group = "Tasks of processors",
    .explanation = "Each bar is how many processors execute a task; without a moment, on "
                   "average from its first begin to its last end.",
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
