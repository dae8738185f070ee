/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moving averages.  With S(t) the time that a processor was on until t, that of t is
 * S(t) - S(t - width), which is straight between the changes, and one width after them: so its
 * largest values are at these events.
 */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "model/utilization.h"

enum {
    CHUNK = 256, /* events between two values that are kept */
    BATCH = 256,
    GRAIN = 16,
    MOST_CHANGES =
        260, /* of a chunk of the utilization, the one that it begins with, too */
};

/* S(t - delay), as t goes on. */
struct integral {
    const struct weft_utilization *u;
    uint32_t index;
    bool with_overhead;
    int64_t delay;
    int64_t limit; /* no change after it is wanted */
    size_t chunk;  /* the changes in `times` are its */
    struct {
        int64_t time;
        enum weft_class class;
    } changes[MOST_CHANGES];
    size_t n, at;
    int64_t time; /* t - delay */
    bool on;
    int64_t sum;
};

static bool take_change(void *user, int64_t time, enum weft_class class)
{
    struct integral *s = user;
    s->changes[s->n].time = time;
    s->changes[s->n++].class = class;
    return s->n < MOST_CHANGES;
}

static void load(struct integral *s, size_t chunk)
{
    const struct weft_utilization *u = s->u;
    int64_t end = chunk + 1 < u->first[s->index + 1]
                      ? u->chunks[chunk + 1].begin
                      : u->processors->source->schema->span.end;
    end = end <= s->limit ? end : s->limit + 1;
    s->chunk = chunk;
    s->n = s->at = 0;
    weft_class_changes(u->processors, s->index,
                       (struct weft_span){ u->chunks[chunk].begin, end }, take_change, s);
}

static int64_t next_event(struct integral *s)
{
    while (s->at == s->n && s->chunk + 1 < s->u->first[s->index + 1]
           && s->u->chunks[s->chunk + 1].begin <= s->limit)
        load(s, s->chunk + 1);
    return s->at < s->n ? s->changes[s->at].time + s->delay : INT64_MAX;
}

static void advance(struct integral *s, int64_t t)
{
    int64_t until = t - s->delay;
    while (next_event(s) <= t) {
        s->sum += s->on ? s->changes[s->at].time - s->time : 0;
        s->time = s->changes[s->at].time;
        enum weft_class class = s->changes[s->at++].class;
        s->on =
            class == WEFT_CLASS_BUSY || (class == WEFT_CLASS_OVERHEAD && s->with_overhead);
    }
    s->sum += s->on ? until - s->time : 0;
    s->time = until;
}

static size_t chunk_before(const struct weft_utilization *u, uint32_t index, int64_t time)
{
    size_t low = u->first[index], high = u->first[index + 1];
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (u->chunks[middle].begin <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void begin_integral(struct integral *s, const struct weft_averages *a,
                           uint32_t index, int64_t t, int64_t limit, int64_t delay)
{
    s->u = a->utilization;
    s->index = index;
    s->with_overhead = a->with_overhead;
    s->delay = delay;
    s->limit = limit - delay;
    s->on = false;
    size_t chunk = chunk_before(s->u, index, t - delay);
    const struct weft_utilization_chunk *at = &s->u->chunks[chunk];
    s->sum = at->spent[0] + (a->with_overhead ? at->spent[1] : 0);
    s->time = at->begin < t - delay ? at->begin : t - delay;
    load(s, chunk);
    advance(s, t);
}

struct moving { /* the average of a processor, as t goes on */
    struct integral lead, trail;
    int64_t most;
};

static int64_t average_of(const struct moving *m)
{
    return m->lead.sum - m->trail.sum;
}

/* From T on, to LIMIT. */
static void begin_moving(struct moving *m, const struct weft_averages *a, uint32_t index,
                         int64_t t, int64_t limit)
{
    begin_integral(&m->lead, a, index, t, limit, 0);
    begin_integral(&m->trail, a, index, t, limit, a->width);
    m->most = average_of(m);
}

/* On to the next event, or to LIMIT when that comes before it; returns the time. */
static int64_t move(struct moving *m, int64_t limit)
{
    int64_t lead = next_event(&m->lead), trail = next_event(&m->trail);
    int64_t t = lead < trail ? lead : trail;
    t = t < limit ? t : limit;
    advance(&m->lead, t);
    advance(&m->trail, t);
    m->most = average_of(m) > m->most ? average_of(m) : m->most;
    return t;
}

/* ---- Chunks ---- */

struct list {
    struct weft_average_chunk *chunks;
    size_t n, capacity;
};

struct reading {
    const struct weft_averages *a;
    struct list *lists;
    uint32_t first;
    struct weft_job *job;
};

static void read_one(void *user, size_t i)
{
    const struct reading *r = user;
    uint32_t index = r->first + (uint32_t)i;
    struct list *list = &r->lists[index];
    struct weft_span span = r->a->utilization->processors->source->schema->span;
    struct moving *m = weft_alloc(sizeof *m);
    int64_t t = span.begin;
    begin_moving(m, r->a, index, t, span.end);
    size_t events = CHUNK;
    for (;; events++) {
        if (events == CHUNK) {
            list->chunks =
                weft_grow(list->chunks, &list->capacity, list->n + 1, sizeof *list->chunks);
            list->chunks[list->n++] = (struct weft_average_chunk){ t, average_of(m) };
            m->most = average_of(m);
            events = 0;
            if (weft_job_cancelled(r->job))
                break;
        }
        if (t >= span.end)
            break;
        t = move(m, span.end);
        list->chunks[list->n - 1].most = m->most;
    }
    free(m);
}

static void join(struct weft_averages *a, const struct list *lists)
{
    uint32_t n = a->utilization->processors->n;
    a->first = weft_alloc(((size_t)n + 1) * sizeof *a->first);
    size_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        a->first[i] = total;
        total += lists[i].n;
    }
    a->first[n] = total;
    a->chunks = weft_alloc((total + 1) * sizeof *a->chunks);
    for (uint32_t i = 0; i < n; i++)
        memcpy(a->chunks + a->first[i], lists[i].chunks, lists[i].n * sizeof *a->chunks);
}

struct weft_averages *weft_averages_make(const struct weft_utilization *u, int64_t width,
                                         bool with_overhead, struct weft_job *job,
                                         struct weft_err *err)
{
    uint32_t n = u->processors->n;
    struct weft_averages *a = weft_zalloc(1, sizeof *a);
    *a = (struct weft_averages){ .utilization = u,
                                 .width = width > 1 ? width : 1,
                                 .with_overhead = with_overhead };
    struct reading r = { a, weft_zalloc((size_t)n + 1, sizeof *r.lists), 0, job };
    bool ok = true;
    for (; ok && r.first < n; r.first += BATCH) {
        ok = weft_job_step(job, r.first, n, err);
        if (ok)
            weft_parallel(n - r.first < BATCH ? n - r.first : BATCH, 1, read_one, &r);
    }
    ok = ok && weft_job_step(job, n, n, err);
    if (ok)
        join(a, r.lists);
    for (uint32_t i = 0; i < n; i++)
        free(r.lists[i].chunks);
    free(r.lists);
    if (!ok) {
        weft_averages_free(a);
        return NULL;
    }
    return a;
}

void weft_averages_free(struct weft_averages *a)
{
    if (!a)
        return;
    free(a->first);
    free(a->chunks);
    free(a);
}

size_t weft_averages_bytes(const struct weft_averages *a)
{
    size_t n = a->utilization->processors->n;
    return sizeof *a + (n + 1) * sizeof *a->first + a->first[n] * sizeof *a->chunks;
}

/* ---- Answers ---- */

struct asking {
    const struct weft_averages *a;
    struct weft_processor_list list;
    struct weft_span window;
    struct weft_average *out;
};

/* The most of [from, to], events among them; *current is the average of TO. */
static int64_t most_between(const struct weft_averages *a, uint32_t index, int64_t from,
                            int64_t to, int64_t *current)
{
    struct moving *m = weft_alloc(sizeof *m);
    begin_moving(m, a, index, from, to);
    for (int64_t t = from; t < to;)
        t = move(m, to);
    *current = average_of(m);
    int64_t most = m->most;
    free(m);
    return most;
}

static void ask_one(void *user, size_t i)
{
    const struct asking *q = user;
    const struct weft_averages *a = q->a;
    uint32_t index = q->list.index[i];
    size_t first = a->first[index], after = a->first[index + 1];
    size_t low = first, high = after; /* chunks before LOW begin before the window does */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a->chunks[middle].begin < q->window.begin)
            low = middle + 1;
        else
            high = middle;
    }
    struct weft_average *out = &q->out[i];
    int64_t from = q->window.begin, most = 0;
    if (low < after && a->chunks[low].begin <= q->window.end) {
        if (a->chunks[low].begin > from)
            most = most_between(a, index, from, a->chunks[low].begin, &out->current);
        for (; low + 1 < after && a->chunks[low + 1].begin <= q->window.end; low++)
            most = a->chunks[low].most > most ? a->chunks[low].most : most;
        from = a->chunks[low].begin;
    }
    out->high = most_between(a, index, from, q->window.end, &out->current);
    out->high = most > out->high ? most : out->high;
}

void weft_averages_of(const struct weft_averages *a, struct weft_processor_list list,
                      struct weft_span window, struct weft_average *out)
{
    struct asking q = { a, list, window, out };
    weft_parallel(list.n, GRAIN, ask_one, &q);
}
