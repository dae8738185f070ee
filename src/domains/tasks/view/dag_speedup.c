/* SPDX-License-Identifier: Apache-2.0 */
/* The speedup of runs with more workers over the run on one worker (figure 1.8 of the
   thesis on DAGViz): a curve for each application and type of runtime. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "domains/tasks/view/task_runs_for_comparison.h"
#include "domains/tasks/view/views.h"
#include "view/bars.h"

static const struct weft_parameter parameters[] = { WEFT_PARAMETERS_OF_RUNS };

/* NAN without a run on one worker. */
static double speedup_of(const struct weft_task_run *run)
{
    double work, elapsed;
    return weft_task_run_base(run, &work, &elapsed) && run->elapsed > 0
               ? elapsed / (double)run->elapsed
               : NAN;
}

static const struct weft_column columns[] = {
    { "app", "the recorded program, or what --set app says" },
    { "type", "the runtime that the recording names, or what --set type says" },
    { "workers", "how many threads there were to run tasks" },
    { "elapsed_ns", "from the begin of the run to its end" },
    { "speedup",
      "how many times as fast as the run of this app and type on one worker; empty "
      "without one" },
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
        double speedup = speedup_of(&runs.list[i]);
        const struct weft_cell cells[] = {
            weft_text_cell(runs.list[i].app),
            weft_text_cell(runs.list[i].type),
            weft_integer_cell(runs.list[i].workers),
            weft_integer_cell(runs.list[i].elapsed),
            isnan(speedup) ? empty : weft_real_cell(speedup, 4),
            *runs.list[i].file ? weft_text_cell(runs.list[i].file) : empty,
        };
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

/* Consecutive runs of one application and type. */
struct group {
    size_t first, after;
    const char *name;
    struct weft_swatch swatch;
};

struct speedup_picture {
    const struct weft_task_runs *runs;
    struct group *groups;
    size_t n_groups;
    uint32_t most_workers;
    double most; /* the largest speedup, or number of workers */
};

static bool same_group(const struct weft_task_run *a, const struct weft_task_run *b)
{
    return strcmp(a->app, b->app) == 0 && strcmp(a->type, b->type) == 0;
}

static const char *group_name(const struct weft_task_runs *runs,
                              const struct weft_task_run *run, struct weft_arena *arena)
{
    const char *app = runs->one_app && !runs->one_type ? "" : run->app;
    const char *type = runs->one_type && *app ? "" : run->type;
    const char *name =
        weft_arena_printf(arena, "%s%s%s", app, *app && *type ? " · " : "", type);
    return *name ? name : "these runs";
}

static void find_groups(struct speedup_picture *p, const struct weft_theme *theme,
                        struct weft_arena *arena)
{
    const struct weft_task_run *list = p->runs->list;
    p->groups = weft_arena_zalloc(arena, p->runs->n, sizeof *p->groups);
    p->most_workers = 1;
    for (size_t i = 0; i < p->runs->n; i++) {
        if (!i || !same_group(&list[i - 1], &list[i])) {
            uint32_t number = (uint32_t)p->n_groups;
            p->groups[p->n_groups++] =
                (struct group){ .first = i,
                                .name = group_name(p->runs, &list[i], arena),
                                .swatch = weft_number_swatch(theme, number) };
        }
        p->groups[p->n_groups - 1].after = i + 1;
        if (list[i].workers > p->most_workers)
            p->most_workers = list[i].workers;
        if (speedup_of(&list[i]) > p->most)
            p->most = speedup_of(&list[i]);
    }
    p->most = fmax(p->most, p->most_workers);
}

static struct weft_point place(const struct speedup_picture *p, struct weft_rect plot,
                               double workers, double speedup)
{
    return (struct weft_point){ plot.x + plot.width * workers / (p->most_workers * 1.05),
                                plot.y + plot.height
                                    - plot.height * speedup / (p->most * 1.05) };
}

/* Draws a run: the curve goes through the runs that count, other repeated runs are smaller
   marks. */
static void draw_run(struct weft_frame *frame, struct weft_point at,
                     const struct weft_task_run *run, const struct group *group,
                     enum weft_glyph glyph, weft_color color)
{
    struct weft_scene *scene = frame->scene;
    struct weft_paint whole = { .fill = color,
                                .stroke = frame->theme->panel,
                                .stroke_width = 1 };
    struct weft_paint hollow = { .fill = frame->theme->panel,
                                 .stroke = color,
                                 .stroke_width = 1 };
    struct weft_mark *mark = weft_scene_glyph(scene, glyph, at, run->counts ? 9 : 6, 0,
                                              run->counts ? whole : hollow);
    const char *runs = run->alike == 1 ? ""
                       : run->counts
                           ? weft_arena_printf(scene->arena, " · of %zu runs", run->alike)
                           : " · does not count";
    weft_mark_title(scene, mark, "%s · %" PRIu32 " worker%s · %.2f times as fast as one%s",
                    group->name, run->workers, run->workers == 1 ? "" : "s",
                    speedup_of(run), runs);
}

/* Lines also differ in their marks, for themes without hues. */
static void draw_group(struct weft_frame *frame, const struct speedup_picture *p,
                       struct weft_rect plot, const struct group *group, size_t number)
{
    static const enum weft_glyph glyphs[] = { WEFT_GLYPH_CIRCLE, WEFT_GLYPH_DIAMOND,
                                              WEFT_GLYPH_TRIANGLE };
    struct weft_scene *scene = frame->scene;
    bool mono = frame->theme->name == WEFT_THEME_MONO;
    weft_color color = mono ? frame->theme->text : group->swatch.fill;
    struct weft_point *points =
        weft_arena_alloc(scene->arena, (group->after - group->first) * sizeof *points);
    size_t n = 0;
    for (size_t i = group->first; i < group->after; i++) {
        const struct weft_task_run *run = &p->runs->list[i];
        if (run->counts && !isnan(speedup_of(run)))
            points[n++] = place(p, plot, run->workers, speedup_of(run));
    }
    weft_scene_polyline(scene, points, n,
                        (struct weft_paint){ .stroke = color,
                                             .stroke_width = 2,
                                             .dash = mono ? 3.0f * (float)number : 0 });
    for (size_t i = group->first; i < group->after; i++) {
        const struct weft_task_run *run = &p->runs->list[i];
        if (isnan(speedup_of(run)))
            continue;
        draw_run(frame, place(p, plot, run->workers, speedup_of(run)), run, group,
                 glyphs[number % 3], color);
    }
}

static void draw(struct weft_frame *frame, const struct speedup_picture *p)
{
    struct weft_scene *scene = frame->scene;
    struct weft_rect plot = weft_axes_draw(frame, p->most * 1.05, "times as fast as on one",
                                           0, p->most_workers * 1.05, "workers");
    weft_scene_layer(scene, "curves", plot, WEFT_LAYER_FIXED);
    weft_scene_line(scene, place(p, plot, 0, 0),
                    place(p, plot, p->most_workers, p->most_workers),
                    (struct weft_paint){
                        .stroke = frame->theme->quiet, .stroke_width = 1.2f, .dash = 5 });
    for (size_t g = 0; g < p->n_groups; g++)
        draw_group(frame, p, plot, &p->groups[g], g);
    /* The label is above the line's end, in low pictures above the plot, since the line
       falls away from there. */
    struct weft_point end = place(p, plot, p->most_workers, p->most_workers);
    struct weft_rect names = { plot.x, plot.y - 12, plot.width, plot.height + 12 };
    weft_scene_layer(scene, "names", names, WEFT_LAYER_FIXED);
    weft_scene_text(scene, (struct weft_point){ end.x - 8, end.y - 3 }, WEFT_ANCHOR_END,
                    WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet, "ideal");
}

/* "9 runs · the best of at most 3" */
static const char *subtitle_of(const struct weft_task_runs *runs, struct weft_arena *arena)
{
    if (runs->most_alike == 1)
        return weft_arena_printf(arena, "%zu run%s", runs->n, runs->n == 1 ? "" : "s");
    return weft_arena_printf(arena, "%zu runs · %s of up to %zu alike", runs->n,
                             runs->median ? "the median" : "the best", runs->most_alike);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_task_runs runs;
    struct speedup_picture p = { .runs = &runs };
    struct weft_frame frame;
    bool any = false;
    if (!weft_task_runs_read(request, &runs, err))
        return false;
    find_groups(&p, request->theme, request->arena);
    struct weft_legend_entry *legend =
        weft_arena_zalloc(request->arena, p.n_groups, sizeof *legend);
    for (size_t g = 0; g < p.n_groups; g++)
        legend[g] = (struct weft_legend_entry){ p.groups[g].swatch, p.groups[g].name, -1,
                                                (double)(p.n_groups - g) };
    for (size_t i = 0; i < runs.n; i++)
        any |= runs.list[i].workers > 1 && !isnan(speedup_of(&runs.list[i]));
    weft_frame_begin(&frame, out, request, 8, false, legend, p.n_groups,
                     subtitle_of(&runs, request->arena));
    if (any)
        draw(&frame, &p);
    else
        weft_frame_empty(&frame, "This needs a run on one worker and one on more.");
    return true;
}

const struct weft_view weft_view_dag_speedup = {
    .name = "dag-speedup",
    .title = "Speedup",
    .group = "Tasks",
    .explanation =
        "How many times as fast each run was as the one on one worker; the dashed "
        "line is as many times as there were workers.",
    .needs =
        "task DAGs (weft record --with omp makes them), of runs with several numbers of "
        "workers",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .many = true,
    .of_run = true,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = weft_set_has_dags,
    .scene = scene,
    .table = table,
};
