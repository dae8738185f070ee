/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path by lines of the program: the places on the longest path through the
   task DAG, with their work and delay. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "domains/tasks/analyse/dag_path.h"
#include "domains/tasks/view/dag_facts.h"
#include "domains/tasks/view/task_runs_for_comparison.h"
#include "domains/tasks/view/views.h"
#include "store/time.h"
#include "view/bars.h"

static const struct weft_parameter parameters[] = {
    { .name = "way",
      .kind = WEFT_PARAMETER_CHOICE,
      .choices = "work|time",
      .fallback = "work",
      .help = "the way with most work, or what this run waited for, back from its end" },
};

/* ---- What is prepared ---- */

struct places {
    struct weft_dag_path_place *list;
    size_t n;
    uint64_t steps;
    int64_t work, waiting, delay;
    bool by_time;
    int64_t all_work; /* work of the DAG; parallelism is this / the path's work */
};

static void free_places(void *thing)
{
    struct places *places = thing;
    free(places->list);
    free(places);
}

static bool make_places(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                        struct weft_err *err)
{
    const struct weft_source *source = args->set->sources[0];
    struct weft_dag *dag = weft_dag_open(source, err);
    struct places *places = weft_zalloc(1, sizeof *places);
    struct weft_arena arena = { 0 };
    struct weft_dag_path path = { 0 };
    struct weft_dag_node root;
    uint32_t way;
    memcpy(&way, args->parameters, sizeof way);
    bool ok =
        dag && weft_dag_has_figures(dag, err)
        && weft_dag_path_read(dag, (enum weft_dag_way)way, args->job, &path, err)
        && (!path.lost
            || weft_fail(err, WEFT_ERR_READ,
                         "the critical path cannot be read: nodes on it, or beside it, "
                         "are in a part of the file that is damaged"));
    if (ok) {
        places->n = weft_dag_path_places(&path, weft_sites_alike(&arena, source->schema),
                                         source->schema->n_sites, &places->list);
        places->steps = path.n;
        places->work = path.work;
        places->waiting = path.waiting;
        places->delay = path.delay;
        places->by_time = way == WEFT_DAG_BY_TIME;
        weft_dag_node(dag, 0, &root);
        places->all_work = root.work;
    }
    weft_dag_path_free(&path);
    weft_arena_free(&arena);
    weft_dag_close(dag);
    *thing = places;
    *bytes = sizeof *places + places->n * sizeof *places->list;
    if (!ok)
        free_places(places);
    return ok;
}

static const struct weft_preparation preparation = { "critical path", make_places,
                                                     free_places };

static const struct places *use_places(struct weft_use *use, struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources, 1 };
    const char *way = weft_setting(use->request, "way");
    uint32_t by = strcmp(way, "time") == 0 ? WEFT_DAG_BY_TIME : WEFT_DAG_BY_WORK;
    return weft_use_get(use, &preparation, &one, &by, sizeof by, err);
}

/* A place's share of the path in percent: of its work, and by time of all of it. */
static double percent(const struct places *places, const struct weft_dag_path_place *place)
{
    double part = (double)place->work, whole = (double)places->work;
    if (places->by_time) {
        part += (double)place->waiting + (double)place->delay;
        whole += (double)places->waiting + (double)places->delay;
    }
    return whole > 0 ? 100 * part / whole : 0;
}

/* The text of a place's begin; the begin and the end of a run have no line. */
static const char *begin_text(const struct weft_schema *schema, struct weft_arena *arena,
                              const struct weft_dag_path_place *place)
{
    const char *text = weft_site_text(arena, schema, place->site);
    return *text ? text : place->begins ? "begin of the run" : "no known place";
}

static const char *end_text(const struct weft_schema *schema, struct weft_arena *arena,
                            const struct weft_dag_path_place *place)
{
    const char *text = weft_site_text(arena, schema, place->last);
    return *text ? text : place->ends ? "end of the run" : "no known place";
}

static const struct weft_column columns[] = {
    { "site", "where parts of the way begin in the program" },
    { "until", "where they end" },
    { "count", "how many parts of the way are there" },
    { "work_ns", "what they worked" },
    { "delay_ns", "how long they were ready and did not run" },
    { "share_pct",
      "their part of the work of the whole way; with --set way=time of its work, waiting "
      "and delay" },
    { "waiting_ns", "how long they waited for locks while they ran" },
};

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_arena row = { 0 };
    const struct places *places = use_places(request->use, err);
    if (places)
        weft_view_begin_table(request, out);
    for (size_t i = 0; places && i < places->n; i++) {
        const struct weft_dag_path_place *place = &places->list[i];
        const struct weft_cell cells[] = {
            weft_text_cell(begin_text(schema, &row, place)),
            weft_text_cell(end_text(schema, &row, place)),
            weft_integer_cell((int64_t)place->count),
            weft_integer_cell(weft_ticks_to_ns(schema, place->work)),
            weft_integer_cell(weft_ticks_to_ns(schema, place->delay)),
            weft_real_cell(percent(places, place), 2),
            weft_integer_cell(weft_ticks_to_ns(schema, place->waiting)),
        };
        bool more = out->row(out, cells);
        weft_arena_reset(&row);
        if (!more)
            break;
    }
    if (places)
        out->end(out);
    weft_arena_free(&row);
    return places;
}

/* "merge (sort.c:95)", with the end if it is on another line. */
static const char *name_of(const struct weft_schema *schema, struct weft_arena *arena,
                           const struct weft_dag_path_place *place)
{
    const char *site = begin_text(schema, arena, place);
    const char *last = end_text(schema, arena, place);
    if (strcmp(site, last) == 0)
        return site;
    const char *end =
        weft_dag_site_text(schema, place->last, arena); /* without the function's name */
    return weft_arena_printf(arena, "%s to %s", site, end ? end : last);
}

/* "work 14.7 ms · waiting 1 ms · delay 2 ms", without waiting where there is none. */
static const char *times_text(const struct weft_schema *schema, struct weft_arena *arena,
                              int64_t work, int64_t waiting, int64_t delay)
{
    char texts[3][WEFT_TIME_TEXT];
    weft_duration_text(schema, work, texts[0]);
    weft_duration_text(schema, waiting, texts[1]);
    weft_duration_text(schema, delay, texts[2]);
    return weft_arena_printf(arena, "work %s%s%s · delay %s", texts[0],
                             waiting ? " · waiting " : "", waiting ? texts[1] : "",
                             texts[2]);
}

static const char *numbers_of(const struct weft_schema *schema, struct weft_arena *arena,
                              const struct places *places,
                              const struct weft_dag_path_place *place)
{
    return weft_arena_printf(
        arena, "%.1f %% · %s · %s time%s", percent(places, place),
        times_text(schema, arena, place->work, place->waiting, place->delay),
        weft_number_text(arena, (double)place->count, 0), place->count == 1 ? "" : "s");
}

/* Makes the bars of the first N places. */
static struct weft_bar *bars_of(const struct weft_request *request,
                                struct weft_arena *arena, const struct places *places,
                                const struct weft_dag *dag,
                                const struct weft_swatch *swatch, size_t n)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_bar *bars = weft_arena_zalloc(arena, n + 1, sizeof *bars);
    for (size_t i = 0; i < n; i++) {
        const struct weft_dag_path_place *place = &places->list[i];
        bars[i] =
            (struct weft_bar){ name_of(schema, arena, place), *swatch, (double)place->work,
                               numbers_of(schema, arena, places, place),
                               weft_dag_mark_id(dag, place->longest) };
    }
    return bars;
}

/* Returns the waiting and delay of a place on the way by time; 0 by work. */
static double lost_at(const struct places *places, size_t i)
{
    const struct weft_dag_path_place *place = &places->list[i];
    return places->by_time ? (double)place->waiting + (double)place->delay : 0;
}

static double longest_of(const struct places *places)
{
    double most = 0;
    for (size_t i = 0; i < places->n; i++)
        most = fmax(most, (double)places->list[i].work + lost_at(places, i));
    return most;
}

/* "work 14.7 ms · delay 2 ms · parallelism 7.5"; parallelism is all work / the path's. */
static const char *subtitle_of(const struct weft_schema *schema, struct weft_arena *arena,
                               const struct places *places)
{
    const char *times =
        times_text(schema, arena, places->work, places->waiting, places->delay);
    if (places->by_time || places->work <= 0)
        return weft_arena_printf(arena, "%s of the run", times);
    return weft_arena_printf(arena, "%s · parallelism %.2f", times,
                             (double)places->all_work / (double)places->work);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_swatch swatches[WEFT_SHARES];
    struct weft_frame frame;
    const struct places *places = use_places(request->use, err);
    struct weft_dag *dag = places ? weft_dag_open(request->set->sources[0], err) : NULL;
    if (dag) {
        size_t most = weft_bars_looked_at(request), n = places->n < most ? places->n : most;
        weft_share_swatches(request->theme, swatches);
        struct weft_bar *bars =
            bars_of(request, request->arena, places, dag, &swatches[WEFT_SHARE_WORK], n);
        double *lost = weft_arena_zalloc(request->arena, n + 1, sizeof *lost);
        for (size_t i = 0; i < n; i++)
            lost[i] = lost_at(places, i);
        struct weft_legend_entry legend[] = {
            { swatches[WEFT_SHARE_WORK], "work", -1, 2 },
            { swatches[WEFT_SHARE_DELAY], places->waiting ? "waiting and delay" : "delay",
              -1, 1 },
        };
        weft_frame_begin(&frame, out, request, weft_bars_gutter(request, bars, n), false,
                         legend, places->by_time ? 2 : 1,
                         subtitle_of(schema, request->arena, places));
        weft_bars_draw_parts(&frame, bars, lost, &swatches[WEFT_SHARE_DELAY], n,
                             places->n - n, longest_of(places));
    }
    weft_dag_close(dag);
    return dag;
}

const struct weft_view weft_view_critical_path = {
    .name = "critical-path",
    .title = "What limits parallelism",
    .group = "Tasks",
    .explanation =
        "Each bar is a part of the program on the longest way through the task DAG, which no "
        "number of workers makes shorter.",
    .needs = "a task DAG (weft record --with omp makes one)",
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .of_run = true,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = weft_set_has_dags,
    .scene = scene,
    .table = table,
};
