/* SPDX-License-Identifier: Apache-2.0 */
/* Queries of the filtered source about innermost values over time. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "filter/filtered_source_priv.h"

typedef bool change_visit(void *user, const struct weft_innermost_change *changes,
                          size_t n);

/* ---- Changes from states, one by one ---- */

struct shown_states {
    struct filter_sieve sieve, dims;
    bool only_dimmed;           /* where another state is innermost, there is none */
    const uint8_t *passed_over; /* or NULL */
    struct weft_state *list;
    size_t n, capacity;
};

static bool keep_state(void *user, const struct weft_state *state)
{
    struct shown_states *states = user;
    if (filter_holds_state(&states->sieve, state)
        || (states->passed_over && states->passed_over[state->value])
        || state->end <= state->begin)
        return true;
    states->list =
        weft_grow(states->list, &states->capacity, states->n + 1, sizeof *states->list);
    states->list[states->n] = *state;
    if (states->only_dimmed && filter_holds_state(&states->dims, state))
        states->list[states->n].flags |= WEFT_DIMMED;
    states->n++;
    return true;
}

static int by_begin(const void *a, const void *b)
{
    const struct weft_state *x = a, *y = b;
    return WEFT_COMPARE(x->begin, y->begin) ?: WEFT_COMPARE(x->depth, y->depth)
           ?: WEFT_COMPARE(x->id, y->id);
}

/* Visits the innermost value at the begin of WINDOW, then each change, of nested states. */
static void visit_innermost(const struct shown_states *states, struct weft_span window,
                            change_visit *visit, void *user)
{
    struct weft_innermost_change change = { window.begin, WEFT_NONE, false };
    uint32_t *open = weft_alloc((states->n + 1) * sizeof *open); /* a stack of indices */
    size_t depth = 0, next = 0;
    bool more = true, first = true;
    for (int64_t at = window.begin; more && at < window.end;) {
        while (depth && states->list[open[depth - 1]].end <= at)
            depth--;
        for (; next < states->n && states->list[next].begin <= at; next++)
            if (states->list[next].end > at)
                open[depth++] = (uint32_t)next;
        const struct weft_state *top = depth ? &states->list[open[depth - 1]] : NULL;
        change.time = at;
        uint32_t before = change.value;
        bool counts = top && (!states->only_dimmed || top->flags & WEFT_DIMMED);
        change.value = counts ? top->value : WEFT_NONE;
        if (first || change.value != before)
            more = visit(user, &change, 1);
        first = false;
        at = top ? top->end : INT64_MAX;
        if (next < states->n && states->list[next].begin < at)
            at = states->list[next].begin;
    }
    free(open);
}

static void changes_of_states(const struct filtered *f, uint32_t track,
                              struct weft_span window, const uint8_t *passed_over,
                              bool only_dimmed, change_visit *visit, void *user)
{
    struct shown_states states = { .passed_over = passed_over, .only_dimmed = only_dimmed };
    filter_sieve_begin(&states.sieve, f, &f->hides, track);
    filter_sieve_begin(&states.dims, f, &f->dims, track);
    f->below->ops->states(f->below, track, window, keep_state, &states);
    filter_sieve_end(&states.sieve);
    filter_sieve_end(&states.dims);
    if (states.n > 1)
        qsort(states.list, states.n, sizeof *states.list, by_begin);
    visit_innermost(&states, window, visit, user);
    free(states.list);
}

void filter_dimmed_changes(const struct filtered *f, uint32_t track,
                           struct weft_span window, change_visit *visit, void *user)
{
    changes_of_states(f, track, window, NULL, true, visit, user);
}

/* ---- Changes ---- */

/* Returns the values that TRACK hides or PASSED_OVER skips; the caller frees it. */
static uint8_t *all_passed_over(const struct filtered *f, uint32_t track,
                                const uint8_t *passed_over)
{
    uint8_t *both = weft_alloc((size_t)f->schema.n_values + 1);
    memcpy(both, f->hides.tracks[track].values, f->schema.n_values);
    for (uint32_t v = 0; passed_over && v < f->schema.n_values; v++)
        both[v] |= passed_over[v];
    return both;
}

void filtered_changes(const struct weft_source *source, uint32_t track,
                      struct weft_span window, const uint8_t *passed_over,
                      change_visit *visit, void *user)
{
    const struct filtered *f = filtered_of(source);
    if (source->schema->types[source->schema->tracks[track].type].kind != WEFT_STATE
        || window.end <= window.begin)
        return;
    struct weft_innermost_change none = { window.begin, WEFT_NONE, false };
    uint8_t *both;
    switch (filtered_mode(f, track)) {
    case FILTER_SHOWN:
        f->below->ops->changes(f->below, track, window, passed_over, visit, user);
        break;
    case FILTER_BY_VALUE:
        both = all_passed_over(f, track, passed_over);
        f->below->ops->changes(f->below, track, window, both, visit, user);
        free(both);
        break;
    case FILTER_BY_ENTITY:
        changes_of_states(f, track, window, passed_over, false, visit, user);
        break;
    case FILTER_HIDDEN: visit(user, &none, 1); break;
    }
}

void filtered_classes(const struct weft_source *source, uint32_t track,
                      struct weft_span window, const struct weft_classing *classing,
                      bool (*visit)(void *user, const struct weft_class_run *run),
                      void *user)
{
    const struct filtered *f = filtered_of(source);
    struct weft_classing without = *classing;
    uint8_t *both;
    switch (filtered_mode(f, track)) {
    case FILTER_SHOWN:
        f->below->ops->classes(f->below, track, window, classing, visit, user);
        break;
    case FILTER_BY_VALUE:
        both = all_passed_over(f, track, classing->passed_over);
        without.passed_over = both;
        f->below->ops->classes(f->below, track, window, &without, visit, user);
        free(both);
        break;
    case FILTER_BY_ENTITY:
    case FILTER_HIDDEN:
        weft_classes_of_changes(source, track, window, classing, visit, user);
        break;
    }
}

void filtered_class_ticks(const struct weft_source *source,
                          const struct weft_class_query *queries, size_t n,
                          const struct weft_classing *classing,
                          int64_t (*ticks)[WEFT_TALLIES])
{
    const struct filtered *f = filtered_of(source);
    for (size_t i = 0; i < n;) {
        size_t begin = i;
        while (i < n && filtered_mode(f, queries[i].track) == FILTER_SHOWN)
            i++;
        if (i > begin)
            f->below->ops->class_ticks(f->below, queries + begin, i - begin, classing,
                                       ticks + begin);
        for (; i < n && filtered_mode(f, queries[i].track) != FILTER_SHOWN; i++)
            weft_class_ticks_of_changes(source, queries + i, 1, classing, ticks + i);
    }
}

/* ---- At a time ---- */

struct at_time {
    struct filter_sieve sieve;
    struct weft_innermost out;
};

static bool take_deepest(void *user, const struct weft_state *state)
{
    struct at_time *at = user;
    if (filter_holds_state(&at->sieve, state) || state->end <= state->begin)
        return true;
    if (at->out.id == WEFT_NO_ID || state->depth > at->out.depth)
        at->out = (struct weft_innermost){ state->id, state->value, state->depth, false };
    return true;
}

void filtered_values_at(const struct weft_source *source, const uint32_t *tracks, size_t n,
                        int64_t time, struct weft_innermost *out)
{
    const struct filtered *f = filtered_of(source);
    const struct weft_schema *schema = source->schema;
    f->below->ops->values_at(f->below, tracks, n, time, out);
    for (size_t i = 0; i < n; i++) {
        enum filter_track mode = filtered_mode(f, tracks[i]);
        struct at_time at = { .out = { WEFT_NO_ID, WEFT_NONE, 0, false } };
        if (mode == FILTER_SHOWN || out[i].id == WEFT_NO_ID)
            continue;
        filter_sieve_begin(&at.sieve, f, &f->hides, tracks[i]);
        if (mode != FILTER_HIDDEN
            && schema->types[schema->tracks[tracks[i]].type].kind == WEFT_STATE)
            f->below->ops->states(f->below, tracks[i], (struct weft_span){ time, time + 1 },
                                  take_deepest, &at);
        filter_sieve_end(&at.sieve);
        out[i] = at.out;
    }
}
