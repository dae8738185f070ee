/* SPDX-License-Identifier: Apache-2.0 */
#include "view/related.h"

#include <stdlib.h>

#include "analyse/activity_intervals.h"

enum { MAX_THINGS = 1000 }; /* more outlines than anybody can tell apart */

struct related_search {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_arena *arena;
    struct weft_related *out;
    uint64_t id; /* the thing itself */
    int64_t at;
};

/* Returns a new thing with ID, or NULL if the list has it or is full. */
static struct weft_related_thing *add(struct related_search *search, uint64_t id,
                                      const char *relation)
{
    struct weft_related *out = search->out;
    if (id == search->id || id == WEFT_NO_ID)
        return NULL;
    for (size_t i = 0; i < out->n; i++)
        if (out->list[i].id == id)
            return NULL;
    if (out->n == MAX_THINGS) {
        out->cut = true;
        return NULL;
    }
    if (!out->list)
        out->list = weft_arena_alloc(search->arena, MAX_THINGS * sizeof *out->list);
    struct weft_related_thing *thing = &out->list[out->n++];
    *thing = (struct weft_related_thing){ .id = id, .relation = relation };
    return thing;
}

static void add_state(struct related_search *search, const struct weft_state *state,
                      const char *relation)
{
    struct weft_related_thing *thing = add(search, state->id, relation);
    if (!thing)
        return;
    thing->container = search->schema->tracks[weft_entity_track(state->id)].container;
    thing->span = (struct weft_span){ state->begin, state->end };
    thing->name = search->schema->values[state->value].name;
}

static void add_container(struct related_search *search, uint32_t container,
                          const char *relation)
{
    if (container == WEFT_NONE)
        return;
    const struct weft_container *c = &search->schema->containers[container];
    struct weft_related_thing *thing =
        add(search, weft_container_id(container, false), relation);
    if (!thing)
        return;
    thing->container = container;
    thing->span = (struct weft_span){ c->begin, c->end };
    thing->name = c->name;
}

static void add_link(struct related_search *search, const struct weft_link *link,
                     const char *relation)
{
    struct weft_related_thing *thing = add(search, link->id, relation);
    if (!thing)
        return;
    thing->container = link->from == WEFT_NONE ? link->to : link->from;
    thing->span = link->begin < link->end ? (struct weft_span){ link->begin, link->end }
                                          : (struct weft_span){ link->end, link->begin };
    thing->name = link->value == WEFT_NONE ? search->schema->types[link->type].name
                                           : search->schema->values[link->value].name;
}

/* ---- States at a time ---- */

struct innermost_state {
    struct weft_state state;
    bool found;
};

static bool see_inner(void *user, const struct weft_state *state)
{
    struct innermost_state *inner = user;
    if (!inner->found || state->depth >= inner->state.depth)
        *inner = (struct innermost_state){ *state, true };
    return true;
}

/* Adds the innermost state of each of a container's tracks of states at TIME. */
static bool add_states_at(struct related_search *search, uint32_t container, int64_t time,
                          const char *relation)
{
    const struct weft_schema *schema = search->schema;
    bool any = false;
    if (container == WEFT_NONE)
        return false;
    time = weft_time_clamp(time);
    uint32_t place = schema->containers[container].order;
    for (uint32_t i = schema->track_begin[place]; i < schema->track_begin[place + 1]; i++) {
        uint32_t t = schema->track_at[i];
        struct innermost_state inner = { .found = false };
        if (schema->types[schema->tracks[t].type].kind != WEFT_STATE)
            continue;
        search->source->ops->states(search->source, t, (struct weft_span){ time, time + 1 },
                                    see_inner, &inner);
        if (inner.found)
            add_state(search, &inner.state, relation);
        any |= inner.found;
    }
    return any;
}

/* Adds an end of a link or a release: the entity, or what its row did, or the row. */
static void add_end(struct related_search *search, uint64_t entity, uint32_t container,
                    int64_t time, const char *relation)
{
    struct weft_state state;
    if (entity != WEFT_NO_ID && search->source->ops->state(search->source, entity, &state))
        add_state(search, &state, relation);
    else if (!add_states_at(search, container, time, relation))
        add_container(search, container, relation);
}

static uint32_t container_field(const struct related_search *search, uint64_t id,
                                enum weft_role role)
{
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = search->source->ops->fields(search->source, id, fields, WEFT_FIELDS_MAX);
    const struct weft_field_value *field =
        weft_field_with_role(search->schema, fields, n, role, WEFT_FIELD_CONTAINER);
    return field ? field->index : WEFT_NONE;
}

/* ---- An object, and those that wait for it ---- */

struct waiters {
    struct related_search *search;
    uint32_t object;
    const char *relation;
};

static bool see_waiter(void *user, const struct weft_state *state)
{
    const struct waiters *waiters = user;
    struct related_search *search = waiters->search;
    if (weft_role_is(search->schema->values[state->value].role, WEFT_ROLE_BLOCKED)
        && container_field(search, state->id, WEFT_ROLE_OBJECT) == waiters->object)
        add_state(search, state, waiters->relation);
    return !search->out->cut;
}

/* Adds the states in which rows wait for OBJECT at the time. */
static void add_waiters(struct related_search *search, uint32_t object,
                        const char *relation)
{
    const struct weft_schema *schema = search->schema;
    const struct weft_source *source = search->source;
    struct waiters waiters = { search, object, relation };
    uint32_t *tracks = weft_alloc((schema->n_tracks + 1) * sizeof *tracks);
    size_t n = 0;
    for (uint32_t t = 0; t < schema->n_tracks; t++) {
        uint32_t type = schema->tracks[t].type;
        if (schema->types[type].kind == WEFT_STATE && schema->tracks[t].count
            && weft_field_of_type(schema, type, WEFT_ROLE_OBJECT, WEFT_FIELD_CONTAINER)
                   != WEFT_NONE)
            tracks[n++] = t;
    }
    struct weft_innermost *inner = weft_alloc((n + 1) * sizeof *inner);
    source->ops->values_at(source, tracks, n, search->at, inner);
    for (size_t i = 0; i < n && !search->out->cut; i++)
        if (inner[i].value != WEFT_NONE
            && (inner[i].depth
                || weft_role_is(schema->values[inner[i].value].role, WEFT_ROLE_BLOCKED)))
            source->ops->states(source, tracks[i],
                                (struct weft_span){ search->at, search->at + 1 },
                                see_waiter, &waiters);
    free(inner);
    free(tracks);
}

static bool is_object_track(const struct weft_schema *schema, uint32_t track)
{
    const struct weft_type *type = &schema->types[schema->tracks[track].type];
    return type->kind == WEFT_STATE
           && weft_role_is(type->role, WEFT_ROLE_SYNCHRONIZATION_STATE);
}

/* Adds who holds an object by its STATE, and what that row does at the time. */
static void add_holder(struct related_search *search, const struct weft_state *state)
{
    uint32_t holder = container_field(search, state->id, WEFT_ROLE_HOLDER);
    if (holder == WEFT_NONE
        || !weft_role_is(search->schema->values[state->value].role, WEFT_ROLE_HELD))
        return;
    add_end(search, WEFT_NO_ID, holder, search->at, "holder");
}

static bool see_object_state(void *user, const struct weft_state *state)
{
    struct related_search *search = user;
    add_state(search, state, "the object then");
    add_holder(search, state);
    return true;
}

/* Adds all about OBJECT at the time. */
static void add_object(struct related_search *search, uint32_t object, const char *relation)
{
    const struct weft_schema *schema = search->schema;
    uint32_t place = schema->containers[object].order;
    add_container(search, object, "object");
    for (uint32_t i = schema->track_begin[place]; i < schema->track_begin[place + 1]; i++)
        if (is_object_track(schema, schema->track_at[i]))
            search->source->ops->states(search->source, schema->track_at[i],
                                        (struct weft_span){ search->at, search->at + 1 },
                                        see_object_state, search);
    add_waiters(search, object, relation);
}

/* ---- Waits and messages ---- */

static void add_release(struct related_search *search, const struct weft_releases *releases,
                        const struct weft_state *state)
{
    uint32_t track = weft_entity_track(state->id);
    struct weft_release release;
    struct weft_link link;
    enum weft_activity_class class =
        weft_activity_class_of(search->schema->values[state->value].role);
    if (!releases || !weft_is_activity_track(search->schema, track)
        || (class != WEFT_ACTIVITY_WAITING && class != WEFT_ACTIVITY_OUTSIDE)
        || !weft_release_of(releases, search->schema->tracks[track].container, state,
                            &release))
        return;
    const char *how = weft_release_text(release.kind);
    if (search->source->ops->link(search->source, release.link, &link)) {
        add_link(search, &link, how);
        add_end(search, link.from_entity, release.row, release.time, how);
    } else
        add_end(search, WEFT_NO_ID, release.row, release.time, how);
}

static bool see_sent(void *user, const struct weft_link *link)
{
    struct related_search *search = user;
    add_link(search, link, search->schema->types[link->type].name);
    add_end(search, link->to_entity, link->to, link->end, "to");
    return !search->out->cut;
}

static bool see_received(void *user, const struct weft_link *link)
{
    struct related_search *search = user;
    add_link(search, link, search->schema->types[link->type].name);
    add_end(search, link->from_entity, link->from, link->begin, "from");
    return !search->out->cut;
}

static void relate_state(struct related_search *search,
                         const struct weft_releases *releases,
                         const struct weft_state *state)
{
    uint32_t track = weft_entity_track(state->id);
    uint32_t object = container_field(search, state->id, WEFT_ROLE_OBJECT);
    if (search->at < state->begin || search->at >= state->end)
        search->at = weft_time_clamp(state->begin);
    if (is_object_track(search->schema, track)) {
        add_holder(search, state);
        add_waiters(search, search->schema->tracks[track].container, "waits");
    }
    if (object != WEFT_NONE
        && weft_role_is(search->schema->values[state->value].role, WEFT_ROLE_BLOCKED))
        add_object(search, object, "waits, too");
    else if (object != WEFT_NONE)
        add_container(search, object, "object");
    add_release(search, releases, state);
    search->source->ops->links_of(search->source, state->id, true, see_received, search);
    search->source->ops->links_of(search->source, state->id, false, see_sent, search);
}

bool weft_related_read(const struct weft_source *source,
                       const struct weft_releases *releases, uint64_t id, int64_t at,
                       struct weft_arena *arena, struct weft_related *out)
{
    struct related_search search = { source, source->schema,     arena, out,
                                     id,     weft_time_clamp(at) };
    struct weft_state state;
    struct weft_link link;
    struct weft_event event;
    uint64_t index = weft_entity_ordinal(id);
    *out = (struct weft_related){ 0 };
    if (weft_is_container_id(id)) {
        if (index >= source->schema->n_containers)
            return false;
        add_object(&search, (uint32_t)index, "waits");
    } else if (source->ops->state(source, id, &state))
        relate_state(&search, releases, &state);
    else if (source->ops->link(source, id, &link)) {
        add_end(&search, link.from_entity, link.from, link.begin, "from");
        add_end(&search, link.to_entity, link.to, link.end, "to");
    } else if (source->ops->event(source, id, &event)) {
        source->ops->links_of(source, id, true, see_received, &search);
        source->ops->links_of(source, id, false, see_sent, &search);
    } else
        return false;
    return true;
}
