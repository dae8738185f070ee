/* SPDX-License-Identifier: Apache-2.0 */
#include "view/detail.h"

#include <stdio.h>
#include <string.h>

#include "analyse/activity_intervals.h"
#include "analyse/without_wait.h"
#include "store/time.h"
#include "view/detail_maker.h"
#include "view/domain_answers.h"

/* Limits for one thing: a panel shows no more at once. */
enum { MAX_FACTS = 64, MAX_FIELDS = 16, MAX_LINKS = 8 };

static struct weft_fact *say(struct weft_maker *m, const char *name, const char *value)
{
    struct weft_detail *detail = m->detail;
    if (detail->n_facts == MAX_FACTS)
        return &m->dropped;
    struct weft_fact *fact = &detail->facts[detail->n_facts++];
    *fact = (struct weft_fact){ name, value, WEFT_NO_ID, WEFT_NONE };
    return fact;
}

struct weft_fact *weft_maker_say(struct weft_maker *maker, const char *name,
                                 const char *value)
{
    return say(maker, name, value);
}

const char *weft_container_path(struct weft_arena *arena, const struct weft_schema *schema,
                                uint32_t container)
{
    const struct weft_container *all = schema->containers;
    char path[WEFT_PATH_MAX + 1], *at = path + WEFT_PATH_MAX;
    uint32_t c = container;
    *at = '\0';
    do { /* the root's name only for the root itself */
        size_t n = strlen(all[c].name), room = (size_t)(at - path);
        bool slash = c != container;
        if (n + slash > room) { /* keep as much of its end as fits */
            if (slash && room)
                *--at = '/';
            size_t rest = (size_t)(at - path);
            at = memcpy(path, all[c].name + n - rest, rest);
            while (((unsigned char)*at & 0xc0) == 0x80)
                at++;
            return weft_arena_printf(arena, "…%s", at);
        }
        if (slash)
            *--at = '/';
        at = memcpy(at - n, all[c].name, n);
    } while ((c = all[c].parent) != WEFT_NONE && c != 0);
    return weft_arena_strdup(arena, at);
}

static void say_time(struct weft_maker *m, const char *name, int64_t time)
{
    char text[WEFT_TIME_TEXT];
    weft_time_exact(m->schema, time - m->schema->span.begin, text);
    say(m, name, weft_arena_printf(m->arena, "%s s", text));
}

static void say_length(struct weft_maker *m, int64_t length, bool implied)
{
    char text[WEFT_TIME_TEXT];
    weft_duration_text(m->schema, length, text);
    say(m, "lasts",
        weft_arena_printf(m->arena, "%s%s", text,
                          implied ? " (it has no end in the trace)" : ""));
}

static void say_container(struct weft_maker *m, const char *name, uint32_t container)
{
    if (container == WEFT_NONE)
        say(m, name, "(missing)");
    else
        say(m, name, weft_container_path(m->arena, m->schema, container))->id =
            weft_container_id(container, false);
}

static void say_site(struct weft_maker *m, const char *name, uint32_t index)
{
    const struct weft_site *site = &m->schema->sites[index];
    const char *text = weft_arena_printf(m->arena, "%s+0x%llx", site->object,
                                         (unsigned long long)site->address);
    if (site->file[0] && site->line)
        text = weft_arena_printf(m->arena, "%s%s%s:%u", site->function,
                                 site->function[0] ? ", " : "", site->file, site->line);
    else if (site->function[0])
        text = weft_arena_printf(m->arena, "%s (%s)", site->function, site->object);
    else if (site->file[0])
        text = site->file;
    say(m, name, text)->site = index;
}

/* Adds a fact that names another state or event, and leads to it. */
static void say_entity(struct weft_maker *m, const char *name, uint64_t id)
{
    struct weft_state state;
    struct weft_event event;
    uint32_t value = m->source->ops->state(m->source, id, &state)   ? state.value
                     : m->source->ops->event(m->source, id, &event) ? event.value
                                                                    : WEFT_NONE;
    if (value == WEFT_NONE)
        say(m, name, "(missing)");
    else
        say(m, name, m->schema->values[value].name)->id = id;
}

static void say_fields(struct weft_maker *m, uint64_t id)
{
    struct weft_field_value values[WEFT_FIELDS_MAX];
    size_t n = m->source->ops->fields(m->source, id, values, WEFT_FIELDS_MAX);
    for (size_t i = 0; i < n && i < MAX_FIELDS; i++) {
        const struct weft_field *field = &m->schema->fields[values[i].field];
        switch (field->kind) {
        case WEFT_FIELD_INTEGER:
            say(m, field->name,
                weft_arena_printf(m->arena, "%lld", (long long)values[i].integer));
            break;
        case WEFT_FIELD_REAL:
            say(m, field->name, weft_arena_printf(m->arena, "%.17g", values[i].real));
            break;
        case WEFT_FIELD_TEXT:
            say(m, field->name, m->schema->strings[values[i].index]);
            break;
        case WEFT_FIELD_SITE: say_site(m, field->name, values[i].index); break;
        case WEFT_FIELD_CONTAINER: say_container(m, field->name, values[i].index); break;
        case WEFT_FIELD_ENTITY: say_entity(m, field->name, values[i].entity); break;
        case WEFT_FIELD_KINDS: break;
        }
    }
    if (n > MAX_FIELDS)
        say(m, "further fields",
            weft_arena_printf(m->arena, "%zu (weft dump lists them)", n - MAX_FIELDS));
}

/* The innermost state of a container at a time. */
struct innermost {
    uint64_t id;
    uint16_t depth;
};

static bool see_inner(void *user, const struct weft_state *state)
{
    struct innermost *found = user;
    if (found->id == WEFT_NO_ID || state->depth >= found->depth) {
        found->id = state->id;
        found->depth = state->depth;
    }
    return true;
}

static uint64_t state_at(const struct weft_maker *m, uint32_t container, int64_t time)
{
    struct innermost found = { WEFT_NO_ID, 0 };
    if (container == WEFT_NONE)
        return WEFT_NO_ID;
    uint32_t position = m->schema->containers[container].order;
    /* A rank has no states of its own: take its first row that does something. */
    while (m->schema->track_begin[position] == m->schema->track_begin[position + 1]
           && position + 1 < m->schema->containers[container].subtree_end)
        position++;
    for (uint32_t i = m->schema->track_begin[position];
         i < m->schema->track_begin[position + 1] && found.id == WEFT_NO_ID; i++) {
        uint32_t t = m->schema->track_at[i];
        if (m->schema->types[m->schema->tracks[t].type].kind == WEFT_STATE)
            m->source->ops->states(m->source, t, (struct weft_span){ time, time + 1 },
                                   see_inner, &found);
    }
    return found.id;
}

struct link_walk {
    struct weft_maker *m;
    uint64_t told; /* a state: links that name it were said before; WEFT_NO_ID: none */
    bool unnamed;  /* only links that name no state at their end here */
    bool incoming;
    size_t n;
};

static bool see_link(void *user, const struct weft_link *link)
{
    struct link_walk *walk = user;
    struct weft_maker *m = walk->m;
    uint64_t own = walk->incoming ? link->to_entity : link->from_entity;
    if (own != WEFT_NO_ID && (walk->unnamed || own == walk->told))
        return true;
    uint32_t other = walk->incoming ? link->from : link->to;
    uint64_t entity = walk->incoming ? link->from_entity : link->to_entity;
    if (entity == WEFT_NO_ID)
        entity = state_at(m, other, walk->incoming ? link->begin : link->end);
    uint64_t *first = walk->incoming ? &m->detail->incoming : &m->detail->outgoing;
    if (*first == WEFT_NO_ID)
        *first = entity;
    const char *type = m->schema->types[link->type].name;
    const char *name = other == WEFT_NONE ? "(missing)" : m->schema->containers[other].name;
    say(m, weft_arena_printf(m->arena, "%s %s", type, walk->incoming ? "from" : "to"), name)
        ->id = link->id;
    return ++walk->n < MAX_LINKS;
}

/*
 * Returns the rank whose links tell of the messages of a call on CONTAINER, or WEFT_NONE:
 * calls are on a thread, messages on its rank.
 */
static uint32_t rank_of_call(const struct weft_schema *schema, uint32_t container)
{
    uint32_t c = container;
    while (c != WEFT_NONE && !weft_role_is(schema->containers[c].role, WEFT_ROLE_RANK))
        c = schema->containers[c].parent;
    return c == container ? WEFT_NONE : c;
}

static void say_links(struct weft_maker *m, const struct weft_state *state)
{
    const struct weft_source_ops *ops = m->source->ops;
    const struct weft_track *track = &m->schema->tracks[weft_entity_track(state->id)];
    bool is_call =
        weft_role_is(m->schema->types[track->type].role, WEFT_ROLE_COMMUNICATION);
    uint32_t rank = is_call ? rank_of_call(m->schema, track->container) : WEFT_NONE;
    for (int incoming = 1; incoming >= 0; incoming--) {
        struct weft_span window = { state->begin, state->end };
        struct link_walk walk = { .m = m, .told = WEFT_NO_ID, .incoming = incoming };
        ops->links_of(m->source, state->id, incoming, see_link, &walk);
        walk.told = state->id;
        /* Include the state's last instant, at which a link that ends a wait arrives. */
        if (incoming || window.end <= window.begin)
            window.end++;
        if (walk.n < MAX_LINKS)
            ops->links_at(m->source, track->container, incoming, window, see_link, &walk);
        walk.unnamed = true;
        if (rank != WEFT_NONE && walk.n < MAX_LINKS)
            ops->links_at(m->source, rank, incoming, window, see_link, &walk);
        if (walk.n == MAX_LINKS)
            say(m, "", "and perhaps more");
    }
}

static void neighbours(struct weft_maker *m, uint64_t id, uint64_t count)
{
    uint32_t track = weft_entity_track(id);
    uint64_t ordinal = weft_entity_ordinal(id);
    if (ordinal > 0)
        m->detail->previous = weft_entity_id(track, ordinal - 1);
    if (ordinal + 1 < count)
        m->detail->next = weft_entity_id(track, ordinal + 1);
}

struct parent_search {
    uint16_t depth;
    struct weft_state found;
    bool any;
};

static bool see_parent(void *user, const struct weft_state *state)
{
    struct parent_search *search = user;
    if (state->depth + 1 == search->depth) {
        search->found = *state;
        search->any = true;
    }
    return true;
}

static void tell_state(struct weft_maker *m, const struct weft_state *state)
{
    const struct weft_schema *schema = m->schema;
    const struct weft_track *track = &schema->tracks[weft_entity_track(state->id)];
    m->detail->kind = "state";
    m->detail->name = schema->values[state->value].name;
    m->detail->container = track->container;
    m->detail->begin = state->begin;
    m->detail->end = state->end;
    enum weft_activity_class class =
        weft_activity_class_of(schema->values[state->value].role);
    m->detail->waits =
        weft_is_activity_track(schema, weft_entity_track(state->id))
        && (class == WEFT_ACTIVITY_WAITING || class == WEFT_ACTIVITY_OUTSIDE);
    say(m, "type", schema->types[track->type].name);
    say_container(m, schema->types[schema->containers[track->container].type].name,
                  track->container);
    say_time(m, "begins", state->begin);
    say_length(m, state->end - state->begin, state->flags & WEFT_END_IMPLIED);
    if (state->depth) {
        struct parent_search search = { .depth = state->depth };
        m->source->ops->states(m->source, weft_entity_track(state->id),
                               (struct weft_span){ state->begin, state->begin + 1 },
                               see_parent, &search);
        if (search.any)
            say(m, "inside", schema->values[search.found.value].name)->id = search.found.id;
    }
    say_fields(m, state->id);
    neighbours(m, state->id, track->count);
    say_links(m, state);
    weft_answer_more_of_state(m, state);
}

static void tell_event(struct weft_maker *m, const struct weft_event *event)
{
    const struct weft_schema *schema = m->schema;
    const struct weft_track *track = &schema->tracks[weft_entity_track(event->id)];
    m->detail->kind = "event";
    m->detail->name = event->value == WEFT_NONE ? schema->types[track->type].name
                                                : schema->values[event->value].name;
    m->detail->container = track->container;
    m->detail->begin = m->detail->end = event->time;
    say(m, "type", schema->types[track->type].name);
    say_container(m, schema->types[schema->containers[track->container].type].name,
                  track->container);
    say_time(m, "at", event->time);
    say_fields(m, event->id);
    neighbours(m, event->id, track->count);
}

/* Says how long a message lay before the call that received it, or that call waited. */
static void say_waiting(struct weft_maker *m, const struct weft_link *link)
{
    struct weft_state receive;
    char text[WEFT_TIME_TEXT];
    if (link->to_entity == WEFT_NO_ID
        || !m->source->ops->state(m->source, link->to_entity, &receive)
        || link->end < link->begin)
        return;
    bool lay = receive.begin > link->begin;
    weft_duration_text(
        m->schema, lay ? receive.begin - link->begin : link->begin - receive.begin, text);
    if (lay)
        say(m, "lay for",
            weft_arena_printf(m->arena, "%s, until the call began that received it", text));
    else
        say(m, "awaited for",
            weft_arena_printf(m->arena, "%s, by the call that received it", text));
}

static void tell_link(struct weft_maker *m, const struct weft_link *link)
{
    const struct weft_schema *schema = m->schema;
    m->detail->kind = "link";
    m->detail->name = link->value == WEFT_NONE ? schema->types[link->type].name
                                               : schema->values[link->value].name;
    m->detail->container = link->from == WEFT_NONE ? link->to : link->from;
    m->detail->begin = link->begin < link->end ? link->begin : link->end;
    m->detail->end = link->begin < link->end ? link->end : link->begin;
    m->detail->incoming = link->from_entity == WEFT_NO_ID
                              ? state_at(m, link->from, link->begin)
                              : link->from_entity;
    m->detail->outgoing =
        link->to_entity == WEFT_NO_ID ? state_at(m, link->to, link->end) : link->to_entity;
    say(m, "type", schema->types[link->type].name);
    say_container(m, "from", link->from);
    if (m->detail->incoming != WEFT_NO_ID)
        say_entity(m, "sent in", m->detail->incoming);
    say_container(m, "to", link->to);
    if (m->detail->outgoing != WEFT_NO_ID)
        say_entity(m, "received in", m->detail->outgoing);
    say_time(m, "leaves", link->begin);
    say_time(m, "arrives", link->end);
    say_length(m, link->end - link->begin, false);
    if (weft_role_is(schema->types[link->type].role, WEFT_ROLE_MESSAGE))
        say_waiting(m, link);
    if (link->end < link->begin)
        say(m, "tachyon", "it arrives before it leaves: the clocks disagree");
    if (link->flags & WEFT_INFERRED)
        say(m, "concluded", "from the order of calls, not observed");
    if (link->key != WEFT_NONE)
        say(m, "key", schema->strings[link->key]);
    say_fields(m, link->id);
    neighbours(m, link->id, schema->tracks[weft_entity_track(link->id)].count);
}

/* Says for how long a thread went on without a wait that is known, if that was long. */
static void say_without_wait(struct weft_maker *m, uint32_t track)
{
    const struct weft_type *type = &m->schema->types[m->schema->tracks[track].type];
    const struct weft_container *c =
        &m->schema->containers[m->schema->tracks[track].container];
    struct weft_span found;
    const char *text;
    if (!weft_role_is(type->role, WEFT_ROLE_ACTIVITY)
        || weft_role_is(type->role, WEFT_ROLE_COMMUNICATION)
        || !weft_role_is(c->role, WEFT_ROLE_EXECUTOR)
        || !weft_longest_without_wait(m->source, weft_wait_classes(m->schema, m->arena),
                                      track, (struct weft_span){ c->begin, c->end },
                                      &found))
        return;
    text = weft_without_wait_text(m->schema, found, m->arena);
    if (text)
        say(m, "longest without a known wait", text);
}

static void tell_container(struct weft_maker *m, uint32_t index)
{
    const struct weft_schema *schema = m->schema;
    const struct weft_container *c = &schema->containers[index];
    m->detail->kind = "container";
    m->detail->name = c->name;
    m->detail->container = index;
    m->detail->begin = c->begin;
    m->detail->end = c->end;
    say(m, "type", schema->types[c->type].name);
    say(m, "path", weft_container_path(m->arena, schema, index));
    weft_maker_say_time(m, index);
    weft_maker_say_partners(m, index);
    weft_maker_set_questions(m, index);
    if (c->parent != WEFT_NONE)
        say_container(m, "inside", c->parent);
    say_time(m, "from", c->begin);
    say_length(m, c->end - c->begin, false);
    if (c->subtree_end > c->order + 1)
        say(m, "holds",
            weft_arena_printf(m->arena, "%u containers", c->subtree_end - c->order - 1));
    for (uint32_t i = schema->track_begin[c->order]; i < schema->track_begin[c->order + 1];
         i++) {
        uint32_t t = schema->track_at[i];
        say(m, schema->types[schema->tracks[t].type].name,
            weft_arena_printf(m->arena, "%llu",
                              (unsigned long long)schema->tracks[t].count));
    }
    for (uint32_t i = schema->track_begin[c->order]; i < schema->track_begin[c->order + 1];
         i++) {
        uint32_t t = schema->track_at[i];
        say_without_wait(m, t);
    }
}

/* Returns the time at which a state or event begins; false if its track has no such one. */
static bool begin_of(const struct weft_source *source, uint64_t id, int64_t *begin)
{
    struct weft_state state;
    struct weft_event event;
    if (source->ops->state(source, id, &state)) {
        *begin = state.begin;
        return true;
    }
    if (source->ops->event(source, id, &event)) {
        *begin = event.time;
        return true;
    }
    return false;
}

/* Does weft_detail_step on one track, where entities are numbered by their begin. */
static uint64_t step_on(const struct weft_source *source, uint32_t track, int64_t time,
                        bool forward, int64_t *begin)
{
    /* Find the first that begins after TIME; backwards the first that does not begin before
       it, whose predecessor is the answer. */
    uint64_t low = 0, high = source->schema->tracks[track].count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (!begin_of(source, weft_entity_id(track, middle), begin))
            return WEFT_NO_ID;
        if (forward ? *begin > time : *begin >= time)
            high = middle;
        else
            low = middle + 1;
    }
    if (!forward && low == 0)
        return WEFT_NO_ID;
    uint64_t id = weft_entity_id(track, forward ? low : low - 1);
    return begin_of(source, id, begin) ? id : WEFT_NO_ID;
}

uint64_t weft_detail_step(const struct weft_source *source, uint64_t id, int64_t time,
                          bool forward)
{
    const struct weft_schema *schema = source->schema;
    uint64_t found = WEFT_NO_ID, candidate;
    int64_t begin, best = 0;
    uint32_t own = weft_entity_track(id), first = 0, end = 1;
    bool is_container = weft_is_container_id(id);
    if (is_container) {
        if (weft_entity_ordinal(id) >= schema->n_containers)
            return WEFT_NO_ID;
        uint32_t order = schema->containers[weft_entity_ordinal(id)].order;
        first = schema->track_begin[order];
        end = schema->track_begin[order + 1];
    }
    for (uint32_t i = first; i < end; i++) {
        uint32_t t = is_container ? schema->track_at[i] : own;
        if (t >= schema->n_tracks)
            break;
        enum weft_kind kind = schema->types[schema->tracks[t].type].kind;
        if (kind != WEFT_STATE && kind != WEFT_EVENT)
            continue;
        candidate = step_on(source, t, time, forward, &begin);
        if (candidate != WEFT_NO_ID
            && (found == WEFT_NO_ID || (forward ? begin < best : begin > best))) {
            found = candidate;
            best = begin;
        }
    }
    return found;
}

bool weft_detail(const struct weft_source *source, uint64_t id, struct weft_arena *arena,
                 struct weft_detail *detail)
{
    const struct weft_schema *schema = source->schema;
    struct weft_maker m = {
        .source = source, .schema = schema, .arena = arena, .detail = detail
    };
    struct weft_state state;
    struct weft_event event;
    struct weft_link link;
    *detail = (struct weft_detail){ .previous = WEFT_NO_ID,
                                    .next = WEFT_NO_ID,
                                    .incoming = WEFT_NO_ID,
                                    .outgoing = WEFT_NO_ID };
    detail->facts = weft_arena_alloc(arena, MAX_FACTS * sizeof *detail->facts);
    uint64_t index = weft_entity_ordinal(id);
    if (weft_answer_detail(&m, id))
        return true;
    if (weft_is_container_id(id) && index < schema->n_containers)
        tell_container(&m, (uint32_t)index);
    else if (source->ops->state(source, id, &state))
        tell_state(&m, &state);
    else if (source->ops->event(source, id, &event))
        tell_event(&m, &event);
    else if (source->ops->link(source, id, &link))
        tell_link(&m, &link);
    else
        return false;
    return true;
}
