/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/activity_intervals.h"

#include <stdlib.h>

#include "base/compare.h"

enum { DEPTH_MAX = 64 }; /* deeper states of a track count to the one at this depth */

const char *weft_activity_class_name(enum weft_activity_class class)
{
    static const char *const names[WEFT_ACTIVITY_CLASSES] = {
        "work", "overhead", "waiting", "ready", "outside", "unknown",
    };
    return class < WEFT_ACTIVITY_CLASSES ? names[class] : "";
}

enum weft_activity_class weft_activity_class_of(enum weft_role role)
{
    if (weft_role_is(role, WEFT_ROLE_READY))
        return WEFT_ACTIVITY_READY;
    if (weft_role_is(role, WEFT_ROLE_SLEEPING)
        || weft_role_is(role, WEFT_ROLE_BLOCKED_ON_INPUT_OUTPUT))
        return WEFT_ACTIVITY_OUTSIDE;
    if (weft_role_is(role, WEFT_ROLE_IDLE) || weft_role_is(role, WEFT_ROLE_BLOCKING_SEND)
        || weft_role_is(role, WEFT_ROLE_SPINNING))
        return WEFT_ACTIVITY_WAITING;
    if (weft_role_is(role, WEFT_ROLE_OVERHEAD))
        return WEFT_ACTIVITY_OVERHEAD;
    if (weft_role_is(role, WEFT_ROLE_BUSY))
        return WEFT_ACTIVITY_WORK;
    return WEFT_ACTIVITY_UNKNOWN;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Whether states of a type with ROLE say what their container did. */
static bool is_of_rows(enum weft_role role)
{
    return role == WEFT_ROLE_NONE || weft_role_is(role, WEFT_ROLE_ACTIVITY)
           || weft_role_is(role, WEFT_ROLE_CALL) || weft_role_is(role, WEFT_ROLE_TASK)
           || weft_role_is(role, WEFT_ROLE_TASK_INTERVAL);
}

/* A communication's track tells calls: between them the program computes. */
static bool is_of_calls(enum weft_role role)
{
    return weft_role_is(role, WEFT_ROLE_CALL)
           || weft_role_is(role, WEFT_ROLE_COMMUNICATION);
}

bool weft_is_activity_track(const struct weft_schema *schema, uint32_t track)
{
    const struct weft_type *type = &schema->types[schema->tracks[track].type];
    return type->kind == WEFT_STATE && is_of_rows(type->role)
           && schema->tracks[track].count;
}

/* Returns the range of the indices of a container's tracks, which are adjacent. */
static struct weft_span tracks_of(const struct weft_schema *schema, uint32_t row)
{
    uint32_t order = schema->containers[row].order;
    uint32_t begin = schema->track_begin[order], end = schema->track_begin[order + 1];
    if (begin == end)
        return (struct weft_span){ 0, 0 };
    return (struct weft_span){ schema->track_at[begin],
                               schema->track_at[begin] + (int64_t)(end - begin) };
}

bool weft_is_activity_row(const struct weft_schema *schema, uint32_t row)
{
    struct weft_span tracks = tracks_of(schema, row);
    for (int64_t t = tracks.begin; t < tracks.end; t++)
        if (weft_is_activity_track(schema, (uint32_t)t))
            return true;
    return false;
}

struct states {
    struct weft_state *list;
    size_t n, capacity;
};

static bool add_state(void *user, const struct weft_state *state)
{
    struct states *states = user;
    if (state->end <= state->begin)
        return true;
    states->list =
        weft_grow(states->list, &states->capacity, states->n + 1, sizeof *states->list);
    states->list[states->n++] = *state;
    return true;
}

static int by_begin(const void *a, const void *b)
{
    const struct weft_state *x = a, *y = b;
    return WEFT_COMPARE(x->begin, y->begin) ?: WEFT_COMPARE(x->depth, y->depth)
           ?: WEFT_COMPARE(x->id, y->id);
}

static void add(struct weft_activities *out, struct weft_span span,
                const struct weft_state *of, enum weft_activity_class class)
{
    if (span.begin >= span.end)
        return;
    out->list = weft_grow(out->list, &out->capacity, out->n + 1, sizeof *out->list);
    out->list[out->n++] = (struct weft_activity){ class, span, *of };
}

static const struct weft_state no_state = { .id = WEFT_NO_ID, .value = WEFT_NONE };

/*
 * Adds the innermost states of one track in WINDOW, adjacent and in order; NONE is the
 * class of time in no state.
 */
static void flatten(const struct weft_schema *schema, struct states *states,
                    struct weft_span window, enum weft_activity_class none,
                    struct weft_activities *out)
{
    struct weft_state open[DEPTH_MAX];
    size_t depth = 0;
    int64_t at = window.begin;
    if (states->n > 1)
        qsort(states->list, states->n, sizeof *states->list, by_begin);
    for (size_t i = 0; i <= states->n; i++) {
        int64_t next = i < states->n && states->list[i].begin < window.end
                           ? states->list[i].begin
                           : window.end;
        while (at < next) {
            while (depth && open[depth - 1].end <= at)
                depth--;
            const struct weft_state *top = depth ? &open[depth - 1] : &no_state;
            int64_t end = depth && top->end < next ? top->end : next;
            add(out, (struct weft_span){ at, end }, top,
                depth ? weft_activity_class_of(schema->values[top->value].role) : none);
            at = end;
        }
        if (i < states->n) {
            while (depth && open[depth - 1].end <= states->list[i].begin)
                depth--;
            open[depth < DEPTH_MAX ? depth++ : DEPTH_MAX - 1] = states->list[i];
        }
    }
}

/*
 * Returns true if the interval CALL, of calls, tells more than the interval SCHEDULED, of
 * the same time: a wait, unless the other one knows more of it, or what was computed.
 */
static bool tells_more(const struct weft_activity *call,
                       const struct weft_activity *scheduled)
{
    if (call->of.id == WEFT_NO_ID)
        return scheduled->of.id == WEFT_NO_ID && call->class == WEFT_ACTIVITY_WORK;
    if (call->class == WEFT_ACTIVITY_WAITING || scheduled->of.id == WEFT_NO_ID)
        return true;
    return scheduled->class == WEFT_ACTIVITY_WORK && call->class != WEFT_ACTIVITY_UNKNOWN;
}

/* Overlays BASE, intervals of one span, with CALLS of the same span, into OUT. */
static void overlay(const struct weft_activities *base, const struct weft_activities *calls,
                    struct weft_activities *out)
{
    size_t b = 0, c = 0;
    out->n = 0;
    while (b < base->n && c < calls->n) {
        const struct weft_activity *x = &base->list[b], *y = &calls->list[c];
        const struct weft_activity *wins = tells_more(y, x) ? y : x;
        struct weft_span span = { later(x->span.begin, y->span.begin),
                                  earlier(x->span.end, y->span.end) };
        struct weft_activity *last = out->n ? &out->list[out->n - 1] : NULL;
        if (last && last->of.id == wins->of.id
            && last->class == wins->class && last->of.id != WEFT_NO_ID)
            last->span.end = span.end;
        else
            add(out, span, &wins->of, wins->class);
        b += x->span.end == span.end;
        c += y->span.end == span.end;
    }
}

static bool has_activity_track(const struct weft_schema *schema, struct weft_span tracks)
{
    for (int64_t t = tracks.begin; t < tracks.end; t++) {
        enum weft_role role = schema->types[schema->tracks[t].type].role;
        if (weft_is_activity_track(schema, (uint32_t)t) && !is_of_calls(role))
            return true;
    }
    return false;
}

/* The memory of one reading of a row. */
struct row_walk {
    const struct weft_source *source;
    struct weft_span life; /* the part of the window in which the row existed */
    struct states states;
    struct weft_activities track,
        merged; /* intervals of one track; of all so far with it */
};

static void swap(struct weft_activities *a, struct weft_activities *b)
{
    struct weft_activities c = *a;
    *a = *b;
    *b = c;
}

/* Lays the intervals of TRACK over those in OUT, if there are any yet. */
static void add_track(struct row_walk *walk, uint32_t track, enum weft_activity_class none,
                      struct weft_activities *out)
{
    walk->states.n = 0;
    walk->source->ops->states(walk->source, track, walk->life, add_state, &walk->states);
    walk->track.n = 0;
    flatten(walk->source->schema, &walk->states, walk->life, none, &walk->track);
    if (out->n) {
        overlay(out, &walk->track, &walk->merged);
        swap(out, &walk->merged);
    } else {
        swap(out, &walk->track);
    }
}

/* Adds the tracks of the row that are of calls, or (CALLS false) those that are not. */
static void add_tracks(struct row_walk *walk, struct weft_span tracks, bool calls,
                       enum weft_activity_class none, struct weft_activities *out)
{
    const struct weft_schema *schema = walk->source->schema;
    for (int64_t t = tracks.begin; t < tracks.end; t++) {
        uint32_t track = (uint32_t)t;
        if (weft_is_activity_track(schema, track)
            && is_of_calls(schema->types[schema->tracks[track].type].role) == calls)
            add_track(walk, track, none, out);
    }
}

/* Reads the row's tracks in WINDOW, those of calls only if CALLS is true. */
static void read_tracks(const struct weft_source *source, uint32_t row,
                        struct weft_span window, bool calls, struct weft_activities *out)
{
    const struct weft_schema *schema = source->schema;
    const struct weft_container *container = &schema->containers[row];
    struct weft_span tracks = tracks_of(schema, row);
    struct row_walk walk = { .source = source,
                             .life = { later(window.begin, container->begin),
                                       earlier(window.end, container->end) } };
    enum weft_activity_class none =
        has_activity_track(schema, tracks) ? WEFT_ACTIVITY_UNKNOWN : WEFT_ACTIVITY_WORK;
    out->n = 0;
    if (walk.life.begin >= walk.life.end)
        return;
    add_tracks(&walk, tracks, false, none, out);
    if (calls)
        add_tracks(&walk, tracks, true, none, out);
    if (calls && !out->n)
        add(out, walk.life, &no_state, WEFT_ACTIVITY_UNKNOWN);
    weft_activities_free(&walk.track);
    weft_activities_free(&walk.merged);
    free(walk.states.list);
}

void weft_activities_read(const struct weft_source *source, uint32_t row,
                          struct weft_span window, struct weft_activities *out)
{
    read_tracks(source, row, window, true, out);
}

void weft_activities_read_scheduled(const struct weft_source *source, uint32_t row,
                                    struct weft_span window, struct weft_activities *out)
{
    read_tracks(source, row, window, false, out);
}

void weft_activities_free(struct weft_activities *activities)
{
    free(activities->list);
    *activities = (struct weft_activities){ 0 };
}
