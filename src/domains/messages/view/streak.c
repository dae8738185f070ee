/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streaks: how long each processor has been busy, or idle, without a break (Heath and
 * Finger 2003, section 5.1).  At a moment: its current streak; else its longest from the
 * run's begin to the end of the window.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "domains/messages/view/processor_display_helpers.h"
#include "domains/messages/view/views.h"
#include "store/time.h"
#include "view/damage.h"

static const struct weft_parameter parameters[] = {
    { .name = "overhead",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "win|loss",
      .fallback = "win",
      .help = "whether time in the communication library wins or loses" },
    WEFT_PARAMETER_OF_ORDER,
};

struct streaks {
    struct weft_shown shown;
    struct weft_span so_far;
    bool current;             /* the current streaks, not the longest ones */
    struct weft_streak *list; /* by position */
    int64_t *unknown; /* by position: unreadable ticks, which may hide a longer streak */
};

static bool begin(struct streaks *s, const struct weft_request *request,
                  struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    const char *order = weft_setting(request, "order");
    if (!weft_shown_begin(&s->shown, request, order, err))
        return false;
    const struct weft_utilization *utilization = weft_use_utilization(request->use, err);
    if (!utilization)
        return false;
    s->so_far = weft_shown_since_start(&s->shown, request);
    s->current = request->has_at;
    s->list = weft_arena_zalloc(arena, (size_t)s->shown.list.n + 1, sizeof *s->list);
    bool wins = strcmp(weft_setting(request, "overhead"), "win") == 0;
    weft_utilization_streaks(utilization, s->shown.list, s->so_far, wins, s->list);
    s->unknown = weft_unknown_ticks(utilization, s->shown.list, s->so_far, arena);
    return true;
}

/* A cell of a longest streak; empty when nothing of the processor's time is known. */
static struct weft_cell longest_cell(const struct streaks *s, const struct weft_streak *of,
                                     int kind)
{
    if (s->so_far.end > s->so_far.begin && !of->longest[0] && !of->longest[1])
        return (struct weft_cell){ .kind = WEFT_CELL_EMPTY };
    return weft_integer_cell(weft_ticks_to_ns(s->shown.schema, of->longest[kind]));
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct streaks s;
    if (!begin(&s, request, err))
        return false;
    weft_view_begin_table(request, out);
    for (uint32_t i = 0; i < s.shown.list.n; i++) {
        const struct weft_streak *streak = &s.list[i];
        const struct weft_cell empty = { .kind = WEFT_CELL_EMPTY };
        bool known = streak->kind != WEFT_NO_STREAK;
        const struct weft_cell cells[] = {
            weft_integer_cell(s.shown.processors->processors[s.shown.list.index[i]].number),
            known ? weft_text_cell(streak->kind == WEFT_WIN ? "win" : "loss") : empty,
            known ? weft_integer_cell(weft_ticks_to_ns(s.shown.schema, streak->length))
                  : empty,
            longest_cell(&s, streak, WEFT_WIN),
            longest_cell(&s, streak, WEFT_LOSS),
        };
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

/* ---- Picture ---- */

/*
 * The length of a group's bar in ticks, up (WEFT_WIN) or down: the longest of its
 * processors.
 */
static int64_t bar_of(const struct streaks *s, uint32_t group, uint32_t size, int kind)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < weft_group_of(&s->shown, group, size).n; i++) {
        const struct weft_streak *streak = &s->list[group * size + i];
        int64_t ticks = !s->current            ? streak->longest[kind]
                        : streak->kind == kind ? streak->length
                                               : 0;
        most = ticks > most ? ticks : most;
    }
    return most;
}

/*
 * Whether a processor of the group may have a longer streak than is known, or a hidden one.
 */
static bool is_damaged(const struct streaks *s, uint32_t group, uint32_t size)
{
    for (uint32_t i = 0; i < weft_group_of(&s->shown, group, size).n; i++) {
        size_t at = (size_t)group * size + i;
        if (s->current ? s->list[at].kind == WEFT_NO_STREAK && s->unknown[at] > 0
                       : s->unknown[at] > 0)
            return true;
    }
    return false;
}

struct unit {
    const char *name;
    double seconds;
};

/* The largest unit in which the longest streak is at least 1. */
static struct unit unit_of(double seconds)
{
    static const struct unit units[] = {
        { "s", 1 }, { "ms", 1e-3 }, { "µs", 1e-6 }, { "ns", 1e-9 }
    };
    size_t u = 0;
    while (u + 1 < sizeof units / sizeof *units && seconds < units[u].seconds)
        u++;
    return units[u];
}

struct streak_drawing {
    const struct streaks *s;
    struct weft_frame *frame;
    struct weft_rect plot;
    uint32_t n, size;
    double most[2]; /* ticks */
    struct weft_swatch looks[2];
};

static void draw_bar(const struct streak_drawing *d, uint32_t group)
{
    struct weft_scene *scene = d->frame->scene;
    double zero =
        d->plot.y + d->plot.height * d->most[WEFT_WIN] / (d->most[0] + d->most[1]);
    double x = d->plot.x + weft_slot_edge(d->plot.width, d->n, group);
    double width = d->plot.x + weft_slot_edge(d->plot.width, d->n, group + 1) - x;
    width = width >= 4 ? width - 1 : width;
    struct weft_processor_list list = weft_group_of(&d->s->shown, group, d->size);
    if (is_damaged(d->s, group, d->size))
        weft_damage_hatch(scene, d->frame->theme,
                          (struct weft_rect){ x, d->plot.y, width, d->plot.height });
    for (int kind = 0; kind < 2; kind++) {
        int64_t ticks = bar_of(d->s, group, d->size, kind);
        double height = d->plot.height * (double)ticks / (d->most[0] + d->most[1]);
        struct weft_mark *mark = weft_scene_rect(
            scene,
            (struct weft_rect){ x, kind == WEFT_WIN ? zero - height : zero, width, height },
            weft_swatch_paint(d->frame->theme, d->looks[kind], width));
        if (mark && list.n == 1)
            mark->id = weft_container_id(
                d->s->shown.processors->processors[list.index[0]].container, false);
        char text[WEFT_TIME_TEXT];
        weft_mark_title(scene, mark, "%s · %s for %s",
                        weft_group_name(&d->s->shown, scene->arena, group, d->size),
                        kind == WEFT_WIN ? "busy (winning)" : "idle (losing)",
                        weft_duration_text(d->s->shown.schema, ticks, text));
    }
}

static size_t legend_of(const struct streak_drawing *d, struct weft_legend_entry *legend)
{
    static const char *const now[] = { "idle (losing)", "busy (winning)" };
    static const char *const longest[] = { "longest time idle (losing)",
                                           "longest time busy (winning)" };
    size_t n = 0;
    for (int kind = 1; kind >= 0; kind--)
        if (d->most[kind] > 0)
            legend[n++] = (struct weft_legend_entry){
                d->looks[kind], d->s->current ? now[kind] : longest[kind], -1, kind
            };
    return n;
}

static void draw(const struct streaks *s, const struct weft_request *request,
                 struct weft_scene *out, struct weft_arena *arena)
{
    struct weft_legend_entry legend[2];
    struct weft_swatch looks[WEFT_CLASSES];
    struct weft_frame frame;
    struct streak_drawing d = { .s = s, .frame = &frame };
    weft_class_swatches(request->theme, looks);
    d.looks[WEFT_LOSS] = looks[WEFT_CLASS_IDLE];
    d.looks[WEFT_WIN] = looks[WEFT_CLASS_BUSY];
    for (uint32_t i = 0; i < s->shown.list.n; i++)
        for (int kind = 0; kind < 2; kind++)
            d.most[kind] = fmax(d.most[kind], (double)bar_of(s, i, 1, kind));
    double tick = weft_ticks_to_seconds(s->shown.schema, 1 << 20) / (1 << 20);
    struct unit unit = unit_of(fmax(d.most[0], d.most[1]) * tick);
    double low = -d.most[WEFT_LOSS] * tick / unit.seconds;
    double high = d.most[WEFT_WIN] * tick / unit.seconds;
    double gutter = weft_value_gutter(arena, low, high, request->height, false);
    d.size = weft_group_size(s->shown.list.n, fmax(1, request->width - 16 - gutter));
    d.n = (s->shown.list.n + d.size - 1) / d.size;
    weft_frame_begin(
        &frame, out, request, gutter, false, legend, legend_of(&d, legend),
        weft_shown_text(&s->shown, arena, s->so_far, "a bar, the longest", d.size));
    if (!(high > low)) {
        bool passed = s->so_far.end > s->so_far.begin && s->shown.list.n;
        weft_frame_empty(&frame, passed ? "What was here cannot be read."
                                        : "No time has passed here.");
        if (passed)
            weft_damage_hatch(out, request->theme, frame.plot);
        return;
    }
    weft_axis_name(&frame,
                   weft_arena_printf(arena, "%s (%s)",
                                     s->current ? "this streak" : "longest streak",
                                     unit.name),
                   false);
    d.plot = frame.plot;
    d.plot.y += 6;
    d.plot.height = fmax(1, d.plot.height - 8 - WEFT_NAMES_HEIGHT);
    weft_value_lines(&frame, d.plot, low, high, false);
    weft_names_below(&frame, d.plot, d.n, d.size, s->shown.names, "processor");
    weft_scene_layer(out, "streaks", d.plot, WEFT_LAYER_FIXED);
    for (uint32_t i = 0; i < d.n; i++)
        draw_bar(&d, i);
    double zero = d.plot.y + d.plot.height * d.most[WEFT_WIN] / (d.most[0] + d.most[1]);
    weft_scene_line(
        out, (struct weft_point){ d.plot.x, zero },
        (struct weft_point){ d.plot.x + d.plot.width, zero },
        (struct weft_paint){ .stroke = request->theme->text, .stroke_width = 1 });
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct streaks s;
    if (!begin(&s, request, err))
        return false;
    draw(&s, request, out, request->arena);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "processor" },       { .name = "kind" },
    { .name = "length_ns" },       { .name = "longest_win_ns" },
    { .name = "longest_loss_ns" },
};

const struct weft_view weft_view_streak = {
    .name = "streak",
    .title = "Streaks",
    .group = "Utilization",
    .explanation =
        "For how long each processor was busy without being idle (it wins, upward), or idle "
        "without being busy (it loses, downward).",
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
