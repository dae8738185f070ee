/* SPDX-License-Identifier: Apache-2.0 */
/* Steals (section 1.2.3 of the thesis on DAGViz): parts of tasks that began on another
   worker than the one that made them ready.  The picture counts them by pair of workers. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/sites_by_line.h"
#include "base/compare.h"
#include "base/hash_map.h"
#include "domains/tasks/analyse/dag_time_breakdown.h"
#include "domains/tasks/view/dag_facts.h"
#include "domains/tasks/view/task_runs_for_comparison.h"
#include "domains/tasks/view/views.h"
#include "store/time.h"
#include "view/bars.h"

/* ---- What is prepared ---- */

static void free_steals(void *thing)
{
    weft_dag_steals_free(thing);
    free(thing);
}

static bool make_steals(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                        struct weft_err *err)
{
    struct weft_dag *dag = weft_dag_open(args->set->sources[0], err);
    struct weft_dag_steals *steals = weft_zalloc(1, sizeof *steals);
    bool ok = dag && weft_dag_has_figures(dag, err)
              && weft_dag_steals_read(dag, args->job, steals, err);
    weft_dag_close(dag);
    *thing = steals;
    *bytes = sizeof *steals + steals->n * sizeof *steals->list;
    if (!ok)
        free_steals(steals);
    return ok;
}

static const struct weft_preparation preparation = { "steals", make_steals, free_steals };

static const struct weft_dag_steals *use_steals(struct weft_use *use, struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources, 1 };
    return weft_use_get(use, &preparation, &one, "", 0, err);
}

/* Finds the steals that began in a window: [*first, *after) of the list, which is sorted by
   begin. */
static void find_window(const struct weft_dag_steals *steals, struct weft_span window,
                        size_t *first, size_t *after)
{
    size_t at = 0;
    while (at < steals->n && steals->list[at].begin < window.begin)
        at++;
    *first = at;
    while (at < steals->n && steals->list[at].begin < window.end)
        at++;
    *after = at;
}

/* ---- The table ---- */

static const char *edge_name(enum weft_dag_edge edge)
{
    static const char *const names[WEFT_DAG_EDGES] = {
        [WEFT_DAG_EDGE_END] = "end",
        [WEFT_DAG_EDGE_CREATE] = "create",
        [WEFT_DAG_EDGE_CREATE_CONTINUATION] = "create-cont",
        [WEFT_DAG_EDGE_WAIT_CONTINUATION] = "wait-cont",
        [WEFT_DAG_EDGE_OTHER_CONTINUATION] = "other-cont",
    };
    return edge < WEFT_DAG_EDGES ? names[edge] : "";
}

static bool put_row(const struct weft_dag *dag, const struct weft_schema *schema,
                    const struct weft_dag_steal *steal, struct weft_table *out)
{
    struct weft_arena arena = { 0 };
    struct weft_dag_node node;
    int64_t zero = schema->span.begin;
    weft_dag_node(dag, steal->node, &node);
    /* The figures may be damaged while time and worker, in another part of the file, are
       not. */
    const struct weft_cell work =
        weft_dag_is_lost(&node) ? (struct weft_cell){ .kind = WEFT_CELL_EMPTY }
                                : weft_integer_cell(weft_ticks_to_ns(schema, node.work));
    const struct weft_cell cells[] = {
        weft_integer_cell(steal->node),
        weft_integer_cell(steal->task),
        weft_text_cell(edge_name(steal->edge)),
        weft_integer_cell(steal->from),
        weft_integer_cell(steal->by),
        weft_integer_cell(weft_ticks_to_ns(schema, steal->ready - zero)),
        weft_integer_cell(weft_ticks_to_ns(schema, steal->begin - zero)),
        weft_integer_cell(weft_ticks_to_ns(schema, steal->begin - steal->ready)),
        work,
        weft_text_cell(weft_site_text(&arena, schema, node.begin_site)),
    };
    bool more = out->row(out, cells);
    weft_arena_free(&arena);
    return more;
}

static const struct weft_column columns[] = {
    { "node", "the node that was stolen, by its number" },
    { "task", "the innermost task that it is a part of, by its number", .seldom = true },
    { "edge", "how it became ready: create, create-cont, end, wait-cont or other-cont",
      .seldom = true },
    { "from", "the worker that made it ready" },
    { "by", "the worker that ran it" },
    { "ready_ns", "when it became ready, from the begin of the trace" },
    { "begin_ns", "when it began to run" },
    { "waited_ns", "the time between the two" },
    { "work_ns", "what it worked" },
    { "site", "where it begins in the program" },
};

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    struct weft_dag *dag = weft_dag_open(source, err);
    const struct weft_dag_steals *steals = dag ? use_steals(request->use, err) : NULL;
    if (steals) {
        size_t first, after;
        find_window(steals, weft_window_with_end(source->schema, request->window), &first,
                    &after);
        weft_view_begin_table(request, out);
        for (size_t i = first; i < after; i++)
            if (!put_row(dag, source->schema, &steals->list[i], out))
                break;
        out->end(out);
    }
    weft_dag_close(dag);
    return steals;
}

/* ---- The picture ---- */

struct pair {
    int32_t from, by;
    uint64_t count;
    int64_t waited;
};

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;
    return WEFT_COMPARE(b->count, a->count) ?: WEFT_COMPARE(a->by, b->by)
           ?: WEFT_COMPARE(a->from, b->from);
}

/* Counts steals by pair of workers, the most frequent first; in ARENA. */
static struct pair *count_pairs(const struct weft_dag_steal *list, size_t n_steals,
                                struct weft_arena *arena, size_t *n)
{
    struct pair *pairs = weft_arena_zalloc(arena, n_steals + 1, sizeof *pairs);
    struct weft_id_map numbers = { 0 };
    *n = 0;
    for (size_t i = 0; i < n_steals; i++) {
        uint64_t key = (uint64_t)(uint32_t)list[i].from << 32 | (uint32_t)list[i].by;
        uint32_t number = weft_id_map_get(&numbers, key);
        if (number == WEFT_MAP_NONE) {
            number = (uint32_t)(*n)++;
            weft_id_map_put(&numbers, key, number);
            pairs[number] = (struct pair){ list[i].from, list[i].by, 0, 0 };
        }
        pairs[number].count++;
        pairs[number].waited =
            weft_ticks_add(pairs[number].waited, list[i].begin - list[i].ready);
    }
    weft_id_map_free(&numbers);
    qsort(pairs, *n, sizeof *pairs, compare_pairs);
    return pairs;
}

static void draw_pairs(const struct weft_request *request, struct weft_arena *arena,
                       struct weft_scene *out, const struct weft_dag *dag,
                       const struct pair *pairs, size_t n, size_t n_steals)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_bar *bars = weft_arena_zalloc(arena, n + 1, sizeof *bars);
    struct weft_frame frame;
    for (size_t i = 0; i < n; i++) {
        char waited[WEFT_TIME_TEXT];
        weft_duration_text(schema, pairs[i].waited / (int64_t)pairs[i].count, waited);
        bars[i] = (struct weft_bar){
            weft_arena_printf(arena, "%s from %s",
                              weft_dag_worker_name(dag, schema, pairs[i].by, arena),
                              weft_dag_worker_name(dag, schema, pairs[i].from, arena)),
            weft_number_swatch(request->theme, (uint32_t)pairs[i].by),
            (double)pairs[i].count,
            weft_arena_printf(arena, "%s · ready for %s on average",
                              weft_number_text(arena, (double)pairs[i].count, 0), waited),
            WEFT_NO_ID
        };
    }
    weft_frame_begin(&frame, out, request, weft_bars_gutter(request, bars, n), false, NULL,
                     0,
                     weft_arena_printf(arena, "%s steal%s · %s",
                                       weft_number_text(arena, (double)n_steals, 0),
                                       n_steals == 1 ? "" : "s",
                                       weft_range_text(arena, schema, request->window)));
    if (n)
        weft_bars_draw(&frame, bars, n);
    else
        weft_frame_empty(&frame, "No worker took what another one had made ready.");
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_dag *dag = weft_dag_open(request->set->sources[0], err);
    const struct weft_dag_steals *steals = dag ? use_steals(request->use, err) : NULL;
    if (steals) {
        size_t first, after, n;
        find_window(steals, weft_window_with_end(schema, request->window), &first, &after);
        const struct pair *pairs =
            count_pairs(steals->list + first, after - first, request->arena, &n);
        draw_pairs(request, request->arena, out, dag, pairs, n, after - first);
    }
    weft_dag_close(dag);
    return steals;
}

const struct weft_view weft_view_dag_steals = {
    .name = "dag-steals",
    .title = "Steals",
    .group = "Tasks",
    .explanation =
        "How many parts of tasks each worker took that another one had made ready; the "
        "table has each of them.",
    .needs = "a task DAG (weft record --with omp makes one)",
    .of_all = true,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = weft_set_has_dags,
    .scene = scene,
    .table = table,
};
