/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The states of each thread are walked in order of time, together with those that say when
 * it could run and had no processor: such a time lies inside one state, since the thread
 * does nothing meanwhile.  Its k-th execution of a construct
 * in one region is the team's k-th: the threads of a team execute the same constructs in
 * the same order.
 */
#include "domains/tasks/analyse/constructs.h"

#include <stdlib.h>

#include "analyse/sites_by_line.h"
#include "base/compare.h"
#include "base/hash_map.h"
#include "store/entities_by_time.h"

/* An execution of a construct by a team. */
struct execution {
    uint32_t construct;   /* index */
    uint32_t region_site; /* of the region around it, or WEFT_NONE */
    uint64_t region;      /* that region's number */
    uint32_t k;           /* number of the execution in the region, from 1 */
    uint32_t threads;
    int64_t least, most, work, ready, iterations, dispatches, dispatching;
    uint32_t schedule; /* the store's string, or WEFT_NONE */
    int64_t chunk;     /* 0: none */
};

/* A state of the thread that is walked, which has not ended. */
struct open_state {
    struct weft_state state;
    uint32_t construct;   /* index, or WEFT_NONE */
    uint32_t execution;   /* index, or WEFT_NONE */
    int64_t inside;       /* ticks of the states directly inside */
    int64_t blocked;      /* ticks that the thread was blocked inside */
    int64_t ready;        /* ticks inside, not blocked, that it had no processor */
    uint64_t region;      /* number of the region that this state is in, or is; 0: none */
    uint32_t region_site; /* that region's place, or WEFT_NONE */
};

struct reading {
    const struct weft_source *source;
    struct weft_span window;
    const uint32_t *alike;      /* by site */
    const uint32_t *activities; /* by container: find_activities() */
    struct construct *constructs;
    size_t n, capacity;
    struct weft_id_map by_place; /* by value << 32 | site + 1: index of a construct */
    struct execution *executions;
    size_t n_executions, executions_capacity;
    struct weft_text_map numbers; /* of struct execution_key: index in executions */
    struct weft_text_map
        counts; /* of the thread: executions so far, by the same with k 0 */
    struct open_state *open;
    size_t n_open, open_capacity;
};

struct execution_key {
    uint64_t region;
    uint32_t construct, k;
};

static bool is_construct(enum weft_role role)
{
    return weft_role_is(role, WEFT_ROLE_PARALLEL_REGION)
           || weft_role_is(role, WEFT_ROLE_SHARED_WORK);
}

bool weft_has_constructs(const struct weft_schema *schema)
{
    for (uint32_t v = 0; v < schema->n_values; v++)
        if (is_construct(schema->values[v].role))
            return true;
    return false;
}

static uint32_t find_construct(struct reading *reading, uint32_t value, uint32_t site)
{
    uint64_t key = (uint64_t)value << 32 | (site == WEFT_NONE ? 0 : site + 1);
    uint32_t index = weft_id_map_get(&reading->by_place, key);

    if (index != WEFT_MAP_NONE)
        return index;
    reading->constructs = weft_grow(reading->constructs, &reading->capacity, reading->n + 1,
                                    sizeof *reading->constructs);
    index = (uint32_t)reading->n++;
    reading->constructs[index] = (struct construct){
        .value = value, .site = site, .least = INT64_MAX, .schedule = WEFT_NONE
    };
    weft_id_map_put(&reading->by_place, key, index);
    return index;
}

/* Returns the execution of the team that STATE, which begins, is a part of. */
static uint32_t next_execution(struct reading *reading, const struct open_state *state)
{
    struct execution_key key = { state->region, state->construct, 0 };
    uint32_t k = weft_text_map_get(&reading->counts, &key, sizeof key), index;

    k = k == WEFT_MAP_NONE ? 0 : k;
    weft_text_map_put(&reading->counts, &key, sizeof key, k + 1);
    key.k = k + 1;
    index = weft_text_map_get(&reading->numbers, &key, sizeof key);
    if (index != WEFT_MAP_NONE)
        return index;
    reading->executions = weft_grow(reading->executions, &reading->executions_capacity,
                                    reading->n_executions + 1, sizeof *reading->executions);
    index = (uint32_t)reading->n_executions++;
    reading->executions[index] = (struct execution){ .construct = state->construct,
                                                     .region_site = state->region_site,
                                                     .region = state->region,
                                                     .k = key.k,
                                                     .least = INT64_MAX,
                                                     .schedule = WEFT_NONE };
    weft_text_map_put(&reading->numbers, &key, sizeof key, index);
    return index;
}

static int64_t ticks_in(const struct reading *reading, const struct weft_state *state)
{
    int64_t begin =
        state->begin > reading->window.begin ? state->begin : reading->window.begin;
    int64_t end = state->end < reading->window.end ? state->end : reading->window.end;

    return end > begin ? end - begin : 0;
}

static int64_t integer_of(const struct weft_schema *schema,
                          const struct weft_field_value *values, size_t n,
                          enum weft_role role)
{
    const struct weft_field_value *value =
        weft_field_with_role(schema, values, n, role, WEFT_FIELD_INTEGER);

    return value ? value->integer : 0;
}

static uint32_t site_of(const struct reading *reading,
                        const struct weft_field_value *values, size_t n)
{
    const struct weft_schema *schema = reading->source->schema;
    const struct weft_field_value *value =
        weft_field_with_role(schema, values, n, WEFT_ROLE_SITE, WEFT_FIELD_SITE);

    return value && value->index < schema->n_sites ? reading->alike[value->index]
                                                   : WEFT_NONE;
}

/* Notes what the fields of a thread's part in EXECUTION say of the whole. */
static void note_schedule(const struct weft_schema *schema,
                          const struct weft_field_value *values, size_t n,
                          struct execution *execution)
{
    const struct weft_field_value *schedule =
        weft_field_with_role(schema, values, n, WEFT_ROLE_SCHEDULE, WEFT_FIELD_TEXT);

    execution->iterations = integer_of(schema, values, n, WEFT_ROLE_WORK);
    execution->dispatches += integer_of(schema, values, n, WEFT_ROLE_DISPATCHES);
    execution->dispatching += integer_of(schema, values, n, WEFT_ROLE_DISPATCH_TIME);
    if (!schedule || schedule->index >= schema->n_strings)
        return;
    execution->schedule = schedule->index;
    execution->chunk = integer_of(schema, values, n, WEFT_ROLE_CHUNK);
}

/* A state begins inside those that are open. */
static void enter(struct reading *reading, const struct weft_state *state)
{
    const struct weft_schema *schema = reading->source->schema;
    enum weft_role role = schema->values[state->value].role;
    const struct open_state *outer =
        reading->n_open ? &reading->open[reading->n_open - 1] : NULL;
    struct open_state new = { .state = *state,
                              .construct = WEFT_NONE,
                              .execution = WEFT_NONE,
                              .region = outer ? outer->region : 0,
                              .region_site = outer ? outer->region_site : WEFT_NONE };
    struct weft_field_value values[WEFT_FIELDS_MAX];
    bool counts = is_construct(role) || weft_role_is(role, WEFT_ROLE_BLOCKED_ON_BARRIER);
    size_t n = counts ? reading->source->ops->fields(reading->source, state->id, values,
                                                     WEFT_FIELDS_MAX)
                      : 0;

    if (weft_role_is(role, WEFT_ROLE_PARALLEL_REGION)) {
        new.region = (uint64_t)integer_of(schema, values, n, WEFT_ROLE_NUMBER);
        new.region_site = site_of(reading, values, n);
    }
    if (counts)
        new.construct = find_construct(reading, state->value, site_of(reading, values, n));
    if (is_construct(role)) {
        new.execution = next_execution(reading, &new);
        note_schedule(schema, values, n, &reading->executions[new.execution]);
    }
    reading->open = weft_grow(reading->open, &reading->open_capacity, reading->n_open + 1,
                              sizeof *reading->open);
    reading->open[reading->n_open++] = new;
}

/* The thread has executed STATE, which lasted TICKS. */
static void add_work(struct reading *reading, const struct open_state *state, int64_t ticks)
{
    struct execution *execution = &reading->executions[state->execution];
    int64_t work = ticks - state->blocked - state->ready;

    execution->threads++;
    execution->work += work;
    execution->ready += state->ready;
    execution->least = work < execution->least ? work : execution->least;
    execution->most = work > execution->most ? work : execution->most;
}

/* The innermost open state ends. */
static void leave(struct reading *reading)
{
    const struct weft_schema *schema = reading->source->schema;
    struct open_state state = reading->open[--reading->n_open];
    struct open_state *outer = reading->n_open ? &reading->open[reading->n_open - 1] : NULL;
    int64_t ticks = ticks_in(reading, &state.state);
    bool blocked = weft_role_is(schema->values[state.state.value].role, WEFT_ROLE_BLOCKED);

    if (blocked)
        state.blocked += ticks - state.inside;
    if (blocked && state.construct != WEFT_NONE)
        reading->constructs[state.construct].waited += ticks - state.inside;
    if (state.execution != WEFT_NONE)
        add_work(reading, &state, ticks);
    if (outer) {
        outer->inside += ticks;
        outer->blocked += state.blocked;
        outer->ready += state.ready;
    }
}

/* The thread was blocked, or had no processor, as its states of activity say.  In a state
   that is a wait, that is part of the wait. */
static void be_off(struct reading *reading, const struct weft_state *state)
{
    const struct weft_schema *schema = reading->source->schema;
    enum weft_role role = schema->values[state->value].role;
    struct open_state *around;

    while (reading->n_open > 0
           && reading->open[reading->n_open - 1].state.end <= state->begin)
        leave(reading);
    around = reading->n_open ? &reading->open[reading->n_open - 1] : NULL;
    if (!around
        || weft_role_is(schema->values[around->state.value].role, WEFT_ROLE_BLOCKED))
        return;
    if (weft_role_is(role, WEFT_ROLE_READY))
        around->ready += ticks_in(reading, state);
    else if (weft_role_is(role, WEFT_ROLE_BLOCKED)
             || weft_role_is(role, WEFT_ROLE_SLEEPING))
        around->blocked += ticks_in(reading, state);
}

/* Returns by container its track that says what it did, or WEFT_NONE; in ARENA. */
static uint32_t *find_activities(const struct weft_schema *schema, struct weft_arena *arena)
{
    uint32_t *of = weft_arena_alloc(arena, schema->n_containers * sizeof *of);

    for (uint32_t c = 0; c < schema->n_containers; c++)
        of[c] = WEFT_NONE;
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        const struct weft_type *type = &schema->types[schema->tracks[t].type];
        if (type->kind == WEFT_STATE && weft_role_is(type->role, WEFT_ROLE_ACTIVITY))
            of[schema->tracks[t].container] = t;
    }
    return of;
}

static bool read_track(struct reading *reading, uint32_t track, struct weft_job *job,
                       struct weft_err *err)
{
    enum { STEP = 1 << 14 };
    uint32_t container = reading->source->schema->tracks[track].container;
    uint32_t tracks[] = { track, reading->activities[container] };
    size_t n_tracks = tracks[1] == WEFT_NONE || tracks[1] == track ? 1 : 2;
    struct weft_entity entity;
    struct weft_walk walk;
    uint64_t n = 0;
    bool ok = true;

    reading->counts = (struct weft_text_map){ 0 };
    weft_walk_begin(&walk, reading->source, tracks, n_tracks, 1u << WEFT_STATE, INT64_MIN,
                    false);
    while (ok && weft_walk_next(&walk, &entity)
           && entity.state->begin < reading->window.end) {
        ok = ++n % STEP != 0 || weft_job_step(job, 0, 0, err);
        if (n_tracks == 2 && weft_entity_track(entity.id) == tracks[1]) {
            be_off(reading, entity.state);
            continue;
        }
        while (reading->n_open > entity.state->depth)
            leave(reading);
        if (entity.state->end > reading->window.begin
            && entity.state->depth == reading->n_open)
            enter(reading, entity.state);
    }
    while (reading->n_open > 0)
        leave(reading);
    weft_walk_end(&walk);
    weft_text_map_free(&reading->counts);
    return ok;
}

static bool is_wanted(const struct weft_schema *schema, uint32_t track, uint32_t under)
{
    const struct weft_track *of = &schema->tracks[track];
    const struct weft_container *root = &schema->containers[under];
    uint32_t place = schema->containers[of->container].order;

    if (schema->types[of->type].kind != WEFT_STATE || place < root->order
        || place >= root->subtree_end)
        return false;
    for (uint32_t v = 0; v < schema->n_values; v++)
        if (schema->values[v].type == of->type && is_construct(schema->values[v].role))
            return true;
    return false;
}

/*
 * The runtime tells the place of a construct that is a region, too ("parallel for"), of the
 * thread that began the region, not of the others: gives EXECUTION, without a place, to the
 * construct of the same kind at the region's place, if there is one.
 */
static void find_place(struct reading *reading, struct execution *execution)
{
    const struct construct *construct = &reading->constructs[execution->construct];
    uint64_t place = (uint64_t)construct->value << 32 | (execution->region_site + 1);
    struct execution_key key = { execution->region, WEFT_NONE, execution->k };
    struct execution *same;
    uint32_t index;

    if (construct->site != WEFT_NONE || execution->region_site == WEFT_NONE)
        return;
    key.construct = weft_id_map_get(&reading->by_place, place);
    if (key.construct == WEFT_MAP_NONE)
        return;
    execution->construct = key.construct;
    index = weft_text_map_get(&reading->numbers, &key, sizeof key);
    if (index == WEFT_MAP_NONE)
        return;
    same = &reading->executions[index];
    same->threads += execution->threads;
    same->work += execution->work;
    same->ready += execution->ready;
    same->dispatches += execution->dispatches;
    same->dispatching += execution->dispatching;
    same->least = same->least < execution->least ? same->least : execution->least;
    same->most = same->most > execution->most ? same->most : execution->most;
    if (same->schedule == WEFT_NONE) {
        same->schedule = execution->schedule;
        same->chunk = execution->chunk;
    }
    execution->threads = 0;
}

/* Notes the schedule of an execution, if that is known, for its construct. */
static void add_schedule(struct construct *construct, const struct execution *execution)
{
    if (execution->schedule == WEFT_NONE || construct->schedules_differ)
        return;
    if (construct->schedule == WEFT_NONE) {
        construct->schedule = execution->schedule;
        construct->chunk = execution->chunk;
    } else if (construct->schedule != execution->schedule) {
        construct->schedules_differ = true;
        construct->schedule = WEFT_NONE;
        construct->chunk = 0;
    } else if (construct->chunk != execution->chunk)
        construct->chunk = 0;
}

/* Adds up the executions of each construct. */
static void add_executions(struct reading *reading)
{
    for (size_t i = 0; i < reading->n_executions; i++)
        find_place(reading, &reading->executions[i]);
    for (size_t i = 0; i < reading->n_executions; i++) {
        const struct execution *execution = &reading->executions[i];
        struct construct *construct = &reading->constructs[execution->construct];
        if (execution->threads == 0)
            continue;
        add_schedule(construct, execution);
        construct->count++;
        construct->parts += execution->threads;
        construct->work += execution->work;
        construct->ready += execution->ready;
        construct->dispatches += execution->dispatches;
        construct->dispatching += execution->dispatching;
        construct->slowest += execution->most;
        construct->iterations += execution->iterations;
        construct->mean += (double)execution->work / execution->threads;
        if (execution->threads > construct->threads)
            construct->threads = execution->threads;
        if (execution->least < construct->least)
            construct->least = execution->least;
        if (execution->most > construct->most)
            construct->most = execution->most;
    }
}

/* Returns the construct at whose end a barrier at SITE is: shared work there, else a
   region; WEFT_NONE if it is on its own. */
static uint32_t construct_at(const struct reading *reading, uint32_t site)
{
    const struct weft_schema *schema = reading->source->schema;
    uint32_t found = WEFT_NONE;

    for (uint32_t i = 0; i < reading->n && site != WEFT_NONE; i++) {
        enum weft_role role = schema->values[reading->constructs[i].value].role;
        if (reading->constructs[i].site != site || !is_construct(role))
            continue;
        if (weft_role_is(role, WEFT_ROLE_SHARED_WORK))
            return i;
        found = i;
    }
    return found;
}

/* Gives the time at barriers to the constructs that they end, and drops what is empty. */
static void give_waits(struct reading *reading)
{
    size_t kept = 0;

    for (uint32_t i = 0; i < reading->n; i++) {
        struct construct *construct = &reading->constructs[i];
        uint32_t at =
            construct->parts > 0 ? WEFT_NONE : construct_at(reading, construct->site);
        if (at == WEFT_NONE)
            continue;
        reading->constructs[at].waited += construct->waited;
        construct->waited = 0;
    }
    for (size_t i = 0; i < reading->n; i++) {
        struct construct construct = reading->constructs[i];
        if (construct.parts == 0)
            construct.least = 0;
        if (construct.parts > 0 || construct.waited > 0)
            reading->constructs[kept++] = construct;
    }
    reading->n = kept;
}

static int compare_time(const void *left, const void *right)
{
    const struct construct *a = left, *b = right;

    return WEFT_COMPARE(b->work + b->waited, a->work + a->waited)
           ?: WEFT_COMPARE(a->value, b->value) ?: WEFT_COMPARE(a->site, b->site);
}

bool weft_constructs_read(const struct weft_source *source, uint32_t under,
                          struct weft_span window, struct weft_job *job,
                          struct weft_constructs *out, struct weft_err *err)
{
    const struct weft_schema *schema = source->schema;
    struct weft_arena arena = { 0 };
    struct reading reading = { .source = source,
                               .window = window,
                               .alike = weft_sites_alike(&arena, schema),
                               .activities = find_activities(schema, &arena) };
    bool ok = true;

    for (uint32_t t = 0; t < schema->n_tracks && ok; t++)
        ok = !is_wanted(schema, t, under) || read_track(&reading, t, job, err);
    add_executions(&reading);
    give_waits(&reading);
    if (reading.n > 1)
        qsort(reading.constructs, reading.n, sizeof *reading.constructs, compare_time);
    *out = (struct weft_constructs){ reading.constructs, reading.n };
    if (!ok)
        weft_constructs_free(out);
    weft_id_map_free(&reading.by_place);
    weft_text_map_free(&reading.numbers);
    weft_arena_free(&arena);
    free(reading.executions);
    free(reading.open);
    return ok;
}

void weft_constructs_free(struct weft_constructs *constructs)
{
    free(constructs->list);
    *constructs = (struct weft_constructs){ 0 };
}
