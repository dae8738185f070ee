/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/active_members.h"

#include <stdlib.h>

#include "analyse/activity_intervals.h"
#include "analyse/container_relevance.h"
#include "base/parallel.h"
#include "base/radix_sort.h"

bool weft_values_of_work(const struct weft_schema *schema, uint8_t *active)
{
    bool any = false;
    for (uint32_t v = 0; v < schema->n_values; v++) {
        bool state = schema->types[schema->values[v].type].kind == WEFT_STATE;
        active[v] =
            state && weft_activity_class_of(schema->values[v].role) == WEFT_ACTIVITY_WORK;
        any |= active[v];
    }
    for (uint32_t v = 0; v < schema->n_values && !any; v++)
        active[v] = schema->types[schema->values[v].type].kind == WEFT_STATE;
    return any;
}

/* ---- Members ---- */

/* Returns true if type A suits better than B; N: their tracks; WORKS: active values. */
static bool suits_better(const struct weft_schema *schema, uint32_t a, uint32_t b,
                         const uint32_t *n, const uint8_t *works)
{
    if (b == WEFT_NONE)
        return true;
    unsigned x = weft_type_order(schema, a), y = weft_type_order(schema, b);
    return x != y ? x < y : works[a] != works[b] ? works[a] : n[a] > n[b];
}

struct weft_members weft_members_of(const struct weft_schema *schema, uint32_t container,
                                    const uint8_t *active, struct weft_arena *arena)
{
    const struct weft_container *c = &schema->containers[container];
    uint32_t begin = schema->track_begin[c->order],
             end = schema->track_begin[c->subtree_end];
    uint32_t *n = weft_zalloc((size_t)schema->n_types + 1, sizeof *n);
    uint8_t *works = weft_zalloc((size_t)schema->n_types + 1, 1);
    struct weft_members members = { NULL, 0, WEFT_NONE };
    for (uint32_t v = 0; v < schema->n_values; v++)
        works[schema->values[v].type] |= active[v];
    for (uint32_t i = begin; i < end; i++) {
        const struct weft_track *track = &schema->tracks[schema->track_at[i]];
        n[track->type] += track->count && schema->types[track->type].kind == WEFT_STATE;
    }
    for (uint32_t t = 0; t < schema->n_types; t++)
        if (n[t] && suits_better(schema, t, members.type, n, works))
            members.type = t;
    if (members.type != WEFT_NONE)
        members.tracks = weft_arena_alloc(arena, n[members.type] * sizeof *members.tracks);
    for (uint32_t i = begin; i < end && members.type != WEFT_NONE; i++) {
        const struct weft_track *track = &schema->tracks[schema->track_at[i]];
        if (track->type == members.type && track->count)
            members.tracks[members.n++] = schema->track_at[i];
    }
    free(n);
    free(works);
    return members;
}

size_t weft_most_at_once(const struct weft_schema *schema, const uint32_t *tracks, size_t n)
{
    uint64_t *begins = weft_alloc((n + 1) * sizeof *begins);
    uint64_t *ends = weft_alloc((n + 1) * sizeof *ends);
    size_t most = 0, ended = 0;
    for (size_t i = 0; i < n; i++) {
        const struct weft_container *c =
            &schema->containers[schema->tracks[tracks[i]].container];
        /* In a damaged trace a container may live outside of the time of the trace. */
        begins[i] =
            (uint64_t)(c->begin > schema->span.begin ? c->begin - schema->span.begin : 0);
        ends[i] = (uint64_t)(c->end > schema->span.begin ? c->end - schema->span.begin : 0);
        if (ends[i] <= begins[i])
            ends[i] = begins[i] + 1;
    }
    weft_sort_keys(begins, n);
    weft_sort_keys(ends, n);
    for (size_t begun = 0; begun < n; begun++) {
        while (ends[ended] <= begins[begun])
            ended++;
        most = begun + 1 - ended > most ? begun + 1 - ended : most;
    }
    free(begins);
    free(ends);
    return most;
}

/* ---- Counts ---- */

enum { ACTIVE, INACTIVE, DAMAGED, CLASSES }; /* of a member at a time */
enum {
    FEW_CHANGES = 1 << 20,  /* about as many are sorted at once ... */
    MOST_CHANGES = 1 << 22, /* ... and at most, unless all are within one tick */
    MOST_PARTS = 4096,
};

struct counter {
    const struct weft_source *source;
    const struct weft_members *members;
    const struct weft_classing *classing;
    struct weft_job *job;
    struct weft_span window;
    size_t n_parts;
    int64_t *ticks; /* [n_parts][members->n + 1] */
};

/* The changes of all members in a part of the window. */
struct changes {
    struct weft_sort_item *list; /* key: ticks from `begin`; payload: classes */
    size_t n, capacity;
    int64_t begin;
    uint8_t class; /* of the member that is being read */
};

static bool see(void *user, const struct weft_class_run *run)
{
    struct changes *changes = user;
    changes->list = weft_grow(changes->list, &changes->capacity, changes->n + run->n,
                              sizeof *changes->list);
    for (size_t i = 0; i < run->n; i++) {
        changes->list[changes->n++] = (struct weft_sort_item){
            (uint64_t)(run->times[i] - changes->begin),
            (uint64_t)(changes->class * CLASSES + run->classes[i])
        };
        changes->class = run->classes[i];
    }
    return true;
}

/* Adds the time of the sorted changes of a part that is LENGTH ticks long to TICKS. */
static void add_up(const struct changes *changes, size_t n_members, uint64_t length,
                   int64_t *ticks)
{
    size_t now[CLASSES] = { [INACTIVE] = n_members };
    uint64_t since = 0;
    for (size_t i = 0; i <= changes->n; i++) {
        uint64_t at = i < changes->n ? changes->list[i].key : length;
        if (!now[DAMAGED])
            ticks[now[ACTIVE]] += (int64_t)(at - since);
        since = at;
        if (i == changes->n)
            break;
        now[changes->list[i].payload / CLASSES]--;
        now[changes->list[i].payload % CLASSES]++;
    }
}

static uint64_t density(const struct counter *counter, struct weft_span span)
{
    const struct weft_members *members = counter->members;
    uint64_t sum = 0;
    for (size_t i = 0; i < members->n; i++)
        sum += counter->source->ops->density(counter->source, members->tracks[i], span);
    return sum;
}

static void count_span(const struct counter *counter, struct weft_span span, int64_t *ticks)
{
    const struct weft_members *members = counter->members;
    struct changes changes = { .begin = span.begin };
    if (span.end <= span.begin || weft_job_cancelled(counter->job))
        return;
    if (span.end - span.begin > 1 && density(counter, span) > MOST_CHANGES) {
        int64_t middle = span.begin + (span.end - span.begin) / 2;
        count_span(counter, (struct weft_span){ span.begin, middle }, ticks);
        count_span(counter, (struct weft_span){ middle, span.end }, ticks);
        return;
    }
    for (size_t i = 0; i < members->n; i++) {
        changes.class = INACTIVE;
        counter->source->ops->classes(counter->source, members->tracks[i], span,
                                      counter->classing, see, &changes);
    }
    weft_sort(changes.list, changes.n);
    add_up(&changes, members->n, (uint64_t)(span.end - span.begin), ticks);
    free(changes.list);
}

static void count_part(void *user, size_t i)
{
    struct counter *counter = user;
    const struct weft_span window = counter->window;
    int64_t length = (window.end - window.begin) / (int64_t)counter->n_parts;
    struct weft_span span = { window.begin + (int64_t)i * length,
                              window.begin + (int64_t)(i + 1) * length };
    if (i + 1 == counter->n_parts)
        span.end = window.end;
    count_span(counter, span, counter->ticks + i * (counter->members->n + 1));
}

void weft_active_counts(const struct weft_source *source,
                        const struct weft_members *members, const uint8_t *active,
                        struct weft_span window, struct weft_job *job, int64_t *ticks)
{
    size_t n_values = source->schema->n_values, n_counts = members->n + 1;
    if (window.end <= window.begin)
        return;
    uint8_t *of = weft_alloc(n_values + 1);
    for (size_t v = 0; v < n_values; v++)
        of[v] = active[v] ? ACTIVE : INACTIVE;
    const struct weft_classing classing = { of, INACTIVE, DAMAGED, NULL };
    struct counter counter = { source, members, &classing, job, window, 1, NULL };
    counter.n_parts += density(&counter, window) / FEW_CHANGES;
    if (counter.n_parts > MOST_PARTS)
        counter.n_parts = MOST_PARTS;
    if ((int64_t)counter.n_parts > window.end - window.begin)
        counter.n_parts = 1;
    counter.ticks = weft_zalloc(counter.n_parts * n_counts, sizeof *counter.ticks);
    weft_parallel(counter.n_parts, 1, count_part, &counter);
    for (size_t i = 0; i < counter.n_parts * n_counts; i++)
        ticks[i % n_counts] += counter.ticks[i];
    free(counter.ticks);
    free(of);
}
