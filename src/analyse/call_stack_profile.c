/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/call_stack_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "store/time.h"

struct sample { /* as its fields say */
    int64_t ticks;
    uint32_t text, site;
    bool counts; /* it is in one of the question's spans */
};

struct reader {
    const struct weft_source *source;
    struct weft_profile *profile;
    size_t capacity;
    struct sample *samples; /* [after - first] of the track being read; heap */
    uint64_t first, after;  /* ordinals of its samples, or states, in the window */
    struct weft_span window;
    const struct weft_profile_query *query;
    enum weft_field_kind kind; /* of the field being read */
};

static bool is_sampled(const struct weft_schema *schema, uint32_t type)
{
    return schema->types[type].kind == WEFT_EVENT
           && weft_role_is(schema->types[type].role, WEFT_ROLE_SAMPLE)
           && weft_field_of_type(schema, type, WEFT_ROLE_SAMPLED_TIME, WEFT_FIELD_INTEGER)
                  != WEFT_NONE;
}

bool weft_has_samples(const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].count > 0 && is_sampled(schema, schema->tracks[t].type))
            return true;
    return false;
}

static bool may_wait(const struct weft_schema *schema, uint32_t type)
{
    return schema->types[type].kind == WEFT_STATE
           && weft_role_is(schema->types[type].role, WEFT_ROLE_ACTIVITY);
}

static bool is_wait(enum weft_role role)
{
    return weft_role_is(role, WEFT_ROLE_BLOCKED) || weft_role_is(role, WEFT_ROLE_SLEEPING);
}

static void see_ordinal(struct reader *reader, uint64_t id)
{
    uint64_t ordinal = weft_entity_ordinal(id);

    if (reader->first == reader->after) {
        reader->first = ordinal;
        reader->after = ordinal + 1;
    }
    if (ordinal < reader->first)
        reader->first = ordinal;
    if (ordinal >= reader->after)
        reader->after = ordinal + 1;
}

static bool see_state(void *user, const struct weft_state *state)
{
    see_ordinal(user, state->id);
    return true;
}

/* Sets the time of a wait: what of it is in the window.  Other states have 0. */
static bool see_duration(void *user, const struct weft_state *state)
{
    struct reader *reader = user;
    const struct weft_span *window = &reader->window;
    int64_t begin = state->begin > window->begin ? state->begin : window->begin,
            end = state->end < window->end ? state->end : window->end;

    if (end > begin && is_wait(reader->source->schema->values[state->value].role))
        reader->samples[weft_entity_ordinal(state->id) - reader->first].ticks = end - begin;
    return true;
}

static bool see_event(void *user, const struct weft_event *event)
{
    see_ordinal(user, event->id);
    return true;
}

/* Returns true if TIME is in one of the question's spans, or there are none. */
static bool is_in_spans(const struct weft_profile_query *query, int64_t time)
{
    size_t low = 0, high = query->n_spans;

    while (low < high) { /* the first that ends after TIME */
        size_t middle = low + (high - low) / 2;
        if (query->spans[middle].end <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return query->n_spans == 0 || (low < query->n_spans && query->spans[low].begin <= time);
}

static bool see_counting(void *user, const struct weft_event *event)
{
    struct reader *reader = user;

    reader->samples[weft_entity_ordinal(event->id) - reader->first].counts =
        is_in_spans(reader->query, event->time);
    return true;
}

static bool see_values(void *user, const struct weft_field_run *run)
{
    struct reader *reader = user;
    const struct weft_schema *schema = reader->source->schema;

    for (size_t i = 0; i < run->n; i++) {
        struct sample *sample;
        int64_t value = run->values[i];
        if (run->ordinals[i] < reader->first || run->ordinals[i] >= reader->after)
            continue;
        sample = &reader->samples[run->ordinals[i] - reader->first];
        if (reader->kind == WEFT_FIELD_INTEGER)
            sample->ticks = value > 0 ? value : 0;
        else if (reader->kind == WEFT_FIELD_TEXT && value >= 0 && value < schema->n_strings)
            sample->text = (uint32_t)value;
        else if (reader->kind == WEFT_FIELD_SITE && value >= 0 && value < schema->n_sites)
            sample->site = (uint32_t)value;
    }
    return true;
}

static void read_field(struct reader *reader, uint32_t track, enum weft_role role,
                       enum weft_field_kind kind)
{
    const struct weft_schema *schema = reader->source->schema;
    uint32_t field = weft_field_of_type(schema, schema->tracks[track].type, role, kind);

    reader->kind = kind;
    if (field != WEFT_NONE)
        reader->source->ops->field_range(reader->source, track, field, reader->first,
                                         reader->after, see_values, reader);
}

/* Counts the samples that were read as those of TRACK. */
static void count(struct reader *reader, uint32_t track, bool waits)
{
    struct weft_profile *profile = reader->profile;
    struct weft_id_map known = { 0 };

    for (uint64_t i = 0; i < reader->after - reader->first; i++) {
        const struct sample *sample = &reader->samples[i];
        uint64_t key = (uint64_t)sample->text << 32 | sample->site;
        uint32_t index = weft_id_map_get(&known, key);
        struct weft_profile_stack *stack;
        if (waits ? sample->ticks == 0 : !sample->counts)
            continue;
        if (index == WEFT_MAP_NONE) {
            index = (uint32_t)profile->n_stacks++;
            profile->stacks = weft_grow(profile->stacks, &reader->capacity,
                                        profile->n_stacks, sizeof *profile->stacks);
            profile->stacks[index] = (struct weft_profile_stack){ .text = sample->text,
                                                                  .site = sample->site,
                                                                  .track = track };
            weft_id_map_put(&known, key, index);
        }
        stack = &profile->stacks[index];
        stack->count++;
        stack->ticks = weft_ticks_add(stack->ticks, sample->ticks);
        profile->count++;
        profile->ticks = weft_ticks_add(profile->ticks, sample->ticks);
    }
    weft_id_map_free(&known);
}

static void read_track(struct reader *reader, uint32_t track, bool waits)
{
    const struct weft_source *source = reader->source;
    size_t n;

    reader->first = reader->after = 0;
    if (waits)
        source->ops->states(source, track, reader->window, see_state, reader);
    else
        source->ops->events(source, track, reader->window, see_event, reader);
    n = (size_t)(reader->after - reader->first);
    if (n == 0)
        return;
    reader->samples = weft_alloc(n * sizeof *reader->samples);
    for (size_t i = 0; i < n; i++)
        reader->samples[i] = (struct sample){ 0, WEFT_NONE, WEFT_NONE, false };
    if (waits)
        source->ops->states(source, track, reader->window, see_duration, reader);
    else
        source->ops->events(source, track, reader->window, see_counting, reader);
    if (!waits)
        read_field(reader, track, WEFT_ROLE_SAMPLED_TIME, WEFT_FIELD_INTEGER);
    read_field(reader, track, WEFT_ROLE_CALL_STACK, WEFT_FIELD_TEXT);
    read_field(reader, track, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    count(reader, track, waits);
    free(reader->samples);
}

bool weft_profile_read(const struct weft_profile_query *query, struct weft_profile *profile,
                       struct weft_err *err)
{
    const struct weft_schema *schema = query->source->schema;
    const struct weft_container *root = &schema->containers[query->under];
    struct reader reader = {
        .source = query->source, .profile = profile, .query = query, .window = query->window
    };
    uint32_t begin = schema->track_begin[root->order],
             end = schema->track_begin[root->subtree_end];

    *profile = (struct weft_profile){ 0 };
    for (uint32_t i = begin; i < end; i++) {
        uint32_t t = schema->track_at[i];
        if (!(query->waits ? may_wait : is_sampled)(schema, schema->tracks[t].type)
            || (query->member && !query->member[schema->tracks[t].container]))
            continue;
        read_track(&reader, t, query->waits);
        if (!weft_job_step(query->job, i - begin + 1, end - begin, err)) {
            weft_profile_free(profile);
            return false;
        }
    }
    return true;
}

void weft_profile_free(struct weft_profile *profile)
{
    free(profile->stacks);
    *profile = (struct weft_profile){ 0 };
}

const char *weft_profile_name(const char **at, size_t *size)
{
    const char *name = *at;

    if (!name)
        return NULL;
    *size = strcspn(name, ";");
    *at = name[*size] ? name + *size + 1 : NULL;
    return name;
}

const char *weft_profile_innermost(const char *text, size_t *size)
{
    const char *last = strrchr(text, ';');
    last = last ? last + 1 : text;
    *size = strlen(last);
    return last;
}
