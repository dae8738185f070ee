/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and shares of time of the filtered source. */
#define _GNU_SOURCE /* qsort_r */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/parallel.h"
#include "filter/filtered_source_priv.h"
#include "store/time.h"

/*
 * Returns true if the values of TABLE have numbers of their own among the shares of TYPE,
 * or all that share the last one are in it.
 */
static bool has_own_numbers(const struct filtered *f, uint32_t type, const uint8_t *table)
{
    uint32_t slots = f->schema.types[type].slots;
    bool last_in = false, last_out = false;
    for (uint32_t v = 0; v < f->schema.n_values; v++) {
        const struct weft_value *value = &f->schema.values[v];
        if (value->type != type || value->rank + 1 < slots)
            continue;
        last_in |= table[v];
        last_out |= !table[v];
    }
    return !last_in || !last_out;
}

/*
 * Returns true if what the source below says of TRACK, without the numbers of hidden
 * values, is right: no state lies around another.
 */
static bool leaves_out_numbers(const struct filtered *f, uint32_t track)
{
    const struct weft_track *of = &f->schema.tracks[track];
    const struct filtered_track *hides = &f->hides.tracks[track];
    return hides->mode == FILTER_BY_VALUE && of->max_depth <= 1
           && has_own_numbers(f, of->type, hides->values);
}

/* ---- Shares ---- */

struct share_walk {
    const struct weft_schema *schema;
    const struct weft_share_query *query;
    uint32_t slots;
    double scale;  /* columns a tick */
    double since;  /* the column of the last change, from which on it was `slot` */
    uint32_t slot; /* number among the shares; `slots`: no state */
};

/* Returns the walk at the begin of the window, in no state. */
static struct share_walk share_walk_of(const struct weft_schema *schema,
                                       const struct weft_share_query *query, uint32_t track)
{
    double ticks = (double)(query->window.end - query->window.begin);
    uint32_t slots = schema->types[schema->tracks[track].type].slots;
    return (struct share_walk){ schema, query, slots, (double)query->columns / ticks,
                                0,      slots };
}

/* Adds the time from the last change to END, the next one, to its columns. */
static void add_time(struct share_walk *walk, int64_t end)
{
    const struct weft_share_query *query = walk->query;
    double from = walk->since, to = (double)(end - query->window.begin) * walk->scale;
    walk->since = to;
    if (walk->slot == walk->slots || to <= from)
        return;
    size_t c = (size_t)from;
    if (to <= (double)c + 1 && c < query->columns) {
        query->shares[c * walk->slots + walk->slot] += (float)(to - from);
        return;
    }
    for (; c < query->columns && (double)c < to; c++) {
        double left = fmax(from, (double)c), right = fmin(to, (double)c + 1);
        query->shares[c * walk->slots + walk->slot] += (float)fmax(0, right - left);
    }
}

static bool add_classes(void *user, const struct weft_class_run *run)
{
    struct share_walk *walk = user;
    for (size_t i = 0; i < run->n; i++) {
        add_time(walk, run->times[i]);
        walk->slot = run->classes[i];
    }
    return !weft_job_cancelled(walk->query->job);
}

/* Adds the shares of a track from its changes; the classes are numbers among the shares. */
static void add_share_changes(const struct weft_source *source,
                              const struct weft_share_query *query, uint32_t track)
{
    const struct weft_schema *schema = source->schema;
    uint32_t slots = schema->types[schema->tracks[track].type].slots;
    uint8_t *of = weft_alloc((size_t)schema->n_values + 1);
    struct share_walk walk = share_walk_of(schema, query, track);
    for (uint32_t v = 0; v < schema->n_values; v++) {
        uint32_t rank = schema->values[v].rank;
        of[v] = (uint8_t)(rank < slots ? rank : slots - 1);
    }
    const struct weft_classing classing = { of, (uint8_t)slots, (uint8_t)slots, NULL };
    filtered_classes(source, track, query->window, &classing, add_classes, &walk);
    add_time(&walk, query->window.end);
    free(of);
}

/* Adds what the source below says of N tracks without the numbers of hidden values. */
static void add_numbers(const struct filtered *f, const struct weft_share_query *query,
                        const uint32_t *tracks, size_t n, const uint8_t *hidden)
{
    uint32_t type = f->schema.tracks[tracks[0]].type;
    uint32_t slots = f->schema.types[type].slots;
    size_t size = query->columns * slots;
    struct weft_share_query one = *query;
    one.tracks = tracks;
    one.n_tracks = n;
    one.shares = weft_alloc((size + 1) * sizeof *one.shares);
    f->below->ops->shares(f->below, &one);
    for (uint32_t v = 0; hidden && v < f->schema.n_values; v++) {
        const struct weft_value *value = &f->schema.values[v];
        if (value->type != type || !hidden[v])
            continue;
        uint32_t slot = value->rank < slots ? value->rank : slots - 1;
        for (size_t c = 0; c < query->columns; c++)
            one.shares[c * slots + slot] = 0;
    }
    for (size_t i = 0; i < size; i++)
        query->shares[i] += one.shares[i];
    free(one.shares);
}

static int by_table(const void *a, const void *b, void *user)
{
    const struct filtered *f = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uintptr_t p = (uintptr_t)f->hides.tracks[x].values,
              q = (uintptr_t)f->hides.tracks[y].values;
    return (p > q) - (p < q) ?: (x > y) - (x < y);
}

/* Adds the shares of N tracks that are hidden in part, those with one table together. */
static void add_sieved(const struct weft_source *source,
                       const struct weft_share_query *query, uint32_t *tracks, size_t n)
{
    const struct filtered *f = filtered_of(source);
    qsort_r(tracks, n, sizeof *tracks, by_table, (void *)f);
    for (size_t i = 0; i < n;) {
        size_t begin = i++;
        const uint8_t *table = f->hides.tracks[tracks[begin]].values;
        if (!leaves_out_numbers(f, tracks[begin])) {
            add_share_changes(source, query, tracks[begin]);
            continue;
        }
        while (i < n && f->hides.tracks[tracks[i]].values == table
               && leaves_out_numbers(f, tracks[i]))
            i++;
        add_numbers(f, query, tracks + begin, i - begin, table);
    }
}

static void add_all_shares(const struct weft_source *source,
                           const struct weft_share_query *query)
{
    const struct filtered *f = filtered_of(source);
    const struct weft_schema *schema = source->schema;
    size_t n_shown = 0, n_sieved = 0;
    uint32_t *shown = weft_alloc((query->n_tracks + 1) * sizeof *shown);
    uint32_t *sieved = weft_alloc((query->n_tracks + 1) * sizeof *sieved);
    for (size_t i = 0; i < query->n_tracks; i++) {
        enum filter_track mode = filtered_mode(f, query->tracks[i]);
        if (mode == FILTER_SHOWN)
            shown[n_shown++] = query->tracks[i];
        else if (mode != FILTER_HIDDEN)
            sieved[n_sieved++] = query->tracks[i];
    }
    struct weft_share_query one = *query;
    one.tracks = shown;
    one.n_tracks = n_shown;
    if (n_shown)
        f->below->ops->shares(f->below, &one);
    else
        memset(query->shares, 0,
               query->columns * schema->types[schema->tracks[query->tracks[0]].type].slots
                   * sizeof *query->shares);
    add_sieved(source, query, sieved, n_sieved);
    free(shown);
    free(sieved);
}

/* ---- Dimmed shares ---- */

static bool add_dimmed_changes(void *user, const struct weft_innermost_change *changes,
                               size_t n)
{
    struct share_walk *walk = user;
    const struct weft_value *values = walk->schema->values;
    for (size_t i = 0; i < n; i++) {
        uint32_t value = changes[i].value;
        add_time(walk, changes[i].time);
        walk->slot = value == WEFT_NONE                 ? walk->slots
                     : values[value].rank < walk->slots ? values[value].rank
                                                        : walk->slots - 1;
    }
    return !weft_job_cancelled(walk->query->job);
}

/* Adds the dimmed shares of TRACK to DIMMED, state by state. */
static void walk_dimmed(const struct weft_source *source,
                        const struct weft_share_query *query, uint32_t track)
{
    const struct weft_schema *schema = source->schema;
    struct weft_share_query into = *query;
    into.shares = query->dimmed;
    struct share_walk walk = share_walk_of(schema, &into, track);
    filter_dimmed_changes(filtered_of(source), track, query->window, add_dimmed_changes,
                          &walk);
    add_time(&walk, query->window.end);
}

/* Adds the shares of N tracks whose values in TABLE are dimmed; NULL: all are. */
static void add_dimmed_numbers(const struct weft_source *source,
                               const struct weft_share_query *query, const uint32_t *tracks,
                               size_t n, const uint8_t *table)
{
    const struct weft_schema *schema = source->schema;
    uint32_t type = schema->tracks[tracks[0]].type, slots = schema->types[type].slots;
    bool dims[WEFT_MAX_SLOTS] = { false }, whole = n == query->n_tracks;
    struct weft_share_query one = *query;
    if (!whole) { /* else the shares of all tracks, which are known, are those */
        one.tracks = tracks;
        one.n_tracks = n;
        one.dimmed = NULL;
        one.shares = weft_alloc((query->columns * slots + 1) * sizeof *one.shares);
        add_all_shares(source, &one);
    }
    for (uint32_t v = 0; v < schema->n_values; v++) {
        uint32_t rank = schema->values[v].rank;
        if (schema->values[v].type == type && (!table || table[v]))
            dims[rank < slots ? rank : slots - 1] = true;
    }
    for (size_t i = 0; i < query->columns * slots; i++)
        if (dims[i % slots])
            query->dimmed[i] += one.shares[i];
    if (!whole)
        free(one.shares);
}

static int by_dim_table(const void *a, const void *b, void *user)
{
    const struct filtered *f = user;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const struct filtered_track *p = &f->dims.tracks[x], *q = &f->dims.tracks[y];
    return WEFT_COMPARE(p->mode, q->mode)
           ?: WEFT_COMPARE((uintptr_t)p->values, (uintptr_t)q->values)
           ?: WEFT_COMPARE(x, y);
}

/* Adds the dimmed part of the shares to query->dimmed: tracks with one table together. */
static void add_dimmed(const struct weft_source *source,
                       const struct weft_share_query *query)
{
    const struct filtered *f = filtered_of(source);
    size_t n = query->n_tracks;
    uint32_t *tracks = weft_alloc((n + 1) * sizeof *tracks);
    memcpy(tracks, query->tracks, n * sizeof *tracks);
    qsort_r(tracks, n, sizeof *tracks, by_dim_table, (void *)f);
    for (size_t i = 0; i < n;) {
        const struct filtered_track first = f->dims.tracks[tracks[i]];
        size_t begin = i;
        while (i < n && f->dims.tracks[tracks[i]].mode == first.mode
               && f->dims.tracks[tracks[i]].values == first.values)
            i++;
        uint32_t type = f->schema.tracks[tracks[begin]].type;
        if (first.mode == FILTER_HIDDEN)
            add_dimmed_numbers(source, query, tracks + begin, i - begin, NULL);
        else if (first.mode == FILTER_BY_VALUE && has_own_numbers(f, type, first.values))
            add_dimmed_numbers(source, query, tracks + begin, i - begin, first.values);
        else
            for (size_t k = begin; first.mode != FILTER_SHOWN && k < i; k++)
                walk_dimmed(source, query, tracks[k]);
    }
    free(tracks);
}

void filtered_shares(const struct weft_source *source, const struct weft_share_query *query)
{
    if (!query->n_tracks)
        return;
    add_all_shares(source, query);
    if (query->dimmed && source->schema->dimmed)
        add_dimmed(source, query);
}

/* ---- Sums ---- */

struct sum_walk {
    struct filter_sieve sieve;
    struct weft_span window;
    struct weft_sum *sums;
    int64_t since;
    uint32_t value;
    struct weft_state *states; /* shown ones, clipped to the window */
    size_t n, capacity;
};

static bool keep_state(void *user, const struct weft_state *state)
{
    struct sum_walk *walk = user;
    struct weft_state kept = *state;
    kept.begin = state->begin > walk->window.begin ? state->begin : walk->window.begin;
    kept.end = state->end < walk->window.end ? state->end : walk->window.end;
    if (kept.end <= kept.begin || filter_holds_state(&walk->sieve, state))
        return true;
    walk->states =
        weft_grow(walk->states, &walk->capacity, walk->n + 1, sizeof *walk->states);
    walk->states[walk->n++] = kept;
    return true;
}

static int by_value(const void *a, const void *b)
{
    const struct weft_state *x = a, *y = b;
    return WEFT_COMPARE(x->value, y->value) ?: WEFT_COMPARE(x->begin, y->begin)
           ?: WEFT_COMPARE(y->end, x->end);
}

/* Adds the time in which each value is open: once where it lies inside itself. */
static void add_totals(struct sum_walk *walk)
{
    int64_t until = INT64_MIN;
    if (walk->n > 1)
        qsort(walk->states, walk->n, sizeof *walk->states, by_value);
    for (size_t i = 0; i < walk->n; i++) {
        const struct weft_state *state = &walk->states[i];
        if (!i || state->value != walk->states[i - 1].value)
            until = INT64_MIN;
        int64_t begin = state->begin > until ? state->begin : until;
        if (state->end <= begin)
            continue;
        struct weft_sum *sum = &walk->sums[state->value];
        sum->total_ticks = weft_ticks_add(sum->total_ticks, state->end - begin);
        until = state->end;
    }
}

static bool add_self(void *user, const struct weft_innermost_change *changes, size_t n)
{
    struct sum_walk *walk = user;
    for (size_t i = 0; i < n; i++) {
        if (walk->value != WEFT_NONE)
            walk->sums[walk->value].self_ticks = weft_ticks_add(
                walk->sums[walk->value].self_ticks, changes[i].time - walk->since);
        walk->since = changes[i].time;
        walk->value = changes[i].value;
    }
    return true;
}

static void add_sum_of(const struct weft_source *source, uint32_t track,
                       struct weft_span window, struct weft_sum *sums)
{
    const struct filtered *f = filtered_of(source);
    struct sum_walk walk = {
        .window = window, .sums = sums, .since = window.begin, .value = WEFT_NONE
    };
    filter_sieve_begin(&walk.sieve, f, &f->hides, track);
    f->below->ops->states(f->below, track, window, keep_state, &walk);
    filter_sieve_end(&walk.sieve);
    add_totals(&walk);
    free(walk.states);
    filtered_changes(source, track, window, NULL, add_self, &walk);
    add_self(&walk, &(struct weft_innermost_change){ window.end, WEFT_NONE, false }, 1);
}

/* Adds the sums below of N tracks, without those of the values that HIDDEN says. */
static void add_sums_without(const struct filtered *f, const uint32_t *tracks, size_t n,
                             struct weft_span window, const uint8_t *hidden,
                             struct weft_sum *sums)
{
    struct weft_sum *some = weft_zalloc((size_t)f->schema.n_values + 1, sizeof *some);
    f->below->ops->sums(f->below, tracks, n, window, some);
    for (uint32_t v = 0; v < f->schema.n_values; v++) {
        if (hidden[v])
            continue;
        sums[v].self_ticks = weft_ticks_add(sums[v].self_ticks, some[v].self_ticks);
        sums[v].total_ticks = weft_ticks_add(sums[v].total_ticks, some[v].total_ticks);
    }
    free(some);
}

/* ---- Self time where states nest, by classes of values ---- */

/* Returns the classes of TYPE's values, numbered from 0; NULL: too many.  OF is freed. */
static uint8_t *number_values(const struct filtered *f, uint32_t type)
{
    uint8_t *of = weft_zalloc((size_t)f->schema.n_values + 1, 1);
    uint32_t n = 0;
    for (uint32_t v = 0; v < f->schema.n_values; v++)
        if (f->schema.values[v].type == type) {
            if (n == WEFT_NO_CLASS - 1) {
                free(of);
                return NULL;
            }
            of[v] = (uint8_t)n++;
        }
    return of;
}

/* The sums of tracks with hidden values, on several threads. */
struct sum_parts {
    const struct weft_source *source;
    const uint32_t *tracks;
    size_t n, n_parts;
    struct weft_span window;
    const uint8_t *of;     /* classes of the values; NULL: each state is looked at */
    struct weft_sum *sums; /* [n_parts][n_values] */
};

struct self_walk {
    int64_t ticks[WEFT_NO_CLASS];
    int64_t since;
    uint8_t class;
};

static bool add_self_classes(void *user, const struct weft_class_run *run)
{
    struct self_walk *walk = user;
    for (size_t i = 0; i < run->n; i++) {
        walk->ticks[walk->class] += run->times[i] - walk->since;
        walk->since = run->times[i];
        walk->class = run->classes[i];
    }
    return true;
}

/* Adds the self times of TRACK, by its changes. */
static void add_self_by_class(const struct sum_parts *parts, uint32_t track,
                              struct weft_sum *sums)
{
    const struct weft_schema *schema = parts->source->schema;
    struct self_walk walk = { .since = parts->window.begin, .class = WEFT_NO_CLASS - 1 };
    const struct weft_classing classing = { parts->of, WEFT_NO_CLASS - 1, WEFT_NO_CLASS - 1,
                                            NULL };
    filtered_classes(parts->source, track, parts->window, &classing, add_self_classes,
                     &walk);
    walk.ticks[walk.class] += parts->window.end - walk.since;
    for (uint32_t v = 0; v < schema->n_values; v++)
        if (schema->values[v].type == schema->tracks[track].type)
            sums[v].self_ticks =
                weft_ticks_add(sums[v].self_ticks, walk.ticks[parts->of[v]]);
}

static void sum_part(void *user, size_t part)
{
    const struct sum_parts *parts = user;
    struct weft_sum *sums = parts->sums + part * parts->source->schema->n_values;
    size_t to = parts->n * (part + 1) / parts->n_parts;
    for (size_t i = parts->n * part / parts->n_parts; i < to; i++)
        if (parts->of)
            add_self_by_class(parts, parts->tracks[i], sums);
        else
            add_sum_of(parts->source, parts->tracks[i], parts->window, sums);
}

/*
 * Adds the sums of N tracks of one type and table, some of whose things are hidden.  Of
 * hidden values the time in which a value is open is that below, its self time takes a look
 * at the changes; of other things all takes a look at each state.
 */
static void add_sums_in_parts(const struct weft_source *source, const uint32_t *tracks,
                              size_t n, struct weft_span window, struct weft_sum *sums)
{
    const struct filtered *f = filtered_of(source);
    size_t n_values = f->schema.n_values, most = 4 * (size_t)weft_parallel_width();
    struct sum_parts parts = { source, tracks, n, n < most ? n : most, window, NULL, NULL };
    const struct filtered_track *like = &f->hides.tracks[tracks[0]];
    uint8_t *of = like->mode == FILTER_BY_VALUE
                      ? number_values(f, f->schema.tracks[tracks[0]].type)
                      : NULL;
    parts.of = of;
    parts.sums = weft_zalloc(parts.n_parts * n_values + 1, sizeof *parts.sums);
    weft_parallel(parts.n_parts, 1, sum_part, &parts);
    for (size_t i = 0; i < parts.n_parts * n_values; i++) {
        struct weft_sum *sum = &sums[i % n_values];
        sum->self_ticks = weft_ticks_add(sum->self_ticks, parts.sums[i].self_ticks);
        sum->total_ticks = weft_ticks_add(sum->total_ticks, parts.sums[i].total_ticks);
    }
    free(parts.sums);
    if (of) {
        struct weft_sum *open = weft_zalloc(n_values + 1, sizeof *open);
        f->below->ops->sums(f->below, tracks, n, window, open);
        for (size_t v = 0; v < n_values; v++)
            if (!like->values[v])
                sums[v].total_ticks =
                    weft_ticks_add(sums[v].total_ticks, open[v].total_ticks);
        free(open);
    }
    free(of);
}

/* Returns true if tracks A and B have one type, mode and table of hidden values. */
static bool are_alike(const struct filtered *f, uint32_t a, uint32_t b)
{
    const struct filtered_track *x = &f->hides.tracks[a], *y = &f->hides.tracks[b];
    return x->mode == y->mode && x->values == y->values
           && f->schema.tracks[a].type == f->schema.tracks[b].type
           && (f->schema.tracks[a].max_depth <= 1) == (f->schema.tracks[b].max_depth <= 1);
}

static void add_sieved_sums(const struct weft_source *source, uint32_t *tracks, size_t n,
                            struct weft_span window, struct weft_sum *sums)
{
    const struct filtered *f = filtered_of(source);
    qsort_r(tracks, n, sizeof *tracks, by_table, (void *)f);
    for (size_t i = 0; i < n;) {
        size_t begin = i;
        const struct filtered_track *like = &f->hides.tracks[tracks[begin]];
        while (i < n && are_alike(f, tracks[begin], tracks[i]))
            i++;
        if (like->mode == FILTER_BY_VALUE && f->schema.tracks[tracks[begin]].max_depth <= 1)
            add_sums_without(f, tracks + begin, i - begin, window, like->values, sums);
        else
            add_sums_in_parts(source, tracks + begin, i - begin, window, sums);
    }
}

void filtered_sums(const struct weft_source *source, const uint32_t *tracks, size_t n,
                   struct weft_span window, struct weft_sum *sums)
{
    const struct filtered *f = filtered_of(source);
    const struct weft_schema *schema = source->schema;
    uint32_t *shown = weft_alloc((n + 1) * sizeof *shown), *sieved;
    size_t n_shown = 0, n_sieved = 0;
    sieved = weft_alloc((n + 1) * sizeof *sieved);
    for (size_t i = 0; i < n; i++) {
        enum filter_track mode = filtered_mode(f, tracks[i]);
        if (mode == FILTER_SHOWN)
            shown[n_shown++] = tracks[i];
        else if (mode != FILTER_HIDDEN
                 && schema->types[schema->tracks[tracks[i]].type].kind == WEFT_STATE)
            sieved[n_sieved++] = tracks[i];
    }
    f->below->ops->sums(f->below, shown, n_shown, window, sums);
    if (window.begin < window.end)
        add_sieved_sums(source, sieved, n_sieved, window, sums);
    free(shown);
    free(sieved);
}
