/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads take tracks, keep the waits of each by what they are for and where, and add them to
 * the whole.  The fields of a track are decoded in blocks of ordinals, as its states come.
 */
#include "analyse/waits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/sites.h"
#include "base/map.h"
#include "base/parallel.h"

enum {
    BLOCK = 1 << 16, /* ordinals: half a MiB for both fields */
    STEP = 1 << 14,  /* states between two looks whether to stop */
};

/* Which waits are added up together. */
struct key {
    uint32_t value, object, site;
};

struct tally {
    struct weft_text_map index; /* of a key: position in the list */
    struct weft_wait *list;
    size_t n, capacity;
};

struct reading {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_span window;
    struct weft_job *job;
    struct weft_arena arena;
    bool *waits;           /* by value */
    const uint32_t *alike; /* by site */
    uint32_t *tracks;
    size_t n_tracks;
    pthread_mutex_t mutex; /* guards the tally and what is done */
    struct tally tally;
    size_t done;
};

/* One field of a track: the values of a block of ordinals. */
struct column {
    uint32_t field;   /* WEFT_NONE: the type has none */
    uint32_t limit;   /* of what the values number */
    uint64_t first;   /* ordinal; UINT64_MAX: no block yet */
    uint32_t *values; /* [BLOCK] */
};

struct walk {
    struct reading *r;
    uint32_t track;
    struct column object, site;
    struct tally tally;
    uint32_t seen;
};

static bool is_wait(enum weft_role role)
{
    return weft_role_is(role, WEFT_ROLE_BLOCKED) || weft_role_is(role, WEFT_ROLE_SLEEPING);
}

bool weft_is_wait_track(const struct weft_schema *schema, uint32_t track)
{
    uint32_t type = schema->tracks[track].type;
    if (schema->types[type].kind != WEFT_STATE
        || (weft_value_with_role(schema, type, WEFT_ROLE_BLOCKED) == WEFT_NONE
            && weft_value_with_role(schema, type, WEFT_ROLE_SLEEPING) == WEFT_NONE))
        return false;
    return weft_field_of_type(schema, type, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER)
               != WEFT_NONE
           || weft_field_of_type(schema, type, WEFT_ROLE_SITE, WEFT_FIELD_SITE)
                  != WEFT_NONE;
}

/* ---- Fields ---- */

static bool take_run(void *user, const struct weft_field_run *run)
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

static uint32_t value_at(const struct walk *walk, struct column *column, uint64_t ordinal)
{
    if (column->field == WEFT_NONE)
        return WEFT_NONE;
    if (column->first != ordinal - ordinal % BLOCK) {
        const struct weft_source *source = walk->r->source;
        column->first = ordinal - ordinal % BLOCK;
        if (!column->values)
            column->values = weft_alloc(BLOCK * sizeof *column->values);
        memset(column->values, 0xff, BLOCK * sizeof *column->values);
        source->ops->field_range(source, walk->track, column->field, column->first,
                                 column->first + BLOCK, take_run, column);
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

/* Sums of times that a file gives may be beyond 64 bits: they stay at the largest. */
static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t between(int64_t begin, int64_t end)
{
    int64_t length;
    if (end <= begin)
        return 0;
    return __builtin_sub_overflow(end, begin, &length) ? INT64_MAX : length;
}

static struct weft_wait *wait_of(struct tally *tally, struct key key)
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
                                                .worst = WEFT_NONE,
                                                .worst_ticks = -1 };
    return &tally->list[tally->n++];
}

static bool take_state(void *user, const struct weft_state *state)
{
    struct walk *walk = user;
    const struct reading *r = walk->r;
    if (++walk->seen % STEP == 0 && weft_job_cancelled(r->job))
        return false;
    if (!r->waits[state->value])
        return true;
    uint64_t ordinal = weft_entity_ordinal(state->id);
    uint32_t site = value_at(walk, &walk->site, ordinal);
    struct key key = { state->value, value_at(walk, &walk->object, ordinal),
                       site == WEFT_NONE ? WEFT_NONE : r->alike[site] };
    struct weft_wait *wait = wait_of(&walk->tally, key);
    int64_t length = between(state->begin, state->end);
    wait->count++;
    wait->longest = length > wait->longest ? length : wait->longest;
    wait->ticks =
        add(wait->ticks,
            between(state->begin > r->window.begin ? state->begin : r->window.begin,
                    state->end < r->window.end ? state->end : r->window.end));
    return true;
}

/* Add what CONTAINER waited.  The result does not depend on the order of containers. */
static void merge(struct tally *to, const struct tally *from, uint32_t container)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct weft_wait *more = &from->list[i];
        struct weft_wait *wait =
            wait_of(to, (struct key){ more->value, more->object, more->site });
        wait->count += more->count;
        wait->ticks = add(wait->ticks, more->ticks);
        wait->longest = more->longest > wait->longest ? more->longest : wait->longest;
        wait->waiters++;
        if (more->ticks > wait->worst_ticks
            || (more->ticks == wait->worst_ticks && container < wait->worst)) {
            wait->worst = container;
            wait->worst_ticks = more->ticks;
        }
    }
}

static void read_track(void *user, size_t i)
{
    struct reading *r = user;
    const struct weft_schema *schema = r->schema;
    struct walk walk = { .r = r, .track = r->tracks[i] };
    if (weft_job_cancelled(r->job))
        return;
    walk.object = column_of(schema, walk.track, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER);
    walk.site = column_of(schema, walk.track, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    r->source->ops->states(r->source, walk.track, r->window, take_state, &walk);
    pthread_mutex_lock(&r->mutex);
    merge(&r->tally, &walk.tally, schema->tracks[walk.track].container);
    r->done++;
    (void)!weft_job_step(r->job, r->done, r->n_tracks, NULL);
    pthread_mutex_unlock(&r->mutex);
    free(walk.object.values);
    free(walk.site.values);
    free(walk.tally.list);
    weft_text_map_free(&walk.tally.index);
}

static int by_ticks(const void *a, const void *b)
{
    const struct weft_wait *x = a, *y = b;
    if (x->ticks != y->ticks)
        return x->ticks > y->ticks ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return x->site < y->site ? -1 : x->site > y->site;
}

bool weft_waits_read(const struct weft_source *source, uint32_t under,
                     struct weft_span window, struct weft_job *job, struct weft_waits *out,
                     struct weft_err *err)
{
    const struct weft_schema *schema = source->schema;
    const struct weft_container *root = &schema->containers[under];
    uint32_t end = schema->track_begin[root->subtree_end];
    struct reading r = { .source = source,
                         .schema = schema,
                         .window = window,
                         .job = job,
                         .mutex = PTHREAD_MUTEX_INITIALIZER };
    *out = (struct weft_waits){ 0 };
    r.waits = weft_arena_zalloc(&r.arena, schema->n_values + 1, sizeof *r.waits);
    for (uint32_t v = 0; v < schema->n_values; v++)
        r.waits[v] = is_wait(schema->values[v].role);
    r.alike = weft_sites_alike(&r.arena, schema);
    r.tracks = weft_arena_alloc(&r.arena, (schema->n_tracks + 1) * sizeof *r.tracks);
    for (uint32_t t = schema->track_begin[root->order]; t < end; t++)
        if (weft_is_wait_track(schema, t))
            r.tracks[r.n_tracks++] = t;
    weft_parallel(r.n_tracks, 1, read_track, &r);
    bool ok = weft_job_step(job, r.n_tracks, r.n_tracks, err);
    if (ok) {
        out->list = r.tally.list;
        out->n = r.tally.n;
        if (out->n)
            qsort(out->list, out->n, sizeof *out->list, by_ticks);
    } else {
        free(r.tally.list);
    }
    weft_text_map_free(&r.tally.index);
    weft_arena_free(&r.arena);
    pthread_mutex_destroy(&r.mutex);
    return ok;
}

void weft_waits_free(struct weft_waits *waits)
{
    free(waits->list);
    *waits = (struct weft_waits){ 0 };
}
