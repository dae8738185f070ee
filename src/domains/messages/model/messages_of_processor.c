/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/messages_of_processor.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "domains/messages/model/traffic_priv.h"
#include "model/field_cache.h"

/* MAX_PARTS limits the messages of collective operations: 192 MiB. */
enum { MAX_PARTS = 8 << 20, LINKS_A_REPORT = 1 << 14 };

struct message_scan {
    const struct weft_traffic *traffic;
    struct weft_node_messages *messages;
    uint32_t processor;
    struct weft_field_window *bytes, *tags; /* of the track that is being read */
    struct weft_job *job;
    struct weft_err *err;
    uint64_t n_links, total;
    bool ok;
};

static void add(struct weft_node_messages *messages, enum weft_direction direction,
                struct weft_node_message message)
{
    messages->list[direction] =
        weft_grow(messages->list[direction], &messages->capacity[direction],
                  messages->n[direction] + 1, sizeof *messages->list[direction]);
    messages->list[direction][messages->n[direction]++] = message;
}

static int32_t tag_of(struct weft_field_window *tags, uint64_t ordinal)
{
    int64_t tag;
    if (!weft_field_window_find(tags, ordinal, &tag))
        return WEFT_TAG_UNKNOWN;
    return tag > INT32_MAX           ? INT32_MAX
           : tag <= WEFT_TAG_UNKNOWN ? WEFT_TAG_UNKNOWN + 1
                                     : (int32_t)tag;
}

static int64_t bytes_of(struct weft_field_window *bytes, uint64_t ordinal)
{
    int64_t value;
    return weft_field_window_find(bytes, ordinal, &value) ? value : WEFT_BYTES_UNKNOWN;
}

static bool add_link(void *user, const struct weft_link *link)
{
    struct message_scan *scan = user;
    const uint32_t *index_of = scan->traffic->processors->index_of;
    if (++scan->n_links % LINKS_A_REPORT == 0
        && !weft_job_step(scan->job, scan->n_links, scan->total, scan->err))
        return scan->ok = false;
    if (link->from == WEFT_NONE || link->to == WEFT_NONE)
        return true;
    uint32_t from = index_of[link->from], to = index_of[link->to], q = scan->processor;
    if (from == WEFT_NONE || to == WEFT_NONE || (from != q && to != q))
        return true;
    uint64_t ordinal = weft_entity_ordinal(link->id);
    struct weft_node_message message = {
        .bytes = bytes_of(scan->bytes, ordinal),
        .tag = tag_of(scan->tags, ordinal),
    };
    message.time = link->begin;
    message.partner = to;
    if (from == q)
        add(scan->messages, WEFT_OUTGOING, message);
    message.time = link->end;
    message.partner = from;
    if (to == q && !(link->flags & WEFT_END_IMPLIED))
        add(scan->messages, WEFT_INCOMING, message);
    return true;
}

static void add_calls(struct message_scan *scan, const struct weft_collective *of,
                      const struct weft_collective_call *mine)
{
    const struct weft_collective_call *calls = scan->traffic->calls + of->first_call;
    bool prefix = of->pattern == WEFT_ROLE_PREFIX;
    for (uint32_t i = 0; i < of->n_calls; i++) {
        const struct weft_collective_call *other = &calls[i];
        if (other == mine)
            continue;
        struct weft_node_message message = { .partner = other->processor,
                                             .tag = WEFT_NO_TAG };
        message.time = mine->entry;
        message.bytes = mine->bytes;
        if (weft_collective_sends(of, mine) && weft_collective_receives(of, other)
            && (!prefix || mine->rank < other->rank))
            add(scan->messages, WEFT_OUTGOING, message);
        message.time = mine->exit;
        message.bytes = other->bytes;
        if (weft_collective_sends(of, other) && weft_collective_receives(of, mine)
            && (!prefix || other->rank < mine->rank))
            add(scan->messages, WEFT_INCOMING, message);
    }
}

static bool add_operations(struct message_scan *scan, enum weft_collectives collectives)
{
    const struct weft_traffic *traffic = scan->traffic;
    for (size_t i = 0; i < traffic->n_collectives; i++) {
        const struct weft_collective *of = &traffic->collectives[i];
        const struct weft_collective_call *calls = traffic->calls + of->first_call;
        for (uint32_t c = 0; c < of->n_calls && weft_collective_counts(of, collectives);
             c++)
            if (calls[c].processor == scan->processor)
                add_calls(scan, of, &calls[c]);
        if (scan->messages->n[WEFT_INCOMING] + scan->messages->n[WEFT_OUTGOING] > MAX_PARTS)
            return weft_fail(scan->err, WEFT_ERR_LIMIT,
                             "the collective operations of a processor are more than %d "
                             "messages (collectives=none leaves them out)",
                             MAX_PARTS);
        if (!weft_job_step(scan->job, i, traffic->n_collectives, scan->err))
            return false;
    }
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct weft_node_message *x = a, *y = b;
    return WEFT_COMPARE(x->time, y->time) ?: WEFT_COMPARE(x->partner, y->partner)
           ?: WEFT_COMPARE(x->tag, y->tag) ?: WEFT_COMPARE(x->bytes, y->bytes);
}

static void read_links(struct message_scan *scan, enum weft_collectives collectives)
{
    static const struct weft_span always = { -WEFT_TIME_LIMIT, WEFT_TIME_LIMIT };
    const struct weft_traffic *traffic = scan->traffic;
    const struct weft_source *source = traffic->source;
    size_t n = collectives == WEFT_COLLECTIVES_NONE ? traffic->n_plain : traffic->n_tracks;
    struct weft_field_window *windows = weft_alloc(2 * sizeof *windows);
    for (size_t i = 0; i < n; i++)
        scan->total += source->schema->tracks[traffic->tracks[i]].count;
    scan->bytes = windows;
    scan->tags = windows + 1;
    for (size_t i = 0; i < n && scan->ok; i++) {
        weft_field_window_begin(scan->bytes, source, traffic->tracks[i], WEFT_ROLE_BYTES);
        weft_field_window_begin(scan->tags, source, traffic->tracks[i], WEFT_ROLE_TAG);
        source->ops->links(source, traffic->tracks[i], always, add_link, scan);
    }
    free(windows);
}

struct weft_node_messages *weft_node_messages_read(const struct weft_traffic *traffic,
                                                   enum weft_collectives collectives,
                                                   uint32_t processor, struct weft_job *job,
                                                   struct weft_err *err)
{
    struct weft_node_messages *messages = weft_zalloc(1, sizeof *messages);
    struct message_scan scan = { .traffic = traffic,
                                 .messages = messages,
                                 .processor = processor,
                                 .job = job,
                                 .err = err,
                                 .ok = true };
    if (collectives != WEFT_COLLECTIVES_NONE)
        scan.ok = add_operations(&scan, collectives);
    if (scan.ok)
        read_links(&scan, collectives);
    if (!scan.ok) {
        weft_node_messages_free(messages);
        return NULL;
    }
    for (int d = 0; d < WEFT_DIRECTIONS; d++)
        if (messages->n[d])
            qsort(messages->list[d], messages->n[d], sizeof *messages->list[d], by_time);
    return messages;
}

void weft_node_messages_free(struct weft_node_messages *messages)
{
    for (int d = 0; messages && d < WEFT_DIRECTIONS; d++)
        free(messages->list[d]);
    free(messages);
}

size_t weft_node_messages_bytes(const struct weft_node_messages *messages)
{
    return sizeof *messages
           + (messages->capacity[0] + messages->capacity[1])
                 * sizeof(struct weft_node_message);
}

size_t weft_node_messages_at(const struct weft_node_messages *messages,
                             enum weft_direction direction, int64_t time)
{
    const struct weft_node_message *list = messages->list[direction];
    return WEFT_FIRST(i, 0, messages->n[direction], list[i].time >= time);
}
