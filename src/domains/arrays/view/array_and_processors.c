/* SPDX-License-Identifier: Apache-2.0 */
/* Array and processors: both grids in one picture, to find processors by their elements and
   elements by their processor (CIS-TR-93-21, section 7.1, asks for it). */
#include <math.h>
#include <string.h>

#include "domains/arrays/view/element_looks.h"
#include "domains/arrays/view/processor_grid.h"
#include "domains/arrays/view/view_skeleton.h"
#include "domains/arrays/view/views.h"

static const struct weft_parameter parameters[] = {
    ARRAYS_PARAMETER_ARRAY,     ARRAYS_PARAMETER_DISTRIBUTION,
    ARRAYS_PARAMETER_QUANTITY,  ARRAYS_PARAMETER_STATISTIC,
    ARRAYS_PARAMETER_BY,        ARRAYS_PARAMETERS_LOOK("owner"),
    ARRAYS_PARAMETER_STEP,      ARRAYS_PARAMETER_SCALE,
    ARRAYS_PARAMETER_SLICE,     ARRAYS_PARAMETER_COMPUTE,
    ARRAYS_PARAMETER_PROCESSOR, ARRAYS_PARAMETER_LIT,
    ARRAYS_PARAMETERS_ZOOM,
};

enum { GAP = 24, LABELS = 24 }; /* pixels between the grids; of row numbers */

struct both {
    struct arrays_question *q;
    struct arrays_processor_cells processors;
    struct arrays_grid grid;
};

/* Processors are on the left, or above if the room is higher than wide, so that the grid
   that moves with the zoom is right of or below the fixed one. */
static void split(const struct arrays_question *q, struct weft_rect plot,
                  struct weft_rect *processors, struct weft_rect *elements)
{
    const struct arrays_arrangement of = arrays_arrangement(q);
    *processors = *elements = plot;
    if (plot.width >= plot.height) {
        double wanted = plot.height * (double)q->plane.columns / (double)q->plane.rows;
        double left = plot.width - wanted - GAP - LABELS; /* room left by the elements */
        left = fmin(fmax(left, plot.width * 0.28), plot.width * 0.5);
        processors->width = floor(left);
        elements->x += processors->width + GAP;
        elements->width = fmax(1, elements->width - processors->width - GAP);
    } else {
        processors->height = floor(plot.height * (of.columns > of.rows ? 0.24 : 0.34));
        elements->y += processors->height + GAP;
        elements->height = fmax(1, elements->height - processors->height - GAP);
    }
}

static bool lay_out(struct both *both, struct weft_scene *scene, struct weft_err *err)
{
    struct arrays_question *q = both->q;
    struct arrays_look look;
    struct arrays_legend legend = { .n = 0 };
    struct weft_frame frame;
    const char *subtitle = arrays_title(q);
    if (!arrays_look_read(q, &look, err))
        return false;
    for (int pass = 0; pass < 2; pass++) {
        struct weft_rect left, right;
        weft_frame_begin(&frame, scene, q->request, 0, false, legend.entries, legend.n,
                         subtitle);
        split(q, frame.plot, &left, &right);
        arrays_processors_place(&both->processors, q, &frame, left);
        arrays_grid_place(&both->grid, q, &frame, right);
        legend.n = 0;
        struct arrays_legend of_processors = {
            .n = 0
        }; /* not drawn: its colours are those of `legend` */
        if (!arrays_look_apply(&look, &both->grid, &legend, err)
            || !arrays_processors_look(&both->processors, &look.scale, &of_processors, err))
            return false;
        both->processors.owner_colors = both->grid.circle_owner;
        const struct arrays_ramp *ramp = &both->processors.circle_ramp;
        if (both->processors.circle_counts)
            arrays_legend_circle(&legend, q, ramp, "processor's");
        const char *each = arrays_grid_text(&both->grid);
        subtitle = weft_arena_printf(q->arena, "%s · %s · %s%s%s", arrays_title(q),
                                     arrays_quantity_name(q->quantity),
                                     arrays_steps_text(q, q->statistic == ARRAYS_STEP
                                                              ? ARRAYS_STEP
                                                              : ARRAYS_CUMULATIVE),
                                     each ? " · " : "", each ? each : "");
    }
    arrays_tell_steps(q, scene);
    return true;
}

static bool draw(struct arrays_question *q, struct weft_scene *scene, struct weft_err *err)
{
    struct both both = { .q = q };
    bool ok = lay_out(&both, scene, err);
    if (ok) {
        arrays_processors_draw(&both.processors);
        arrays_grid_draw(&both.grid);
    }
    return ok;
}

static bool put_point(struct arrays_question *q, struct weft_point at, uint64_t *id,
                      struct weft_table *table, struct weft_err *err)
{
    uint64_t row, column;
    struct weft_scene drawn;
    struct both both = { .q = q };
    if (!lay_out(&both, &drawn, err))
        return false;
    uint32_t processor = arrays_processors_at(&both.processors, at);
    if (arrays_grid_at(&both.grid, at, &row, &column)) {
        arrays_element_facts(&both.grid, row, column, table, id);
    } else if (processor != WEFT_NONE) {
        *id = arrays_processor_id(processor);
        arrays_put_lines(q, table, arrays_processor_title(&both.processors, processor));
    }
    return true;
}

static const struct arrays_display display = {
    .missing = arrays_missing,
    .draw = draw,
    .put_table = arrays_element_table,
    .put_point = put_point,
};

const struct weft_view weft_view_array_and_processors = {
    .name = "array-and-processors",
    .title = "Array and processors",
    .group = "Arrays",
    .explanation =
        "Left the processors, right the elements that they own: click on one, and "
        "what belongs to it lights up.",
    .needs = ARRAYS_NEEDS,
    .of_run = true,
    .of_all = true,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = arrays_element_columns,
    .n_columns = ARRAYS_ELEMENT_COLUMNS,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = arrays_fills,
    .scene = arrays_scene,
    .table = arrays_table,
    .point = arrays_point,
    .own = &display,
};
