/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements analyse/releases_of_waits.h for waits that a link of the role wake-up ends
 * (wakings.h): the thread that gave the lock back, signalled, came last to the barrier, or
 * ended.  A wait for a lock without such a link ended without the lock: the thread was
 * woken, found it taken again and went on waiting, or its holder was preempted before it
 * recorded the release.  The thread that held the lock as the wait ended, or last before,
 * is its release, then.
 */
#include "analyse/releases_of_waits.h"
#include "analyse/wakings.h"
#include "domains/threads/analyse/locks.h"

static bool begin(const struct weft_source *source, struct weft_job *job, void **state,
                  struct weft_err *err)
{
    *state = (void *)source;
    return weft_job_step(job, 0, 0, err);
}

struct search {
    const struct weft_source *source;
    const struct weft_state *wait;
    struct weft_release *out;
    bool found, named; /* a wake-up was found; it names the wait */
};

/*
 * Returns true if the state with ID is an earlier part of WAIT: a wait is in parts if its
 * thread ran in between, and the link names the first of them.
 */
static bool is_earlier_part(const struct weft_source *source, uint64_t id,
                            const struct weft_state *wait)
{
    struct weft_state part;
    return weft_entity_track(id) == weft_entity_track(wait->id)
           && source->ops->state(source, id, &part) && part.value == wait->value
           && part.end <= wait->begin;
}

/*
 * Keeps the latest wake-up that names the wait, else the latest that arrives during it and
 * names none, or an earlier part of it.
 */
static bool take_waking(void *user, const struct weft_link *link)
{
    struct search *search = user;
    bool named = link->to_entity == search->wait->id;
    if (link->from == WEFT_NONE || (link->flags & (WEFT_BEGIN_IMPLIED | WEFT_END_IMPLIED))
        || !weft_role_is(search->source->schema->types[link->type].role, WEFT_ROLE_WAKE_UP))
        return true;
    if (!named
        && (search->named || link->end <= search->wait->begin
            || (link->to_entity != WEFT_NO_ID
                && !is_earlier_part(search->source, link->to_entity, search->wait))))
        return true;
    *search->out =
        (struct weft_release){ WEFT_RELEASED_BY_WAKING, link->from, link->begin, link->id };
    search->found = true;
    search->named |= named;
    return true;
}

/*
 * Sets *OUT to the latest hold on TRACK, of a lock's states, by another row than ROW that
 * began before TIME; returns false if it is not among the last few states.
 */
static bool latest_hold(const struct weft_source *source, uint32_t track, uint32_t row,
                        int64_t time, struct weft_release *out)
{
    enum { STATES_MAX = 8 };
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    uint64_t after = source->ops->rank(source, track, time);
    for (uint64_t i = 0; i < after && i < STATES_MAX; i++) {
        struct weft_state hold;
        if (!source->ops->state(source, weft_entity_id(track, after - 1 - i), &hold))
            return false;
        if (!weft_role_is(source->schema->values[hold.value].role, WEFT_ROLE_HELD))
            continue;
        size_t n = source->ops->fields(source, hold.id, fields, WEFT_FIELDS_MAX);
        const struct weft_field_value *holder = weft_field_with_role(
            source->schema, fields, n, WEFT_ROLE_HOLDER, WEFT_FIELD_CONTAINER);
        if (!holder || holder->index == row)
            continue;
        *out = (struct weft_release){ WEFT_RELEASED_BY_HOLDER, holder->index,
                                      hold.end < time ? hold.end : time, WEFT_NO_ID };
        return true;
    }
    return false;
}

/* Finds who held the lock for which WAIT was as it ended, or had it last before. */
static bool find_holder(const struct weft_source *source, uint32_t row,
                        const struct weft_state *wait, struct weft_release *out)
{
    const struct weft_schema *schema = source->schema;
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    if (!weft_role_is(schema->values[wait->value].role, WEFT_ROLE_BLOCKED_ON_LOCK))
        return false;
    size_t n = source->ops->fields(source, wait->id, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *lock =
        weft_field_with_role(schema, fields, n, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER);
    if (!lock)
        return false;
    uint32_t place = schema->containers[lock->index].order;
    for (uint32_t i = schema->track_begin[place]; i < schema->track_begin[place + 1]; i++) {
        uint32_t t = schema->track_at[i];
        if (weft_is_lock_track(schema, t))
            return latest_hold(source, t, row, wait->end, out);
    }
    return false;
}

static bool of_wait(const void *state, uint32_t row, const struct weft_state *wait,
                    struct weft_release *out)
{
    const struct weft_source *source = state;
    struct search search = { source, wait, out, false, false };
    source->ops->links_at(source, row, true,
                          (struct weft_span){ wait->begin, wait->end + 1 }, take_waking,
                          &search);
    return search.found || find_holder(source, row, wait, out);
}

extern const struct weft_release_finder weft_releases_of_threads;
const struct weft_release_finder weft_releases_of_threads = {
    .may_have = weft_has_wakings,
    .begin = begin,
    .of_wait = of_wait,
};
