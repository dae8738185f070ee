/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Node data: the messages of one processor, incoming and outgoing, by their partner, tag,
 * length or distance, over time (Heath, Finger: ParaGraph, 2003, section 5.2, "Node Data").
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "domains/messages/model/messages_of_processor.h"
#include "domains/messages/view/comm_display_helpers.h"
#include "domains/messages/view/views.h"
#include "store/time.h"

static const struct weft_parameter parameters[] = {
    { .name = "processor",
      .kind = WEFT_PARAMETER_TEXT,
      .fallback = "0",
      .help = "the number of the processor" },
    { .name = "show",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "partner|tag|bytes|distance",
      .fallback = "partner",
      .help = "what of each message is drawn" },
    WEFT_PARAMETERS_DISTANCE,
    COMM_PARAMETER_COLLECTIVES,
};

enum statistic { PARTNER, TAG, BYTES, DISTANCE };
enum { MAX_DOTS = 1000, GUTTER = 46, NARROW_GUTTER = 34 };

/* ---- Prepared data ---- */

struct node_key {
    uint32_t collectives, processor;
};

static bool make_node(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                      struct weft_err *err)
{
    const struct node_key *key = args->parameters;
    const struct weft_held *held = weft_prepare(args->shelf, &weft_prepared_traffic,
                                                args->set, NULL, 0, args->job, err);
    if (!held)
        return false;
    struct weft_node_messages *messages = weft_node_messages_read(
        weft_traffic_of_held(held), key->collectives, key->processor, args->job, err);
    weft_release(held); /* messages do not refer to the traffic */
    if (!messages)
        return false;
    *thing = messages;
    *bytes = weft_node_messages_bytes(messages);
    return true;
}

static void free_node(void *thing)
{
    weft_node_messages_free(thing);
}

static const struct weft_preparation node_preparation = { "messages of a processor",
                                                          make_node, free_node };

struct node {
    const struct weft_processors *processors;
    const struct weft_node_messages *messages;
    struct weft_distance distance;
    uint32_t processor;
};

static bool begin(struct node *node, const struct weft_request *request,
                  struct weft_err *err)
{
    const struct weft_set one = { request->set->sources, 1 };
    struct node_key key = { comm_collectives(request), 0 };
    node->messages = NULL;
    node->processors = weft_use_processors(request->use, err);
    if (node->processors
        && comm_processor(node->processors, weft_setting(request, "processor"),
                          &node->processor, err)
        && weft_setting_distance(request, node->processors->n, &node->distance, err)) {
        key.processor = node->processor;
        node->messages =
            weft_use_get(request->use, &node_preparation, &one, &key, sizeof key, err);
    }
    return node->messages;
}

static int64_t hops(const struct node *node, const struct weft_node_message *message)
{
    return weft_distance_of(&node->distance, node->processor, message->partner);
}

/* ---- Table ---- */

static bool has_tag(const struct weft_node_message *message)
{
    return message->tag != WEFT_NO_TAG && message->tag != WEFT_TAG_UNKNOWN;
}

static bool has_bytes(const struct weft_node_message *message)
{
    return message->bytes != WEFT_BYTES_UNKNOWN;
}

static bool put_row(struct weft_table *out, const struct node *node,
                    const struct weft_node_message *message, enum weft_direction direction)
{
    const struct weft_schema *schema = node->processors->source->schema;
    const struct weft_cell unknown = { .kind = WEFT_CELL_EMPTY };
    const struct weft_cell cells[] = {
        weft_integer_cell(weft_ticks_to_ns(schema, message->time - schema->span.begin)),
        weft_text_cell(direction == WEFT_OUTGOING ? "outgoing" : "incoming"),
        weft_integer_cell(node->processors->processors[message->partner].number),
        has_tag(message) ? weft_integer_cell(message->tag) : unknown,
        has_bytes(message) ? weft_integer_cell(message->bytes) : unknown,
        weft_integer_cell(hops(node, message)),
    };
    return out->row(out, cells);
}

/* Writes messages by time; at equal times outgoing ones come first. */
static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_span window = request->has_at
                                  ? weft_request_instant(request)
                                  : weft_window_with_end(schema, request->window);
    struct node node;
    if (!begin(&node, request, err))
        return false;
    const struct weft_node_messages *messages = node.messages;
    size_t at[WEFT_DIRECTIONS], after[WEFT_DIRECTIONS];
    for (int d = 0; d < WEFT_DIRECTIONS; d++) {
        at[d] = weft_node_messages_at(messages, d, window.begin);
        after[d] = weft_node_messages_at(messages, d, window.end);
    }
    weft_view_begin_table(request, out);
    bool ok = true;
    for (bool more = true; more && (ok = weft_job_step(request->job, 0, 0, err));) {
        bool in = at[WEFT_INCOMING] < after[WEFT_INCOMING],
             sent = at[WEFT_OUTGOING] < after[WEFT_OUTGOING];
        if (!in && !sent)
            break;
        enum weft_direction d =
            sent
                    && (!in
                        || messages->list[WEFT_OUTGOING][at[WEFT_OUTGOING]].time
                               <= messages->list[WEFT_INCOMING][at[WEFT_INCOMING]].time)
                ? WEFT_OUTGOING
                : WEFT_INCOMING;
        more = put_row(out, &node, &messages->list[d][at[d]++], d);
    }
    out->end(out);
    return ok;
}

/* ---- Picture ---- */

static enum statistic statistic_of(const struct weft_request *request)
{
    const char *show = weft_setting(request, "show");
    return strcmp(show, "tag") == 0        ? TAG
           : strcmp(show, "bytes") == 0    ? BYTES
           : strcmp(show, "distance") == 0 ? DISTANCE
                                           : PARTNER;
}

/*
 * The value of a message that is drawn, NAN if unknown.  BY_PARTNER has the values by
 * partner for statistics that depend on it, else is NULL.
 */
static inline double value_of(const struct weft_node_message *message,
                              enum statistic statistic, const double *by_partner)
{
    if (by_partner)
        return by_partner[message->partner];
    if (statistic == BYTES)
        return has_bytes(message) ? (double)message->bytes : NAN;
    return has_tag(message) ? message->tag : NAN;
}

static const double *values_by_partner(const struct node *node, enum statistic statistic,
                                       struct weft_arena *arena)
{
    const struct weft_processors *p = node->processors;
    if (statistic != PARTNER && statistic != DISTANCE)
        return NULL;
    double *values = weft_arena_alloc(arena, ((size_t)p->n + 1) * sizeof *values);
    for (uint32_t i = 0; i < p->n; i++)
        values[i] = statistic == PARTNER
                        ? (double)p->processors[i].number
                        : weft_distance_of(&node->distance, node->processor, i);
    return values;
}

struct panel {
    struct weft_frame *frame;
    const struct node *node;
    enum weft_direction direction;
    enum statistic statistic;
    struct weft_span window;
    struct weft_rect plot;
    double most;
    size_t first, after; /* messages in the window */
    const double *by_partner;
    /* With too many messages for dots: counts[rows][columns], and the greatest. */
    uint32_t columns, rows, *counts, most_count;
};

static struct weft_point place_of(const struct panel *panel,
                                  const struct weft_node_message *message)
{
    double value = value_of(message, panel->statistic, panel->by_partner);
    double part = (double)(message->time - panel->window.begin)
                  / (double)(panel->window.end - panel->window.begin);
    return (struct weft_point){ panel->plot.x + panel->plot.width * part,
                                panel->plot.y
                                    + panel->plot.height * (1 - value / panel->most) };
}

static void draw_dots(const struct panel *panel)
{
    struct weft_scene *scene = panel->frame->scene;
    const struct weft_schema *schema = panel->node->processors->source->schema;
    weft_color color = weft_ramp(panel->frame->theme, 0.75);
    for (size_t i = panel->first; i < panel->after; i++) {
        const struct weft_node_message *message =
            &panel->node->messages->list[panel->direction][i];
        char time[WEFT_TIME_TEXT];
        struct weft_point at = place_of(panel, message);
        if (isnan(at.y))
            continue;
        struct weft_mark *mark = weft_scene_glyph(scene, WEFT_GLYPH_CIRCLE, at, 4, 0,
                                                  (struct weft_paint){ .fill = color });
        weft_mark_title(
            scene, mark, "%s: %s processor %s, %s%s, %lld hops",
            weft_duration_text(schema, message->time - schema->span.begin, time),
            panel->direction == WEFT_OUTGOING ? "to" : "from",
            weft_processor_text(scene->arena,
                                &panel->node->processors->processors[message->partner]),
            has_tag(message) ? weft_arena_printf(scene->arena, "tag %d, ", message->tag)
            : message->tag == WEFT_NO_TAG ? "collective, "
                                          : "",
            has_bytes(message) ? weft_bytes_text(scene->arena, message->bytes)
                               : "of a length that is not known",
            (long long)hops(panel->node, message));
    }
}

/* Sets the greatest value, at least 1, of panel I's messages. */
static void find_most(void *user, size_t i)
{
    struct panel *panel = (struct panel *)user + i;
    const struct weft_node_message *list = panel->node->messages->list[panel->direction];
    double most = 1;
    for (size_t k = panel->first; k < panel->after; k++) {
        double value = value_of(&list[k], panel->statistic, panel->by_partner);
        most = value > most ? value : most; /* false for NAN */
    }
    panel->most = most;
}

/* Counts the messages in each cell: a busy processor has a million of them in a picture. */
static void count_cells(void *user, size_t i)
{
    struct panel *panel = (struct panel *)user + i;
    const struct weft_node_message *list = panel->node->messages->list[panel->direction];
    const double columns = panel->columns, rows = panel->rows;
    const double per_tick = columns / (double)(panel->window.end - panel->window.begin);
    const double per_value = rows / panel->most;
    uint32_t most = 1;
    for (size_t k = panel->first; panel->counts && k < panel->after; k++) {
        double x = (double)(list[k].time - panel->window.begin) * per_tick;
        double y =
            rows - value_of(&list[k], panel->statistic, panel->by_partner) * per_value;
        if (!(x >= 0 && x < columns && y >= 0 && y <= rows))
            continue;
        uint32_t row = y < rows ? (uint32_t)y : panel->rows - 1;
        uint32_t *count = &panel->counts[(size_t)row * panel->columns + (uint32_t)x];
        most = ++*count > most ? *count : most;
    }
    panel->most_count = most;
}

static void begin_cells(struct panel *panel, struct weft_arena *arena)
{
    enum { CELL = 2 }; /* pixels */
    panel->columns = (uint32_t)fmax(1, panel->plot.width / CELL);
    panel->rows = (uint32_t)fmax(1, panel->plot.height / CELL);
    if (panel->after - panel->first > MAX_DOTS)
        panel->counts = weft_arena_zalloc(arena, (size_t)panel->columns * panel->rows,
                                          sizeof *panel->counts);
}

/* Draws the number of messages in each cell of 2 x 2 pixels as a shade. */
static void draw_density(const struct panel *panel)
{
    enum { FEW = 256 }; /* counts with a shade in the table */
    struct weft_scene *scene = panel->frame->scene;
    uint32_t *pixels = panel->counts;
    weft_color shades[FEW] = { 0 };
    double most = fmax(1, log2(panel->most_count));
    for (uint32_t i = 1; i < FEW && i <= panel->most_count; i++)
        shades[i] = weft_ramp(panel->frame->theme, 0.4 + 0.6 * log2(i) / most);
    for (size_t i = 0; i < (size_t)panel->columns * panel->rows; i++)
        pixels[i] = pixels[i] < FEW ? shades[pixels[i]]
                                    : weft_ramp(panel->frame->theme,
                                                0.4 + 0.6 * log2(pixels[i]) / most);
    weft_scene_raster(scene, panel->plot,
                      &(struct weft_raster){ .columns = panel->columns,
                                             .rows = panel->rows,
                                             .pixels = pixels });
}

/* Draws a panel; TITLE is written above it, or "" where there is no room. */
static void draw_panel(struct panel *panel, const char *name, const char *title)
{
    struct weft_scene *scene = panel->frame->scene;
    comm_time_plot_axis(panel->frame, panel->plot, panel->most / COMM_HEADROOM,
                        panel->statistic == BYTES ? "B" : "", title);
    struct weft_rect clip = panel->plot; /* includes whole dots at the lower edge */
    clip.height += 3;
    weft_scene_layer(scene, name, clip, WEFT_LAYER_MOVES_X);
    if (panel->counts)
        draw_density(panel);
    else
        draw_dots(panel);
}

static void draw(struct weft_frame *frame, const struct node *node,
                 const struct weft_request *request)
{
    static const char *const names[] = { "partner", "tag", "length", "distance" };
    static const enum weft_direction order[] = { WEFT_INCOMING, WEFT_OUTGOING };
    struct panel panels[WEFT_DIRECTIONS];
    double half = frame->plot.height / 2, above = half > 46 ? 18 : 0;
    const double *by_partner =
        values_by_partner(node, statistic_of(request), frame->scene->arena);
    for (int d = 0; d < WEFT_DIRECTIONS; d++) {
        struct panel *panel = &panels[d];
        *panel = (struct panel){
            .frame = frame,
            .node = node,
            .direction = d,
            .statistic = statistic_of(request),
            .window = request->window,
            .plot = frame->plot,
            .first = weft_node_messages_at(node->messages, d, request->window.begin),
            .after = weft_node_messages_at(node->messages, d, request->window.end),
            .by_partner = by_partner,
        };
    }
    weft_parallel(WEFT_DIRECTIONS, 1, find_most, panels);
    double most = fmax(panels[0].most, panels[1].most);
    for (int i = 0; i < WEFT_DIRECTIONS; i++) {
        struct panel *panel = &panels[order[i]];
        panel->plot.y = frame->plot.y + i * half + above;
        panel->plot.height = fmax(1, half - above - 6);
        panel->most = most * COMM_HEADROOM;
        begin_cells(panel, frame->scene->arena);
    }
    weft_parallel(WEFT_DIRECTIONS, 1, count_cells, panels);
    weft_frame_time_axis(frame, node->processors->source->schema, request->window);
    for (int i = 0; i < WEFT_DIRECTIONS; i++) {
        struct panel *panel = &panels[order[i]];
        bool in = order[i] == WEFT_INCOMING;
        const char *title = weft_arena_printf(
            frame->scene->arena, "%s of %s messages, %s", names[panel->statistic],
            weft_number_text(frame->scene->arena, (double)(panel->after - panel->first), 0),
            in ? "incoming" : "outgoing");
        draw_panel(panel, in ? "incoming" : "outgoing", above > 0 ? title : "");
    }
    weft_frame_moment(frame, node->processors->source->schema, request->window);
}

/* The subtitle's suffix for the network in which hops are counted, or "". */
static const char *distance_text(struct weft_arena *arena, const struct node *node,
                                 const struct weft_request *request)
{
    static const char *const names[WEFT_DISTANCE_KINDS] = {
        "where all are joined", "in a hypercube", "in a chain",       "in a ring",
        "in a 2-D mesh",        "in a 2-D torus", "in a binary tree", "in a quadtree",
    };
    return statistic_of(request) == DISTANCE
               ? weft_arena_printf(arena, " · hops %s", names[node->distance.kind])
               : "";
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct node node;
    if (!begin(&node, request, err))
        return false;
    const struct weft_schema *schema = node.processors->source->schema;
    struct weft_frame frame;
    weft_frame_begin(
        &frame, out, request, request->width < 400 ? NARROW_GUTTER : GUTTER, true, NULL, 0,
        weft_arena_printf(request->arena, "processor %s of %s · %s%s",
                          weft_processor_text(request->arena,
                                              &node.processors->processors[node.processor]),
                          weft_number_text(request->arena, node.processors->n, 0),
                          weft_range_text(request->arena, schema, request->window),
                          distance_text(request->arena, &node, request)));
    draw(&frame, &node, request);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "time_ns" }, { .name = "direction" }, { .name = "partner" },
    { .name = "tag" },     { .name = "bytes" },     { .name = "distance" },
};

const struct weft_view weft_view_node_data = {
    .name = "node-data",
    .title = "Node data",
    .group = "Communication",
    .explanation =
        "Each dot is a message of one processor: above those that it receives, below "
        "those that it sends.",
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
