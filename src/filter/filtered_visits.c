/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of the filtered source about entities and fields; the table of all queries. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filter/filtered_source_priv.h"

/* ---- Entities of a track ---- */

struct visitor {
    struct filter_sieve hides, dims;
    bool (*state)(void *user, const struct weft_state *state);
    bool (*event)(void *user, const struct weft_event *event);
    void *user;
};

static bool pass_state(void *user, const struct weft_state *state)
{
    struct visitor *v = user;
    if (filter_holds_state(&v->hides, state))
        return true;
    if (!filter_holds_state(&v->dims, state))
        return v->state(v->user, state);
    struct weft_state pale = *state;
    pale.flags |= WEFT_DIMMED;
    return v->state(v->user, &pale);
}

static bool pass_event(void *user, const struct weft_event *event)
{
    struct visitor *v = user;
    if (filter_holds_event(&v->hides, event))
        return true;
    if (!filter_holds_event(&v->dims, event))
        return v->event(v->user, event);
    struct weft_event pale = *event;
    pale.flags |= WEFT_DIMMED;
    return v->event(v->user, &pale);
}

/* Returns true if some things of TRACK are left out or flagged when they are visited. */
static bool is_sieved(const struct filtered *f, uint32_t track)
{
    return filtered_mode(f, track) != FILTER_SHOWN
           || filtered_dimming(f, track) != FILTER_SHOWN;
}

static void begin_visit(struct visitor *v, const struct filtered *f, uint32_t track)
{
    filter_sieve_begin(&v->hides, f, &f->hides, track);
    filter_sieve_begin(&v->dims, f, &f->dims, track);
}

static void end_visit(struct visitor *v)
{
    filter_sieve_end(&v->hides);
    filter_sieve_end(&v->dims);
}

static void filtered_states(const struct weft_source *source, uint32_t track,
                            struct weft_span window,
                            bool (*visit)(void *user, const struct weft_state *state),
                            void *user)
{
    const struct filtered *f = filtered_of(source);
    struct visitor v = { .state = visit, .user = user };
    if (!is_sieved(f, track))
        f->below->ops->states(f->below, track, window, visit, user);
    if (!is_sieved(f, track) || filtered_mode(f, track) == FILTER_HIDDEN)
        return;
    begin_visit(&v, f, track);
    f->below->ops->states(f->below, track, window, pass_state, &v);
    end_visit(&v);
}

static void filtered_events(const struct weft_source *source, uint32_t track,
                            struct weft_span window,
                            bool (*visit)(void *user, const struct weft_event *event),
                            void *user)
{
    const struct filtered *f = filtered_of(source);
    struct visitor v = { .event = visit, .user = user };
    if (!is_sieved(f, track))
        f->below->ops->events(f->below, track, window, visit, user);
    if (!is_sieved(f, track) || filtered_mode(f, track) == FILTER_HIDDEN)
        return;
    begin_visit(&v, f, track);
    f->below->ops->events(f->below, track, window, pass_event, &v);
    end_visit(&v);
}

static uint64_t filtered_density(const struct weft_source *source, uint32_t track,
                                 struct weft_span window)
{
    const struct filtered *f = filtered_of(source);
    return filtered_mode(f, track) == FILTER_HIDDEN
               ? 0
               : f->below->ops->density(f->below, track, window);
}

static void filtered_samples(const struct weft_source *source, uint32_t track,
                             struct weft_span window,
                             bool (*visit)(void *user, const struct weft_sample *sample),
                             void *user)
{
    const struct filtered *f = filtered_of(source);
    if (filtered_mode(f, track) != FILTER_HIDDEN)
        f->below->ops->samples(f->below, track, window, visit, user);
}

static void filtered_envelope(const struct weft_source *source, uint32_t track,
                              struct weft_span window, size_t columns,
                              struct weft_envelope *out)
{
    const struct filtered *f = filtered_of(source);
    const struct weft_envelope nothing = { NAN, NAN, NAN };
    if (filtered_mode(f, track) != FILTER_HIDDEN)
        f->below->ops->envelope(f->below, track, window, columns, out);
    else
        for (size_t c = 0; c < columns; c++)
            out[c] = nothing;
}

static void filtered_integrals(const struct weft_source *source, uint32_t track,
                               const int64_t *times, size_t n, double *out)
{
    const struct filtered *f = filtered_of(source);
    if (filtered_mode(f, track) != FILTER_HIDDEN)
        f->below->ops->integrals(f->below, track, times, n, out);
    else
        memset(out, 0, n * sizeof *out);
}

/* Returns true if entity I of RUN, of a track of KIND, is hidden. */
static bool hides_of_run(struct filter_sieve *sieve, enum weft_kind kind,
                         const struct weft_run *run, size_t i)
{
    switch (kind) {
    case WEFT_STATE: return filter_holds_state(sieve, &run->states[i]);
    case WEFT_EVENT: return filter_holds_event(sieve, &run->events[i]);
    case WEFT_LINK: return filter_holds_link(sieve, &run->links[i]);
    case WEFT_VARIABLE:
    case WEFT_CONTAINER: break;
    }
    return false;
}

/* ---- Entities by id, and their fields ---- */

static bool filtered_state(const struct weft_source *source, uint64_t id,
                           struct weft_state *out)
{
    const struct weft_source *below = filtered_of(source)->below;
    return below->ops->state(below, id, out);
}

static bool filtered_event(const struct weft_source *source, uint64_t id,
                           struct weft_event *out)
{
    const struct weft_source *below = filtered_of(source)->below;
    return below->ops->event(below, id, out);
}

static bool filtered_link(const struct weft_source *source, uint64_t id,
                          struct weft_link *out)
{
    const struct weft_source *below = filtered_of(source)->below;
    return below->ops->link(below, id, out);
}

static size_t filtered_fields(const struct weft_source *source, uint64_t id,
                              struct weft_field_value *out, size_t capacity)
{
    const struct weft_source *below = filtered_of(source)->below;
    return below->ops->fields(below, id, out, capacity);
}

struct field_visitor {
    struct filter_sieve sieve;
    uint32_t track;
    enum weft_kind kind;
    struct weft_run *run; /* the block that was looked at last */
    bool (*visit)(void *user, const struct weft_field_run *run);
    bool (*visit_field)(void *user, uint32_t field, const struct weft_field_run *run);
    void *user;
};

/* Returns true if the entity with ORDINAL is hidden; one in a damaged block is not. */
static bool hides_ordinal(struct field_visitor *v, uint64_t ordinal)
{
    const struct weft_source *below = v->sieve.f->below;
    struct weft_run *run = v->run;
    if (ordinal < run->first || ordinal >= run->after)
        below->ops->run(below, v->track, ordinal, run);
    return run->n && hides_of_run(&v->sieve, v->kind, run, (size_t)(ordinal - run->first));
}

static void begin_fields(struct field_visitor *v, const struct filtered *f, uint32_t track)
{
    v->track = track;
    v->kind = f->schema.types[f->schema.tracks[track].type].kind;
    v->run = weft_alloc(sizeof *v->run);
    v->run->first = v->run->after = 0;
    filter_sieve_begin(&v->sieve, f, &f->hides, track);
}

static void end_fields(struct field_visitor *v)
{
    filter_sieve_end(&v->sieve);
    free(v->run);
}

/* Visits the values of RUN whose entities are shown. */
static bool pass_shown(struct field_visitor *v, uint32_t field,
                       const struct weft_field_run *run)
{
    uint64_t *ordinals = weft_alloc((run->n + 1) * sizeof *ordinals);
    int64_t *values = weft_alloc((run->n + 1) * sizeof *values);
    size_t n = 0;
    for (size_t i = 0; i < run->n; i++) {
        if (hides_ordinal(v, run->ordinals[i]))
            continue;
        ordinals[n] = run->ordinals[i];
        values[n++] = run->values[i];
    }
    const struct weft_field_run shown = { ordinals, values, n };
    bool more =
        !n
        || (v->visit ? v->visit(v->user, &shown) : v->visit_field(v->user, field, &shown));
    free(ordinals);
    free(values);
    return more;
}

static bool pass_run(void *user, const struct weft_field_run *run)
{
    return pass_shown(user, WEFT_NONE, run);
}

static bool pass_field(void *user, uint32_t field, const struct weft_field_run *run)
{
    return pass_shown(user, field, run);
}

static void filtered_column(const struct weft_source *source, uint32_t track,
                            uint32_t field,
                            bool (*visit)(void *user, const struct weft_field_run *run),
                            void *user)
{
    const struct filtered *f = filtered_of(source);
    enum filter_track mode = filtered_mode(f, track);
    struct field_visitor v = { .visit = visit, .user = user };
    if (mode == FILTER_SHOWN)
        f->below->ops->column(f->below, track, field, visit, user);
    if (mode == FILTER_SHOWN || mode == FILTER_HIDDEN)
        return;
    begin_fields(&v, f, track);
    f->below->ops->column(f->below, track, field, pass_run, &v);
    end_fields(&v);
}

static void filtered_field_range(
    const struct weft_source *source, uint32_t track, uint32_t field, uint64_t first,
    uint64_t after, bool (*visit)(void *user, const struct weft_field_run *run), void *user)
{
    const struct filtered *f = filtered_of(source);
    enum filter_track mode = filtered_mode(f, track);
    struct field_visitor v = { .visit = visit, .user = user };
    if (mode == FILTER_SHOWN)
        f->below->ops->field_range(f->below, track, field, first, after, visit, user);
    if (mode == FILTER_SHOWN || mode == FILTER_HIDDEN)
        return;
    begin_fields(&v, f, track);
    f->below->ops->field_range(f->below, track, field, first, after, pass_run, &v);
    end_fields(&v);
}

static void filtered_all_fields(
    const struct weft_source *source, uint32_t track, uint64_t first, uint64_t after,
    bool (*visit)(void *user, uint32_t field, const struct weft_field_run *run), void *user)
{
    const struct filtered *f = filtered_of(source);
    enum filter_track mode = filtered_mode(f, track);
    struct field_visitor v = { .visit_field = visit, .user = user };
    if (mode == FILTER_SHOWN)
        f->below->ops->all_fields(f->below, track, first, after, visit, user);
    if (mode == FILTER_SHOWN || mode == FILTER_HIDDEN)
        return;
    begin_fields(&v, f, track);
    f->below->ops->all_fields(f->below, track, first, after, pass_field, &v);
    end_fields(&v);
}

struct id_visitor {
    struct filter_sieve sieve;
    bool (*visit)(void *user, uint64_t id);
    void *user;
};

static bool pass_id(void *user, uint64_t id)
{
    struct id_visitor *v = user;
    return filter_holds_id(&v->sieve, id) || v->visit(v->user, id);
}

static bool filtered_find(const struct weft_source *source,
                          const struct weft_field_value *value,
                          bool (*visit)(void *user, uint64_t id), void *user)
{
    const struct filtered *f = filtered_of(source);
    struct id_visitor v = { .visit = visit, .user = user };
    filter_sieve_begin(&v.sieve, f, &f->hides, WEFT_NONE);
    bool indexed = f->below->ops->find(f->below, value, pass_id, &v);
    filter_sieve_end(&v.sieve);
    return indexed;
}

/* ---- Runs, ranks, neighbours ---- */

/*
 * The entities around ORDINAL of its block that are shown one after the other; if it is
 * hidden, none, and those around it that are hidden are to be skipped.
 */
static void filtered_run(const struct weft_source *source, uint32_t track, uint64_t ordinal,
                         struct weft_run *run)
{
    const struct filtered *f = filtered_of(source);
    enum weft_kind kind = f->schema.types[f->schema.tracks[track].type].kind;
    struct filter_sieve sieve;
    f->below->ops->run(f->below, track, ordinal, run);
    if (filtered_mode(f, track) == FILTER_SHOWN || kind == WEFT_VARIABLE || !run->n)
        return;
    size_t first = (size_t)(ordinal - run->first), after = first + 1;
    filter_sieve_begin(&sieve, f, &f->hides, track);
    bool hidden = hides_of_run(&sieve, kind, run, first);
    while (first > 0 && hides_of_run(&sieve, kind, run, first - 1) == hidden)
        first--;
    while (after < run->n && hides_of_run(&sieve, kind, run, after) == hidden)
        after++;
    filter_sieve_end(&sieve);
    run->after = run->first + after;
    run->first += first;
    run->n = hidden ? 0 : after - first;
    if (kind == WEFT_STATE)
        memmove(run->states, run->states + first, run->n * sizeof *run->states);
    else if (kind == WEFT_EVENT)
        memmove(run->events, run->events + first, run->n * sizeof *run->events);
    else
        memmove(run->links, run->links + first, run->n * sizeof *run->links);
}

static uint64_t filtered_rank(const struct weft_source *source, uint32_t track,
                              int64_t time)
{
    const struct filtered *f = filtered_of(source);
    return filtered_mode(f, track) == FILTER_HIDDEN
               ? 0
               : f->below->ops->rank(f->below, track, time);
}

static struct weft_near near_of_run(enum weft_kind kind, const struct weft_run *run,
                                    size_t i, uint32_t *value)
{
    if (kind == WEFT_STATE) {
        *value = run->states[i].value;
        return (struct weft_near){ run->states[i].id, run->states[i].begin };
    }
    if (kind == WEFT_EVENT) {
        *value = run->events[i].value;
        return (struct weft_near){ run->events[i].id, run->events[i].time };
    }
    const struct weft_link *link = &run->links[i];
    *value = link->value;
    return (struct weft_near){ link->id,
                               link->begin < link->end ? link->begin : link->end };
}

static bool is_one_of(const struct weft_near_query *query, uint32_t value)
{
    bool is = !query->n_values;
    for (size_t i = 0; i < query->n_values && !is; i++)
        is = query->values[i] == value;
    return is;
}

/* Looks for the nearest shown entity of one track, block by block. */
static struct weft_near near_on(const struct weft_source *source, uint32_t track,
                                const struct weft_near_query *query)
{
    const struct weft_schema *schema = source->schema;
    enum weft_kind kind = schema->types[schema->tracks[track].type].kind;
    uint64_t count = schema->tracks[track].count;
    uint64_t at = filtered_rank(source, track, query->time);
    struct weft_run *run = weft_alloc(sizeof *run);
    struct weft_near found = { WEFT_NO_ID, 0 };
    while (found.id == WEFT_NO_ID && (query->backward ? at > 0 : at < count)) {
        filtered_run(source, track, query->backward ? at - 1 : at, run);
        for (size_t k = 0; k < run->n && found.id == WEFT_NO_ID; k++) {
            uint32_t value;
            struct weft_near near =
                near_of_run(kind, run, query->backward ? run->n - 1 - k : k, &value);
            if ((near.time < query->time) == query->backward && is_one_of(query, value))
                found = near;
        }
        at = query->backward ? run->first : run->after;
    }
    free(run);
    return found;
}

static bool is_nearer(const struct weft_near *near, const struct weft_near *best,
                      bool backward)
{
    if (near->id == WEFT_NO_ID || best->id == WEFT_NO_ID)
        return near->id != WEFT_NO_ID;
    return near->time != best->time ? (near->time < best->time) != backward
                                    : (near->id < best->id) != backward;
}

static struct weft_near filtered_near(const struct weft_source *source,
                                      const struct weft_near_query *query)
{
    const struct filtered *f = filtered_of(source);
    uint32_t *shown = weft_alloc((query->n_tracks + 1) * sizeof *shown);
    struct weft_near_query one = *query;
    struct weft_near best = { WEFT_NO_ID, 0 };
    one.tracks = shown;
    one.n_tracks = 0;
    for (size_t i = 0; i < query->n_tracks; i++) {
        uint32_t track = query->tracks[i];
        enum filter_track mode = filtered_mode(f, track);
        if (mode == FILTER_SHOWN)
            shown[one.n_tracks++] = track;
        else if (mode != FILTER_HIDDEN) {
            struct weft_near near = near_on(source, track, query);
            if (is_nearer(&near, &best, query->backward))
                best = near;
        }
    }
    struct weft_near near = f->below->ops->near(f->below, &one);
    free(shown);
    return is_nearer(&near, &best, query->backward) ? near : best;
}

/* ---- Damage and grids ---- */

static size_t filtered_damage(const struct weft_source *source, size_t from,
                              struct weft_damage *out, size_t capacity)
{
    const struct weft_source *below = filtered_of(source)->below;
    return below->ops->damage(below, from, out, capacity);
}

static uint64_t filtered_grid_rows(const struct weft_source *source,
                                   enum weft_grid_kind kind)
{
    const struct weft_source *below = filtered_of(source)->below;
    return below->ops->grid_rows(below, kind);
}

static const unsigned char *filtered_grid_block(const struct weft_source *source,
                                                enum weft_grid_kind kind, uint64_t block)
{
    const struct weft_source *below = filtered_of(source)->below;
    return below->ops->grid_block(below, kind, block);
}

const struct weft_source_ops filtered_ops = {
    .states = filtered_states,
    .shares = filtered_shares,
    .sums = filtered_sums,
    .density = filtered_density,
    .events = filtered_events,
    .samples = filtered_samples,
    .envelope = filtered_envelope,
    .integrals = filtered_integrals,
    .links = filtered_links,
    .links_at = filtered_links_at,
    .state = filtered_state,
    .event = filtered_event,
    .link = filtered_link,
    .fields = filtered_fields,
    .column = filtered_column,
    .field_range = filtered_field_range,
    .all_fields = filtered_all_fields,
    .values_at = filtered_values_at,
    .changes = filtered_changes,
    .classes = filtered_classes,
    .class_ticks = filtered_class_ticks,
    .find = filtered_find,
    .links_of = filtered_links_of,
    .pair_sums = filtered_pair_sums,
    .pairs_pending = filtered_pairs_pending,
    .run = filtered_run,
    .rank = filtered_rank,
    .near = filtered_near,
    .damage = filtered_damage,
    .grid_rows = filtered_grid_rows,
    .grid_block = filtered_grid_block,
};
