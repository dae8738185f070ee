/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/unknown_pending.h"

#include <stdlib.h>
#include <string.h>

#include "domains/messages/model/processors.h"
#include "model/field_cache.h"

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
