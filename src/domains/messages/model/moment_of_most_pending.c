/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/moment_of_most_pending.h"

#include <stdlib.h>
#include <string.h>

#include "domains/messages/model/processors.h"
#include "model/field_cache.h"

static bool is_more(const struct weft_amount *a, const struct weft_amount *b)
{
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->messages > b->messages;
}

bool weft_fullest_moment(const struct weft_traffic *traffic,
                         enum weft_collectives collectives, struct weft_span window,
                         int64_t *time, struct weft_job *job, struct weft_err *err)
{
    enum { STEPS_A_REPORT = 1 << 12 };
    const struct weft_replay_options options = { .collectives = collectives,
                                                 .processor = WEFT_NONE,
                                                 .job = job };
    struct weft_replay *replay = weft_replay_begin(traffic, window.begin, &options);
    struct weft_amount most = weft_replay_pending(replay);
    struct weft_replay_step step;
    uint64_t n = 0, length = (uint64_t)(window.end - window.begin);
    bool ok = true;
    *time = window.begin;
    while (ok && weft_replay_next(replay, &step) && step.time < window.end) {
        if (is_more(&step.pending, &most)) {
            most = step.pending;
            *time = step.time;
        }
        if (++n % STEPS_A_REPORT == 0)
            ok = weft_job_step(job, (uint64_t)(step.time - window.begin), length, err);
    }
    weft_replay_end(replay);
    return ok && weft_job_step(job, 1, 1, err);
}

struct unknown_scan {
    const uint32_t *index_of;
    struct weft_field_window *bytes;
    int64_t time;
    bool *outgoing, *incoming;
};

static bool add_link(void *user, const struct weft_link *link)
{
    struct unknown_scan *scan = user;
    int64_t bytes;
    bool pends = link->begin <= scan->time
                 && (link->end > scan->time || link->flags & WEFT_END_IMPLIED);
    if (!pends || link->from == WEFT_NONE || link->to == WEFT_NONE)
        return true;
    uint32_t from = scan->index_of[link->from], to = scan->index_of[link->to];
    if (from == WEFT_NONE || to == WEFT_NONE
        || weft_field_window_find(scan->bytes, weft_entity_ordinal(link->id), &bytes))
        return true;
    scan->outgoing[from] = scan->incoming[to] = true;
    return true;
}

void weft_unknown_pending(const struct weft_traffic *traffic,
                          enum weft_collectives collectives, int64_t time, bool *outgoing,
                          bool *incoming)
{
    const struct weft_source *source = traffic->source;
    struct unknown_scan scan = { .index_of = traffic->processors->index_of,
                                 .bytes = weft_alloc(sizeof *scan.bytes),
                                 .time = time,
                                 .outgoing = outgoing,
                                 .incoming = incoming };
    size_t n = collectives == WEFT_COLLECTIVES_NONE ? traffic->n_plain : traffic->n_tracks;
    int64_t end = source->schema->span.end; /* of messages that were not received */
    memset(outgoing, 0, traffic->processors->n * sizeof *outgoing);
    memset(incoming, 0, traffic->processors->n * sizeof *incoming);
    for (size_t i = 0; i < n; i++) {
        weft_field_window_begin(scan.bytes, source, traffic->tracks[i], WEFT_ROLE_BYTES);
        source->ops->links(source, traffic->tracks[i],
                           (struct weft_span){ time < end ? time : end - 1, time + 1 },
                           add_link, &scan);
    }
    free(scan.bytes);
}
