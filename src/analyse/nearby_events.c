/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the events nearest to a moment in windows beside it that grow by need. */
#include "analyse/nearby_events.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "store/time.h"

enum {
    SLACK = 1 << 16, /* events kept beyond `most` before the farthest are left out */
    MOST_OF_A_TICK = 1 << 22, /* states of a track that are read for one window */
};

struct search {
    const struct weft_source *source;
    const struct weft_nearby_question *q;
    struct weft_nearby_events *out;
    struct weft_span window; /* that is read now */
    uint8_t *is_link_track;  /* [n_tracks of the schema] */
    uint8_t *is_end;         /* [n_containers of the schema]: links there count */
    uint32_t track, order;
    struct weft_state *states; /* of one track in the window */
    size_t n_states, state_capacity;
};

static int in_order(const void *a, const void *b)
{
    const struct weft_nearby_event *x = a, *y = b;
    /* begins and ends are told apart by the order on their track */
    int xs = x->what == WEFT_HAPPENS_END ? WEFT_HAPPENS_BEGIN : (int)x->what,
        ys = y->what == WEFT_HAPPENS_END ? WEFT_HAPPENS_BEGIN : (int)y->what;
    return WEFT_COMPARE(x->time, y->time) ?: WEFT_COMPARE(x->row, y->row)
           ?: WEFT_COMPARE(xs, ys) ?: WEFT_COMPARE(x->track, y->track)
           ?: WEFT_COMPARE(x->order, y->order) ?: WEFT_COMPARE(x->id, y->id);
}

static bool is_edge(const struct weft_nearby_event *event)
{
    return event->what == WEFT_HAPPENS_BEGIN || event->what == WEFT_HAPPENS_END;
}

/* Moves the event at FROM to TO, before it; those in between move up. */
static void move_down(struct weft_nearby_event *list, size_t from, size_t to)
{
    struct weft_nearby_event moved = list[from];
    memmove(&list[to + 1], &list[to], (from - to) * sizeof *list);
    list[to] = moved;
}

/*
 * Merges N edges of one time and row, which are in order track by track: an end that is
 * next on its track comes before begins on others.
 */
static void merge_edges(struct weft_nearby_event *list, size_t n)
{
    for (size_t at = 0; at < n; at++) {
        size_t end = at;
        /* The first end that nothing of its own track comes before. */
        while (end < n
               && (list[end].what != WEFT_HAPPENS_END
                   || (end > at && list[end].track == list[end - 1].track)))
            end++;
        if (end < n && end > at)
            move_down(list, end, at);
    }
}

/*
 * Sorts the events; at one time a row's states of several tracks end before others begin.
 */
static void sort(struct weft_nearby_events *out)
{
    enum { MOST = 4096 }; /* edges that are merged: it takes the square of their number */
    if (out->n)
        qsort(out->list, out->n, sizeof *out->list, in_order);
    for (size_t i = 0, n; i < out->n; i += n) {
        const struct weft_nearby_event *first = &out->list[i];
        bool several = false;
        for (n = 1; i + n < out->n && is_edge(first) && is_edge(&first[n])
                    && first[n].time == first->time && first[n].row == first->row;
             n++)
            several |= first[n].track != first->track;
        if (several && n <= MOST)
            merge_edges(&out->list[i], n);
    }
}

/* Leaves the `most` nearest ones, in order. */
static void cut(struct search *s)
{
    struct weft_nearby_events *out = s->out;
    size_t most = s->q->most;
    sort(out);
    if (out->n <= most)
        return;
    if (s->q->backward)
        memmove(out->list, out->list + (out->n - most), most * sizeof *out->list);
    out->n = most;
}

static uint32_t row_of(const struct search *s, uint32_t container)
{
    return s->q->row_of && container != WEFT_NONE ? s->q->row_of[container] : container;
}

static void put(struct search *s, struct weft_nearby_event event)
{
    struct weft_nearby_events *out = s->out;
    if (event.time < s->window.begin || event.time >= s->window.end)
        return;
    event.row = row_of(s, event.container);
    if (out->n >= s->q->most + s->q->most + SLACK)
        cut(s);
    out->list = weft_grow(out->list, &out->capacity, out->n + 1, sizeof *out->list);
    out->list[out->n++] = event;
}

/* ---- States ---- */

static bool keep_state(void *user, const struct weft_state *state)
{
    struct search *s = user;
    if (s->n_states == MOST_OF_A_TICK)
        return false;
    s->states =
        weft_grow(s->states, &s->state_capacity, s->n_states + 1, sizeof *s->states);
    s->states[s->n_states++] = *state;
    return true;
}

static int by_id(const void *a, const void *b)
{
    const struct weft_state *x = a, *y = b;
    return WEFT_COMPARE(x->id, y->id);
}

static void put_edge(struct search *s, const struct weft_state *state,
                     enum weft_happening what)
{
    if (what == WEFT_HAPPENS_END && (state->flags & WEFT_END_IMPLIED))
        return;
    put(s, (struct weft_nearby_event){
               .time = what == WEFT_HAPPENS_END ? state->end : state->begin,
               .what = what,
               .container = s->source->schema->tracks[s->track].container,
               .track = s->track,
               .order = s->order++,
               .value = state->value,
               .other = WEFT_NONE,
               .id = state->id });
}

/*
 * Puts begins and ends in the order of the track: before a state begins, those end that are
 * not around it.
 */
static void put_states(struct search *s)
{
    size_t depth = 0;
    struct weft_span window = s->window;
    /* A state that ends with the window's first tick does not overlap it. */
    window.begin = weft_time_clamp(window.begin - 1);
    s->n_states = 0;
    s->source->ops->states(s->source, s->track, window, keep_state, s);
    if (s->n_states)
        qsort(s->states, s->n_states, sizeof *s->states, by_id);
    /* The open states are kept in a part of the list that has been read. */
    for (size_t i = 0; i < s->n_states; i++) {
        struct weft_state next = s->states[i];
        while (depth && s->states[depth - 1].depth >= next.depth)
            put_edge(s, &s->states[--depth], WEFT_HAPPENS_END);
        put_edge(s, &next, WEFT_HAPPENS_BEGIN);
        s->states[depth++] = next;
    }
    while (depth)
        put_edge(s, &s->states[--depth], WEFT_HAPPENS_END);
}

/* ---- Events and links ---- */

static bool put_event(void *user, const struct weft_event *event)
{
    struct search *s = user;
    put(s, (struct weft_nearby_event){ .time = event->time,
                                       .what = WEFT_HAPPENS_EVENT,
                                       .container =
                                           s->source->schema->tracks[s->track].container,
                                       .track = s->track,
                                       .order = s->order++,
                                       .value = event->value,
                                       .other = WEFT_NONE,
                                       .id = event->id });
    return true;
}

static void put_link(struct search *s, const struct weft_link *link, bool incoming)
{
    uint32_t track = weft_entity_track(link->id);
    if (track >= s->source->schema->n_tracks || !s->is_link_track[track]
        || (link->flags & (incoming ? WEFT_END_IMPLIED : WEFT_BEGIN_IMPLIED)))
        return;
    put(s, (struct weft_nearby_event){ .time = incoming ? link->end : link->begin,
                                       .what = incoming ? WEFT_HAPPENS_ARRIVAL
                                                        : WEFT_HAPPENS_DEPARTURE,
                                       .container = incoming ? link->to : link->from,
                                       .track = track,
                                       .order = row_of(s, incoming ? link->from : link->to),
                                       .value = link->value,
                                       .other = incoming ? link->from : link->to,
                                       .id = link->id });
}

/* Puts the ends of a link that are at containers of the question. */
static bool put_ends(void *user, const struct weft_link *link)
{
    const struct search *s = user;
    if (link->to != WEFT_NONE && s->is_end[link->to])
        put_link(user, link, true);
    if (link->from != WEFT_NONE && s->is_end[link->from])
        put_link(user, link, false);
    return true;
}

static bool put_arrival(void *user, const struct weft_link *link)
{
    put_link(user, link, true);
    return true;
}

static bool put_departure(void *user, const struct weft_link *link)
{
    put_link(user, link, false);
    return true;
}

/* ---- Windows ---- */

static uint64_t density(const struct search *s, struct weft_span window)
{
    const struct weft_source *source = s->source;
    uint64_t n = 0;
    for (size_t i = 0; i < s->q->n_tracks; i++)
        n += source->ops->density(source, s->q->tracks[i], window);
    for (size_t i = 0; i < s->q->n_link_tracks; i++)
        n += source->ops->density(source, s->q->link_tracks[i], window);
    return n;
}

/*
 * Reads the links at each container, or, if these are many, all links of the tracks: then
 * that costs less, since links of a window lie side by side.
 */
static void read_links(struct search *s, struct weft_span window)
{
    enum { FEW = 8 };
    const struct weft_source *source = s->source;
    /* A link that ends with the window's first tick does not overlap it. */
    struct weft_span wider = { weft_time_clamp(window.begin - 1), window.end };
    if (s->q->n_containers > FEW)
        for (size_t i = 0; i < s->q->n_link_tracks; i++)
            source->ops->links(source, s->q->link_tracks[i], wider, put_ends, s);
    else
        for (size_t i = 0; s->q->n_link_tracks && i < s->q->n_containers; i++) {
            uint32_t container = s->q->containers[i];
            source->ops->links_at(source, container, true, window, put_arrival, s);
            source->ops->links_at(source, container, false, window, put_departure, s);
        }
}

static void read_window(struct search *s, struct weft_span window)
{
    const struct weft_source *source = s->source;
    const struct weft_schema *schema = source->schema;
    s->window = window;
    for (size_t i = 0; i < s->q->n_tracks; i++) {
        const struct weft_track *track = &schema->tracks[s->q->tracks[i]];
        s->track = s->q->tracks[i];
        s->order = 0;
        if (!track->count || track->end < window.begin || track->begin >= window.end)
            continue;
        if (schema->types[track->type].kind == WEFT_STATE)
            put_states(s);
        else
            source->ops->events(source, s->track, window, put_event, s);
    }
    read_links(s, window);
}

/* The part of the moment's side whose ticks are [NEAR, FAR) ticks away from its first. */
static struct weft_span part_of(const struct weft_nearby_question *q, struct weft_span side,
                                int64_t near, int64_t far)
{
    return q->backward ? (struct weft_span){ side.end - far, side.end - near }
                       : (struct weft_span){ side.begin + near, side.begin + far };
}

/*
 * The number of ticks in which twice as many events are as wanted, if they lie evenly: a
 * second window reads the same blocks again.
 */
static int64_t first_length(const struct search *s, int64_t length)
{
    double n = 1;
    for (size_t i = 0; i < s->q->n_tracks; i++)
        n += 2 * (double)s->source->schema->tracks[s->q->tracks[i]].count;
    for (size_t i = 0; i < s->q->n_link_tracks; i++)
        n += 2 * (double)s->source->schema->tracks[s->q->link_tracks[i]].count;
    double ticks = 2 * (double)length * (double)s->q->most / n;
    return ticks < 1 ? 1 : ticks >= (double)length ? length : (int64_t)ticks;
}

static bool read_side(struct search *s, struct weft_span side, struct weft_job *job,
                      struct weft_err *err)
{
    const struct weft_nearby_question *q = s->q;
    uint64_t limit = 8 * (uint64_t)q->most + 4 * (q->n_tracks + q->n_link_tracks);
    int64_t length = side.end - side.begin, near = 0, far = first_length(s, length);
    while (near < length && s->out->n < q->most) {
        while (far - near > 1 && density(s, part_of(q, side, near, far)) > limit)
            far = near + (far - near) / 2;
        if (!weft_job_step(job, 0, 0, err))
            return false;
        read_window(s, part_of(q, side, near, far));
        int64_t grown = far - near > length / 4 ? length : 4 * (far - near);
        near = far;
        far = grown > length - near ? length : near + grown;
    }
    return true;
}

bool weft_nearby_events(const struct weft_source *source,
                        const struct weft_nearby_question *question,
                        struct weft_nearby_events *out, struct weft_job *job,
                        struct weft_err *err)
{
    struct weft_span side = question->within;
    int64_t time = weft_time_clamp(question->time);
    int64_t after = time + (question->time >= time); /* the first time after the moment */
    *out = (struct weft_nearby_events){ 0 };
    if (question->backward && after < side.end)
        side.end = after;
    if (!question->backward && after > side.begin)
        side.begin = after;
    struct search s = { .source = source, .q = question, .out = out };
    s.is_link_track = weft_zalloc((size_t)source->schema->n_tracks + 1, 1);
    for (size_t i = 0; i < question->n_link_tracks; i++)
        s.is_link_track[question->link_tracks[i]] = 1;
    s.is_end = weft_zalloc((size_t)source->schema->n_containers + 1, 1);
    for (size_t i = 0; i < question->n_containers; i++)
        s.is_end[question->containers[i]] = 1;
    bool ok = side.begin >= side.end || read_side(&s, side, job, err);
    if (ok)
        cut(&s);
    else
        free(out->list);
    free(s.states);
    free(s.is_end);
    free(s.is_link_track);
    return ok;
}
