/* SPDX-License-Identifier: Apache-2.0 */
/* Filters that say how rows look: reductions to one row, and heights. */
#include <stdlib.h>
#include <string.h>

#include "analyse/active_members.h"
#include "filter/filtered_source_priv.h"

/* Sets ACTIVE to the values that the selection line->name means; false with *f->err. */
static bool mark_selected(struct filtered *f, const struct weft_filter_line *line,
                          uint8_t *active)
{
    bool any = false;
    struct weft_where *where = filter_where(f, line->number, line->name);
    if (!where)
        return false;
    bool sure = weft_where_state_values(where, active);
    weft_where_free(where);
    for (uint32_t v = 0; v < f->schema.n_values; v++)
        any |= active[v];
    if (!sure)
        return weft_filter_fail(f->err, line->number,
                                "shades are of states by their value or role, not of "
                                "'%.100s'",
                                line->name);
    return any
           || weft_filter_fail(f->err, line->number, "no state is '%.100s'", line->name);
}

static const struct weft_reduction *reduction_of(struct filtered *f,
                                                 const struct weft_filter_line *line)
{
    uint8_t *active = weft_arena_zalloc(&f->arena, (size_t)f->schema.n_values + 1, 1);
    struct weft_reduction *reduction = weft_arena_zalloc(&f->arena, 1, sizeof *reduction);
    *reduction = (struct weft_reduction){ line->shades, line->sums, active, line->name };
    if (!line->name)
        reduction->what =
            weft_values_of_work(&f->schema, active) ? "at work" : "in a state";
    return !line->name || mark_selected(f, line, active) ? reduction : NULL;
}

/* ---- Rows ---- */

/* Sets ROWS to the rows that LINE reduces. */
static bool reduced_rows(struct filtered *f, const struct weft_filter_line *line,
                         uint8_t *rows)
{
    bool any = false;
    if (line->verb == WEFT_FILTER_REDUCE)
        return filter_rows_named(f, line, line->text, rows);
    for (uint32_t c = 0; c < f->schema.n_containers; c++) {
        rows[c] = !f->gone[c]
                  && (line->verb == WEFT_FILTER_REDUCE_GROUPS
                          ? c >= f->below->schema->n_containers
                          : f->containers[c].depth == line->by);
        any |= rows[c];
    }
    return any
           || weft_filter_fail(f->err, line->number,
                               line->verb == WEFT_FILTER_REDUCE_GROUPS
                                   ? "no filter before this one makes groups"
                                   : "no row is at that depth");
}

bool filter_rows_reduce(struct filtered *f, const struct weft_filter_line *line)
{
    uint32_t n = f->schema.n_containers;
    uint8_t *rows = weft_zalloc((size_t)n + 1, 1);
    const struct weft_reduction *reduction = NULL;
    if (reduced_rows(f, line, rows))
        reduction = reduction_of(f, line);
    if (reduction && !f->reduced)
        f->schema.reduced = f->reduced =
            weft_arena_zalloc(&f->arena, (size_t)n + 1, sizeof *f->reduced);
    for (uint32_t c = 0; reduction && c < n; c++)
        if (rows[c])
            f->reduced[c] = reduction;
    free(rows);
    return reduction;
}

bool filter_rows_height(struct filtered *f, const struct weft_filter_line *line)
{
    uint32_t n = f->schema.n_containers;
    uint8_t *rows = weft_zalloc((size_t)n + 1, 1);
    bool ok = filter_rows_named(f, line, line->text, rows), any = false;
    if (ok && !f->heights)
        f->schema.heights = f->heights =
            weft_arena_zalloc(&f->arena, (size_t)n + 1, sizeof *f->heights);
    for (uint32_t c = 0; ok && c < n; c++)
        if (rows[c]) {
            f->heights[c] = (uint16_t)line->by;
            any = true;
        }
    free(rows);
    return ok
           && (any
               || weft_filter_fail(f->err, line->number, "no row is called like '%.100s'",
                                   line->text));
}
