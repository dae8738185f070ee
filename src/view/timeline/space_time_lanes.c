/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in which containers that live one after the other take turns (a filter's reuse). */
#include "view/timeline/space_time_row_maker.h"

/* Lists the tracks of KIND of all containers that take turns in the rows of FIRST. */
static uint32_t *lane_tracks(struct row_maker *m, uint32_t first, enum st_row_kind kind,
                             uint32_t *n)
{
    const struct weft_schema *schema = m->schema;
    uint32_t *tracks = NULL;
    for (int fill = 0; fill < 2; fill++) { /* first they are counted */
        if (fill)
            tracks = weft_arena_alloc(m->arena, (*n + 1) * sizeof *tracks);
        *n = 0;
        for (uint32_t c = first; c != WEFT_NONE; c = schema->lane_next[c]) {
            uint32_t at = schema->containers[c].order;
            for (uint32_t i = schema->track_begin[at]; i < schema->track_begin[at + 1]; i++)
                if (st_is_wanted(m, schema->track_at[i], kind)) {
                    if (fill)
                        tracks[*n] = schema->track_at[i];
                    ++*n;
                }
        }
    }
    return tracks;
}

/* Adds a row of the tracks in LIST that have TYPE, which are taken out of it. */
static struct st_row *add_lane_row(struct row_maker *m, uint32_t first,
                                   enum st_row_kind kind, uint32_t *list, uint32_t *n)
{
    const struct weft_schema *schema = m->schema;
    uint32_t type = schema->tracks[list[0]].type, left = 0;
    struct st_row *row = st_row_add(m->rows, m->arena);
    st_fill_row(m, row, kind, first, type, m->rows->row_of[first] == WEFT_NONE);
    row->tracks = weft_arena_alloc(m->arena, *n * sizeof *row->tracks);
    row->lanes = 1;
    for (uint32_t i = 0; i < *n; i++) {
        const struct weft_track *track = &schema->tracks[list[i]];
        if (track->type != type) {
            list[left++] = list[i];
            continue;
        }
        row->tracks[row->n_tracks++] = list[i];
        if (track->max_depth > row->max_depth)
            row->max_depth = track->max_depth;
    }
    *n = left;
    return row;
}

void st_add_lane(struct row_maker *m, uint32_t first)
{
    const struct weft_schema *schema = m->schema;
    uint32_t n, n_events, others = 0;
    size_t before = m->rows->n;
    uint32_t *tracks = lane_tracks(m, first, ST_STATES, &n);
    uint32_t *events = lane_tracks(m, first, ST_EVENTS, &n_events);
    while (n) {
        struct st_row *row = add_lane_row(m, first, ST_STATES, tracks, &n);
        row->events = row->first ? events : NULL;
        row->n_events = row->first ? n_events : 0;
    }
    while (m->rows->n == before && n_events)
        (void)add_lane_row(m, first, ST_EVENTS, events, &n_events);
    if (m->rows->n == before)
        st_fill_row(m, st_row_add(m->rows, m->arena), ST_HEADER, first, WEFT_NONE, true);
    for (uint32_t c = schema->lane_next[first]; c != WEFT_NONE; c = schema->lane_next[c]) {
        m->rows->row_of[c] = m->rows->row_of[first];
        others++;
    }
    m->rows->list[before].label =
        weft_arena_printf(m->arena, "%s and %u more",
                          weft_name_cut(schema->containers[first].name, m->arena), others);
}
