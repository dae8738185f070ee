/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Critical path of messages: the longest serial thread of the run in red, all other
 * processors and messages in light blue (Heath, Finger: ParaGraph, 2003, section 5.4,
 * "Critical Path"; model/message_path.h).  Other messages are left out above 64 processors,
 * or where they are too many to tell apart.
 */
#include <math.h>
#include <stdlib.h>

#include "domains/messages/model/message_path.h"
#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/processor_rows.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

enum {
    MOST_PROCESSORS = 64, /* with messages beside the path */
    MOST_MESSAGES = 20000,
    MOST_PARTS = 20000, /* parts of the path that are drawn one by one */
};

static const struct weft_parameter parameters[] = { WEFT_PARAMETER_OF_ORDER,
                                                    COMM_PARAMETER_COLLECTIVES };

/* ---- Prepared data ---- */

struct path_key { /* no padding: keys are compared as bytes */
    uint64_t collectives;
};

static bool make_path(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                      struct weft_err *err)
{
    const struct path_key *key = args->parameters;
    const struct weft_held *held = weft_prepare(args->shelf, &weft_prepared_traffic,
                                                args->set, NULL, 0, args->job, err);
    if (!held)
        return false;
    const struct weft_traffic *traffic = weft_traffic_of_held(held);
    struct weft_utilization *utilization =
        weft_utilization_make(traffic->processors, args->job, err);
    struct weft_message_path *path =
        utilization ? weft_message_path_make(
            traffic, utilization, (enum weft_collectives)key->collectives, args->job, err)
                    : NULL;
    weft_utilization_free(utilization);
    weft_release(held);
    if (!path)
        return false;
    *thing = path;
    *bytes = weft_message_path_bytes(path);
    return true;
}

static void free_path(void *thing)
{
    weft_message_path_free(thing);
}

static const struct weft_preparation prepared_path = { "critical path of messages",
                                                       make_path, free_path };

static const struct weft_message_path *use_path(const struct weft_request *request,
                                                struct weft_err *err)
{
    const struct weft_set one = { request->set->sources, 1 };
    const struct path_key key = { comm_collectives(request) };
    return weft_use_get(request->use, &prepared_path, &one, &key, sizeof key, err);
}

/* ---- Table ---- */

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct weft_shown shown;
    if (!weft_shown_begin(&shown, request, weft_setting(request, "order"), err))
        return false;
    const struct weft_message_path *path = use_path(request, err);
    if (!path)
        return false;
    const struct weft_processor *of = shown.processors->processors;
    int64_t zero = shown.schema->span.begin;
    struct weft_span window = request->has_at
                                  ? weft_request_instant(request)
                                  : weft_window_with_end(shown.schema, request->window);
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < path->n; i++) {
        const struct weft_path_part *part = &path->parts[i];
        bool met = part->begin < window.end
                   && (part->end > window.begin || part->begin >= window.begin);
        const struct weft_cell cells[] = {
            weft_integer_cell(weft_ticks_to_ns(shown.schema, part->begin - zero)),
            weft_integer_cell(weft_ticks_to_ns(shown.schema, part->end - zero)),
            weft_text_cell(part->message ? "message" : "processor"),
            weft_integer_cell(of[part->from].number),
            weft_integer_cell(of[part->to].number),
        };
        if (met && !out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

/* ---- Picture ---- */

struct path_picture {
    const struct weft_request *request;
    struct weft_shown shown;
    const struct weft_traffic *traffic;
    struct weft_frame frame;
    struct weft_processor_rows rows;
    uint32_t *row_of; /* by processor; WEFT_NONE: not shown */
    weft_color critical, other;
    size_t n_drawn;
};

static double y_of(const struct path_picture *p, uint32_t row)
{
    return p->rows.part.y
           + (weft_row_top(&p->rows, row) + weft_row_bottom(&p->rows, row)) / 2;
}

static struct weft_mark *draw_line(const struct path_picture *p, int64_t begin, int64_t end,
                                   uint32_t from, uint32_t to, weft_color color,
                                   double width)
{
    return weft_scene_line(
        p->frame.scene, (struct weft_point){ weft_row_x(&p->rows, begin), y_of(p, from) },
        (struct weft_point){ weft_row_x(&p->rows, end), y_of(p, to) },
        (struct weft_paint){ .stroke = color, .stroke_width = width });
}

/* Draws when a processor is not idle. */
struct stretch {
    const struct path_picture *p;
    uint32_t row;
    int64_t since; /* INT64_MIN: idle */
};

static bool next_class(void *user, int64_t time, enum weft_class class)
{
    struct stretch *s = user;
    bool idle = class == WEFT_CLASS_IDLE || class == WEFT_CLASS_UNKNOWN;
    if (idle && s->since != INT64_MIN)
        draw_line(s->p, s->since, time, s->row, s->row, s->p->other, 2);
    if (idle)
        s->since = INT64_MIN;
    else if (s->since == INT64_MIN)
        s->since = time;
    return true;
}

static void draw_processors(const struct path_picture *p)
{
    const struct weft_source *source = p->shown.processors->source;
    uint64_t n = 0;
    for (uint32_t i = 0; i < p->shown.list.n; i++) {
        uint32_t track = p->shown.processors->processors[p->shown.list.index[i]].track;
        n += track == WEFT_NONE ? 0 : source->ops->density(source, track, p->shown.window);
    }
    bool each = p->rows.size == 1 && n <= MOST_MESSAGES;
    for (uint32_t row = 0; row < p->rows.n; row++) {
        struct stretch s = { p, row, each ? INT64_MIN : p->shown.window.begin };
        if (each)
            weft_class_changes(p->shown.processors, p->shown.list.index[row],
                               p->shown.window, next_class, &s);
        next_class(&s, p->shown.window.end, WEFT_CLASS_IDLE);
    }
}

static bool draw_message(void *user, const struct weft_link *link)
{
    struct path_picture *p = user;
    const uint32_t *index_of = p->shown.processors->index_of;
    if (link->from == WEFT_NONE || link->to == WEFT_NONE
        || index_of[link->from] == WEFT_NONE || index_of[link->to] == WEFT_NONE)
        return true;
    uint32_t from = p->row_of[index_of[link->from]], to = p->row_of[index_of[link->to]];
    if (from == WEFT_NONE || to == WEFT_NONE)
        return true;
    draw_line(p, link->begin, link->end, from, to, p->other, 1);
    return ++p->n_drawn < MOST_MESSAGES;
}

/* Returns true if the messages beside the path are drawn. */
static bool draw_messages(struct path_picture *p)
{
    const struct weft_source *source = p->traffic->source;
    uint64_t n = 0;
    for (size_t i = 0; i < p->traffic->n_plain; i++)
        n += source->ops->density(source, p->traffic->tracks[i], p->shown.window);
    if (p->shown.list.n > MOST_PROCESSORS || n > MOST_MESSAGES)
        return false;
    for (size_t i = 0; i < p->traffic->n_plain; i++)
        source->ops->links(source, p->traffic->tracks[i], p->shown.window, draw_message, p);
    return true;
}

/* Draws an edge around the path, since other messages may fill the plot, or the path. */
static void draw_part(const struct path_picture *p, const struct weft_path_part *part,
                      bool edge)
{
    uint32_t from = p->row_of[part->from], to = p->row_of[part->to];
    char length[WEFT_TIME_TEXT], begin[WEFT_TIME_TEXT];
    if (from == WEFT_NONE || to == WEFT_NONE || part->begin > p->shown.window.end
        || part->end < p->shown.window.begin)
        return;
    const struct weft_processor *of = p->shown.processors->processors;
    struct weft_mark *mark =
        draw_line(p, part->begin, part->end, from, to,
                  edge ? p->request->theme->panel : p->critical, edge ? 6 : 3);
    if (edge)
        return;
    weft_duration_text(p->shown.schema, part->end - part->begin, length);
    weft_duration_text(p->shown.schema, part->begin - p->shown.schema->span.begin, begin);
    if (mark && !part->message)
        mark->id = weft_container_id(of[part->from].container, false);
    if (part->message)
        weft_mark_title(p->frame.scene, mark, "message %s → %s · %s from %s",
                        weft_processor_text(p->frame.scene->arena, &of[part->from]),
                        weft_processor_text(p->frame.scene->arena, &of[part->to]), length,
                        begin);
    else
        weft_mark_title(p->frame.scene, mark, "processor %s · %s from %s",
                        weft_processor_text(p->frame.scene->arena, &of[part->from]), length,
                        begin);
}

static void draw_path(const struct path_picture *p, const struct weft_message_path *path)
{
    struct weft_span window = p->shown.window;
    size_t n = 0;
    for (size_t i = 0; i < path->n; i++)
        n += path->parts[i].begin <= window.end && path->parts[i].end >= window.begin;
    size_t step = n / MOST_PARTS + 1; /* too many to tell apart: each step-th */
    for (int edge = 1; edge >= 0; edge--)
        for (size_t i = 0, met = 0; i < path->n; i++)
            if (path->parts[i].begin <= window.end && path->parts[i].end >= window.begin
                && met++ % step == 0)
                draw_part(p, &path->parts[i], edge);
}

static const char *note_of(const struct weft_schema *schema, struct weft_arena *arena,
                           const struct weft_message_path *path)
{
    char on[WEFT_TIME_TEXT], in[WEFT_TIME_TEXT];
    return weft_arena_printf(arena, " · the path: %s on processors, %s in %s %s",
                             weft_duration_text(schema, path->on_processors, on),
                             weft_duration_text(schema, path->in_messages, in),
                             weft_number_text(arena, (double)path->n_messages, 0),
                             path->n_messages == 1 ? "message" : "messages");
}

static void find_rows(struct path_picture *p)
{
    uint32_t n = p->shown.processors->n;
    p->row_of = weft_arena_alloc(p->request->arena, ((size_t)n + 1) * sizeof *p->row_of);
    for (uint32_t i = 0; i < n; i++)
        p->row_of[i] = WEFT_NONE;
    for (uint32_t i = 0; i < p->shown.list.n; i++)
        p->row_of[p->shown.list.index[i]] = i / p->rows.size;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct path_picture p = { .request = request };
    if (!weft_shown_begin(&p.shown, request, weft_setting(request, "order"), err))
        return false;
    const struct weft_message_path *path = use_path(request, err);
    p.traffic = path ? weft_use_traffic(request->use, err) : NULL;
    if (!p.traffic)
        return false;
    const struct weft_theme *theme = request->theme;
    bool hues = theme->name == WEFT_THEME_LIGHT || theme->name == WEFT_THEME_DARK;
    p.critical = hues ? theme->idle : theme->text;
    p.other = weft_ramp(theme, hues ? 0.3 : 0.15);
    struct weft_legend_entry legend[] = {
        { { p.critical, p.critical, weft_ink(p.critical), WEFT_HATCH_NONE },
          "critical path",
          -1,
          2 },
        { { p.other, p.other, weft_ink(p.other), WEFT_HATCH_NONE },
          "other processors and messages",
          -1,
          1 },
    };
    out->arena = request->arena;
    weft_processor_rows_begin(&p.rows, &p.shown, &p.frame, out, request, legend, 2,
                              note_of(p.shown.schema, request->arena, path));
    weft_frame_time_axis(&p.frame, p.shown.schema, request->window);
    weft_processor_rows_names(&p.rows, &p.frame);
    if (!p.rows.n || p.shown.window.end <= p.shown.window.begin) {
        weft_frame_empty(&p.frame, "No processor did anything in this range.");
        return true;
    }
    find_rows(&p);
    weft_scene_layer(out, "others", p.frame.plot, WEFT_LAYER_MOVES_X);
    draw_processors(&p);
    draw_messages(&p);
    weft_scene_layer(out, "path", p.frame.plot, WEFT_LAYER_MOVES_X);
    draw_path(&p, path);
    weft_frame_moment(&p.frame, p.shown.schema, request->window);
    return weft_job_step(request->job, 1, 1, err);
}

static const struct weft_column columns[] = {
    { .name = "t0_ns" },          { .name = "t1_ns" },        { .name = "kind" },
    { .name = "from_processor" }, { .name = "to_processor" },
};

const struct weft_view weft_view_message_path = {
    .name = "message-path",
    .stands_for = "critical-path",
    .title = "Critical path of messages",
    .group = "Communication",
    .explanation = "In red the longest serial thread of the run: back from the last event, "
                   "and from each wait on to the sender of the message that ended it.",
    .needs = "messages between processors (weft record --with mpi)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_MARKED,
    .fills = weft_set_has_traffic,
    .scene = scene,
    .table = table,
};
