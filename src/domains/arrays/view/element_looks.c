/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/arrays/view/element_looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domains/arrays/model/count_cells.h"

/* ---- Looks ---- */

bool arrays_look_read(const struct arrays_question *q, struct arrays_look *look,
                      struct weft_err *err)
{
    const char *background = weft_setting(q->request, "background");
    const char *quantity = weft_setting(q->request, "background_quantity");
    const char *color = weft_setting(q->request, "glyph_color");
    *look = (struct arrays_look){
        .fill = strcmp(background, "owner") == 0  ? ARRAYS_FILL_OWNER
                : strcmp(background, "none") == 0 ? ARRAYS_FILL_NONE
                                                  : ARRAYS_FILL_RAMP,
        .background = arrays_statistic_of(background),
        .background_quantity =
            strcmp(quantity, "same") == 0 ? q->quantity : arrays_quantity_of(quantity),
        .glyphs = strcmp(weft_setting(q->request, "glyphs"), "on") == 0,
        .color_owner = strcmp(color, "owner") == 0,
        .color_quantity = q->quantity,
        .numbers = true,
    };
    if (!look->color_owner && strcmp(color, "same") != 0)
        look->color_quantity = arrays_quantity_of(color);
    if (look->fill == ARRAYS_FILL_OWNER && !q->known)
        look->fill = ARRAYS_FILL_NONE;
    return arrays_read_scale(q, &look->scale, err);
}

static const char *statistic_name(const struct arrays_question *q,
                                  enum arrays_statistic statistic,
                                  enum arrays_quantity quantity)
{
    return quantity == q->quantity
               ? arrays_statistic_word(statistic)
               : weft_arena_printf(q->arena, "%s, %s", arrays_statistic_word(statistic),
                                   arrays_quantity_name(quantity));
}

/* Adds the colours of the first processors' elements. */
static void legend_of_owners(struct arrays_legend *legend, const struct arrays_grid *grid)
{
    enum { NAMED = 16 };
    const struct arrays_question *q = grid->q;
    for (uint32_t p = 0; p < q->processors && p < NAMED; p++) {
        struct weft_swatch swatch = weft_number_swatch(grid->theme, p);
        arrays_legend_say(legend, q, swatch,
                          weft_arena_printf(q->arena, p ? "%u" : "processor %u", p));
    }
    if (q->processors > NAMED)
        arrays_legend_say(
            legend, q, (struct weft_swatch){ .fill = grid->theme->empty },
            weft_arena_printf(q->arena, "… to %u, colours again", q->processors - 1));
}

static bool apply_background(const struct arrays_look *look, struct arrays_grid *grid,
                             struct arrays_legend *legend, struct weft_err *err)
{
    struct arrays_question *q = grid->q;
    enum arrays_statistic statistic = look->background;
    enum arrays_quantity quantity = look->background_quantity;
    grid->fill = look->fill;
    if (grid->fill == ARRAYS_FILL_NONE
        && !grid->circles) { /* else nothing would be drawn */
        grid->fill = ARRAYS_FILL_RAMP;
        statistic = q->statistic;
        quantity = q->quantity;
    }
    if (grid->fill == ARRAYS_FILL_OWNER)
        legend_of_owners(legend, grid);
    if (grid->fill != ARRAYS_FILL_RAMP)
        return true;
    if (!arrays_use_cells(q, statistic, grid->shift, &grid->cells, err))
        return false;
    grid->shift = grid->cells.shift;
    arrays_ramp_make(
        &grid->ramp, grid->theme, &look->scale, quantity, statistic,
        arrays_most_of_cells(q, &look->scale, &grid->cells, quantity, statistic),
        grid->circles);
    if (grid->theme->name != WEFT_THEME_MONO || !grid->marks)
        arrays_legend_ramp(legend, q, &grid->ramp, statistic_name(q, statistic, quantity));
    return true;
}

static bool apply_circles(const struct arrays_look *look, struct arrays_grid *grid,
                          struct arrays_legend *legend, struct weft_err *err)
{
    struct arrays_question *q = grid->q;
    if (!arrays_use_cells(q, q->statistic, 0, &grid->circle_cells, err))
        return false;
    grid->color_cells = grid->circle_cells;
    arrays_ramp_make(&grid->circle_ramp, grid->theme, &look->scale, q->quantity,
                     q->statistic,
                     arrays_most_of_cells(q, &look->scale, &grid->circle_cells, q->quantity,
                                          q->statistic),
                     false);
    arrays_ramp_make(&grid->color_ramp, grid->theme, &look->scale, look->color_quantity,
                     q->statistic,
                     arrays_most_of_cells(q, &look->scale, &grid->color_cells,
                                          look->color_quantity, q->statistic),
                     false);
    grid->circle_owner = look->color_owner && q->known;
    arrays_legend_circle(legend, q, &grid->circle_ramp, "");
    if (look->color_quantity != q->quantity && !grid->circle_owner)
        arrays_legend_ramp(legend, q, &grid->color_ramp,
                           weft_arena_printf(q->arena, "colour of circles: %s",
                                             arrays_quantity_name(look->color_quantity)));
    if (grid->circle_owner && look->fill != ARRAYS_FILL_OWNER)
        legend_of_owners(legend, grid);
    return true;
}

bool arrays_look_apply(const struct arrays_look *look, struct arrays_grid *grid,
                       struct arrays_legend *legend, struct weft_err *err)
{
    grid->circles =
        look->glyphs && grid->marks && fmin(grid->width, grid->height) >= ARRAYS_MIN_CIRCLE;
    grid->numbers = look->numbers && grid->q->known;
    if (!apply_background(look, grid, legend, err)
        || (grid->circles && !apply_circles(look, grid, legend, err)))
        return false;
    arrays_legend_lit(legend, grid->q);
    return true;
}

/* ---- Tables ---- */

static bool put_elements(struct arrays_question *q,
                         const uint32_t (*counts)[WEFT_REFERENCE_KINDS],
                         const uint32_t *requesters, struct weft_table *table)
{
    for (uint64_t r = 0; r < q->plane.rows; r++)
        for (uint64_t c = 0; c < q->plane.columns; c++) {
            const uint32_t *of = counts[r * q->plane.columns + c];
            uint32_t owner = arrays_owner(q, r, c);
            struct weft_cell cells[ARRAYS_ELEMENT_COLUMNS] = {
                weft_integer_cell((int64_t)r), weft_integer_cell((int64_t)c)
            };
            if (owner != WEFT_NONE)
                cells[2] = weft_integer_cell(owner);
            arrays_count_cells(
                q, &(struct weft_reference_counts){ of[0], of[1], of[2], of[3], of[4] },
                cells + 3, cells + 8);
            cells[7] = weft_integer_cell(requesters[r * q->plane.columns + c]);
            if (!table->row(table, cells))
                return false;
        }
    return true;
}

const struct weft_column arrays_element_columns[ARRAYS_ELEMENT_COLUMNS] = {
    { .name = "row" },           { .name = "col" },
    { .name = "owner" },         { .name = "local_reads" },
    { .name = "remote_reads" },  { .name = "local_writes" },
    { .name = "remote_writes" }, { .name = "max_requesters_per_step" },
    { .name = "unowned_reads" },
};

bool arrays_element_table(struct arrays_question *q, struct weft_table *table,
                          struct weft_err *err)
{
    uint64_t n = weft_array_elements(q->array);
    if (n > ARRAYS_ELEMENTS_MAX)
        return weft_fail(err, WEFT_ERR_LIMIT, "%llu elements are too many for a table",
                         (unsigned long long)n);
    struct weft_count_query query = arrays_query(q, arrays_first_step(q, q->statistic));
    struct weft_array_plane plane = { q->plane.row_dimension, q->plane.column_dimension,
                                      .shift = 0 };
    memcpy(plane.index, q->plane.index, sizeof plane.index);
    uint32_t(*counts)[WEFT_REFERENCE_KINDS] =
        weft_zalloc(q->plane.rows * q->plane.columns, sizeof *counts);
    uint32_t *requesters =
        weft_zalloc(q->plane.rows * q->plane.columns, sizeof *requesters);
    struct weft_job *job = q->request->job;
    bool full = false;
    bool ok =
        weft_count_cells(&query, q->number, &plane, counts, &full, job, err)
        && weft_count_plane_requesters(&query, q->number, &plane, requesters, job, err);
    if (ok && full)
        ok =
            weft_fail(err, WEFT_ERR_LIMIT,
                      "an element has more than %u references of a kind: more than a table "
                      "is made for (statistic=step has fewer)",
                      UINT32_MAX);
    if (ok) {
        weft_view_begin_table(q->request, table);
        put_elements(q, (const uint32_t(*)[WEFT_REFERENCE_KINDS])counts, requesters, table);
        table->end(table);
    }
    free(counts);
    free(requesters);
    return ok;
}

/* ---- Points ---- */

static const char *cell_name(const struct arrays_grid *grid, uint64_t row, uint64_t column)
{
    struct arrays_question *q = grid->q;
    unsigned shift = grid->shift;
    uint64_t r = row >> shift << shift, c = column >> shift << shift;
    uint64_t r1 = r + (uint64_t)arrays_part(q->plane.rows, row >> shift, shift) - 1;
    uint64_t c1 = c + (uint64_t)arrays_part(q->plane.columns, column >> shift, shift) - 1;
    return weft_arena_printf(q->arena, "%s to %s", arrays_element_name(q, r, c),
                             arrays_element_name(q, r1, c1));
}

void arrays_element_facts(const struct arrays_grid *grid, uint64_t row, uint64_t column,
                          struct weft_table *table, uint64_t *id)
{
    struct arrays_question *q = grid->q;
    const struct arrays_cells *cells = grid->cells.now ? &grid->cells : NULL;
    bool single = !grid->shift;
    const char *name =
        single ? arrays_element_name(q, row, column) : cell_name(grid, row, column);
    uint32_t owner = arrays_owner(q, row, column);
    if (single && q->known)
        name =
            weft_arena_printf(q->arena, "%s · %s", name, arrays_processor_name(q, owner));
    if (q->known && owner != WEFT_NONE)
        *id = arrays_processor_id(owner);
    if (cells) {
        struct weft_reference_counts counts =
            arrays_cell(cells, row >> grid->shift, column >> grid->shift);
        if (!single)
            name = weft_arena_printf(q->arena, "%s together", name);
        name = arrays_counts_title(q, name, grid->ramp.statistic, &counts);
    }
    arrays_put_lines(q, table, name);
}
