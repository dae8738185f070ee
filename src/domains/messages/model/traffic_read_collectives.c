/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads collective operations.  The calls that take part in one lie on the tracks of their
 * processors and name its event.  So all of these tracks are read twice: to count the calls
 * of each operation, and to put them side by side.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/hash_map.h"
#include "domains/messages/model/traffic_priv.h"

struct call_scan {
    struct weft_traffic *traffic;
    uint64_t *first_of_track; /* [n_tracks]: index of its first operation */
    uint64_t *at;             /* [n_collectives + 1]: where the next call of each goes */
    struct weft_job *job;
    /* The track that is being read: */
    uint32_t track, processor, bytes_field;
    struct weft_run *run; /* states that were looked at last */
    int64_t bytes[WEFT_RUN_MAX];
};

/* ---- The operations ---- */

static bool is_event_track(const struct weft_schema *schema, uint32_t t)
{
    const struct weft_type *type = &schema->types[schema->tracks[t].type];
    return type->kind == WEFT_EVENT
           && weft_role_is(type->role, WEFT_ROLE_COLLECTIVE_OPERATION);
}

struct events {
    struct weft_traffic *traffic;
    uint32_t container;
};

static bool add_operation(void *user, const struct weft_event *event)
{
    const struct events *events = user;
    struct weft_traffic *traffic = events->traffic;
    const struct weft_schema *schema = traffic->source->schema;
    traffic->collectives[traffic->n_collectives++] = (struct weft_collective){
        .event = event->id,
        .pattern = event->value < schema->n_values ? schema->values[event->value].role
                                                   : WEFT_ROLE_NONE,
        .root = WEFT_NONE,
        .communicator = events->container,
        .begin = event->time,
        .end = event->time,
    };
    return true;
}

/* Returns the processor with a number, or WEFT_NONE; processors are in order of numbers. */
static uint32_t processor_numbered(const struct weft_processors *processors, int64_t number)
{
    const struct weft_processor *list = processors->processors;
    uint32_t at = WEFT_FIRST(i, 0, processors->n, list[i].number >= number);
    return at < processors->n && list[at].number == number ? at : WEFT_NONE;
}

struct roots {
    const struct weft_processors *processors;
    struct weft_collective *first;
    size_t n;
};

static bool add_roots(void *user, const struct weft_field_run *run)
{
    struct roots *roots = user;
    size_t at = 0;
    for (size_t i = 0; i < run->n; i++) { /* both are in order of ordinals */
        while (at < roots->n
               && weft_entity_ordinal(roots->first[at].event) < run->ordinals[i])
            at++;
        if (at < roots->n
            && weft_entity_ordinal(roots->first[at].event) == run->ordinals[i])
            roots->first[at].root = processor_numbered(roots->processors, run->values[i]);
    }
    roots->first += at;
    roots->n -= at;
    return true;
}

/* Reads the operations, track by track. */
static void read_operations(struct call_scan *scan)
{
    static const struct weft_span always = { -WEFT_TIME_LIMIT, WEFT_TIME_LIMIT };
    struct weft_traffic *traffic = scan->traffic;
    const struct weft_source *source = traffic->source;
    const struct weft_schema *schema = source->schema;
    uint64_t n = 0;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        n += is_event_track(schema, t) ? schema->tracks[t].count : 0;
    traffic->collectives = weft_alloc((n + 1) * sizeof *traffic->collectives);
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        scan->first_of_track[t] = traffic->n_collectives;
        if (!is_event_track(schema, t))
            continue;
        struct events events = { traffic, schema->tracks[t].container };
        source->ops->events(source, t, always, add_operation, &events);
        struct roots roots = { traffic->processors,
                               traffic->collectives + scan->first_of_track[t],
                               traffic->n_collectives - scan->first_of_track[t] };
        uint32_t field = weft_field_of_type(schema, schema->tracks[t].type, WEFT_ROLE_ROOT,
                                            WEFT_FIELD_INTEGER);
        if (field != WEFT_NONE)
            source->ops->column(source, t, field, add_roots, &roots);
    }
}

/* Returns the operation of an event, or NULL if it is none or was not readable. */
static struct weft_collective *operation_of(const struct call_scan *scan, uint64_t event)
{
    const struct weft_traffic *traffic = scan->traffic;
    const struct weft_schema *schema = traffic->source->schema;
    if (event == WEFT_NO_ID || weft_entity_track(event) >= schema->n_tracks)
        return NULL;
    uint32_t t = weft_entity_track(event);
    if (!is_event_track(schema, t))
        return NULL;
    /* Unreadable events are missing, so ordinals have gaps. */
    struct weft_collective *list = traffic->collectives;
    size_t n = traffic->n_collectives;
    size_t at = WEFT_FIRST(i, scan->first_of_track[t], n, list[i].event >= event);
    return at < n && list[at].event == event ? &list[at] : NULL;
}

/* ---- The calls ---- */

static bool count_calls(void *user, const struct weft_field_run *run)
{
    struct call_scan *scan = user;
    for (size_t i = 0; i < run->n; i++) {
        struct weft_collective *of = operation_of(scan, (uint64_t)run->values[i]);
        if (of)
            of->n_calls++;
    }
    return !weft_job_cancelled(scan->job);
}

static bool keep_bytes(void *user, const struct weft_field_run *run)
{
    struct call_scan *scan = user;
    for (size_t i = 0; i < run->n; i++)
        if (run->ordinals[i] >= scan->run->first && run->ordinals[i] < scan->run->after)
            scan->bytes[run->ordinals[i] - scan->run->first] = run->values[i];
    return true;
}

/* Loads the run of states that ORDINAL is in; false if it cannot be read. */
static bool come_to(struct call_scan *scan, uint64_t ordinal)
{
    const struct weft_source *source = scan->traffic->source;
    struct weft_run *run = scan->run;
    if (ordinal >= run->first && ordinal < run->after)
        return run->n > 0;
    source->ops->run(source, scan->track, ordinal, run);
    memset(scan->bytes, 0, sizeof scan->bytes);
    if (run->n && scan->bytes_field != WEFT_NONE)
        source->ops->field_range(source, scan->track, scan->bytes_field, run->first,
                                 run->after, keep_bytes, scan);
    return run->n > 0;
}

static bool add_calls(void *user, const struct weft_field_run *run)
{
    struct call_scan *scan = user;
    struct weft_traffic *traffic = scan->traffic;
    for (size_t i = 0; i < run->n; i++) {
        struct weft_collective *of = operation_of(scan, (uint64_t)run->values[i]);
        if (!of || !come_to(scan, run->ordinals[i]))
            continue;
        size_t in_run = run->ordinals[i] - scan->run->first;
        const struct weft_state *state = &scan->run->states[in_run];
        traffic->calls[scan->at[of - traffic->collectives]++] =
            (struct weft_collective_call){ .processor = scan->processor,
                                           .entry = state->begin,
                                           .exit = state->end,
                                           .bytes = scan->bytes[in_run],
                                           .state = state->id };
    }
    return !weft_job_cancelled(scan->job);
}

/* Visits the calls of all processors that name an operation. */
static bool each_call(struct call_scan *scan,
                      bool (*visit)(void *user, const struct weft_field_run *run),
                      struct weft_err *err)
{
    const struct weft_source *source = scan->traffic->source;
    const struct weft_schema *schema = source->schema;
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        const struct weft_track *track = &schema->tracks[t];
        scan->processor = scan->traffic->processors->index_of[track->container];
        if (schema->types[track->type].kind != WEFT_STATE || !track->count
            || scan->processor == WEFT_NONE)
            continue;
        uint32_t field =
            weft_field_of_type(schema, track->type, WEFT_ROLE_OPERATION, WEFT_FIELD_ENTITY);
        if (field == WEFT_NONE)
            continue;
        if (!weft_job_step(scan->job, t, schema->n_tracks, err))
            return false;
        scan->track = t;
        scan->bytes_field =
            weft_field_of_type(schema, track->type, WEFT_ROLE_BYTES, WEFT_FIELD_INTEGER);
        scan->run->n = scan->run->first = scan->run->after = 0;
        source->ops->column(source, t, field, visit, scan);
    }
    return weft_job_step(scan->job, schema->n_tracks, schema->n_tracks, err);
}

static bool read_calls(struct call_scan *scan, struct weft_err *err)
{
    struct weft_traffic *traffic = scan->traffic;
    if (!each_call(scan, count_calls, err))
        return false;
    uint64_t n = 0;
    scan->at = weft_alloc((traffic->n_collectives + 1) * sizeof *scan->at);
    for (size_t i = 0; i < traffic->n_collectives; i++) {
        scan->at[i] = traffic->collectives[i].first_call = n;
        n += traffic->collectives[i].n_calls;
    }
    traffic->n_calls = n;
    traffic->calls = weft_alloc((n + 1) * sizeof *traffic->calls);
    if (!each_call(scan, add_calls, err))
        return false;
    for (size_t i = 0; i < traffic->n_collectives; i++) /* fewer if some are unreadable */
        traffic->collectives[i].n_calls =
            (uint32_t)(scan->at[i] - traffic->collectives[i].first_call);
    return true;
}

/* ---- Ranks ---- */

/*
 * Sets RANKS[n] of the members of a communicator in order of TEXT: "0-3,8" has five.
 * Returns false if it is malformed.
 */
static bool parse_members(const struct weft_processors *processors, const char *text,
                          uint32_t *ranks)
{
    uint32_t rank = 0;
    while (*text) {
        char *end;
        long long first = strtoll(text, &end, 10), last = first;
        if (end == text)
            return false;
        if (*end == '-')
            last = strtoll(end + 1, &end, 10);
        for (; first <= last; first++, rank++) {
            uint32_t processor = processor_numbered(processors, first);
            if (processor != WEFT_NONE)
                ranks[processor] = rank;
            if (rank > processors->n || first == LLONG_MAX)
                return false; /* no list of processors */
        }
        text = *end == ',' ? end + 1 : end;
        if (*end && *end != ',')
            return false;
    }
    return true;
}

static void rank_members(const struct weft_traffic *traffic, uint32_t communicator,
                         uint32_t *ranks)
{
    const struct weft_processors *processors = traffic->processors;
    const struct weft_schema *schema = traffic->source->schema;
    const struct weft_field_value *members =
        weft_container_fact(schema, communicator, WEFT_ROLE_MEMBERS, WEFT_FIELD_TEXT);
    for (uint32_t i = 0; i < processors->n; i++)
        ranks[i] = i;
    if (members && !parse_members(processors, schema->strings[members->index], ranks))
        for (uint32_t i = 0; i < processors->n; i++)
            ranks[i] = i;
}

static int by_rank(const void *a, const void *b)
{
    const struct weft_collective_call *x = a, *y = b;
    return WEFT_COMPARE(x->rank, y->rank) ?: WEFT_COMPARE(x->processor, y->processor);
}

/*
 * Sorts the calls of an operation by rank.  The calls of one processor, which begin and
 * complete a non-blocking operation, become one.
 */
static void arrange(struct weft_traffic *traffic, struct weft_collective *of,
                    const uint32_t *ranks)
{
    struct weft_collective_call *calls = traffic->calls + of->first_call;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < of->n_calls; i++)
        calls[i].rank = ranks[calls[i].processor];
    qsort(calls, of->n_calls, sizeof *calls, by_rank);
    for (uint32_t i = 0; i < of->n_calls; i++) {
        struct weft_collective_call *last = kept ? &calls[kept - 1] : NULL;
        if (last && last->processor == calls[i].processor) {
            if (calls[i].entry < last->entry
                || (calls[i].entry == last->entry && calls[i].state < last->state)) {
                last->entry = calls[i].entry;
                last->state = calls[i].state;
            }
            last->exit = calls[i].exit > last->exit ? calls[i].exit : last->exit;
            last->bytes = calls[i].bytes > last->bytes ? calls[i].bytes : last->bytes;
        } else {
            calls[kept++] = calls[i];
        }
    }
    of->n_calls = kept;
    for (uint32_t i = 0; i < kept; i++) {
        of->begin = i && of->begin < calls[i].entry ? of->begin : calls[i].entry;
        of->end = i && of->end > calls[i].exit ? of->end : calls[i].exit;
    }
}

static bool arrange_all(struct weft_traffic *traffic, struct weft_job *job,
                        struct weft_err *err)
{
    enum { STEP = 1024 }; /* operations between two looks at the job */
    uint32_t *ranks = weft_alloc(((size_t)traffic->processors->n + 1) * sizeof *ranks);
    bool ok = true;
    for (size_t i = 0; i < traffic->n_collectives && ok; i++) {
        struct weft_collective *of = &traffic->collectives[i];
        if (!i || of->communicator != of[-1].communicator)
            rank_members(traffic, of->communicator, ranks);
        arrange(traffic, of, ranks);
        ok = i % STEP || weft_job_step(job, i, traffic->n_collectives, err);
    }
    free(ranks);
    return ok;
}

/* ---- In order of time ---- */

static int by_begin(const void *a, const void *b)
{
    const struct weft_collective *x = a, *y = b;
    return WEFT_COMPARE(x->begin, y->begin) ?: WEFT_COMPARE(x->event, y->event);
}

static bool same_team(const struct weft_traffic *traffic, const struct weft_collective *a,
                      const struct weft_collective *b)
{
    const struct weft_collective_call *x = traffic->calls + a->first_call,
                                      *y = traffic->calls + b->first_call;
    if (a->n_calls != b->n_calls)
        return false;
    for (uint32_t i = 0; i < a->n_calls; i++)
        if (x[i].processor != y[i].processor || x[i].rank != y[i].rank)
            return false;
    return true;
}

static void find_teams(struct weft_traffic *traffic)
{
    /* by hash; a team whose hash another one has is not found again */
    struct weft_id_map known = { 0 };
    for (size_t i = 0; i < traffic->n_collectives; i++) {
        struct weft_collective *of = &traffic->collectives[i];
        uint64_t hash = of->n_calls;
        for (uint32_t c = 0; c < of->n_calls; c++) {
            const struct weft_collective_call *call = &traffic->calls[of->first_call + c];
            hash = (hash ^ ((uint64_t)call->rank << 32 | call->processor))
                   * 0x9e3779b97f4a7c15u; /* odd, so that no bit is lost */
            hash ^= hash >> 32;
        }
        uint32_t team = weft_id_map_get(&known, hash);
        if (team == WEFT_MAP_NONE)
            weft_id_map_put(&known, hash, (uint32_t)i);
        of->team =
            team != WEFT_MAP_NONE && same_team(traffic, of, &traffic->collectives[team])
                ? team
                : (uint32_t)i;
    }
    weft_id_map_free(&known);
}

/*
 * Returns true for an operation in which each only waits for the others, by its role or
 * that of its first call.
 */
static bool is_barrier(const struct weft_traffic *traffic, const struct weft_collective *of)
{
    const struct weft_schema *schema = traffic->source->schema;
    const struct weft_collective_call *calls = &traffic->calls[of->first_call];
    struct weft_state state;
    for (uint32_t i = 0; i < of->n_calls; i++)
        if (calls[i].bytes)
            return false;
    if (weft_role_is(of->pattern, WEFT_ROLE_ALL_WAIT))
        return of->n_calls > 0;
    return of->n_calls && traffic->source->ops->state(traffic->source, calls->state, &state)
           && weft_role_is(schema->values[state.value].role, WEFT_ROLE_BLOCKED_ON_BARRIER);
}

static void order_operations(struct weft_traffic *traffic)
{
    size_t kept = 0;
    for (size_t i = 0; i < traffic->n_collectives; i++)
        if (traffic->collectives[i].n_calls) {
            struct weft_collective *of = &traffic->collectives[kept++];
            *of = traffic->collectives[i];
            of->barrier = is_barrier(traffic, of);
            traffic->n_barriers += of->barrier;
        }
    traffic->n_collectives = kept;
    qsort(traffic->collectives, kept, sizeof *traffic->collectives, by_begin);
    traffic->reach = weft_alloc((kept + 1) * sizeof *traffic->reach);
    int64_t reach = INT64_MIN;
    for (size_t i = 0; i < kept; i++) {
        reach = traffic->collectives[i].end > reach ? traffic->collectives[i].end : reach;
        traffic->reach[i] = reach;
    }
    find_teams(traffic);
}

bool weft_collectives_read(struct weft_traffic *traffic, struct weft_job *job,
                           struct weft_err *err)
{
    const struct weft_schema *schema = traffic->source->schema;
    struct call_scan scan = { .traffic = traffic, .job = job };
    scan.first_of_track = weft_alloc((schema->n_tracks + 1) * sizeof *scan.first_of_track);
    scan.run = weft_alloc(sizeof *scan.run);
    read_operations(&scan);
    bool ok = !traffic->n_collectives
              || (read_calls(&scan, err) && arrange_all(traffic, job, err));
    if (ok)
        order_operations(traffic);
    free(scan.first_of_track);
    free(scan.at);
    free(scan.run);
    return ok;
}
