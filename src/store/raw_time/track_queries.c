/* SPDX-License-Identifier: Apache-2.0 */
/* Queries about tracks and entities in raw time; link_queries.c has those about links. */
#include <stdlib.h>
#include <string.h>

#include "store/raw_time/raw_source_priv.h"
#include "store/time.h"

struct raw_visitor { /* visits with raw times */
    const struct weft_clock *clock;
    struct weft_span window;
    bool (*state)(void *user, const struct weft_state *state);
    bool (*event)(void *user, const struct weft_event *event);
    bool (*sample)(void *user, const struct weft_sample *sample);
    void *user;
};

/*
 * Returns the corrected window that holds all states that overlap a raw window.  Ticks of
 * the two may differ in length, so it may hold others, too: inside() decides.
 */
static struct weft_span reaching(const struct weft_clock *clock, struct weft_span window)
{
    struct weft_span reaching = weft_raw_window(clock, window);
    int64_t begin = weft_raw_last(clock, window.begin);
    reaching.begin = begin < reaching.begin ? begin : reaching.begin;
    return reaching;
}

static bool inside(const struct raw_visitor *visitor, int64_t begin, int64_t end)
{
    const struct weft_span *window = &visitor->window;
    return begin < window->end && (end > window->begin || begin >= window->begin);
}

static bool pass_state(void *user, const struct weft_state *state)
{
    const struct raw_visitor *visitor = user;
    struct weft_state out = *state;
    out.begin = weft_raw(visitor->clock, state->begin);
    out.end = weft_raw(visitor->clock, state->end);
    return !inside(visitor, out.begin, out.end) || visitor->state(visitor->user, &out);
}

static bool pass_event(void *user, const struct weft_event *event)
{
    const struct raw_visitor *visitor = user;
    struct weft_event out = *event;
    out.time = weft_raw(visitor->clock, event->time);
    return visitor->event(visitor->user, &out);
}

static bool pass_sample(void *user, const struct weft_sample *sample)
{
    const struct raw_visitor *visitor = user;
    struct weft_sample out = *sample;
    out.begin = weft_raw(visitor->clock, sample->begin);
    out.end = weft_raw(visitor->clock, sample->end);
    return !inside(visitor, out.begin, out.end) || visitor->sample(visitor->user, &out);
}

static void raw_states(const struct weft_source *source, uint32_t track,
                       struct weft_span window,
                       bool (*visit)(void *user, const struct weft_state *state),
                       void *user)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    const struct weft_clock *clock = weft_raw_clock_of_track(source, track);
    struct raw_visitor visitor = {
        .clock = clock, .window = window, .state = visit, .user = user
    };
    below->ops->states(below, track, reaching(clock, window), pass_state, &visitor);
}

static void raw_events(const struct weft_source *source, uint32_t track,
                       struct weft_span window,
                       bool (*visit)(void *user, const struct weft_event *event),
                       void *user)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    const struct weft_clock *clock = weft_raw_clock_of_track(source, track);
    struct raw_visitor visitor = { .clock = clock, .event = visit, .user = user };
    below->ops->events(below, track, weft_raw_window(clock, window), pass_event, &visitor);
}

static void raw_samples(const struct weft_source *source, uint32_t track,
                        struct weft_span window,
                        bool (*visit)(void *user, const struct weft_sample *sample),
                        void *user)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    const struct weft_clock *clock = weft_raw_clock_of_track(source, track);
    struct raw_visitor visitor = {
        .clock = clock, .window = window, .sample = visit, .user = user
    };
    below->ops->samples(below, track, reaching(clock, window), pass_sample, &visitor);
}

static void raw_envelope(const struct weft_source *source, uint32_t track,
                         struct weft_span window, size_t columns, struct weft_envelope *out)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    below->ops->envelope(
        below, track,
        weft_raw_picture_window(weft_raw_clock_of_track(source, track), window), columns,
        out);
}

/* Adjacent intervals, to which the areas of samples are added. */
struct parts {
    const int64_t *times; /* [n + 1] */
    size_t n, now;        /* the first interval that the samples reach */
    double *out;
};

static bool add_area(void *user, const struct weft_sample *sample)
{
    struct parts *parts = user;
    while (parts->now < parts->n && parts->times[parts->now + 1] <= sample->begin)
        parts->now++;
    for (size_t i = parts->now; i < parts->n && parts->times[i] < sample->end; i++) {
        int64_t from = parts->times[i], to = parts->times[i + 1];
        from = from > sample->begin ? from : sample->begin;
        to = to < sample->end ? to : sample->end;
        if (from < to)
            parts->out[i] += sample->value * (double)(to - from);
    }
    return parts->now < parts->n;
}

static void raw_integrals(const struct weft_source *source, uint32_t track,
                          const int64_t *times, size_t n, double *out)
{
    struct parts parts = { .times = times, .n = n, .out = out };
    memset(out, 0, n * sizeof *out);
    if (times[0] < times[n])
        raw_samples(source, track, (struct weft_span){ times[0], times[n] }, add_area,
                    &parts);
}

static uint64_t raw_density(const struct weft_source *source, uint32_t track,
                            struct weft_span window)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    return below->ops->density(
        below, track, weft_raw_window(weft_raw_clock_of_track(source, track), window));
}

/*
 * Groups tracks by clock: calls ASK for each clock with its tracks among the N, and their
 * positions in the list.
 */
struct by_clock {
    const struct weft_source *source;
    const struct weft_clock *clock;
    const uint32_t *tracks;
    const size_t *places;
    size_t n;
};

/* Returns the index of a track's clock; n_clocks if it has none. */
static uint32_t clock_index(const struct weft_source *source, uint32_t track)
{
    const struct weft_clock *clock = weft_raw_clock_of_track(source, track);
    return clock ? (uint32_t)(clock - source->schema->clocks) : source->schema->n_clocks;
}

static void for_each_clock(const struct weft_source *source, const uint32_t *tracks,
                           size_t n, void (*ask)(const struct by_clock *part, void *user),
                           void *user)
{
    const struct weft_schema *schema = source->schema;
    uint32_t n_clocks = schema->n_clocks;
    uint32_t *some = weft_alloc((n + 1) * sizeof *some);
    size_t *places = weft_alloc((n + 1) * sizeof *places);
    size_t *first = weft_zalloc((size_t)n_clocks + 3, sizeof *first); /* by clock */
    for (size_t i = 0; i < n; i++)
        first[clock_index(source, tracks[i]) + 2]++;
    for (uint32_t c = 0; c <= n_clocks; c++)
        first[c + 2] += first[c + 1];
    for (size_t i = 0; i < n; i++) {
        size_t at = first[clock_index(source, tracks[i]) + 1]++;
        places[at] = i;
        some[at] = tracks[i];
    }
    for (uint32_t c = 0; c <= n_clocks; c++) {
        struct by_clock part = { source, c < n_clocks ? &schema->clocks[c] : NULL,
                                 some + first[c], places + first[c],
                                 first[c + 1] - first[c] };
        if (part.n)
            ask(&part, user);
    }
    free(first);
    free(some);
    free(places);
}

static void add_shares(const struct by_clock *part, void *user)
{
    const struct weft_share_query *query = user;
    const struct weft_source *below = weft_raw_of(part->source)->below;
    const struct weft_schema *schema = below->schema;
    size_t n = query->columns * schema->types[schema->tracks[part->tracks[0]].type].slots;
    struct weft_share_query one = *query;
    one.tracks = part->tracks;
    one.n_tracks = part->n;
    one.window = weft_raw_picture_window(part->clock, query->window);
    one.shares = weft_alloc(n * sizeof(float));
    below->ops->shares(below, &one);
    for (size_t i = 0; i < n; i++)
        query->shares[i] += one.shares[i];
    free(one.shares);
}

static void raw_shares(const struct weft_source *source,
                       const struct weft_share_query *query)
{
    if (!query->n_tracks)
        return;
    const struct weft_schema *schema = source->schema;
    size_t slots = schema->types[schema->tracks[query->tracks[0]].type].slots;
    memset(query->shares, 0, query->columns * slots * sizeof(float));
    struct weft_share_query copy = *query;
    for_each_clock(source, query->tracks, query->n_tracks, add_shares, &copy);
}

struct sums_query {
    struct weft_span window;
    struct weft_sum *sums;
};

static int64_t scaled(int64_t ticks, struct weft_span from, struct weft_span to)
{
    __int128 length = (__int128)from.end - from.begin;
    __int128 wanted = (__int128)to.end - to.begin;
    if (length <= 0 || length == wanted)
        return ticks;
    __int128 product = (__int128)ticks * wanted / length;
    /* INT64_MAX stands for "more". */
    return ticks == INT64_MAX || product > INT64_MAX ? INT64_MAX : (int64_t)product;
}

/* Adds the sums of a window in which the clock's speed is constant. */
static void add_even_sums(const struct by_clock *part, struct weft_span raw_window,
                          struct weft_sum *out)
{
    const struct weft_source *below = weft_raw_of(part->source)->below;
    struct weft_span window = weft_raw_window(part->clock, raw_window);
    size_t n = below->schema->n_values;
    struct weft_sum *sums = weft_zalloc(n + 1, sizeof *sums);
    below->ops->sums(below, part->tracks, part->n, window, sums);
    for (size_t v = 0; v < n; v++) {
        out[v].self_ticks = weft_ticks_add(out[v].self_ticks,
                                           scaled(sums[v].self_ticks, window, raw_window));
        out[v].total_ticks = weft_ticks_add(
            out[v].total_ticks, scaled(sums[v].total_ticks, window, raw_window));
    }
    free(sums);
}

/* Splits the window at the knots of the correction, where the clock's speed changes. */
static void add_sums(const struct by_clock *part, void *user)
{
    const struct sums_query *query = user;
    struct weft_span rest = query->window;
    for (size_t k = 0; part->clock && k < part->clock->n_knots; k++) {
        int64_t knot = part->clock->knots[k].raw;
        if (knot <= rest.begin || knot >= rest.end)
            continue;
        add_even_sums(part, (struct weft_span){ rest.begin, knot }, query->sums);
        rest.begin = knot;
    }
    add_even_sums(part, rest, query->sums);
}

static void raw_sums(const struct weft_source *source, const uint32_t *tracks, size_t n,
                     struct weft_span window, struct weft_sum *sums)
{
    struct sums_query query = { window, sums };
    for_each_clock(source, tracks, n, add_sums, &query);
}

struct at_query {
    int64_t time;
    struct weft_innermost *out;
};

static void add_values(const struct by_clock *part, void *user)
{
    const struct at_query *query = user;
    const struct weft_source *below = weft_raw_of(part->source)->below;
    struct weft_innermost *out = weft_alloc(part->n * sizeof *out);
    below->ops->values_at(below, part->tracks, part->n,
                          weft_raw_last(part->clock, query->time), out);
    for (size_t i = 0; i < part->n; i++)
        query->out[part->places[i]] = out[i];
    free(out);
}

static void raw_values_at(const struct weft_source *source, const uint32_t *tracks,
                          size_t n, int64_t time, struct weft_innermost *out)
{
    struct at_query query = { time, out };
    for_each_clock(source, tracks, n, add_values, &query);
}

/* Changes with raw times: the last change before the window becomes its first value. */
struct raw_change_visitor {
    const struct weft_clock *clock;
    struct weft_span window;
    bool (*visit)(void *user, const struct weft_innermost_change *changes, size_t n);
    void *user;
    struct weft_innermost_change first; /* of the window, until it is given */
    bool began, stopped;
};

static bool pass_change(struct raw_change_visitor *c,
                        const struct weft_innermost_change *change)
{
    int64_t time = weft_raw(c->clock, change->time);
    if (time <= c->window.begin) {
        c->first.value = change->value;
        c->first.damaged = change->damaged;
        return true;
    }
    if (time >= c->window.end)
        return false;
    if (!c->began && !c->visit(c->user, &c->first, 1))
        return !(c->stopped = true);
    c->began = true;
    const struct weft_innermost_change raw = { time, change->value, change->damaged };
    return c->visit(c->user, &raw, 1) || !(c->stopped = true);
}

static bool pass_changes(void *user, const struct weft_innermost_change *changes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!pass_change(user, &changes[i]))
            return false;
    return true;
}

static void raw_changes(const struct weft_source *source, uint32_t track,
                        struct weft_span window, const uint8_t *passed_over,
                        bool (*visit)(void *user,
                                      const struct weft_innermost_change *changes,
                                      size_t n),
                        void *user)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    const struct weft_clock *clock = weft_raw_clock_of_track(source, track);
    struct raw_change_visitor c = {
        clock, window, visit, user, { window.begin, WEFT_NONE, false }, false, false
    };
    if (source->schema->types[source->schema->tracks[track].type].kind != WEFT_STATE
        || window.end <= window.begin)
        return;
    below->ops->changes(below, track, reaching(clock, window), passed_over, pass_changes,
                        &c);
    if (!c.began && !c.stopped)
        visit(user, &c.first, 1);
}

static bool raw_state(const struct weft_source *source, uint64_t id, struct weft_state *out)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    if (!below->ops->state(below, id, out))
        return false;
    const struct weft_clock *clock = weft_raw_clock_of_track(source, weft_entity_track(id));
    out->begin = weft_raw(clock, out->begin);
    out->end = weft_raw(clock, out->end);
    return true;
}

static bool raw_event(const struct weft_source *source, uint64_t id, struct weft_event *out)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    if (!below->ops->event(below, id, out))
        return false;
    out->time = weft_raw(weft_raw_clock_of_track(source, weft_entity_track(id)), out->time);
    return true;
}

static size_t raw_fields(const struct weft_source *source, uint64_t id,
                         struct weft_field_value *out, size_t capacity)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    return below->ops->fields(below, id, out, capacity);
}

static void raw_column(const struct weft_source *source, uint32_t track, uint32_t field,
                       bool (*visit)(void *user, const struct weft_field_run *run),
                       void *user)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    below->ops->column(below, track, field, visit, user);
}

static void raw_field_range(const struct weft_source *source, uint32_t track,
                            uint32_t field, uint64_t first, uint64_t after,
                            bool (*visit)(void *user, const struct weft_field_run *run),
                            void *user)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    below->ops->field_range(below, track, field, first, after, visit, user);
}

static void raw_all_fields(
    const struct weft_source *source, uint32_t track, uint64_t first, uint64_t after,
    bool (*visit)(void *user, uint32_t field, const struct weft_field_run *run), void *user)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    below->ops->all_fields(below, track, first, after, visit, user);
}

static bool raw_find(const struct weft_source *source, const struct weft_field_value *value,
                     bool (*visit)(void *user, uint64_t id), void *user)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    return below->ops->find(below, value, visit, user);
}

static void raw_run(const struct weft_source *source, uint32_t track, uint64_t ordinal,
                    struct weft_run *run)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    const struct weft_clock *clock = weft_raw_clock_of_track(source, track);
    below->ops->run(below, track, ordinal, run);
    for (size_t i = 0; i < run->n; i++)
        switch (source->schema->types[source->schema->tracks[track].type].kind) {
        case WEFT_STATE:
            run->states[i].begin = weft_raw(clock, run->states[i].begin);
            run->states[i].end = weft_raw(clock, run->states[i].end);
            break;
        case WEFT_EVENT: run->events[i].time = weft_raw(clock, run->events[i].time); break;
        case WEFT_VARIABLE:
            run->samples[i].begin = weft_raw(clock, run->samples[i].begin);
            run->samples[i].end = weft_raw(clock, run->samples[i].end);
            break;
        case WEFT_LINK: run->links[i] = weft_raw_link(source, &run->links[i]); break;
        case WEFT_CONTAINER: break;
        }
}

static uint64_t raw_rank(const struct weft_source *source, uint32_t track, int64_t time)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    return below->ops->rank(below, track,
                            weft_raw_first(weft_raw_clock_of_track(source, track), time));
}

struct near_query {
    const struct weft_near_query *query;
    struct weft_near best;
};

/* Links with several clocks are compared by corrected time: the track's. */
static void ask_near(const struct by_clock *part, void *user)
{
    struct near_query *near = user;
    const struct weft_source *below = weft_raw_of(part->source)->below;
    struct weft_near_query one = *near->query;
    one.tracks = part->tracks;
    one.n_tracks = part->n;
    one.time = weft_raw_first(part->clock, near->query->time);
    struct weft_near found = below->ops->near(below, &one);
    if (found.id == WEFT_NO_ID)
        return;
    found.time = weft_raw(part->clock, found.time);
    struct weft_near *best = &near->best;
    bool backward = near->query->backward;
    bool nearer = found.time != best->time ? (found.time < best->time) != backward
                                           : (found.id < best->id) != backward;
    if (best->id == WEFT_NO_ID || nearer)
        *best = found;
}

static struct weft_near raw_near(const struct weft_source *source,
                                 const struct weft_near_query *query)
{
    struct near_query near = { query, { WEFT_NO_ID, 0 } };
    for_each_clock(source, query->tracks, query->n_tracks, ask_near, &near);
    return near.best;
}

static size_t raw_damage(const struct weft_source *source, size_t from,
                         struct weft_damage *out, size_t capacity)
{
    const struct weft_source *below = weft_raw_of(source)->below;
    size_t n = below->ops->damage(below, from, out, capacity);
    for (size_t i = 0; i < capacity && from + i < n; i++) {
        if (out[i].track == WEFT_NONE) {
            out[i].span = source->schema->span;
            continue;
        }
        const struct weft_clock *clock = weft_raw_clock_of_track(source, out[i].track);
        out[i].span.begin = weft_raw(clock, out[i].span.begin);
        out[i].span.end = weft_raw(clock, out[i].span.end);
    }
    return n;
}

/* The times in a grid are corrected ones, so raw time has none. */
static uint64_t raw_grid_rows(const struct weft_source *source, enum weft_grid_kind kind)
{
    (void)source;
    (void)kind;
    return 0;
}

static const unsigned char *raw_grid_block(const struct weft_source *source,
                                           enum weft_grid_kind kind, uint64_t block)
{
    (void)source;
    (void)kind;
    (void)block;
    return NULL;
}

const struct weft_source_ops weft_raw_ops = {
    .states = raw_states,
    .shares = raw_shares,
    .sums = raw_sums,
    .density = raw_density,
    .events = raw_events,
    .samples = raw_samples,
    .envelope = raw_envelope,
    .integrals = raw_integrals,
    .links = weft_raw_links,
    .links_at = weft_raw_links_at,
    .state = raw_state,
    .event = raw_event,
    .link = weft_raw_link_of_id,
    .fields = raw_fields,
    .column = raw_column,
    .field_range = raw_field_range,
    .all_fields = raw_all_fields,
    .values_at = raw_values_at,
    .changes = raw_changes,
    .classes = weft_classes_of_changes,
    .class_ticks = weft_class_ticks_of_changes,
    .find = raw_find,
    .links_of = weft_raw_links_of,
    .pair_sums = weft_raw_pair_sums,
    .pairs_pending = weft_raw_pairs_pending,
    .run = raw_run,
    .rank = raw_rank,
    .near = raw_near,
    .damage = raw_damage,
    .grid_rows = raw_grid_rows,
    .grid_block = raw_grid_block,
};
