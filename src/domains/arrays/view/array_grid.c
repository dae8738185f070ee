/* SPDX-License-Identifier: Apache-2.0 */
/* Array grid: a cell for each element, coloured by its number of references (CIS-TR-93-21,
   figures 5.4, 5.6, 5.7 and 5.9); and distribution map: coloured by owner (figure 5.1). */
#include <string.h>

#include "domains/arrays/view/element_looks.h"
#include "domains/arrays/view/view_skeleton.h"
#include "domains/arrays/view/views.h"

static const struct weft_parameter parameters[] = {
    ARRAYS_PARAMETER_ARRAY,     ARRAYS_PARAMETER_DISTRIBUTION,  ARRAYS_PARAMETER_QUANTITY,
    ARRAYS_PARAMETER_STATISTIC, ARRAYS_PARAMETERS_LOOK("same"), ARRAYS_PARAMETER_STEP,
    ARRAYS_PARAMETER_SCALE,     ARRAYS_PARAMETER_SLICE,         ARRAYS_PARAMETER_COMPUTE,
    ARRAYS_PARAMETER_PROCESSOR, ARRAYS_PARAMETER_LIT,           ARRAYS_PARAMETERS_ZOOM,
};

static const struct weft_parameter map_parameters[] = {
    ARRAYS_PARAMETER_ARRAY, ARRAYS_PARAMETER_DISTRIBUTION, ARRAYS_PARAMETER_STEP,
    ARRAYS_PARAMETER_SLICE, ARRAYS_PARAMETER_COMPUTE,      ARRAYS_PARAMETER_PROCESSOR,
    ARRAYS_PARAMETER_LIT,   ARRAYS_PARAMETERS_ZOOM,
};

/* ---- Both pictures ---- */

static const char *subtitle_of(struct arrays_question *q, const struct arrays_grid *grid)
{
    bool map = q->request->view == &weft_view_distribution_map;
    const char *text = weft_arena_printf(
        q->arena, "%s · %s", arrays_title(q),
        map ? weft_arena_printf(q->arena, "in step %u of 0 to %u", q->step, q->steps - 1)
            : arrays_steps_text(q, q->statistic == ARRAYS_STEP ? ARRAYS_STEP
                                                               : ARRAYS_CUMULATIVE));
    const char *each = arrays_grid_text(grid);
    if (each && map)
        each = weft_arena_printf(q->arena, "%.*s, their colours mixed",
                                 (int)strcspn(each, ","), each);
    if (each)
        text = weft_arena_printf(q->arena, "%s · %s", text, each);
    if (!map && grid->ramp.quantity == q->quantity)
        text =
            weft_arena_printf(q->arena, "%s · %s", arrays_quantity_name(q->quantity), text);
    if (!q->known)
        text = weft_arena_printf(
            q->arena, "%s · local and remote are not known: no distribution", text);
    if (grid->cells.full || grid->circle_cells.full)
        text = weft_arena_printf(q->arena, "%s · counts end at 4,294,967,295", text);
    return text;
}

static bool read_look(struct arrays_question *q, struct arrays_look *look,
                      struct weft_err *err)
{
    if (q->request->view == &weft_view_array_grid)
        return arrays_look_read(q, look, err);
    *look = (struct arrays_look){ .fill = ARRAYS_FILL_OWNER, .numbers = true };
    return true;
}

/* The legend depends on the visible cells and takes room from the picture, so the grid is
   placed without it, and again with it. */
static bool lay_out(struct arrays_question *q, struct weft_scene *scene,
                    struct arrays_grid *grid, struct weft_err *err)
{
    struct arrays_look look;
    struct arrays_legend legend = { .n = 0 };
    struct weft_frame frame;
    const char *subtitle = arrays_title(q);
    if (!read_look(q, &look, err))
        return false;
    for (int pass = 0; pass < 2; pass++) {
        weft_frame_begin(&frame, scene, q->request, 0, false, legend.entries, legend.n,
                         subtitle);
        arrays_grid_place(grid, q, &frame, frame.plot);
        legend.n = 0;
        if (!arrays_look_apply(&look, grid, &legend, err))
            return false;
        subtitle = subtitle_of(q, grid);
    }
    arrays_tell_steps(q, scene);
    return true;
}

static bool draw(struct arrays_question *q, struct weft_scene *scene, struct weft_err *err)
{
    struct arrays_grid grid;
    bool ok = lay_out(q, scene, &grid, err);
    if (ok)
        arrays_grid_draw(&grid);
    return ok;
}

static bool put_point(struct arrays_question *q, struct weft_point at, uint64_t *id,
                      struct weft_table *table, struct weft_err *err)
{
    struct weft_scene scene;
    struct arrays_grid grid;
    uint64_t row, column;
    bool ok = lay_out(q, &scene, &grid, err);
    if (ok && arrays_grid_at(&grid, at, &row, &column))
        arrays_element_facts(&grid, row, column, table, id);
    return ok;
}

/* ---- Array grid ---- */

static const struct arrays_display grid_display = {
    .draw = draw,
    .put_table = arrays_element_table,
    .put_point = put_point,
};

const struct weft_view weft_view_array_grid = {
    .name = "array-grid",
    .title = "Array grid",
    .group = "Arrays",
    .explanation =
        "Each cell is an element of the array: the darker, the more often it was "
        "referenced; a circle's area shows the number so far.",
    .needs = ARRAYS_NEEDS,
    .of_run = true,
    .of_all = true,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = arrays_element_columns,
    .n_columns = ARRAYS_ELEMENT_COLUMNS,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = arrays_fills,
    .usual_place = WEFT_PLACE_MAIN,
    .scene = arrays_scene,
    .table = arrays_table,
    .point = arrays_point,
    .own = &grid_display,
};

/* ---- Distribution map ---- */

static bool put_owners(struct arrays_question *q, struct weft_table *table,
                       struct weft_err *err)
{
    (void)err;
    weft_view_begin_table(q->request, table);
    for (uint64_t r = 0; r < q->plane.rows; r++)
        for (uint64_t c = 0; c < q->plane.columns; c++) {
            uint32_t owner = arrays_owner(q, r, c);
            struct weft_cell cells[3] = { weft_integer_cell((int64_t)r),
                                          weft_integer_cell((int64_t)c) };
            if (owner != WEFT_NONE)
                cells[2] = weft_integer_cell(owner);
            if (!table->row(table, cells)) {
                table->end(table);
                return true;
            }
        }
    table->end(table);
    return true;
}

static const struct arrays_display map_display = {
    .missing = arrays_missing,
    .draw = draw,
    .put_table = put_owners,
    .put_point = put_point,
};

static const struct weft_column map_columns[] = {
    { .name = "row" },
    { .name = "col" },
    { .name = "owner" },
};

const struct weft_view weft_view_distribution_map = {
    .name = "distribution-map",
    .title = "Distribution map",
    .group = "Arrays",
    .explanation =
        "Each cell is an element of the array, in the colour of the processor that "
        "owns it.",
    .needs = ARRAYS_NEEDS,
    .of_run = true,
    .of_all = true,
    .parameters = map_parameters,
    .n_parameters = sizeof map_parameters / sizeof *map_parameters,
    .columns = map_columns,
    .n_columns = sizeof map_columns / sizeof *map_columns,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = arrays_fills,
    .usual_place = WEFT_PLACE_BESIDE,
    .scene = arrays_scene,
    .table = arrays_table,
    .point = arrays_point,
    .own = &map_display,
};
