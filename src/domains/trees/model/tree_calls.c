/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/model/tree_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"

/* Most calls of a tree: at about 70 bytes a node while it is made, 4.5 GB. */
#define MAX_CALLS (UINT64_C(64) * 1000 * 1000)

/* Most creators that are followed upwards to find one with calls. */
enum { MAX_CREATORS = 64 };

struct calls {
    const struct weft_source *source;
    const struct weft_schema *schema;
    struct weft_tree_builder *builder;
    struct weft_tree_pe *rows;
    uint32_t n_rows;
    uint32_t *labels;     /* by value */
    uint32_t *first_row;  /* by container with rows, which are consecutive */
    uint32_t *thread_of;  /* by container: number of its thread's node, or WEFT_NONE */
    struct birth *births; /* by container */
    uint64_t taken, all;  /* calls put, and all */
    uint64_t looked_at;   /* links and calls visited to find creators */
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
 * Sets OF_CALLS by type: types with nested states; without any, those of the first role in
 * `flat` that has states. False if there is no such type.
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
    bool any = find_types(schema, of_calls), deep = false;
    free(of_calls);
    for (uint32_t t = 0; t < schema->n_tracks && !deep; t++) {
        const struct weft_type *type = &schema->types[schema->tracks[t].type];
        deep = nests(schema, t)
               || (weft_role_is(type->role, WEFT_ROLE_SPAWN) && schema->tracks[t].count);
    }
    return any && deep;
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
        ok = row && c->all <= MAX_CALLS;
        if (!ok)
            weft_fail(c->err, WEFT_ERR_LIMIT,
                      "the tree has more nodes than Weft keeps (%llu calls, on %d rows)",
                      (unsigned long long)MAX_CALLS, WEFT_TREE_MAX_PES);
        ok = ok && weft_job_step(c->job, 0, 0, c->err); /* allocating much memory takes a
                                                           while */
        if (ok)
            c->rows[c->n_rows++] = *row;
    }
    free(of_calls);
    return ok;
}

/* ---- Calls ---- */

/* Called for each entity read, DONE of ALL: returns false once the job is cancelled. */
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
    uint32_t *open;  /* [depth] number of the latest call's node at that depth */
    size_t capacity;
};

static bool add_call(void *user, const struct weft_state *state)
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

/* Returns the node of the thread of ROW, making it for the thread's first row. */
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
        c->source->ops->states(c->source, c->rows[r].track, all, add_call, &walk);
    }
    free(walk.open);
    return !c->cancelled;
}

/* ---- Creators ---- */

static bool add_birth(void *user, const struct weft_link *link)
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
            c->source->ops->links(c->source, t, all, add_birth, c);
    }
    return !c->cancelled;
}

/*
 * Returns the nearest creator of CONTAINER that is in the tree, with the time at which it
 * created CONTAINER or the ancestor of it; WEFT_NONE without one, with too many creators,
 * or if a thread is its own ancestor.
 */
static struct birth creator_of(const struct calls *c, uint32_t container)
{
    struct birth found = { WEFT_NONE, 0 }, birth = c->births[container];
    for (int i = 0; birth.creator != WEFT_NONE; birth = c->births[birth.creator]) {
        if (birth.creator == container || ++i == MAX_CREATORS)
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

/* Returns the end of a thread's last call. */
static int64_t end_of(const struct calls *c, uint32_t container)
{
    int64_t end = INT64_MIN;
    for (uint32_t r = c->first_row[container]; is_row_of(c, r, container); r++) {
        const struct weft_track *track = &c->schema->tracks[c->rows[r].track];
        end = track->end > end ? track->end : end;
    }
    return end;
}

/* ---- Calls of creation ---- */

/*
 * A created thread, and its creator's innermost call that was open at TIME and until END.
 */
struct created_thread {
    uint32_t thread; /* number of its node */
    uint32_t creator;
    int64_t time, end;
    uint32_t call; /* number of its node, or WEFT_NONE */
};

static int by_creator_and_time(const void *a, const void *b)
{
    const struct created_thread *x = a, *y = b;
    return WEFT_COMPARE(x->creator, y->creator) ?: WEFT_COMPARE(x->time, y->time)
           ?: WEFT_COMPARE(x->thread, y->thread);
}

/* Lists the threads with a creator, by creator and time; returns how many. */
static size_t list_created(const struct calls *c, struct created_thread *list)
{
    size_t n = 0;
    for (uint32_t r = 0; r < c->n_rows; r++) {
        uint32_t container = c->rows[r].container;
        struct birth birth = creator_of(c, container);
        if (birth.creator != WEFT_NONE && c->first_row[container] == r)
            list[n++] =
                (struct created_thread){ c->thread_of[container], birth.creator, birth.time,
                                         end_of(c, container), WEFT_NONE };
    }
    if (n)
        qsort(list, n, sizeof *list, by_creator_and_time);
    return n;
}

/*
 * A walk through a row's calls that finds the calls of all threads created meanwhile. A
 * walk for each thread would visit all open calls each time.
 */
struct creation_walk {
    struct calls *c;
    const struct weft_tree_pe *row;
    struct created_thread *list; /* [n] by time; entries before AT are answered */
    size_t n, at;
    struct on {
        int64_t end;     /* the calls inside end no later */
        uint32_t number; /* of its node, or of the call around it */
    } * on;              /* the open calls, by depth */
    size_t n_on, capacity;
};

static uint32_t innermost(const struct creation_walk *walk, int64_t end)
{
    size_t n = WEFT_FIRST(i, 0, walk->n_on, walk->on[i].end < end);
    return n ? walk->on[n - 1].number : WEFT_NONE;
}

/* Answers for the threads created before TIME, where the next call begins. */
static void answer_until(struct creation_walk *walk, int64_t time)
{
    for (; walk->at < walk->n && walk->list[walk->at].time < time; walk->at++) {
        struct created_thread *created = &walk->list[walk->at];
        int64_t end = created->time + 1 > created->end ? created->time + 1 : created->end;
        uint32_t call = innermost(walk, end);
        created->call = call != WEFT_NONE ? call : created->call;
    }
}

static bool add_on(void *user, const struct weft_state *state)
{
    struct creation_walk *walk = user;
    uint64_t ordinal = weft_entity_ordinal(state->id);
    answer_until(walk, state->begin);
    walk->n_on = state->depth < walk->n_on ? state->depth : walk->n_on;
    walk->on = weft_grow(walk->on, &walk->capacity, walk->n_on + 1, sizeof *walk->on);
    walk->on[walk->n_on] =
        (struct on){ state->end, ordinal < walk->row->count
                                     ? walk->row->first + (uint32_t)ordinal
                                 : walk->n_on ? walk->on[walk->n_on - 1].number
                                              : WEFT_NONE };
    walk->n_on++;
    return go_on(walk->c, walk->c->looked_at++, walk->c->all);
}

/* Returns the first of LIST [n], in order of time, with a time of at least TIME. */
static size_t first_created(const struct created_thread *list, size_t n, int64_t time)
{
    return WEFT_FIRST(i, 0, n, list[i].time >= time);
}

/* Finds the calls of a row in which threads of LIST [n], of one creator, were created. */
static void answer_row(struct creation_walk *walk, const struct weft_tree_pe *row,
                       struct created_thread *list, size_t n)
{
    const struct weft_source *source = walk->c->source;
    const struct weft_track *track = &source->schema->tracks[row->track];
    size_t first = first_created(list, n, track->begin);
    size_t after = first_created(list, n, track->end);
    if (first >= after)
        return;
    walk->row = row;
    walk->list = list + first;
    walk->n = after - first;
    walk->at = walk->n_on = 0;
    source->ops->states(source, row->track,
                        (struct weft_span){ list[first].time, list[after - 1].time + 1 },
                        add_on, walk);
    answer_until(walk, INT64_MAX);
}

/* Makes threads the children of the calls that created them, or of their creators. */
static bool hang_threads(struct calls *c)
{
    struct created_thread *list = weft_alloc(((size_t)c->n_rows + 1) * sizeof *list);
    struct creation_walk walk = { .c = c };
    size_t n = list_created(c, list), after;
    for (size_t i = 0; i < n && !c->cancelled; i = after) {
        uint32_t creator = list[i].creator;
        for (after = i; after < n && list[after].creator == creator;)
            after++;
        /* When several rows have such a call, the last one wins. */
        for (uint32_t r = c->first_row[creator];
             is_row_of(c, r, creator) && go_on(c, c->looked_at++, c->all); r++)
            answer_row(&walk, &c->rows[r], list + i, after - i);
    }
    for (size_t i = 0; i < n; i++)
        weft_tree_nodes(c->builder, list[i].thread)->parent =
            list[i].call != WEFT_NONE ? list[i].call : c->thread_of[list[i].creator];
    free(walk.on);
    free(list);
    return !c->cancelled;
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
