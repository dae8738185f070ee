/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a task DAG: nodes and edges by kind, and where the time of its workers went,
   which the picture shows as bars. */
#include <inttypes.h>
#include <stdio.h>

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
    double parallelism; /* for the only row that is not an integer */
    bool hidden;        /* unknown, since nodes are unreadable */
};

enum { MAX_STATS = 25 + 2 * WEFT_DAG_COUNTERS, NAME = 64 };

struct stats {
    struct stat list[MAX_STATS];
    char names[2 * WEFT_DAG_COUNTERS][NAME + 16]; /* names of the counters */
    size_t n;
    bool known; /* the nodes that they come from are readable */
};

static void add(struct stats *stats, const char *kind, int64_t count)
{
    WEFT_REQUIRE(stats->n < MAX_STATS, "more than %d rows", MAX_STATS);
    stats->list[stats->n++] = (struct stat){ kind, count, 0, false };
}

/* Adds a number that is counted node by node, and so unknown if nodes are LOST. */
static void add_counted(struct stats *stats, const char *kind, int64_t count, uint64_t lost)
{
    add(stats, kind, count);
    stats->list[stats->n - 1].hidden = lost > 0;
}

/* Tasks are creates plus the root, and every section ends with a wait, so their numbers
   include contracted ones. */
static void add_counts(struct stats *stats, const struct weft_dag_node *root)
{
    add(stats, "create", (int64_t)root->leaves[WEFT_DAG_CREATE]);
    add(stats, "wait", (int64_t)root->leaves[WEFT_DAG_WAIT]);
    add(stats, "other", (int64_t)root->leaves[WEFT_DAG_OTHER]);
    add(stats, "end", (int64_t)root->leaves[WEFT_DAG_END]);
    add(stats, "section", (int64_t)root->leaves[WEFT_DAG_WAIT]);
    add(stats, "task", (int64_t)root->leaves[WEFT_DAG_END]);
    add(stats, "edge_create", (int64_t)root->edges[WEFT_DAG_EDGE_CREATE]);
    add(stats, "edge_create_cont", (int64_t)root->edges[WEFT_DAG_EDGE_CREATE_CONTINUATION]);
    add(stats, "edge_end", (int64_t)root->edges[WEFT_DAG_EDGE_END]);
    add(stats, "edge_wait_cont", (int64_t)root->edges[WEFT_DAG_EDGE_WAIT_CONTINUATION]);
    add(stats, "edge_other_cont", (int64_t)root->edges[WEFT_DAG_EDGE_OTHER_CONTINUATION]);
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
    add(stats, "parallelism", 0);
    if (time->critical_path > 0)
        stats->list[stats->n - 1].parallelism =
            (double)time->work / (double)time->critical_path;
}

/* Adds the counters, in all and on the critical path. */
static void add_counters(struct stats *stats, const struct weft_dag *dag,
                         const struct weft_dag_node *root)
{
    for (int k = 0; k < WEFT_DAG_COUNTERS; k++) {
        char *name = stats->names[2 * k], *critical = stats->names[2 * k + 1];
        if (!weft_dag_counter_name(dag, k, name, NAME))
            continue;
        snprintf(critical, sizeof stats->names[0], "critical_%s", name);
        add(stats, name, root->counters[k]);
        add(stats, critical, root->critical_counters[k]);
    }
}

static bool read_stats(const struct weft_request *request, struct stats *stats,
                       struct weft_dag_time *time, struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    struct weft_dag *dag = weft_dag_open(source, err);
    struct weft_dag_steals steals;
    struct weft_dag_node root;
    if (!dag)
        return false;
    stats->n = 0;
    const struct weft_dag_time *found = weft_use_dag_time(request->use, 0, err);
    bool ok = found && weft_dag_steals_read(dag, request->job, &steals, err);
    if (ok) {
        *time = *found;
        weft_dag_node(dag, 0, &root);
        stats->known = !weft_dag_is_lost(&root);
        add_counts(stats, &root);
        add_times(stats, source->schema, time);
        add_counted(stats, "steals", (int64_t)steals.n, time->lost);
        add_counters(stats, dag, &root);
        weft_dag_steals_free(&steals);
    }
    weft_dag_close(dag);
    return ok;
}

static const struct weft_column columns[] = {
    { "kind",
      "what is counted: parts of tasks by what ended them (create, wait, other, end), "
      "section, task, edges by kind (edge_...), materialized nodes, work_ns, "
      "critical_path_ns, elapsed_ns, workers, delay_ns, nowork_ns, waiting_ns (for "
      "locks, within nodes, and for tasks that others ran), task_waits_ns (for tasks alone), parallelism (work by critical path), steals; then what --counters named, in all and on the critical "
      "path (critical_...)" },
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
            : stat->parallelism > 0      ? weft_real_cell(stat->parallelism, 3)
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
static void write_counts(struct weft_frame *frame, const struct stats *stats, size_t n_bars)
{
    enum { ROW = 22, LINE = 16, COLUMN = 220 };
    struct weft_scene *scene = frame->scene;
    struct weft_rect plot = frame->plot;
    double top = plot.y + (double)n_bars * ROW + 12, left = 12;
    size_t across = (size_t)((scene->width - 2 * left) / COLUMN);
    across = across ? across : 1;
    weft_scene_layer(scene, "counts",
                     (struct weft_rect){ 0, top, scene->width, plot.y + plot.height - top },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < stats->n; i++) {
        const struct stat *stat = &stats->list[i];
        double x = left + (double)(i % across) * COLUMN;
        double y = top + (double)(i / across) * LINE + 13;
        if (y > plot.y + plot.height)
            break;
        bool real = stat->parallelism > 0;
        double value = real ? stat->parallelism : (double)stat->count;
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
    weft_bars_draw(&frame, bars, n);
    write_counts(&frame, &stats, n);
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
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = weft_set_has_dags,
    .scene = scene,
    .table = table,
    .remark = remark,
};
