/* SPDX-License-Identifier: Apache-2.0 */
/* Processor grid: a cell for each processor, coloured by the references to its elements
   (CIS-TR-93-21, figures 5.5, 5.8 and 5.10; section 4.2.2), or by those that it made. */
#include <string.h>

#include "domains/arrays/view/element_looks.h"
#include "domains/arrays/view/processor_grid.h"
#include "domains/arrays/view/processor_grid_draw.h"
#include "domains/arrays/view/view_skeleton.h"
#include "domains/arrays/view/views.h"

static const struct weft_parameter parameters[] = {
    ARRAYS_PARAMETER_ARRAY,
    ARRAYS_PARAMETER_DISTRIBUTION,
    ARRAYS_PARAMETER_QUANTITY,
    ARRAYS_PARAMETER_STATISTIC,
    ARRAYS_PARAMETER_BY,
    { .name = "background",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "average|cumulative|step|none",
      .fallback = "average",
      .help = "what a cell's colour is" },
    { .name = "glyphs",
      .kind = WEFT_PARAMETER_FLAG,
      .fallback = "on",
      .help = "circles in cells that are large enough: their area is the statistic",
      .seldom = true },
    ARRAYS_PARAMETER_STEP,
    ARRAYS_PARAMETER_SCALE,
    ARRAYS_PARAMETER_COMPUTE,
    ARRAYS_PARAMETER_PROCESSOR,
    ARRAYS_PARAMETER_LIT,
};

bool arrays_by_requester(const struct arrays_question *q)
{
    return strcmp(weft_setting(q->request, "by"), "requester") == 0;
}

bool arrays_processors_look(struct arrays_processor_cells *p,
                            const struct arrays_scale *scale, struct arrays_legend *legend,
                            struct weft_err *err)
{
    struct arrays_question *q = p->q;
    bool by = arrays_by_requester(q);
    const char *background = weft_setting(q->request, "background");
    bool glyphs = strcmp(weft_setting(q->request, "glyphs"), "on") == 0;
    enum arrays_statistic statistic = arrays_statistic_of(background);
    if (statistic > ARRAYS_STEP) /* "none" or "owner" */
        statistic = q->statistic;
    const struct weft_reference_counts *counts =
        arrays_use_processors(q, statistic, by, err);
    p->circle_counts =
        counts && glyphs ? arrays_use_processors(q, q->statistic, by, err) : NULL;
    if (!counts || (glyphs && !p->circle_counts))
        return false;
    bool none = strcmp(background, "none") == 0 && glyphs;
    p->counts = none ? NULL : counts;
    arrays_ramp_make(&p->ramp, p->theme, scale, q->quantity, statistic,
                     arrays_most_of_processors(q, scale, counts, q->quantity, statistic),
                     glyphs);
    if (!none)
        arrays_legend_ramp(legend, q, &p->ramp, arrays_statistic_word(statistic));
    if (!glyphs)
        return true;
    arrays_ramp_make(
        &p->circle_ramp, p->theme, scale, q->quantity, q->statistic,
        arrays_most_of_processors(q, scale, p->circle_counts, q->quantity, q->statistic),
        false);
    arrays_legend_circle(legend, q, &p->circle_ramp, "");
    return true;
}

static const char *balance_text(struct arrays_question *q,
                                const struct weft_reference_counts *counts)
{
    uint64_t most = 0;
    double sum = 0;
    for (uint32_t p = 0; p < q->processors; p++) {
        uint64_t value = arrays_quantity_value(q->quantity, &counts[p]);
        most = value > most ? value : most;
        sum += (double)value;
    }
    return sum > 0 ? weft_arena_printf(q->arena, "largest %.2f × the mean",
                                       (double)most * q->processors / sum)
                   : "none";
}

static bool lay_out(struct arrays_question *q, struct weft_scene *scene,
                    struct arrays_processor_cells *p, struct weft_err *err)
{
    struct arrays_legend legend = { .n = 0 };
    struct arrays_scale scale;
    struct weft_frame frame;
    const char *subtitle = arrays_title(q);
    if (!arrays_read_scale(q, &scale, err))
        return false;
    for (int pass = 0; pass < 2; pass++) {
        weft_frame_begin(&frame, scene, q->request, 0, false, legend.entries, legend.n,
                         subtitle);
        arrays_processors_place(p, q, &frame, frame.plot);
        legend.n = 0;
        if (!arrays_processors_look(p, &scale, &legend, err))
            return false;
        arrays_legend_lit(&legend, q);
        const struct weft_reference_counts *counts =
            p->circle_counts ? p->circle_counts : p->counts;
        enum arrays_statistic statistic =
            p->circle_counts ? q->statistic : p->ramp.statistic;
        subtitle = weft_arena_printf(
            q->arena, "%s · %s · %s · %s · %s", arrays_title(q),
            arrays_quantity_name(q->quantity),
            arrays_steps_text(q,
                              statistic == ARRAYS_STEP ? ARRAYS_STEP : ARRAYS_CUMULATIVE),
            arrays_by_requester(q) ? "what each asked for"
                                   : "what each one's elements served",
            balance_text(q, counts));
    }
    arrays_tell_steps(q, scene);
    return true;
}

static bool draw(struct arrays_question *q, struct weft_scene *scene, struct weft_err *err)
{
    struct arrays_processor_cells p;
    bool ok = lay_out(q, scene, &p, err);
    if (ok)
        arrays_processors_draw(&p);
    return ok;
}

static bool put_processors(struct arrays_question *q, struct weft_table *table,
                           struct weft_err *err)
{
    const struct weft_reference_counts *counts =
        arrays_use_processors(q, q->statistic, arrays_by_requester(q), err);
    if (!counts)
        return false;
    weft_view_begin_table(q->request, table);
    for (uint32_t p = 0; p < q->processors; p++) {
        struct weft_cell cells[6] = { weft_integer_cell(p) };
        arrays_count_cells(q, &counts[p], cells + 1, cells + 5);
        if (!table->row(table, cells))
            break;
    }
    table->end(table);
    return true;
}

static bool put_point(struct arrays_question *q, struct weft_point at, uint64_t *id,
                      struct weft_table *table, struct weft_err *err)
{
    struct arrays_processor_cells p;
    struct weft_scene drawn;
    bool ok = lay_out(q, &drawn, &p, err);
    uint32_t processor = ok ? arrays_processors_at(&p, at) : WEFT_NONE;
    if (processor != WEFT_NONE) {
        *id = arrays_processor_id(processor);
        arrays_put_lines(q, table, arrays_processor_title(&p, processor));
    }
    return ok;
}

static const struct arrays_display display = {
    .all_arrays = true,
    .missing = arrays_missing,
    .draw = draw,
    .put_table = put_processors,
    .put_point = put_point,
};

static const struct weft_column columns[] = {
    { .name = "processor" },    { .name = "local_reads" },   { .name = "remote_reads" },
    { .name = "local_writes" }, { .name = "remote_writes" }, { .name = "unowned_reads" },
};

const struct weft_view weft_view_processor_grid = {
    .name = "processor-grid",
    .title = "Processor grid",
    .group = "Arrays",
    .explanation = "Each cell is a processor: the darker, the more references its elements "
                   "served; a circle's area shows the number so far.",
    .needs = ARRAYS_NEEDS,
    .of_run = true,
    .of_all = true,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_SHOWN,
    .fills = arrays_fills,
    .usual_place = WEFT_PLACE_BESIDE,
    .scene = arrays_scene,
    .table = arrays_table,
    .point = arrays_point,
    .own = &display,
};
