/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moving averages.  Let S(t) be the time until t that a processor was on: busy, or in
 * overhead if that counts.  The average S(t) - S(t - width) is linear between two events:
 * the changes, and the moments one width after them.  So it is greatest at an event.
 */
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/parallel.h"
#include "domains/messages/model/utilization.h"

enum {
    CHUNK = 64, /* events of a chunk */
    BATCH = 256,
    GRAIN = 16,
};

/* S(t - delay) while t moves on. */
struct integral {
    const struct weft_utilization *u;
    uint32_t index;
    bool with_overhead;
    int64_t delay;
    int64_t limit;                     /* changes after it are not needed */
    size_t chunk;                      /* the chunk that `turns` belongs to */
    int64_t turns[WEFT_CHUNK_MAX + 1]; /* times at which it goes on or off, alternately */
    size_t n, at;
    bool turned;  /* on after the last of them */
    int64_t time; /* t - delay */
    bool on;
    int64_t sum;
};

static bool is_on(const struct integral *s, uint8_t class)
{
    return class == WEFT_CLASS_BUSY || (class == WEFT_CLASS_OVERHEAD && s->with_overhead);
}

static bool add_run(void *user, const struct weft_class_run *run)
{
    struct integral *s = user;
    size_t n = s->n;
    bool on = s->turned;
    for (size_t i = 0; i < run->n && n <= WEFT_CHUNK_MAX; i++) {
        bool after = is_on(s, run->classes[i]);
        s->turns[n] = run->times[i];
        n += after != on;
        on = after;
    }
    s->n = n;
    s->turned = on;
    return true;
}

/*
 * Loads the turns of a chunk from FROM on.  They follow those of the chunk before, or a
 * time in which it was off.
 */
static void load(struct integral *s, size_t chunk, int64_t from)
{
    const struct weft_utilization *u = s->u;
    int64_t end = chunk + 1 < u->first[s->index + 1]
                      ? u->begins[chunk + 1]
                      : u->processors->source->schema->span.end;
    end = end <= s->limit ? end : s->limit + 1;
    s->chunk = chunk;
    s->at = s->n = 0;
    struct weft_span rest = { from, end };
    if (from <= u->begins[chunk]) { /* the chunk has the class at its begin */
        s->n = is_on(s, (uint8_t)u->chunks[chunk].class) != s->turned;
        s->turns[0] = u->begins[chunk];
        s->turned ^= s->n;
        rest = weft_utilization_after(u, chunk, end);
    }
    weft_class_runs(u->processors, s->index, rest, add_run, s);
}

static inline int64_t next_event(struct integral *s)
{
    while (s->at == s->n && s->chunk + 1 < s->u->first[s->index + 1]
           && s->u->begins[s->chunk + 1] <= s->limit)
        load(s, s->chunk + 1, s->u->begins[s->chunk + 1]);
    return s->at < s->n ? s->turns[s->at] + s->delay : INT64_MAX;
}

static inline void advance(struct integral *s, int64_t t)
{
    int64_t until = t - s->delay;
    while (next_event(s) <= t) {
        s->sum += s->on ? s->turns[s->at] - s->time : 0;
        s->time = s->turns[s->at++];
        s->on = !s->on;
    }
    s->sum += s->on ? until - s->time : 0;
    s->time = until;
}

/*
 * Fills ON[n] with the ticks that processors were on before N moments, at most 3 * GRAIN.
 */
static void on_until(const struct weft_averages *a,
                     const struct weft_processor_moment *moments, size_t n, int64_t *on)
{
    int64_t spent[3 * GRAIN][WEFT_CLASSES];
    weft_utilization_spent(a->utilization, moments, n, spent);
    for (size_t i = 0; i < n; i++)
        on[i] = spent[i][WEFT_CLASS_BUSY]
                + (a->with_overhead ? spent[i][WEFT_CLASS_OVERHEAD] : 0);
}

/* Starts an integral at T, where its sum is 0. */
static void begin_integral(struct integral *s, const struct weft_averages *a,
                           uint32_t index, int64_t t, int64_t limit, int64_t delay)
{
    s->sum = 0;
    s->u = a->utilization;
    s->index = index;
    s->with_overhead = a->with_overhead;
    s->delay = delay;
    s->limit = limit - delay;
    s->on = s->turned = false;
    s->time = t - delay;
    load(s, weft_utilization_chunk_at(s->u, index, s->time), s->time);
    advance(s, t);
}

struct moving_average { /* the average of a processor while t moves on */
    struct integral lead, trail;
    int64_t most;
};

static int64_t average_of(const struct moving_average *m)
{
    return m->lead.sum - m->trail.sum;
}

/* Starts an average at T, where it counts as 0; no time after LIMIT will be asked for. */
static void begin_moving(struct moving_average *m, const struct weft_averages *a,
                         uint32_t index, int64_t t, int64_t limit)
{
    begin_integral(&m->lead, a, index, t, limit, 0);
    begin_integral(&m->trail, a, index, t, limit, a->width);
    m->most = 0;
}

/* Moves on to the next event, or to LIMIT if that comes first, and returns the time. */
static int64_t move(struct moving_average *m, int64_t limit)
{
    int64_t lead = next_event(&m->lead), trail = next_event(&m->trail);
    int64_t t = lead < trail ? lead : trail;
    t = t < limit ? t : limit;
    advance(&m->lead, t);
    advance(&m->trail, t);
    m->most = average_of(m) > m->most ? average_of(m) : m->most;
    return t;
}

/*
 * Moves on from T through the events in memory, at most to LIMIT, and returns the time.
 * Without branches on the kind of event, since that cannot be predicted.
 */
static int64_t move_on(struct moving_average *m, int64_t t, int64_t limit)
{
    struct integral *lead = &m->lead, *trail = &m->trail;
    int64_t average = average_of(m), most = m->most;
    int64_t lead_on = lead->on, trail_on = trail->on;
    size_t i = lead->at, j = trail->at;
    while (i < lead->n && j < trail->n) {
        int64_t turn = lead->turns[i], trailing = trail->turns[j] + trail->delay;
        int64_t next = turn < trailing ? turn : trailing;
        if (next > limit)
            break;
        average += (next - t) & -(lead_on & ~trail_on);
        average -= (next - t) & -(trail_on & ~lead_on);
        most = average > most ? average : most;
        t = next;
        i += turn == next;
        j += trailing == next;
        lead_on ^= turn == next;
        trail_on ^= trailing == next;
    }
    lead->sum = average;
    trail->sum = 0;
    lead->time = t;
    trail->time = t - trail->delay;
    lead->on = lead_on;
    trail->on = trail_on;
    lead->at = i;
    trail->at = j;
    m->most = most;
    return t;
}

/* ---- Chunks ---- */

struct chunk_list {
    struct weft_average_chunk *chunks;
    size_t n, capacity;
};

struct chunk_batch {
    const struct weft_averages *a;
    struct chunk_list *lists; /* of the batch */
    uint32_t first;
    struct weft_job *job;
};

static void read_one(void *user, size_t i)
{
    const struct chunk_batch *batch = user;
    uint32_t index = batch->first + (uint32_t)i;
    struct chunk_list *list = &batch->lists[i];
    struct weft_span span = batch->a->utilization->processors->source->schema->span;
    struct moving_average moving, *m = &moving;
    int64_t t = span.begin;
    begin_moving(m, batch->a, index, t, span.end);
    size_t events = CHUNK;
    for (;; events++) {
        if (events == CHUNK) {
            list->chunks =
                weft_grow(list->chunks, &list->capacity, list->n + 1, sizeof *list->chunks);
            list->chunks[list->n++] = (struct weft_average_chunk){ t, average_of(m) };
            m->most = average_of(m);
            events = 0;
            if (weft_job_cancelled(batch->job))
                break;
        }
        if (t >= span.end)
            break;
        t = move(m, span.end);
        list->chunks[list->n - 1].most = m->most;
    }
}

/* Appends the chunks of a batch, and frees its lists. */
static void join(struct weft_averages *a, struct chunk_list *lists, uint32_t first,
                 uint32_t n, size_t *capacity)
{
    size_t total = a->first[first];
    for (uint32_t i = 0; i < n; i++) {
        a->chunks = weft_grow(a->chunks, capacity, total + lists[i].n, sizeof *a->chunks);
        if (lists[i].n)
            memcpy(a->chunks + total, lists[i].chunks, lists[i].n * sizeof *a->chunks);
        total += lists[i].n;
        a->first[first + i + 1] = total;
        free(lists[i].chunks);
        lists[i] = (struct chunk_list){ 0 };
    }
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
    a->first = weft_zalloc((size_t)n + 1, sizeof *a->first);
    struct chunk_list lists[BATCH] = { 0 };
    struct chunk_batch batch = { a, lists, 0, job };
    size_t capacity = 0;
    bool ok = true;
    for (; ok && batch.first < n; batch.first += BATCH) {
        uint32_t some = n - batch.first < BATCH ? n - batch.first : BATCH;
        ok = weft_job_step(job, batch.first, n, err);
        if (!ok)
            break;
        weft_parallel(some, 1, read_one, &batch);
        join(a, lists, batch.first, some, &capacity);
    }
    ok = ok && weft_job_step(job, n, n, err);
    if (!ok) {
        weft_averages_free(a);
        return NULL;
    }
    a->chunks = weft_realloc(a->chunks, (a->first[n] + 1) * sizeof *a->chunks);
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

struct average_query {
    const struct weft_averages *a;
    struct weft_processor_list list;
    struct weft_span window;
    int64_t since;
    struct weft_average *out;
};

/*
 * Returns how far the average rises above its value at FROM in [from, to]; *LAST gets the
 * difference at TO.
 */
static int64_t rise_between(const struct weft_averages *a, uint32_t index, int64_t from,
                            int64_t to, int64_t *last)
{
    struct moving_average m;
    begin_moving(&m, a, index, from, to);
    for (int64_t t = from; t < to;) {
        t = move_on(&m, t, to);
        t = t < to ? move(&m, to) : t;
    }
    *last = average_of(&m);
    return m.most;
}

static int64_t average_at(const struct weft_averages *a, uint32_t index, int64_t time)
{
    const struct weft_processor_moment moments[] = { { index, time - a->width },
                                                     { index, time } };
    int64_t on[2];
    on_until(a, moments, 2, on);
    return on[1] - on[0];
}

/*
 * Returns the greatest average in the window.  Chunks inside it have theirs.  Changes are
 * read only in a chunk at the window's edge whose greatest average exceeds these and
 * CURRENT.
 */
static int64_t ask_most(const struct average_query *query, uint32_t index, int64_t current)
{
    const struct weft_averages *a = query->a;
    int64_t from = query->window.begin, to = query->window.end, most = current, end;
    size_t after = a->first[index + 1];
    /* Chunk LOW begins at FROM or before, or is the first. */
    size_t low = WEFT_LAST(i, a->first[index], after, a->chunks[i].begin <= from);
    size_t last = low;
    for (; last + 1 < after && a->chunks[last + 1].begin <= to; last++)
        if (last > low && a->chunks[last].most > most)
            most = a->chunks[last].most;
    if (a->chunks[last].most > most) {
        int64_t begin = last > low ? a->chunks[last].begin : from;
        int64_t rise = rise_between(a, index, begin, to, &end);
        most = current - end + rise > most ? current - end + rise : most;
    }
    if (last > low && a->chunks[low].most > most) {
        int64_t here = average_at(a, index, from)
                       + rise_between(a, index, from, a->chunks[low + 1].begin, &end);
        most = here > most ? here : most;
    }
    return most;
}

/* Handles GRAIN processors. */
static void ask_some(void *user, size_t part)
{
    const struct average_query *query = user;
    struct weft_processor_moment moments[3 * GRAIN] = { 0 };
    int64_t on[3 * GRAIN] = { 0 }, to = query->window.end;
    size_t first = part * GRAIN,
           n = query->list.n - first < GRAIN ? query->list.n - first : GRAIN;
    bool later =
        query->since > query->a->utilization->processors->source->schema->span.begin;
    for (size_t i = 0; i < n; i++) {
        uint32_t index = query->list.index[first + i];
        moments[2 * i] = (struct weft_processor_moment){ index, to - query->a->width };
        moments[2 * i + 1] = (struct weft_processor_moment){ index, to };
        moments[2 * n + i] = (struct weft_processor_moment){ index, query->since };
    }
    on_until(query->a, moments, later ? 3 * n : 2 * n, on);
    for (size_t i = 0; i < n; i++) {
        struct weft_average *out = &query->out[first + i];
        out->current = on[2 * i + 1] - on[2 * i];
        out->spent = on[2 * i + 1] - on[2 * n + i];
        out->high = ask_most(query, query->list.index[first + i], out->current);
    }
}

void weft_averages_of(const struct weft_averages *a, struct weft_processor_list list,
                      struct weft_span window, int64_t since, struct weft_average *out)
{
    struct average_query query = { a, list, window, since, out };
    weft_parallel(((size_t)list.n + GRAIN - 1) / GRAIN, 1, ask_some, &query);
}
