/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums up the messages of a moment or a window: stored ones, as the source sums them, and
 * those that collective operations stand for.
 */
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/radix_sort.h"
#include "domains/messages/model/traffic_priv.h"
#include "model/field_cache.h"

enum weft_collectives weft_collectives_find(const char *name)
{
    return strcmp(name, "none") == 0    ? WEFT_COLLECTIVES_NONE
           : strcmp(name, "group") == 0 ? WEFT_COLLECTIVES_GROUP
           : strcmp(name, "data") == 0  ? WEFT_COLLECTIVES_DATA
                                        : WEFT_COLLECTIVES_MESSAGES;
}

static bool ends_at_executor(const struct weft_schema *schema, uint32_t type)
{
    return type != WEFT_NONE && weft_role_is(schema->types[type].role, WEFT_ROLE_EXECUTOR);
}

bool traffic_has_messages_of(const struct weft_schema *schema, const struct weft_type *type)
{
    if (type->kind != WEFT_LINK || !weft_role_is(type->role, WEFT_ROLE_MESSAGE))
        return false;
    return !weft_role_is(type->role, WEFT_ROLE_TRANSFER)
           || (ends_at_executor(schema, type->start_type)
               && ends_at_executor(schema, type->end_type));
}

bool weft_has_traffic(const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        const struct weft_type *type = &schema->types[schema->tracks[t].type];
        if (schema->tracks[t].count
            && (traffic_has_messages_of(schema, type)
                || (type->kind == WEFT_EVENT
                    && weft_role_is(type->role, WEFT_ROLE_COLLECTIVE_OPERATION))))
            return true;
    }
    return false;
}

/* ---- Making ---- */

static void find_tracks(struct weft_traffic *traffic)
{
    const struct weft_schema *schema = traffic->source->schema;
    traffic->tracks = weft_alloc(((size_t)schema->n_tracks + 1) * sizeof *traffic->tracks);
    for (unsigned parts = 0; parts < 2; parts++) {
        for (uint32_t t = 0; t < schema->n_tracks; t++) {
            const struct weft_type *type = &schema->types[schema->tracks[t].type];
            if (traffic_has_messages_of(schema, type) && schema->tracks[t].count
                && weft_role_is(type->role, WEFT_ROLE_COLLECTIVE) == (parts == 1))
                traffic->tracks[traffic->n_tracks++] = t;
        }
        if (!parts)
            traffic->n_plain = traffic->n_tracks;
    }
}

struct weft_traffic *weft_traffic_make(const struct weft_source *source,
                                       const struct weft_processors *processors,
                                       struct weft_job *job, struct weft_err *err)
{
    struct weft_traffic *traffic = weft_zalloc(1, sizeof *traffic);
    traffic->source = source;
    traffic->processors = processors;
    find_tracks(traffic);
    if (weft_collectives_read(traffic, job, err))
        return traffic;
    weft_traffic_free(traffic);
    return NULL;
}

void weft_traffic_free(struct weft_traffic *traffic)
{
    if (!traffic)
        return;
    free(traffic->tracks);
    free(traffic->collectives);
    free(traffic->calls);
    free(traffic->reach);
    free(traffic);
}

size_t weft_traffic_bytes(const struct weft_traffic *traffic)
{
    return sizeof *traffic + traffic->source->schema->n_tracks * sizeof *traffic->tracks
           + traffic->n_collectives
                 * (sizeof *traffic->collectives + sizeof *traffic->reach)
           + traffic->n_calls * sizeof *traffic->calls;
}

/* ---- Collective operations ---- */

bool weft_collective_sends(const struct weft_collective *collective,
                           const struct weft_collective_call *call)
{
    return collective->pattern == WEFT_ROLE_NEIGHBORS ? false
           : collective->pattern == WEFT_ROLE_ONE_TO_ALL
               ? call->processor == collective->root
           : collective->pattern == WEFT_ROLE_ALL_TO_ONE
               ? call->processor != collective->root
               : true;
}

bool weft_collective_receives(const struct weft_collective *collective,
                              const struct weft_collective_call *call)
{
    return collective->pattern == WEFT_ROLE_NEIGHBORS ? false
           : collective->pattern == WEFT_ROLE_ONE_TO_ALL
               ? call->processor != collective->root
           : collective->pattern == WEFT_ROLE_ALL_TO_ONE
               ? call->processor == collective->root
               : true;
}

static bool is_sent(const struct weft_collective *of,
                    const struct weft_collective_call *call, int64_t time)
{
    return call->entry <= time && weft_collective_sends(of, call);
}

static bool is_awaited(const struct weft_collective *of,
                       const struct weft_collective_call *call, int64_t time)
{
    return call->exit > time && weft_collective_receives(of, call);
}

/* Sums by group while the messages of an operation are added up. */
struct group_counts {
    struct weft_amount *sent; /* [n] */
    int64_t *awaited;         /* [n] */
};

static void group_counts_clear(struct group_counts *groups, uint32_t n)
{
    memset(groups->sent, 0, n * sizeof *groups->sent);
    memset(groups->awaited, 0, n * sizeof *groups->awaited);
}

/*
 * Groups times calls may be some 10^9 in one operation, so inner loops look at the job,
 * too.
 */
static bool is_stopped(const struct traffic_sink *sink)
{
    return weft_job_cancelled(sink->query->job);
}

/* Adds what each group sent, once for each awaiting call of each group. */
static void spread(struct traffic_sink *sink, const struct group_counts *groups)
{
    for (uint32_t from = 0; from < sink->n && !is_stopped(sink); from++)
        for (uint32_t to = 0; to < sink->n && groups->sent[from].messages; to++)
            if (groups->awaited[to])
                traffic_sink_add(sink, from, to,
                                 groups->sent[from].messages * groups->awaited[to],
                                 (int64_t)((uint64_t)groups->sent[from].bytes
                                           * (uint64_t)groups->awaited[to]));
}

/* Each sends to all of higher rank; calls are in order of rank. */
static void add_prefix(struct traffic_sink *sink, const struct weft_traffic *traffic,
                       const struct weft_collective *of, int64_t time,
                       struct group_counts *groups)
{
    const struct weft_collective_call *calls = traffic->calls + of->first_call;
    for (uint32_t i = 0; i < of->n_calls && !is_stopped(sink); i++) {
        uint32_t group = traffic_sink_group(sink, calls[i].processor);
        if (is_awaited(of, &calls[i], time))
            for (uint32_t from = 0; from < sink->n; from++)
                traffic_sink_add(sink, from, group, groups->sent[from].messages,
                                 groups->sent[from].bytes);
        if (is_sent(of, &calls[i], time)) {
            groups->sent[group].messages++;
            groups->sent[group].bytes =
                traffic_add_wrapping(groups->sent[group].bytes, calls[i].bytes);
        }
    }
}

/* Each sender sends to each receiver but itself. */
static void add_product(struct traffic_sink *sink, const struct weft_traffic *traffic,
                        const struct weft_collective *of, int64_t time,
                        struct group_counts *groups)
{
    const struct weft_collective_call *calls = traffic->calls + of->first_call;
    for (uint32_t i = 0; i < of->n_calls; i++) {
        uint32_t group = traffic_sink_group(sink, calls[i].processor);
        bool sent = is_sent(of, &calls[i], time), awaited = is_awaited(of, &calls[i], time);
        if (sent) {
            groups->sent[group].messages++;
            groups->sent[group].bytes =
                traffic_add_wrapping(groups->sent[group].bytes, calls[i].bytes);
        }
        groups->awaited[group] += awaited;
        if (sent && awaited)
            traffic_sink_add(sink, group, group, -1, traffic_minus(calls[i].bytes));
    }
    spread(sink, groups);
}

static void add_operation(struct traffic_sink *sink, const struct weft_traffic *traffic,
                          const struct weft_collective *of, int64_t time,
                          struct group_counts *groups)
{
    group_counts_clear(groups, sink->n);
    if (of->pattern == WEFT_ROLE_PREFIX)
        add_prefix(sink, traffic, of, time, groups);
    else
        add_product(sink, traffic, of, time, groups);
}

static struct group_counts group_counts_new(const struct traffic_sink *sink)
{
    return (
        struct group_counts){ weft_zalloc((size_t)sink->n + 1, sizeof(struct weft_amount)),
                              weft_zalloc((size_t)sink->n + 1, sizeof(int64_t)) };
}

static void group_counts_free(struct group_counts *groups)
{
    free(groups->sent);
    free(groups->awaited);
}

/* Returns how many operations begin before TIME. */
static size_t operations_before(const struct weft_traffic *traffic, int64_t time)
{
    return WEFT_FIRST(i, 0, traffic->n_collectives, traffic->collectives[i].begin >= time);
}

/* ---- Questions ---- */

/*
 * Adds messages that were not received: they stay pending at the end of the trace and after
 * it.
 */
struct unreceived_sums {
    struct weft_pair_sums *rows;
    size_t limit;
    struct weft_field_window *bytes; /* of the track that is being read */
    const struct weft_job *job;
    int64_t time;
};

static bool add_unreceived(void *user, const struct weft_link *link)
{
    struct unreceived_sums *unreceived = user;
    if (!(link->flags & WEFT_END_IMPLIED) || link->end > unreceived->time
        || link->begin > unreceived->time)
        return true;
    const struct weft_pair_sum row = {
        link->from, link->to, 1,
        weft_field_window_get(unreceived->bytes, weft_entity_ordinal(link->id))
    };
    traffic_add_row(unreceived->rows, &unreceived->limit, &row);
    return !weft_job_cancelled(unreceived->job);
}

/* Sums up the stored messages that are pending at TIME, by container. */
static void ask_pending(const struct weft_traffic *traffic, int64_t time, size_t n_tracks,
                        const struct weft_job *job, struct weft_pair_sums *rows)
{
    const struct weft_source *source = traffic->source;
    int64_t end = source->schema->span.end;
    source->ops->pairs_pending(source, traffic->tracks, n_tracks, time, rows);
    if (time < end)
        return;
    struct weft_field_window *bytes = weft_alloc(sizeof *bytes);
    struct unreceived_sums unreceived = {
        .rows = rows, .bytes = bytes, .job = job, .time = time
    };
    for (size_t i = 0; i < n_tracks && !weft_job_cancelled(job); i++) {
        weft_field_window_begin(bytes, source, traffic->tracks[i], WEFT_ROLE_BYTES);
        source->ops->links(source, traffic->tracks[i],
                           (struct weft_span){ end - 1, end + 1 }, add_unreceived,
                           &unreceived);
    }
    free(bytes);
}

/* Finds the processors that the messages of a row go between; false if one is unknown. */
static bool ends_of(const struct weft_traffic *traffic, const struct weft_pair_sum *row,
                    uint32_t *from, uint32_t *to)
{
    const uint32_t *index_of = traffic->processors->index_of;
    if (row->from == WEFT_NONE || row->to == WEFT_NONE)
        return false;
    *from = index_of[row->from];
    *to = index_of[row->to];
    return *from != WEFT_NONE && *to != WEFT_NONE;
}

static void add_stored(struct traffic_sink *sink, const struct weft_traffic *traffic,
                       const struct weft_pair_sums *stored)
{
    for (size_t i = 0; i < stored->n; i++) {
        const struct weft_pair_sum *row = &stored->rows[i];
        uint32_t from, to;
        if (ends_of(traffic, row, &from, &to))
            traffic_sink_add(sink, traffic_sink_group(sink, from),
                             traffic_sink_group(sink, to), (int64_t)row->count, row->bytes);
    }
}

static size_t tracks_of(const struct weft_traffic *traffic,
                        enum weft_collectives collectives)
{
    return collectives == WEFT_COLLECTIVES_NONE ? traffic->n_plain : traffic->n_tracks;
}

void weft_traffic_pending(const struct weft_traffic *traffic, int64_t time,
                          const struct weft_traffic_query *query,
                          struct weft_pair_sums *out)
{
    struct weft_pair_sums stored = { 0 };
    struct traffic_sink sink = { .rows = out };
    size_t last = query->collectives == WEFT_COLLECTIVES_NONE
                      ? 0
                      : operations_before(traffic, time + 1);
    ask_pending(traffic, time, tracks_of(traffic, query->collectives), query->job, &stored);
    traffic_sink_begin(&sink, traffic, query,
                       query->group_of || (last && traffic->reach[last - 1] > time));
    add_stored(&sink, traffic, &stored);
    free(stored.rows);
    struct group_counts groups = group_counts_new(&sink);
    for (; last && traffic->reach[last - 1] > time && !weft_job_cancelled(query->job);
         last--)
        if (traffic->collectives[last - 1].end > time
            && weft_collective_counts(&traffic->collectives[last - 1], query->collectives))
            add_operation(&sink, traffic, &traffic->collectives[last - 1], time, &groups);
    group_counts_free(&groups);
    traffic_sink_end(&sink);
}

/*
 * Operations of one team have the same processors in the same ranks.  The amounts that each
 * call position sent are added up over these operations, and spread over the receivers
 * once.
 */
struct team_counts {
    struct weft_amount *to_all, *to_higher;
    size_t capacity[2];
};

static void count_operation(struct traffic_sink *sink, const struct weft_traffic *traffic,
                            const struct weft_collective *of, struct weft_span window,
                            struct team_counts *counts)
{
    const struct weft_collective_call *calls = traffic->calls + of->first_call;
    uint32_t root = WEFT_NONE; /* index of a call */
    for (uint32_t i = 0; of->pattern == WEFT_ROLE_ALL_TO_ONE && i < of->n_calls; i++)
        if (calls[i].processor == of->root)
            root = i;
    for (uint32_t i = 0; i < of->n_calls; i++) {
        if (calls[i].entry < window.begin || calls[i].entry >= window.end
            || !weft_collective_sends(of, &calls[i]))
            continue;
        if (of->pattern == WEFT_ROLE_ALL_TO_ONE) {
            if (root != WEFT_NONE)
                traffic_sink_add(sink, traffic_sink_group(sink, calls[i].processor),
                                 traffic_sink_group(sink, calls[root].processor), 1,
                                 calls[i].bytes);
            continue;
        }
        struct weft_amount *sent =
            (of->pattern == WEFT_ROLE_PREFIX ? counts->to_higher : counts->to_all) + i;
        sent->messages++;
        sent->bytes = traffic_add_wrapping(sent->bytes, calls[i].bytes);
    }
}

static void spread_to_all(struct traffic_sink *sink, const struct weft_traffic *traffic,
                          const struct weft_collective *team,
                          const struct team_counts *counts, struct group_counts *groups)
{
    const struct weft_collective_call *calls = traffic->calls + team->first_call;
    for (uint32_t i = 0; i < team->n_calls; i++) {
        uint32_t group = traffic_sink_group(sink, calls[i].processor);
        const struct weft_amount *sent = &counts->to_all[i];
        groups->sent[group].messages += sent->messages;
        groups->sent[group].bytes =
            traffic_add_wrapping(groups->sent[group].bytes, sent->bytes);
        groups->awaited[group]++;
        traffic_sink_add(sink, group, group, -sent->messages,
                         traffic_minus(sent->bytes)); /* not to itself */
    }
    spread(sink, groups);
}

static void spread_to_higher(struct traffic_sink *sink, const struct weft_traffic *traffic,
                             const struct weft_collective *team,
                             const struct team_counts *counts, struct group_counts *groups)
{
    const struct weft_collective_call *calls = traffic->calls + team->first_call;
    for (uint32_t i = 0; i < team->n_calls && !is_stopped(sink); i++) {
        uint32_t group = traffic_sink_group(sink, calls[i].processor);
        for (uint32_t from = 0; from < sink->n; from++)
            traffic_sink_add(sink, from, group, groups->sent[from].messages,
                             groups->sent[from].bytes);
        groups->sent[group].messages += counts->to_higher[i].messages;
        groups->sent[group].bytes =
            traffic_add_wrapping(groups->sent[group].bytes, counts->to_higher[i].bytes);
    }
}

/* Adds the operations ORDER[n], which are of one team. */
static void add_team(struct traffic_sink *sink, const struct weft_traffic *traffic,
                     struct weft_span window, const struct weft_sort_item *order, size_t n,
                     struct team_counts *counts, struct group_counts *groups)
{
    const struct weft_collective *team = &traffic->collectives[order[0].key];
    bool prefix = false;
    counts->to_all = weft_grow(counts->to_all, &counts->capacity[0], team->n_calls,
                               sizeof *counts->to_all);
    counts->to_higher = weft_grow(counts->to_higher, &counts->capacity[1], team->n_calls,
                                  sizeof *counts->to_higher);
    memset(counts->to_all, 0, team->n_calls * sizeof *counts->to_all);
    memset(counts->to_higher, 0, team->n_calls * sizeof *counts->to_higher);
    for (size_t i = 0; i < n && !weft_job_cancelled(sink->query->job); i++) {
        const struct weft_collective *of = &traffic->collectives[order[i].payload];
        count_operation(sink, traffic, of, window, counts);
        prefix |= of->pattern == WEFT_ROLE_PREFIX;
    }
    group_counts_clear(groups, sink->n);
    spread_to_all(sink, traffic, team, counts, groups);
    group_counts_clear(groups, sink->n);
    if (prefix)
        spread_to_higher(sink, traffic, team, counts, groups);
}

static void add_collectives(struct traffic_sink *sink, const struct weft_traffic *traffic,
                            struct weft_span window, size_t last)
{
    struct group_counts groups = group_counts_new(sink);
    struct team_counts counts = { 0 };
    struct weft_sort_item *order = weft_alloc((last + 1) * sizeof *order);
    size_t n = 0, run = 0;
    for (size_t i = last; i && traffic->reach[i - 1] >= window.begin; i--)
        if (traffic->collectives[i - 1].end >= window.begin
            && weft_collective_counts(&traffic->collectives[i - 1],
                                      sink->query->collectives))
            order[n++] = (struct weft_sort_item){ traffic->collectives[i - 1].team, i - 1 };
    weft_sort(order, n);
    for (size_t i = 0; i < n && !weft_job_cancelled(sink->query->job); i += run) {
        for (run = 1; i + run < n && order[i + run].key == order[i].key;)
            run++;
        add_team(sink, traffic, window, order + i, run, &counts, &groups);
    }
    free(order);
    free(counts.to_all);
    free(counts.to_higher);
    group_counts_free(&groups);
}

void weft_traffic_total(const struct weft_traffic *traffic, struct weft_span window,
                        const struct weft_traffic_query *query, struct weft_pair_sums *out)
{
    struct weft_pair_sums stored = { 0 };
    struct traffic_sink sink = { .rows = out };
    size_t last = query->collectives == WEFT_COLLECTIVES_NONE
                      ? 0
                      : operations_before(traffic, window.end);
    traffic->source->ops->pair_sums(traffic->source, traffic->tracks,
                                    tracks_of(traffic, query->collectives), window,
                                    &stored);
    traffic_sink_begin(&sink, traffic, query, query->group_of || last);
    add_stored(&sink, traffic, &stored);
    free(stored.rows);
    if (last)
        add_collectives(&sink, traffic, window, last);
    traffic_sink_end(&sink);
}

/* ---- By processor ---- */

static void add_to(struct weft_amount *amount, int64_t messages, int64_t bytes)
{
    amount->messages += messages;
    amount->bytes = traffic_add_wrapping(amount->bytes, bytes);
}

/*
 * Adds what an operation has pending at TIME to ALL and to the amounts of each processor.
 */
static void add_pending(const struct weft_traffic *traffic,
                        const struct weft_collective *of, int64_t time,
                        struct weft_amount *all, struct weft_amount *outgoing,
                        struct weft_amount *incoming)
{
    const struct weft_collective_call *calls = traffic->calls + of->first_call;
    bool prefix = of->pattern == WEFT_ROLE_PREFIX;
    struct weft_amount sent = { 0 }; /* by all, or by lower ranks */
    int64_t awaited = 0;             /* by all, or by higher ranks */
    for (uint32_t i = 0; i < of->n_calls; i++) {
        awaited += is_awaited(of, &calls[i], time);
        if (!prefix && is_sent(of, &calls[i], time))
            add_to(&sent, 1, calls[i].bytes);
    }
    for (uint32_t i = 0; i < of->n_calls; i++) {
        bool sends = is_sent(of, &calls[i], time), waits = is_awaited(of, &calls[i], time);
        awaited -= prefix && waits;
        int64_t out = sends ? awaited - (!prefix && waits) : 0;
        struct weft_amount in = waits ? sent : (struct weft_amount){ 0 };
        if (waits && sends && !prefix)
            add_to(&in, -1, traffic_minus(calls[i].bytes));
        add_to(all, out, (int64_t)((uint64_t)calls[i].bytes * (uint64_t)out));
        add_to(&outgoing[calls[i].processor], out,
               (int64_t)((uint64_t)calls[i].bytes * (uint64_t)out));
        add_to(&incoming[calls[i].processor], in.messages, in.bytes);
        if (prefix && sends)
            add_to(&sent, 1, calls[i].bytes);
    }
}

struct weft_amount weft_traffic_at(const struct weft_traffic *traffic, int64_t time,
                                   enum weft_collectives collectives,
                                   struct weft_amount *outgoing,
                                   struct weft_amount *incoming)
{
    uint32_t n = traffic->processors->n;
    struct weft_amount all = { 0 };
    struct weft_pair_sums stored = { 0 };
    struct weft_amount *own = weft_alloc(((size_t)n + 1) * 2 * sizeof *own);
    outgoing = outgoing ? outgoing : own;
    incoming = incoming ? incoming : own + n;
    memset(outgoing, 0, n * sizeof *outgoing);
    memset(incoming, 0, n * sizeof *incoming);
    ask_pending(traffic, time, tracks_of(traffic, collectives), NULL, &stored);
    for (size_t i = 0; i < stored.n; i++) {
        const struct weft_pair_sum *row = &stored.rows[i];
        uint32_t from, to;
        if (!ends_of(traffic, row, &from, &to))
            continue;
        add_to(&all, (int64_t)row->count, row->bytes);
        add_to(&outgoing[from], (int64_t)row->count, row->bytes);
        add_to(&incoming[to], (int64_t)row->count, row->bytes);
    }
    size_t last =
        collectives == WEFT_COLLECTIVES_NONE ? 0 : operations_before(traffic, time + 1);
    for (; last && traffic->reach[last - 1] > time; last--)
        if (traffic->collectives[last - 1].end > time
            && weft_collective_counts(&traffic->collectives[last - 1], collectives))
            add_pending(traffic, &traffic->collectives[last - 1], time, &all, outgoing,
                        incoming);
    free(stored.rows);
    free(own);
    return all;
}
