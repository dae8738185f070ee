/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/view/comm_display_helpers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/bars.h"

/* ---- Parameters ---- */

enum weft_collectives comm_collectives(const struct weft_request *request)
{
    enum weft_collectives kind =
        weft_collectives_find(weft_setting(request, "collectives"));
    return kind == WEFT_COLLECTIVES_GROUP ? WEFT_COLLECTIVES_MESSAGES : kind;
}

const char *comm_collectives_text(const struct weft_request *request,
                                  const struct weft_traffic *traffic)
{
    enum weft_collectives kind = comm_collectives(request);
    size_t counted = kind == WEFT_COLLECTIVES_DATA
                         ? traffic->n_collectives - traffic->n_barriers
                         : traffic->n_collectives;
    return kind == WEFT_COLLECTIVES_NONE || !traffic->n_collectives ? ""
           : counted == traffic->n_collectives ? ", with those of collectives"
           : counted ? ", with those of collectives, but for barriers"
                     : ", without barriers";
}

bool comm_shows_bytes(const struct weft_request *request)
{
    return strcmp(weft_setting(request, "show"), "bytes") == 0;
}

bool comm_processor(const struct weft_processors *processors, const char *text,
                    uint32_t *index, struct weft_err *err)
{
    char *end;
    long long number = strtoll(text, &end, 10);
    bool is_number = end != text && !*end;
    for (uint32_t q = 0; q < processors->n; q++)
        if (is_number ? processors->processors[q].number == number
                      : strcmp(processors->processors[q].label, text) == 0) {
            *index = q;
            return true;
        }
    return weft_fail(err, WEFT_ERR_USAGE,
                     "there is no processor '%.40s' (the trace has %lld to %lld)", text,
                     (long long)processors->processors[0].number,
                     (long long)processors->processors[processors->n - 1].number);
}

/* ---- Prepared data ---- */

struct history_key {
    uint32_t collectives, processor;
};

struct kept_history {
    struct weft_history *history;
    const struct weft_held *traffic; /* the history refers to it */
};

static void free_history(void *thing)
{
    struct kept_history *kept = thing;
    weft_history_free(kept->history);
    weft_release(kept->traffic);
    free(kept);
}

static bool make_history(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                         struct weft_err *err)
{
    const struct history_key *key = args->parameters;
    const struct weft_held *held = weft_prepare(args->shelf, &weft_prepared_traffic,
                                                args->set, NULL, 0, args->job, err);
    if (!held)
        return false;
    struct weft_history *history = weft_history_make(
        weft_traffic_of_held(held), key->collectives, key->processor, args->job, err);
    if (!history) {
        weft_release(held);
        return false;
    }
    struct kept_history *kept = weft_alloc(sizeof *kept);
    *kept = (struct kept_history){ history, held };
    *thing = kept;
    *bytes = sizeof *kept + weft_history_bytes(history);
    return true;
}

static const struct weft_preparation history_preparation = { "traffic over time",
                                                             make_history, free_history };

const struct weft_history *comm_use_history(struct weft_use *use,
                                            enum weft_collectives collectives,
                                            uint32_t processor, struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources, 1 };
    const struct history_key key = { collectives, processor };
    const struct kept_history *kept =
        weft_use_get(use, &history_preparation, &one, &key, sizeof key, err);
    return kept ? kept->history : NULL;
}

/* ---- Moments ---- */

struct moment_key { /* no padding: keys are compared as bytes */
    struct weft_span window;
    uint32_t collectives, bytes;
};

static bool make_moment(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                        struct weft_err *err)
{
    const struct moment_key *key = args->parameters;
    const struct history_key of_all = { key->collectives, WEFT_NONE };
    const struct weft_held *held =
        weft_prepare(args->shelf, &history_preparation, args->set, &of_all, sizeof of_all,
                     args->job, err);
    int64_t time;
    if (!held)
        return false;
    const struct kept_history *kept = held->thing;
    bool ok =
        weft_history_fullest(kept->history, key->window, key->bytes, &time, args->job, err);
    weft_release(held);
    if (!ok)
        return false;
    int64_t *made = weft_alloc(sizeof *made);
    *made = time;
    *thing = made;
    *bytes = sizeof *made;
    return true;
}

static const struct weft_preparation moment_preparation = { "moment of the most",
                                                            make_moment, free };

struct comm_moment comm_asked_moment(const struct weft_request *request)
{
    return (struct comm_moment){ request->has_at ? request->at : request->window.end,
                                 NULL };
}

bool comm_use_moment(struct weft_use *use, bool bytes, struct comm_moment *moment,
                     struct weft_err *err)
{
    const struct weft_request *request = use->request;
    const struct weft_set one = { request->set->sources, 1 };
    const struct moment_key key = { weft_window_with_end(one.sources[0]->schema,
                                                         request->window),
                                    comm_collectives(request), bytes };
    *moment = comm_asked_moment(request);
    if (request->has_at)
        return true;
    const int64_t *time =
        weft_use_get(use, &moment_preparation, &one, &key, sizeof key, err);
    if (time && *time < key.window.end)
        *moment = (struct comm_moment){ *time, "when the most was on its way" };
    return time;
}

const char *comm_moment_text(struct weft_arena *arena, const struct weft_request *request,
                             struct comm_moment moment)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    char text[WEFT_TIME_TEXT];
    weft_duration_text(schema, moment.time - schema->span.begin, text);
    return moment.why        ? weft_arena_printf(arena, "at %s, %s", text, moment.why)
           : request->has_at ? weft_arena_printf(arena, "at %s", text)
                             : weft_arena_printf(arena, "at the end, %s", text);
}

/* ---- Groups ---- */

bool comm_is_under(const struct weft_processors *processors, uint32_t index, uint32_t under)
{
    const struct weft_container *containers = processors->source->schema->containers;
    uint32_t order = containers[processors->processors[index].container].order;
    return order >= containers[under].order && order < containers[under].subtree_end;
}

bool comm_groups_make(const struct weft_processors *processors, const char *order,
                      uint32_t under, size_t most, struct weft_arena *arena,
                      struct comm_groups *groups, struct weft_err *err)
{
    *groups = (struct comm_groups){ .processors = processors, .each = 1 };
    if (!weft_order_make(processors->n, order, &groups->order, err)) {
        weft_order_free(&groups->order);
        return false;
    }
    uint32_t n = 0;
    groups->processor = weft_arena_alloc(arena, processors->n * sizeof *groups->processor);
    for (uint32_t i = 0; i < processors->n; i++)
        if (comm_is_under(processors, groups->order.processor[i], under))
            groups->processor[n++] = groups->order.processor[i];
    groups->n_shown = n;
    if (!n) {
        weft_order_free(&groups->order);
        return weft_fail(err, WEFT_ERR_USAGE, "'%.60s' holds no processor",
                         processors->source->schema->containers[under].name);
    }
    while ((n - 1) / groups->each + 1 > (most ? most : 1))
        groups->each *= 2;
    groups->n = (n - 1) / groups->each + 1;
    groups->group_of = weft_arena_alloc(arena, processors->n * sizeof *groups->group_of);
    for (uint32_t q = 0; q < processors->n; q++)
        groups->group_of[q] = groups->n;
    for (uint32_t i = 0; i < n; i++)
        groups->group_of[groups->processor[i]] = i / groups->each;
    return true;
}

const char *comm_group_label(const struct comm_groups *groups, struct weft_arena *arena,
                             uint32_t group)
{
    uint32_t first = group * groups->each, last = first + groups->each - 1;
    last = last < groups->n_shown ? last : groups->n_shown - 1;
    uint32_t a = groups->processor[first], b = groups->processor[last];
    const struct weft_processor *of = groups->processors->processors;
    if (groups->each == 1 && groups->order.names && groups->order.names[a])
        return weft_arena_strdup(arena, groups->order.names[a]);
    if (a == b)
        return weft_processor_text(arena, &of[a]);
    return weft_arena_printf(arena, "%lld…%lld", (long long)of[a].number,
                             (long long)of[b].number);
}

const char *comm_groups_text(const struct comm_groups *groups, struct weft_arena *arena,
                             const char *what)
{
    return groups->each == 1
               ? NULL
               : weft_arena_printf(arena, "each %s: %u processors", what, groups->each);
}

/* ---- Axes and texts ---- */

const char *comm_amount_text(struct weft_arena *arena, const struct weft_amount *amount)
{
    return weft_arena_printf(
        arena, "%s message%s, %s", weft_number_text(arena, (double)amount->messages, 0),
        amount->messages == 1 ? "" : "s", weft_bytes_text(arena, amount->bytes));
}

/* Without a unit the values are counts, so the axis marks whole numbers only. */
static struct weft_axis axis_of(struct weft_arena *arena, double most, const char *unit,
                                double height)
{
    enum { SPACING = 32 };
    return unit[0] ? weft_value_axis(arena, 0, most, unit, height, SPACING)
                   : weft_count_axis(arena, 0, most, height, SPACING);
}

double comm_axis_gutter(struct weft_arena *arena, double most, const char *unit,
                        double height)
{
    struct weft_axis axis = axis_of(arena, most * COMM_HEADROOM, unit, height);
    return weft_labels_width(&axis) + 10;
}

struct weft_rect comm_value_axis(struct weft_frame *frame, struct weft_rect plot,
                                 double most, const char *unit, const char *name,
                                 double below)
{
    struct weft_scene *scene = frame->scene;
    const struct weft_theme *theme = frame->theme;
    double above = plot.height > 70 ? COMM_NAME : 0;
    plot.height = fmax(1, plot.height - above - below);
    plot.y += above;
    struct weft_axis axis = axis_of(scene->arena, fmax(most, 1e-9), unit, plot.height);
    double gutter = fmin(weft_labels_width(&axis) + 10, plot.width / 3);
    weft_scene_layer(scene, "axis",
                     (struct weft_rect){ 0, plot.y - COMM_NAME, scene->width,
                                         plot.height + COMM_NAME + 8 },
                     WEFT_LAYER_FIXED);
    if (above > 0)
        weft_scene_text(scene, (struct weft_point){ plot.x, plot.y - 8 }, WEFT_ANCHOR_START,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text,
                        axis.unit[0]
                            ? weft_arena_printf(scene->arena, "%s, %s", name, axis.unit)
                            : name);
    plot.x += gutter;
    plot.width = fmax(1, plot.width - gutter);
    for (size_t i = 0; i < axis.n_ticks; i++)
        weft_value_line(frame, plot, plot.y + plot.height - axis.ticks[i].at,
                        axis.ticks[i].label);
    return plot;
}

void comm_time_plot_axis(struct weft_frame *frame, struct weft_rect plot, double most,
                         const char *unit, const char *name)
{
    struct weft_scene *scene = frame->scene;
    const struct weft_theme *theme = frame->theme;
    struct weft_axis axis = axis_of(scene->arena, most * COMM_HEADROOM, unit, plot.height);
    weft_scene_layer(scene, "numbers",
                     (struct weft_rect){ 0, plot.y - COMM_NAME, scene->width,
                                         plot.height + COMM_NAME + 8 },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < axis.n_ticks; i++)
        weft_value_line(frame, plot, plot.y + plot.height - axis.ticks[i].at,
                        weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                                      axis.ticks[i].label, plot.x - 5));
    const char *text = weft_text_fit(
        scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
        axis.unit[0] ? weft_arena_printf(scene->arena, "%s, %s", name, axis.unit) : name,
        plot.width - 8);
    if (*name && text && plot.y - COMM_NAME >= frame->plot.y)
        weft_scene_text(scene, (struct weft_point){ plot.x + 4, plot.y - 5 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text,
                        text);
}

void comm_group_axis(struct weft_frame *frame, struct weft_rect plot,
                     const struct comm_groups *groups, const char *name)
{
    struct weft_scene *scene = frame->scene;
    double y = plot.y + plot.height + 13, end = plot.x - 8;
    double part = plot.width / groups->n;
    double right = scene->width - 1;
    weft_scene_layer(scene, "processors",
                     (struct weft_rect){ 0, plot.y + plot.height, scene->width,
                                         scene->height - plot.y - plot.height },
                     WEFT_LAYER_FIXED);
    /* Label each 2^k-th group, so that labels are at least 24 pixels apart. */
    uint32_t step = 1;
    while (step * part < 24 && step < groups->n)
        step *= 2;
    for (uint32_t g = 0; g < groups->n; g += step) {
        const char *label = comm_group_label(groups, scene->arena, g);
        double half = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, label) / 2;
        double x = fmax(plot.x + (g + 0.5) * part, half + 2);
        if (x - half < end + 6 || x + half > right)
            continue;
        weft_scene_text(scene, (struct weft_point){ x, y }, WEFT_ANCHOR_MIDDLE,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet, label);
        end = x + half;
    }
    weft_scene_text(scene, (struct weft_point){ plot.x + plot.width, y + 13 },
                    WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->text,
                    name);
}
