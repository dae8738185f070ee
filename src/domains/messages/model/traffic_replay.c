/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Merges the changes that come from links in order of their begins, from a heap of the ends
 * of pending messages, and from the calls of collective operations, which enter the heap
 * when the operation begins.
 */
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "domains/messages/model/traffic_replay_priv.h"

/* ---- Messages ---- */

static size_t n_tracks(const struct weft_replay *replay)
{
    return replay->options.collectives == WEFT_COLLECTIVES_NONE ? replay->traffic->n_plain
                                                                : replay->traffic->n_tracks;
}

/* Tracks share windows if there are more tracks than windows, which take 8 MiB. */
enum { WINDOWS = 4096 };

static int64_t bytes_of(struct weft_replay *replay, uint64_t id)
{
    uint32_t track = weft_entity_track(id);
    struct weft_field_window **window = &replay->sizes[track % WINDOWS];
    bool is_new = !*window;
    if (is_new)
        *window = weft_alloc(sizeof **window);
    if (is_new || (*window)->track != track)
        weft_field_window_begin(*window, replay->traffic->source, track, WEFT_ROLE_BYTES);
    return weft_field_window_get(*window, weft_entity_ordinal(id));
}

/* Makes the two changes of a message; false if it is never pending. */
static bool changes_of(struct weft_replay *replay, const struct weft_link *link,
                       struct change *send, struct change *receive)
{
    const uint32_t *index_of = replay->traffic->processors->index_of;
    if (link->end < link->begin || link->from == WEFT_NONE || link->to == WEFT_NONE
        || index_of[link->from] == WEFT_NONE || index_of[link->to] == WEFT_NONE)
        return false;
    bool received = !(link->flags & WEFT_END_IMPLIED);
    *send = (struct change){ .time = link->begin,
                             .bytes = bytes_of(replay, link->id),
                             .call = link->from_entity,
                             .from = index_of[link->from],
                             .to = index_of[link->to],
                             .kind = SEND,
                             .partner = NO_PARTNER };
    *receive = *send;
    receive->time = received ? link->end : INT64_MAX;
    receive->call = link->to_entity;
    receive->kind = RECEIVE;
    return true;
}

static void add_to_batch(struct weft_replay *replay, const struct change *change)
{
    replay->batch = weft_grow(replay->batch, &replay->batch_capacity, replay->n_batch + 1,
                              sizeof *replay->batch);
    replay->batch[replay->n_batch++] = *change;
}

static void next_link(struct weft_replay *replay)
{
    struct weft_entity entity;
    do {
        replay->has_link = weft_walk_next(&replay->walk, &entity);
    } while (replay->has_link && entity.link->end < entity.link->begin);
    if (replay->has_link)
        replay->link = *entity.link;
}

struct replay_begin {
    struct weft_replay *replay;
    int64_t time;
};

static bool begin_link(void *user, const struct weft_link *link)
{
    struct replay_begin *beginning = user;
    struct weft_replay *replay = beginning->replay;
    struct change send, receive;
    if (link->begin <= beginning->time && changes_of(replay, link, &send, &receive)
        && receive.time > beginning->time) {
        replay_apply(replay, &send);
        if (receive.time != INT64_MAX)
            replay_push(replay, &receive);
    }
    return replay_goes_on(replay);
}

/* Goes on to the next operation that counts. */
static void skip_barriers(struct weft_replay *replay)
{
    const struct weft_traffic *traffic = replay->traffic;
    while (replay->next_operation < traffic->n_collectives
           && !weft_collective_counts(&traffic->collectives[replay->next_operation],
                                      replay->options.collectives))
        replay->next_operation++;
}

/* Opens the operations that are going on at TIME, and applies their changes up to TIME. */
static void begin_operations(struct weft_replay *replay, int64_t time)
{
    const struct weft_traffic *traffic = replay->traffic;
    size_t first, after = WEFT_FIRST(i, 0, traffic->n_collectives,
                                     traffic->collectives[i].begin > time);
    for (first = after; first && traffic->reach[first - 1] > time;)
        first--;
    for (size_t i = first; i < after && replay_goes_on(replay); i++)
        if (traffic->collectives[i].end > time
            && weft_collective_counts(&traffic->collectives[i],
                                      replay->options.collectives))
            replay_open(replay, &traffic->collectives[i]);
    while (replay->n_heap && replay->heap[0].time <= time && replay_goes_on(replay)) {
        struct change change = replay_pop(replay);
        replay_apply(replay, &change);
    }
    replay->next_operation = after;
    skip_barriers(replay);
}

struct weft_replay *weft_replay_begin(const struct weft_traffic *traffic, int64_t time,
                                      const struct weft_replay_options *options)
{
    struct weft_replay *replay = weft_zalloc(1, sizeof *replay);
    const struct weft_schema *schema = traffic->source->schema;
    struct replay_begin beginning = { replay, time };
    /*
     * Unreceived messages end with the trace in the store, but stay pending after it, too.
     */
    int64_t end = schema->span.end, seen = time < end ? time : end - 1;
    replay->traffic = traffic;
    replay->options = *options;
    replay->queues =
        weft_zalloc((size_t)traffic->processors->n + 1, sizeof *replay->queues);
    replay->in_batch =
        weft_zalloc((size_t)traffic->processors->n + 1, sizeof *replay->in_batch);
    replay->sizes = weft_zalloc(WINDOWS, sizeof *replay->sizes);
    replay->free_place = WEFT_NONE;
    for (size_t i = 0; i < n_tracks(replay) && replay_goes_on(replay); i++)
        traffic->source->ops->links(traffic->source, traffic->tracks[i],
                                    (struct weft_span){ seen, time + 1 }, begin_link,
                                    &beginning);
    if (options->collectives == WEFT_COLLECTIVES_NONE)
        replay->next_operation = traffic->n_collectives;
    else
        begin_operations(replay, time);
    weft_walk_begin(&replay->walk, traffic->source, traffic->tracks, n_tracks(replay),
                    1u << WEFT_LINK, time + 1, false);
    next_link(replay);
    return replay;
}

/* Finds the next time at which anything changes; false if there is none. */
static bool next_time(const struct weft_replay *replay, int64_t *time)
{
    const struct weft_traffic *traffic = replay->traffic;
    *time = INT64_MAX;
    if (replay->has_link)
        *time = replay->link.begin;
    if (replay->n_heap && replay->heap[0].time < *time)
        *time = replay->heap[0].time;
    if (replay->next_operation < traffic->n_collectives
        && traffic->collectives[replay->next_operation].begin < *time)
        *time = traffic->collectives[replay->next_operation].begin;
    return *time != INT64_MAX;
}

bool weft_replay_next(struct weft_replay *replay, struct weft_replay_step *step)
{
    const struct weft_traffic *traffic = replay->traffic;
    if (!replay_goes_on(replay) || !next_time(replay, &step->time))
        return false;
    replay->n_batch = 0;
    for (; replay->next_operation < traffic->n_collectives
           && traffic->collectives[replay->next_operation].begin == step->time;
         replay->next_operation++, skip_barriers(replay))
        replay_open(replay, &traffic->collectives[replay->next_operation]);
    for (; replay->has_link && replay->link.begin == step->time; next_link(replay)) {
        struct change send, receive;
        if (!changes_of(replay, &replay->link, &send, &receive))
            continue;
        if (receive.time == send.time) {
            send.partner = (uint32_t)replay->n_batch + 1;
            receive.partner = (uint32_t)replay->n_batch;
            add_to_batch(replay, &send);
            add_to_batch(replay, &receive);
            continue;
        }
        add_to_batch(replay, &send);
        if (receive.time != INT64_MAX)
            replay_push(replay, &receive);
    }
    while (replay->n_heap && replay->heap[0].time == step->time) {
        struct change change = replay_pop(replay);
        add_to_batch(replay, &change);
    }
    replay_apply_batch(replay, &step->peak);
    step->pending = weft_replay_pending(replay);
    step->changes = replay->n_batch;
    return replay_goes_on(replay);
}

void weft_replay_end(struct weft_replay *replay)
{
    if (!replay)
        return;
    weft_walk_end(&replay->walk);
    for (size_t i = 0; i < replay->n_open; i++)
        if (replay->open[i].of)
            replay_close(replay, (uint32_t)i);
    for (uint32_t i = 0; i < replay->traffic->processors->n; i++)
        free(replay->queues[i].parts);
    for (size_t i = 0; i < WINDOWS; i++)
        free(replay->sizes[i]);
    free(replay->queues);
    free(replay->sizes);
    free(replay->in_batch);
    free(replay->heap);
    free(replay->batch);
    free(replay->open);
    free(replay);
}
