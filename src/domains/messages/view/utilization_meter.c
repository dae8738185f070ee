/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Utilization meter: the percentages of processors that are busy, in overhead and idle at a
 * moment, as a thermometer (Heath and Finger 2003, section 5.1).  Without a moment they are
 * averages of the window.
 */
#include <math.h>

#include "domains/messages/view/processor_display_helpers.h"
#include "domains/messages/view/views.h"
#include "store/time.h"
#include "view/damage.h"

struct meter {
    struct weft_shown shown;
    double percent[WEFT_CLASSES + 1]; /* the last one is of unreadable processors */
    bool any;
};

static void count_at(struct meter *m, int64_t at, struct weft_arena *arena)
{
    uint8_t *class = weft_arena_alloc(arena, (size_t)m->shown.processors->n + 1);
    weft_processors_at(m->shown.processors, at, class);
    for (uint32_t i = 0; i < m->shown.list.n; i++)
        m->percent[class[m->shown.list.index[i]]] += 100.0 / m->shown.list.n;
}

static bool average(struct meter *m, const struct weft_request *request,
                    struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    const struct weft_utilization *utilization = weft_use_utilization(request->use, err);
    if (!utilization)
        return false;
    uint32_t n = m->shown.list.n;
    int64_t(*ticks)[WEFT_CLASSES] = weft_arena_zalloc(arena, (size_t)n + 1, sizeof *ticks);
    weft_utilization_ticks(utilization, m->shown.list, m->shown.window, ticks);
    double all = (double)(m->shown.window.end - m->shown.window.begin) * n;
    for (size_t k = 0; k < WEFT_CLASSES; k++) {
        double sum = 0;
        for (uint32_t i = 0; i < n; i++)
            sum += (double)ticks[i][k];
        m->percent[k] = all > 0 ? 100 * sum / all : 0;
    }
    m->any = all > 0;
    return true;
}

static bool begin(struct meter *m, const struct weft_request *request, struct weft_err *err)
{
    *m = (struct meter){ 0 };
    if (!weft_shown_begin(&m->shown, request, NULL, err))
        return false;
    if (!request->has_at)
        return average(m, request, err);
    count_at(m, request->at, request->arena);
    m->any = m->shown.list.n > 0;
    return true;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct meter m;
    if (!begin(&m, request, err))
        return false;
    weft_view_begin_table(request, out);
    const struct weft_cell cells[] = {
        weft_real_cell(m.percent[WEFT_CLASS_BUSY], 4),
        weft_real_cell(m.percent[WEFT_CLASS_OVERHEAD], 4),
        weft_real_cell(m.percent[WEFT_CLASS_IDLE], 4),
    };
    if (m.any)
        out->row(out, cells);
    out->end(out);
    return true;
}

static void draw_part(const struct meter *m, struct weft_frame *frame, struct weft_rect bar,
                      size_t k, struct weft_swatch look)
{
    struct weft_scene *scene = frame->scene;
    struct weft_mark *mark =
        weft_scene_rect(scene, bar, weft_swatch_paint(frame->theme, look, bar.width));
    weft_mark_title(scene, mark, "%s %.1f %%: %.4g of %s processors",
                    weft_class_name((enum weft_class)k), m->percent[k],
                    m->percent[k] / 100 * m->shown.list.n,
                    weft_number_text(scene->arena, m->shown.list.n, 0));
    const char *text = weft_arena_printf(scene->arena, "%.1f %%", m->percent[k]);
    double width = weft_text_width(WEFT_FONT_SANS, WEFT_FONT_SIZE, text);
    if (bar.height >= 16 && bar.width > width + 8 && !look.hatch)
        weft_scene_text(
            scene, (struct weft_point){ bar.x + bar.width / 2, bar.y + bar.height / 2 + 4 },
            WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, WEFT_FONT_SIZE, look.ink, text);
}

static void draw(const struct meter *m, const struct weft_request *request,
                 struct weft_scene *out, struct weft_arena *arena)
{
    enum { WIDEST = 160 }; /* pixels, so that it looks like a thermometer */
    struct weft_legend_entry legend[WEFT_CLASSES];
    struct weft_swatch looks[WEFT_CLASSES];
    struct weft_frame frame;
    double gutter = weft_value_gutter(arena, 0, 100, request->height, false), shares[3];
    char time[WEFT_TIME_TEXT];
    for (size_t k = 0; k < WEFT_CLASSES; k++)
        shares[k] = m->percent[k] / 100;
    const char *text = weft_shown_text(&m->shown, arena, m->shown.window, "", 1);
    if (request->has_at)
        text = weft_arena_printf(
            arena, "at %s · %s processors",
            weft_duration_text(m->shown.schema, request->at - m->shown.schema->span.begin,
                               time),
            weft_number_text(arena, m->shown.list.n, 0));
    weft_frame_begin(&frame, out, request, gutter, false, legend,
                     weft_class_legend(request->theme, shares, legend), text);
    if (!m->any) {
        weft_frame_empty(&frame, "No time has passed here.");
        return;
    }
    weft_axis_name(&frame, "% of the processors", false);
    struct weft_rect plot = frame.plot;
    plot.y += 6;
    plot.height = fmax(1, plot.height - 12);
    plot.width = fmin(plot.width, WIDEST);
    weft_value_lines(&frame, plot, 0, 100, false);
    weft_class_swatches(request->theme, looks);
    weft_scene_layer(out, "meter", plot, WEFT_LAYER_FIXED);
    double level = plot.y + plot.height;
    for (size_t k = 0; k < WEFT_CLASSES; k++) {
        double height = plot.height * shares[k];
        level -= height;
        draw_part(m, &frame, (struct weft_rect){ plot.x, level, plot.width, height }, k,
                  looks[k]);
    }
    if (level > plot.y + plot.height * 0.001) /* the rest cannot be read */
        weft_damage_hatch(out, request->theme,
                          (struct weft_rect){ plot.x, plot.y, plot.width, level - plot.y });
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct meter m;
    if (!begin(&m, request, err))
        return false;
    draw(&m, request, out, request->arena);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "busy" },
    { .name = "overhead" },
    { .name = "idle" },
};

const struct weft_view weft_view_utilization_meter = {
    .name = "utilization-meter",
    .title = "Utilization meter",
    .group = "Utilization",
    .explanation = "How many of the processors are busy, in the communication library, "
                   "and idle.",
    .needs = "ranks, messages or activity (an MPI run, for example)",
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_processors,
    .scene = scene,
    .table = table,
};
