/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of a moment and of a window: those that are stored, as the source sums them, and those
 * that collective operations stand for.
 */
#include <stdlib.h>
#include <string.h>

#include "model/traffic_priv.h"
#include "store/sort.h"

enum weft_collectives weft_collectives_find(const char *name)
{
    return strcmp(name, "none") == 0    ? WEFT_COLLECTIVES_NONE
           : strcmp(name, "group") == 0 ? WEFT_COLLECTIVES_GROUP
                                        : WEFT_COLLECTIVES_MESSAGES;
}

bool weft_has_traffic(const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        const struct weft_type *type = &schema->types[schema->tracks[t].type];
        if (schema->tracks[t].count
            && (weft_is_message_type(type)
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
            if (weft_is_message_type(type) && schema->tracks[t].count
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

/* Sums that are being added up: a matrix where one is small, else rows to be combined. */
struct sink {
    const struct weft_traffic_query *query;
    uint32_t n;
    struct weft_amount *matrix; /* [n][n], or NULL */
    struct weft_pair_sums *rows;
};

enum { MATRIX_MOST = 1024 }; /* rows and columns: 16 MiB */

static void sink_begin(struct sink *sink, const struct weft_traffic *traffic,
                       const struct weft_traffic_query *query, bool dense)
{
    sink->query = query;
    sink->n = query->group_of ? query->n_groups : traffic->processors->n;
    sink->matrix = dense && sink->n <= MATRIX_MOST
                       ? weft_zalloc((size_t)sink->n * sink->n + 1, sizeof *sink->matrix)
                       : NULL;
    sink->rows->n = 0;
}

static uint32_t group_of(const struct sink *sink, uint32_t processor)
{
    return sink->query->group_of ? sink->query->group_of[processor] : processor;
}

static int64_t add_wrapping(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b); /* a trace may say anything */
}

static void sink_add(struct sink *sink, uint32_t from, uint32_t to, int64_t messages,
                     int64_t bytes)
{
    if (!messages)
        return;
    if (sink->matrix) {
        struct weft_amount *cell = &sink->matrix[(size_t)from * sink->n + to];
        cell->messages += messages;
        cell->bytes = add_wrapping(cell->bytes, bytes);
        return;
    }
    struct weft_pair_sums *rows = sink->rows;
    rows->rows = weft_grow(rows->rows, &rows->capacity, rows->n + 1, sizeof *rows->rows);
    rows->rows[rows->n++] = (struct weft_pair_sum){ from, to, (uint64_t)messages, bytes };
}

static bool in_order(const struct weft_pair_sums *sums)
{
    for (size_t i = 1; i < sums->n; i++) {
        const struct weft_pair_sum *a = &sums->rows[i - 1], *b = &sums->rows[i];
        if (a->from > b->from || (a->from == b->from && a->to >= b->to))
            return false;
    }
    return true;
}

static void sink_end(struct sink *sink)
{
    struct weft_amount *matrix = sink->matrix;
    sink->matrix = NULL;
    for (uint32_t from = 0; matrix && from < sink->n; from++)
        for (uint32_t to = 0; to < sink->n; to++) {
            const struct weft_amount *cell = &matrix[(size_t)from * sink->n + to];
            sink_add(sink, from, to, cell->messages, cell->bytes);
        }
    free(matrix);
    if (!in_order(sink->rows))
        weft_pair_sums_combine(sink->rows);
    size_t kept = 0;
    for (size_t i = 0; i < sink->rows->n; i++) /* what was subtracted may leave nothing */
        if (sink->rows->rows[i].count)
            sink->rows->rows[kept++] = sink->rows->rows[i];
    sink->rows->n = kept;
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

/* Sums by group, while the messages of an operation are added up. */
struct group_counts {
    struct weft_amount *sent; /* [n] */
    int64_t *awaited;         /* [n] */
};

static void group_counts_clear(struct group_counts *groups, uint32_t n)
{
    memset(groups->sent, 0, n * sizeof *groups->sent);
    memset(groups->awaited, 0, n * sizeof *groups->awaited);
}

/* What each group sent goes once to each that is awaited in each group. */
static void spread(struct sink *sink, const struct group_counts *groups)
{
    for (uint32_t from = 0; from < sink->n; from++)
        for (uint32_t to = 0; to < sink->n && groups->sent[from].messages; to++)
            if (groups->awaited[to])
                sink_add(sink, from, to, groups->sent[from].messages * groups->awaited[to],
                         (int64_t)((uint64_t)groups->sent[from].bytes
                                   * (uint64_t)groups->awaited[to]));
}

/* Each to all of higher rank: the calls are in order of rank. */
static void add_prefix(struct sink *sink, const struct weft_traffic *traffic,
                       const struct weft_collective *of, int64_t time,
                       struct group_counts *groups)
{
    const struct weft_collective_call *calls = traffic->calls + of->first_call;
    for (uint32_t i = 0; i < of->n_calls; i++) {
        uint32_t group = group_of(sink, calls[i].processor);
        if (is_awaited(of, &calls[i], time))
            for (uint32_t from = 0; from < sink->n; from++)
                sink_add(sink, from, group, groups->sent[from].messages,
                         groups->sent[from].bytes);
        if (is_sent(of, &calls[i], time)) {
            groups->sent[group].messages++;
            groups->sent[group].bytes =
                add_wrapping(groups->sent[group].bytes, calls[i].bytes);
        }
    }
}

/* Each sender to each receiver, but none to itself. */
static void add_product(struct sink *sink, const struct weft_traffic *traffic,
                        const struct weft_collective *of, int64_t time,
                        struct group_counts *groups)
{
    const struct weft_collective_call *calls = traffic->calls + of->first_call;
    for (uint32_t i = 0; i < of->n_calls; i++) {
        uint32_t group = group_of(sink, calls[i].processor);
        bool sent = is_sent(of, &calls[i], time), awaited = is_awaited(of, &calls[i], time);
        if (sent) {
            groups->sent[group].messages++;
            groups->sent[group].bytes =
                add_wrapping(groups->sent[group].bytes, calls[i].bytes);
        }
        groups->awaited[group] += awaited;
        if (sent && awaited)
            sink_add(sink, group, group, -1, -calls[i].bytes);
    }
    spread(sink, groups);
}

static void add_operation(struct sink *sink, const struct weft_traffic *traffic,
                          const struct weft_collective *of, int64_t time,
                          struct group_counts *groups)
{
    group_counts_clear(groups, sink->n);
    if (of->pattern == WEFT_ROLE_PREFIX)
        add_prefix(sink, traffic, of, time, groups);
    else
        add_product(sink, traffic, of, time, groups);
}

static struct group_counts group_counts_new(const struct sink *sink)
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

/* How many operations begin before TIME. */
static size_t operations_before(const struct weft_traffic *traffic, int64_t time)
{
    size_t low = 0, high = traffic->n_collectives;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (traffic->collectives[middle].begin < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- Questions ---- */

/* Rows of messages that nobody received: they stay pending at the end of the trace, and after it. */
struct unreceived {
    struct weft_pair_sums *rows;
    const struct weft_source *source;
    int64_t time;
};

static bool add_unreceived(void *user, const struct weft_link *link)
{
    struct unreceived *unreceived = user;
    const struct weft_schema *schema = unreceived->source->schema;
    struct weft_pair_sums *rows = unreceived->rows;
    struct weft_field_value fields[WEFT_FIELDS_MOST];
    if (!(link->flags & WEFT_END_IMPLIED) || link->end > unreceived->time
        || link->begin > unreceived->time)
        return true;
    size_t n = unreceived->source->ops->fields(unreceived->source, link->id, fields,
                                               sizeof fields / sizeof *fields);
    const struct weft_field_value *bytes =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER);
    rows->rows = weft_grow(rows->rows, &rows->capacity, rows->n + 1, sizeof *rows->rows);
    rows->rows[rows->n++] =
        (struct weft_pair_sum){ link->from, link->to, 1, bytes ? bytes->integer : 0 };
    return true;
}

/* The messages that are stored and pending at TIME, by container. */
static void ask_pending(const struct weft_traffic *traffic, int64_t time, size_t n_tracks,
                        struct weft_pair_sums *rows)
{
    const struct weft_source *source = traffic->source;
    int64_t end = source->schema->span.end;
    source->ops->pairs_pending(source, traffic->tracks, n_tracks, time, rows);
    struct unreceived unreceived = { rows, source, time };
    for (size_t i = 0; i < n_tracks && time >= end; i++)
        source->ops->links(source, traffic->tracks[i],
                           (struct weft_span){ end - 1, end + 1 }, add_unreceived,
                           &unreceived);
}

static void add_stored(struct sink *sink, const struct weft_traffic *traffic,
                       const struct weft_pair_sums *stored)
{
    const uint32_t *index_of = traffic->processors->index_of;
    for (size_t i = 0; i < stored->n; i++) {
        const struct weft_pair_sum *row = &stored->rows[i];
        if (row->from == WEFT_NONE || row->to == WEFT_NONE
            || index_of[row->from] == WEFT_NONE || index_of[row->to] == WEFT_NONE)
            continue;
        sink_add(sink, group_of(sink, index_of[row->from]),
                 group_of(sink, index_of[row->to]), (int64_t)row->count, row->bytes);
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
    struct sink sink = { .rows = out };
    size_t last = query->collectives == WEFT_COLLECTIVES_NONE
                      ? 0
                      : operations_before(traffic, time + 1);
    ask_pending(traffic, time, tracks_of(traffic, query->collectives), &stored);
    sink_begin(&sink, traffic, query,
               query->group_of || (last && traffic->reach[last - 1] > time));
    add_stored(&sink, traffic, &stored);
    free(stored.rows);
    struct group_counts groups = group_counts_new(&sink);
    for (; last && traffic->reach[last - 1] > time; last--)
        if (traffic->collectives[last - 1].end > time)
            add_operation(&sink, traffic, &traffic->collectives[last - 1], time, &groups);
    group_counts_free(&groups);
    sink_end(&sink);
}

/*
 * Operations of one team differ in who sent what, not in who received: what each sent is added
 * up first, by call of the team, and spread over the others once.
 */
struct team_counts {
    struct weft_amount *to_all, *to_higher;
    size_t capacity[2];
};

static void count_operation(struct sink *sink, const struct weft_traffic *traffic,
                            const struct weft_collective *of, struct weft_span window,
                            struct team_counts *counts)
{
    const struct weft_collective_call *calls = traffic->calls + of->first_call;
    uint32_t root = WEFT_NONE; /* a call */
    for (uint32_t i = 0; of->pattern == WEFT_ROLE_ALL_TO_ONE && i < of->n_calls; i++)
        if (calls[i].processor == of->root)
            root = i;
    for (uint32_t i = 0; i < of->n_calls; i++) {
        if (calls[i].entry < window.begin || calls[i].entry >= window.end
            || !weft_collective_sends(of, &calls[i]))
            continue;
        if (of->pattern == WEFT_ROLE_ALL_TO_ONE) {
            if (root != WEFT_NONE)
                sink_add(sink, group_of(sink, calls[i].processor),
                         group_of(sink, calls[root].processor), 1, calls[i].bytes);
            continue;
        }
        struct weft_amount *sent =
            (of->pattern == WEFT_ROLE_PREFIX ? counts->to_higher : counts->to_all) + i;
        sent->messages++;
        sent->bytes = add_wrapping(sent->bytes, calls[i].bytes);
    }
}

static void spread_to_all(struct sink *sink, const struct weft_traffic *traffic,
                          const struct weft_collective *team,
                          const struct team_counts *counts, struct group_counts *groups)
{
    const struct weft_collective_call *calls = traffic->calls + team->first_call;
    for (uint32_t i = 0; i < team->n_calls; i++) {
        uint32_t group = group_of(sink, calls[i].processor);
        const struct weft_amount *sent = &counts->to_all[i];
        groups->sent[group].messages += sent->messages;
        groups->sent[group].bytes = add_wrapping(groups->sent[group].bytes, sent->bytes);
        groups->awaited[group]++;
        sink_add(sink, group, group, -sent->messages, -sent->bytes); /* not to itself */
    }
    spread(sink, groups);
}

static void spread_to_higher(struct sink *sink, const struct weft_traffic *traffic,
                             const struct weft_collective *team,
                             const struct team_counts *counts, struct group_counts *groups)
{
    const struct weft_collective_call *calls = traffic->calls + team->first_call;
    for (uint32_t i = 0; i < team->n_calls; i++) {
        uint32_t group = group_of(sink, calls[i].processor);
        for (uint32_t from = 0; from < sink->n; from++)
            sink_add(sink, from, group, groups->sent[from].messages,
                     groups->sent[from].bytes);
        groups->sent[group].messages += counts->to_higher[i].messages;
        groups->sent[group].bytes =
            add_wrapping(groups->sent[group].bytes, counts->to_higher[i].bytes);
    }
}

/* The operations ORDER[n] are those of one team. */
static void add_team(struct sink *sink, const struct weft_traffic *traffic,
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
    for (size_t i = 0; i < n; i++) {
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

static void add_collectives(struct sink *sink, const struct weft_traffic *traffic,
                            struct weft_span window, size_t last)
{
    struct group_counts groups = group_counts_new(sink);
    struct team_counts counts = { 0 };
    struct weft_sort_item *order = weft_alloc((last + 1) * sizeof *order);
    size_t n = 0, run = 0;
    for (size_t i = last; i && traffic->reach[i - 1] >= window.begin; i--)
        if (traffic->collectives[i - 1].end >= window.begin)
            order[n++] = (struct weft_sort_item){ traffic->collectives[i - 1].team, i - 1 };
    weft_sort(order, n);
    for (size_t i = 0; i < n; i += run) {
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
    struct sink sink = { .rows = out };
    size_t last = query->collectives == WEFT_COLLECTIVES_NONE
                      ? 0
                      : operations_before(traffic, window.end);
    traffic->source->ops->pair_sums(traffic->source, traffic->tracks,
                                    tracks_of(traffic, query->collectives), window,
                                    &stored);
    sink_begin(&sink, traffic, query, query->group_of || last);
    add_stored(&sink, traffic, &stored);
    free(stored.rows);
    if (last)
        add_collectives(&sink, traffic, window, last);
    sink_end(&sink);
}

/* ---- By processor ---- */

static void add_to(struct weft_amount *amount, int64_t messages, int64_t bytes)
{
    amount->messages += messages;
    amount->bytes = add_wrapping(amount->bytes, bytes);
}

/* What an operation has pending at TIME, added to all and to each processor's. */
static void add_pending(const struct weft_traffic *traffic,
                        const struct weft_collective *of, int64_t time,
                        struct weft_amount *all, struct weft_amount *outgoing,
                        struct weft_amount *incoming)
{
    const struct weft_collective_call *calls = traffic->calls + of->first_call;
    bool prefix = of->pattern == WEFT_ROLE_PREFIX;
    struct weft_amount sent = { 0 }; /* by all, or by those of lower rank */
    int64_t awaited = 0;             /* by all, or by those of higher rank */
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
            add_to(&in, -1, -calls[i].bytes);
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
    struct weft_traffic_query query = { .collectives = WEFT_COLLECTIVES_NONE };
    struct weft_pair_sums stored = { 0 };
    struct weft_amount *own = weft_alloc(((size_t)n + 1) * 2 * sizeof *own);
    outgoing = outgoing ? outgoing : own;
    incoming = incoming ? incoming : own + n;
    memset(outgoing, 0, n * sizeof *outgoing);
    memset(incoming, 0, n * sizeof *incoming);
    struct sink sink = { .rows = &stored };
    struct weft_pair_sums rows = { 0 };
    ask_pending(traffic, time, tracks_of(traffic, collectives), &rows);
    sink_begin(&sink, traffic, &query, false);
    add_stored(&sink, traffic, &rows); /* its order does not matter */
    for (size_t i = 0; i < stored.n; i++) {
        const struct weft_pair_sum *row = &stored.rows[i];
        add_to(&all, (int64_t)row->count, row->bytes);
        add_to(&outgoing[row->from], (int64_t)row->count, row->bytes);
        add_to(&incoming[row->to], (int64_t)row->count, row->bytes);
    }
    size_t last =
        collectives == WEFT_COLLECTIVES_NONE ? 0 : operations_before(traffic, time + 1);
    for (; last && traffic->reach[last - 1] > time; last--)
        if (traffic->collectives[last - 1].end > time)
            add_pending(traffic, &traffic->collectives[last - 1], time, &all, outgoing,
                        incoming);
    free(rows.rows);
    free(stored.rows);
    free(own);
    return all;
}
