/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/threads/analyse/allocations.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "base/compare.h"
#include "base/hash_map.h"

bool allocations_known(const struct weft_schema *schema)
{
    return weft_type_with_role(schema, WEFT_ROLE_ALLOCATION) != WEFT_NONE;
}

static bool is_in(const struct weft_schema *schema, uint32_t container, uint32_t under)
{
    const struct weft_container *root = &schema->containers[under];
    uint32_t place;

    if (container == WEFT_NONE)
        return false;
    place = schema->containers[container].order;
    return place >= root->order && place < root->subtree_end;
}

/* ---- Reading ---- */

struct allocations_key {
    int64_t image;
    uint32_t process, value, site, thread;
};

struct allocations_reading {
    const struct weft_source *source;
    uint32_t under, track;
    bool threads;
    const uint32_t *alike; /* by site: the first that is the same place */
    struct weft_arena *arena;
    struct weft_job *job;
    struct weft_err *err;
    struct weft_text_map map; /* struct allocations_key: index in list */
    struct allocations *list; /* [n], heap */
    size_t n, capacity;
    uint64_t events;
    bool failed;
};

static int64_t integer_of(const struct weft_schema *schema,
                          const struct weft_field_value *fields, size_t n,
                          enum weft_role role)
{
    const struct weft_field_value *field =
        weft_field_with_role(schema, fields, n, role, WEFT_FIELD_INTEGER);

    return field && field->integer > 0 ? field->integer : 0;
}

static uint32_t index_of(const struct weft_schema *schema,
                         const struct weft_field_value *fields, size_t n,
                         enum weft_role role, enum weft_field_kind kind)
{
    const struct weft_field_value *field =
        weft_field_with_role(schema, fields, n, role, kind);

    return field ? field->index : WEFT_NONE;
}

static void add(int64_t *sum, int64_t more)
{
    if (__builtin_add_overflow(*sum, more, sum))
        *sum = INT64_MAX;
}

/* Returns the row of KEY, made if new. */
static struct allocations *row_of(struct allocations_reading *reading,
                                  const struct allocations_key *key)
{
    uint32_t index = weft_text_map_get(&reading->map, key, sizeof *key);

    if (index == WEFT_MAP_NONE) {
        index = (uint32_t)reading->n;
        weft_text_map_put(&reading->map, key, sizeof *key, index);
        reading->list = weft_grow(reading->list, &reading->capacity, reading->n + 1,
                                  sizeof *reading->list);
        reading->list[reading->n++] = (struct allocations){
            .process = key->process,
            .image = key->image,
            .program = WEFT_NONE,
            .value = key->value,
            .site = key->site,
            .thread = key->thread,
        };
    }
    return &reading->list[index];
}

static void add_event(struct allocations_reading *reading, struct allocations *row,
                      const struct weft_field_value *fields, size_t n)
{
    const struct weft_schema *schema = reading->source->schema;
    const struct {
        enum weft_role role;
        int64_t *sum;
    } sums[] = {
        { WEFT_ROLE_ALLOCATIONS, &row->count },
        { WEFT_ROLE_FREES, &row->frees },
        { WEFT_ROLE_FREES_ELSEWHERE, &row->frees_elsewhere },
        { WEFT_ROLE_REFUSALS, &row->refusals },
        { WEFT_ROLE_BYTES, &row->bytes },
        { WEFT_ROLE_LIVE_AT_PEAK, &row->at_peak },
        { WEFT_ROLE_LIVE_AT_END, &row->at_end },
        { WEFT_ROLE_ALLOCATOR_TIME, &row->ticks },
    };
    int64_t largest = integer_of(schema, fields, n, WEFT_ROLE_LARGEST);
    int64_t longest = integer_of(schema, fields, n, WEFT_ROLE_LONGEST_CALL);

    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        add(sums[i].sum, integer_of(schema, fields, n, sums[i].role));
    row->largest = largest > row->largest ? largest : row->largest;
    row->longest = longest > row->longest ? longest : row->longest;
    row->program = index_of(schema, fields, n, WEFT_ROLE_PROGRAM, WEFT_FIELD_TEXT);
}

static bool see_event(void *user, const struct weft_event *event)
{
    struct allocations_reading *reading = user;
    const struct weft_source *source = reading->source;
    const struct weft_schema *schema = source->schema;
    uint32_t process = schema->tracks[reading->track].container, thread, site;
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    struct allocations_key key;
    size_t n;

    if (++reading->events % 1024 == 0
        && !weft_job_step(reading->job, reading->events, 0, reading->err)) {
        reading->failed = true;
        return false;
    }
    if (event->value == WEFT_NONE)
        return true;
    n = source->ops->fields(source, event->id, fields, WEFT_FIELDS_MAX);
    thread = index_of(schema, fields, n, WEFT_ROLE_ALLOCATING_THREAD, WEFT_FIELD_CONTAINER);
    site = index_of(schema, fields, n, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    if (!is_in(schema, process, reading->under) && !is_in(schema, thread, reading->under))
        return true;
    key = (struct allocations_key){
        .image = integer_of(schema, fields, n, WEFT_ROLE_NUMBER),
        .process = process,
        .value = event->value,
        .site = site == WEFT_NONE ? WEFT_NONE : reading->alike[site],
        .thread = reading->threads ? thread : WEFT_NONE,
    };
    add_event(reading, row_of(reading, &key), fields, n);
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct allocations *x = a, *y = b;

    return WEFT_COMPARE(y->at_peak, x->at_peak) ?: WEFT_COMPARE(y->bytes, x->bytes)
           ?: WEFT_COMPARE(y->count, x->count)
           ?: WEFT_COMPARE(x->process, y->process)
           ?: WEFT_COMPARE(x->image, y->image)
           ?: WEFT_COMPARE(x->value, y->value)
           ?: WEFT_COMPARE(x->site, y->site)
           ?: WEFT_COMPARE(x->thread, y->thread);
}

bool allocations_read(const struct weft_source *source, uint32_t under, bool threads,
                      struct weft_arena *arena, struct weft_job *job,
                      struct allocations **list, size_t *n, struct weft_err *err)
{
    const struct weft_schema *schema = source->schema;
    const struct weft_span all = { -WEFT_TIME_LIMIT, WEFT_TIME_LIMIT };
    struct allocations_reading reading = {
        .source = source,
        .under = under,
        .threads = threads,
        .alike = weft_sites_alike(arena, schema),
        .arena = arena,
        .job = job,
        .err = err,
    };

    for (uint32_t t = 0; t < schema->n_tracks && !reading.failed; t++) {
        const struct weft_type *type = &schema->types[schema->tracks[t].type];
        if (type->kind != WEFT_EVENT || !weft_role_is(type->role, WEFT_ROLE_ALLOCATION))
            continue;
        reading.track = t;
        source->ops->events(source, t, all, see_event, &reading);
    }
    *n = reading.n;
    *list = weft_arena_alloc(arena, (reading.n + 1) * sizeof **list);
    if (reading.n > 0)
        memcpy(*list, reading.list, reading.n * sizeof **list);
    qsort(*list, reading.n, sizeof **list, compare);
    weft_text_map_free(&reading.map);
    free(reading.list);
    return !reading.failed;
}

/* ---- Peaks ---- */

static bool see_sample(void *user, const struct weft_sample *sample)
{
    struct bytes_peak *peak = user;

    if (sample->value > peak->bytes) {
        peak->bytes = sample->value;
        peak->time = sample->begin;
    }
    return true;
}

struct bytes_peak allocations_peak(const struct weft_source *source, uint32_t under,
                                   enum weft_role role)
{
    const struct weft_schema *schema = source->schema;
    const struct weft_span all = { -WEFT_TIME_LIMIT, WEFT_TIME_LIMIT };
    struct bytes_peak highest = { .track = WEFT_NONE };

    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        const struct weft_track *track = &schema->tracks[t];
        const struct weft_type *type = &schema->types[track->type];
        struct bytes_peak peak = { .track = t, .bytes = -1 };
        if (type->kind != WEFT_VARIABLE || !weft_role_is(type->role, role)
            || (!is_in(schema, track->container, under)
                && !is_in(schema, under, track->container)))
            continue;
        source->ops->samples(source, t, all, see_sample, &peak);
        if (highest.track == WEFT_NONE || peak.bytes > highest.bytes)
            highest = peak;
    }
    return highest;
}
