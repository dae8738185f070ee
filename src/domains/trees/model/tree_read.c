/* SPDX-License-Identifier: Apache-2.0 */
/* Reads trees of reductions from a store (tree.h). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/parallel.h"
#include "domains/trees/model/tree_calls.h"

static uint32_t integer_field(const struct weft_schema *schema, uint32_t type,
                              enum weft_role role)
{
    return weft_field_of_type(schema, type, role, WEFT_FIELD_INTEGER);
}

static bool has_states(const struct weft_schema *schema, uint32_t type)
{
    for (uint32_t t = 0; t < schema->n_tracks; t++)
        if (schema->tracks[t].type == type && schema->tracks[t].count)
            return true;
    return false;
}

uint32_t weft_tree_reduction_type(const struct weft_schema *schema)
{
    for (uint32_t t = 0; t < schema->n_types; t++)
        if (schema->types[t].kind == WEFT_STATE
            && weft_role_is(schema->types[t].role, WEFT_ROLE_REDUCTION)
            && integer_field(schema, t, WEFT_ROLE_PARENT_ROW) != WEFT_NONE
            && integer_field(schema, t, WEFT_ROLE_PARENT_NUMBER) != WEFT_NONE
            && has_states(schema, t))
            return t;
    return WEFT_NONE;
}

bool weft_tree_fills(const struct weft_source *source)
{
    return weft_tree_reduction_type(source->schema) != WEFT_NONE
           || weft_tree_has_calls(source->schema);
}

static bool too_large(struct weft_err *err)
{
    return weft_fail(
        err, WEFT_ERR_LIMIT,
        "the tree has more nodes than Weft keeps (2^32 reductions, on %d rows)",
        WEFT_TREE_MAX_PES);
}

/* ---- Reductions ---- */

enum { RECORD, CLAUSE, INDEX, PARENT_PE, PARENT_INDEX, SITE, FIELDS };

struct reductions {
    const struct weft_source *source;
    struct weft_tree_builder *builder;
    struct weft_job *job; /* once cancelled, rows end early; read_rows checks it, too */
    struct weft_tree_pe *pes;
    uint32_t n_pes;
    uint32_t fields[FIELDS];
    struct weft_id_map *ordinals; /* by PE: index to ordinal; empty where index = ordinal +
                                     1 */
    pthread_mutex_t mutex;
    struct weft_id_map labels; /* value << 32 | clause */
};

enum { MAX_LOST = 4096 }; /* most damaged parts of a trace that are examined */

struct row { /* the reductions of one PE; the memory is reused for the next PE */
    struct reductions *r;
    uint32_t pe;
    uint32_t *columns[FIELDS]; /* by ordinal: the value plus one, 0 for none; NULL without
                                  the field */
    uint32_t *values;
    struct weft_tree_node *nodes;
    size_t n;
    struct weft_id_map labels; /* the labels of `r` that this row has met, read without the
                                  mutex */
    /*
     * From the first to the last damaged part of the columns that name parents; begin >
     * end: undamaged. Found once a reduction lacks a parent.
     */
    struct weft_span lost_pes, lost_indices;
    bool knows_lost;
};

static void index_rows(struct reductions *r, const struct weft_schema *schema,
                       uint32_t type)
{
    uint32_t holder = schema->types[type].parent;
    r->pes = weft_zalloc(schema->n_containers, sizeof *r->pes);
    for (uint32_t p = 0; p < schema->n_containers; p++) {
        uint32_t c = schema->preorder[p];
        if (schema->containers[c].type != holder)
            continue;
        struct weft_tree_pe *pe = &r->pes[r->n_pes++];
        *pe = (struct weft_tree_pe){ schema->containers[c].name, c, WEFT_NONE, 0, 0 };
        for (uint32_t i = schema->track_begin[p]; i < schema->track_begin[p + 1]; i++) {
            uint32_t t = schema->track_at[i];
            if (schema->tracks[t].type == type) {
                pe->track = t;
                pe->count = schema->tracks[t].count;
            }
        }
    }
}

static bool copy_run(void *user, const struct weft_field_run *run)
{
    uint32_t *column = user;
    for (size_t i = 0; i < run->n; i++)
        /* The value plus one; 0 means none. */
        column[run->ordinals[i]] = run->values[i] >= 0 && run->values[i] < UINT32_MAX - 1
                                       ? (uint32_t)run->values[i] + 1
                                       : 0;
    return true;
}

static bool add_state(void *user, const struct weft_state *state)
{
    enum { STEP = 1 << 16 };
    struct row *row = user;
    uint64_t ordinal = weft_entity_ordinal(state->id);
    if (ordinal < row->n) {
        row->nodes[ordinal].time = state->begin;
        row->values[ordinal] = state->value;
    }
    return ordinal % STEP || !weft_job_cancelled(row->r->job);
}

static void load_row(struct row *row)
{
    struct reductions *r = row->r;
    const struct weft_tree_pe *pe = &r->pes[row->pe];
    const struct weft_span all = { INT64_MIN, INT64_MAX };
    row->n = pe->count;
    row->knows_lost = false;
    row->nodes = weft_tree_nodes(r->builder, pe->first);
    for (int f = 0; f < FIELDS; f++) {
        if (r->fields[f] == WEFT_NONE)
            continue;
        memset(row->columns[f], 0, row->n * sizeof *row->columns[f]);
        if (weft_job_cancelled(r->job))
            continue;
        r->source->ops->column(r->source, pe->track, r->fields[f], copy_run,
                               row->columns[f]);
    }
    memset(row->values, 0xff, row->n * sizeof *row->values);
    r->source->ops->states(r->source, pe->track, all, add_state, row);
}

static void make_row(struct row *row, struct reductions *r, size_t most)
{
    *row = (struct row){ .r = r };
    for (int f = 0; f < FIELDS; f++)
        if (r->fields[f] != WEFT_NONE)
            row->columns[f] = weft_alloc((most + 1) * sizeof *row->columns[f]);
    row->values = weft_alloc((most + 1) * sizeof *row->values);
}

static void free_row(struct row *row)
{
    for (int f = 0; f < FIELDS; f++)
        free(row->columns[f]);
    free(row->values);
    weft_id_map_free(&row->labels);
}

/* Makes the map from index to ordinal of a PE whose indices are not 1, 2, 3 ... */
static void map_indices(void *user, size_t pe)
{
    struct reductions *r = user;
    size_t n = r->pes[pe].count;
    if (!n || r->fields[INDEX] == WEFT_NONE)
        return;
    uint32_t *column = weft_zalloc(n + 1, sizeof *column);
    r->source->ops->column(r->source, r->pes[pe].track, r->fields[INDEX], copy_run, column);
    bool in_order = true;
    for (size_t i = 0; i < n && in_order; i++)
        in_order = column[i] == i + 2;
    for (size_t i = 0; i < n && !in_order; i++)
        if (column[i])
            weft_id_map_put(&r->ordinals[pe], column[i] - 1, (uint32_t)i);
    free(column);
}

/*
 * Returns the number of the node with INDEX on PE. Without one, returns NUMBER, the child's
 * own: a node that is its own parent is left out of the tree.
 */
static uint32_t number_of(const struct reductions *r, uint32_t pe, uint32_t index,
                          uint32_t number)
{
    if (pe >= r->n_pes || !index)
        return number;
    uint64_t ordinal = r->ordinals[pe].count ? weft_id_map_get(&r->ordinals[pe], index)
                                             : (uint64_t)index - 1;
    return ordinal < r->pes[pe].count ? r->pes[pe].first + (uint32_t)ordinal : number;
}

/*
 * Returns the label of a value and clause that is new to the row; another row may have made
 * it.
 */
static uint32_t new_label(struct reductions *r, uint64_t key, uint32_t site)
{
    const struct weft_schema *schema = r->source->schema;
    uint32_t value = (uint32_t)(key >> 32), clause = (uint32_t)key;
    uint32_t label = weft_id_map_get(&r->labels, key);
    if (label != WEFT_MAP_NONE)
        return label;
    label = weft_tree_label(
        r->builder, &(struct weft_tree_label){ schema->values[value].name, value,
                                               clause ? clause - 1 : 0,
                                               site < schema->n_sites ? site : WEFT_NONE });
    weft_id_map_put(&r->labels, key, label);
    return label;
}

static uint32_t label_of(struct row *row, size_t i, uint64_t key)
{
    struct reductions *r = row->r;
    uint32_t label = weft_id_map_get(&row->labels, key);
    if (label != WEFT_MAP_NONE)
        return label;
    uint32_t site =
        row->columns[SITE] && row->columns[SITE][i] ? row->columns[SITE][i] - 1 : WEFT_NONE;
    pthread_mutex_lock(&r->mutex);
    label = new_label(r, key, site);
    pthread_mutex_unlock(&r->mutex);
    weft_id_map_put(&row->labels, key, label);
    return label;
}

static void add_to(struct weft_span *all, struct weft_span part)
{
    all->begin = part.begin < all->begin ? part.begin : all->begin;
    all->end = part.end > all->end ? part.end : all->end;
}

/* Finds the damaged parts. The columns have been read, so their damage is known. */
static void find_lost(struct row *row)
{
    struct reductions *r = row->r;
    size_t known = r->source->ops->damage(r->source, 0, NULL, 0);
    size_t n = known < MAX_LOST ? known : MAX_LOST;
    struct weft_damage *list = weft_alloc((n + 1) * sizeof *list);
    row->lost_pes = row->lost_indices = (struct weft_span){ INT64_MAX, INT64_MIN };
    row->knows_lost = true;
    (void)r->source->ops->damage(r->source, 0, list, n);
    for (size_t i = 0; i < n; i++) {
        if (list[i].what != WEFT_DAMAGED_FIELDS || list[i].track != r->pes[row->pe].track)
            continue;
        if (list[i].field == r->fields[PARENT_PE])
            add_to(&row->lost_pes, list[i].span);
        if (list[i].field == r->fields[PARENT_INDEX])
            add_to(&row->lost_indices, list[i].span);
    }
    free(list);
}

static bool is_within(int64_t time, struct weft_span span)
{
    return span.begin <= time && time <= span.end;
}

/*
 * Returns true if a reduction without a complete parent is no root. A root names neither
 * row nor number of a parent. A reduction that names one of them had a parent; it may have
 * had one while both columns are damaged.
 */
static bool lacks_parent(struct row *row, size_t i, int64_t time)
{
    bool has_pe = row->columns[PARENT_PE][i], has_index = row->columns[PARENT_INDEX][i] > 1;
    if (!row->knows_lost)
        find_lost(row);
    bool pe_lost = !has_pe && is_within(time, row->lost_pes);
    bool index_lost = !has_index && is_within(time, row->lost_indices);
    return (has_index && pe_lost) || (has_pe && index_lost) || (pe_lost && index_lost);
}

/* Returns the number of the parent; NUMBER, the node's own, keeps it out of the tree. */
static uint32_t parent_of(struct row *row, size_t i, int64_t time, uint32_t number)
{
    uint32_t pe = row->columns[PARENT_PE][i], index = row->columns[PARENT_INDEX][i];
    if (pe && index >= 2)
        return number_of(row->r, pe - 1, index - 1, number);
    return lacks_parent(row, i, time) ? number : WEFT_NONE;
}

static void fill_row(struct row *row)
{
    struct reductions *r = row->r;
    uint32_t first = r->pes[row->pe].first;
    bool in_order = !r->ordinals[row->pe].count;
    uint64_t last_key = UINT64_MAX;
    uint32_t label = 0;
    for (size_t i = 0; i < row->n; i++) {
        if (row->values[i] == WEFT_NONE)
            continue; /* its state is damaged: time and procedure are unknown */
        int64_t time = row->nodes[i].time; /* set by add_state */
        uint32_t number = first + (uint32_t)i;
        uint32_t record = row->columns[RECORD] ? row->columns[RECORD][i] : 0;
        uint64_t key = (uint64_t)row->values[i] << 32
                       | (row->columns[CLAUSE] ? row->columns[CLAUSE][i] : 0);
        if (key != last_key || !i)
            label = label_of(row, i, key);
        last_key = key;
        row->nodes[i] = (struct weft_tree_node){
            .parent = parent_of(row, i, time, number),
            .label = label,
            .time = time,
            .ordinal = (uint32_t)i,
            .record = record ? record - 1 : 0,
            .index = in_order || !row->columns[INDEX][i] ? 0 : row->columns[INDEX][i] - 1,
            .pe = (uint16_t)row->pe
        };
    }
}

static void read_row(void *user, size_t i)
{
    struct row *rows = user;
    load_row(&rows[i]);
    fill_row(&rows[i]);
}

static bool read_rows(struct reductions *r, struct weft_job *job, struct weft_err *err)
{
    enum { MAX_WIDTH = 4 }; /* rows read in parallel, at 28 bytes a reduction each */
    unsigned width = weft_parallel_width() < MAX_WIDTH ? weft_parallel_width() : MAX_WIDTH;
    struct row rows[MAX_WIDTH];
    size_t most = 0;
    bool ok = true;
    for (uint32_t p = 0; p < r->n_pes; p++)
        most = r->pes[p].count > most ? r->pes[p].count : most;
    for (unsigned i = 0; i < width; i++)
        make_row(&rows[i], r, most);
    for (uint32_t p = 0; ok && p < r->n_pes;) {
        uint32_t n = 0;
        for (; n < width && p < r->n_pes; p++)
            if (r->pes[p].count)
                rows[n++].pe = p;
        ok = weft_job_step(job, p, r->n_pes, err);
        if (ok)
            weft_parallel(n, 1, read_row, rows);
    }
    for (unsigned i = 0; i < width; i++)
        free_row(&rows[i]);
    return ok;
}

static struct weft_tree *read_reductions(const struct weft_source *source, uint32_t type,
                                         struct weft_job *job, struct weft_err *err)
{
    static const enum weft_role roles[FIELDS] = {
        [RECORD] = WEFT_ROLE_RECORD_NUMBER,
        [CLAUSE] = WEFT_ROLE_CLAUSE,
        [INDEX] = WEFT_ROLE_NUMBER,
        [PARENT_PE] = WEFT_ROLE_PARENT_ROW,
        [PARENT_INDEX] = WEFT_ROLE_PARENT_NUMBER,
        [SITE] = WEFT_ROLE_SITE,
    };
    struct reductions r = { .source = source,
                            .builder = weft_tree_builder_new(),
                            .job = job,
                            .mutex = PTHREAD_MUTEX_INITIALIZER };
    bool ok = true;
    index_rows(&r, source->schema, type);
    for (int f = 0; f < FIELDS; f++)
        r.fields[f] = weft_field_of_type(source->schema, type, roles[f],
                                         f == SITE ? WEFT_FIELD_SITE : WEFT_FIELD_INTEGER);
    r.ordinals = weft_zalloc(r.n_pes + 1, sizeof *r.ordinals);
    for (uint32_t p = 0; p < r.n_pes && ok; p++) {
        const struct weft_tree_pe *pe = weft_tree_pe(
            r.builder, r.pes[p].name, r.pes[p].container, r.pes[p].track, r.pes[p].count);
        ok = pe || too_large(err);
        if (pe)
            r.pes[p].first = pe->first;
    }
    if (ok)
        weft_parallel(r.n_pes, 1, map_indices, &r);
    ok = ok && read_rows(&r, job, err);
    for (uint32_t p = 0; p < r.n_pes; p++)
        weft_id_map_free(&r.ordinals[p]);
    weft_id_map_free(&r.labels);
    pthread_mutex_destroy(&r.mutex);
    free(r.ordinals);
    free(r.pes);
    struct weft_tree *tree = NULL;
    if (ok)
        tree = weft_tree_finish(r.builder, job, err);
    else
        weft_tree_builder_free(r.builder);
    if (tree) {
        tree->has_reductions = true;
        tree->type = type;
    }
    return tree;
}

struct weft_tree *weft_tree_read(const struct weft_source *source, struct weft_job *job,
                                 struct weft_err *err)
{
    uint32_t type = weft_tree_reduction_type(source->schema);
    return type == WEFT_NONE ? weft_tree_read_calls(source, job, err)
                             : read_reductions(source, type, job, err);
}
