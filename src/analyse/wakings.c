/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/wakings.h"

#include <stdlib.h>

#include "base/binary_search.h"
#include "base/compare.h"

static bool is_waking(const struct weft_schema *schema, uint32_t track)
{
    const struct weft_type *type = &schema->types[schema->tracks[track].type];
    return type->kind == WEFT_LINK && weft_role_is(type->role, WEFT_ROLE_WAKE_UP);
}

bool weft_has_wakings(const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (is_waking(schema, t) && schema->tracks[t].count)
            return true;
    return false;
}

struct waking_walk {
    const struct weft_schema *schema;
    struct weft_wakings *out;
};

static bool add_link(void *user, const struct weft_link *link)
{
    struct waking_walk *walk = user;
    struct weft_wakings *out = walk->out;
    if (link->from == WEFT_NONE || (link->flags & WEFT_END_IMPLIED)
        || !is_waking(walk->schema, weft_entity_track(link->id)))
        return true;
    out->list = weft_grow(out->list, &out->capacity, out->n + 1, sizeof *out->list);
    out->list[out->n++] = (struct weft_waking){ link->to_entity, link->end, link->from };
    return true;
}

static int by_wait_and_time(const void *a, const void *b)
{
    const struct weft_waking *x = a, *y = b;
    return WEFT_COMPARE(x->wait, y->wait) ?: WEFT_COMPARE(x->time, y->time)
           ?: WEFT_COMPARE(x->by, y->by);
}

void weft_wakings_read(const struct weft_source *source, uint32_t container,
                       struct weft_span window, struct weft_wakings *out)
{
    struct waking_walk walk = { source->schema, out };
    *out = (struct weft_wakings){ 0 };
    source->ops->links_at(source, container, true, window, add_link, &walk);
    if (out->n)
        qsort(out->list, out->n, sizeof *out->list, by_wait_and_time);
    out->n_named = WEFT_FIRST(i, 0, out->n, out->list[i].wait == WEFT_NO_ID);
}

uint32_t weft_waker_of(const struct weft_wakings *wakings, const struct weft_state *wait)
{
    const struct weft_waking *list = wakings->list;
    size_t after = WEFT_FIRST(i, 0, wakings->n_named, list[i].wait > wait->id);
    if (after && list[after - 1].wait == wait->id)
        return list[after - 1].by;
    after = WEFT_FIRST(i, wakings->n_named, wakings->n, list[i].time > wait->end);
    if (after > wakings->n_named && list[after - 1].time > wait->begin)
        return list[after - 1].by;
    return WEFT_NONE;
}

/* The latest wake-up of those that were looked at. */
struct latest_waking {
    const struct weft_source *source;
    uint32_t container;
    const struct weft_state *wait;
    bool named; /* only wake-ups that name the wait count, else only those that name none */
    int64_t time;
    uint32_t by; /* WEFT_NONE: none was found */
};

static bool take_latest(void *user, const struct weft_link *link)
{
    struct latest_waking *latest = user;
    if (link->from == WEFT_NONE || link->to != latest->container
        || (link->flags & WEFT_END_IMPLIED)
        || link->to_entity != (latest->named ? latest->wait->id : WEFT_NO_ID)
        || !is_waking(latest->source->schema, weft_entity_track(link->id)))
        return true;
    if (latest->by != WEFT_NONE
        && (link->end < latest->time
            || (link->end == latest->time && link->from < latest->by)))
        return true;
    latest->time = link->end;
    latest->by = link->from;
    return true;
}

uint32_t weft_waker_of_one(const struct weft_source *source, uint32_t container,
                           const struct weft_state *wait)
{
    struct latest_waking latest = { source, container, wait, true, 0, WEFT_NONE };
    source->ops->links_of(source, wait->id, true, take_latest, &latest);
    if (latest.by != WEFT_NONE || wait->begin == wait->end)
        return latest.by;
    latest.named = false;
    source->ops->links_at(source, container, true,
                          (struct weft_span){ wait->begin + 1, wait->end + 1 }, take_latest,
                          &latest);
    return latest.by;
}

void weft_wakings_free(struct weft_wakings *wakings)
{
    free(wakings->list);
    *wakings = (struct weft_wakings){ 0 };
}
