/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads take tracks, sum up the waits of each by object and place, and add them to the
 * total.  The fields of a track are decoded in blocks of ordinals while its states are
 * walked.
 */
#include "domains/threads/analyse/waits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/sites.h"
#include "analyse/waited_for.h"
#include "base/compare.h"
#include "base/map.h"
#include "base/parallel.h"
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

struct wait_tally {
    struct weft_text_map index; /* key: index in the list */
    struct weft_wait *list;
    size_t n, capacity;
};

struct wait_scan {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_span window;
    bool by_tag;
    struct weft_job *job;
    struct weft_arena arena;
    bool *waits;                               /* by value */
    const struct weft_wait_partners *partners; /* NULL: there are no messages */
    void *messages;                            /* state of `partners`, from begin() */
    const uint32_t *alike; /* by site: the first site of the same place */
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
    void *asker; /* asks the partners about the calls of `track` */
    struct wait_tally tally;
    struct outer *outer; /* by depth */
    size_t n_outer, outer_capacity;
    uint32_t seen;
};

static bool is_wait(enum weft_role role)
{
    return weft_role_is(role, WEFT_ROLE_BLOCKED) || weft_role_is(role, WEFT_ROLE_SLEEPING)
           || weft_role_is(role, WEFT_ROLE_BLOCKING_SEND);
}

/*
 * Returns by type whether its states may be waits that name an object or place.  With
 * MESSAGES, the partner of a call counts, too.
 */
static bool *types_of_waits(const struct weft_schema *schema, bool messages)
{
    bool *types = weft_zalloc((size_t)schema->n_types + 1, sizeof *types);
    for (uint32_t v = 0; v < schema->n_values; v++) {
        enum weft_role role = schema->values[v].role;
        uint32_t type = schema->values[v].type;
        if (schema->types[type].kind != WEFT_STATE || !is_wait(role))
            continue;
        types[type] |=
            weft_field_of_type(schema, type, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER)
                != WEFT_NONE
            || weft_field_of_type(schema, type, WEFT_ROLE_SITE, WEFT_FIELD_SITE)
                   != WEFT_NONE
            || (messages
                && (weft_role_is(role, WEFT_ROLE_BLOCKED_ON_MESSAGE)
                    || weft_role_is(role, WEFT_ROLE_BLOCKING_SEND)));
    }
    return types;
}

bool weft_has_waits(const struct weft_schema *schema)
{
    const struct weft_wait_partners *partners = weft_wait_partners();
    bool *types = types_of_waits(schema, partners && partners->may_have(schema));
    bool any = false;
    for (uint32_t t = 0; t < schema->n_tracks && !any; t++)
        any = types[schema->tracks[t].type];
    free(types);
    return any;
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

static struct weft_wait *wait_of(struct wait_tally *tally, struct wait_key key)
{
    uint32_t at = weft_text_map_get(&tally->index, &key, sizeof key);
    if (at != WEFT_MAP_NONE)
        return &tally->list[at];
    weft_text_map_put(&tally->index, &key, sizeof key, (uint32_t)tally->n);
    tally->list =
        weft_grow(tally->list, &tally->capacity, tally->n + 1, sizeof *tally->list);
    tally->list[tally->n] = (struct weft_wait){ .value = key.value,
                                                .object = key.object,
                                                .site = key.site,
                                                .partner = key.partner,
                                                .tagged = key.tagged,
                                                .tag = key.tag,
                                                .worst = WEFT_NONE,
                                                .worst_ticks = -1 };
    return &tally->list[tally->n++];
}

/* Sets the partner in KEY; returns the number that the partner is shown with. */
static int64_t add_partner(struct track_walk *walk, const struct weft_state *state,
                           struct wait_key *key)
{
    struct weft_waited_for partner = walk->scan->partners->partner(walk->asker, state);
    if (partner.container == WEFT_NONE)
        return 0;
    key->partner = partner.container;
    key->tagged = walk->scan->by_tag && partner.tagged;
    key->tag = key->tagged ? partner.tag : 0;
    if (key->object == WEFT_NONE)
        key->object = partner.communicator;
    return partner.number;
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
    struct weft_wait *wait = &walk->tally.list[outer->wait];
    wait->longest = outer->own > wait->longest ? outer->own : wait->longest;
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
    int64_t number = walk->asker ? add_partner(walk, state, &key) : 0;
    struct weft_wait *wait = wait_of(&walk->tally, key);
    wait->partner_number = number;
    wait->count++;
    wait->ticks = weft_ticks_add(wait->ticks, within(scan, state));
    subtract_from_outer(walk, state, (size_t)(wait - walk->tally.list));
    return true;
}

/* Add the waits of CONTAINER.  The result does not depend on the order of containers. */
static void merge(struct wait_tally *to, const struct wait_tally *from, uint32_t container)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct weft_wait *more = &from->list[i];
        struct weft_wait *wait = wait_of(to, (struct wait_key){ .value = more->value,
                                                                .object = more->object,
                                                                .site = more->site,
                                                                .partner = more->partner,
                                                                .tagged = more->tagged,
                                                                .tag = more->tag });
        wait->partner_number = more->partner_number;
        wait->count += more->count;
        wait->ticks = weft_ticks_add(wait->ticks, more->ticks);
        wait->longest = more->longest > wait->longest ? more->longest : wait->longest;
        wait->waiters++;
        if (more->ticks > wait->worst_ticks
            || (more->ticks == wait->worst_ticks && container < wait->worst)) {
            wait->worst = container;
            wait->worst_ticks = more->ticks;
        }
    }
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
    weft_text_map_free(&walk.tally.index);
}

static int by_ticks(const void *a, const void *b)
{
    const struct weft_wait *x = a, *y = b;
    return WEFT_COMPARE(y->ticks, x->ticks) ?: WEFT_COMPARE(x->value, y->value)
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
    bool *types = types_of_waits(schema, scan->partners != NULL);
    *tracks = weft_arena_alloc(&scan->arena, (schema->n_tracks + 1) * sizeof **tracks);
    for (uint32_t t = schema->track_begin[root->order];
         t < schema->track_begin[root->subtree_end]; t++)
        if (types[schema->tracks[t].type])
            (*tracks)[(*n)++] = t;
    free(types);
}

/* Widen the window to the whole length of the states at its edges. */
static bool widen(void *user, const struct weft_state *state)
{
    struct weft_span *window = user;
    window->begin = state->begin < window->begin ? state->begin : window->begin;
    window->end = state->end > window->end ? state->end : window->end;
    return true;
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
    if (all.end < WEFT_TIME_LIMIT)
        all.end++; /* a message arrives when its call returns */
    return all;
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

bool weft_waits_read(const struct weft_source *source, uint32_t under,
                     struct weft_span window, bool by_tag, struct weft_job *job,
                     struct weft_waits *out, struct weft_err *err)
{
    const struct weft_schema *schema = source->schema;
    struct wait_scan scan = { .source = source,
                              .schema = schema,
                              .window = window,
                              .by_tag = by_tag,
                              .job = job,
                              .mutex = PTHREAD_MUTEX_INITIALIZER };
    *out = (struct weft_waits){ 0 };
    scan.waits = weft_arena_zalloc(&scan.arena, schema->n_values + 1, sizeof *scan.waits);
    for (uint32_t v = 0; v < schema->n_values; v++)
        scan.waits[v] = is_wait(schema->values[v].role);
    scan.alike = weft_sites_alike(&scan.arena, schema);
    bool ok = read_tracks(&scan, under, err);
    if (ok) {
        out->list = scan.tally.list;
        out->n = scan.tally.n;
        if (out->n)
            qsort(out->list, out->n, sizeof *out->list, by_ticks);
    } else {
        free(scan.tally.list);
    }
    weft_text_map_free(&scan.tally.index);
    weft_arena_free(&scan.arena);
    pthread_mutex_destroy(&scan.mutex);
    return ok;
}

void weft_waits_free(struct weft_waits *waits)
{
    free(waits->list);
    *waits = (struct weft_waits){ 0 };
}
