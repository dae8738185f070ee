/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates compiled selections: tracks as a whole, then thing by thing. */
#include <stdlib.h>

#include "analyse/where_selection_priv.h"
#include "base/compare.h"
#include "model/field_cache.h"
#include "store/time.h"

enum { STEP = 1 << 14 /* things between two looks at the job */ };

/* The fields of a node that the things of the walked track may have. */
struct node_fields {
    uint32_t first, n; /* of walk->caches */
};

struct walk {
    const struct weft_where *where;
    const struct weft_schema *schema;
    struct weft_span under; /* positions in preorder: [begin, end) */
    struct weft_job *job;
    uint32_t track, row;
    struct weft_span window; /* of the query; only for a walk */
    enum weft_kind kind;
    uint32_t type;
    bool of_value;              /* only things with `value` are asked about */
    uint32_t value;             /* index in the schema's values, or WEFT_NONE */
    struct node_fields *fields; /* by node */
    struct weft_field_window *caches;
    enum weft_field_kind *kinds; /* by cache */
    bool (*visit)(void *user, const struct weft_thing *thing);
    void *user;
    uint32_t seen;
};

/* ---- Comparing ---- */

static bool holds(enum where_operator op, int order)
{
    switch (op) {
    case WHERE_IS_NOT: return order != 0;
    case WHERE_LESS: return order < 0;
    case WHERE_AT_MOST: return order <= 0;
    case WHERE_MORE: return order > 0;
    case WHERE_AT_LEAST: return order >= 0;
    case WHERE_IS:
    case WHERE_LIKE:
    case WHERE_IN:
    case WHERE_NO_OPERATOR: break;
    }
    return order == 0;
}

static bool integer_holds(const struct where_node *node, int64_t value)
{
    enum where_operator op = node->op;
    /* A field's "!=" is the node's parent. */
    if (op == WHERE_IS_NOT && node->test == TEST_FIELD)
        op = WHERE_IS;
    if (node->number.whole)
        return holds(op, WEFT_COMPARE(value, node->number.integer));
    double real = (double)value, than = node->number.real;
    return real == real && than == than && holds(op, WEFT_COMPARE(real, than));
}

static bool real_holds(const struct where_node *node, int64_t bits)
{
    enum where_operator op = node->op == WHERE_IS_NOT ? WHERE_IS : node->op;
    union {
        int64_t bits;
        double real;
    } value = { bits };
    double than = node->number.whole ? (double)node->number.integer : node->number.real;
    return value.real == value.real && than == than
           && holds(op, WEFT_COMPARE(value.real, than));
}

static bool has_bit(const uint8_t *bits, uint32_t n, int64_t index)
{
    return bits && index >= 0 && index < n && bits[index];
}

static bool field_holds(const struct walk *walk, const struct where_node *node,
                        enum weft_field_kind kind, int64_t value)
{
    const struct weft_schema *schema = walk->schema;
    switch (kind) {
    case WEFT_FIELD_INTEGER: return integer_holds(node, value);
    case WEFT_FIELD_REAL: return real_holds(node, value);
    case WEFT_FIELD_TEXT: return has_bit(node->strings, schema->n_strings, value);
    case WEFT_FIELD_SITE: return has_bit(node->sites, schema->n_sites, value);
    case WEFT_FIELD_CONTAINER:
        return has_bit(node->containers, schema->n_containers, value);
    case WEFT_FIELD_ENTITY:
    case WEFT_FIELD_KINDS: break;
    }
    return false;
}

static bool row_holds(const struct walk *walk, const struct where_node *node, uint32_t row)
{
    return row == WEFT_NONE ? node->none
                            : has_bit(node->containers, walk->schema->n_containers, row);
}

static enum weft_where_answer answer_of(bool holds_always)
{
    return holds_always ? WEFT_WHERE_ALWAYS : WEFT_WHERE_NEVER;
}

/* ---- What waits were for, and who ended them ---- */

/* Returns true if NODE holds for a link, whatever fields it has. */
static bool link_holds(const struct walk *walk, const struct where_node *node,
                       const struct weft_thing *link)
{
    enum weft_role role = walk->schema->types[walk->type].role;
    if (node->awaited == AWAITED_PARTNER)
        return row_holds(walk, node, link->from) || row_holds(walk, node, link->to);
    return row_holds(walk, node,
                     weft_role_is(role, WEFT_ROLE_WAKE_UP) ? link->from : WEFT_NONE);
}

/*
 * Tells by the wait THING if NODE holds; SOMETIMES if its fields decide: nothing is known,
 * or it is no wait.
 */
static enum weft_where_answer wait_holds(const struct walk *walk,
                                         const struct where_node *node,
                                         const struct weft_thing *thing)
{
    const struct weft_wait_ends_finder *finder = walk->where->finder;
    const struct weft_state state = {
        .id = thing->id, .begin = thing->begin, .end = thing->end, .value = thing->value
    };
    if (node->awaited == AWAITED_WAKER || node->awaited == AWAITED_PARTNER) {
        enum weft_wait_row which =
            node->awaited == AWAITED_WAKER ? WEFT_WAIT_WAKER : WEFT_WAIT_PARTNER;
        uint32_t row;
        return weft_row_of_wait(finder, which, walk->track, &state, &row)
                   ? answer_of(row_holds(walk, node, row))
                   : WEFT_WHERE_SOMETIMES;
    }
    if (thing->value == WEFT_NONE || !weft_is_wait(walk->schema->values[thing->value].role))
        return WEFT_WHERE_SOMETIMES;
    struct weft_waited_for waited = weft_partner_of_wait(finder, walk->track, &state);
    if (waited.container == WEFT_NONE)
        return WEFT_WHERE_SOMETIMES;
    if (node->awaited == AWAITED_TAG)
        return waited.tagged ? answer_of(integer_holds(node, waited.tag))
                             : WEFT_WHERE_SOMETIMES;
    return waited.communicator == WEFT_NONE
               ? WEFT_WHERE_SOMETIMES
               : answer_of(row_holds(walk, node, waited.communicator));
}

/* ---- A thing ---- */

static bool has_field(struct walk *walk, uint32_t index, const struct weft_thing *thing)
{
    struct node_fields fields = walk->fields[index];
    int64_t value;
    for (uint32_t i = fields.first; i < fields.first + fields.n; i++)
        if (weft_field_window_find(&walk->caches[i], weft_entity_ordinal(thing->id),
                                   &value))
            return true;
    return false;
}

static bool own_fields_hold(struct walk *walk, uint32_t index,
                            const struct weft_thing *thing)
{
    const struct where_node *node = &walk->where->nodes[index];
    struct node_fields fields = walk->fields[index];
    bool any = false;
    if (node->links_to && walk->kind == WEFT_LINK)
        return row_holds(walk, node, thing->to);
    for (uint32_t i = fields.first; i < fields.first + fields.n; i++) {
        int64_t value;
        if (!weft_field_window_find(&walk->caches[i], weft_entity_ordinal(thing->id),
                                    &value))
            continue;
        if (field_holds(walk, node, walk->kinds[i], value))
            return true;
        any = true;
        if (node->first_decides)
            break;
    }
    return node->none && !any;
}

/* A call has the communicator that it names itself before that of its message. */
static bool fields_hold(struct walk *walk, uint32_t index, const struct weft_thing *thing)
{
    const struct where_node *node = &walk->where->nodes[index];
    bool communicator = node->awaited == AWAITED_COMMUNICATOR;
    if (walk->kind == WEFT_LINK
        && (node->awaited == AWAITED_PARTNER || node->awaited == AWAITED_WAKER))
        return link_holds(walk, node, thing);
    if (node->awaited && walk->kind == WEFT_STATE
        && !(communicator && has_field(walk, index, thing))) {
        enum weft_where_answer answer = wait_holds(walk, node, thing);
        if (answer != WEFT_WHERE_SOMETIMES)
            return answer == WEFT_WHERE_ALWAYS;
    }
    return own_fields_hold(walk, index, thing);
}

static bool is_named(const struct walk *walk, const struct where_node *node,
                     const struct weft_thing *thing)
{
    return node->types[walk->type]
           || (thing->value == WEFT_NONE ? node->none : node->values[thing->value]);
}

/* A thing without length overlaps if its time is in the span, as in a source's queries. */
static bool overlaps(struct weft_span span, const struct weft_thing *thing)
{
    int64_t begin = thing->begin < thing->end ? thing->begin : thing->end;
    int64_t end = thing->begin < thing->end ? thing->end : thing->begin;
    return begin < span.end && (end > span.begin || (begin == end && end == span.begin));
}

static bool thing_holds(struct walk *walk, uint32_t index, const struct weft_thing *thing)
{
    const struct where_node *nodes = walk->where->nodes, *node = &nodes[index];
    uint32_t child = node->first;
    switch (node->test) {
    case TEST_ALL: return true;
    case TEST_AND:
    case TEST_OR:
        while (child != WEFT_NONE
               && thing_holds(walk, child, thing) == (node->test == TEST_AND))
            child = nodes[child].next;
        return (child == WEFT_NONE) == (node->test == TEST_AND);
    case TEST_NOT: return !thing_holds(walk, child, thing);
    case TEST_NAMED: return is_named(walk, node, thing);
    case TEST_ROW:
        if (walk->kind != WEFT_LINK)
            return row_holds(walk, node, walk->row);
        return row_holds(walk, node, thing->from) || row_holds(walk, node, thing->to);
    case TEST_FROM: return walk->kind == WEFT_LINK && row_holds(walk, node, thing->from);
    case TEST_TO: return walk->kind == WEFT_LINK && row_holds(walk, node, thing->to);
    case TEST_DURATION:
        return integer_holds(node, weft_ticks_between(thing->begin, thing->end));
    case TEST_BEGIN: return integer_holds(node, thing->begin);
    case TEST_END: return integer_holds(node, thing->end);
    case TEST_TIME: return overlaps(node->span, thing);
    case TEST_FIELD: return fields_hold(walk, index, thing);
    }
    return false;
}

/* ---- A track ---- */

static enum weft_where_answer named_on_track(const struct walk *walk,
                                             const struct where_node *node)
{
    uint32_t type = walk->type;
    if (walk->of_value)
        return answer_of(
            is_named(walk, node, &(struct weft_thing){ .value = walk->value }));
    if (node->types[type])
        return WEFT_WHERE_ALWAYS;
    return node->any_of_type[type] || node->none ? WEFT_WHERE_SOMETIMES : WEFT_WHERE_NEVER;
}

static enum weft_where_answer fields_on_track(const struct where_node *node, uint32_t type)
{
    for (size_t i = 0; i < node->n_fields; i++)
        if (node->fields[i].type == type)
            return WEFT_WHERE_SOMETIMES;
    return answer_of(node->none);
}

/* Tells what is known about all things of a track, without looking at them. */
static enum weft_where_answer track_holds(const struct walk *walk, uint32_t index)
{
    const struct where_node *nodes = walk->where->nodes, *node = &nodes[index];
    bool is_link = walk->kind == WEFT_LINK;
    enum weft_where_answer answer;
    switch (node->test) {
    case TEST_ALL: return WEFT_WHERE_ALWAYS;
    case TEST_AND:
    case TEST_OR:
        answer = node->test == TEST_AND ? WEFT_WHERE_ALWAYS : WEFT_WHERE_NEVER;
        for (uint32_t c = node->first; c != WEFT_NONE; c = nodes[c].next) {
            enum weft_where_answer other = track_holds(walk, c);
            if (node->test == TEST_AND ? other < answer : other > answer)
                answer = other;
        }
        return answer;
    case TEST_NOT:
        answer = track_holds(walk, node->first);
        return answer == WEFT_WHERE_SOMETIMES ? WEFT_WHERE_SOMETIMES
                                              : answer_of(answer == WEFT_WHERE_NEVER);
    case TEST_NAMED: return named_on_track(walk, node);
    case TEST_ROW:
        return is_link ? WEFT_WHERE_SOMETIMES : answer_of(row_holds(walk, node, walk->row));
    case TEST_FROM:
    case TEST_TO: return is_link ? WEFT_WHERE_SOMETIMES : WEFT_WHERE_NEVER;
    case TEST_FIELD:
        if (node->awaited && (is_link || walk->kind == WEFT_STATE))
            return WEFT_WHERE_SOMETIMES;
        return node->links_to && is_link ? WEFT_WHERE_SOMETIMES
                                         : fields_on_track(node, walk->type);
    case TEST_DURATION:
    case TEST_BEGIN:
    case TEST_END:
    case TEST_TIME: break;
    }
    return WEFT_WHERE_SOMETIMES;
}

static struct walk walk_of(const struct weft_where_query *query, uint32_t track)
{
    const struct weft_schema *schema = query->where->source->schema;
    const struct weft_container *root = &schema->containers[query->under];
    uint32_t type = schema->tracks[track].type;
    return (struct walk){ .where = query->where,
                          .schema = schema,
                          .under = { root->order, root->subtree_end },
                          .job = query->job,
                          .track = track,
                          .row = schema->tracks[track].container,
                          .kind = schema->types[type].kind,
                          .type = type };
}

static bool is_under(const struct walk *walk, uint32_t container)
{
    if (container == WEFT_NONE)
        return false;
    uint32_t order = walk->schema->containers[container].order;
    return order >= walk->under.begin && order < walk->under.end;
}

/* Links of a subtree may be on tracks of any container. */
bool weft_where_may_hold(const struct weft_where_query *query, uint32_t track)
{
    struct walk walk = walk_of(query, track);
    bool thing = walk.kind == WEFT_STATE || walk.kind == WEFT_EVENT;
    return (walk.kind == WEFT_LINK || (thing && is_under(&walk, walk.row)))
           && walk.schema->tracks[track].count
           && track_holds(&walk, query->where->root) != WEFT_WHERE_NEVER;
}

static enum weft_where_answer of_track(const struct weft_where *where, uint32_t track,
                                       bool of_value, uint32_t value)
{
    const struct weft_where_query query = { .where = where };
    struct walk walk = walk_of(&query, track);
    walk.of_value = of_value;
    walk.value = value;
    if (walk.kind != WEFT_STATE && walk.kind != WEFT_EVENT && walk.kind != WEFT_LINK)
        return WEFT_WHERE_NEVER;
    return track_holds(&walk, where->root);
}

enum weft_where_answer weft_where_of_track(const struct weft_where *where, uint32_t track)
{
    return of_track(where, track, false, WEFT_NONE);
}

enum weft_where_answer weft_where_of_value(const struct weft_where *where, uint32_t track,
                                           uint32_t value)
{
    return of_track(where, track, true, value);
}

/*
 * Returns the time in which things of the query are looked for: those that overlap its
 * window and the selection's span overlap what these have in common, or else all that lies
 * between them.  Empty if the window is.
 */
static struct weft_span window_of(const struct weft_where_query *query)
{
    struct weft_span window = query->window, span = query->where->span;
    struct weft_span both = { window.begin > span.begin ? window.begin : span.begin,
                              window.end < span.end ? window.end : span.end };
    if (both.begin < both.end || window.begin >= window.end)
        return both;
    return (struct weft_span){ both.end,
                               both.begin > both.end ? both.begin : both.end + 1 };
}

uint32_t *weft_where_tracks(const struct weft_where_query *query, struct weft_arena *arena,
                            size_t *n)
{
    const struct weft_schema *schema = query->where->source->schema;
    struct weft_span window = window_of(query);
    uint32_t *tracks =
        weft_arena_alloc(arena, ((size_t)schema->n_tracks + 1) * sizeof *tracks);
    *n = 0;
    for (uint32_t t = 0; window.begin < window.end && t < schema->n_tracks; t++)
        if (weft_where_may_hold(query, t))
            tracks[(*n)++] = t;
    return tracks;
}

/* ---- The walk ---- */

static bool look(struct walk *walk, const struct weft_thing *thing)
{
    if (++walk->seen % STEP == 0 && weft_job_cancelled(walk->job))
        return false;
    return !overlaps(walk->window, thing) || !thing_holds(walk, walk->where->root, thing)
           || walk->visit(walk->user, thing);
}

static bool see_state(void *user, const struct weft_state *state)
{
    struct walk *walk = user;
    return look(walk,
                &(struct weft_thing){ state->id, state->begin, state->end, walk->track,
                                      state->value, WEFT_NONE, WEFT_NONE });
}

static bool see_event(void *user, const struct weft_event *event)
{
    struct walk *walk = user;
    return look(walk,
                &(struct weft_thing){ event->id, event->time, event->time, walk->track,
                                      event->value, WEFT_NONE, WEFT_NONE });
}

static bool see_link(void *user, const struct weft_link *link)
{
    struct walk *walk = user;
    bool all = walk->under.end - walk->under.begin == walk->schema->n_containers;
    if (!all && !is_under(walk, link->from) && !is_under(walk, link->to))
        return true;
    return look(walk, &(struct weft_thing){ link->id, link->begin, link->end, walk->track,
                                            link->value, link->from, link->to });
}

/* Gives each node about fields a cache for each field that the track's type has. */
static void begin_fields(struct walk *walk)
{
    const struct weft_where *where = walk->where;
    size_t n = 0, capacity = 0, kinds_capacity = 0;
    walk->fields = weft_zalloc(where->n_nodes, sizeof *walk->fields);
    for (uint32_t i = 0; i < where->n_nodes; i++) {
        const struct where_node *node = &where->nodes[i];
        walk->fields[i].first = (uint32_t)n;
        for (size_t f = 0; f < node->n_fields; f++) {
            if (node->fields[f].type != walk->type)
                continue;
            walk->caches = weft_grow(walk->caches, &capacity, n + 1, sizeof *walk->caches);
            walk->kinds =
                weft_grow(walk->kinds, &kinds_capacity, n + 1, sizeof *walk->kinds);
            weft_field_window_begin_field(&walk->caches[n], where->source, walk->track,
                                          node->fields[f].field);
            walk->kinds[n++] = node->fields[f].kind;
        }
        walk->fields[i].n = (uint32_t)n - walk->fields[i].first;
    }
}

static void end_fields(struct walk *walk)
{
    free(walk->fields);
    free(walk->caches);
    free(walk->kinds);
}

void weft_where_walk(const struct weft_where_query *query, uint32_t track,
                     bool (*visit)(void *user, const struct weft_thing *thing), void *user)
{
    const struct weft_source *source = query->where->source;
    struct weft_span window = window_of(query);
    struct walk walk = walk_of(query, track);
    walk.window = query->window;
    walk.visit = visit;
    walk.user = user;
    begin_fields(&walk);
    if (walk.kind == WEFT_STATE)
        source->ops->states(source, track, window, see_state, &walk);
    else if (walk.kind == WEFT_EVENT)
        source->ops->events(source, track, window, see_event, &walk);
    else if (walk.kind == WEFT_LINK)
        source->ops->links(source, track, window, see_link, &walk);
    end_fields(&walk);
}

struct weft_where_asker {
    struct walk walk;
};

struct weft_where_asker *weft_where_ask(const struct weft_where_query *query,
                                        uint32_t track)
{
    struct weft_where_asker *asker = weft_zalloc(1, sizeof *asker);
    asker->walk = walk_of(query, track);
    begin_fields(&asker->walk);
    return asker;
}

bool weft_where_holds(struct weft_where_asker *asker, const struct weft_thing *thing)
{
    return thing_holds(&asker->walk, asker->walk.where->root, thing);
}

void weft_where_end_asker(struct weft_where_asker *asker)
{
    end_fields(&asker->walk);
    free(asker);
}
