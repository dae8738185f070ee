/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clock: the moment as a number, as the hand of a dial that goes round once in the run, and
 * as a bar of the part of the run that has passed (Heath, Finger: ParaGraph, 2003, section
 * 5.4, "Clock"); without a moment, the window's end.
 */
#include <math.h>

#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

struct clock {
    const struct weft_schema *schema;
    int64_t passed; /* ticks since the run's begin */
    double part;    /* of the run, 0 to 1; 0 if it took no time */
};

static struct clock ask(const struct weft_request *request)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_span span = schema->span;
    int64_t time = comm_asked_moment(request).time;
    time = time < span.begin ? span.begin : time > span.end ? span.end : time;
    int64_t passed = time - span.begin;
    double length = (double)(span.end - span.begin);
    return (struct clock){ schema, passed, length > 0 ? (double)passed / length : 0 };
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct clock clock = ask(request);
    (void)err;
    weft_view_begin_table(request, out);
    const struct weft_cell cells[] = {
        weft_integer_cell(weft_ticks_to_ns(clock.schema, clock.passed)),
        weft_real_cell(100 * clock.part, -1),
    };
    out->row(out, cells);
    out->end(out);
    return true;
}

/* Draws the dial; the part of the run that has passed is a sector, from the top on. */
static void draw_dial(struct weft_frame *frame, const struct clock *clock,
                      struct weft_point centre, double radius)
{
    enum { MARKS = 20, LONG = 5 };
    struct weft_scene *scene = frame->scene;
    const struct weft_theme *theme = frame->theme;
    weft_scene_sector(scene, centre, 0, radius, 0, 2 * M_PI,
                      (struct weft_paint){ .fill = theme->empty,
                                           .stroke = theme->quiet,
                                           .stroke_width = 1 });
    if (clock->part > 0)
        weft_scene_sector(scene, centre, 0, radius, -M_PI / 2, 2 * M_PI * clock->part,
                          (struct weft_paint){ .fill = weft_ramp(theme, 0.3) });
    for (int i = 0; i < MARKS; i++) {
        double angle = 2 * M_PI * i / MARKS - M_PI / 2,
               inner = radius * (i % LONG ? 0.93 : 0.85);
        weft_scene_line(scene,
                        (struct weft_point){ centre.x + inner * cos(angle),
                                             centre.y + inner * sin(angle) },
                        (struct weft_point){ centre.x + radius * cos(angle),
                                             centre.y + radius * sin(angle) },
                        (struct weft_paint){ .stroke = theme->text, .stroke_width = 1 });
    }
    double angle = 2 * M_PI * clock->part - M_PI / 2;
    weft_scene_line(scene, centre,
                    (struct weft_point){ centre.x + radius * 0.8 * cos(angle),
                                         centre.y + radius * 0.8 * sin(angle) },
                    (struct weft_paint){ .stroke = theme->accent, .stroke_width = 3 });
    weft_scene_glyph(scene, WEFT_GLYPH_CIRCLE, centre, 9, 0,
                     (struct weft_paint){ .fill = theme->accent });
}

static void draw(struct weft_frame *frame, const struct clock *clock)
{
    enum { TEXT = 22, BAR = 16, SPACE = 12, LARGEST = 160 };
    struct weft_scene *scene = frame->scene;
    const struct weft_theme *theme = frame->theme;
    struct weft_rect plot = frame->plot;
    char time[WEFT_TIME_TEXT];
    double room = plot.height - TEXT - BAR - 2 * SPACE;
    double radius = fmin(LARGEST, fmin(room, plot.width) / 2);
    double y = plot.y;
    weft_scene_layer(scene, "clock", plot, WEFT_LAYER_FIXED);
    if (radius >= 10) { /* pixels; a smaller dial could not be read */
        draw_dial(frame, clock,
                  (struct weft_point){ plot.x + plot.width / 2, y + radius + 1 }, radius);
        y += 2 * radius + SPACE;
    }
    const char *text = weft_arena_printf(
        scene->arena, "%s · %.1f %% of the run",
        weft_duration_text(clock->schema, clock->passed, time), 100 * clock->part);
    weft_scene_text(
        scene, (struct weft_point){ plot.x + plot.width / 2, y + TEXT - 6 },
        WEFT_ANCHOR_MIDDLE, WEFT_FONT_BOLD, WEFT_TITLE_SIZE, theme->text,
        weft_text_fit(scene->arena, WEFT_FONT_BOLD, WEFT_TITLE_SIZE, text, plot.width));
    struct weft_rect bar = { plot.x + 1, y + TEXT, fmax(1, plot.width - 2), BAR };
    weft_scene_rect(scene, bar,
                    (struct weft_paint){
                        .fill = theme->empty, .stroke = theme->quiet, .stroke_width = 1 });
    bar.width *= clock->part;
    if (bar.width > 0)
        weft_mark_title(
            scene,
            weft_scene_rect(scene, bar,
                            (struct weft_paint){ .fill = weft_ramp(theme, 0.6) }),
            "%s", text);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct clock clock = ask(request);
    struct weft_frame frame;
    char length[WEFT_TIME_TEXT];
    (void)err;
    weft_duration_text(clock.schema, clock.schema->span.end - clock.schema->span.begin,
                       length);
    weft_frame_begin(&frame, out, request, 0, false, NULL, 0,
                     weft_arena_printf(request->arena, "%s · the run took %s",
                                       comm_moment_text(request->arena, request,
                                                        comm_asked_moment(request)),
                                       length));
    draw(&frame, &clock);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "time_ns" },
    { .name = "share_pct" },
};

const struct weft_view weft_view_clock = {
    .name = "clock",
    .title = "Clock",
    .group = "Utilization",
    .explanation =
        "The hand goes round once in the run; the bar is the part of it that has "
        "passed.",
    .needs = "ranks, messages or activity (an MPI run, for example)",
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .of_all = true,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_processors,
    .scene = scene,
    .table = table,
};
