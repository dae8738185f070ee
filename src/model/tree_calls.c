/* SPDX-License-Identifier: Apache-2.0 */
#include "model/tree_calls.h"

#include <stdlib.h>
#include <string.h>

/* Calls that a tree has at most: at about 70 bytes a node while it is made, 4.5 GB. */
#define MOST_CALLS (UINT64_C(64) * 1000 * 1000)

/* A creator of a creator ...: further up nobody looks for one that has calls. */
enum { MOST_CREATORS = 64 };

struct calls {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_tree_builder *builder;
    struct weft_tree_pe *rows;
    uint32_t n_rows;
    uint32_t *labels;     /* by value */
    uint32_t *first_row;  /* by container that has rows, which follow one another */
    uint32_t *thread_of;  /* by container: the number of its thread's node, or WEFT_NONE */
    struct birth *births; /* by container */
    uint64_t taken, all;  /* calls */
    uint64_t looked_at;   /* links and calls, to find out who created whom */
    struct weft_job *job;
    struct weft_err *err;
    bool cancelled;
};

struct birth {
    uint32_t creator; /* container, or WEFT_NONE */
    int64_t time;
};

/* ---- Rows ---- */

static bool nests(const struct weft_schema *schema, uint32_t track)
{
    return schema->types[schema->tracks[track].type].kind == WEFT_STATE
           && schema->tracks[track].max_depth > 1;
}

static bool has_entities(const struct weft_schema *schema, uint32_t type)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].type == type && schema->tracks[t].count)
            return true;
    return false;
}

/*
 * By type: are its states nodes?  Those of types whose states nest; else calls; else what threads
 * and processes did.  False: of no type.
 */
static bool find_types(const struct weft_schema *schema, bool *of_calls)
{
    static const enum weft_role flat[] = { WEFT_ROLE_CALL, WEFT_ROLE_COMMUNICATION,
                                           WEFT_ROLE_ACTIVITY };
    bool any = false;
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (nests(schema, t))
            any = of_calls[schema->tracks[t].type] = true;
    for (size_t r = 0; r < sizeof flat / sizeof *flat && !any; r++)
        for (uint32_t t = 0; t < schema->n_types; t++)
            if (schema->types[t].kind == WEFT_STATE
                && weft_role_is(schema->types[t].role, flat[r]) && has_entities(schema, t))
                any = of_calls[t] = true;
    return any;
}

bool weft_tree_has_calls(const struct weft_schema *schema)
{
    bool *of_calls = weft_zalloc(schema->n_types + 1, sizeof *of_calls);
    bool any = find_types(schema, of_calls);
    free(of_calls);
    return any;
}

static bool add_rows(struct calls *c)
{
    const struct weft_schema *schema = c->schema;
    bool *of_calls = weft_zalloc(schema->n_types + 1, sizeof *of_calls), ok = true;
    find_types(schema, of_calls);
    for (uint32_t t = 0; t < schema->n_tracks && ok; t++) {
        const struct weft_track *track = &schema->tracks[t];
        if (!of_calls[track->type] || !track->count)
            continue;
        const struct weft_tree_pe *row =
            weft_tree_pe(c->builder, schema->containers[track->container].name,
                         track->container, t, track->count);
        c->all += track->count;
        ok = row && c->all <= MOST_CALLS;
        if (!ok)
            weft_fail(c->err, WEFT_ERR_LIMIT,
                      "the tree has more nodes than Weft keeps (%llu calls, on %d rows)",
                      (unsigned long long)MOST_CALLS, WEFT_TREE_MOST_PES);
        ok = ok && weft_job_step(c->job, 0, 0, c->err); /* much memory takes its time */
        if (ok)
            c->rows[c->n_rows++] = *row;
    }
    free(of_calls);
    return ok;
}

/* ---- Calls ---- */

/* Called for each entity that is read, DONE of ALL: false when nobody waits for the tree. */
static bool go_on(struct calls *c, uint64_t done, uint64_t all)
{
    enum { STEP = 1 << 14 }; /* between two looks at the job: below a millisecond */
    if (done % STEP == 0 && !weft_job_step(c->job, done, all, c->err))
        c->cancelled = true;
    return !c->cancelled;
}

struct row_walk {
    struct calls *c;
    uint32_t row;
    uint32_t thread; /* number of the thread's node */
    uint32_t *open;  /* [depth] the number of the innermost call met at that depth */
    size_t capacity;
};

static bool take_call(void *user, const struct weft_state *state)
{
    struct row_walk *walk = user;
    struct calls *c = walk->c;
    const struct weft_tree_pe *row = &c->rows[walk->row];
    uint64_t ordinal = weft_entity_ordinal(state->id);
    if (!go_on(c, c->taken++, c->all))
        return false;
    if (ordinal >= row->count)
        return true;
    walk->open =
        weft_grow(walk->open, &walk->capacity, state->depth + 1u, sizeof *walk->open);
    walk->open[state->depth] = row->first + (uint32_t)ordinal;
    weft_tree_put(c->builder, walk->open[state->depth],
                  &(struct weft_tree_node){
                      .parent = state->depth ? walk->open[state->depth - 1] : walk->thread,
                      .label = c->labels[state->value],
                      .time = state->begin,
                      .ordinal = (uint32_t)ordinal,
                      .pe = (uint16_t)walk->row });
    return true;
}

/* The node of a thread; one for all rows that it has. */
static uint32_t thread_node(struct calls *c, uint32_t row)
{
    uint32_t container = c->rows[row].container;
    int64_t begin = c->schema->tracks[c->rows[row].track].begin;
    if (c->thread_of[container] != WEFT_NONE) {
        struct weft_tree_node *node = weft_tree_nodes(c->builder, c->thread_of[container]);
        node->time = begin < node->time ? begin : node->time;
        return c->thread_of[container];
    }
    c->first_row[container] = row;
    const struct weft_tree_label label = { c->rows[row].name, WEFT_NONE, 0, WEFT_NONE };
    const struct weft_tree_node node = { .parent = WEFT_NONE,
                                         .label = weft_tree_label(c->builder, &label),
                                         .time = begin,
                                         .ordinal = WEFT_NONE,
                                         .pe = (uint16_t)row };
    return c->thread_of[container] = weft_tree_add(c->builder, &node);
}

static bool put_calls(struct calls *c)
{
    const struct weft_span all = { INT64_MIN, INT64_MAX };
    struct row_walk walk = { .c = c };
    for (uint32_t r = 0; r < c->n_rows && !c->cancelled; r++) {
        walk.row = r;
        walk.thread = thread_node(c, r);
        c->source->ops->states(c->source, c->rows[r].track, all, take_call, &walk);
    }
    free(walk.open);
    return !c->cancelled;
}

/* ---- Who created whom ---- */

static bool take_birth(void *user, const struct weft_link *link)
{
    struct calls *c = user;
    if (link->to < c->schema->n_containers && link->from < c->schema->n_containers
        && link->to != link->from && c->births[link->to].creator == WEFT_NONE)
        c->births[link->to] = (struct birth){ link->from, link->begin };
    return go_on(c, c->looked_at++, c->all);
}

static bool find_births(struct calls *c)
{
    const struct weft_span all = { INT64_MIN, INT64_MAX };
    for (uint32_t i = 0; i < c->schema->n_containers; i++)
        c->births[i].creator = WEFT_NONE;
    for (uint32_t t = 0; t < c->schema->n_tracks && !c->cancelled; t++) {
        const struct weft_type *type = &c->schema->types[c->schema->tracks[t].type];
        if (type->kind == WEFT_LINK && weft_role_is(type->role, WEFT_ROLE_SPAWN))
            c->source->ops->links(c->source, t, all, take_birth, c);
    }
    return !c->cancelled;
}

/*
 * The nearest creator that is in the tree, and when it created what led to CONTAINER; WEFT_NONE
 * when there is none, or when a thread is said to have created itself in the end.
 */
static struct birth creator_of(const struct calls *c, uint32_t container)
{
    struct birth found = { WEFT_NONE, 0 }, birth = c->births[container];
    for (int i = 0; birth.creator != WEFT_NONE; birth = c->births[birth.creator]) {
        if (birth.creator == container || ++i == MOST_CREATORS)
            return (struct birth){ WEFT_NONE, 0 };
        if (found.creator == WEFT_NONE && c->thread_of[birth.creator] != WEFT_NONE)
            found = birth;
    }
    return found;
}

static bool is_row_of(const struct calls *c, uint32_t row, uint32_t container)
{
    return row < c->n_rows && c->rows[row].container == container;
}

/* When the last call of a thread ends. */
static int64_t end_of(const struct calls *c, uint32_t container)
{
    int64_t end = INT64_MIN;
    for (uint32_t r = c->first_row[container]; is_row_of(c, r, container); r++) {
        const struct weft_track *track = &c->schema->tracks[c->rows[r].track];
        end = track->end > end ? track->end : end;
    }
    return end;
}

/* To look for the innermost call of a row that is on at a time, and still at END. */
struct around {
    struct calls *c;
    const struct weft_tree_pe *row;
    int64_t time, end;
    uint32_t number; /* of its node, or WEFT_NONE */
};

static bool take_around(void *user, const struct weft_state *state)
{
    struct around *around = user;
    uint64_t ordinal = weft_entity_ordinal(state->id);
    if (state->begin <= around->time && state->end > around->time
        && state->end >= around->end && ordinal < around->row->count)
        around->number = around->row->first + (uint32_t)ordinal;
    return go_on(around->c, around->c->looked_at++, around->c->all);
}

/* One question for all calls that are on: each by itself would be looked for in its block. */
static uint32_t call_around(struct calls *c, const struct weft_tree_pe *row, int64_t time,
                            int64_t end)
{
    struct around around = { c, row, time, end, WEFT_NONE };
    c->source->ops->states(c->source, row->track, (struct weft_span){ time, time + 1 },
                           take_around, &around);
    return around.number;
}

/* Hang the thread of a row on the call that created it, or on its creator. */
static bool hang_thread(struct calls *c, uint32_t row)
{
    uint32_t container = c->rows[row].container, thread = c->thread_of[container];
    struct weft_tree_node *node = weft_tree_nodes(c->builder, thread);
    struct birth birth = creator_of(c, container);
    if (birth.creator == WEFT_NONE || node->parent != WEFT_NONE)
        return true;
    node->parent = c->thread_of[birth.creator];
    int64_t end = end_of(c, container);
    for (uint32_t i = c->first_row[birth.creator]; is_row_of(c, i, birth.creator); i++) {
        uint32_t call = call_around(c, &c->rows[i], birth.time, end);
        if (!go_on(c, c->looked_at++, c->all))
            return false;
        if (call != WEFT_NONE)
            node->parent = call;
    }
    return true;
}

static bool hang_threads(struct calls *c)
{
    bool ok = true;
    for (uint32_t r = 0; r < c->n_rows && ok; r++)
        ok = hang_thread(c, r);
    return ok;
}

static void add_labels(struct calls *c)
{
    const struct weft_schema *schema = c->schema;
    for (uint32_t v = 0; v < schema->n_values; v++)
        c->labels[v] =
            weft_tree_label(c->builder, &(struct weft_tree_label){ schema->values[v].name,
                                                                   v, 0, WEFT_NONE });
}

struct weft_tree *weft_tree_read_calls(const struct weft_source *source,
                                       struct weft_job *job, struct weft_err *err)
{
    const struct weft_schema *schema = source->schema;
    struct calls c = { .source = source,
                       .schema = schema,
                       .builder = weft_tree_builder_new(),
                       .job = job,
                       .err = err };
    c.rows = weft_alloc((schema->n_tracks + 1) * sizeof *c.rows);
    c.labels = weft_alloc((schema->n_values + 1) * sizeof *c.labels);
    c.first_row = weft_alloc((schema->n_containers + 1) * sizeof *c.first_row);
    c.births = weft_alloc((schema->n_containers + 1) * sizeof *c.births);
    c.thread_of = weft_alloc((schema->n_containers + 1) * sizeof *c.thread_of);
    memset(c.thread_of, 0xff, schema->n_containers * sizeof *c.thread_of);
    add_labels(&c);
    bool ok = add_rows(&c) && put_calls(&c) && find_births(&c) && hang_threads(&c);
    free(c.rows);
    free(c.labels);
    free(c.first_row);
    free(c.births);
    free(c.thread_of);
    if (ok)
        return weft_tree_finish(c.builder, job, err);
    weft_tree_builder_free(c.builder);
    return NULL;
}
