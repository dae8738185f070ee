/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communication traffic: messages or bytes that were sent and not yet received, over time,
 * of all processors or for one (Heath, Finger: ParaGraph, 2003, section 5.2, "Communication
 * Traffic").
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

static const struct weft_parameter parameters[] = {
    COMM_PARAMETER_SHOW,
    { .name = "processor",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "all",
      .help = "only what is pending for this processor: its number, or all" },
    COMM_PARAMETER_COLLECTIVES,
};

struct traffic_query {
    const struct weft_traffic *traffic;
    enum weft_collectives collectives;
    uint32_t processor; /* or WEFT_NONE: all */
};

static bool begin(struct traffic_query *query, const struct weft_request *request,
                  struct weft_err *err)
{
    const char *processor = weft_setting(request, "processor");
    query->collectives = comm_collectives(request);
    query->processor = WEFT_NONE;
    query->traffic = weft_use_traffic(request->use, err);
    return query->traffic
           && (!*processor || strcmp(processor, "all") == 0
               || comm_processor(query->traffic->processors, processor, &query->processor,
                                 err));
}

enum { BARRIER_STRIP = 7 }; /* pixels below the curve */

static bool put_row(struct weft_table *out, const struct weft_schema *schema, int64_t time,
                    const struct weft_amount *pending)
{
    const struct weft_cell cells[] = {
        weft_integer_cell(weft_ticks_to_ns(schema, time - schema->span.begin)),
        weft_integer_cell(pending->messages),
        weft_integer_cell(pending->bytes),
    };
    return out->row(out, cells);
}

/* Writes a row for the window's begin, and one for each change in it. */
static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_span window = request->has_at
                                  ? weft_request_instant(request)
                                  : weft_window_with_end(schema, request->window);
    struct traffic_query query;
    if (!begin(&query, request, err))
        return false;
    const struct weft_replay_options options = { .collectives = query.collectives,
                                                 .processor = query.processor,
                                                 .job = request->job };
    struct weft_replay *replay = weft_replay_begin(query.traffic, window.begin, &options);
    struct weft_amount last = weft_replay_pending(replay);
    struct weft_replay_step step;
    uint64_t n_steps = 0;
    weft_view_begin_table(request, out);
    bool more = put_row(out, schema, window.begin, &last), ok = true;
    while (more && ok && weft_replay_next(replay, &step) && step.time < window.end) {
        if (step.pending.messages != last.messages || step.pending.bytes != last.bytes)
            more = put_row(out, schema, step.time, &step.pending);
        last = step.pending;
        if (++n_steps % 4096 == 0)
            ok = weft_job_step(request->job, (uint64_t)(step.time - window.begin),
                               (uint64_t)(window.end - window.begin), err);
    }
    ok = ok && weft_job_step(request->job, 1, 1, err);
    if (ok)
        out->end(out);
    weft_replay_end(replay);
    return ok;
}

static double level_of(const struct weft_level *level, bool bytes, bool peak)
{
    if (peak)
        return (double)(bytes ? level->peak.bytes : level->peak.messages);
    return bytes ? level->mean_bytes : level->mean_messages;
}

static void draw_curve(struct weft_frame *frame, struct weft_rect plot,
                       const struct weft_level *columns, size_t n, double most, bool bytes,
                       bool peak)
{
    struct weft_scene *scene = frame->scene;
    struct weft_point *points =
        weft_arena_alloc(scene->arena, (2 * n + 2) * sizeof *points);
    double width = plot.width / (double)n, floor_y = plot.y + plot.height;
    weft_color color = weft_ramp(frame->theme, peak ? 0.35 : 0.75);
    size_t at = 0;
    points[at++] = (struct weft_point){ plot.x, floor_y };
    for (size_t i = 0; i < n; i++) {
        double y = floor_y - plot.height * level_of(&columns[i], bytes, peak) / most;
        points[at++] = (struct weft_point){ plot.x + (double)i * width, y };
        points[at++] = (struct weft_point){ plot.x + (double)(i + 1) * width, y };
    }
    points[at++] = (struct weft_point){ plot.x + plot.width, floor_y };
    weft_scene_polygon(scene, points, at, (struct weft_paint){ .fill = color });
}

/* Adds an invisible mark over each few pixels, whose tooltip has the numbers there. */
static void draw_titles(struct weft_frame *frame, struct weft_rect plot,
                        const struct weft_level *columns, size_t n)
{
    enum { WIDTH = 4 };
    struct weft_scene *scene = frame->scene;
    double width = plot.width / (double)n;
    for (size_t i = 0; i < n; i += WIDTH) {
        struct weft_amount peak = { 0 };
        double mean = 0;
        size_t after = i + WIDTH < n ? i + WIDTH : n;
        for (size_t k = i; k < after; k++) {
            peak.messages = columns[k].peak.messages > peak.messages
                                ? columns[k].peak.messages
                                : peak.messages;
            peak.bytes =
                columns[k].peak.bytes > peak.bytes ? columns[k].peak.bytes : peak.bytes;
            mean += columns[k].mean_messages / (double)(after - i);
        }
        struct weft_mark *mark =
            weft_scene_rect(scene,
                            (struct weft_rect){ plot.x + (double)i * width, plot.y,
                                                (double)(after - i) * width, plot.height },
                            (struct weft_paint){ 0 });
        weft_mark_title(scene, mark, "pending: at most %s; on average %s messages",
                        comm_amount_text(scene->arena, &peak),
                        weft_number_text(scene->arena, mean, 1));
    }
}

/* Returns true if barriers are marks, as they do not count as messages. */
static bool has_barriers(const struct traffic_query *query)
{
    return query->collectives == WEFT_COLLECTIVES_DATA && query->traffic->n_barriers > 0;
}

/* Counts the barriers that are open in each of N columns of WINDOW. */
static uint32_t *barriers_by_column(const struct weft_traffic *traffic,
                                    struct weft_span window, size_t n,
                                    struct weft_arena *arena)
{
    uint32_t *count = weft_arena_zalloc(arena, n + 1, sizeof *count);
    double ticks = (double)(window.end - window.begin);
    size_t i = WEFT_FIRST(k, 0, traffic->n_collectives, traffic->reach[k] >= window.begin);
    for (; i < traffic->n_collectives; i++) {
        const struct weft_collective *of = &traffic->collectives[i];
        if (of->begin >= window.end)
            break;
        if (!of->barrier || of->end < window.begin)
            continue;
        double from = (double)n * (double)(of->begin - window.begin) / ticks;
        double to = (double)n * (double)(of->end - window.begin) / ticks;
        for (size_t c = (size_t)fmax(0, from); c < n && (double)c <= to; c++)
            count[c]++;
    }
    return count;
}

/* Draws a strip below PLOT: a mark where barriers are open. */
static void draw_barriers(struct weft_frame *frame, struct weft_rect plot,
                          const struct weft_traffic *traffic, struct weft_span window,
                          size_t n)
{
    struct weft_scene *scene = frame->scene;
    const uint32_t *count = barriers_by_column(traffic, window, n, scene->arena);
    double width = plot.width / (double)n;
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && count[to] == count[from]; to++)
            ;
        if (!count[from])
            continue;
        struct weft_mark *mark = weft_scene_rect(
            scene,
            (struct weft_rect){ plot.x + (double)from * width, plot.y + plot.height + 1,
                                (double)(to - from) * width, BARRIER_STRIP - 1 },
            (struct weft_paint){ .fill = frame->theme->quiet });
        weft_mark_title(scene, mark, count[from] == 1 ? "a barrier" : "%s barriers",
                        weft_number_text(scene->arena, count[from], 0));
    }
}

static const char *subtitle_of(const struct traffic_query *query,
                               const struct weft_request *request, struct weft_arena *arena)
{
    const char *range =
        weft_range_text(arena, request->set->sources[0]->schema, request->window);
    if (query->processor == WEFT_NONE)
        return weft_arena_printf(arena, "%s · all %s processors", range,
                                 weft_number_text(arena, query->traffic->processors->n, 0));
    return weft_arena_printf(
        arena, "%s · for processor %s", range,
        weft_processor_text(arena,
                            &query->traffic->processors->processors[query->processor]));
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    enum { GUTTER = 46, NARROW_GUTTER = 34 }; /* pixels, at least */
    const struct weft_schema *schema = request->set->sources[0]->schema;
    bool bytes = comm_shows_bytes(request);
    struct traffic_query query;
    if (!begin(&query, request, err))
        return false;
    const struct weft_history *history =
        comm_use_history(request->use, query.collectives, query.processor, err);
    if (!history)
        return false;
    const struct weft_theme *theme = request->theme;
    const weft_color mean = weft_ramp(theme, 0.75), peak = weft_ramp(theme, 0.35);
    struct weft_legend_entry legend[] = {
        { { mean, mean, weft_ink(mean), WEFT_HATCH_NONE }, "on average", -1, 1 },
        { { peak, peak, weft_ink(peak), WEFT_HATCH_NONE }, "at most", -1, 0 },
        { { theme->quiet, theme->quiet, weft_ink(theme->quiet), WEFT_HATCH_NONE },
          "barriers",
          -1,
          0 },
    };
    struct weft_level all = { 0 };
    weft_history_columns(history, request->window, 1, &all);
    double gutter =
        fmax(request->width < 400 ? NARROW_GUTTER : GUTTER,
             comm_axis_gutter(request->arena, fmax(1, level_of(&all, bytes, true)),
                              bytes ? "B" : "", request->height));
    struct weft_frame frame;
    weft_frame_begin(&frame, out, request, fmin(gutter, request->width / 3), true, legend,
                     has_barriers(&query) ? 3 : 2,
                     subtitle_of(&query, request, request->arena));
    struct weft_rect plot = frame.plot;
    size_t n = (size_t)fmax(1, plot.width);
    struct weft_level *columns = weft_arena_zalloc(request->arena, n, sizeof *columns);
    weft_history_columns(history, request->window, n, columns);
    double most = 1;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, level_of(&columns[i], bytes, true));
    weft_frame_time_axis(&frame, schema, request->window);
    if (plot.height > 60) { /* room for the name above the curve */
        plot.y += COMM_NAME;
        plot.height -= COMM_NAME;
    }
    if (has_barriers(&query))
        plot.height -= BARRIER_STRIP;
    comm_time_plot_axis(&frame, plot, most, bytes ? "B" : "",
                        bytes ? "bytes pending" : "messages pending");
    weft_scene_layer(
        out, "pending",
        (struct weft_rect){ plot.x, plot.y, plot.width, plot.height + BARRIER_STRIP },
        WEFT_LAYER_MOVES_X);
    if (has_barriers(&query))
        draw_barriers(&frame, plot, query.traffic, request->window, n);
    draw_curve(&frame, plot, columns, n, most * COMM_HEADROOM, bytes, true);
    draw_curve(&frame, plot, columns, n, most * COMM_HEADROOM, bytes, false);
    draw_titles(&frame, plot, columns, n);
    weft_frame_moment(&frame, schema, request->window);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "time_ns" },
    { .name = "messages" },
    { .name = "bytes" },
};

const struct weft_view weft_view_traffic = {
    .name = "traffic",
    .title = "Communication traffic",
    .group = "Communication",
    .explanation =
        "How many messages, or bytes, were sent and not yet received, over time.",
    .needs = "messages between processors (weft record --with mpi)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .of_all = true,
    .moment = WEFT_MOMENT_MARKED,
    .fills = weft_set_has_traffic,
    .scene = scene,
    .table = table,
};
