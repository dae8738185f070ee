/* SPDX-License-Identifier: Apache-2.0 */
/* Makes chunks of changes of class, and answers from them. */
#include "domains/messages/model/utilization.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/parallel.h"

enum {
    CHUNK = 256,       /* changes: about a block of the store, the least that can be read */
    SHORT = CHUNK / 2, /* least changes of a chunk that ends with a run */
    BATCH = 256,       /* processors between two looks at the job */
    GRAIN = 16,        /* processors that a thread takes at once */
    AT_ONCE = 32,      /* moments that are looked up together */
};

/* ---- Chunks ---- */

/* Returns the kind of streak that a class is part of. */
static int kind_of(enum weft_class class, bool overhead_wins)
{
    if (class == WEFT_CLASS_UNKNOWN)
        return WEFT_NO_STREAK;
    return class == WEFT_CLASS_BUSY || (class == WEFT_CLASS_OVERHEAD && overhead_wins)
               ? WEFT_WIN
               : WEFT_LOSS;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

struct history { /* of one processor, while it is read */
    struct weft_utilization_chunk *chunks;
    int64_t *begins;
    size_t n, capacity, begin_capacity;
    size_t changes; /* of the last chunk */
    int64_t time;
    enum weft_class class;
    int64_t spent[WEFT_CLASSES], since[2];
};

static void begin_chunk(struct history *h)
{
    h->chunks = weft_grow(h->chunks, &h->capacity, h->n + 1, sizeof *h->chunks);
    h->begins = weft_grow(h->begins, &h->begin_capacity, h->n + 1, sizeof *h->begins);
    h->begins[h->n] = h->time;
    struct weft_utilization_chunk *chunk = &h->chunks[h->n++];
    *chunk = (struct weft_utilization_chunk){ .class = h->class };
    memcpy(chunk->spent, h->spent, sizeof chunk->spent);
    for (int i = 0; i < 2; i++) {
        chunk->streaks[i].since = h->since[i];
        chunk->streaks[i].first_end = INT64_MAX;
    }
    h->changes = 0;
}

/* Ends a streak of one of the two ways to count overhead. */
static void end_streak(struct weft_chunk_streaks *streaks, int kind, int64_t since,
                       int64_t time)
{
    if (streaks->first_end == INT64_MAX)
        streaks->first_end = time;
    else if (kind != WEFT_NO_STREAK)
        streaks->longest[kind] = larger(streaks->longest[kind], time - since);
}

static void add_change(struct history *h, int64_t time, enum weft_class class)
{
    struct weft_utilization_chunk *chunk = &h->chunks[h->n - 1];
    if (h->class != WEFT_CLASS_UNKNOWN)
        h->spent[h->class] += time - h->time;
    for (int i = 0; i < 2; i++) {
        if (kind_of(h->class, i) == kind_of(class, i))
            continue;
        end_streak(&chunk->streaks[i], kind_of(h->class, i), h->since[i], time);
        h->since[i] = time;
    }
    h->time = time;
    h->class = class;
    h->changes++;
}

static bool add_run(void *user, const struct weft_class_run *run)
{
    struct history *h = user;
    for (size_t i = 0; i < run->n; i++) {
        if (h->n) {
            add_change(h, run->times[i], (enum weft_class)run->classes[i]);
        } else {
            h->time = h->since[0] = h->since[1] = run->times[i];
            h->class = (enum weft_class)run->classes[i];
        }
        if (!h->n || (i == 0 && h->changes >= SHORT) || h->changes == WEFT_CHUNK_MAX)
            begin_chunk(h);
    }
    return true;
}

struct history_batch {
    const struct weft_processors *p;
    struct history *histories; /* [n] */
    uint32_t first;            /* of the batch */
    struct weft_job *job;
};

static struct weft_span whole(const struct weft_processors *p)
{
    /* A trace without length still has one moment, at which processors have a class. */
    struct weft_span span = p->source->schema->span;
    span.end += span.end == span.begin;
    return span;
}

static void read_one(void *user, size_t i)
{
    const struct history_batch *batch = user;
    uint32_t index = batch->first + (uint32_t)i;
    if (!weft_job_cancelled(batch->job))
        weft_class_runs(batch->p, index, whole(batch->p), add_run,
                        &batch->histories[index]);
}

static void free_history(struct history *h)
{
    free(h->begins);
    free(h->chunks);
    *h = (struct history){ 0 };
}

/* Joins the chunks of all processors. */
static void join(struct weft_utilization *u, struct history *histories)
{
    uint32_t n = u->processors->n;
    size_t total = 0;
    for (uint32_t i = 0; i < n; i++) {
        u->first[i] = total;
        total += histories[i].n;
    }
    u->first[n] = total;
    u->begins = weft_alloc((total + 1) * sizeof *u->begins);
    u->chunks = weft_alloc((total + 1) * sizeof *u->chunks);
    for (uint32_t i = 0; i < n; i++) {
        struct history *h = &histories[i];
        if (h->n) {
            memcpy(u->begins + u->first[i], h->begins, h->n * sizeof *u->begins);
            memcpy(u->chunks + u->first[i], h->chunks, h->n * sizeof *u->chunks);
        }
        free_history(h);
    }
}

struct weft_utilization *weft_utilization_make(const struct weft_processors *p,
                                               struct weft_job *job, struct weft_err *err)
{
    struct history_batch batch = { p,
                                   weft_zalloc((size_t)p->n + 1, sizeof *batch.histories),
                                   0, job };
    bool ok = true;
    for (; ok && batch.first < p->n; batch.first += BATCH) {
        ok = weft_job_step(job, batch.first, p->n, err);
        if (ok)
            weft_parallel(p->n - batch.first < BATCH ? p->n - batch.first : BATCH, 1,
                          read_one, &batch);
    }
    ok = ok && weft_job_step(job, p->n, p->n, err);
    struct weft_utilization *u = NULL;
    if (ok) {
        u = weft_zalloc(1, sizeof *u);
        u->processors = p;
        u->first = weft_alloc(((size_t)p->n + 1) * sizeof *u->first);
        join(u, batch.histories);
    }
    for (uint32_t i = 0; i < p->n; i++)
        free_history(&batch.histories[i]);
    free(batch.histories);
    return u;
}

void weft_utilization_free(struct weft_utilization *u)
{
    if (!u)
        return;
    free(u->first);
    free(u->begins);
    free(u->chunks);
    free(u);
}

size_t weft_utilization_bytes(const struct weft_utilization *u)
{
    size_t n = u->processors->n;
    return sizeof *u + (n + 1) * sizeof *u->first
           + u->first[n] * (sizeof *u->begins + sizeof *u->chunks);
}

/* ---- Sums ---- */

size_t weft_utilization_chunk_at(const struct weft_utilization *u, uint32_t index,
                                 int64_t time)
{
    return WEFT_LAST(i, u->first[index], u->first[index + 1], u->begins[i] <= time);
}

/* Guesses the chunk of a moment, as if all chunks were equally long. */
static size_t guess_chunk(const struct weft_utilization *u,
                          const struct weft_processor_moment *moment)
{
    struct weft_span span = u->processors->source->schema->span;
    size_t first = u->first[moment->index], n = u->first[moment->index + 1] - first;
    double length = (double)span.end - (double)span.begin;
    double part = ((double)moment->time - (double)span.begin) / (length > 1 ? length : 1);
    return first + (part > 0 && part < 1 ? (size_t)(part * (double)n) : 0);
}

/* Handles at most AT_ONCE moments; each stage prefetches what the next one reads. */
static void spent_some(const struct weft_utilization *u,
                       const struct weft_processor_moment *moments, size_t n,
                       int64_t (*spent)[WEFT_CLASSES])
{
    const struct weft_processors *p = u->processors;
    struct weft_class_part parts[AT_ONCE];
    size_t at[AT_ONCE];
    for (size_t i = 0; i < n; i++) {
        __builtin_prefetch(&u->first[moments[i].index]);
        __builtin_prefetch(&p->processors[moments[i].index]);
    }
    for (size_t i = 0; i < n; i++)
        __builtin_prefetch(&u->begins[guess_chunk(u, &moments[i])]);
    for (size_t i = 0; i < n; i++) {
        at[i] = weft_utilization_chunk_at(u, moments[i].index, moments[i].time);
        __builtin_prefetch(&u->chunks[at[i]]);
        __builtin_prefetch(&u->chunks[at[i]].class);
        parts[i] =
            (struct weft_class_part){ moments[i].index,
                                      weft_utilization_after(u, at[i], moments[i].time) };
    }
    weft_class_ticks(p, parts, n, spent);
    for (size_t i = 0; i < n; i++) {
        const struct weft_utilization_chunk *chunk = &u->chunks[at[i]];
        /* the first tick of the chunk, which parts[i] leaves out */
        if (chunk->class != WEFT_CLASS_UNKNOWN)
            spent[i][chunk->class] += moments[i].time > u->begins[at[i]];
        for (size_t c = 0; c < WEFT_CLASSES; c++)
            spent[i][c] += chunk->spent[c];
    }
}

void weft_utilization_spent(const struct weft_utilization *u,
                            const struct weft_processor_moment *moments, size_t n,
                            int64_t (*spent)[WEFT_CLASSES])
{
    for (size_t i = 0; i < n; i += AT_ONCE)
        spent_some(u, moments + i, n - i < AT_ONCE ? n - i : AT_ONCE, spent + i);
}

struct utilization_query {
    const struct weft_utilization *u;
    struct weft_processor_list list;
    struct weft_span window;
    int64_t (*ticks)[WEFT_CLASSES];
    struct weft_streak *streaks;
    bool overhead_wins;
};

/* Handles GRAIN processors, at both ends of the window. */
static void sum_some(void *user, size_t part)
{
    const struct utilization_query *query = user;
    struct weft_processor_moment moments[2 * GRAIN] = { 0 };
    int64_t spent[2 * GRAIN][WEFT_CLASSES];
    size_t first = part * GRAIN,
           n = query->list.n - first < GRAIN ? query->list.n - first : GRAIN;
    for (size_t i = 0; i < n; i++) {
        moments[2 * i] = (struct weft_processor_moment){ query->list.index[first + i],
                                                         query->window.begin };
        moments[2 * i + 1] = (struct weft_processor_moment){ query->list.index[first + i],
                                                             query->window.end };
    }
    weft_utilization_spent(query->u, moments, 2 * n, spent);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < WEFT_CLASSES; c++)
            query->ticks[first + i][c] = spent[2 * i + 1][c] - spent[2 * i][c];
}

void weft_utilization_ticks(const struct weft_utilization *u,
                            struct weft_processor_list list, struct weft_span window,
                            int64_t (*ticks)[WEFT_CLASSES])
{
    struct utilization_query query = {
        .u = u, .list = list, .window = window, .ticks = ticks
    };
    weft_parallel(((size_t)list.n + GRAIN - 1) / GRAIN, 1, sum_some, &query);
}

struct weft_span weft_utilization_around(const struct weft_utilization *u, uint32_t index,
                                         int64_t time)
{
    size_t chunk = weft_utilization_chunk_at(u, index, time);
    int64_t end = chunk + 1 < u->first[index + 1] ? u->begins[chunk + 1]
                                                  : u->processors->source->schema->span.end;
    int64_t begin = u->begins[chunk];
    return (struct weft_span){ begin, end > begin ? end : begin + 1 };
}

/* ---- Streaks ---- */

struct streak_scan {
    bool overhead_wins;
    int kind;
    int64_t since;
    int64_t longest[2];
};

/* Ends the streak that is on, if any, at TIME. */
static void end_kind(struct streak_scan *s, int64_t time)
{
    if (s->kind != WEFT_NO_STREAK)
        s->longest[s->kind] = larger(s->longest[s->kind], time - s->since);
}

static void go_on(struct streak_scan *s, int64_t time, enum weft_class class)
{
    int kind = kind_of(class, s->overhead_wins);
    if (s->kind < 0) {
        s->kind = kind;
        s->since = time;
    } else if (kind != s->kind) {
        end_kind(s, time);
        s->kind = kind;
        s->since = time;
    }
}

static bool go_through(void *user, const struct weft_class_run *run)
{
    for (size_t i = 0; i < run->n; i++)
        go_on(user, run->times[i], (enum weft_class)run->classes[i]);
    return true;
}

/* Moves on from a chunk's begin to the next one's. */
static void pass_chunk(struct streak_scan *s, const struct weft_utilization_chunk *chunk)
{
    const struct weft_chunk_streaks *of = &chunk->streaks[s->overhead_wins];
    if (of->first_end == INT64_MAX)
        return;
    end_kind(s, of->first_end);
    s->longest[WEFT_LOSS] = larger(s->longest[WEFT_LOSS], of->longest[WEFT_LOSS]);
    s->longest[WEFT_WIN] = larger(s->longest[WEFT_WIN], of->longest[WEFT_WIN]);
    s->kind = kind_of(chunk[1].class, s->overhead_wins);
    s->since = chunk[1].streaks[s->overhead_wins].since;
}

static void streak_one(void *user, size_t i)
{
    const struct utilization_query *query = user;
    const struct weft_utilization *u = query->u;
    uint32_t index = query->list.index[i];
    size_t chunk = weft_utilization_chunk_at(u, index, query->window.begin);
    size_t after = u->first[index + 1];
    struct streak_scan s = { .overhead_wins = query->overhead_wins, .kind = -1 };
    struct weft_span part = query->window;
    if (chunk + 1 < after && u->begins[chunk + 1] < part.end) {
        part.end = u->begins[++chunk];
        weft_class_runs(u->processors, index, part, go_through, &s);
        go_on(&s, u->begins[chunk], u->chunks[chunk].class);
        for (; chunk + 1 < after && u->begins[chunk + 1] < query->window.end; chunk++)
            pass_chunk(&s, &u->chunks[chunk]);
        part = weft_utilization_after(u, chunk, query->window.end);
    }
    weft_class_runs(u->processors, index, part, go_through, &s);
    if (s.kind < 0) /* an empty window: the streak at its begin */
        weft_class_runs(u->processors, index,
                        (struct weft_span){ part.begin, part.begin + 1 }, go_through, &s);
    int64_t length = s.kind != WEFT_NO_STREAK ? query->window.end - s.since : 0;
    end_kind(&s, query->window.end);
    query->streaks[i] =
        (struct weft_streak){ s.kind, length, { s.longest[0], s.longest[1] } };
}

void weft_utilization_streaks(const struct weft_utilization *u,
                              struct weft_processor_list list, struct weft_span window,
                              bool overhead_wins, struct weft_streak *out)
{
    struct utilization_query query = { .u = u,
                                       .list = list,
                                       .window = window,
                                       .streaks = out,
                                       .overhead_wins = overhead_wins };
    weft_parallel(list.n, GRAIN, streak_one, &query);
}
