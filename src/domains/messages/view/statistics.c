/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statistical summary: the use of each processor's time, and the number, length, distance
 * and transit time of its messages, as a table (Heath, Finger: ParaGraph, 2003, section
 * 5.4, "Statistical Summary"); at a moment, of the time from the window's begin until then.
 */
#include "domains/messages/view/statistics.h"

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
      .help =
          "the queue whose greatest length is told: at the receiver, or at the sender" },
    WEFT_PARAMETER_OF_ORDER,
    WEFT_PARAMETERS_DISTANCE,
    COMM_PARAMETER_COLLECTIVES,
};

/* ---- Prepared data ---- */

struct statistics_key { /* no padding: keys are compared as bytes */
    uint32_t collectives, distance, rows, columns, by_column, unused;
};

struct kept_index {
    struct weft_statistics_index *index;
    const struct weft_held *traffic; /* the index refers to it */
};

static void free_index(void *thing)
{
    struct kept_index *kept = thing;
    weft_statistics_index_free(kept->index);
    weft_release(kept->traffic);
    free(kept);
}

static bool make_index(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                       struct weft_err *err)
{
    const struct statistics_key *key = args->parameters;
    const struct weft_held *held = weft_prepare(args->shelf, &weft_prepared_traffic,
                                                args->set, NULL, 0, args->job, err);
    if (!held)
        return false;
    const struct weft_traffic *traffic = weft_traffic_of_held(held);
    const struct weft_distance distance = { key->distance,
                                            traffic->processors->n,
                                            { key->rows, key->columns, key->by_column } };
    struct weft_statistics_index *index =
        weft_statistics_index_make(traffic, key->collectives, &distance, args->job, err);
    if (!index) {
        weft_release(held);
        return false;
    }
    struct kept_index *kept = weft_alloc(sizeof *kept);
    *kept = (struct kept_index){ index, held };
    *thing = kept;
    *bytes = sizeof *kept + weft_statistics_index_bytes(index);
    return true;
}

static const struct weft_preparation index_preparation = { "statistics of messages",
                                                           make_index, free_index };

/* Returns the window of messages: with what happens at the moment, or at the run's end. */
static struct weft_span window_of(const struct statistics *s,
                                  const struct weft_request *request)
{
    struct weft_span window = s->so_far;
    if (request->has_at)
        window.end++;
    else
        window = weft_window_with_end(s->shown.schema, window);
    return window;
}

static const struct weft_message_statistics *
use_messages(struct statistics *s, const struct weft_request *request, struct weft_err *err)
{
    static const char *const names[WEFT_DISTANCE_KINDS] = {
        "where all are joined", "in a hypercube", "in a chain",       "in a ring",
        "in a 2-D mesh",        "in a 2-D torus", "in a binary tree", "in a quadtree",
    };
    const struct weft_set one = { request->set->sources, 1 };
    struct weft_distance distance;
    if (!weft_setting_distance(request, s->shown.processors->n, &distance, err))
        return NULL;
    s->hops = names[distance.kind];
    const struct statistics_key key = { comm_collectives(request), distance.kind,
                                        distance.grid.rows,        distance.grid.columns,
                                        distance.grid.by_column,   0 };
    const struct kept_index *kept =
        weft_use_get(request->use, &index_preparation, &one, &key, sizeof key, err);
    struct weft_message_statistics *messages = weft_arena_alloc(
        request->arena, ((size_t)s->shown.processors->n + 1) * sizeof *messages);
    return kept
                   && weft_statistics_index_read(kept->index, window_of(s, request),
                                                 messages, request->job, err)
               ? messages
               : NULL;
}

/* Sets the longest queues until the end of the time so far, by processor. */
static bool find_highs(const struct statistics *s, const struct weft_request *request,
                       struct weft_amount *highs, struct weft_err *err)
{
    enum weft_collectives collectives = comm_collectives(request);
    const struct weft_traffic *traffic = weft_use_traffic(request->use, err);
    const struct weft_history *history =
        traffic ? comm_use_history(request->use, collectives, WEFT_NONE, err) : NULL;
    if (!history)
        return false;
    bool in = s->queue == WEFT_INCOMING;
    weft_traffic_at(traffic, s->so_far.end, collectives, in ? NULL : highs,
                    in ? highs : NULL);
    weft_history_high(history, s->queue, s->so_far.end, highs);
    return true;
}

static bool begin(struct statistics *s, const struct weft_request *request,
                  struct weft_err *err)
{
    struct weft_arena *arena = request->arena;
    if (!weft_shown_begin(&s->shown, request, weft_setting(request, "order"), err))
        return false;
    s->so_far = weft_shown_so_far(&s->shown, request);
    s->queue = strcmp(weft_setting(request, "queue"), "incoming") == 0 ? WEFT_INCOMING
                                                                       : WEFT_OUTGOING;
    uint32_t n = s->shown.list.n;
    struct weft_amount *highs =
        weft_arena_zalloc(arena, (size_t)s->shown.processors->n + 1, sizeof *highs);
    int64_t(*ticks)[WEFT_CLASSES] = weft_arena_zalloc(arena, (size_t)n + 1, sizeof *ticks);
    const struct weft_utilization *utilization = weft_use_utilization(request->use, err);
    const struct weft_message_statistics *messages =
        utilization ? use_messages(s, request, err) : NULL;
    if (!messages || !find_highs(s, request, highs, err))
        return false;
    const char *with = comm_collectives_text(request, weft_use_traffic(request->use, err));
    s->collectives = *with ? " · with the messages of collectives" : "";
    weft_utilization_ticks(utilization, s->shown.list, s->so_far, ticks);
    s->rows = weft_arena_zalloc(arena, (size_t)n + 1, sizeof *s->rows);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t q = s->shown.list.index[i];
        s->rows[i] =
            (struct statistics_row){ .n = 1, .messages = messages[q], .high = highs[q] };
        memcpy(s->rows[i].ticks, ticks[i], sizeof ticks[i]);
    }
    return true;
}

struct statistics_row statistics_sum(const struct statistics *s, uint32_t first,
                                     uint32_t after)
{
    struct statistics_row sum = { 0 };
    for (uint32_t i = first; i < after && i < s->shown.list.n; i++) {
        const struct statistics_row *row = &s->rows[i];
        sum.n += row->n;
        for (int k = 0; k < WEFT_CLASSES; k++)
            sum.ticks[k] = weft_ticks_add(sum.ticks[k], row->ticks[k]);
        for (int d = 0; d < WEFT_DIRECTIONS; d++)
            weft_statistics_add(&sum.messages.of[d], &row->messages.of[d]);
        if (row->high.messages > sum.high.messages)
            sum.high.messages = row->high.messages;
        if (row->high.bytes > sum.high.bytes)
            sum.high.bytes = row->high.bytes;
    }
    return sum;
}

double statistics_percent(const struct statistics *s, const struct statistics_row *row,
                          enum weft_class class)
{
    double length = (double)(s->so_far.end - s->so_far.begin) * row->n;
    const int64_t *ticks = row->ticks;
    if (length > 0
        && !(ticks[WEFT_CLASS_BUSY] | ticks[WEFT_CLASS_OVERHEAD] | ticks[WEFT_CLASS_IDLE]))
        return NAN;
    return length > 0 ? 100 * (double)ticks[class] / length : 0;
}

double statistics_mean(const struct weft_tally *tally)
{
    return tally->n ? tally->sum / (double)tally->n : NAN;
}

bool statistics_bytes_known(const struct weft_directed_statistics *messages)
{
    return messages->size.n == messages->messages;
}

/* ---- Table ---- */

static const struct weft_cell nothing = { .kind = WEFT_CELL_EMPTY };

static struct weft_cell *put_tally(struct weft_cell *cell, const struct weft_tally *tally)
{
    *cell++ = tally->n ? weft_integer_cell(tally->least) : nothing;
    *cell++ = weft_real_cell(statistics_mean(tally), -1);
    *cell++ = tally->n ? weft_integer_cell(tally->most) : nothing;
    return cell;
}

static struct weft_cell *put_times(struct weft_cell *cell, const struct weft_schema *schema,
                                   const struct weft_tally *tally)
{
    *cell++ =
        tally->n ? weft_integer_cell(weft_ticks_to_ns(schema, tally->least)) : nothing;
    *cell++ = tally->n ? weft_integer_cell(weft_mean_to_ns(schema, tally->sum, tally->n))
                       : nothing;
    *cell++ = tally->n ? weft_integer_cell(weft_ticks_to_ns(schema, tally->most)) : nothing;
    return cell;
}

static bool put_row(const struct statistics *s, struct weft_table *out,
                    struct weft_cell processor, const struct statistics_row *row)
{
    static const enum weft_direction order[] = { WEFT_OUTGOING, WEFT_INCOMING };
    struct weft_cell cells[WEFT_MAX_COLUMNS], *cell = cells;
    *cell++ = processor;
    for (int k = 0; k < WEFT_CLASSES; k++)
        *cell++ = weft_real_cell(statistics_percent(s, row, (enum weft_class)k), -1);
    for (int i = 0; i < WEFT_DIRECTIONS; i++) {
        const struct weft_directed_statistics *of = &row->messages.of[order[i]];
        *cell++ = weft_integer_cell((int64_t)of->messages);
        *cell++ = statistics_bytes_known(of) ? weft_integer_cell(of->bytes) : nothing;
    }
    *cell++ = weft_integer_cell(row->high.messages);
    *cell++ = row->messages.of[s->queue].queue_unknown ? nothing
                                                       : weft_integer_cell(row->high.bytes);
    for (int i = 0; i < WEFT_DIRECTIONS; i++) {
        const struct weft_directed_statistics *of = &row->messages.of[order[i]];
        cell = put_tally(cell, &of->size);
        cell = put_tally(cell, &of->distance);
        cell = put_times(cell, s->shown.schema, &of->time);
    }
    return out->row(out, cells);
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct statistics s;
    if (!begin(&s, request, err))
        return false;
    weft_view_begin_table(request, out);
    const struct weft_processor *of = s.shown.processors->processors;
    bool more = true;
    for (uint32_t i = 0; more && i < s.shown.list.n; i++)
        more = put_row(&s, out, weft_integer_cell(of[s.shown.list.index[i]].number),
                       &s.rows[i]);
    const struct statistics_row all = statistics_sum(&s, 0, s.shown.list.n);
    if (more && all.n)
        put_row(&s, out, weft_text_cell("all"), &all);
    out->end(out);
    return true;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct statistics s;
    if (!begin(&s, request, err))
        return false;
    statistics_draw(&s, request, out);
    return true;
}

static const struct weft_column columns[] = {
    { .name = "processor",
      .selects = "processor=all:link and message|row in \"processor number $\"" },
    { .name = "busy_pct" },
    { .name = "overhead_pct" },
    { .name = "idle_pct" },
    { .name = "sent_messages" },
    { .name = "sent_bytes" },
    { .name = "received_messages" },
    { .name = "received_bytes" },
    { .name = "high_queue_messages" },
    { .name = "high_queue_bytes" },
    { .name = "out_size_min" },
    { .name = "out_size_mean" },
    { .name = "out_size_max" },
    { .name = "out_distance_min" },
    { .name = "out_distance_mean" },
    { .name = "out_distance_max" },
    { .name = "out_time_min_ns" },
    { .name = "out_time_mean_ns" },
    { .name = "out_time_max_ns" },
    { .name = "in_size_min" },
    { .name = "in_size_mean" },
    { .name = "in_size_max" },
    { .name = "in_distance_min" },
    { .name = "in_distance_mean" },
    { .name = "in_distance_max" },
    { .name = "in_time_min_ns" },
    { .name = "in_time_mean_ns" },
    { .name = "in_time_max_ns" },
};

const struct weft_view weft_view_statistics = {
    .name = "statistics",
    .title = "Statistical summary",
    .group = "Communication",
    .explanation =
        "A row is a processor, the last one all of them; a bar behind a number is "
        "its part of the column's greatest.",
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
