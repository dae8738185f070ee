/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/walk_back_through_causes.h"

#include <stdlib.h>

/*
 * Rows may release each other at one moment.  After so many changes of the row without any
 * time between them the walk stays where it is.
 */
enum { CHANGES_AT_ONCE_MAX = 64 };

/* A row is read in windows: first a thousandth of the walk, then twice as long each. */
enum { FIRST_WINDOWS = 1024 };

struct walk {
    const struct weft_walk_query *query;
    bool (*visit)(void *user, const struct weft_step *step);
    void *user;
    uint32_t row, visits;
    struct weft_release came_by;
    int64_t at;     /* how far the walk has come: all later is done */
    int64_t window; /* ticks of the row that are read at once */
    int changes;    /* of the row, since `at` last changed */
    bool stopped;   /* VISIT wants no more */
    struct weft_activities did;
    struct weft_activities way; /* scratch of pass_way() */
};

/* Reports the step from BEGIN to where the walk is, and goes to BEGIN. */
static void step_to(struct walk *walk, int64_t begin, struct weft_step step)
{
    int64_t end = walk->at;
    if (begin < walk->query->span.begin)
        begin = walk->query->span.begin;
    if (begin >= walk->at || walk->stopped)
        return;
    walk->at = begin;
    walk->changes = 0;
    if (end > walk->query->span.end)
        end = walk->query->span.end;
    if (begin >= end)
        return; /* a part of the wait behind the end of the span */
    step.visit = walk->visits;
    step.row = walk->row;
    step.came_by = walk->came_by;
    step.span = (struct weft_span){ begin, end };
    walk->stopped = !walk->visit(walk->user, &step);
}

static void go_to(struct walk *walk, const struct weft_release *release)
{
    walk->row = release->row;
    walk->came_by = *release;
    walk->visits++;
    walk->changes++;
}

static bool may_go_to(const struct walk *walk, const struct weft_release *release)
{
    return release->row != walk->row && release->time <= walk->at
           && walk->changes < CHANGES_AT_ONCE_MAX
           && weft_is_activity_row(walk->query->source->schema, release->row);
}

/*
 * Passes the rest of a wait after its release, from BEGIN on: the row was on its WAY, but
 * where it lacked a processor.
 */
static void pass_way(struct walk *walk, int64_t begin, struct weft_step way)
{
    if (begin < walk->at)
        weft_activities_read_scheduled(walk->query->source, walk->row,
                                       (struct weft_span){ begin, walk->at }, &walk->way);
    else
        walk->way.n = 0;
    for (size_t i = walk->way.n; i-- > 0 && !walk->stopped;) {
        const struct weft_activity *part = &walk->way.list[i];
        struct weft_step ready = { .kind = WEFT_STEP_DID,
                                   .class = WEFT_ACTIVITY_READY,
                                   .of = part->of };
        step_to(walk, part->span.end, way);
        if (part->class == WEFT_ACTIVITY_READY)
            step_to(walk, part->span.begin, ready);
    }
    step_to(walk, begin, way);
}

/*
 * Passes the wait ACTIVITY, at whose end the walk is.  Returns true if the walk has gone to
 * another row.
 */
static bool pass_wait(struct walk *walk, const struct weft_activity *activity)
{
    struct weft_step step = { .kind = WEFT_STEP_DID,
                              .class = activity->class,
                              .of = activity->of };
    struct weft_release release;
    if (activity->span.end != activity->of.end
        || !weft_release_of_remembered(walk->query->releases, walk->query->memory,
                                       walk->row, &activity->of, &release)
        || !may_go_to(walk, &release)) {
        if (activity->class == WEFT_ACTIVITY_WAITING)
            step.kind = WEFT_STEP_UNSEEN;
        step_to(walk, activity->span.begin, step);
        return false;
    }
    step.kind = WEFT_STEP_ON_ITS_WAY;
    step.release = release;
    if (release.time <= activity->span.begin) {
        pass_way(walk, activity->span.begin, step);
        return false;
    }
    pass_way(walk, release.time, step);
    go_to(walk, &release);
    return true;
}

/* Passes what the row did, from the latest on, until the row changes or the list ends. */
static bool pass_list(struct walk *walk)
{
    for (size_t i = walk->did.n; i-- > 0 && !walk->stopped;) {
        const struct weft_activity *activity = &walk->did.list[i];
        bool waits = activity->of.id != WEFT_NO_ID
                     && (activity->class == WEFT_ACTIVITY_WAITING
                         || activity->class == WEFT_ACTIVITY_OUTSIDE);
        if (waits && pass_wait(walk, activity))
            return true;
        if (!waits)
            step_to(walk, activity->span.begin,
                    (struct weft_step){ .kind = activity->class == WEFT_ACTIVITY_WAITING
                                                    ? WEFT_STEP_UNSEEN
                                                    : WEFT_STEP_DID,
                                        .class = activity->class,
                                        .of = activity->of });
    }
    return false;
}

static const struct weft_step absent = { .kind = WEFT_STEP_ABSENT,
                                         .class = WEFT_ACTIVITY_UNKNOWN,
                                         .of = { .id = WEFT_NO_ID, .value = WEFT_NONE } };

/* The walk is at the begin of its row: goes to the row that created it, if known. */
static void pass_begin(struct walk *walk)
{
    struct weft_release creation;
    struct weft_step step = absent;
    if (!weft_creation_of(walk->query->source, walk->row, &creation)
        || !may_go_to(walk, &creation)) {
        step_to(walk, walk->query->span.begin, step);
        return;
    }
    step.kind = WEFT_STEP_ON_ITS_WAY;
    step.class = WEFT_ACTIVITY_WAITING;
    step.release = creation;
    step_to(walk, creation.time, step);
    if (walk->at > walk->query->span.begin)
        go_to(walk, &creation);
}

/*
 * Returns the begin of the state at the begin of what was read, if that state lasts up to
 * the end of its first interval, within the walk's time; else FROM, where reading began.
 */
static int64_t begin_of_first(const struct walk *walk, int64_t from)
{
    if (!walk->did.n)
        return from;
    const struct weft_activity *first = &walk->did.list[0];
    int64_t begin = first->of.begin, earliest = walk->query->span.begin;
    if (first->of.id == WEFT_NO_ID || first->span.end != first->of.end || begin >= from)
        return from;
    return begin > earliest ? begin : earliest;
}

/*
 * Reads what the row did from FROM to the walk's place; from before FROM while a wait lasts
 * over the begin, since its release may lie before that.  With several tracks the state
 * there may be another one each time; it begins earlier each time.
 */
static void read_row(struct walk *walk, int64_t from)
{
    int64_t begin = from;
    do {
        from = begin;
        weft_activities_read(walk->query->source, walk->row,
                             (struct weft_span){ from, walk->at }, &walk->did);
        begin = begin_of_first(walk, from);
    } while (begin < from);
}

/* Reads the last part of the row's life before the walk's place, and passes it. */
static void pass_window(struct walk *walk)
{
    const struct weft_container *row = &walk->query->source->schema->containers[walk->row];
    int64_t from = walk->query->span.begin;
    if (walk->at > row->end) {
        step_to(walk, row->end > from ? row->end : from, absent);
        return;
    }
    if (walk->at <= row->begin) {
        pass_begin(walk);
        return;
    }
    if (walk->at - from > walk->window)
        from = walk->at - walk->window;
    read_row(walk, from);
    /* A row that is left at once had read too much; one that is not, too little. */
    if (!pass_list(walk))
        walk->window = walk->window > INT64_MAX / 2 ? INT64_MAX : 2 * walk->window;
    else if (walk->window > 1)
        walk->window /= 2;
}

/*
 * Returns where the walk begins: the end of its span, or, if the row waits then, the end of
 * that wait, since its release says what it waited for in the span.
 */
static int64_t begin_of_walk(struct walk *walk)
{
    const struct weft_walk_query *query = walk->query;
    weft_activities_read(query->source, query->row,
                         (struct weft_span){ query->span.end - 1, query->span.end },
                         &walk->did);
    if (!walk->did.n)
        return query->span.end;
    const struct weft_activity *last = &walk->did.list[walk->did.n - 1];
    bool waits =
        last->of.id != WEFT_NO_ID && last->span.end == query->span.end
        && (last->class == WEFT_ACTIVITY_WAITING || last->class == WEFT_ACTIVITY_OUTSIDE);
    return waits && last->of.end > query->span.end ? last->of.end : query->span.end;
}

bool weft_walk(const struct weft_walk_query *query,
               bool (*visit)(void *user, const struct weft_step *step), void *user,
               struct weft_err *err)
{
    struct walk walk = { .query = query,
                         .visit = visit,
                         .user = user,
                         .row = query->row,
                         .came_by = { .kind = WEFT_RELEASE_KINDS } };
    int64_t length = query->span.end - query->span.begin;
    walk.window = length / FIRST_WINDOWS + 1;
    if (length <= 0)
        return true;
    walk.at = begin_of_walk(&walk);
    bool ok = true;
    while (ok && !walk.stopped && walk.at > query->span.begin) {
        pass_window(&walk);
        ok = weft_job_step(
            query->job,
            (uint64_t)(walk.at > query->span.end ? 0 : query->span.end - walk.at),
            (uint64_t)length, err);
    }
    weft_activities_free(&walk.did);
    weft_activities_free(&walk.way);
    return ok;
}
