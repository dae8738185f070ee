/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tracks are cut into parts by ordinals.  Threads take parts, fill a tally for each,
 * and add it to the total.  A part first decodes the fields of its ordinals, then walks its
 * states.
 */
#include "domains/threads/analyse/locks.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "analyse/wakings.h"
#include "base/binary_search.h"
#include "base/compare.h"
#include "base/parallel.h"
#include "domains/threads/analyse/lock_tally.h"
#include "domains/threads/analyse/ready_time.h"

enum {
    MIN_PART = 1 << 16, /* states: about a millisecond of work */
    MAX_PART = 1 << 20, /* states: 8 MiB of fields, 12 if a lock is contended */
    ROUND = 64,         /* parts for each processor between two checks of the job */
    STEP = 1 << 14,     /* states between two checks for cancellation inside a part */
};

enum { HELD = 1, CONTENDED = 2, BLOCKED = 4 }; /* bits for each value, from its role */

enum { ASKED = 4 };
struct question { /* the fields that the walk of a kind of track reads */
    size_t n;
    enum weft_role roles[ASKED];
    enum weft_field_kind kinds[ASKED];
    unsigned means; /* bits that a value must have to count */
};
enum { HOLDER, ACQUISITION, HELD_AT, SHARED }; /* what is found of a hold */
static const struct question of_locks = {
    4,
    { WEFT_ROLE_HOLDER, WEFT_ROLE_ACQUISITION, WEFT_ROLE_SITE, WEFT_ROLE_SHARED },
    { WEFT_FIELD_CONTAINER, WEFT_FIELD_INTEGER, WEFT_FIELD_SITE, WEFT_FIELD_INTEGER },
    HELD,
};
enum { OBJECT, SITE }; /* of a wait */
static const struct question of_threads = {
    2,
    { WEFT_ROLE_OBJECT, WEFT_ROLE_SITE },
    { WEFT_FIELD_CONTAINER, WEFT_FIELD_SITE },
    BLOCKED,
};

struct track_part {
    uint32_t track;
    bool of_lock;
    bool leads;            /* also counts states that began before its ordinals */
    uint64_t first, after; /* ordinals */
    struct weft_span span; /* contains its states */
};

struct lock_scan {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_span window;
    struct weft_job *job;
    uint8_t *means;       /* by value */
    uint32_t *lock_of;    /* by container: number of the lock, or WEFT_NONE */
    uint32_t *containers; /* by number of the lock */
    uint32_t *alike;      /* by site: the first site of the same place */
    struct weft_ready ready;
    bool wakings_known;
    struct weft_arena arena;
    uint32_t n_locks;
    struct track_part *parts;
    size_t n_parts, capacity;
    pthread_mutex_t mutex; /* guards the tally */
    struct lock_tally tally;
};

bool weft_is_lock_track(const struct weft_schema *schema, uint32_t track)
{
    const struct weft_type *type = &schema->types[schema->tracks[track].type];
    return type->kind == WEFT_STATE && weft_role_is(type->role, WEFT_ROLE_LOCK_STATE);
}

/* ---- Fields ---- */

/* Values of one field: WEFT_NONE where absent; of integers, 1 if not 0. */
struct field_values {
    uint64_t first, after; /* ordinals */
    uint32_t *values;      /* [after - first] */
    uint32_t limit;        /* number of containers or sites */
    bool whether;
};

static uint32_t limit_of(const struct weft_schema *schema, enum weft_field_kind kind)
{
    return kind == WEFT_FIELD_CONTAINER ? schema->n_containers
           : kind == WEFT_FIELD_SITE    ? schema->n_sites
                                        : WEFT_NONE;
}

static bool copy_run(void *user, const struct weft_field_run *run)
{
    struct field_values *out = user;
    for (size_t i = 0; i < run->n; i++) {
        uint64_t ordinal = run->ordinals[i];
        if (ordinal < out->first || ordinal >= out->after)
            continue;
        uint64_t value = out->whether ? run->values[i] != 0 : (uint64_t)run->values[i];
        if (value < out->limit)
            out->values[ordinal - out->first] = (uint32_t)value;
    }
    return true;
}

/*
 * Returns the values of a field for the ordinals of a part; NULL if the type has no such
 * field.  Only this function reads fields.
 */
static uint32_t *values_of(const struct lock_scan *scan, const struct track_part *part,
                           enum weft_role role, enum weft_field_kind kind)
{
    const struct weft_schema *schema = scan->schema;
    uint32_t type = schema->tracks[part->track].type;
    uint32_t field = weft_field_of_type(schema, type, role, kind);
    size_t n = (size_t)(part->after - part->first);
    if (field == WEFT_NONE)
        return NULL;
    struct field_values out = { part->first, part->after,
                                weft_alloc((n + 1) * sizeof *out.values),
                                limit_of(schema, kind), kind == WEFT_FIELD_INTEGER };
    memset(out.values, 0xff, n * sizeof *out.values);
    scan->source->ops->field_range(scan->source, part->track, field, part->first,
                                   part->after, copy_run, &out);
    return out.values;
}

/* The same for one entity. */
static uint32_t value_of(const struct lock_scan *scan, uint64_t id, enum weft_role role,
                         enum weft_field_kind kind)
{
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    uint32_t type = scan->schema->tracks[weft_entity_track(id)].type;
    uint32_t field = weft_field_of_type(scan->schema, type, role, kind);
    size_t n = scan->source->ops->fields(scan->source, id, fields, WEFT_FIELDS_MAX);
    for (size_t i = 0; i < n; i++) {
        if (fields[i].field != field)
            continue;
        if (kind == WEFT_FIELD_INTEGER)
            return fields[i].integer != 0;
        return fields[i].index < limit_of(scan->schema, kind) ? fields[i].index : WEFT_NONE;
    }
    return WEFT_NONE;
}

/* ---- Walking a part ---- */

struct state_walk {
    struct lock_scan *scan;
    const struct track_part *part;
    const struct question *question;
    uint32_t *values[ASKED];     /* of the question's fields, or NULL */
    uint32_t lock;               /* of the track */
    struct lock_sums *own;       /* of that lock */
    struct weft_ready_sum ready; /* of its holders */
    /* wake-ups of the track's thread in the part's span, read when one is needed */
    struct weft_wakings wakings;
    bool has_wakings;
    struct lock_tally tally;
    uint32_t seen;
};

/* Returns the part of a state within the window; begin >= end if there is none. */
static struct weft_span clip(const struct lock_scan *scan, const struct weft_state *state)
{
    return (struct weft_span){
        state->begin > scan->window.begin ? state->begin : scan->window.begin,
        state->end < scan->window.end ? state->end : scan->window.end
    };
}

/* FOUND: of_locks. */
static void add_hold(struct state_walk *walk, const struct weft_state *state,
                     const uint32_t *found)
{
    const struct lock_scan *scan = walk->scan;
    struct lock_sums *sums = walk->own;
    struct weft_span part = clip(scan, state);
    int64_t ticks = weft_ticks_length(part.begin, part.end);
    bool begins = found[ACQUISITION] == 1 && state->begin >= scan->window.begin;
    uint32_t site = found[HELD_AT] == WEFT_NONE ? WEFT_NONE : scan->alike[found[HELD_AT]];
    sums->acquisitions += begins;
    sums->read_acquisitions += begins && found[SHARED] == 1;
    sums->held = weft_ticks_add(sums->held, ticks);
    sums->held_by_readers =
        weft_ticks_add(sums->held_by_readers, found[SHARED] == 1 ? ticks : 0);
    sums->mode_known |= found[SHARED] != WEFT_NONE;
    weft_ready_ask(&walk->ready, found[HOLDER], part);
    if (site != WEFT_NONE)
        (void)weft_pairs_add(&walk->tally.held_sites, walk->lock, site, ticks);
    if (!(scan->means[state->value] & CONTENDED))
        return;
    (void)weft_pairs_add(&walk->tally.holders, walk->lock, found[HOLDER], ticks);
    if (site != WEFT_NONE)
        (void)weft_pairs_add(&walk->tally.hold_sites, walk->lock, site, ticks);
}

/* Returns the thread that ended a wait of the part's track, or WEFT_NONE. */
static uint32_t waker_of(struct state_walk *walk, const struct weft_state *wait)
{
    const struct lock_scan *scan = walk->scan;
    uint32_t thread = scan->schema->tracks[walk->part->track].container;
    if (!scan->wakings_known || wait->end > scan->window.end)
        return WEFT_NONE;
    struct weft_span span = walk->part->span;
    if (wait->begin >= span.begin && wait->end < span.end) {
        if (!walk->has_wakings)
            weft_wakings_read(scan->source, thread, span, &walk->wakings);
        walk->has_wakings = true;
        return weft_waker_of(&walk->wakings, wait);
    }
    /* The first or last of its depth: a wake-up anywhere in it may be its own. */
    struct weft_wakings own;
    int64_t after = wait->end < INT64_MAX ? wait->end + 1 : INT64_MAX;
    weft_wakings_read(scan->source, thread, (struct weft_span){ wait->begin, after }, &own);
    uint32_t by = weft_waker_of(&own, wait);
    weft_wakings_free(&own);
    return by;
}

/* FOUND: of_threads. */
static void add_wait(struct state_walk *walk, const struct weft_state *state,
                     const uint32_t *found)
{
    const struct lock_scan *scan = walk->scan;
    uint32_t lock = found[OBJECT] == WEFT_NONE ? WEFT_NONE : scan->lock_of[found[OBJECT]];
    if (lock == WEFT_NONE)
        return;
    struct lock_sums *sums = lock_tally_of(&walk->tally, lock);
    struct weft_span part = clip(scan, state);
    int64_t ticks = weft_ticks_length(part.begin, part.end);
    uint32_t by = waker_of(walk, state);
    sums->waited = weft_ticks_add(sums->waited, ticks);
    weft_durations_add(&sums->waits, weft_ticks_length(state->begin, state->end));
    if (by != WEFT_NONE)
        lock_tally_met(&walk->tally, lock,
                       scan->schema->tracks[walk->part->track].container, by, ticks);
    if (found[SITE] != WEFT_NONE)
        (void)weft_pairs_add(&walk->tally.sites, lock, scan->alike[found[SITE]], ticks);
}

static bool add_state(void *user, const struct weft_state *state)
{
    struct state_walk *walk = user;
    const struct track_part *part = walk->part;
    const struct question *question = walk->question;
    uint32_t found[ASKED];
    if (++walk->seen % STEP == 0 && weft_job_cancelled(walk->scan->job))
        return false;
    if (!(walk->scan->means[state->value] & question->means))
        return true;
    uint64_t ordinal = weft_entity_ordinal(state->id);
    if (ordinal >= part->after || (ordinal < part->first && !part->leads))
        return true; /* it belongs to another part */
    for (size_t f = 0; f < question->n; f++)
        found[f] =
            !walk->values[f] ? WEFT_NONE
            : ordinal < part->first
                ? value_of(walk->scan, state->id, question->roles[f], question->kinds[f])
                : walk->values[f][ordinal - part->first];
    if (part->of_lock)
        add_hold(walk, state, found);
    else
        add_wait(walk, state, found);
    return true;
}

static void read_part(void *user, size_t i)
{
    struct lock_scan *scan = user;
    const struct track_part *part = &scan->parts[i];
    struct state_walk walk = {
        .scan = scan,
        .part = part,
        .question = part->of_lock ? &of_locks : &of_threads,
        .ready = { .ready = &scan->ready },
        .lock = scan->lock_of[scan->schema->tracks[part->track].container]
    };
    if (weft_job_cancelled(scan->job))
        return;
    if (part->of_lock)
        /* stays valid: the tally has no other lock */
        walk.own = lock_tally_of(&walk.tally, walk.lock);
    for (size_t f = 0; f < walk.question->n; f++)
        walk.values[f] =
            values_of(scan, part, walk.question->roles[f], walk.question->kinds[f]);
    scan->source->ops->states(scan->source, part->track, part->span, add_state, &walk);
    if (part->of_lock)
        walk.own->held_ready = weft_ready_answer(&walk.ready);
    for (size_t f = 0; f < ASKED; f++)
        free(walk.values[f]);
    weft_wakings_free(&walk.wakings);
    pthread_mutex_lock(&scan->mutex);
    lock_tally_add(&scan->tally, &walk.tally);
    pthread_mutex_unlock(&scan->mutex);
    lock_tally_free(&walk.tally);
}

/* ---- Parts ---- */

/* Returns the begin of the state with an ordinal; UNKNOWN if the store lost it. */
static int64_t begin_of(const struct lock_scan *scan, uint32_t track, uint64_t ordinal,
                        int64_t unknown)
{
    struct weft_state state;
    return scan->source->ops->state(scan->source, weft_entity_id(track, ordinal), &state)
               ? state.begin
               : unknown;
}

/*
 * Returns the first ordinal whose state begins at TIME or later; reads O(log n) states.
 * Where the store has lost states, an ordinal before it, or after it if LATER.
 */
static uint64_t first_from(const struct lock_scan *scan, uint32_t track, int64_t time,
                           bool later)
{
    return WEFT_FIRST(i, 0, scan->schema->tracks[track].count,
                      begin_of(scan, track, i, later ? time - 1 : time) >= time);
}

/*
 * Cut a track into parts.  States of a part begin between its first state and the next
 * part's.  If one of these is lost, the span is wider: ordinals decide which states belong
 * to the part.
 */
static void add_parts(struct lock_scan *scan, uint32_t track, bool of_lock, uint64_t size)
{
    const struct weft_track *of = &scan->schema->tracks[track];
    struct track_part part = { track, of_lock, true, 0, of->count, scan->window };
    if (!of->count || of->begin > scan->window.end || of->end < scan->window.begin)
        return;
    if (of->count > MIN_PART) {
        if (of->begin < scan->window.begin)
            part.first = first_from(scan, track, scan->window.begin, false);
        if (of->end > scan->window.end && scan->window.end < INT64_MAX)
            part.after = first_from(scan, track, scan->window.end + 1, true);
        part.after = part.after < part.first ? part.first : part.after;
    }
    for (uint64_t after = part.after;;) {
        if (after - part.first > size) {
            part.after = part.first + size;
            int64_t end = begin_of(scan, track, part.after, scan->window.end);
            part.span.end = end < scan->window.end ? end + 1 : scan->window.end;
        } else {
            part.after = after;
            part.span.end = scan->window.end;
        }
        scan->parts =
            weft_grow(scan->parts, &scan->capacity, scan->n_parts + 1, sizeof *scan->parts);
        scan->parts[scan->n_parts++] = part;
        if (part.after == after)
            return;
        part.first = part.after;
        part.leads = false;
        int64_t begin = begin_of(scan, track, part.first, part.span.begin);
        part.span.begin = begin > scan->window.begin ? begin : scan->window.begin;
    }
}

static void mean(struct lock_scan *scan)
{
    const struct weft_schema *schema = scan->schema;
    scan->means = weft_zalloc(schema->n_values + 1, 1);
    for (uint32_t v = 0; v < schema->n_values; v++) {
        enum weft_role role = schema->values[v].role;
        scan->means[v] =
            (uint8_t)((weft_role_is(role, WEFT_ROLE_HELD) ? HELD : 0)
                      | (weft_role_is(role, WEFT_ROLE_CONTENDED) ? CONTENDED : 0)
                      | (weft_role_is(role, WEFT_ROLE_BLOCKED) ? BLOCKED : 0));
    }
}

/* Returns true if states of the type may name the lock that they wait for. */
static bool names_objects(const struct weft_schema *schema, uint32_t type)
{
    return schema->types[type].kind == WEFT_STATE
           && weft_field_of_type(schema, type, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER)
                  != WEFT_NONE;
}

static void plan(struct lock_scan *scan, uint32_t under)
{
    const struct weft_schema *schema = scan->schema;
    const struct weft_container *root = &schema->containers[under];
    uint32_t begin = schema->track_begin[root->order];
    uint32_t end = schema->track_begin[root->subtree_end];
    uint64_t states = 0;
    scan->lock_of = weft_alloc((schema->n_containers + 1) * sizeof *scan->lock_of);
    memset(scan->lock_of, 0xff, schema->n_containers * sizeof *scan->lock_of);
    scan->containers = weft_alloc((end - begin + 1) * sizeof *scan->containers);
    bool *asked = weft_zalloc(end - begin + 1, sizeof *asked);
    for (uint32_t i = begin; i < end; i++) {
        uint32_t t = schema->track_at[i];
        uint32_t container = schema->tracks[t].container;
        bool of_lock = weft_is_lock_track(schema, t);
        if (of_lock && scan->lock_of[container] == WEFT_NONE) {
            scan->lock_of[container] = scan->n_locks;
            scan->containers[scan->n_locks++] = container;
        }
        asked[i - begin] = of_lock || names_objects(schema, schema->tracks[t].type);
        states += asked[i - begin] ? schema->tracks[t].count : 0;
    }
    uint64_t size = states / (2 * weft_parallel_width());
    size = size < MIN_PART ? MIN_PART : size > MAX_PART ? MAX_PART : size;
    for (uint32_t i = begin; i < end && scan->n_locks; i++) {
        uint32_t t = schema->track_at[i];
        if (asked[i - begin])
            add_parts(scan, t, weft_is_lock_track(schema, t), size);
    }
    free(asked);
}

/* ---- The result ---- */

static int by_waited(const void *a, const void *b)
{
    const struct weft_lock *x = a, *y = b;
    return WEFT_COMPARE(y->waited_ticks, x->waited_ticks)
           ?: WEFT_COMPARE(y->acquisitions, x->acquisitions)
           ?: WEFT_COMPARE(x->container, y->container);
}

/* Append the pairs of each lock to OUT, worst first; returns the number of shares. */
static size_t put_shares(struct weft_pairs *pairs, struct weft_lock_share *out)
{
    weft_pairs_order(pairs);
    for (size_t i = 0; i < pairs->n; i++)
        out[i] = (struct weft_lock_share){ pairs->list[i].of, pairs->list[i].sum };
    return pairs->n;
}

static int by_meeting(const void *a, const void *b)
{
    const struct weft_lock_meeting *x = a, *y = b;
    return WEFT_COMPARE(y->ticks, x->ticks) ?: WEFT_COMPARE(x->waiter, y->waiter)
           ?: WEFT_COMPARE(x->by, y->by);
}

/* Set the meetings of each lock, worst first. */
static void put_meetings(const struct lock_tally *tally, struct weft_locks *out)
{
    const struct weft_pairs *met = &tally->met;
    uint32_t n = 0;
    out->meetings = weft_alloc((met->n + 1) * sizeof *out->meetings);
    for (size_t i = 0; i < met->n; i++)
        out->list[tally->waiters.list[met->list[i].row].row].n_met++;
    for (uint32_t l = 0; l < out->n; n += out->list[l++].n_met)
        out->list[l].met = out->meetings + n;
    uint32_t *at = weft_zalloc(out->n + 1, sizeof *at);
    for (size_t i = 0; i < met->n; i++) {
        const struct weft_pair *pair = &met->list[i];
        const struct weft_pair *waiter = &tally->waiters.list[pair->row];
        out->meetings[out->list[waiter->row].met - out->meetings + at[waiter->row]++] =
            (struct weft_lock_meeting){ waiter->of, pair->of, pair->sum };
    }
    free(at);
    for (uint32_t l = 0; l < out->n; l++)
        if (out->list[l].n_met)
            qsort(out->meetings + (out->list[l].met - out->meetings), out->list[l].n_met,
                  sizeof *out->meetings, by_meeting);
}

static void set_sums(struct weft_lock *lock, struct lock_sums *sums)
{
    lock->acquisitions = sums->acquisitions;
    lock->read_acquisitions = sums->read_acquisitions;
    lock->waits = sums->waits.count;
    lock->waited_ticks = sums->waited;
    lock->held_ticks = sums->held;
    lock->read_ticks = sums->held_by_readers;
    lock->ready_ticks = sums->held_ready;
    lock->mode_known = sums->mode_known;
    lock->wait_p99 = weft_durations_quantile(&sums->waits, 0.99);
    lock->wait_max = sums->waits.longest;
}

static void finish(struct lock_scan *scan, struct weft_locks *out)
{
    struct lock_tally *tally = &scan->tally;
    struct weft_pairs *lists[] = { &tally->holders, &tally->hold_sites, &tally->held_sites,
                                   &tally->sites };
    struct weft_lock_share *at = weft_alloc(
        (lists[0]->n + lists[1]->n + lists[2]->n + lists[3]->n + 1) * sizeof *at);
    for (uint32_t t = 0; t < scan->schema->n_types; t++)
        out->waits_known |= names_objects(scan->schema, t);
    out->ready_known = scan->ready.known;
    out->n = scan->n_locks;
    out->list = weft_zalloc(scan->n_locks + 1, sizeof *out->list);
    out->shares = at;
    for (uint32_t l = 0; l < scan->n_locks; l++) {
        out->list[l].container = scan->containers[l];
        set_sums(&out->list[l], lock_tally_of(tally, l));
    }
    for (size_t which = 0; which < 4; which++) {
        size_t n = put_shares(lists[which], at);
        for (size_t i = n; i-- > 0;) { /* backwards: the first of each lock remains */
            struct weft_lock *lock = &out->list[lists[which]->list[i].row];
            const struct weft_lock_share **first[] = { &lock->holders, &lock->hold_sites,
                                                       &lock->held_sites, &lock->sites };
            uint32_t *count[] = { &lock->n_holders, &lock->n_hold_sites,
                                  &lock->n_held_sites, &lock->n_sites };
            *first[which] = at + i;
            ++*count[which];
        }
        at += n;
    }
    put_meetings(tally, out);
    if (out->n)
        qsort(out->list, out->n, sizeof *out->list, by_waited);
}

bool weft_locks_read(const struct weft_source *source, uint32_t under,
                     struct weft_span window, struct weft_job *job, struct weft_locks *out,
                     struct weft_err *err)
{
    struct lock_scan scan = { .source = source,
                              .schema = source->schema,
                              .window = window,
                              .job = job,
                              .mutex = PTHREAD_MUTEX_INITIALIZER };
    bool ok = true;
    *out = (struct weft_locks){ 0 };
    mean(&scan);
    scan.alike = weft_sites_alike(&scan.arena, scan.schema);
    weft_ready_find(source, &scan.arena, &scan.ready);
    scan.wakings_known = weft_has_wakings(source->schema);
    plan(&scan, under);
    size_t round = (size_t)ROUND * weft_parallel_width();
    for (size_t i = 0; i < scan.n_parts && ok; i += round) {
        struct track_part *all = scan.parts;
        size_t n = scan.n_parts - i < round ? scan.n_parts - i : round;
        scan.parts += i;
        weft_parallel(n, 1, read_part, &scan);
        scan.parts = all;
        ok = weft_job_step(job, i + n, scan.n_parts, err);
    }
    if (ok)
        finish(&scan, out);
    pthread_mutex_destroy(&scan.mutex);
    lock_tally_free(&scan.tally);
    weft_arena_free(&scan.arena);
    free(scan.means);
    free(scan.lock_of);
    free(scan.containers);
    free(scan.parts);
    return ok;
}

void weft_locks_free(struct weft_locks *locks)
{
    free(locks->list);
    free(locks->shares);
    free(locks->meetings);
    *locks = (struct weft_locks){ 0 };
}
