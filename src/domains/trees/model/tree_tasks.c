/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/model/tree_tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/hash_map.h"

enum { STEP = 1 << 14 }; /* states between two looks at the job: below a millisecond */

/* Most states: more than usual memory holds. */
#define MAX_TASKS (UINT64_C(256) * 1000 * 1000)

struct tasks {
    const struct weft_source *source;
    struct weft_tree_builder *builder;
    struct weft_tree_pe *rows;
    uint32_t n_rows;
    uint32_t n;       /* states, which are the builder's nodes by number */
    int64_t *numbers; /* [n]: task number of each state, or UNNUMBERED */
    int64_t *parents; /* [n]: parent's number or entity, or UNNUMBERED */
    uint32_t *first;  /* [n]: the earliest state of the state's task */
    struct first_of {
        int64_t low;
        uint32_t *states; /* by number less `low`, for close numbers; or NULL */
        uint64_t range;
        struct weft_id_map index; /* by number, used when `states` is NULL */
    } first_of;
    bool by_entity; /* `parents` are entities */
    struct weft_job *job;
    struct weft_err *err;
    uint64_t seen;
    bool stopped;
};

#define UNNUMBERED INT64_MIN

uint32_t weft_tree_task_type(const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_types; t++)
        if (schema->types[t].kind == WEFT_STATE
            && weft_role_is(schema->types[t].role, WEFT_ROLE_TASK)
            && !weft_role_is(schema->types[t].role, WEFT_ROLE_REDUCTION)
            && weft_field_of_type(schema, t, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER)
                   != WEFT_NONE)
            return t;
    return WEFT_NONE;
}

static bool too_large(struct weft_err *err)
{
    return weft_fail(err, WEFT_ERR_LIMIT,
                     "there are more tasks than Weft keeps (%llu, on %d rows)",
                     (unsigned long long)MAX_TASKS, WEFT_TREE_MAX_PES);
}

static bool add_rows(struct tasks *t, uint32_t type)
{
    const struct weft_schema *schema = t->source->schema;
    uint64_t total = 0;
    t->rows = weft_alloc((schema->n_tracks + 1) * sizeof *t->rows);
    for (uint32_t i = 0; i < schema->n_tracks; i++) {
        const struct weft_track *track = &schema->tracks[i];
        if (track->type != type)
            continue;
        total += track->count;
        const struct weft_tree_pe *row =
            track->count > MAX_TASKS || total > MAX_TASKS
                ? NULL
                : weft_tree_pe(t->builder, schema->containers[track->container].name,
                               track->container, i, track->count);
        if (!row)
            return too_large(t->err);
        t->rows[t->n_rows++] = *row;
    }
    t->n = (uint32_t)total;
    return true;
}

struct column {
    int64_t *values;
    uint64_t n;
};

static bool copy_run(void *user, const struct weft_field_run *run)
{
    struct column *column = user;
    for (size_t i = 0; i < run->n; i++)
        if (run->ordinals[i] < column->n)
            column->values[run->ordinals[i]] = run->values[i];
    return true;
}

static int64_t *read_column(const struct tasks *t, uint32_t field)
{
    int64_t *values = weft_alloc(((size_t)t->n + 1) * sizeof *values);
    for (uint32_t i = 0; i < t->n; i++)
        values[i] = UNNUMBERED;
    for (uint32_t r = 0; r < t->n_rows && field != WEFT_NONE; r++) {
        struct column column = { values + t->rows[r].first, t->rows[r].count };
        t->source->ops->column(t->source, t->rows[r].track, field, copy_run, &column);
    }
    return values;
}

struct row_walk {
    struct tasks *t;
    uint32_t row;
    struct weft_tree_node *nodes;
};

static bool add_state(void *user, const struct weft_state *state)
{
    struct row_walk *walk = user;
    struct tasks *t = walk->t;
    uint64_t ordinal = weft_entity_ordinal(state->id);
    if (t->seen++ % STEP == 0
        && !weft_job_step(t->job, t->seen, 2 * (uint64_t)t->n, t->err))
        return !(t->stopped = true);
    if (ordinal < t->rows[walk->row].count)
        walk->nodes[ordinal] = (struct weft_tree_node){
            .parent = WEFT_NONE, /* marks it as read; link_tasks sets the parent */
            .label = state->value,
            .time = state->begin,
            .ordinal = (uint32_t)ordinal,
            .pe = (uint16_t)walk->row,
        };
    return true;
}

static bool read_states(struct tasks *t)
{
    const struct weft_span all = { INT64_MIN, INT64_MAX };
    for (uint32_t r = 0; r < t->n_rows && !t->stopped; r++) {
        struct row_walk walk = { t, r, weft_tree_nodes(t->builder, t->rows[r].first) };
        t->source->ops->states(t->source, t->rows[r].track, all, add_state, &walk);
    }
    return !t->stopped;
}

/* A node that no state was read for is its own parent, so the tree leaves it out. */
static bool is_there(const struct weft_tree_node *nodes, uint32_t i)
{
    return nodes[i].parent != i;
}

/* Returns the earliest state of a number, or WEFT_NONE. */
static uint32_t first_get(const struct first_of *of, int64_t number)
{
    uint64_t at = (uint64_t)number - (uint64_t)of->low;
    if (of->states)
        return at < of->range ? of->states[at] : WEFT_NONE;
    return weft_id_map_get(&of->index, (uint64_t)number);
}

static void first_put(struct first_of *of, int64_t number, uint32_t state)
{
    if (of->states)
        of->states[(uint64_t)number - (uint64_t)of->low] = state;
    else
        weft_id_map_put(&of->index, (uint64_t)number, state);
}

/* Chooses a table by number instead of a map if numbers are dense, as in most runtimes. */
static void first_choose(struct tasks *t)
{
    struct first_of *of = &t->first_of;
    int64_t high = INT64_MIN;
    of->low = INT64_MAX;
    for (uint32_t i = 0; i < t->n; i++) {
        if (t->numbers[i] == UNNUMBERED)
            continue;
        of->low = t->numbers[i] < of->low ? t->numbers[i] : of->low;
        high = t->numbers[i] > high ? t->numbers[i] : high;
    }
    uint64_t most = 4 * (uint64_t)t->n, range = (uint64_t)high - (uint64_t)of->low;
    if (high < of->low || range >= most)
        return;
    of->range = range + 1;
    of->states = weft_alloc(of->range * sizeof *of->states);
    memset(of->states, 0xff, of->range * sizeof *of->states);
}

/* Finds the earliest state of each number. */
static void find_first(struct tasks *t, const struct weft_tree_node *nodes)
{
    t->first = weft_alloc(((size_t)t->n + 1) * sizeof *t->first);
    first_choose(t);
    for (uint32_t i = 0; i < t->n; i++) {
        t->first[i] = i;
        if (t->numbers[i] == UNNUMBERED || !is_there(nodes, i))
            continue;
        uint32_t first = first_get(&t->first_of, t->numbers[i]);
        if (first == WEFT_NONE || nodes[i].time < nodes[first].time)
            first_put(&t->first_of, t->numbers[i], i);
    }
    for (uint32_t i = 0; i < t->n; i++)
        if (t->numbers[i] != UNNUMBERED && is_there(nodes, i))
            t->first[i] = first_get(&t->first_of, t->numbers[i]);
}

/* Returns the state with an entity id; n when there is none. */
static uint32_t state_of(const struct tasks *t, uint64_t id)
{
    uint32_t track = weft_entity_track(id); /* rows are in order of tracks */
    uint32_t row = WEFT_FIRST(i, 0, t->n_rows, t->rows[i].track >= track);
    if (row == t->n_rows || t->rows[row].track != track
        || weft_entity_ordinal(id) >= t->rows[row].count)
        return t->n;
    return t->rows[row].first + (uint32_t)weft_entity_ordinal(id);
}

/*
 * Returns the builder number of a task's parent, WEFT_NONE for a root, or I itself when the
 * parent is missing.
 */
static uint32_t parent_of(const struct tasks *t, uint32_t i)
{
    if (t->parents[i] == UNNUMBERED || (t->by_entity && t->parents[i] == -1))
        return WEFT_NONE;
    if (t->by_entity) {
        uint32_t state = state_of(t, (uint64_t)t->parents[i]);
        return state < t->n ? t->first[state] : i;
    }
    uint32_t state = first_get(&t->first_of, t->parents[i]);
    return state != WEFT_NONE ? state : i;
}

/* Returns how many states are not the first of their task. */
static uint32_t link_tasks(struct tasks *t, struct weft_tree_node *nodes)
{
    uint32_t pieces = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        if (!is_there(nodes, i))
            continue;
        pieces += t->first[i] != i;
        nodes[i].parent = t->first[i] == i ? parent_of(t, i) : i;
    }
    return pieces;
}

static void add_labels(struct tasks *t)
{
    const struct weft_schema *schema = t->source->schema;
    for (uint32_t v = 0; v < schema->n_values; v++)
        weft_tree_label(t->builder, &(struct weft_tree_label){ schema->values[v].name, v, 0,
                                                               WEFT_NONE });
}

static bool read_tasks(struct tasks *t, uint32_t type, uint32_t *pieces)
{
    const struct weft_schema *schema = t->source->schema;
    uint32_t parent = weft_field_of_type(schema, type, WEFT_ROLE_PARENT, WEFT_FIELD_ENTITY);
    t->by_entity = parent != WEFT_NONE;
    if (!t->by_entity)
        parent =
            weft_field_of_type(schema, type, WEFT_ROLE_PARENT_NUMBER, WEFT_FIELD_INTEGER);
    add_labels(t);
    if (!add_rows(t, type) || !read_states(t))
        return false;
    struct weft_tree_node *nodes = weft_tree_nodes(t->builder, 0);
    t->numbers = read_column(
        t, weft_field_of_type(schema, type, WEFT_ROLE_NUMBER, WEFT_FIELD_INTEGER));
    t->parents = read_column(t, parent);
    find_first(t, nodes);
    *pieces = link_tasks(t, nodes);
    return true;
}

struct weft_tree *weft_tree_read_tasks(const struct weft_source *source, uint32_t type,
                                       struct weft_job *job, struct weft_err *err)
{
    struct tasks t = {
        .source = source, .builder = weft_tree_builder_new(), .job = job, .err = err
    };
    struct weft_tree *tree = NULL;
    uint32_t pieces = 0;
    bool ok = read_tasks(&t, type, &pieces);
    free(t.numbers);
    free(t.parents);
    free(t.first_of.states);
    weft_id_map_free(&t.first_of.index);
    if (ok)
        tree = weft_tree_finish(t.builder, job, err);
    else
        weft_tree_builder_free(t.builder);
    if (tree) {
        tree->type = type;
        tree->lost -= pieces; /* pieces are not lost */
        for (uint32_t i = 0; i < t.n; i++)
            tree->node_of[i] = tree->node_of[t.first[i]];
    }
    free(t.first);
    free(t.rows);
    return tree;
}
