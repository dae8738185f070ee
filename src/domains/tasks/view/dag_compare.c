/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two runs of one task-parallel program, aligned by structure: the change of work,
 * waiting, delay and no-work of each subgraph, largest change first, and the differences of
 * the structures.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/sites_by_line.h"
#include "domains/tasks/analyse/dag_compare.h"
#include "domains/tasks/view/dag_facts.h"
#include "domains/tasks/view/task_runs_for_comparison.h"
#include "domains/tasks/view/views.h"
#include "store/time.h"

static const struct weft_parameter parameters[] = {
    { .name = "most",
      .kind = WEFT_PARAMETER_NUMBER,
      .minimum = 1,
      .maximum = 1e9,
      .fallback = "100",
      .help = "how many subgraphs are listed, beginning with the largest change" },
    { .name = "only",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "all|differing",
      .fallback = "all",
      .help = "all subgraphs, or those whose structures differ" },
};

/* ---- What is prepared ---- */

/* Totals of a run, in nanoseconds. */
struct run_totals {
    struct weft_dag_costs costs;
    double elapsed;
};

struct comparison {
    struct weft_dag *dags[2];
    struct run_totals sums[2];
    struct weft_dag_bill *bills[2];
    struct weft_dag_pairs pairs;
};

static void free_comparison(void *thing)
{
    struct comparison *c = thing;
    weft_dag_pairs_free(&c->pairs);
    for (int i = 0; i < 2; i++) {
        weft_dag_bill_free(c->bills[i]);
        weft_dag_close(c->dags[i]);
    }
    free(c);
}

static bool add_up(const struct weft_dag *dag, const struct weft_source *source,
                   struct weft_job *job, struct run_totals *out, struct weft_err *err)
{
    const struct weft_schema *schema = source->schema;
    struct weft_dag_time time;
    if (!weft_dag_has_figures(dag, err)
        || !weft_dag_time_read(dag, source, job, &time, err))
        return false;
    if (time.lost)
        return weft_fail(
            err, WEFT_ERR_READ,
            "the runs cannot be compared: nodes of a task DAG are in a part of "
            "its file that is damaged");
    *out = (struct run_totals){
        .costs = { .work = (double)weft_ticks_to_ns(schema, time.work),
                   .waiting = (double)weft_ticks_to_ns(schema, time.waiting),
                   .delay = (double)weft_ticks_to_ns(schema, time.delay),
                   .no_work = (double)weft_ticks_to_ns(schema, time.no_work) },
        .elapsed = (double)weft_ticks_to_ns(schema, time.elapsed),
    };
    return true;
}

static bool make_comparison(const struct weft_prepare_args *args, void **thing,
                            size_t *bytes, struct weft_err *err)
{
    struct comparison *c = weft_zalloc(1, sizeof *c);
    bool ok = true;
    *bytes = sizeof *c;
    for (size_t i = 0; ok && i < 2; i++) {
        const struct weft_source *source = args->set->sources[i];
        c->dags[i] = weft_dag_open(source, err);
        if (c->dags[i])
            c->bills[i] = weft_dag_bill_new(c->dags[i], source, args->job, err);
        ok = c->bills[i] && add_up(c->dags[i], source, args->job, &c->sums[i], err);
        *bytes += ok ? 16 * (size_t)weft_dag_size(c->dags[i]) : 0;
    }
    ok = ok
         && weft_dag_compare(
             (const struct weft_dag *const[]){ c->dags[0], c->dags[1] },
             (const struct weft_dag_bill *const[]){ c->bills[0], c->bills[1] }, args->job,
             &c->pairs, err);
    *bytes += c->pairs.n * sizeof *c->pairs.list;
    *thing = c;
    if (!ok)
        free_comparison(c);
    return ok;
}

static const struct weft_preparation preparation = { "two task DAGs aligned",
                                                     make_comparison, free_comparison };

static const struct comparison *use_comparison(struct weft_use *use, struct weft_err *err)
{
    const struct weft_set two = { use->request->set->sources, 2 };
    return weft_use_get(use, &preparation, &two, "", 0, err);
}

/* ---- Rows ---- */

/* The next listed pair from *AT on; NULL at the end. */
static const struct weft_dag_pair *next_pair(const struct comparison *c,
                                             const struct weft_request *request, size_t *at)
{
    bool all = weft_setting_is_choice("all", weft_setting(request, "only"));
    while (*at < c->pairs.n) {
        const struct weft_dag_pair *pair = &c->pairs.list[(*at)++];
        if (all || pair->differs)
            return pair;
    }
    return NULL;
}

static const char *kind_text(enum weft_dag_kind kind)
{
    static const char *const names[WEFT_DAG_KINDS] = {
        [WEFT_DAG_CREATE] = "create",   [WEFT_DAG_WAIT] = "wait",
        [WEFT_DAG_OTHER] = "other",     [WEFT_DAG_END] = "end",
        [WEFT_DAG_SECTION] = "section", [WEFT_DAG_TASK] = "task",
    };
    return names[kind];
}

static const char *site_of(const struct comparison *c, const struct weft_request *request,
                           const struct weft_dag_pair *pair, struct weft_arena *arena)
{
    struct weft_dag_node node, root;
    weft_dag_node(c->dags[0], pair->node[0], &node);
    weft_dag_node(c->dags[0], 0, &root);
    const char *site =
        weft_site_text(arena, request->set->sources[0]->schema, node.begin_site);
    return *site ? site : node.begin == root.begin ? "begin of the run" : "no known place";
}

/* node, other node, kind, site and depth; times; structure; waiting; own change */
enum { BEFORE_TIMES = 5, TIMES = 8, COLUMNS = BEFORE_TIMES + TIMES + 4 };

static struct weft_cell rounded(double ns)
{
    return weft_integer_cell(llround(fmin(fmax(ns, -9e18), 9e18)));
}

/* Writes a time of the first run, and its change in the second, to two cells. */
static void put_time(double a, double b, struct weft_cell cells[2])
{
    cells[0] = rounded(a);
    cells[1] = rounded(b - a);
    cells[1].differs = cells[1].integer != 0;
}

/* Writes the times of a row: those of the first run, and their changes in the second. */
static void put_times(const struct run_totals *a, const struct run_totals *b,
                      struct weft_cell cells[COLUMNS])
{
    struct weft_cell *times = cells + BEFORE_TIMES;
    put_time(a->costs.work, b->costs.work, times);
    put_time(a->costs.delay, b->costs.delay, times + 2);
    put_time(a->costs.no_work, b->costs.no_work, times + 4);
    put_time(a->elapsed, b->elapsed, times + 6);
    put_time(a->costs.waiting, b->costs.waiting, times + TIMES + 1);
}

static struct weft_cell structure(bool differs, bool inside)
{
    struct weft_cell cell = weft_text_cell(differs  ? "differs"
                                           : inside ? "inside"
                                                    : "same");
    cell.differs = differs || inside;
    return cell;
}

/* Writes what COSTS are in all, a change. */
static struct weft_cell sum_of(const struct weft_dag_costs *costs)
{
    struct weft_cell cell =
        rounded(costs->work + costs->waiting + costs->delay + costs->no_work);
    cell.differs = cell.integer != 0;
    return cell;
}

/* Writes the totals of both runs, before the rows of pairs. */
static bool put_sums(const struct comparison *c, struct weft_table *out)
{
    static const struct weft_cell empty = { .kind = WEFT_CELL_EMPTY };
    struct weft_cell cells[COLUMNS] = { empty, empty, weft_text_cell("run"),
                                        weft_text_cell("all of it"), empty };
    put_times(&c->sums[0], &c->sums[1], cells);
    cells[BEFORE_TIMES + TIMES] = structure(false, c->pairs.differing > 0);
    cells[COLUMNS - 1] = empty;
    return out->row(out, cells);
}

static struct run_totals sums_of(const struct comparison *c,
                                 const struct weft_request *request,
                                 const struct weft_dag_pair *pair, int run)
{
    const struct weft_schema *schema = request->set->sources[run]->schema;
    struct weft_dag_node node;
    weft_dag_node(c->dags[run], pair->node[run], &node);
    return (struct run_totals){ weft_dag_bill_of(c->bills[run], pair->node[run]),
                                (double)weft_ticks_to_ns(schema, node.end - node.begin) };
}

static bool put_row(const struct comparison *c, const struct weft_request *request,
                    const struct weft_dag_pair *pair, struct weft_table *out)
{
    struct weft_arena arena = { 0 };
    struct weft_dag_node node;
    struct run_totals a = sums_of(c, request, pair, 0), b = sums_of(c, request, pair, 1);
    weft_dag_shape(c->dags[0], pair->node[0], &node);
    struct weft_cell cells[COLUMNS] = {
        weft_integer_cell(pair->node[0]),
        weft_integer_cell(pair->node[1]),
        weft_text_cell(kind_text(node.kind)),
        weft_text_cell(site_of(c, request, pair, &arena)),
        weft_integer_cell(pair->depth),
    };
    put_times(&a, &b, cells);
    cells[BEFORE_TIMES + TIMES] = structure(pair->differs, pair->inside);
    cells[COLUMNS - 1] = sum_of(&pair->own);
    bool more = out->row(out, cells);
    weft_arena_free(&arena);
    return more;
}

static const struct weft_column columns[COLUMNS] = {
    { "node",
      "the section or task in the first run, by its number; empty: the sums of all of it" },
    { "other_node", "the same in the second run", .seldom = true },
    { "kind", "run, section or task; create, wait, other or end of leaves that differ",
      .seldom = true },
    { "site", "where it begins in the program, in the first run" },
    { "depth", "how many sections and tasks are around it", .seldom = true },
    { "work_ns", "what it worked in the first run" },
    { "work_change_ns", "how much more that is in the second run" },
    { "delay_ns", "delay of its parts that were ready, in the first run", .seldom = true },
    { "delay_change_ns", "how much more that is in the second run" },
    { "nowork_ns",
      "no-work while its parts were all that was running or ready, in the first run",
      .seldom = true },
    { "nowork_change_ns", "how much more that is in the second run" },
    { "elapsed_ns", "from its begin to its end, in the first run", .seldom = true },
    { "elapsed_change_ns", "how much more that is in the second run" },
    { "structure",
      "same; differs: in kind, in how many children it has, in the tasks that it had to "
      "wait for, or in how much is inside; or inside: only a part of it differs" },
    { "waiting_ns", "how long its parts waited for locks, in the first run",
      .seldom = true },
    { "waiting_change_ns", "how much more that is in the second run", .seldom = true },
    { "own_change_ns",
      "how much more its work, waiting, delay and no-work are in the second run, without "
      "sections and tasks inside: each change counts once" },
};

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    double most = weft_setting_number(request, "most");
    const struct comparison *c = use_comparison(request->use, err);
    if (c) {
        const struct weft_dag_pair *pair;
        size_t at = 0;
        weft_view_begin_table(request, out);
        bool more = put_sums(c, out);
        for (double n = 0; more && n < most && (pair = next_pair(c, request, &at)); n++)
            more = put_row(c, request, pair, out);
        out->end(out);
    }
    return c;
}

/* ---- Picture ---- */

enum { WORK, WAITING, DELAY, NO_WORK, COSTS };
static const int looks[COSTS] = { WEFT_SHARE_WORK, WEFT_SHARE_WAITING, WEFT_SHARE_DELAY,
                                  WEFT_SHARE_NO_WORK };

/* The changes of a pair, without those of pairs inside; of the totals if it is NULL. */
static void changes_of(const struct comparison *c, const struct weft_dag_pair *pair,
                       double changes[COSTS])
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
static void draw_pair(struct weft_frame *frame, const double changes[COSTS],
                      struct weft_rect row, struct axis axis,
                      const struct weft_swatch swatches[WEFT_SHARES], const char *name)
{
    struct weft_scene *scene = frame->scene;
    double ends[2] = { axis.zero, axis.zero };
    for (int k = 0; k < COSTS; k++) {
        double width = axis.scale * fabs(changes[k]);
        bool grew = changes[k] > 0;
        const struct weft_swatch *look = &swatches[looks[k]];
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
        weft_mark_title(scene, mark, "%s · %s %s", name, weft_share_names[looks[k]],
                        signed_time(scene->arena, changes[k]));
    }
}

static const char *pair_name(const struct comparison *c, const struct weft_request *request,
                             const struct weft_dag_pair *pair, struct weft_arena *arena)
{
    struct weft_dag_node node;
    const char *site = site_of(c, request, pair, arena);
    weft_dag_shape(c->dags[0], pair->node[0], &node);
    return weft_arena_printf(arena, "%s%s %" PRIu32 " · %s", pair->differs ? "≠ " : "",
                             kind_text(node.kind), pair->node[0], site);
}

/* Widens both sides for a row. */
static void widen(double most[2], const double changes[COSTS])
{
    double sums[2] = { 0 };
    for (int k = 0; k < COSTS; k++)
        sums[changes[k] > 0] += fabs(changes[k]);
    most[0] = fmax(most[0], sums[0]);
    most[1] = fmax(most[1], sums[1]);
}

/* Scales the axis so that all listed rows fit. */
static struct axis axis_of(const struct comparison *c, const struct weft_request *request,
                           struct weft_rect plot, double limit)
{
    const struct weft_dag_pair *pair;
    double most[2] = { 0 }, changes[COSTS];
    size_t at = 0;
    changes_of(c, NULL, changes);
    widen(most, changes);
    for (double n = 0; n < limit && (pair = next_pair(c, request, &at)); n++) {
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

static void draw_row(struct weft_frame *frame, const struct comparison *c,
                     const struct weft_dag_pair *pair, struct weft_rect row,
                     struct axis axis, const struct weft_swatch *swatches, const char *name)
{
    struct weft_scene *scene = frame->scene;
    double changes[COSTS];
    const char *fit =
        weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, name, row.x - 14);
    changes_of(c, pair, changes);
    if (fit)
        weft_scene_text(scene, (struct weft_point){ row.x - 8, row.y + row.height / 2 + 4 },
                        WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        frame->theme->text, fit);
    draw_pair(frame, changes, row, axis, swatches, name);
}

static void draw(struct weft_frame *frame, const struct comparison *c,
                 const struct weft_request *request, const struct weft_swatch *swatches)
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
        fmin(fmax(plot.height / (fmin(limit, (double)c->pairs.n) + 1), MIN_ROW), MAX_ROW);
    struct axis axis = axis_of(c, request, plot, limit);
    draw_axis(frame, plot, axis);
    weft_scene_layer(scene, "pairs",
                     (struct weft_rect){ 0, plot.y, scene->width, plot.height },
                     WEFT_LAYER_FIXED);
    draw_row(frame, c, NULL, (struct weft_rect){ plot.x, plot.y, plot.width, row }, axis,
             swatches, "all of the run");
    for (double n = 1; n <= limit && (pair = next_pair(c, request, &at)); n++)
        draw_row(frame, c, pair,
                 (struct weft_rect){ plot.x, plot.y + n * row, plot.width, row }, axis,
                 swatches, pair_name(c, request, pair, scene->arena));
    weft_scene_line(scene, (struct weft_point){ axis.zero, plot.y },
                    (struct weft_point){ axis.zero, plot.y + plot.height },
                    (struct weft_paint){ .stroke = frame->theme->text, .stroke_width = 1 });
}

static const char *subtitle_of(const struct comparison *c,
                               const struct weft_request *request, struct weft_arena *arena)
{
    const char *aligned = weft_number_text(arena, (double)c->pairs.aligned, 0);
    const char *remark = weft_contraction_remark(request);
    uint64_t n = c->pairs.differing;
    const char *said =
        n ? weft_arena_printf(arena, "structures differ at %s of %s nodes",
                              weft_number_text(arena, (double)n, 0), aligned)
          : weft_arena_printf(arena, "the same structure: %s nodes", aligned);
    const char *const *names = request->set->names;
    return weft_arena_printf(arena, "%s%s%s, then %s%s%s · %s%s%s", names ? names[0] : "",
                             names ? " " : "", time_text(arena, c->sums[0].elapsed),
                             names ? names[1] : "", names ? " " : "",
                             time_text(arena, c->sums[1].elapsed), said, remark ? "; " : "",
                             remark ? remark : "");
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_swatch swatches[WEFT_SHARES];
    struct weft_legend_entry legend[COSTS];
    struct weft_frame frame;
    size_t at = 0;
    const struct comparison *c = use_comparison(request->use, err);
    if (c) {
        weft_share_swatches(request->theme, swatches);
        for (int k = 0; k < COSTS; k++)
            legend[k] =
                (struct weft_legend_entry){ swatches[looks[k]], weft_share_names[looks[k]],
                                            -1, COSTS - k };
        weft_frame_begin(&frame, out, request, fmin(220, request->width * 0.3), false,
                         legend, COSTS, subtitle_of(c, request, request->arena));
        if (next_pair(c, request, &at))
            draw(&frame, c, request, swatches);
        else
            weft_frame_empty(&frame, "The structures do not differ.");
    }
    return c;
}

static bool fills(const struct weft_set *set)
{
    return set->n_sources > 1 && weft_dag_fills(set->sources[0])
           && weft_dag_fills(set->sources[1]);
}

const struct weft_view weft_view_dag_compare = {
    .name = "dag-compare",
    .title = "Two runs of tasks",
    .group = "Tasks",
    .explanation =
        "What each part of the first run, without sections and tasks inside, costs more in "
        "the second (to the right) or less (to the left); ≠: the structures differ.",
    .needs = "two traces with task DAGs (weft record --with omp makes them)",
    .of_run = true,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .compares = true,
    .diffs = true,
    .columns = columns,
    .n_columns = COLUMNS,
    .fills = fills,
    .scene = scene,
    .table = table,
    .remark = weft_contraction_remark,
};
