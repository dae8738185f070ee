/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads take tracks, sum up the waits of each by object and place, and add them to the
 * total.  The fields of a track are decoded in blocks of ordinals while its states are
 * walked.
 */
#include "domains/threads/analyse/waits_by_place.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/alike_objects.h"
#include "analyse/awaited_processor.h"
#include "analyse/durations.h"
#include "analyse/sites_by_line.h"
#include "analyse/wakings.h"
#include "analyse/who_ended_wait.h"
#include "base/compare.h"
#include "base/hash_map.h"
#include "base/parallel.h"
#include "domains/threads/analyse/two_key_sums.h"
#include "store/time.h"

enum {
    BLOCK = 1 << 16, /* ordinals: half a MiB for both fields */
    STEP = 1 << 14,  /* states between two checks for cancellation */
};

/* Waits with the same key are added up. */
struct wait_key {
    uint32_t value, object, site, partner, tagged, unused; /* unused: no padding */
    int64_t tag;
};

/* Rows, and what is added up for each; a row is an index. */
struct wait_tally {
    struct weft_text_map index; /* struct wait_key to row */
    struct weft_wait *list;
    struct weft_durations *durations; /* [n]: of whole waits, less nested states */
    size_t n, capacity, durations_capacity;
    struct weft_pairs objects; /* row and object: waits */
    struct weft_pairs wakers;  /* row and container: waits that it ended */
};

struct wait_scan {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_span window;
    unsigned apart; /* enum weft_waits_apart */
    struct weft_job *job;
    struct weft_arena arena;
    bool *waits;                               /* by value */
    const struct weft_wait_partners *partners; /* NULL: there are no messages */
    void *messages;                            /* state of `partners`, from begin() */
    const uint32_t *alike;         /* by site: the first site of the same place */
    const uint32_t *objects_alike; /* by container: the first that counts as the same */
    bool wakings_known;
    uint32_t *tracks;
    size_t n_tracks, n_all; /* tracks of the current part; of all parts */
    pthread_mutex_t mutex;  /* guards the tally and done */
    struct wait_tally tally;
    size_t done;
};

/* One field of a track: the values of a block of ordinals. */
struct column {
    uint32_t field;   /* WEFT_NONE if the type has none */
    uint32_t limit;   /* number of containers or sites */
    uint64_t first;   /* ordinal; UINT64_MAX before the first block */
    uint32_t *values; /* [BLOCK] */
};

/* A state that is open while nested states begin. */
struct outer {
    int64_t begin, end;
    size_t wait; /* index in the tally; SIZE_MAX if it is no wait */
    int64_t own; /* ticks without nested states */
};
struct track_walk {
    struct wait_scan *scan;
    uint32_t track;
    struct column object, site;
    void *asker;                 /* asks the partners about the calls of `track` */
    struct weft_wakings wakings; /* of the track's container */
    struct wait_tally tally;
    struct outer *outer; /* by depth */
    size_t n_outer, outer_capacity;
    uint32_t seen;
};

/* Returns by type whether its states may be waits. */
static bool *types_of_waits(const struct weft_schema *schema)
{
    bool *types = weft_zalloc((size_t)schema->n_types + 1, sizeof *types);
    for (uint32_t v = 0; v < schema->n_values; v++) {
        uint32_t type = schema->values[v].type;
        types[type] |=
            schema->types[type].kind == WEFT_STATE && weft_is_wait(schema->values[v].role);
    }
    return types;
}

bool weft_has_waits(const struct weft_schema *schema)
{
    bool *types = types_of_waits(schema);
    bool any = false;
    for (uint32_t t = 0; t < schema->n_tracks && !any; t++)
        any = types[schema->tracks[t].type];
    free(types);
    return any;
}

static bool is_own(enum weft_role role)
{
    return weft_role_is(role, WEFT_ROLE_SLEEPING)
           || weft_role_is(role, WEFT_ROLE_BLOCKED_ON_END);
}

/* ---- Fields ---- */

static bool copy_run(void *user, const struct weft_field_run *run)
{
    struct column *column = user;
    for (size_t i = 0; i < run->n; i++) {
        uint64_t at = run->ordinals[i] - column->first;
        if (run->ordinals[i] >= column->first && at < BLOCK
            && (uint64_t)run->values[i] < column->limit)
            column->values[at] = (uint32_t)run->values[i];
    }
    return true;
}

static uint32_t value_at(const struct track_walk *walk, struct column *column,
                         uint64_t ordinal)
{
    if (column->field == WEFT_NONE)
        return WEFT_NONE;
    if (column->first != ordinal - ordinal % BLOCK) {
        const struct weft_source *source = walk->scan->source;
        column->first = ordinal - ordinal % BLOCK;
        if (!column->values)
            column->values = weft_alloc(BLOCK * sizeof *column->values);
        memset(column->values, 0xff, BLOCK * sizeof *column->values);
        source->ops->field_range(source, walk->track, column->field, column->first,
                                 column->first + BLOCK, copy_run, column);
    }
    return column->values[ordinal % BLOCK];
}

static struct column column_of(const struct weft_schema *schema, uint32_t track,
                               enum weft_role role, enum weft_field_kind kind)
{
    return (struct column){
        .field = weft_field_of_type(schema, schema->tracks[track].type, role, kind),
        .limit = kind == WEFT_FIELD_SITE ? schema->n_sites : schema->n_containers,
        .first = UINT64_MAX,
    };
}

/* ---- Adding up ---- */

/* Returns the row of KEY, made if needed. */
static uint32_t row_of(struct wait_tally *tally, struct wait_key key)
{
    uint32_t at = weft_text_map_get(&tally->index, &key, sizeof key);
    if (at != WEFT_MAP_NONE)
        return at;
    weft_text_map_put(&tally->index, &key, sizeof key, (uint32_t)tally->n);
    tally->list =
        weft_grow(tally->list, &tally->capacity, tally->n + 1, sizeof *tally->list);
    tally->durations = weft_grow(tally->durations, &tally->durations_capacity, tally->n + 1,
                                 sizeof *tally->durations);
    tally->durations[tally->n] = (struct weft_durations){ 0 };
    tally->list[tally->n] = (struct weft_wait){ .value = key.value,
                                                .object = key.object,
                                                .site = key.site,
                                                .partner = key.partner,
                                                .tagged = key.tagged,
                                                .tag = key.tag,
                                                .worst = WEFT_NONE,
                                                .worst_ticks = -1,
                                                .waker = WEFT_NONE };
    return (uint32_t)tally->n++;
}

static void tally_free(struct wait_tally *tally)
{
    for (size_t i = 0; i < tally->n; i++)
        weft_durations_end(&tally->durations[i]);
    free(tally->durations);
    weft_pairs_free(&tally->objects);
    weft_pairs_free(&tally->wakers);
    weft_text_map_free(&tally->index);
}

/* Sets the partner in KEY; returns what is known of it. */
static struct weft_waited_for
add_partner(struct track_walk *walk, const struct weft_state *state, struct wait_key *key)
{
    struct weft_waited_for partner = { .container = WEFT_NONE, .last = WEFT_NONE };
    if (walk->asker)
        partner = walk->scan->partners->partner(walk->asker, state);
    if (partner.container == WEFT_NONE)
        return partner;
    key->partner = partner.container;
    key->tagged = (walk->scan->apart & WEFT_WAITS_BY_TAG) && partner.tagged;
    key->tag = key->tagged ? partner.tag : 0;
    if (key->object == WEFT_NONE)
        key->object = partner.communicator;
    return partner;
}

/* Returns the part of a state within the window. */
static int64_t within(const struct wait_scan *scan, const struct weft_state *state)
{
    return weft_ticks_length(state->begin > scan->window.begin ? state->begin
                                                               : scan->window.begin,
                             state->end < scan->window.end ? state->end : scan->window.end);
}

/* A state ends: add its own ticks. */
static void end_outer(struct track_walk *walk, const struct outer *outer)
{
    if (outer->wait == SIZE_MAX)
        return;
    weft_durations_add(&walk->tally.durations[outer->wait], outer->own);
}

/*
 * Take a nested state's ticks from the wait around it: a task that runs while a thread
 * waits, or a wait of another kind, does not count as part of it.  WAIT is its own index in
 * the tally, if it is a wait.
 */
static void subtract_from_outer(struct track_walk *walk, const struct weft_state *state,
                                size_t wait)
{
    size_t depth = state->depth;
    walk->outer =
        weft_grow(walk->outer, &walk->outer_capacity, depth + 1, sizeof *walk->outer);
    while (walk->n_outer <= depth)
        walk->outer[walk->n_outer++] = (struct outer){ 0, 0, SIZE_MAX, 0 };
    end_outer(walk, &walk->outer[depth]);
    int64_t length = weft_ticks_length(state->begin, state->end);
    walk->outer[depth] = (struct outer){ state->begin, state->end, wait, length };
    if (!depth)
        return;
    struct outer *outer = &walk->outer[depth - 1];
    if (outer->wait != SIZE_MAX && outer->begin <= state->begin
        && state->end <= outer->end) {
        walk->tally.list[outer->wait].ticks -= within(walk->scan, state);
        outer->own -= length;
    }
}

/* Add a wait for OBJECT, which may be one of several that are alike, to its row. */
static void add_to_row(struct track_walk *walk, const struct weft_state *state,
                       uint32_t row, uint32_t object, struct weft_waited_for partner)
{
    struct weft_wait *wait = &walk->tally.list[row];
    uint32_t waker = weft_waker_of(&walk->wakings, state);
    if (waker == WEFT_NONE)
        waker = partner.last;
    wait->partner_number = partner.container == WEFT_NONE ? 0 : partner.number;
    wait->count++;
    wait->ticks = weft_ticks_add(wait->ticks, within(walk->scan, state));
    if (object != WEFT_NONE)
        (void)weft_pairs_add(&walk->tally.objects, row, object, 1);
    if (waker == WEFT_NONE)
        return;
    wait->wakings++;
    (void)weft_pairs_add(&walk->tally.wakers, row, waker, 1);
}

static bool add_state(void *user, const struct weft_state *state)
{
    struct track_walk *walk = user;
    const struct wait_scan *scan = walk->scan;
    if (++walk->seen % STEP == 0 && weft_job_cancelled(scan->job))
        return false;
    if (!scan->waits[state->value]) {
        subtract_from_outer(walk, state, SIZE_MAX);
        return true;
    }
    uint64_t ordinal = weft_entity_ordinal(state->id);
    uint32_t site = value_at(walk, &walk->site, ordinal);
    struct wait_key key = { .value = state->value,
                            .object = value_at(walk, &walk->object, ordinal),
                            .site = site == WEFT_NONE ? WEFT_NONE : scan->alike[site],
                            .partner = WEFT_NONE };
    struct weft_waited_for partner = add_partner(walk, state, &key);
    uint32_t object = key.object;
    if (object != WEFT_NONE)
        key.object = scan->objects_alike[object];
    uint32_t row = row_of(&walk->tally, key);
    add_to_row(walk, state, row, object, partner);
    subtract_from_outer(walk, state, row);
    return true;
}

/* Add the waits of CONTAINER.  The result does not depend on the order of containers. */
static void merge_row(struct weft_wait *wait, const struct weft_wait *more,
                      uint32_t container)
{
    wait->partner_number = more->partner_number;
    wait->count += more->count;
    wait->wakings += more->wakings;
    wait->ticks = weft_ticks_add(wait->ticks, more->ticks);
    wait->waiters++;
    if (more->ticks > wait->worst_ticks
        || (more->ticks == wait->worst_ticks && container < wait->worst)) {
        wait->worst = container;
        wait->worst_ticks = more->ticks;
    }
}

static void merge(struct wait_tally *to, struct wait_tally *from, uint32_t container)
{
    uint32_t *rows = weft_alloc((from->n + 1) * sizeof *rows);
    for (size_t i = 0; i < from->n; i++) {
        const struct weft_wait *more = &from->list[i];
        rows[i] = row_of(to, (struct wait_key){ .value = more->value,
                                                .object = more->object,
                                                .site = more->site,
                                                .partner = more->partner,
                                                .tagged = more->tagged,
                                                .tag = more->tag });
        merge_row(&to->list[rows[i]], more, container);
        weft_durations_merge(&to->durations[rows[i]], &from->durations[i]);
    }
    weft_pairs_merge(&to->objects, &from->objects, rows);
    weft_pairs_merge(&to->wakers, &from->wakers, rows);
    free(rows);
}

/* Returns the window with its end: a wait ends when its wake-up arrives. */
static struct weft_span with_end(struct weft_span window)
{
    window.end += window.end < WEFT_TIME_LIMIT;
    return window;
}

/* Widen the window to the whole length of the states at its edges. */
static bool widen(void *user, const struct weft_state *state)
{
    struct weft_span *window = user;
    window->begin = state->begin < window->begin ? state->begin : window->begin;
    window->end = state->end > window->end ? state->end : window->end;
    return true;
}

/* Returns the window from the begin of the first state: its wake-up may be before it. */
static struct weft_span with_begin(const struct wait_scan *scan, uint32_t track)
{
    struct weft_span all = scan->window;
    if (all.begin < all.end)
        scan->source->ops->states(scan->source, track,
                                  (struct weft_span){ all.begin, all.begin + 1 }, widen,
                                  &all);
    return (struct weft_span){ all.begin, scan->window.end };
}

/* Returns the column of the object, or of the communicator of awaited messages. */
static struct column object_of(const struct weft_schema *schema, uint32_t track)
{
    struct column object = column_of(schema, track, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER);
    return object.field != WEFT_NONE
               ? object
               : column_of(schema, track, WEFT_ROLE_COMMUNICATOR_OF, WEFT_FIELD_CONTAINER);
}

static void read_track(void *user, size_t i)
{
    struct wait_scan *scan = user;
    const struct weft_schema *schema = scan->schema;
    struct track_walk walk = { .scan = scan, .track = scan->tracks[i] };
    if (weft_job_cancelled(scan->job))
        return;
    walk.object = object_of(schema, walk.track);
    walk.site = column_of(schema, walk.track, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    if (scan->wakings_known)
        weft_wakings_read(scan->source, schema->tracks[walk.track].container,
                          with_end(with_begin(scan, walk.track)), &walk.wakings);
    if (scan->partners)
        walk.asker = scan->partners->ask(scan->messages, walk.track);
    scan->source->ops->states(scan->source, walk.track, scan->window, add_state, &walk);
    for (size_t depth = 0; depth < walk.n_outer; depth++)
        end_outer(&walk, &walk.outer[depth]);
    pthread_mutex_lock(&scan->mutex);
    merge(&scan->tally, &walk.tally, schema->tracks[walk.track].container);
    scan->done++;
    (void)!weft_job_step(scan->job, scan->done, scan->n_all, NULL);
    pthread_mutex_unlock(&scan->mutex);
    if (walk.asker)
        scan->partners->end_asker(walk.asker);
    free(walk.object.values);
    free(walk.site.values);
    free(walk.outer);
    free(walk.tally.list);
    tally_free(&walk.tally);
    weft_wakings_free(&walk.wakings);
}

static int by_ticks(const void *a, const void *b)
{
    const struct weft_wait *x = a, *y = b;
    return WEFT_COMPARE(x->own, y->own) ?: WEFT_COMPARE(y->ticks, x->ticks)
           ?: WEFT_COMPARE(x->value, y->value)
           ?: WEFT_COMPARE(x->object, y->object) ?: WEFT_COMPARE(x->site, y->site)
           ?: WEFT_COMPARE(x->partner_number, y->partner_number)
           ?: WEFT_COMPARE(x->tag, y->tag);
}

/* Find the tracks in the subtree of UNDER whose states may be waits. */
static void find_tracks(struct wait_scan *scan, uint32_t under, uint32_t **tracks,
                        size_t *n)
{
    const struct weft_schema *schema = scan->schema;
    const struct weft_container *root = &schema->containers[under];
    bool *types = types_of_waits(schema);
    *tracks = weft_arena_alloc(&scan->arena, (schema->n_tracks + 1) * sizeof **tracks);
    for (uint32_t i = schema->track_begin[root->order];
         i < schema->track_begin[root->subtree_end]; i++) {
        uint32_t t = schema->track_at[i];
        if (types[schema->tracks[t].type])
            (*tracks)[(*n)++] = t;
    }
    free(types);
}

static struct weft_span widened(const struct wait_scan *scan, const uint32_t *tracks,
                                size_t n)
{
    struct weft_span all = scan->window;
    for (size_t i = 0; i < n; i++) {
        scan->source->ops->states(
            scan->source, tracks[i],
            (struct weft_span){ scan->window.begin, scan->window.begin + 1 }, widen, &all);
        scan->source->ops->states(
            scan->source, tracks[i],
            (struct weft_span){ scan->window.end - 1, scan->window.end }, widen, &all);
    }
    return with_end(all); /* a message arrives when its call returns */
}

static bool read_parts(struct wait_scan *scan, const uint32_t *tracks, struct weft_err *err)
{
    struct weft_span all = widened(scan, tracks, scan->n_all);
    const struct weft_wait_partners *partners = scan->partners;
    uint32_t n_parts = partners->parts(scan->messages, all);
    for (uint32_t part = 0; part < n_parts; part++) {
        if (!partners->read_part(scan->messages, all, part, n_parts, scan->job, err))
            return false;
        scan->n_tracks = 0;
        for (size_t i = 0; i < scan->n_all; i++) {
            uint32_t container = scan->schema->tracks[tracks[i]].container;
            if (partners->part_of(scan->messages, container, n_parts) == part)
                scan->tracks[scan->n_tracks++] = tracks[i];
        }
        weft_parallel(scan->n_tracks, 1, read_track, scan);
        partners->end_part(scan->messages);
    }
    return true;
}

/* Reads all tracks.  Partners are looked up only if the trace has messages. */
static bool read_tracks(struct wait_scan *scan, uint32_t under, struct weft_err *err)
{
    const struct weft_wait_partners *partners = weft_wait_partners();
    uint32_t *tracks;
    bool ok = true;
    if (partners && !partners->begin(scan->source, scan->job, &scan->messages, err))
        return false;
    scan->partners = scan->messages ? partners : NULL;
    find_tracks(scan, under, &tracks, &scan->n_all);
    scan->tracks = weft_arena_alloc(&scan->arena, (scan->n_all + 1) * sizeof *scan->tracks);
    if (scan->partners) {
        ok = read_parts(scan, tracks, err);
    } else {
        scan->tracks = tracks;
        scan->n_tracks = scan->n_all;
        weft_parallel(scan->n_tracks, 1, read_track, scan);
    }
    if (partners)
        partners->end(scan->messages);
    return ok && weft_job_step(scan->job, scan->n_all, scan->n_all, err);
}

/* Returns by container the first that counts as the same object. */
static const uint32_t *alike_objects(struct wait_scan *scan)
{
    const struct weft_schema *schema = scan->schema;
    if (!(scan->apart & WEFT_WAITS_BY_OBJECT))
        return weft_objects_alike(&scan->arena, schema, scan->alike);
    uint32_t *alike =
        weft_arena_alloc(&scan->arena, ((size_t)schema->n_containers + 1) * sizeof *alike);
    for (uint32_t c = 0; c < schema->n_containers; c++)
        alike[c] = c;
    return alike;
}

/* Set the numbers of objects, and the object itself where it is one. */
static void count_objects(struct wait_tally *tally)
{
    for (size_t i = 0; i < tally->objects.n; i++) {
        const struct weft_pair *pair = &tally->objects.list[i];
        struct weft_wait *wait = &tally->list[pair->row];
        wait->object = !wait->objects || pair->of < wait->object ? pair->of : wait->object;
        wait->objects++;
    }
}

/* Set the container that ended most waits of each row. */
static void find_wakers(struct wait_tally *tally)
{
    for (size_t i = 0; i < tally->wakers.n; i++) {
        const struct weft_pair *pair = &tally->wakers.list[i];
        struct weft_wait *wait = &tally->list[pair->row];
        uint64_t sum = (uint64_t)pair->sum;
        if (sum < wait->waker_wakings
            || (sum == wait->waker_wakings && pair->of > wait->waker))
            continue;
        wait->waker = pair->of;
        wait->waker_wakings = sum;
    }
}

static void finish(struct wait_scan *scan, struct weft_waits *out)
{
    struct wait_tally *tally = &scan->tally;
    count_objects(tally);
    find_wakers(tally);
    for (size_t i = 0; i < tally->n; i++) {
        struct weft_wait *wait = &tally->list[i];
        wait->own = is_own(scan->schema->values[wait->value].role);
        wait->longest = tally->durations[i].longest;
        wait->p50 = weft_durations_quantile(&tally->durations[i], 0.5);
        wait->p99 = weft_durations_quantile(&tally->durations[i], 0.99);
    }
    out->list = tally->list;
    out->n = tally->n;
    out->wakings_known = scan->wakings_known;
    if (out->n)
        qsort(out->list, out->n, sizeof *out->list, by_ticks);
}

bool weft_waits_read(const struct weft_source *source, uint32_t under,
                     struct weft_span window, unsigned apart, struct weft_job *job,
                     struct weft_waits *out, struct weft_err *err)
{
    const struct weft_schema *schema = source->schema;
    struct wait_scan scan = { .source = source,
                              .schema = schema,
                              .window = window,
                              .apart = apart,
                              .wakings_known = weft_has_wakings(schema),
                              .job = job,
                              .mutex = PTHREAD_MUTEX_INITIALIZER };
    *out = (struct weft_waits){ 0 };
    scan.waits = weft_arena_zalloc(&scan.arena, schema->n_values + 1, sizeof *scan.waits);
    for (uint32_t v = 0; v < schema->n_values; v++)
        scan.waits[v] = weft_is_wait(schema->values[v].role);
    scan.alike = weft_sites_alike(&scan.arena, schema);
    scan.objects_alike = alike_objects(&scan);
    bool ok = read_tracks(&scan, under, err);
    if (ok)
        finish(&scan, out);
    else
        free(scan.tally.list);
    tally_free(&scan.tally);
    weft_arena_free(&scan.arena);
    pthread_mutex_destroy(&scan.mutex);
    return ok;
}

void weft_waits_free(struct weft_waits *waits)
{
    free(waits->list);
    *waits = (struct weft_waits){ 0 };
}
