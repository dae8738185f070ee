/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a task DAG: nodes and edges by kind, and where the time of its workers went,
   which the picture shows as bars. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "domains/tasks/analyse/dag_edge_counts.h"
#include "domains/tasks/view/dag_facts.h"
#include "domains/tasks/view/task_runs_for_comparison.h"
#include "domains/tasks/view/views.h"
#include "store/time.h"
#include "view/bars.h"
#include "view/damage.h"

/* A row: kind, name, value. */
struct stat {
    const char *kind;
    int64_t count;
    double real;  /* in place of `count` if there are decimals */
    int decimals; /* 0: a whole number */
    bool hidden;  /* unknown, since nodes are unreadable */
};

enum { NAME = 64 };

struct stats {
    struct stat *list; /* [n] in the request's arena */
    size_t n, capacity;
    struct weft_arena *arena;
    bool known; /* the nodes that they come from are readable */
};

static const struct weft_parameter parameters[] = {
    { .name = "workers",
      .kind = WEFT_PARAMETER_FLAG,
      .fallback = "off",
      .help = "count edges by the workers that they lead from and to" },
};

static struct stat *add_row(struct stats *stats, struct stat row)
{
    if (stats->n == stats->capacity) {
        size_t capacity = 2 * stats->capacity + 64;
        struct stat *list = weft_arena_alloc(stats->arena, capacity * sizeof *list);
        if (stats->n > 0)
            memcpy(list, stats->list, stats->n * sizeof *list);
        stats->list = list;
        stats->capacity = capacity;
    }
    stats->list[stats->n++] = row;
    return &stats->list[stats->n - 1];
}

static void add(struct stats *stats, const char *kind, int64_t count)
{
    add_row(stats, (struct stat){ .kind = kind, .count = count });
}

/* Adds A by B with some decimals, hidden if B is 0. */
static void add_quotient(struct stats *stats, const char *kind, double a, double b,
                         int decimals)
{
    add_row(stats, (struct stat){ .kind = kind,
                                  .real = b > 0 ? a / b : 0,
                                  .decimals = decimals,
                                  .hidden = !(b > 0) });
}

/* Adds a number that is counted node by node, and so unknown if nodes are LOST. */
static void add_counted(struct stats *stats, const char *kind, int64_t count, uint64_t lost)
{
    add_row(stats, (struct stat){ .kind = kind, .count = count, .hidden = lost > 0 });
}

static const char *const edge_names[WEFT_DAG_EDGES] = {
    [WEFT_DAG_EDGE_CREATE] = "edge_create",
    [WEFT_DAG_EDGE_CREATE_CONTINUATION] = "edge_create_cont",
    [WEFT_DAG_EDGE_END] = "edge_end",
    [WEFT_DAG_EDGE_WAIT_CONTINUATION] = "edge_wait_cont",
    [WEFT_DAG_EDGE_OTHER_CONTINUATION] = "edge_other_cont",
};
static const enum weft_dag_edge edge_kinds[WEFT_DAG_EDGES] = {
    WEFT_DAG_EDGE_CREATE, WEFT_DAG_EDGE_CREATE_CONTINUATION, WEFT_DAG_EDGE_END,
    WEFT_DAG_EDGE_WAIT_CONTINUATION, WEFT_DAG_EDGE_OTHER_CONTINUATION
};

/* Tasks are creates plus the root, and every section ends with a wait, so their numbers
   include contracted ones. */
static void add_counts(struct stats *stats, const struct weft_dag_node *root,
                       const struct weft_dag_edge_counts *edges)
{
    add(stats, "create", (int64_t)root->leaves[WEFT_DAG_CREATE]);
    add(stats, "wait", (int64_t)root->leaves[WEFT_DAG_WAIT]);
    add(stats, "other", (int64_t)root->leaves[WEFT_DAG_OTHER]);
    add(stats, "end", (int64_t)root->leaves[WEFT_DAG_END]);
    add(stats, "section", (int64_t)root->leaves[WEFT_DAG_WAIT]);
    add(stats, "task", (int64_t)root->leaves[WEFT_DAG_END]);
    for (size_t i = 0; i < WEFT_DAG_EDGES; i++) {
        enum weft_dag_edge kind = edge_kinds[i];
        /* DAG Recorder's files leave edges behind an "other" out of a node's figures, and
           contraction leaves edges out of what is counted. */
        uint64_t most =
            root->edges[kind] > edges->all[kind] ? root->edges[kind] : edges->all[kind];
        add(stats, edge_names[kind], (int64_t)most);
    }
    add(stats, "materialized", (int64_t)root->materialized);
}

static void add_times(struct stats *stats, const struct weft_schema *schema,
                      const struct weft_dag_time *time)
{
    add(stats, "work_ns", weft_ticks_to_ns(schema, time->work));
    add(stats, "critical_path_ns", weft_ticks_to_ns(schema, time->critical_path));
    add(stats, "elapsed_ns", weft_ticks_to_ns(schema, time->elapsed));
    add(stats, "workers", time->workers);
    add_counted(stats, "delay_ns", weft_ticks_to_ns(schema, time->delay), time->lost);
    add_counted(stats, "nowork_ns", weft_ticks_to_ns(schema, time->no_work), time->lost);
    add(stats, "waiting_ns", weft_ticks_to_ns(schema, time->waiting));
    add(stats, "task_waits_ns", weft_ticks_to_ns(schema, time->task_waits));
    add_quotient(stats, "parallelism", (double)time->work, (double)time->critical_path, 3);
}

/* Adds the other figures of DAG Recorder's file .stat.  A greedy scheduler takes at most
   work by workers plus the critical path. */
static void add_derived(struct stats *stats, const struct weft_schema *schema,
                        const struct weft_dag_time *time, const struct weft_dag_node *root)
{
    double ns = 1e9 * (double)schema->ticks_denominator / (double)schema->ticks_numerator;
    double work = (double)time->work * ns, path = (double)time->critical_path * ns;
    double elapsed = (double)time->elapsed * ns, shared = work / time->workers;
    double parts = 0;
    for (int k = 0; k < WEFT_DAG_LEAF_KINDS; k++)
        parts += (double)root->leaves[k];
    double nodes = parts + (double)root->leaves[WEFT_DAG_WAIT]
                   + (double)root->leaves[WEFT_DAG_CREATE] + 1;
    add(stats, "nodes", (int64_t)nodes);
    add_quotient(stats, "compression", (double)root->materialized, nodes, 6);
    add_quotient(stats, "work_by_workers_ns", work, time->workers, 3);
    add_quotient(stats, "greedy_ns", shared + path, 1, 3);
    add_quotient(stats, "greedy_speedup", work, shared + path, 3);
    add_quotient(stats, "observed_speedup", work, elapsed, 3);
    add_quotient(stats, "observed_by_greedy", shared + path, elapsed, 3);
    add_quotient(stats, "task_granularity_ns", (double)time->lasted * ns,
                 (double)root->leaves[WEFT_DAG_CREATE], 3);
    add_quotient(stats, "interval_granularity_ns", (double)time->lasted * ns, parts, 3);
}

/* "edge_create 0>1": from worker 0 to worker 1; "-" is for nodes of several. */
static const char *pair_name(struct stats *stats, const struct weft_dag_edge_counts *edges,
                             enum weft_dag_edge kind, uint32_t from, uint32_t to)
{
    char texts[2][16];
    const uint32_t workers[2] = { from, to };
    for (int i = 0; i < 2; i++)
        if (workers[i] == edges->workers - 1)
            snprintf(texts[i], sizeof texts[i], "-");
        else
            snprintf(texts[i], sizeof texts[i], "%" PRIu32, workers[i]);
    return weft_arena_printf(stats->arena, "%s %s>%s", edge_names[kind], texts[0],
                             texts[1]);
}

/* Adds the numbers of edges between each two workers that have any. */
static void add_pairs(struct stats *stats, const struct weft_dag_edge_counts *edges)
{
    for (size_t i = 0; i < WEFT_DAG_EDGES; i++)
        for (uint32_t from = 0; from < edges->workers; from++)
            for (uint32_t to = 0; to < edges->workers; to++) {
                uint64_t n = weft_dag_edges_between(edges, edge_kinds[i], from, to);
                if (n > 0)
                    add(stats, pair_name(stats, edges, edge_kinds[i], from, to),
                        (int64_t)n);
            }
}

/* Adds the counters, in all and on the critical path. */
static void add_counters(struct stats *stats, const struct weft_dag *dag,
                         const struct weft_dag_node *root)
{
    for (int k = 0; k < WEFT_DAG_COUNTERS; k++) {
        char name[NAME];
        if (!weft_dag_counter_name(dag, k, name, NAME))
            continue;
        add(stats, weft_arena_strdup(stats->arena, name), root->counters[k]);
        add(stats, weft_arena_printf(stats->arena, "critical_%s", name),
            root->critical_counters[k]);
    }
}

static bool read_stats(const struct weft_request *request, struct stats *stats,
                       struct weft_dag_time *time, struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    struct weft_dag *dag = weft_dag_open(source, err);
    struct weft_dag_steals steals;
    struct weft_dag_edge_counts edges;
    struct weft_dag_node root;
    if (!dag)
        return false;
    *stats = (struct stats){ .arena = request->arena };
    const struct weft_dag_time *found = weft_use_dag_time(request->use, 0, err);
    bool ok = found && weft_dag_steals_read(dag, request->job, &steals, err);
    if (ok && weft_dag_edge_counts_read(dag, request->job, &edges, err)) {
        *time = *found;
        weft_dag_node(dag, 0, &root);
        stats->known = !weft_dag_is_lost(&root);
        add_counts(stats, &root, &edges);
        add_times(stats, source->schema, time);
        add_counted(stats, "steals", (int64_t)steals.n, time->lost);
        add(stats, "edge_order", (int64_t)weft_dag_orders(dag));
        add_derived(stats, source->schema, time, &root);
        add_counters(stats, dag, &root);
        if (strcmp(weft_setting(request, "workers"), "on") == 0)
            add_pairs(stats, &edges);
        weft_dag_edge_counts_free(&edges);
    } else if (ok) {
        weft_dag_steals_free(&steals);
        ok = false;
    }
    if (ok)
        weft_dag_steals_free(&steals);
    weft_dag_close(dag);
    return ok;
}

static const struct weft_column columns[] = {
    { "kind",
      "what is counted: parts of tasks by what ended them (create, wait, other, end), "
      "section, task, edges by kind (edge_...), materialized nodes, work_ns, "
      "critical_path_ns, elapsed_ns, workers, delay_ns, nowork_ns, waiting_ns (for "
      "locks, within nodes, and for tasks that others ran), task_waits_ns (for tasks alone), parallelism (work by critical path), steals, edge_order (by depend and the like), "
      "and as in DAG Recorder's .stat nodes, compression, work_by_workers_ns, greedy_ns, "
      "greedy_speedup, observed_speedup, observed_by_greedy, task_granularity_ns, "
      "interval_granularity_ns; then what --counters named, in all and on the critical "
      "path (critical_...), and with --set workers=on edges from worker to worker" },
    { "count", "how many, or how long; contracted nodes count with all that is inside" },
};

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct weft_dag_time time;
    struct stats stats;
    if (!read_stats(request, &stats, &time, err))
        return false;
    weft_view_begin_table(request, out);
    for (size_t i = 0; i < stats.n; i++) {
        const struct stat *stat = &stats.list[i];
        const struct weft_cell cells[] = {
            weft_text_cell(stat->kind),
            !stats.known || stat->hidden ? (struct weft_cell){ .kind = WEFT_CELL_EMPTY }
            : stat->decimals > 0         ? weft_real_cell(stat->real, stat->decimals)
                                         : weft_integer_cell(stat->count),
        };
        if (!out->row(out, cells))
            break;
    }
    out->end(out);
    return true;
}

static const char *share_text(const struct weft_request *request, struct weft_arena *arena,
                              int64_t ticks, double all, const char *of)
{
    char text[WEFT_TIME_TEXT];
    weft_duration_text(request->set->sources[0]->schema, ticks, text);
    return weft_arena_printf(arena, "%s · %.1f %%%s", text,
                             all > 0 ? 100 * (double)ticks / all : 0, of);
}

/* Makes bars of work, waiting, delay and no-work, whose sum is all of the workers' time. */
static size_t time_bars(const struct weft_request *request, struct weft_arena *arena,
                        const struct weft_dag_time *time, struct weft_bar *bars)
{
    static const int shares[] = { WEFT_SHARE_WORK, WEFT_SHARE_WAITING, WEFT_SHARE_DELAY,
                                  WEFT_SHARE_NO_WORK };
    const int64_t ticks[] = { time->work, time->waiting, time->delay, time->no_work };
    const size_t n = sizeof shares / sizeof *shares;
    struct weft_swatch swatches[WEFT_SHARES];
    double all = time->lost ? (double)time->elapsed * time->workers
                            : (double)time->work + (double)time->waiting
                                  + (double)time->delay + (double)time->no_work;
    weft_share_swatches(request->theme, swatches);
    for (size_t i = 0; i < n; i++) {
        bool hidden = time->lost && shares[i] >= WEFT_SHARE_DELAY;
        bars[i] = (struct weft_bar){ weft_share_names[shares[i]], swatches[shares[i]],
                                     hidden ? 0 : (double)ticks[i],
                                     hidden ? "damaged: not known"
                                            : share_text(request, arena, ticks[i], all, ""),
                                     WEFT_NO_ID };
    }
    bars[n] =
        (struct weft_bar){ "critical path",
                           { .fill = request->theme->quiet, .tone = request->theme->quiet },
                           (double)time->critical_path,
                           share_text(request, arena, time->critical_path,
                                      (double)time->elapsed, " of the time"),
                           WEFT_NO_ID };
    return n + 1;
}

/* Writes the counts below the bars, as many as fit. */
enum { LINE = 20, COLUMN = 300 }; /* of the counts below the bars, in pixels */

/* Returns how many columns of counts WIDTH has room for. */
static size_t columns_of(double width)
{
    size_t across = (size_t)((width - 24) / COLUMN);
    return across ? across : 1;
}

static void write_counts(struct weft_frame *frame, const struct stats *stats, double top)
{
    struct weft_scene *scene = frame->scene;
    struct weft_rect plot = frame->plot;
    const double left = 12;
    size_t across = columns_of(scene->width);
    weft_scene_layer(scene, "counts",
                     (struct weft_rect){ 0, top, scene->width, plot.y + plot.height - top },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < stats->n; i++) {
        const struct stat *stat = &stats->list[i];
        double x = left + (double)(i % across) * COLUMN;
        double y = top + (double)(i / across) * LINE + 13;
        if (y > plot.y + plot.height)
            break;
        bool real = stat->decimals > 0;
        double value = real ? stat->real : (double)stat->count;
        const char *text = stat->hidden
                               ? "not known"
                               : weft_number_text(scene->arena, value, real ? 2 : 0);
        weft_scene_text(scene, (struct weft_point){ x, y }, WEFT_ANCHOR_START,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->quiet, stat->kind);
        weft_scene_text(scene, (struct weft_point){ x + COLUMN - 20, y }, WEFT_ANCHOR_END,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->text, text);
    }
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct weft_dag_time time;
    struct stats stats;
    struct weft_bar bars[5];
    struct weft_frame frame;
    char text[WEFT_TIME_TEXT];
    if (!read_stats(request, &stats, &time, err))
        return false;
    size_t n = time_bars(request, request->arena, &time, bars);
    weft_duration_text(request->set->sources[0]->schema, time.elapsed, text);
    if (!stats.known) {
        weft_frame_begin(&frame, out, request, 0, false, NULL, 0, "");
        weft_frame_empty(&frame, "The figures of the run cannot be read.");
        weft_damage_hatch(out, request->theme, frame.plot);
        return true;
    }
    weft_frame_begin(&frame, out, request, weft_bars_gutter(request, bars, n), false, NULL,
                     0,
                     weft_arena_printf(request->arena, "%" PRIu32 " worker%s · %s",
                                       time.workers, time.workers == 1 ? "" : "s", text));
    struct weft_rect plot = frame.plot;
    double lines = ceil((double)stats.n / (double)columns_of(out->width)) * LINE + 24;
    frame.plot.height = fmax(plot.height - lines, 22.0 * (double)n);
    weft_bars_draw(&frame, bars, n);
    double top = plot.y + (double)n * weft_bars_row(&frame, n) + 12;
    frame.plot = plot;
    write_counts(&frame, &stats, top);
    return true;
}

static const char *remark(const struct weft_request *request)
{
    return weft_dag_clock_remark(request->set->sources[0], request->arena);
}

const struct weft_view weft_view_dag_stats = {
    .name = "dag-stats",
    .title = "Tasks in numbers",
    .group = "Tasks",
    .explanation =
        "Where the time of all workers went, and how many nodes and edges of each "
        "kind the task DAG has.",
    .needs = "a task DAG (weft record --with omp makes one)",
    .of_run = true,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = weft_set_has_dags,
    .scene = scene,
    .table = table,
    .remark = remark,
};
