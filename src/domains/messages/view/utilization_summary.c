/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Utilization summary: for what part of the time each processor was busy, in overhead and
 * idle (Heath and Finger 2003, section 5.1); at a moment, the time from the window's begin
 * until then.
 */
#include <inttypes.h>
#include <math.h>

#include "domains/messages/view/processor_display_helpers.h"
#include "domains/messages/view/views.h"
#include "view/damage.h"

static const struct weft_parameter parameters[] = { WEFT_PARAMETER_OF_ORDER };

struct summary {
    struct weft_shown shown;
    struct weft_span so_far;
    int64_t (*ticks)[WEFT_CLASSES]; /* by position */
};

static bool begin(struct summary *s, const struct weft_request *request,
                  struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    const char *order = weft_setting(request, "order");
    if (!weft_shown_begin(&s->shown, request, order, err))
        return false;
    const struct weft_utilization *utilization = weft_use_utilization(request->use, err);
    if (!utilization)
        return false;
    s->so_far = weft_shown_so_far(&s->shown, request);
    s->ticks = weft_arena_zalloc(arena, (size_t)s->shown.list.n + 1, sizeof *s->ticks);
    weft_utilization_ticks(utilization, s->shown.list, s->so_far, s->ticks);
    return true;
}

static double percent_of(const struct summary *s, double ticks, uint32_t n)
{
    double length = (double)(s->so_far.end - s->so_far.begin) * n;
    return length > 0 ? 100 * ticks / length : 0;
}

/*
 * A percentage of all time, unreadable time included; empty where all of it is unreadable.
 */
static struct weft_cell percent_cell(const struct summary *s, uint32_t i,
                                     enum weft_class class)
{
    const int64_t *ticks = s->ticks[i];
    if (s->so_far.end > s->so_far.begin
        && !(ticks[WEFT_CLASS_BUSY] | ticks[WEFT_CLASS_OVERHEAD] | ticks[WEFT_CLASS_IDLE]))
        return (struct weft_cell){ .kind = WEFT_CELL_EMPTY };
    return weft_real_cell(percent_of(s, (double)ticks[class], 1), 4);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct summary s;
    if (!begin(&s, request, err))
        return false;
    weft_view_begin_table(request, out);
    for (uint32_t i = 0; i < s.shown.list.n; i++) {
        const struct weft_processor *processor =
            &s.shown.processors->processors[s.shown.list.index[i]];
        const struct weft_cell cells[] = {
            weft_integer_cell(processor->number),
            percent_cell(&s, i, WEFT_CLASS_BUSY),
            percent_cell(&s, i, WEFT_CLASS_OVERHEAD),
            percent_cell(&s, i, WEFT_CLASS_IDLE),
        };
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

/* Draws the bar of a group: the mean of its processors, busy at the bottom. */
static void draw_bar(const struct summary *s, struct weft_frame *frame,
                     struct weft_rect plot, uint32_t group, uint32_t size,
                     const struct weft_swatch *looks)
{
    struct weft_scene *scene = frame->scene;
    uint32_t n = (s->shown.list.n + size - 1) / size;
    struct weft_processor_list list = weft_group_of(&s->shown, group, size);
    double percent[WEFT_CLASSES], level = 0;
    for (size_t k = 0; k < WEFT_CLASSES; k++) {
        double sum = 0;
        for (uint32_t i = 0; i < list.n; i++)
            sum += (double)s->ticks[group * size + i][k];
        percent[k] = percent_of(s, sum, list.n);
    }
    double x = plot.x + weft_slot_edge(plot.width, n, group);
    double width = plot.x + weft_slot_edge(plot.width, n, group + 1) - x;
    width = width >= 4 ? width - 1 : width;
    for (size_t k = 0; k < WEFT_CLASSES; k++) {
        double height = plot.height * percent[k] / 100;
        struct weft_mark *mark = weft_scene_rect(
            scene,
            (struct weft_rect){ x, plot.y + plot.height - level - height, width, height },
            weft_swatch_paint(frame->theme, looks[k], width));
        level += height;
        if (mark && list.n == 1)
            mark->id = weft_container_id(
                s->shown.processors->processors[list.index[0]].container, false);
        weft_mark_title(scene, mark,
                        "%s · %s %.1f %% · busy %.1f, overhead %.1f, idle %.1f",
                        weft_group_name(&s->shown, scene->arena, group, size),
                        weft_class_name((enum weft_class)k), percent[k], percent[0],
                        percent[1], percent[2]);
    }
    if (level < plot.height * 0.999) /* the rest cannot be read */
        weft_damage_hatch(scene, frame->theme,
                          (struct weft_rect){ x, plot.y, width, plot.height - level });
}

static size_t legend_of(const struct summary *s, const struct weft_theme *theme,
                        struct weft_legend_entry *legend)
{
    double shares[WEFT_CLASSES] = { 0 };
    for (uint32_t i = 0; i < s->shown.list.n; i++)
        for (size_t k = 0; k < WEFT_CLASSES; k++)
            shares[k] += (double)s->ticks[i][k];
    for (size_t k = 0; k < WEFT_CLASSES; k++)
        shares[k] = percent_of(s, shares[k], s->shown.list.n) / 100;
    return weft_class_legend(theme, shares, legend);
}

static void draw(const struct summary *s, const struct weft_request *request,
                 struct weft_scene *out, struct weft_arena *arena)
{
    struct weft_legend_entry legend[WEFT_CLASSES];
    struct weft_swatch looks[WEFT_CLASSES];
    struct weft_frame frame;
    double gutter = weft_value_gutter(arena, 0, 100, request->height, false);
    uint32_t size = weft_group_size(s->shown.list.n, fmax(1, request->width - 16 - gutter));
    weft_frame_begin(&frame, out, request, gutter, false, legend,
                     legend_of(s, request->theme, legend),
                     weft_shown_text(&s->shown, arena, s->so_far, "a bar", size));
    if (!s->shown.list.n || s->so_far.end <= s->so_far.begin) {
        weft_frame_empty(&frame, "No time has passed here.");
        return;
    }
    weft_axis_name(&frame, "% of the time", false);
    struct weft_rect plot = frame.plot;
    plot.y += 6;
    plot.height = fmax(1, plot.height - 6 - WEFT_NAMES_HEIGHT);
    uint32_t n = (s->shown.list.n + size - 1) / size;
    weft_value_lines(&frame, plot, 0, 100, false);
    weft_names_below(&frame, plot, n, size, s->shown.names, "processor");
    weft_class_swatches(request->theme, looks);
    weft_scene_layer(out, "bars", plot, WEFT_LAYER_FIXED);
    for (uint32_t i = 0; i < n; i++)
        draw_bar(s, &frame, plot, i, size, looks);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct summary s;
    if (!begin(&s, request, err))
        return false;
    draw(&s, request, out, request->arena);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "processor", .selects = "row in \"processor number $\"" },
    { .name = "busy_pct" },
    { .name = "overhead_pct" },
    { .name = "idle_pct" },
};

const struct weft_view weft_view_utilization_summary = {
    .name = "utilization-summary",
    .title = "Utilization summary",
    .group = "Utilization",
    .explanation = "How much of the time until now each processor was busy, in the "
                   "communication library, and idle.",
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
