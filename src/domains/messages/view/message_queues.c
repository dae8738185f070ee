/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Message queues: the length of each processor's queue at a moment, and its greatest length
 * until then (Heath, Finger: ParaGraph, 2003, section 5.2, "Message Queues").
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

static const struct weft_parameter parameters[] = {
    { .name = "queue",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "incoming|outgoing",
      .fallback = "incoming",
      .help = "messages wait at their receiver, or at their sender" },
    COMM_PARAMETER_SHOW,
    WEFT_PARAMETER_OF_ORDER,
    COMM_PARAMETER_COLLECTIVES,
};

struct queues {
    const struct weft_processors *processors;
    struct comm_moment moment;
    struct weft_amount *now, *high; /* [processors] */
};

static bool ask(struct queues *queues, const struct weft_request *request,
                struct weft_arena *arena, struct weft_err *err)
{
    enum weft_collectives collectives = comm_collectives(request);
    bool incoming = strcmp(weft_setting(request, "queue"), "incoming") == 0;
    int64_t until = comm_asked_moment(request).time;
    const struct weft_traffic *traffic = weft_use_traffic(request->use, err);
    const struct weft_history *history =
        traffic ? comm_use_history(request->use, collectives, WEFT_NONE, err) : NULL;
    if (!history
        || !comm_use_moment(request->use, comm_shows_bytes(request), &queues->moment, err))
        return false;
    size_t n = traffic->processors->n;
    queues->processors = traffic->processors;
    queues->now = weft_arena_alloc(arena, n * sizeof *queues->now);
    queues->high = weft_arena_alloc(arena, n * sizeof *queues->high);
    weft_traffic_at(traffic, queues->moment.time, collectives,
                    incoming ? NULL : queues->now, incoming ? queues->now : NULL);
    weft_traffic_at(traffic, until, collectives, incoming ? NULL : queues->high,
                    incoming ? queues->high : NULL);
    weft_history_high(history, incoming ? WEFT_INCOMING : WEFT_OUTGOING, until,
                      queues->high);
    return true;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct queues queues;
    struct weft_order order;
    if (!ask(&queues, request, request->arena, err))
        return false;
    bool ok =
        weft_order_make(queues.processors->n, weft_setting(request, "order"), &order, err);
    if (ok)
        weft_view_begin_table(request, out);
    for (uint32_t i = 0; ok && i < queues.processors->n; i++) {
        uint32_t q = order.processor[i];
        if (!comm_is_under(queues.processors, q, request->under))
            continue;
        const struct weft_cell cells[] = {
            weft_integer_cell(queues.processors->processors[q].number),
            weft_integer_cell(queues.now[q].messages),
            weft_integer_cell(queues.now[q].bytes),
            weft_integer_cell(queues.high[q].messages),
            weft_integer_cell(queues.high[q].bytes),
        };
        if (!out->row(out, cells))
            break;
    }
    if (ok)
        out->end(out);
    weft_order_free(&order);
    return ok;
}

/* The longest queue in a group now, and the longest that any of its processors had. */
struct bar {
    struct weft_amount now, high;
};

static struct bar *bars_of(const struct queues *queues, const struct comm_groups *groups,
                           struct weft_arena *arena)
{
    struct bar *bars = weft_arena_zalloc(arena, groups->n, sizeof *bars);
    for (uint32_t q = 0; q < queues->processors->n; q++) {
        if (groups->group_of[q] == groups->n)
            continue;
        struct bar *bar = &bars[groups->group_of[q]];
        const struct weft_amount *const from[] = { &queues->now[q], &queues->high[q] };
        struct weft_amount *const to[] = { &bar->now, &bar->high };
        for (size_t i = 0; i < 2; i++) {
            to[i]->messages =
                from[i]->messages > to[i]->messages ? from[i]->messages : to[i]->messages;
            to[i]->bytes = from[i]->bytes > to[i]->bytes ? from[i]->bytes : to[i]->bytes;
        }
    }
    return bars;
}

static double size_of(const struct weft_amount *amount, bool bytes)
{
    return (double)(bytes ? amount->bytes : amount->messages);
}

struct queue_swatches {
    struct weft_swatch now, high;
};

static struct queue_swatches swatches_of(const struct weft_theme *theme)
{
    bool mono = theme->name == WEFT_THEME_MONO;
    weft_color dark = weft_ramp(theme, 0.8), light = weft_ramp(theme, 0.3);
    struct queue_swatches colors = { { dark, dark, weft_ink(dark), WEFT_HATCH_NONE },
                                     { light, light, weft_ink(light), WEFT_HATCH_NONE } };
    if (mono) {
        colors.high.fill = theme->panel;
        colors.high.hatch = WEFT_HATCH_DOTS;
    }
    return colors;
}

static void draw_bars(struct weft_frame *frame, struct weft_rect plot,
                      const struct comm_groups *groups, const struct bar *bars, double most,
                      bool bytes)
{
    struct weft_scene *scene = frame->scene;
    struct queue_swatches colors = swatches_of(frame->theme);
    double part = plot.width / groups->n, gap = part > 8 ? fmin(part * 0.2, 6) : 0;
    weft_scene_layer(scene, "queues", plot, WEFT_LAYER_FIXED);
    for (uint32_t g = 0; g < groups->n; g++) {
        const struct bar *bar = &bars[g];
        double x = plot.x + g * part + gap / 2, width = fmax(part - gap, 1);
        double heights[] = { plot.height * size_of(&bar->high, bytes) / most,
                             plot.height * size_of(&bar->now, bytes) / most };
        const struct weft_swatch *swatches[] = { &colors.high, &colors.now };
        for (size_t i = 0; i < 2; i++) {
            if (heights[i] <= 0)
                continue;
            double height = fmax(heights[i], 1);
            weft_scene_rect(
                scene,
                (struct weft_rect){ x, plot.y + plot.height - height, width, height },
                (struct weft_paint){ .fill = swatches[i]->fill,
                                     .stroke = frame->theme->quiet,
                                     .stroke_width = part > 8 ? 0.5f : 0,
                                     .hatch = swatches[i]->hatch });
        }
        struct weft_mark *mark =
            weft_scene_rect(scene, (struct weft_rect){ x, plot.y, width, plot.height },
                            (struct weft_paint){ 0 });
        weft_mark_title(scene, mark, "%s %s: %s now, %s at most",
                        groups->each > 1 ? "processors" : "processor",
                        comm_group_label(groups, scene->arena, g),
                        comm_amount_text(scene->arena, &bar->now),
                        comm_amount_text(scene->arena, &bar->high));
        if (mark && groups->each == 1)
            mark->id = weft_container_id(
                groups->processors->processors[groups->processor[g]].container, false);
    }
}

static void draw(struct weft_frame *frame, const struct comm_groups *groups,
                 const struct bar *bars, bool bytes)
{
    double most = 1;
    for (uint32_t g = 0; g < groups->n; g++)
        most = fmax(most, size_of(&bars[g].high, bytes));
    most *= COMM_HEADROOM;
    struct weft_rect plot = comm_value_axis(
        frame, frame->plot, most, bytes ? "B" : "",
        bytes ? "bytes in the queue" : "messages in the queue", COMM_LABELS);
    draw_bars(frame, plot, groups, bars, most, bytes);
    comm_group_axis(frame, plot, groups, "processor");
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    enum { MIN_BAR = 3 }; /* pixels */
    struct queues queues;
    struct comm_groups groups;
    if (!ask(&queues, request, request->arena, err))
        return false;
    if (!comm_groups_make(queues.processors, weft_setting(request, "order"), request->under,
                          (size_t)fmax(1, (request->width - 70) / MIN_BAR), request->arena,
                          &groups, err))
        return false;
    struct queue_swatches colors = swatches_of(request->theme);
    struct weft_legend_entry legend[] = {
        { colors.now, "now", -1, 1 },
        { colors.high, request->has_at ? "longest until then" : "longest until the end", -1,
          0 },
    };
    const char *each = comm_groups_text(&groups, request->arena, "bar");
    struct weft_frame frame;
    weft_frame_begin(
        &frame, out, request, 0, false, legend, 2,
        weft_arena_printf(
            request->arena, "%s queues · %s%s%s", weft_setting(request, "queue"),
            comm_moment_text(request->arena, request, queues.moment), each ? " · " : "",
            each ? weft_arena_printf(request->arena, "%s, the longest", each) : ""));
    draw(&frame, &groups, bars_of(&queues, &groups, request->arena),
         comm_shows_bytes(request));
    weft_order_free(&groups.order);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "processor" },     { .name = "messages" },   { .name = "bytes" },
    { .name = "high_messages" }, { .name = "high_bytes" },
};

const struct weft_view weft_view_message_queues = {
    .name = "message-queues",
    .title = "Message queues",
    .group = "Communication",
    .explanation =
        "Each bar is a processor's queue: dark how long it is, light how long it "
        "was at most until then, or until the end.",
    .needs = "messages between processors (weft record --with mpi)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = weft_set_has_traffic,
    .scene = scene,
    .table = table,
};
