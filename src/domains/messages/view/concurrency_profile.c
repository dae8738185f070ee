/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Concurrency profile: for what part of the time exactly k processors were busy, in
 * overhead, or idle at once (Heath and Finger 2003, section 5.1); at a moment, the time
 * from the window's begin until then.  While a processor cannot be read, its class is
 * unknown, so that time is in no bar.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "domains/messages/view/processor_display_helpers.h"
#include "domains/messages/view/views.h"

static const struct weft_parameter parameters[] = {
    { .name = "state",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "all|busy|overhead|idle",
      .fallback = "all",
      .help = "the state whose profile is shown" },
};

struct profile {
    struct weft_shown shown;
    struct weft_span so_far;
    uint32_t n;     /* numbers of processors: 0 to all */
    int64_t *ticks; /* [WEFT_CLASSES][n] */
};

static bool begin(struct profile *p, const struct weft_request *request,
                  struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    if (!weft_shown_begin(&p->shown, request, NULL, err))
        return false;
    const struct weft_concurrency *concurrency = weft_use_concurrency(request->use, err);
    if (!concurrency)
        return false;
    p->so_far = weft_shown_so_far(&p->shown, request);
    p->n = concurrency->list.n + 1;
    p->ticks = weft_arena_zalloc(arena, (size_t)WEFT_CLASSES * p->n, sizeof *p->ticks);
    weft_concurrency_profile(concurrency, p->so_far, p->ticks);
    return true;
}

/* The percentage of the time with a count in [first, after) of class K. */
static double percent_of(const struct profile *p, size_t k, uint32_t first, uint32_t after)
{
    double length = (double)(p->so_far.end - p->so_far.begin), sum = 0;
    for (uint32_t i = first; i < after && i < p->n; i++)
        sum += (double)p->ticks[k * p->n + i];
    return length > 0 ? 100 * sum / length : 0;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct profile p;
    if (!begin(&p, request, err))
        return false;
    weft_view_begin_table(request, out);
    for (uint32_t k = 0; k < p.n; k++) {
        const struct weft_cell cells[] = {
            weft_integer_cell(k),
            weft_real_cell(percent_of(&p, WEFT_CLASS_BUSY, k, k + 1), 4),
            weft_real_cell(percent_of(&p, WEFT_CLASS_OVERHEAD, k, k + 1), 4),
            weft_real_cell(percent_of(&p, WEFT_CLASS_IDLE, k, k + 1), 4),
        };
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

static const char *count_name(const struct profile *p, struct weft_arena *arena,
                              uint32_t first, uint32_t size)
{
    uint32_t last = first + size < p->n ? first + size - 1 : p->n - 1;
    return first == last ? weft_arena_printf(arena, "exactly %" PRIu32, first)
                         : weft_arena_printf(arena, "%" PRIu32 " to %" PRIu32, first, last);
}

/* Draws the bars of class K into a part of the plot. */
static void draw_class(const struct profile *p, struct weft_frame *frame,
                       struct weft_rect part, size_t k, uint32_t size, bool last)
{
    struct weft_scene *scene = frame->scene;
    struct weft_swatch looks[WEFT_CLASSES];
    uint32_t n = (p->n + size - 1) / size;
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, percent_of(p, k, i * size, (i + 1) * size));
    most = most > 0 ? fmin(100, most * 1.05) : 1;
    struct weft_rect plot = part;
    plot.y += 8;
    plot.height = fmax(1, plot.height - 10 - (last ? WEFT_NAMES_HEIGHT : 0));
    weft_value_lines(frame, plot, 0, most, false);
    if (last)
        weft_names_below(frame, plot, n, size, NULL, "processors at once");
    weft_class_swatches(frame->theme, looks);
    weft_scene_layer(scene, weft_class_name((enum weft_class)k), plot, WEFT_LAYER_FIXED);
    for (uint32_t i = 0; i < n; i++) {
        double percent = percent_of(p, k, i * size, (i + 1) * size);
        double x = plot.x + weft_slot_edge(plot.width, n, i);
        double width = plot.x + weft_slot_edge(plot.width, n, i + 1) - x;
        width = width >= 4 ? width - 1 : width;
        double height = plot.height * percent / most;
        if (percent > 0) /* anything that happened is at least a pixel high */
            weft_scene_rect(scene,
                            (struct weft_rect){ x, plot.y + plot.height - fmax(height, 1),
                                                width, fmax(height, 1) },
                            weft_swatch_paint(frame->theme, looks[k], width));
        struct weft_mark *mark =
            weft_scene_rect(scene, (struct weft_rect){ x, plot.y, width, plot.height },
                            (struct weft_paint){ 0 });
        weft_mark_title(scene, mark, "%s processors %s: %.3g %% of the time",
                        count_name(p, scene->arena, i * size, size),
                        weft_class_name((enum weft_class)k), percent);
    }
}

/* Returns the subtitle, with the time that is in no bar. */
static const char *text_of(const struct profile *p, struct weft_arena *arena, uint32_t size)
{
    const char *text = weft_shown_text(&p->shown, arena, p->so_far, "", 1);
    double unknown = 100 - percent_of(p, WEFT_CLASS_BUSY, 0, p->n);
    if (p->so_far.end > p->so_far.begin && unknown > 0.05)
        text = weft_arena_printf(arena, "%s · %.1f %% of the time cannot be read", text,
                                 unknown);
    return size > 1 ? weft_arena_printf(arena, "%" PRIu32 " counts a bar · %s", size, text)
                    : text;
}

/*
 * Returns room for the numbers of all classes: numbers of small shares are longer than
 * "100".
 */
static double gutter_of(const struct profile *p, struct weft_arena *arena, double height)
{
    double gutter = weft_value_gutter(arena, 0, 99.5, height, false);
    for (size_t k = 0; k < WEFT_CLASSES; k++) {
        double most = 0;
        for (uint32_t i = 0; i < p->n; i++)
            most = fmax(most, percent_of(p, k, i, i + 1));
        if (most > 0)
            gutter = fmax(gutter, weft_value_gutter(arena, 0, most * 1.05,
                                                    height / WEFT_CLASSES, false));
    }
    return gutter;
}

static void draw(const struct profile *p, const struct weft_request *request,
                 struct weft_scene *out, struct weft_arena *arena)
{
    const char *state = weft_setting(request, "state");
    bool all = strcmp(state, "all") == 0;
    struct weft_legend_entry legend[WEFT_CLASSES];
    struct weft_frame frame;
    double shares[WEFT_CLASSES];
    for (size_t k = 0; k < WEFT_CLASSES; k++)
        shares[k] = all || strcmp(state, weft_class_name((enum weft_class)k)) == 0;
    double gutter = gutter_of(p, arena, request->height);
    uint32_t size = weft_group_size(p->n, fmax(1, request->width - 16 - gutter));
    size_t n_legend = weft_class_legend(request->theme, shares, legend);
    for (size_t i = 0; i < n_legend; i++) {
        legend[i].weight = (double)(n_legend - i);
        legend[i].share = -1;
    }
    weft_frame_begin(&frame, out, request, gutter, false, legend, n_legend,
                     text_of(p, arena, size));
    if (p->n < 2 || p->so_far.end <= p->so_far.begin) {
        weft_frame_empty(&frame, "No time has passed here.");
        return;
    }
    weft_axis_name(&frame, "% of the time", false);
    struct weft_rect part = frame.plot;
    part.height = (part.height - WEFT_NAMES_HEIGHT) / (all ? WEFT_CLASSES : 1);
    for (size_t k = 0; k < WEFT_CLASSES; k++) {
        bool last = !all || k == WEFT_CLASS_IDLE;
        if (!(shares[k] > 0))
            continue;
        struct weft_rect at = part;
        at.height += last ? WEFT_NAMES_HEIGHT : 0;
        draw_class(p, &frame, at, k, size, last);
        part.y += part.height;
    }
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct profile p;
    if (!begin(&p, request, err))
        return false;
    draw(&p, request, out, request->arena);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "k" },
    { .name = "busy_pct" },
    { .name = "overhead_pct" },
    { .name = "idle_pct" },
};

const struct weft_view weft_view_concurrency_profile = {
    .name = "concurrency-profile",
    .title = "Concurrency profile",
    .group = "Utilization",
    .explanation = "For how much of the time exactly so many processors were busy, in the "
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
