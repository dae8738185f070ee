/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the changes of each part of two compared runs as bars. */
#include <inttypes.h>
#include <math.h>

#include "domains/tasks/view/dag_compare_priv.h"
#include "domains/tasks/view/dag_facts.h"
#include "domains/tasks/view/task_runs_for_comparison.h"
#include "store/time.h"

enum { WORK, WAITING, DELAY, NO_WORK };
const int dag_compare_looks[DAG_COMPARE_COSTS] = { WEFT_SHARE_WORK, WEFT_SHARE_WAITING,
                                                   WEFT_SHARE_DELAY, WEFT_SHARE_NO_WORK };

/* The changes of a pair, without those of pairs inside; of the totals if it is NULL. */
static void changes_of(const struct dag_comparison *c, const struct weft_dag_pair *pair,
                       double changes[DAG_COMPARE_COSTS])
{
    const struct weft_dag_costs *a = &c->sums[0].costs, *b = &c->sums[1].costs;
    struct weft_dag_costs all = { b->work - a->work, b->waiting - a->waiting,
                                  b->delay - a->delay, b->no_work - a->no_work };
    const struct weft_dag_costs *own = pair ? &pair->own : &all;
    changes[WORK] = own->work;
    changes[WAITING] = own->waiting;
    changes[DELAY] = own->delay;
    changes[NO_WORK] = own->no_work;
}

static const char *time_text(struct weft_arena *arena, double ns)
{
    char text[WEFT_TIME_TEXT];
    return weft_arena_strdup(arena, weft_nanoseconds_text(ns, text));
}

static const char *signed_time(struct weft_arena *arena, double ns)
{
    return weft_arena_printf(arena, "%s%s", ns < 0 ? "−" : "+", time_text(arena, fabs(ns)));
}

/* The x of 0, and pixels for each nanosecond. */
struct axis {
    double zero, scale;
};

/* Draws costs that grew to the right of 0, those that shrank to the left. */
static void draw_pair(struct weft_frame *frame, const double changes[DAG_COMPARE_COSTS],
                      struct weft_rect row, struct axis axis,
                      const struct weft_swatch swatches[WEFT_SHARES], const char *name)
{
    struct weft_scene *scene = frame->scene;
    double ends[2] = { axis.zero, axis.zero };
    for (int k = 0; k < DAG_COMPARE_COSTS; k++) {
        double width = axis.scale * fabs(changes[k]);
        bool grew = changes[k] > 0;
        const struct weft_swatch *look = &swatches[dag_compare_looks[k]];
        ends[0] -= grew ? 0 : width;
        struct weft_mark *mark = weft_scene_rect(
            scene,
            (struct weft_rect){ grew ? ends[1] : ends[0], row.y + 3, width,
                                row.height - 6 },
            (struct weft_paint){ .fill = look->fill,
                                 .hatch = look->hatch,
                                 .stroke = frame->theme->text,
                                 .stroke_width = look->hatch ? 0.7f : 0.4f });
        ends[1] += grew ? width : 0;
        weft_mark_title(scene, mark, "%s · %s %s", name,
                        weft_share_names[dag_compare_looks[k]],
                        signed_time(scene->arena, changes[k]));
    }
}

static const char *pair_name(const struct dag_comparison *c,
                             const struct weft_request *request,
                             const struct weft_dag_pair *pair, struct weft_arena *arena)
{
    struct weft_dag_node node;
    const char *site = dag_compare_site(c, request, pair, arena);
    weft_dag_shape(c->dags[0], pair->node[0], &node);
    return weft_arena_printf(arena, "%s%s %" PRIu32 " · %s", pair->differs ? "≠ " : "",
                             dag_compare_kind(node.kind), pair->node[0], site);
}

/* Widens both sides for a row. */
static void widen(double most[2], const double changes[DAG_COMPARE_COSTS])
{
    double sums[2] = { 0 };
    for (int k = 0; k < DAG_COMPARE_COSTS; k++)
        sums[changes[k] > 0] += fabs(changes[k]);
    most[0] = fmax(most[0], sums[0]);
    most[1] = fmax(most[1], sums[1]);
}

/* Scales the axis so that all listed rows fit. */
static struct axis axis_of(const struct dag_comparison *c,
                           const struct weft_request *request, struct weft_rect plot,
                           double limit)
{
    const struct weft_dag_pair *pair;
    double most[2] = { 0 }, changes[DAG_COMPARE_COSTS];
    size_t at = 0;
    changes_of(c, NULL, changes);
    widen(most, changes);
    for (double n = 0; n < limit && (pair = dag_compare_next(c, request, &at)); n++) {
        changes_of(c, pair, changes);
        widen(most, changes);
    }
    double all = most[0] + most[1];
    if (!(all > 0))
        return (struct axis){ plot.x, 0 };
    return (struct axis){ plot.x + plot.width * most[0] / all, plot.width / all };
}

/* Draws the scale above PLOT, with a line for each tick. */
static void draw_axis(struct weft_frame *frame, struct weft_rect plot, struct axis axis)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" }, { 1, "ns" } };
    struct weft_scene *scene = frame->scene;
    size_t k = 0;
    if (!(axis.scale > 0))
        return;
    double low = (plot.x - axis.zero) / axis.scale, high = low + plot.width / axis.scale;
    while (k < 3 && fmax(fabs(low), fabs(high)) < units[k].ns)
        k++;
    struct weft_axis ticks = weft_value_axis(
        scene->arena, low / units[k].ns, high / units[k].ns, units[k].unit, plot.width, 90);
    weft_scene_layer(
        scene, "axis",
        (struct weft_rect){ plot.x - 40, plot.y - 16, plot.width + 80, plot.height + 16 },
        WEFT_LAYER_FIXED);
    for (size_t i = 0; i < ticks.n_ticks; i++) {
        double x = plot.x + ticks.ticks[i].at;
        weft_scene_line(
            scene, (struct weft_point){ x, plot.y - 2 },
            (struct weft_point){ x, plot.y + plot.height },
            (struct weft_paint){ .stroke = frame->theme->grid, .stroke_width = 1 });
        weft_scene_text(
            scene, (struct weft_point){ x, plot.y - 5 }, WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS,
            WEFT_SMALL_SIZE, frame->theme->quiet,
            weft_arena_printf(scene->arena, "%s %s", ticks.ticks[i].label, ticks.unit));
    }
}

static void draw_row(struct weft_frame *frame, const struct dag_comparison *c,
                     const struct weft_dag_pair *pair, struct weft_rect row,
                     struct axis axis, const struct weft_swatch *swatches, const char *name)
{
    struct weft_scene *scene = frame->scene;
    double changes[DAG_COMPARE_COSTS];
    const char *fit =
        weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, name, row.x - 14);
    changes_of(c, pair, changes);
    if (fit)
        weft_scene_text(scene, (struct weft_point){ row.x - 8, row.y + row.height / 2 + 4 },
                        WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        frame->theme->text, fit);
    draw_pair(frame, changes, row, axis, swatches, name);
}

void dag_compare_draw(struct weft_frame *frame, const struct dag_comparison *c,
                      const struct weft_request *request,
                      const struct weft_swatch *swatches)
{
    enum { MIN_ROW = 20, MAX_ROW = 44, AXIS = 18 };
    struct weft_scene *scene = frame->scene;
    struct weft_rect plot = frame->plot;
    const struct weft_dag_pair *pair;
    size_t at = 0;
    plot.y += AXIS;
    plot.height = fmax(1, plot.height - AXIS);
    double limit =
        fmin(floor(plot.height / MIN_ROW) - 1, weft_setting_number(request, "most"));
    double row =
        fmin(fmax(plot.height / (fmin(limit, (double)c->n_changed) + 1), MIN_ROW), MAX_ROW);
    struct axis axis = axis_of(c, request, plot, limit);
    draw_axis(frame, plot, axis);
    weft_scene_layer(scene, "pairs",
                     (struct weft_rect){ 0, plot.y, scene->width, plot.height },
                     WEFT_LAYER_FIXED);
    draw_row(frame, c, NULL, (struct weft_rect){ plot.x, plot.y, plot.width, row }, axis,
             swatches, "all of the run");
    for (double n = 1; n <= limit && (pair = dag_compare_next(c, request, &at)); n++)
        draw_row(frame, c, pair,
                 (struct weft_rect){ plot.x, plot.y + n * row, plot.width, row }, axis,
                 swatches, pair_name(c, request, pair, scene->arena));
    weft_scene_line(scene, (struct weft_point){ axis.zero, plot.y },
                    (struct weft_point){ axis.zero, plot.y + plot.height },
                    (struct weft_paint){ .stroke = frame->theme->text, .stroke_width = 1 });
}
