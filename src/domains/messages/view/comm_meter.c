/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communication meter: the amount pending at a moment, as a percentage of the most that
 * ever was pending (Heath, Finger: ParaGraph, 2003, section 5.2, "Communication Meter").
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

static const struct weft_parameter parameters[] = {
    COMM_PARAMETER_SHOW,
    COMM_PARAMETER_COLLECTIVES,
};

struct meter {
    struct comm_moment moment;
    struct weft_amount now, most;
    double percent;
};

static bool ask(struct meter *meter, const struct weft_request *request,
                struct weft_err *err)
{
    enum weft_collectives collectives = comm_collectives(request);
    const struct weft_traffic *traffic = weft_use_traffic(request->use, err);
    const struct weft_history *history =
        traffic ? comm_use_history(request->use, collectives, WEFT_NONE, err) : NULL;
    bool bytes = comm_shows_bytes(request);
    bool ok = history && comm_use_moment(request->use, bytes, &meter->moment, err);
    if (ok) {
        meter->now = weft_traffic_at(traffic, meter->moment.time, collectives, NULL, NULL);
        meter->most = weft_history_peak(history);
        double now = (double)(bytes ? meter->now.bytes : meter->now.messages);
        double most = (double)(bytes ? meter->most.bytes : meter->most.messages);
        meter->percent = most > 0 ? 100 * now / most : 0;
    }
    return ok;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct meter meter;
    if (!ask(&meter, request, err))
        return false;
    const struct weft_cell cells[] = {
        weft_integer_cell(meter.now.messages),  weft_integer_cell(meter.now.bytes),
        weft_integer_cell(meter.most.messages), weft_integer_cell(meter.most.bytes),
        weft_real_cell(meter.percent, 3),
    };
    weft_view_begin_table(request, out);
    out->row(out, cells);
    out->end(out);
    return true;
}

static void draw(struct weft_frame *frame, const struct meter *meter, bool bytes)
{
    enum { WIDEST = 120, LABEL = 15 }; /* pixels */
    struct weft_scene *scene = frame->scene;
    const struct weft_theme *theme = frame->theme;
    struct weft_rect plot = comm_value_axis(
        frame, frame->plot, 100, "",
        bytes ? "% of the most bytes pending" : "% of the most messages pending", LABEL);
    double width = fmin(plot.width * 0.6, WIDEST);
    struct weft_rect bar = { plot.x + (plot.width - width) / 2, plot.y, width,
                             plot.height };
    double height = bar.height * fmin(meter->percent, 100) / 100;
    weft_scene_layer(
        scene, "meter",
        (struct weft_rect){ plot.x, plot.y - 1, plot.width, plot.height + LABEL + 2 },
        WEFT_LAYER_FIXED);
    weft_scene_rect(scene, bar,
                    (struct weft_paint){
                        .fill = theme->empty, .stroke = theme->quiet, .stroke_width = 1 });
    if (height > 0)
        weft_scene_rect(scene,
                        (struct weft_rect){ bar.x, bar.y + bar.height - fmax(height, 1),
                                            bar.width, fmax(height, 1) },
                        (struct weft_paint){ .fill = weft_ramp(theme, 0.75) });
    const char *now = comm_amount_text(scene->arena, &meter->now);
    struct weft_mark *mark = weft_scene_rect(scene, bar, (struct weft_paint){ 0 });
    weft_mark_title(scene, mark, "%s pending; at most %s", now,
                    comm_amount_text(scene->arena, &meter->most));
    const char *text = weft_text_fit(
        scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
        weft_arena_printf(scene->arena, "%.1f %%: %s", meter->percent, now), plot.width);
    if (text)
        weft_scene_text(scene,
                        (struct weft_point){ plot.x + plot.width / 2,
                                             plot.y + plot.height + LABEL - 2 },
                        WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text,
                        text);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct meter meter;
    if (!ask(&meter, request, err))
        return false;
    struct weft_frame frame;
    weft_frame_begin(
        &frame, out, request, 0, false, NULL, 0,
        weft_arena_printf(request->arena, "%s · at most %s",
                          comm_moment_text(request->arena, request, meter.moment),
                          comm_amount_text(request->arena, &meter.most)));
    draw(&frame, &meter, comm_shows_bytes(request));
    return true;
}

static const struct weft_column columns[] = {
    { .name = "messages" },  { .name = "bytes" }, { .name = "max_messages" },
    { .name = "max_bytes" }, { .name = "pct" },
};

const struct weft_view weft_view_comm_meter = {
    .name = "comm-meter",
    .title = "Communication meter",
    .group = "Communication",
    .explanation =
        "How much is pending, as a part of the most that was pending in the run.",
    .needs = "messages between processors (weft record --with mpi)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .of_all = true,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_traffic,
    .scene = scene,
    .table = table,
};
