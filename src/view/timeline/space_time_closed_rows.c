/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of containers that are closed, or that a filter reduces: one for all members. */
#include <limits.h>
#include <stdlib.h>

#include "analyse/active_members.h"
#include "base/compare.h"
#include "view/timeline/space_time_row_maker.h"

/*
 * Returns the order (weft_type_order) of the most relevant type with states on tracks
 * [begin, end).
 */
static unsigned best_order(const struct weft_schema *schema, uint32_t begin, uint32_t end)
{
    unsigned best = UINT_MAX;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t t = schema->track_at[i], type = schema->tracks[t].type;
        if (schema->types[type].kind != WEFT_STATE || !schema->tracks[t].count)
            continue;
        unsigned order = weft_type_order(schema, type);
        best = order < best ? order : best;
    }
    return best;
}

void st_count_type(struct row_maker *m, uint32_t type, size_t *n_kinds)
{
    if (!m->counts) {
        m->counts = weft_arena_zalloc(m->arena, m->schema->n_types, sizeof *m->counts);
        m->kinds = weft_arena_alloc(m->arena, m->schema->n_types * sizeof *m->kinds);
    }
    if (m->counts[type]++ == 0)
        m->kinds[(*n_kinds)++] = type;
}

void st_forget_types(struct row_maker *m, size_t n_kinds)
{
    for (size_t k = 0; k < n_kinds; k++)
        m->counts[m->kinds[k]] = 0;
}

/* Returns true if the track is summed in a row of a closed container. */
static bool is_summed(const struct weft_schema *schema, uint32_t track, bool works)
{
    uint32_t type = schema->tracks[track].type;
    return schema->tracks[track].count && schema->types[type].kind == WEFT_STATE
           && !(works && weft_type_order(schema, type) == 2);
}

/* Adds a row for each type that m->counts has tracks of; their tracks follow. */
static void add_rows(struct row_maker *m, uint32_t container, enum st_row_kind kind,
                     size_t n_kinds)
{
    bool first = m->rows->row_of[container] == WEFT_NONE;
    const struct weft_reduction *const *reduced = m->schema->reduced;
    for (size_t k = 0; k < n_kinds; k++) {
        uint32_t type = m->kinds[k];
        struct st_row *row = st_row_add(m->rows, m->arena);
        st_fill_row(m, row, kind, container, type, first && k == 0);
        row->tracks = weft_arena_alloc(m->arena, m->counts[type] * sizeof *row->tracks);
        row->max_depth = 1;
        row->reduction = reduced ? reduced[container] : NULL;
        m->counts[type] = (uint32_t)k; /* from here on, the type's row */
    }
}

static void add_track(struct row_maker *m, size_t first_row, uint32_t t)
{
    const struct weft_track *track = &m->schema->tracks[t];
    struct st_row *row = &m->rows->list[first_row + m->counts[track->type]];
    row->tracks[row->n_tracks++] = t;
    if (track->max_depth > row->max_depth)
        row->max_depth = track->max_depth;
}

/* Adds a curve for each type of variables in a reduced container: of all its members. */
static void add_reduced_curves(struct row_maker *m, uint32_t container)
{
    const struct weft_schema *schema = m->schema;
    const struct weft_container *c = &schema->containers[container];
    uint32_t begin = schema->track_begin[c->order],
             end = schema->track_begin[c->subtree_end];
    size_t rows_before = m->rows->n, n_kinds = 0;
    for (uint32_t i = begin; i < end; i++)
        if (st_is_wanted(m, schema->track_at[i], ST_CURVE))
            st_count_type(m, schema->tracks[schema->track_at[i]].type, &n_kinds);
    if (!n_kinds)
        return;
    qsort(m->kinds, n_kinds, sizeof *m->kinds, weft_by_u32);
    add_rows(m, container, ST_CURVE, n_kinds);
    for (uint32_t i = begin; i < end; i++)
        if (st_is_wanted(m, schema->track_at[i], ST_CURVE))
            add_track(m, rows_before, schema->track_at[i]);
    st_forget_types(m, n_kinds);
}

/*
 * A reduced row is as tall as members lived at once at most; the name of its first row says
 * how many it has.
 */
static void count_members(struct row_maker *m, struct st_row *row)
{
    const char *name = m->schema->containers[row->container].name;
    size_t at_once = weft_most_at_once(m->schema, row->tracks, row->n_tracks);
    if (row->kind == ST_STATES && at_once < row->n_tracks)
        row->lanes = (uint32_t)at_once;
    const char *once =
        row->lanes ? weft_arena_printf(m->arena, ", %zu at once", at_once) : "";
    if (row->first && row->n_tracks)
        row->label = weft_arena_printf(m->arena, "%s (%u%s)", weft_name_cut(name, m->arena),
                                       row->n_tracks, once);
}

/*
 * States of locks are left out beside those of threads, unless all rows are wanted.
 */
void st_add_closed(struct row_maker *m, uint32_t container)
{
    const struct weft_schema *schema = m->schema;
    const struct weft_container *c = &schema->containers[container];
    uint32_t begin = schema->track_begin[c->order],
             end = schema->track_begin[c->subtree_end];
    size_t rows_before = m->rows->n, n_kinds = 0;
    bool works = m->folded && best_order(schema, begin, end) < 2;
    for (uint32_t i = begin; i < end; i++)
        if (is_summed(schema, schema->track_at[i], works))
            st_count_type(m, schema->tracks[schema->track_at[i]].type, &n_kinds);
    if (n_kinds)
        qsort(m->kinds, n_kinds, sizeof *m->kinds, weft_by_u32);
    add_rows(m, container, ST_STATES, n_kinds);
    for (uint32_t i = begin; i < end; i++)
        if (is_summed(schema, schema->track_at[i], works))
            add_track(m, rows_before, schema->track_at[i]);
    st_forget_types(m, n_kinds);
    bool reduced = schema->reduced && schema->reduced[container];
    if (reduced)
        add_reduced_curves(m, container);
    if (m->rows->n == rows_before)
        st_fill_row(m, st_row_add(m->rows, m->arena), ST_HEADER, container, WEFT_NONE,
                    true);
    for (size_t i = rows_before; reduced && i < m->rows->n; i++)
        count_members(m, &m->rows->list[i]);
    for (size_t i = rows_before; i < m->rows->n; i++)
        m->rows->list[i].closed = true;
    for (uint32_t p = c->order; p < c->subtree_end; p++)
        m->rows->row_of[schema->preorder[p]] = m->rows->row_of[container];
}
