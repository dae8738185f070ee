/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells what a call or a thread waited for: the object that its waiting states name, and
 * the source of the link that ended each wait (a wake-up, a message).
 */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "domains/trees/model/idle.h"
#include "domains/trees/model/work_graph.h"
#include "domains/trees/view/reduction_tree.h"
#include "store/time.h"

enum {
    MAX_WAITS = 4096, /* most waits examined, to answer a pointer quickly */
    MAX_KINDS = 64,
    MAX_TOLD_WAITS = 3,
};

struct kind {                        /* waits with the same value, object and partner */
    uint32_t value, object, partner; /* object and partner are containers, or WEFT_NONE */
    int64_t ticks;
    uint32_t count;
};

struct wait_totals {
    const struct rt_picture *p;
    struct weft_span time; /* from the node's begin to its end */
    uint32_t container;
    uint64_t id; /* id of the node's state, or WEFT_NO_ID */
    int64_t ticks;
    uint32_t seen;
    struct kind kinds[MAX_KINDS];
    size_t n;
};

/* ---- Ends of waits ---- */

struct wait_end {
    const struct weft_schema *schema;
    struct weft_span wait;
    uint32_t by;
    int64_t at;
};

static bool find_ending(void *user, const struct weft_link *link)
{
    struct wait_end *ending = user;
    enum weft_role role = ending->schema->types[link->type].role;
    bool ends = weft_role_is(role, WEFT_ROLE_WAKE_UP)
                || weft_role_is(role, WEFT_ROLE_MESSAGE)
                || weft_role_is(role, WEFT_ROLE_DEPENDENCE);
    if (ends && link->from < ending->schema->n_containers && link->from != link->to
        && link->end > ending->wait.begin && link->end <= ending->wait.end
        && link->end >= ending->at) {
        ending->by = link->from;
        ending->at = link->end;
    }
    return true;
}

static uint32_t partner_of(const struct wait_totals *t, const struct weft_state *state)
{
    const struct weft_source *source = t->p->look.source;
    struct wait_end ending = {
        source->schema, { state->begin, state->end }, WEFT_NONE, INT64_MIN
    };
    source->ops->links_of(source, state->id, true, find_ending, &ending);
    if (ending.by == WEFT_NONE)
        source->ops->links_at(source, t->container, true,
                              (struct weft_span){ state->begin, state->end + 1 },
                              find_ending, &ending);
    return ending.by;
}

static uint32_t object_of(const struct wait_totals *t, const struct weft_state *state)
{
    const struct weft_source *source = t->p->look.source;
    struct weft_field_value fields[WEFT_FIELDS_MAX];
    size_t n = source->ops->fields(source, state->id, fields, WEFT_FIELDS_MAX);
    for (size_t i = 0; i < n; i++) {
        const struct weft_field *field = &source->schema->fields[fields[i].field];
        if (field->kind == WEFT_FIELD_CONTAINER
            && weft_role_is(field->role, WEFT_ROLE_OBJECT)
            && fields[i].index < source->schema->n_containers)
            return fields[i].index;
    }
    return WEFT_NONE;
}

/* ---- Sums of waits ---- */

static bool is_wait(const struct weft_schema *schema, const struct weft_state *state)
{
    return state->value != WEFT_NONE && weft_role_waits(schema->values[state->value].role);
}

static bool tell_wait(void *user, const struct weft_state *state)
{
    struct wait_totals *t = user;
    if (!is_wait(t->p->look.schema, state))
        return true;
    int64_t begin = state->begin > t->time.begin ? state->begin : t->time.begin;
    int64_t end = state->end < t->time.end ? state->end : t->time.end;
    if (end <= begin)
        return true;
    struct kind kind = { state->value, object_of(t, state), partner_of(t, state), 0, 0 };
    size_t i = 0;
    while (i < t->n
           && (t->kinds[i].value != kind.value || t->kinds[i].object != kind.object
               || t->kinds[i].partner != kind.partner))
        i++;
    if (i == t->n && t->n < MAX_KINDS)
        t->kinds[t->n++] = kind;
    if (i < t->n) {
        t->kinds[i].ticks += end - begin;
        t->kinds[i].count++;
    }
    t->ticks += end - begin;
    return ++t->seen < MAX_WAITS;
}

/*
 * Finds when the node ran: a call's state, or the track of the thread's first row. False
 * for the added root or without a state. Adds a call that is itself a wait.
 */
static bool find_time(struct wait_totals *t, uint32_t node)
{
    const struct weft_tree *tree = t->p->look.tree;
    const struct weft_source *source = t->p->look.source;
    const struct weft_tree_pe *row = &tree->pes[tree->pe[node]];
    struct weft_state state;
    t->container = row->container;
    t->id = WEFT_NO_ID;
    if (row->track == WEFT_NONE || row->container >= source->schema->n_containers)
        return false;
    if (tree->ordinal[node] == WEFT_NONE) {
        const struct weft_track *track = &source->schema->tracks[row->track];
        t->time = (struct weft_span){ track->begin, track->end };
        return tree->parent[node] != WEFT_NONE || !tree->has_all;
    }
    t->id = weft_tree_id(tree, node);
    if (!source->ops->state(source, t->id, &state))
        return false;
    t->time = (struct weft_span){ state.begin, state.end };
    if (is_wait(source->schema, &state))
        tell_wait(t, &state);
    return true;
}

static int by_time(const void *a, const void *b)
{
    const struct kind *x = a, *y = b;
    return WEFT_COMPARE(y->ticks, x->ticks);
}

static const char *kind_text(const struct rt_picture *p, const struct kind *kind)
{
    const struct weft_schema *schema = p->look.schema;
    char time[WEFT_TIME_TEXT];
    const char *text = schema->values[kind->value].name;
    if (kind->object != WEFT_NONE)
        text = weft_arena_printf(p->arena, "%s %s", text,
                                 schema->containers[kind->object].name);
    if (kind->partner != WEFT_NONE)
        text = weft_arena_printf(p->arena, "%s, until %s", text,
                                 schema->containers[kind->partner].name);
    text = weft_arena_printf(p->arena, "%s: %s", text,
                             weft_duration_text(schema, kind->ticks, time));
    return kind->count > 1
               ? weft_arena_printf(p->arena, "%s in %u times", text, kind->count)
               : text;
}

void rt_tell_waits(const struct rt_picture *p, uint32_t node, struct weft_table *table)
{
    const struct weft_source *source = p->look.source;
    const struct weft_schema *schema = p->look.schema;
    struct wait_totals t = { .p = p };
    char time[WEFT_TIME_TEXT];
    if (!find_time(&t, node))
        return;
    uint32_t position = schema->containers[t.container].order;
    for (uint32_t at = schema->track_begin[position];
         at < schema->track_begin[position + 1] && !t.n; at++) {
        uint32_t i = schema->track_at[at];
        if (schema->types[schema->tracks[i].type].kind == WEFT_STATE
            && (t.id == WEFT_NO_ID || i != weft_entity_track(t.id)))
            source->ops->states(source, i, t.time, tell_wait, &t);
    }
    if (!t.n)
        return;
    qsort(t.kinds, t.n, sizeof *t.kinds, by_time);
    rt_fact(table, t.seen < MAX_WAITS ? "waited" : "waited at least",
            weft_duration_text(schema, t.ticks, time));
    for (size_t i = 0; i < t.n && i < MAX_TOLD_WAITS; i++)
        rt_fact(table, i ? "" : "for", kind_text(p, &t.kinds[i]));
}
