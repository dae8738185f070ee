/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The breakdown of the time of all workers, of one run or of several side by side (figures
 * 1.9 to 1.12 of the thesis on DAGViz): work, waiting, delay and no-work, whose sum is
 * workers x elapsed time.  Work beyond that of the run on one worker is work stretch.
 */
#include <inttypes.h>
#include <math.h>

#include "domains/tasks/view/dag_facts.h"
#include "domains/tasks/view/task_runs_for_comparison.h"
#include "domains/tasks/view/views.h"
#include "store/time.h"
#include "view/damage.h"

static const struct weft_parameter parameters[] = { WEFT_PARAMETERS_OF_RUNS };

static struct weft_cell stretch_cell(const struct weft_task_run *run)
{
    static const struct weft_cell empty = { .kind = WEFT_CELL_EMPTY };
    double work, elapsed;
    return weft_task_run_base(run, &work, &elapsed)
               ? weft_integer_cell(run->work - (int64_t)work)
               : empty;
}

static struct weft_cell cell_if_known(int64_t ns)
{
    return ns < 0 ? (struct weft_cell){ .kind = WEFT_CELL_EMPTY } : weft_integer_cell(ns);
}

static const struct weft_column columns[] = {
    { "app", "the recorded program, or what --set app says" },
    { "type", "the runtime that the recording names, or what --set type says" },
    { "workers", "how many threads there were to run tasks" },
    { "work_ns", "what all workers together worked" },
    { "work_stretch_ns",
      "how much more that is than in the run of this app and type on one worker; empty "
      "without one",
      .seldom = true },
    { "delay_ns",
      "workers' time in which they ran nothing while nodes were ready, one node to a worker" },
    { "nowork_ns",
      "their other time without work; with work, waiting and delay: workers x elapsed" },
    { "elapsed_ns", "from the begin of the run to its end" },
    { "create_delay_ns",
      "the part of the delay between the end of each part that created a task and what "
      "its worker did next: the task, or its creator's next part; empty where the "
      "recording does not say when creations were over",
      .seldom = true },
    { "processor_ns",
      "processor time that the workers' threads used; empty where it was not recorded",
      .seldom = true },
    { "waiting_ns",
      "how long parts of tasks waited for locks, critical sections and their turns in "
      "ordered ones, and workers in taskwaits and at ends of task groups for tasks that "
      "others ran" },
    { "file", "the name of the trace's file", .seldom = true },
};

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    static const struct weft_cell empty = { .kind = WEFT_CELL_EMPTY };
    struct weft_task_runs runs;
    if (!weft_task_runs_read(request, &runs, err))
        return false;
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < runs.n; i++) {
        const struct weft_task_run *run = &runs.list[i];
        const struct weft_cell cells[] = {
            weft_text_cell(run->app),
            weft_text_cell(run->type),
            weft_integer_cell(run->workers),
            weft_integer_cell(run->work),
            stretch_cell(run),
            run->damaged ? empty : weft_integer_cell(run->delay),
            run->damaged ? empty : weft_integer_cell(run->no_work),
            weft_integer_cell(run->elapsed),
            cell_if_known(run->create_delay),
            cell_if_known(run->processor),
            weft_integer_cell(run->waiting),
            *run->file ? weft_text_cell(run->file) : empty,
        };
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

static void shares_of(const struct weft_task_run *run, double shares[WEFT_SHARES])
{
    double work, elapsed;
    double stretch =
        weft_task_run_base(run, &work, &elapsed) ? fmax(0, (double)run->work - work) : 0;
    shares[WEFT_SHARE_WORK] = (double)run->work - stretch;
    shares[WEFT_SHARE_STRETCH] = stretch;
    shares[WEFT_SHARE_WAITING] = (double)run->waiting;
    shares[WEFT_SHARE_DELAY] = run->damaged ? 0 : fmax(0, (double)run->delay);
    shares[WEFT_SHARE_NO_WORK] = run->damaged ? 0 : fmax(0, (double)run->no_work);
}

/* The workers' time without work, shown if damage hides its kinds. */
static double not_known(const struct weft_task_run *run)
{
    double all = (double)run->elapsed * run->workers;
    return run->damaged ? fmax(0, all - (double)run->work - (double)run->waiting) : 0;
}

static double sum_of(const struct weft_task_run *run)
{
    double shares[WEFT_SHARES], sum = not_known(run);
    shares_of(run, shares);
    for (int s = 0; s < WEFT_SHARES; s++)
        sum += shares[s];
    return sum;
}

static const char *duration(struct weft_arena *arena, double ns)
{
    char text[WEFT_TIME_TEXT];
    return weft_arena_strdup(arena, weft_nanoseconds_text(ns, text));
}

/* The share of time in which the workers had processors; if it is below their work and
   active waiting, other programs had them.  NULL if unknown. */
static const char *share_of_processors(struct weft_arena *arena,
                                       const struct weft_task_run *run)
{
    double all = (double)run->elapsed * run->workers;
    if (run->processor < 0 || all <= 0)
        return NULL;
    return weft_arena_printf(arena, "%.0f %% on processors",
                             fmin(100, 100 * (double)run->processor / all));
}

/* Draws one run: its shares side by side in BAR, whose length is MOST nanoseconds. */
static void draw_run(struct weft_frame *frame, const char *name, struct weft_rect bar,
                     const struct weft_task_run *run, double most,
                     const struct weft_swatch swatches[WEFT_SHARES])
{
    struct weft_scene *scene = frame->scene;
    double shares[WEFT_SHARES], x = bar.x, sum = sum_of(run);
    shares_of(run, shares);
    for (int s = 0; s < WEFT_SHARES; s++) {
        double width = most > 0 ? bar.width * shares[s] / most : 0;
        struct weft_mark *mark = weft_scene_rect(
            scene, (struct weft_rect){ x, bar.y, width, bar.height },
            (struct weft_paint){ .fill = swatches[s].fill,
                                 .hatch = swatches[s].hatch,
                                 .stroke = frame->theme->text,
                                 .stroke_width = swatches[s].hatch ? 0.7f : 0.4f });
        if (shares[s] > 0)
            weft_mark_title(scene, mark, "%s · %s %s · %.1f %%", name, weft_share_names[s],
                            duration(scene->arena, shares[s]), 100 * shares[s] / sum);
        x += width;
    }
    if (run->damaged && most > 0) {
        double width = bar.width * not_known(run) / most;
        weft_damage_hatch(scene, frame->theme,
                          (struct weft_rect){ x, bar.y, width, bar.height });
        x += width;
    }
    const char *parts[] = { duration(scene->arena, sum),
                            weft_arena_printf(scene->arena, "in %s",
                                              duration(scene->arena, (double)run->elapsed)),
                            share_of_processors(scene->arena, run) };
    const char *text = weft_text_parts(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, parts,
                                       parts[2] ? 3 : 2, scene->width - x - 12);
    if (text)
        weft_scene_text(scene, (struct weft_point){ x + 6, bar.y + bar.height / 2 + 4 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        frame->theme->quiet, text);
}

static void draw_runs(struct weft_frame *frame, const struct weft_task_runs *runs,
                      const char *const *names, const struct weft_swatch *swatches)
{
    enum { ROW = 110, MIN_ROW = 16, NUMBERS = 240 };
    struct weft_scene *scene = frame->scene;
    struct weft_rect plot = frame->plot;
    double row = fmin(ROW, fmax(MIN_ROW, plot.height / (double)runs->n)), most = 0;
    size_t fit = (size_t)(plot.height / row), shown = runs->n;
    if (shown > fit)
        shown = fit > 1 ? fit - 1 : fit;
    for (size_t i = 0; i < runs->n; i++)
        most = fmax(most, sum_of(&runs->list[i]));
    weft_scene_layer(scene, "runs",
                     (struct weft_rect){ 0, plot.y, scene->width, plot.height },
                     WEFT_LAYER_FIXED);
    double length = plot.width - fmin(NUMBERS, plot.width * 0.4);
    for (size_t i = 0; i < shown; i++) {
        double y = plot.y + (double)i * row;
        const char *name = weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_FONT_SIZE,
                                         names[i], plot.x - 12);
        if (name)
            weft_scene_text(scene, (struct weft_point){ plot.x - 8, y + row / 2 + 4 },
                            WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_FONT_SIZE,
                            frame->theme->text, name);
        draw_run(frame, names[i], (struct weft_rect){ plot.x, y + 2, length, row - 4 },
                 &runs->list[i], most, swatches);
    }
    if (shown < runs->n)
        weft_scene_text(
            scene, (struct weft_point){ plot.x, plot.y + (double)shown * row + 12 },
            WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet,
            weft_arena_printf(scene->arena, "and %zu more, in the table", runs->n - shown));
}

static size_t legend_of(const struct weft_task_runs *runs,
                        const struct weft_swatch *swatches,
                        struct weft_legend_entry legend[WEFT_SHARES])
{
    double sums[WEFT_SHARES] = { 0 }, all = 0;
    size_t n = 0;
    for (size_t i = 0; i < runs->n; i++) {
        double shares[WEFT_SHARES];
        shares_of(&runs->list[i], shares);
        for (int s = 0; s < WEFT_SHARES; s++) {
            sums[s] += shares[s];
            all += shares[s];
        }
        all += not_known(&runs->list[i]);
    }
    for (int s = 0; s < WEFT_SHARES; s++)
        if (sums[s] > 0 || s == WEFT_SHARE_WORK)
            legend[n++] =
                (struct weft_legend_entry){ swatches[s], weft_share_names[s],
                                            runs->n == 1 && all > 0 ? sums[s] / all : -1,
                                            WEFT_SHARES - s };
    return n;
}

/* The subtitle has the properties that all runs share. */
static const char *subtitle_of(const struct weft_task_runs *runs, struct weft_arena *arena)
{
    const char *app = runs->one_app ? runs->list[0].app : "";
    const char *type = runs->one_type ? runs->list[0].type : "";
    return weft_arena_printf(arena, "%s%s%s%s%zu run%s", app, *app ? " · " : "", type,
                             *type ? " · " : "", runs->n, runs->n == 1 ? "" : "s");
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_task_runs runs;
    struct weft_swatch swatches[WEFT_SHARES];
    struct weft_legend_entry legend[WEFT_SHARES];
    struct weft_frame frame;
    if (!weft_task_runs_read(request, &runs, err))
        return false;
    const char **names = weft_arena_alloc(request->arena, runs.n * sizeof *names);
    double gutter = 40;
    for (size_t i = 0; i < runs.n; i++) {
        names[i] = weft_task_run_name(&runs, &runs.list[i], request->arena);
        gutter =
            fmax(gutter, weft_text_width(WEFT_FONT_SANS, WEFT_FONT_SIZE, names[i]) + 12);
    }
    weft_share_swatches(request->theme, swatches);
    size_t n = legend_of(&runs, swatches, legend);
    weft_frame_begin(&frame, out, request, fmin(gutter, request->width * 0.3), false,
                     legend, n, subtitle_of(&runs, request->arena));
    draw_runs(&frame, &runs, names, swatches);
    return true;
}

/* The remark on a run; for several, on the first that has one, with its name. */
static const char *remark(const struct weft_request *request)
{
    const char *first = NULL;
    size_t n = request->set->n_sources, which = 0, said = 0;
    for (size_t i = 0; i < n; i++) {
        const char *here = weft_dag_clock_remark(request->set->sources[i], request->arena);
        said += here != NULL;
        if (!first && here) {
            first = here;
            which = i + 1;
        }
    }
    if (!first || n == 1)
        return first;
    return said == 1
               ? weft_arena_printf(request->arena, "trace %zu of %zu: %s", which, n, first)
               : weft_arena_printf(request->arena,
                                   "trace %zu of %zu (and %zu more likewise): %s", which, n,
                                   said - 1, first);
}

static enum weft_place place(const struct weft_set *set)
{
    return weft_dag_has_tasks(set->sources[0]) ? WEFT_PLACE_BELOW : WEFT_PLACE_NONE;
}

const struct weft_view weft_view_dag_breakdown = {
    .name = "dag-breakdown",
    .title = "Where workers' time went",
    .group = "Tasks",
    .explanation =
        "Each bar is the time of all workers of a run: work, more work than on one "
        "worker, waiting for locks and for tasks of others, delay of what was ready, and no work at all.",
    .needs = "task DAGs (weft record --with omp makes them), of one run or of many",
    .of_run = true,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .many = true,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = weft_set_has_dags,
    .place = place,
    .scene = scene,
    .table = table,
    .remark = remark,
};
