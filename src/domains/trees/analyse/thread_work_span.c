/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/analyse/thread_work_span.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/trees/analyse/row_work_and_waits.h"
#include "store/time.h"

enum {
    MAX_EDGES = INT32_MAX, /* edges have numbers of 32 bits, and two events each */
    STEP = 1 << 14,        /* rows or links between two looks at the job: a millisecond */
    /*
     * Most stretches, and how many more for each link: a link's end adds one to each row
     * there.
     */
    MAX_STRETCHES = 1 << 25,
    STRETCHES_OF_A_LINK = 8,
    ROUNDS = 64, /* times as often, rows may be advanced without any work */
};

struct row {
    struct weft_row_times busy;         /* when its calls worked */
    const struct weft_idle_times *idle; /* when its thread was idle meanwhile */
    size_t at;                          /* intervals of `busy` before it have ended */
    int64_t done;                       /* work in these, in ticks */
    int64_t counted;                    /* work of the stretches so far */
    int64_t since;                      /* the end of the latest stretch */
    int64_t length;                     /* length of the longest path to `since` */
    uint32_t before;                    /* last stretch of that path, or WEFT_NONE */
};

struct edge {
    uint32_t from, to; /* containers */
    int64_t begin, end;
    int64_t length; /* length of the longest path to its begin, once passed */
    uint32_t before;
};

/* Order of events at one time: arrivals, then links without duration, then departures. */
enum order { ARRIVES, PASSES, LEAVES };

struct event {
    int64_t time;
    enum order order;
    uint32_t edge;
};

struct span_search {
    const struct weft_source *source;
    const struct weft_tree *tree;
    struct row *rows; /* [n_pes] */
    uint32_t
        *first_row; /* by container, whose rows are consecutive; WEFT_NONE: it has none */
    struct weft_waiting waiting;
    struct weft_idle *idle; /* [n_pes] for the containers of rows, in order */
    uint32_t n_idle;
    struct edge *edges;
    size_t n_edges, edge_capacity, stretch_capacity;
    struct weft_thread_span *out;
    struct weft_job *job;
    struct weft_err *err;
    uint64_t n_advanced;
    bool ok;
};

/* ---- Reading ---- */

static void read_rows(struct span_search *s)
{
    const struct weft_tree *tree = s->tree;
    size_t n = s->source->schema->n_containers;
    memset(s->first_row, 0xff, n * sizeof *s->first_row);
    for (uint32_t i = 0; i < tree->n_pes; i++) {
        const struct weft_tree_pe *pe = &tree->pes[i];
        struct row *row = &s->rows[i];
        row->before = WEFT_NONE;
        if (pe->track == WEFT_NONE || pe->container >= n)
            continue;
        const struct weft_track *track = &s->source->schema->tracks[pe->track];
        if (s->first_row[pe->container] == WEFT_NONE)
            s->first_row[pe->container] = i;
        if (!s->n_idle || s->idle[s->n_idle - 1].container != pe->container)
            s->idle[s->n_idle++].waiting = &s->waiting;
        if (weft_job_cancelled(s->job))
            return;
        weft_row_calls(&s->waiting, pe->track,
                       (struct weft_span){ track->begin, track->end }, &row->busy, NULL);
        row->idle = weft_idle_of(&s->idle[s->n_idle - 1], pe->track);
        row->since = track->begin;
    }
}

/*
 * Returns the container with rows at an end of a link: CONTAINER, or that of ENTITY; else
 * WEFT_NONE.
 */
static uint32_t with_rows(const struct span_search *s, uint32_t container, uint64_t entity)
{
    const struct weft_schema *schema = s->source->schema;
    if (container < schema->n_containers && s->first_row[container] != WEFT_NONE)
        return container;
    if (entity == WEFT_NO_ID || weft_entity_track(entity) >= schema->n_tracks)
        return WEFT_NONE;
    container = schema->tracks[weft_entity_track(entity)].container;
    return s->first_row[container] != WEFT_NONE ? container : WEFT_NONE;
}

static bool add_link(void *user, const struct weft_link *link)
{
    struct span_search *s = user;
    uint32_t from = with_rows(s, link->from, link->from_entity);
    uint32_t to = with_rows(s, link->to, link->to_entity);
    if (from == WEFT_NONE || to == WEFT_NONE || from == to)
        return true;
    if (link->end < link->begin) {
        s->out->n_backward++;
        return true;
    }
    if (s->n_edges == MAX_EDGES) {
        s->ok = weft_fail(s->err, WEFT_ERR_LIMIT, "more than 2^31 links between threads");
        return false;
    }
    s->edges = weft_grow(s->edges, &s->edge_capacity, s->n_edges + 1, sizeof *s->edges);
    s->edges[s->n_edges++] =
        (struct edge){ from, to, link->begin, link->end, 0, WEFT_NONE };
    return true;
}

static bool orders(enum weft_role role)
{
    return weft_role_is(role, WEFT_ROLE_MESSAGE) || weft_role_is(role, WEFT_ROLE_COLLECTIVE)
           || weft_role_is(role, WEFT_ROLE_WAKE_UP)
           || weft_role_is(role, WEFT_ROLE_DEPENDENCE);
}

static void read_edges(struct span_search *s)
{
    const struct weft_schema *schema = s->source->schema;
    const struct weft_span all = { INT64_MIN, INT64_MAX };
    for (uint32_t t = 0; t < schema->n_tracks && s->ok; t++) {
        const struct weft_type *type = &schema->types[schema->tracks[t].type];
        if (type->kind == WEFT_LINK && orders(type->role))
            s->source->ops->links(s->source, t, all, add_link, s);
    }
    s->out->n_links = s->n_edges;
}

/* ---- Paths ---- */

static int64_t worked_in(const struct row *row, int64_t begin, int64_t end)
{
    return weft_ticks_length(begin, end)
           - (weft_idle_until(row->idle, end) - weft_idle_until(row->idle, begin));
}

/* Returns the work of a row until TIME, which must not decrease from call to call. */
static int64_t work_until(struct row *row, int64_t time)
{
    const struct weft_row_times *busy = &row->busy;
    for (; row->at < busy->n && busy->list[row->at].end <= time; row->at++)
        row->done = weft_ticks_add(
            row->done, worked_in(row, busy->list[row->at].begin, busy->list[row->at].end));
    bool inside = row->at < busy->n && busy->list[row->at].begin < time;
    return weft_ticks_add(row->done,
                          inside ? worked_in(row, busy->list[row->at].begin, time) : 0);
}

/* Returns when the row last worked. */
static int64_t end_of_work(const struct row *row)
{
    for (size_t i = row->busy.n; i-- > 0;) {
        struct weft_span span = row->busy.list[i];
        if (worked_in(row, span.begin, span.end))
            return weft_idle_begin_before(row->idle, span.end);
    }
    return row->since;
}

/* Advances row I to TIME: its work since the latest stretch becomes a stretch. */
static void advance(struct span_search *s, uint32_t i, int64_t time)
{
    struct row *row = &s->rows[i];
    struct weft_thread_span *out = s->out;
    int64_t work = work_until(row, time) - row->counted;
    if (++s->n_advanced % STEP == 0 && s->ok && weft_job_cancelled(s->job))
        s->ok = weft_fail(s->err, WEFT_ERR_CANCELLED, "cancelled");
    uint64_t most = MAX_STRETCHES + STRETCHES_OF_A_LINK * s->n_edges;
    if (out->n_stretches >= most || s->n_advanced >= ROUNDS * most)
        s->ok = s->ok
                && weft_fail(s->err, WEFT_ERR_LIMIT,
                             "links and rows of calls cut the threads' work into more than "
                             "%" PRIu64 " stretches",
                             most);
    else if (work > 0) {
        out->stretches = weft_grow(out->stretches, &s->stretch_capacity,
                                   out->n_stretches + 1, sizeof *out->stretches);
        out->stretches[out->n_stretches] = (struct weft_stretch){
            i, row->before, { row->since, time }, row->length, work
        };
        row->before = (uint32_t)out->n_stretches++;
        row->counted += work;
        row->length = weft_ticks_add(row->length, work);
    }
    row->since = time > row->since ? time : row->since;
}

static bool is_row_of(const struct span_search *s, uint32_t row, uint32_t container)
{
    return row < s->tree->n_pes && s->tree->pes[row].container == container;
}

static void leave(struct span_search *s, struct edge *edge)
{
    for (uint32_t i = s->first_row[edge->from]; s->ok && is_row_of(s, i, edge->from); i++) {
        advance(s, i, edge->begin);
        if (s->rows[i].length > edge->length) {
            edge->length = s->rows[i].length;
            edge->before = s->rows[i].before;
        }
    }
}

static void arrive(struct span_search *s, const struct edge *edge)
{
    for (uint32_t i = s->first_row[edge->to]; s->ok && is_row_of(s, i, edge->to); i++) {
        advance(s, i, edge->end);
        if (edge->length > s->rows[i].length) {
            s->rows[i].length = edge->length;
            s->rows[i].before = edge->before;
        }
    }
}

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    return WEFT_COMPARE(x->time, y->time) ?: WEFT_COMPARE(x->order, y->order)
           ?: WEFT_COMPARE(x->edge, y->edge);
}

static struct event *list_events(const struct span_search *s, size_t *n)
{
    struct event *events = weft_alloc((2 * s->n_edges + 1) * sizeof *events);
    *n = 0;
    for (uint32_t e = 0; e < s->n_edges; e++) {
        const struct edge *edge = &s->edges[e];
        bool passes = edge->begin == edge->end;
        events[(*n)++] = (struct event){ edge->begin, passes ? PASSES : LEAVES, e };
        if (!passes)
            events[(*n)++] = (struct event){ edge->end, ARRIVES, e };
    }
    qsort(events, *n, sizeof *events, by_time);
    return events;
}

static bool follow(struct span_search *s)
{
    size_t n;
    struct event *events = list_events(s, &n);
    for (size_t i = 0; i < n && s->ok; i++) {
        struct edge *edge = &s->edges[events[i].edge];
        if (events[i].order != ARRIVES)
            leave(s, edge);
        if (events[i].order != LEAVES)
            arrive(s, edge);
        if (i % STEP == 0)
            s->ok = s->ok && weft_job_step(s->job, i, n, s->err);
    }
    free(events);
    for (uint32_t i = 0; i < s->tree->n_pes && s->ok; i++) {
        advance(s, i, end_of_work(&s->rows[i]));
    }
    return s->ok;
}

static void report(const struct span_search *s)
{
    struct weft_thread_span *out = s->out;
    uint32_t last = WEFT_NONE, n = 0;
    for (uint32_t i = 0; i < out->n_stretches; i++) {
        const struct weft_stretch *stretch = &out->stretches[i];
        int64_t length = weft_ticks_add(stretch->first, stretch->work);
        out->work = weft_ticks_add(out->work, stretch->work);
        if (length > out->span) {
            out->span = length;
            last = i;
        }
    }
    for (uint32_t i = last; i != WEFT_NONE; i = out->stretches[i].before)
        n++;
    out->path = weft_alloc((n + 1) * sizeof *out->path);
    out->n_path = n;
    for (uint32_t i = last; i != WEFT_NONE; i = out->stretches[i].before)
        out->path[--n] = i;
}

bool weft_thread_span(const struct weft_source *source, const struct weft_tree *tree,
                      struct weft_job *job, struct weft_thread_span *out,
                      struct weft_err *err)
{
    struct span_search s = {
        .source = source, .tree = tree, .out = out, .job = job, .err = err, .ok = true
    };
    *out = (struct weft_thread_span){ 0 };
    s.rows = weft_zalloc(tree->n_pes + 1, sizeof *s.rows);
    s.first_row = weft_alloc((source->schema->n_containers + 1) * sizeof *s.first_row);
    s.idle = weft_zalloc(tree->n_pes + 1, sizeof *s.idle);
    weft_waiting_begin(&s.waiting, source);
    read_rows(&s);
    bool ok = weft_job_step(job, 0, 0, err);
    if (ok) {
        read_edges(&s);
        ok = s.ok && follow(&s);
    }
    if (ok)
        report(&s);
    for (uint32_t i = 0; i < tree->n_pes; i++)
        free(s.rows[i].busy.list);
    for (uint32_t i = 0; i < s.n_idle; i++)
        weft_idle_end(&s.idle[i]);
    weft_waiting_end(&s.waiting);
    free(s.idle);
    free(s.rows);
    free(s.first_row);
    free(s.edges);
    if (!ok)
        weft_thread_span_free(out);
    return ok;
}

void weft_thread_span_free(struct weft_thread_span *span)
{
    free(span->stretches);
    free(span->path);
    *span = (struct weft_thread_span){ 0 };
}
