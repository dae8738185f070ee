/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks by the place in the program that created them: number and size, whether they are
 * worth the overhead of a task, and in comparison with the run on one worker, how much
 * larger they became.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "analyse/where_selection.h"
#include "base/hash_map.h"
#include "domains/tasks/analyse/dag_task_sizes.h"
#include "domains/tasks/view/dag_facts.h"
#include "domains/tasks/view/task_runs_for_comparison.h"
#include "domains/tasks/view/views.h"
#include "store/time.h"
#include "view/bars.h"

static const struct weft_parameter parameters[] = {
    { .name = "below",
      .kind = WEFT_PARAMETER_NUMBER,
      .maximum = 1e15,
      .fallback = "10000",
      .help = "a task of less work is too small, in ns" },
};

/* ---- What is prepared ---- */

static void free_tasks(void *thing)
{
    weft_dag_tasks_free(thing);
    free(thing);
}

static bool make_tasks(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                       struct weft_err *err)
{
    const struct weft_source *source = args->set->sources[0];
    struct weft_dag *dag = weft_dag_open(source, err);
    struct weft_dag_task_sites *sites = weft_zalloc(1, sizeof *sites);
    struct weft_arena arena = { 0 };
    int64_t below;
    memcpy(&below, args->parameters, sizeof below);
    bool ok = dag && weft_dag_has_figures(dag, err)
              && weft_dag_tasks_read(dag, weft_sites_alike(&arena, source->schema),
                                     source->schema->n_sites, below, args->job, sites, err);
    weft_arena_free(&arena);
    weft_dag_close(dag);
    *thing = sites;
    *bytes = sizeof *sites + sites->n * sizeof *sites->list;
    if (!ok)
        free_tasks(sites);
    return ok;
}

static const struct weft_preparation preparation = { "tasks by their places", make_tasks,
                                                     free_tasks };

static const struct weft_dag_task_sites *use_tasks(struct weft_use *use, size_t i,
                                                   struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources + i, 1 };
    double below = weft_setting_number(use->request, "below");
    int64_t ticks = weft_ns_to_ticks(one.sources[0]->schema, (int64_t)below);
    return weft_use_get(use, &preparation, &one, &ticks, sizeof ticks, err);
}

/* The tasks shown, and those of the other run, or NULL. */
struct tasks {
    const struct weft_schema *schema, *other_schema;
    const struct weft_dag_task_sites *here, *other;
    bool damaged; /* nodes of either run are unreadable: only places are known */
    struct weft_text_map other_places; /* index in OTHER by the name of the place */
};

/* If there are two traces, the one on one worker is the reference, in either order. */
static bool read_tasks(struct weft_use *use, struct tasks *tasks, struct weft_err *err)
{
    const struct weft_set *set = use->request->set;
    *tasks = (struct tasks){ .schema = set->sources[0]->schema };
    if (set->n_sources > 2)
        return weft_fail(err, WEFT_ERR_USAGE, "dag-tasks is of one trace, or of two");
    tasks->here = use_tasks(use, 0, err);
    tasks->damaged = tasks->here && tasks->here->lost;
    if (!tasks->here || set->n_sources < 2)
        return tasks->here;
    tasks->other_schema = set->sources[1]->schema;
    tasks->other = use_tasks(use, 1, err);
    bool damaged = tasks->damaged || (tasks->other && tasks->other->lost);
    if (tasks->other && tasks->here->workers == 1 && tasks->other->workers > 1)
        *tasks = (struct tasks){ .schema = tasks->other_schema,
                                 .other_schema = tasks->schema,
                                 .here = tasks->other,
                                 .other = tasks->here };
    tasks->damaged = damaged;
    return tasks->other;
}

/* The name of a row or bar: the place that created the tasks. */
static const char *place_of(struct weft_arena *arena, const struct weft_schema *schema,
                            const struct weft_dag_task_site *of)
{
    const char *site = weft_site_text(arena, schema, of->site);
    if (of->root)
        return "outside of tasks";
    if (of->contracted)
        return weft_arena_printf(arena, "contracted in %s",
                                 *site ? site : "no known place");
    return *site ? site : "no known place";
}

static double work_ns(const struct weft_schema *schema, const struct weft_dag_task_site *of)
{
    return (double)weft_ticks_to_ns(schema, of->work);
}

/* Indexes the other run's places by name; of several with one name, the first with work
   counts. */
static void index_other(struct tasks *tasks)
{
    struct weft_arena arena = { 0 };
    for (size_t i = tasks->other ? tasks->other->n : 0; i-- > 0;) {
        const struct weft_dag_task_site *there = &tasks->other->list[i];
        const char *place = place_of(&arena, tasks->other_schema, there);
        if (work_ns(tasks->other_schema, there) > 0)
            weft_text_map_put(&tasks->other_places, place, strlen(place), (uint32_t)i);
        weft_arena_reset(&arena);
    }
    weft_arena_free(&arena);
}

/* The ratio of the work of all tasks to that at the same place in the other run, since one
   worker may cut it into fewer tasks; 0 if there are none, they have no work, or the places
   are unknown. */
static double inflation(const struct tasks *tasks, const struct weft_dag_task_site *of,
                        struct weft_arena *arena)
{
    const char *place = place_of(arena, tasks->schema, of);
    uint32_t i = of->contracted
                     ? WEFT_MAP_NONE
                     : weft_text_map_get(&tasks->other_places, place, strlen(place));
    return i == WEFT_MAP_NONE ? 0
                              : work_ns(tasks->schema, of)
                                    / work_ns(tasks->other_schema, &tasks->other->list[i]);
}

static const struct weft_column columns[] = {
    { "site", "the place in the program that created the tasks; outside of tasks: what ran "
              "before, between and after parallel regions" },
    { "count", "tasks" },
    { "work_ns", "what all of them worked, without the tasks that they created" },
    { "mean_ns", "what one worked on average" },
    { "smallest_ns", "what the smallest one worked" },
    { "small_pct", "how many of them, in per cent, worked less than --set below" },
    { "stolen",
      "how many began on another worker than their creator's, which had made them "
      "ready" },
    { "inflation",
      "how many times as much work they have in all as in the run on one worker; empty for "
      "one trace" },
    { .name = "where", .of_page = true },
};

/* Returns true if states of the trace say which task created theirs. */
static bool knows_creators(const struct weft_schema *schema)
{
    for (uint32_t f = 0; f < schema->n_fields; f++)
        if (schema->fields[f].role == WEFT_ROLE_CREATOR_NUMBER)
            return true;
    return false;
}

/*
 * Returns the selection of the states of a row's tasks, or "": explicit ones say their
 * creators, and implicit ones last as long as parallel regions.
 */
static const char *where_of(struct weft_arena *arena, const struct weft_schema *schema,
                            const struct weft_dag_task_site *of)
{
    if (of->root || of->contracted || !knows_creators(schema))
        return "";
    return weft_where_and(arena, "(creator-number >= 0 or parallel-region)",
                          "site =", weft_site_text(arena, schema, of->site))
               ?: "";
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    static const struct weft_cell empty = { .kind = WEFT_CELL_EMPTY };
    struct tasks tasks;
    struct weft_arena row = { 0 };
    bool ok = read_tasks(request->use, &tasks, err);
    if (ok)
        index_other(&tasks);
    if (ok)
        weft_view_begin_table(request, out);
    for (size_t i = 0; ok && i < tasks.here->n; i++) {
        const struct weft_dag_task_site *of = &tasks.here->list[i];
        double times = inflation(&tasks, of, &row);
        bool one_by_one = !of->contracted;
        struct weft_cell cells[] = {
            weft_text_cell(place_of(&row, tasks.schema, of)),
            weft_integer_cell((int64_t)of->count),
            weft_integer_cell(weft_ticks_to_ns(tasks.schema, of->work)),
            weft_integer_cell(weft_ticks_to_ns(tasks.schema, of->work)
                              / (int64_t)of->count),
            one_by_one ? weft_integer_cell(weft_ticks_to_ns(tasks.schema, of->smallest))
                       : empty,
            one_by_one ? weft_real_cell(100 * (double)of->small / (double)of->count, 2)
                       : empty,
            weft_integer_cell((int64_t)of->stolen),
            times > 0 ? weft_real_cell(times, 3) : empty,
            request->of_page && !tasks.other
                ? weft_text_cell(where_of(&row, tasks.schema, of))
                : empty,
        };
        for (size_t c = 1; tasks.damaged && c < sizeof cells / sizeof *cells; c++)
            cells[c] = empty;
        bool more = out->row(out, cells);
        weft_arena_reset(&row);
        if (!more)
            break;
    }
    if (ok)
        out->end(out);
    weft_text_map_free(&tasks.other_places);
    weft_arena_free(&row);
    return ok;
}

/* A remark that the lines of some tasks are unknown. */
static const char *remark(const struct weft_request *request)
{
    struct tasks tasks;
    struct weft_err err;
    uint64_t all = 0, contracted = 0;
    if (read_tasks(request->use, &tasks, &err))
        for (size_t i = 0; i < tasks.here->n; i++) {
            all += tasks.here->list[i].count;
            contracted += tasks.here->list[i].contracted ? tasks.here->list[i].count : 0;
        }
    return contracted ? weft_arena_printf(
               request->arena,
               "%s of %s tasks are inside of contracted nodes, and the trace does "
               "not say which lines created them: they are apart",
               weft_number_text(request->arena, (double)contracted, 0),
               weft_number_text(request->arena, (double)all, 0))
                      : NULL;
}

static const char *numbers_of(const struct tasks *tasks,
                              const struct weft_dag_task_site *of, struct weft_arena *arena)
{
    char work[WEFT_TIME_TEXT], mean[WEFT_TIME_TEXT];
    double times = inflation(tasks, of, arena);
    weft_duration_text(tasks->schema, of->work, work);
    if (tasks->damaged)
        return weft_arena_printf(arena, "damaged: work of %s can be read", work);
    if (of->root)
        return weft_arena_printf(arena, "%s", work);
    weft_duration_text(tasks->schema, of->work / (int64_t)of->count, mean);
    const char *small =
        of->contracted ? ""
                       : weft_arena_printf(arena, " · %.3g %% too small",
                                           100 * (double)of->small / (double)of->count);
    return weft_arena_printf(
        arena, "%s · %s task%s · mean %s%s · %s stolen%s%s", work,
        weft_number_text(arena, (double)of->count, 0), of->count == 1 ? "" : "s", mean,
        small, weft_number_text(arena, (double)of->stolen, 0), times > 0 ? " · × " : "",
        times > 0 ? weft_number_text(arena, times, 2) : "");
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_swatch swatches[WEFT_SHARES];
    struct weft_frame frame;
    struct tasks tasks;
    bool ok = read_tasks(request->use, &tasks, err);
    if (ok) {
        size_t n = tasks.here->n;
        struct weft_bar *bars = weft_arena_zalloc(request->arena, n + 1, sizeof *bars);
        weft_share_swatches(request->theme, swatches);
        index_other(&tasks);
        for (size_t i = 0; i < n; i++) {
            const struct weft_dag_task_site *of = &tasks.here->list[i];
            bars[i] =
                (struct weft_bar){ place_of(request->arena, tasks.schema, of),
                                   swatches[WEFT_SHARE_WORK], (double)of->work,
                                   numbers_of(&tasks, of, request->arena), WEFT_NO_ID };
            if (tasks.damaged)
                bars[i].swatch.hatch = WEFT_HATCH_CROSS;
        }
        weft_frame_begin(&frame, out, request, weft_bars_gutter(request, bars, n), false,
                         NULL, 0, remark(request));
        weft_bars_draw(&frame, bars, n);
    }
    weft_text_map_free(&tasks.other_places);
    return ok;
}

const struct weft_view weft_view_dag_tasks = {
    .name = "dag-tasks",
    .title = "Tasks by place",
    .group = "Tasks",
    .explanation =
        "Each bar is the work of the tasks that one line of the program created; "
        "too small: less work than makes a task worth it.",
    .needs =
        "a task DAG (weft record --with omp makes one); a second one, of the run on one "
        "worker, says how much larger tasks became",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .many = true,
    .of_run = true,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = weft_set_has_dags,
    .scene = scene,
    .table = table,
    .remark = remark,
};
