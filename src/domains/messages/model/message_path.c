/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/messages/model/message_path.h"

#include <stdlib.h>

/* A call of a collective operation, to be found by the time at which it ends. */
struct ended_call {
    uint32_t processor;
    int64_t exit;
    size_t call, collective;
};

/* The idle stretches of one chunk of one processor's changes of class. */
struct stretches {
    uint32_t processor; /* or WEFT_NONE: none are read */
    size_t chunk;
    struct weft_span list[WEFT_CHUNK_MAX + 2];
    size_t n;
    int64_t idle_since; /* while the chunk is read; INT64_MIN: the class is another */
};

struct walk {
    const struct weft_traffic *traffic;
    const struct weft_utilization *utilization;
    const struct weft_processors *processors;
    struct weft_message_path *path;
    size_t capacity;
    /* containers at which messages arrive, grouped by processor */
    uint32_t *ends;
    size_t *first_end;        /* [processors + 1] */
    struct ended_call *calls; /* [n_calls], by processor, then exit */
    size_t n_calls;
    struct stretches stretches;
    int64_t *last_left; /* by processor: the time at which the path left it last */
};

/* ---- Where messages arrive ---- */

static void find_ends(struct walk *w)
{
    const struct weft_source *source = w->traffic->source;
    const uint32_t *index_of = w->processors->index_of;
    struct weft_pair_sums sums = { 0 };
    struct weft_span span = source->schema->span;
    span.end += span.end < WEFT_TIME_LIMIT - 1;
    source->ops->pair_sums(source, w->traffic->tracks, w->traffic->n_tracks, span, &sums);
    uint8_t *is_end = weft_zalloc((size_t)source->schema->n_containers + 1, 1);
    w->first_end = weft_zalloc((size_t)w->processors->n + 2, sizeof *w->first_end);
    for (size_t i = 0; i < sums.n; i++) {
        uint32_t to = sums.rows[i].to;
        if (to == WEFT_NONE || is_end[to] || index_of[to] == WEFT_NONE)
            continue;
        is_end[to] = 1;
        w->first_end[index_of[to] + 2]++;
    }
    free(sums.rows);
    for (uint32_t p = 0; p < w->processors->n; p++)
        w->first_end[p + 2] += w->first_end[p + 1];
    w->ends = weft_alloc((w->first_end[w->processors->n + 1] + 1) * sizeof *w->ends);
    for (uint32_t c = 0; c < source->schema->n_containers; c++)
        if (is_end[c])
            w->ends[w->first_end[index_of[c] + 1]++] = c;
    free(is_end);
}

static int by_exit(const void *a, const void *b)
{
    const struct ended_call *x = a, *y = b;
    if (x->processor != y->processor)
        return x->processor < y->processor ? -1 : 1;
    return (x->exit > y->exit) - (x->exit < y->exit);
}

static void list_calls(struct walk *w)
{
    const struct weft_traffic *traffic = w->traffic;
    w->calls = weft_alloc((traffic->n_calls + 1) * sizeof *w->calls);
    for (size_t i = 0; i < traffic->n_collectives; i++) {
        const struct weft_collective *of = &traffic->collectives[i];
        for (uint32_t k = 0; k < of->n_calls; k++) {
            size_t call = of->first_call + k;
            if (weft_collective_receives(of, &traffic->calls[call]))
                w->calls[w->n_calls++] =
                    (struct ended_call){ traffic->calls[call].processor,
                                         traffic->calls[call].exit, call, i };
        }
    }
    qsort(w->calls, w->n_calls, sizeof *w->calls, by_exit);
}

/* ---- Which message ended a wait ---- */

/* The last message that a processor received at a time. */
struct arrival {
    struct walk *walk;
    uint32_t to;
    struct weft_span wait; /* idle; the message was sent in it, and received at its end */
    int64_t sent;
    uint32_t from; /* WEFT_NONE: no such message */
};

static void consider(struct arrival *a, uint32_t from, int64_t sent)
{
    if (from == WEFT_NONE || from == a->to || sent <= a->wait.begin || sent > a->wait.end)
        return;
    /* A message without time on its way leads to each processor once. */
    if (sent == a->wait.end && a->walk->last_left[from] == sent)
        return;
    if (a->from == WEFT_NONE || sent > a->sent || (sent == a->sent && from < a->from)) {
        a->from = from;
        a->sent = sent;
    }
}

static bool is_of_traffic(const struct weft_traffic *traffic, uint32_t track)
{
    for (size_t i = 0; i < traffic->n_tracks; i++)
        if (traffic->tracks[i] == track)
            return true;
    return false;
}

static bool consider_link(void *user, const struct weft_link *link)
{
    struct arrival *a = user;
    if (link->end == a->wait.end && !(link->flags & WEFT_END_IMPLIED)
        && link->from != WEFT_NONE
        && is_of_traffic(a->walk->traffic, weft_entity_track(link->id)))
        consider(a, a->walk->processors->index_of[link->from], link->begin);
    return true;
}

static void consider_operation(struct arrival *a, const struct ended_call *ended)
{
    const struct weft_traffic *traffic = a->walk->traffic;
    const struct weft_collective *of = &traffic->collectives[ended->collective];
    const struct weft_collective_call *mine = &traffic->calls[ended->call];
    for (uint32_t k = 0; k < of->n_calls; k++) {
        const struct weft_collective_call *other = &traffic->calls[of->first_call + k];
        if (other != mine && weft_collective_sends(of, other)
            && (of->pattern != WEFT_ROLE_PREFIX || other->rank < mine->rank))
            consider(a, other->processor, other->entry);
    }
}

static void consider_operations(struct arrival *a)
{
    const struct walk *w = a->walk;
    const struct ended_call key = { .processor = a->to, .exit = a->wait.end };
    size_t low = 0, high = w->n_calls;
    while (low < high) { /* the first call that does not end before */
        size_t middle = low + (high - low) / 2;
        if (by_exit(&w->calls[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < w->n_calls && !by_exit(&w->calls[low], &key); low++)
        consider_operation(a, &w->calls[low]);
}

static struct arrival arrival_of(struct walk *w, uint32_t to, struct weft_span wait,
                                 enum weft_collectives collectives)
{
    const struct weft_source *source = w->traffic->source;
    struct arrival a = { .walk = w, .to = to, .wait = wait, .from = WEFT_NONE };
    for (size_t i = w->first_end[to]; i < w->first_end[to + 1]; i++)
        source->ops->links_at(source, w->ends[i], true,
                              (struct weft_span){ wait.end, wait.end + 1 }, consider_link,
                              &a);
    if (collectives != WEFT_COLLECTIVES_NONE)
        consider_operations(&a);
    return a;
}

/* ---- Idle stretches, backwards ---- */

/* The first call repeats the class at the chunk's begin, or ends it. */
static bool note_class(void *user, int64_t time, enum weft_class class)
{
    struct stretches *s = user;
    bool idle = s->idle_since != INT64_MIN;
    if (class == WEFT_CLASS_IDLE && idle)
        return true;
    if (idle && s->n < sizeof s->list / sizeof *s->list)
        s->list[s->n++] = (struct weft_span){ s->idle_since, time };
    s->idle_since = class == WEFT_CLASS_IDLE ? time : INT64_MIN;
    return true;
}

/* Reads the stretches that end in CHUNK; the first may begin before it. */
static void read_chunk(struct walk *w, uint32_t processor, size_t chunk)
{
    const struct weft_utilization *u = w->utilization;
    struct stretches *s = &w->stretches;
    bool last = chunk + 1 == u->first[processor + 1];
    int64_t end = last ? w->traffic->source->schema->span.end : u->begins[chunk + 1] + 1;
    *s = (struct stretches){ .processor = processor,
                             .chunk = chunk,
                             .idle_since = INT64_MIN };
    if (u->chunks[chunk].class == WEFT_CLASS_IDLE)
        s->idle_since = u->chunks[chunk].streaks[1].since;
    weft_class_changes(w->processors, processor, weft_utilization_after(u, chunk, end),
                       note_class, s);
}

/*
 * Sets *WAIT to the last idle stretch of a processor that ends at LIMIT or before; returns
 * false if there is none.
 */
static bool stretch_before(struct walk *w, uint32_t processor, int64_t limit,
                           struct weft_span *wait)
{
    const struct weft_utilization *u = w->utilization;
    size_t chunk = weft_utilization_chunk_at(u, processor, limit);
    for (;; chunk--) {
        if (w->stretches.processor != processor || w->stretches.chunk != chunk)
            read_chunk(w, processor, chunk);
        for (size_t i = w->stretches.n; i-- > 0;)
            if (w->stretches.list[i].end <= limit) {
                *wait = w->stretches.list[i];
                return true;
            }
        if (chunk == u->first[processor])
            return false;
    }
}

/* ---- The walk ---- */

static void add_part(struct walk *w, struct weft_path_part part)
{
    struct weft_message_path *path = w->path;
    if (part.end <= part.begin && !part.message)
        return;
    path->parts = weft_grow(path->parts, &w->capacity, path->n + 1, sizeof *path->parts);
    path->parts[path->n++] = part;
    path->n_messages += part.message;
    *(part.message ? &path->in_messages : &path->on_processors) += part.end - part.begin;
}

static uint32_t latest_processor(const struct weft_processors *processors)
{
    uint32_t latest = 0;
    for (uint32_t p = 1; p < processors->n; p++)
        if (processors->processors[p].finish > processors->processors[latest].finish)
            latest = p;
    return latest;
}

static bool walk_back(struct walk *w, enum weft_collectives collectives,
                      struct weft_job *job, struct weft_err *err)
{
    uint32_t at = latest_processor(w->processors);
    int64_t begin = w->traffic->source->schema->span.begin;
    int64_t time = w->processors->processors[at].finish, limit = time;
    uint64_t full = (uint64_t)(time - begin), steps = 0;
    struct weft_span wait;
    while (stretch_before(w, at, limit, &wait)) {
        struct arrival a = arrival_of(w, at, wait, collectives);
        if (++steps % 1024 == 0
            && !weft_job_step(job, full - (uint64_t)(limit - begin), full, err))
            return false;
        if (a.from == WEFT_NONE) {
            limit = wait.begin;
            continue;
        }
        add_part(w, (struct weft_path_part){ wait.end, time, at, at, false });
        add_part(w, (struct weft_path_part){ a.sent, wait.end, a.from, at, true });
        w->last_left[at] = wait.end;
        at = a.from;
        time = limit = a.sent;
    }
    add_part(w, (struct weft_path_part){ begin, time, at, at, false });
    return weft_job_step(job, full, full, err);
}

static void reverse(struct weft_message_path *path)
{
    for (size_t i = 0; i < path->n / 2; i++) {
        struct weft_path_part part = path->parts[i];
        path->parts[i] = path->parts[path->n - 1 - i];
        path->parts[path->n - 1 - i] = part;
    }
}

struct weft_message_path *weft_message_path_make(const struct weft_traffic *traffic,
                                                 const struct weft_utilization *utilization,
                                                 enum weft_collectives collectives,
                                                 struct weft_job *job, struct weft_err *err)
{
    struct weft_message_path *path = weft_zalloc(1, sizeof *path);
    struct walk *w = weft_zalloc(1, sizeof *w);
    *w = (struct walk){ .traffic = traffic,
                        .utilization = utilization,
                        .processors = traffic->processors,
                        .path = path,
                        .stretches = { .processor = WEFT_NONE } };
    w->last_left = weft_alloc(((size_t)w->processors->n + 1) * sizeof *w->last_left);
    for (uint32_t p = 0; p < w->processors->n; p++)
        w->last_left[p] = INT64_MIN;
    find_ends(w);
    list_calls(w);
    bool ok = walk_back(w, collectives, job, err);
    reverse(path);
    free(w->ends);
    free(w->first_end);
    free(w->calls);
    free(w->last_left);
    free(w);
    if (ok)
        return path;
    weft_message_path_free(path);
    return NULL;
}

void weft_message_path_free(struct weft_message_path *path)
{
    if (path)
        free(path->parts);
    free(path);
}

size_t weft_message_path_bytes(const struct weft_message_path *path)
{
    return sizeof *path + path->n * sizeof *path->parts;
}
