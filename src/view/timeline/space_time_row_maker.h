/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the space-time view: what the files that choose its rows share. */
#ifndef WEFT_VIEW_SPACE_TIME_ROW_MAKER_H
#define WEFT_VIEW_SPACE_TIME_ROW_MAKER_H

#include "view/timeline/space_time.h"

/* The rows that are being made; st_rows_make() has one. */
struct row_maker {
    struct st_rows *rows;
    const struct weft_schema *schema;
    struct weft_arena *arena;
    const char *patterns;
    uint32_t base_depth, close_depth;
    uint8_t *toggled; /* by container: closed, or open at or below close_depth */
    struct st_move *moves;
    size_t n_moves;
    bool events, variables;
    bool lanes;  /* containers take turns in rows */
    bool shares; /* of a processor: where nobody knows when threads had one */
    const struct weft_relevance *relevance;
    uint8_t *folded;   /* by container: it has no row; NULL: all have */
    uint32_t *place;   /* by container: its place among secondary ones, from 1 */
    uint8_t *unfolded; /* by container: its children have rows in any case */
    uint8_t *wanted;   /* by container that was looked at: the reader wants its rows */
    uint32_t *counts;  /* by type, scratch; zero between uses */
    uint32_t *kinds;   /* types with a count */
};

/* Sets what any row has; FIRST: it carries the name of CONTAINER. */
void st_fill_row(struct row_maker *m, struct st_row *row, enum st_row_kind kind,
                 uint32_t container, uint32_t type, bool first);
/* Returns true if TRACK is to have a row of KIND, or to be on one. */
bool st_is_wanted(const struct row_maker *m, uint32_t track, enum st_row_kind kind);
/*
 * Adds the rows of containers that take turns in them, FIRST and those behind it: one for
 * each type of states, on the first of which their events are.  Curves have no row there.
 */
void st_add_lane(struct row_maker *m, uint32_t first);
/*
 * Returns true if the variables of an open container that never change share one row: if it
 * has other rows but none of states, or containers inside, and the reader has not unfolded
 * it.
 */
bool st_has_constants(const struct row_maker *m, uint32_t container);
/* Adds that row: "speed 48,492,000, core_count 1". */
void st_add_constants(struct row_maker *m, uint32_t container);

/* Counts one more of a type in m->counts; lists it in m->kinds if it is the first. */
void st_count_type(struct row_maker *m, uint32_t type, size_t *n_kinds);
/* Sets the counts of the first N_KINDS types of m->kinds to 0. */
void st_forget_types(struct row_maker *m, size_t n_kinds);
/*
 * Adds a closed container: one row for each type of states, the sum of all tracks below it;
 * if a filter reduces it, one for each type of variables, too.
 */
void st_add_closed(struct row_maker *m, uint32_t container);

#endif
