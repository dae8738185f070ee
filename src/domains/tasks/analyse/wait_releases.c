/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements analyse/releases_of_waits.h for waits of task-parallel programs that no link
 * Implements analyse/releases_of_waits.h for waits of task-parallel programs that no link
 * tells.  A barrier ends when the last thread of the process comes to it, or when the last
 * task ends that another thread executes there.  The barrier is known by its value and its
 * place, and each other thread's part in it by the first such wait that begins after this
 * one.  A wait for tasks ends by the task that ended last before it on another worker: the
 * runtime tells no better.
 */
#include "analyse/activity_intervals.h"
#include "analyse/releases_of_waits.h"

enum { INTERVALS_MAX = 8 }; /* of a worker that are looked at, back from the wait's end */

static bool may_have(const struct weft_schema *schema)
{
    return weft_type_with_role(schema, WEFT_ROLE_TASK_INTERVAL) != WEFT_NONE;
}

static bool begin(const struct weft_source *source, struct weft_job *job, void **state,
                  struct weft_err *err)
{
    *state = (void *)source;
    return weft_job_step(job, 0, 0, err);
}

struct search {
    const struct weft_source *source;
    const struct weft_state *wait;
    uint32_t site; /* of the wait; or WEFT_NONE */
    struct weft_release *out;
    bool found;
};

static uint32_t site_of(const struct weft_source *source, uint64_t state)
{
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = source->ops->fields(source, state, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *site =
        weft_field_with_role(source->schema, fields, n, WEFT_ROLE_SITE, WEFT_FIELD_SITE);
    return site ? site->index : WEFT_NONE;
}

static void keep_latest(struct search *search, enum weft_release_kind kind, uint32_t row,
                        int64_t time)
{
    if (search->found && time <= search->out->time)
        return;
    *search->out = (struct weft_release){ kind, row, time, WEFT_NO_ID };
    search->found = true;
}

/* Finds the first part that another thread takes in the barrier at which `wait` waits. */
static bool see_arrival(void *user, const struct weft_state *state)
{
    struct search *search = user;
    const struct weft_source *source = search->source;
    if (state->value != search->wait->value || state->end <= search->wait->begin
        || site_of(source, state->id) != search->site)
        return true;
    if (state->begin > search->wait->begin && state->begin < search->wait->end)
        keep_latest(search, WEFT_RELEASED_BY_ARRIVAL,
                    source->schema->tracks[weft_entity_track(state->id)].container,
                    state->begin);
    return false;
}

static bool is_end_of_task(enum weft_role role)
{
    return weft_role_is(role, WEFT_ROLE_BEFORE_END)
           || weft_role_is(role, WEFT_ROLE_WHOLE_TASK)
           || weft_role_is(role, WEFT_ROLE_WHOLE_SECTION);
}

/* Looks for the last task that ended on TRACK, of a worker's intervals, during the wait. */
static void see_tasks(struct search *search, uint32_t track)
{
    const struct weft_source *source = search->source;
    uint64_t after = source->ops->rank(source, track, search->wait->end);
    for (uint64_t i = 0; i < after && i < INTERVALS_MAX; i++) {
        struct weft_state interval;
        if (!source->ops->state(source, weft_entity_id(track, after - 1 - i), &interval)
            || interval.end <= search->wait->begin)
            return;
        if (interval.end > search->wait->end
            || !is_end_of_task(source->schema->values[interval.value].role))
            continue;
        keep_latest(search, WEFT_RELEASED_BY_WAKING,
                    source->schema->tracks[track].container, interval.end);
        return;
    }
}

static void see_row(struct search *search, uint32_t row, bool barrier)
{
    const struct weft_source *source = search->source;
    const struct weft_schema *schema = source->schema;
    uint32_t place = schema->containers[row].order;
    for (uint32_t i = schema->track_begin[place]; i < schema->track_begin[place + 1]; i++) {
        uint32_t t = schema->track_at[i];
        const struct weft_type *type = &schema->types[schema->tracks[t].type];
        if (type->kind != WEFT_STATE)
            continue;
        if (barrier && schema->tracks[t].type == schema->values[search->wait->value].type)
            source->ops->states(
                source, t, (struct weft_span){ search->wait->begin, search->wait->end },
                see_arrival, search);
        if (weft_role_is(type->role, WEFT_ROLE_TASK_INTERVAL))
            see_tasks(search, t);
    }
}

static bool of_wait(const void *state, uint32_t row, const struct weft_state *wait,
                    struct weft_release *out)
{
    const struct weft_source *source = state;
    const struct weft_schema *schema = source->schema;
    enum weft_role role = schema->values[wait->value].role;
    bool barrier = weft_role_is(role, WEFT_ROLE_BLOCKED_ON_BARRIER);
    uint32_t parent = schema->containers[row].parent;
    if ((!barrier && !weft_role_is(role, WEFT_ROLE_BLOCKED_ON_TASK)) || parent == WEFT_NONE)
        return false;
    struct search search = { source, wait, site_of(source, wait->id), out, false };
    for (uint32_t other = schema->containers[parent].first_child; other != WEFT_NONE;
         other = schema->containers[other].next_sibling)
        if (other != row && weft_is_activity_row(schema, other))
            see_row(&search, other, barrier);
    return search.found;
}

extern const struct weft_release_finder weft_releases_of_tasks;
const struct weft_release_finder weft_releases_of_tasks = {
    .may_have = may_have,
    .begin = begin,
    .of_wait = of_wait,
};
