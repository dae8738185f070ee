/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages of a collective operation are not listed.  A sender's are to the receivers
 * before and after it in order of rank, so sums over the calls before and after each call
 * tell their number, lengths and times.  Their distances are the same for all operations of
 * a team, and are kept.
 */
#include "domains/messages/model/message_statistics.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "domains/messages/model/traffic_priv.h"
#include "model/field_cache.h"

enum { LINKS_A_REPORT = 1 << 14 };

void weft_tally_add(struct weft_tally *tally, const struct weft_tally *other)
{
    if (!other->n)
        return;
    if (!tally->n || other->least < tally->least)
        tally->least = other->least;
    if (!tally->n || other->most > tally->most)
        tally->most = other->most;
    tally->n += other->n;
    tally->sum += other->sum;
}

static struct weft_tally tally_of(int64_t value, uint64_t n)
{
    return (struct weft_tally){ n, value, value, (double)value * (double)n };
}

/* Returns a sum as an integer, clamped: a damaged trace may have any bytes. */
static int64_t whole(double sum)
{
    const double most = 9e18;
    return sum > most ? INT64_MAX : sum < -most ? INT64_MIN : (int64_t)sum;
}

static void add_value(struct weft_tally *tally, int64_t value)
{
    const struct weft_tally one = tally_of(value, 1);
    weft_tally_add(tally, &one);
}

void weft_statistics_add(struct weft_directed_statistics *statistics,
                         const struct weft_directed_statistics *other)
{
    statistics->messages += other->messages;
    statistics->bytes = traffic_add_wrapping(statistics->bytes, other->bytes);
    weft_tally_add(&statistics->size, &other->size);
    weft_tally_add(&statistics->distance, &other->distance);
    weft_tally_add(&statistics->time, &other->time);
    statistics->queue_unknown |= other->queue_unknown;
}

/* A pass over messages, which are counted in intervals that follow one another. */
struct scan {
    const struct weft_traffic *traffic;
    const struct weft_distance *distance;
    const int64_t *edges; /* [n + 1]: where the intervals begin, and the last one ends */
    size_t n;
    struct weft_message_statistics *out; /* [n * processors], by interval */
    struct weft_field_window *bytes;     /* of the track that is being read */
    struct weft_job *job;
    struct weft_err *err;
    uint64_t n_links, total;
    bool ok;
};

/* Returns the statistics [processors] of the interval that TIME is in, or NULL. */
static struct weft_message_statistics *at(const struct scan *scan, int64_t time)
{
    if (time < scan->edges[0] || time >= scan->edges[scan->n])
        return NULL;
    size_t i = WEFT_LAST(k, 0, scan->n, scan->edges[k] <= time);
    return scan->out + i * scan->traffic->processors->n;
}

/* ---- Messages that are stored ---- */

static bool add_link(void *user, const struct weft_link *link)
{
    struct scan *scan = user;
    const uint32_t *index_of = scan->traffic->processors->index_of;
    if (++scan->n_links % LINKS_A_REPORT == 0
        && !weft_job_step(scan->job, scan->n_links, scan->total, scan->err))
        return scan->ok = false;
    if (link->from == WEFT_NONE || link->to == WEFT_NONE)
        return true;
    uint32_t from = index_of[link->from], to = index_of[link->to];
    if (from == WEFT_NONE || to == WEFT_NONE)
        return true;
    bool received = !(link->flags & WEFT_END_IMPLIED);
    int64_t bytes;
    bool known = weft_field_window_find(scan->bytes, weft_entity_ordinal(link->id), &bytes);
    struct weft_directed_statistics message = {
        .messages = 1,
        .bytes = known ? bytes : 0,
        .distance = tally_of(weft_distance_of(scan->distance, from, to), 1),
    };
    if (known)
        add_value(&message.size, bytes);
    if (received)
        add_value(&message.time, link->end - link->begin);
    struct weft_message_statistics *sent = at(scan, link->begin),
                                   *got = received ? at(scan, link->end) : NULL;
    if (sent)
        weft_statistics_add(&sent[from].of[WEFT_OUTGOING], &message);
    if (got)
        weft_statistics_add(&got[to].of[WEFT_INCOMING], &message);
    /* It is in both queues from its begin on. */
    struct weft_message_statistics *queued =
        link->begin < scan->edges[0] ? scan->out : sent;
    if (queued && !known && (!received || link->end >= link->begin))
        queued[from].of[WEFT_OUTGOING].queue_unknown =
            queued[to].of[WEFT_INCOMING].queue_unknown = true;
    return true;
}

/* Reads the messages that are on their way at FROM or begin later. */
static void read_links(struct scan *scan, enum weft_collectives collectives, int64_t from)
{
    const struct weft_traffic *traffic = scan->traffic;
    const struct weft_source *source = traffic->source;
    /* A message that ends with the first tick does not overlap it. */
    const struct weft_span during = { weft_time_clamp(from - 1), scan->edges[scan->n] };
    size_t n = collectives == WEFT_COLLECTIVES_NONE ? traffic->n_plain : traffic->n_tracks;
    for (size_t i = 0; i < n; i++)
        scan->total += source->schema->tracks[traffic->tracks[i]].count;
    scan->bytes = weft_alloc(sizeof *scan->bytes);
    for (size_t i = 0; i < n && scan->ok; i++) {
        weft_field_window_begin(scan->bytes, source, traffic->tracks[i], WEFT_ROLE_BYTES);
        source->ops->links(source, traffic->tracks[i], during, add_link, scan);
    }
    free(scan->bytes);
}

/* ---- Collective operations ---- */

/* The hops from a call's processor to those of other calls of its team. */
enum which { ALL_OTHERS, LOWER_RANKS, HIGHER_RANKS, WHICH };

/* Tallies of hops, [calls] each, made when they are asked for; n is 0: not yet. */
struct team {
    struct weft_tally *hops[WHICH];
};

/* Tallies of some calls; times count from the operation's begin. */
struct calls {
    struct weft_tally entries, bytes; /* of those that send */
    struct weft_tally exits;          /* of those that receive */
};

struct operations {
    struct scan *scan;
    struct team *teams;           /* [n_collectives], by weft_collective.team */
    struct calls *before, *after; /* [calls + 1]: sums over those before, from each on */
    size_t before_capacity, after_capacity;
};

static void add_calls(struct calls *to, const struct calls *from)
{
    weft_tally_add(&to->entries, &from->entries);
    weft_tally_add(&to->bytes, &from->bytes);
    weft_tally_add(&to->exits, &from->exits);
}

static struct calls one_call(const struct weft_collective *of,
                             const struct weft_collective_call *call)
{
    struct calls one = { 0 };
    if (weft_collective_sends(of, call)) {
        add_value(&one.entries, call->entry - of->begin);
        add_value(&one.bytes, call->bytes);
    }
    if (weft_collective_receives(of, call))
        add_value(&one.exits, call->exit - of->begin);
    return one;
}

static void sum_calls(struct operations *o, const struct weft_collective *of)
{
    const struct weft_collective_call *calls = o->scan->traffic->calls + of->first_call;
    size_t n = of->n_calls;
    o->before = weft_grow(o->before, &o->before_capacity, n + 1, sizeof *o->before);
    o->after = weft_grow(o->after, &o->after_capacity, n + 1, sizeof *o->after);
    o->before[0] = o->after[n] = (struct calls){ 0 };
    for (size_t i = 0; i < n; i++) {
        struct calls one = one_call(of, &calls[i]);
        o->before[i + 1] = o->before[i];
        add_calls(&o->before[i + 1], &one);
    }
    for (size_t i = n; i-- > 0;) {
        struct calls one = one_call(of, &calls[i]);
        o->after[i] = o->after[i + 1];
        add_calls(&o->after[i], &one);
    }
}

/* Returns the hops between call I and those of WHICH. */
static struct weft_tally hops_of(struct operations *o, const struct weft_collective *of,
                                 uint32_t i, enum which which)
{
    const struct weft_collective_call *calls = o->scan->traffic->calls + of->first_call;
    struct team *team = &o->teams[of->team];
    if (!team->hops[which])
        team->hops[which] = weft_zalloc((size_t)of->n_calls + 1, sizeof *team->hops[which]);
    struct weft_tally *hops = &team->hops[which][i];
    uint32_t first = which == HIGHER_RANKS ? i + 1 : 0;
    uint32_t after = which == LOWER_RANKS ? i : of->n_calls;
    if (!hops->n)
        for (uint32_t k = first; k < after; k++)
            if (k != i)
                add_value(hops, weft_distance_of(o->scan->distance, calls[i].processor,
                                                 calls[k].processor));
    return *hops;
}

/* Returns the hops of the messages that call I sends, or receives. */
static struct weft_tally hops_of_call(struct operations *o,
                                      const struct weft_collective *of, uint32_t i,
                                      enum weft_direction direction)
{
    const struct weft_collective_call *call = &o->scan->traffic->calls[of->first_call + i];
    bool rooted =
        of->pattern == WEFT_ROLE_ONE_TO_ALL || of->pattern == WEFT_ROLE_ALL_TO_ONE;
    if (rooted && call->processor != of->root)
        return tally_of(weft_distance_of(o->scan->distance, call->processor, of->root), 1);
    return hops_of(o, of, i,
                   of->pattern != WEFT_ROLE_PREFIX ? ALL_OTHERS
                   : direction == WEFT_OUTGOING    ? HIGHER_RANKS
                                                   : LOWER_RANKS);
}

/* Adds the messages that call I sends, to the receivers OTHERS, to STATISTICS. */
static void add_sent(struct operations *o, const struct weft_collective *of, uint32_t i,
                     const struct calls *others, struct weft_message_statistics *statistics)
{
    const struct weft_collective_call *call = &o->scan->traffic->calls[of->first_call + i];
    const struct weft_tally *exits = &others->exits;
    int64_t entry = call->entry - of->begin;
    struct weft_directed_statistics sent = {
        .messages = exits->n,
        .bytes = (int64_t)((uint64_t)call->bytes * exits->n),
        .size = tally_of(call->bytes, exits->n),
        .distance = hops_of_call(o, of, i, WEFT_OUTGOING),
        .time = { exits->n, exits->least - entry, exits->most - entry,
                  exits->sum - (double)exits->n * (double)entry },
    };
    weft_statistics_add(&statistics[call->processor].of[WEFT_OUTGOING], &sent);
}

/* Adds the messages that call I receives, from the senders OTHERS, to STATISTICS. */
static void add_received(struct operations *o, const struct weft_collective *of, uint32_t i,
                         const struct calls *others,
                         struct weft_message_statistics *statistics)
{
    const struct weft_collective_call *call = &o->scan->traffic->calls[of->first_call + i];
    const struct weft_tally *entries = &others->entries;
    int64_t exit = call->exit - of->begin;
    struct weft_directed_statistics received = {
        .messages = entries->n,
        .bytes = whole(others->bytes.sum),
        .size = others->bytes,
        .distance = hops_of_call(o, of, i, WEFT_INCOMING),
        .time = { entries->n, exit - entries->most, exit - entries->least,
                  (double)entries->n * (double)exit - entries->sum },
    };
    weft_statistics_add(&statistics[call->processor].of[WEFT_INCOMING], &received);
}

static void add_operation(struct operations *o, const struct weft_collective *of)
{
    const struct weft_collective_call *calls = o->scan->traffic->calls + of->first_call;
    bool prefix = of->pattern == WEFT_ROLE_PREFIX;
    sum_calls(o, of);
    for (uint32_t i = 0; i < of->n_calls && !weft_job_cancelled(o->scan->job); i++) {
        struct calls receivers = o->after[i + 1], senders = o->before[i];
        if (!prefix) {
            add_calls(&receivers, &o->before[i]);
            add_calls(&senders, &o->after[i + 1]);
        }
        struct weft_message_statistics *sent = at(o->scan, calls[i].entry),
                                       *got = at(o->scan, calls[i].exit);
        if (sent && weft_collective_sends(of, &calls[i]) && receivers.exits.n)
            add_sent(o, of, i, &receivers, sent);
        if (got && weft_collective_receives(of, &calls[i]) && senders.entries.n)
            add_received(o, of, i, &senders, got);
    }
}

static void read_operations(struct scan *scan, enum weft_collectives collectives)
{
    const struct weft_traffic *traffic = scan->traffic;
    size_t n = traffic->n_collectives;
    struct operations o = { .scan = scan };
    size_t last =
        WEFT_FIRST(i, 0, n, traffic->collectives[i].begin >= scan->edges[scan->n]);
    o.teams = weft_zalloc(n + 1, sizeof *o.teams);
    for (size_t i = last; i && traffic->reach[i - 1] >= scan->edges[0] && scan->ok; i--) {
        if (traffic->collectives[i - 1].end >= scan->edges[0]
            && weft_collective_counts(&traffic->collectives[i - 1], collectives))
            add_operation(&o, &traffic->collectives[i - 1]);
        scan->ok = weft_job_step(scan->job, last - i, last, scan->err);
    }
    for (size_t i = 0; i < n; i++)
        for (int which = 0; which < WHICH; which++)
            free(o.teams[i].hops[which]);
    free(o.teams);
    free(o.before);
    free(o.after);
}

static bool read_all(struct scan *scan, enum weft_collectives collectives, int64_t from)
{
    scan->ok = true;
    if (collectives != WEFT_COLLECTIVES_NONE)
        read_operations(scan, collectives);
    if (scan->ok)
        read_links(scan, collectives, from);
    return scan->ok && weft_job_step(scan->job, 1, 1, scan->err);
}

/* ---- The index ---- */

struct weft_statistics_index {
    const struct weft_traffic *traffic;
    enum weft_collectives collectives;
    struct weft_distance distance;
    int64_t *edges; /* [n + 1]: where blocks begin, and the last one ends */
    size_t n;
    struct weft_message_statistics *blocks; /* [n * processors] */
};

/*
 * Cuts the trace where messages begin, so that blocks have about as many.  Returns how many
 * there are; EDGES has room for MOST + 1.
 */
static size_t cut_into_blocks(const struct weft_traffic *traffic, size_t most,
                              int64_t *edges)
{
    const struct weft_source *source = traffic->source;
    struct weft_run *run = weft_alloc(sizeof *run);
    uint32_t track = WEFT_NONE;
    uint64_t links = 0;
    size_t n = 0;
    for (size_t i = 0; i < traffic->n_tracks; i++)
        if (source->schema->tracks[traffic->tracks[i]].count > links) {
            track = traffic->tracks[i];
            links = source->schema->tracks[track].count;
        }
    edges[n++] = source->schema->span.begin;
    for (size_t i = 1; i < most && links; i++) {
        uint64_t ordinal = links / most * i + links % most * i / most;
        source->ops->run(source, track, ordinal, run);
        if (!run->n || ordinal < run->first || ordinal - run->first >= run->n)
            continue; /* a damaged block */
        int64_t begin = run->links[ordinal - run->first].begin;
        if (begin > edges[n - 1] && begin <= source->schema->span.end)
            edges[n++] = begin;
    }
    edges[n] = source->schema->span.end + 1;
    free(run);
    return n;
}

struct weft_statistics_index *weft_statistics_index_make(
    const struct weft_traffic *traffic, enum weft_collectives collectives,
    const struct weft_distance *distance, struct weft_job *job, struct weft_err *err)
{
    enum { MOST_BLOCKS = 256, MOST_BYTES = 64 << 20 };
    struct weft_statistics_index *index = weft_zalloc(1, sizeof *index);
    size_t each = (traffic->processors->n + (size_t)1) * sizeof *index->blocks;
    size_t most = MOST_BYTES / each;
    most = most < 1 ? 1 : most > MOST_BLOCKS ? MOST_BLOCKS : most;
    index->traffic = traffic;
    index->collectives = collectives;
    index->distance = *distance;
    index->edges = weft_alloc((most + 1) * sizeof *index->edges);
    index->n = cut_into_blocks(traffic, most, index->edges);
    index->blocks = weft_zalloc(index->n + 1, each);
    struct scan scan = { .traffic = traffic,
                         .distance = &index->distance,
                         .edges = index->edges,
                         .n = index->n,
                         .out = index->blocks,
                         .job = job,
                         .err = err };
    if (read_all(&scan, collectives, -WEFT_TIME_LIMIT))
        return index;
    weft_statistics_index_free(index);
    return NULL;
}

void weft_statistics_index_free(struct weft_statistics_index *index)
{
    if (!index)
        return;
    free(index->edges);
    free(index->blocks);
    free(index);
}

size_t weft_statistics_index_bytes(const struct weft_statistics_index *index)
{
    return sizeof *index + (index->n + 1) * sizeof *index->edges
           + index->n * index->traffic->processors->n * sizeof *index->blocks;
}

/*
 * Adds the messages of PIECE to OUT; those that are on their way at FROM count as queued.
 */
static bool add_piece(const struct weft_statistics_index *index, struct weft_span piece,
                      int64_t from, struct weft_message_statistics *out,
                      struct weft_job *job, struct weft_err *err)
{
    const int64_t edges[] = { piece.begin, piece.end };
    struct scan scan = { .traffic = index->traffic,
                         .distance = &index->distance,
                         .edges = edges,
                         .n = 1,
                         .out = out,
                         .job = job,
                         .err = err };
    return piece.end <= piece.begin || read_all(&scan, index->collectives, from);
}

bool weft_statistics_index_read(const struct weft_statistics_index *index,
                                struct weft_span window,
                                struct weft_message_statistics *out, struct weft_job *job,
                                struct weft_err *err)
{
    uint32_t n = index->traffic->processors->n;
    size_t first = WEFT_FIRST(k, 0, index->n, index->edges[k] >= window.begin);
    size_t after = WEFT_FIRST(k, 0, index->n, index->edges[k + 1] > window.end);
    memset(out, 0, n * sizeof *out);
    for (size_t k = 0; k < after; k++)
        for (uint32_t q = 0; q < n; q++)
            for (int d = 0; d < WEFT_DIRECTIONS; d++) {
                const struct weft_directed_statistics *of = &index->blocks[k * n + q].of[d];
                if (k >= first)
                    weft_statistics_add(&out[q].of[d], of);
                out[q].of[d].queue_unknown |= of->queue_unknown;
            }
    if (first >= after) /* within a block, or across the edge of two */
        return add_piece(index, window, first ? index->edges[first - 1] : window.begin, out,
                         job, err);
    int64_t begin = index->edges[first], end = index->edges[after];
    return add_piece(index, (struct weft_span){ window.begin, begin }, window.begin, out,
                     job, err)
           && add_piece(index, (struct weft_span){ end, window.end }, end, out, job, err);
}
