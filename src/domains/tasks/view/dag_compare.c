/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two runs of one task-parallel program, aligned by structure: the change of work,
 * waiting, delay and no-work of each subgraph, largest change first, and the differences of
 * the structures.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "domains/tasks/view/dag_compare_priv.h"
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

static void free_comparison(void *thing)
{
    struct dag_comparison *c = thing;
    weft_dag_pairs_free(&c->pairs);
    for (int i = 0; i < 2; i++) {
        weft_dag_bill_free(c->bills[i]);
        weft_dag_close(c->dags[i]);
    }
    free(c);
}

static bool add_up(const struct weft_dag *dag, const struct weft_source *source,
                   struct weft_job *job, struct dag_run_totals *out, struct weft_err *err)
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
    *out = (struct dag_run_totals){
        .costs = { .work = (double)weft_ticks_to_ns(schema, time.work),
                   .waiting = (double)weft_ticks_to_ns(schema, time.waiting),
                   .delay = (double)weft_ticks_to_ns(schema, time.delay),
                   .no_work = (double)weft_ticks_to_ns(schema, time.no_work) },
        .elapsed = (double)weft_ticks_to_ns(schema, time.elapsed),
    };
    return true;
}

static void move_unchanged(struct dag_comparison *c,
                           const struct weft_source *const *sources);

static bool make_comparison(const struct weft_prepare_args *args, void **thing,
                            size_t *bytes, struct weft_err *err)
{
    struct dag_comparison *c = weft_zalloc(1, sizeof *c);
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
    if (ok)
        move_unchanged(c, args->set->sources);
    else
        free_comparison(c);
    return ok;
}

static const struct weft_preparation preparation = { "two task DAGs aligned",
                                                     make_comparison, free_comparison };

static const struct dag_comparison *use_comparison(struct weft_use *use,
                                                   struct weft_err *err)
{
    const struct weft_set two = { use->request->set->sources, 2 };
    return weft_use_get(use, &preparation, &two, "", 0, err);
}

/* ---- Rows ---- */

const struct weft_dag_pair *dag_compare_next(const struct dag_comparison *c,
                                             const struct weft_request *request, size_t *at)
{
    bool all = weft_setting_is_choice("all", weft_setting(request, "only"));
    while (*at < c->n_changed) {
        const struct weft_dag_pair *pair = &c->pairs.list[(*at)++];
        if (all || pair->differs)
            return pair;
    }
    return NULL;
}

const char *dag_compare_kind(enum weft_dag_kind kind)
{
    static const char *const names[WEFT_DAG_KINDS] = {
        [WEFT_DAG_CREATE] = "create",   [WEFT_DAG_WAIT] = "wait",
        [WEFT_DAG_OTHER] = "other",     [WEFT_DAG_END] = "end",
        [WEFT_DAG_SECTION] = "section", [WEFT_DAG_TASK] = "task",
    };
    return names[kind];
}

const char *dag_compare_site(const struct dag_comparison *c,
                             const struct weft_request *request,
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
static void put_times(const struct dag_run_totals *a, const struct dag_run_totals *b,
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

/* Writes what DAG_COMPARE_COSTS are in all, a change. */
static struct weft_cell sum_of(const struct weft_dag_costs *costs)
{
    struct weft_cell cell =
        rounded(costs->work + costs->waiting + costs->delay + costs->no_work);
    cell.differs = cell.integer != 0;
    return cell;
}

/* Writes the totals of both runs, before the rows of pairs. */
static bool put_sums(const struct dag_comparison *c, struct weft_table *out)
{
    static const struct weft_cell empty = { .kind = WEFT_CELL_EMPTY };
    struct weft_cell cells[COLUMNS] = { empty, empty, weft_text_cell("run"),
                                        weft_text_cell("all of it"), empty };
    put_times(&c->sums[0], &c->sums[1], cells);
    cells[BEFORE_TIMES + TIMES] = structure(false, c->pairs.differing > 0);
    cells[COLUMNS - 1] = empty;
    return out->row(out, cells);
}

/* Writes the times, the structure and the own change of a pair. */
static void put_changes(const struct dag_comparison *c,
                        const struct weft_source *const *sources,
                        const struct weft_dag_pair *pair, struct weft_cell cells[COLUMNS])
{
    struct dag_run_totals sums[2];
    for (int run = 0; run < 2; run++) {
        struct weft_dag_node node;
        weft_dag_node(c->dags[run], pair->node[run], &node);
        sums[run] =
            (struct dag_run_totals){ weft_dag_bill_of(c->bills[run], pair->node[run]),
                                     (double)weft_ticks_to_ns(sources[run]->schema,
                                                              node.end - node.begin) };
    }
    put_times(&sums[0], &sums[1], cells);
    cells[BEFORE_TIMES + TIMES] = structure(pair->differs, pair->inside);
    cells[COLUMNS - 1] = sum_of(&pair->own);
}

/* Moves the pairs of which no shown number or word changed behind the others. */
static void move_unchanged(struct dag_comparison *c,
                           const struct weft_source *const *sources)
{
    struct weft_dag_pair *list = c->pairs.list;
    struct weft_dag_pair *same = weft_alloc((c->pairs.n + 1) * sizeof *same);
    size_t n_same = 0;
    for (size_t i = 0; i < c->pairs.n; i++) {
        struct weft_cell cells[COLUMNS] = { 0 };
        bool differs = false;
        put_changes(c, sources, &list[i], cells);
        for (size_t k = 0; k < COLUMNS; k++)
            differs |= cells[k].differs;
        if (differs)
            list[c->n_changed++] = list[i];
        else
            same[n_same++] = list[i];
    }
    memcpy(list + c->n_changed, same, n_same * sizeof *same);
    free(same);
}

static bool put_row(const struct dag_comparison *c, const struct weft_request *request,
                    const struct weft_dag_pair *pair, struct weft_table *out)
{
    struct weft_arena arena = { 0 };
    struct weft_dag_node node;
    weft_dag_shape(c->dags[0], pair->node[0], &node);
    struct weft_cell cells[COLUMNS] = {
        weft_integer_cell(pair->node[0]),
        weft_integer_cell(pair->node[1]),
        weft_text_cell(dag_compare_kind(node.kind)),
        weft_text_cell(dag_compare_site(c, request, pair, &arena)),
        weft_integer_cell(pair->depth),
    };
    put_changes(c, request->set->sources, pair, cells);
    bool more = out->row(out, cells);
    weft_arena_free(&arena);
    return more;
}

static void add_costs(struct weft_dag_costs *sum, const struct weft_dag_costs *more)
{
    sum->work += more->work;
    sum->waiting += more->waiting;
    sum->delay += more->delay;
    sum->no_work += more->no_work;
}

/* Writes a row for N pairs that have none, if N is not 0; OWN is their own change. */
static bool put_left_out(const char *kind, uint64_t n, struct weft_cell own,
                         struct weft_table *out)
{
    static const struct weft_cell empty = { .kind = WEFT_CELL_EMPTY };
    struct weft_arena arena = { 0 };
    struct weft_cell cells[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++)
        cells[i] = empty;
    cells[2] = weft_text_cell(kind);
    cells[3] = weft_text_cell(weft_arena_printf(&arena, "not listed: %" PRIu64, n));
    cells[COLUMNS - 1] = own;
    bool more = !n || out->row(out, cells);
    weft_arena_free(&arena);
    return more;
}

static const struct weft_column columns[COLUMNS] = {
    { "node",
      "the section or task in the first run, by its number; empty: the sums of all of it" },
    { "other_node", "the same in the second run", .seldom = true },
    { "kind",
      "run, section or task; create, wait, other or end of leaves that differ; others: "
      "changes that are not listed; unchanged: what is the same in both runs",
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

/* Writes the listed pairs, then the numbers of those that are not listed. */
static void put_pairs(const struct dag_comparison *c, const struct weft_request *request,
                      struct weft_table *out)
{
    double most = weft_setting_number(request, "most");
    const struct weft_dag_pair *pair, *end = c->pairs.list + c->n_changed;
    const struct weft_dag_pair *from = c->pairs.list;
    struct weft_dag_costs rest = { 0 };
    uint64_t listed = 0;
    size_t at = 0;
    bool more = put_sums(c, out);
    for (; more && (double)listed < most && (pair = dag_compare_next(c, request, &at));
         listed++) {
        more = put_row(c, request, pair, out);
        for (; from < pair; from++)
            add_costs(&rest, &from->own);
        from++;
    }
    for (; from < end; from++)
        add_costs(&rest, &from->own);
    (void)(more && put_left_out("others", c->n_changed - listed, sum_of(&rest), out)
           && put_left_out("unchanged", c->pairs.n - c->n_changed, weft_integer_cell(0),
                           out));
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct dag_comparison *c = use_comparison(request->use, err);
    if (c) {
        weft_view_begin_table(request, out);
        put_pairs(c, request, out);
        out->end(out);
    }
    return c;
}

/* ---- Picture ---- */

static const char *time_text(struct weft_arena *arena, double ns)
{
    char text[WEFT_TIME_TEXT];
    return weft_arena_strdup(arena, weft_nanoseconds_text(ns, text));
}

static const char *subtitle_of(const struct dag_comparison *c,
                               const struct weft_request *request, struct weft_arena *arena)
{
    const char *aligned = weft_number_text(arena, (double)c->pairs.aligned, 0);
    const char *remark = weft_contraction_remark(request);
    uint64_t n = c->pairs.differing;
    const char *said =
        n ? weft_arena_printf(arena, "structures differ at %s of %s nodes",
                              weft_number_text(arena, (double)n, 0), aligned)
          : weft_arena_printf(arena, "the same structure: %s nodes", aligned);
    if (c->n_changed < c->pairs.n)
        said = weft_arena_printf(
            arena, "%s · not shown: %s unchanged", said,
            weft_number_text(arena, (double)(c->pairs.n - c->n_changed), 0));
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
    struct weft_legend_entry legend[DAG_COMPARE_COSTS];
    struct weft_frame frame;
    size_t at = 0;
    const struct dag_comparison *c = use_comparison(request->use, err);
    if (c) {
        weft_share_swatches(request->theme, swatches);
        for (int k = 0; k < DAG_COMPARE_COSTS; k++)
            legend[k] = (struct weft_legend_entry){ swatches[dag_compare_looks[k]],
                                                    weft_share_names[dag_compare_looks[k]],
                                                    -1, DAG_COMPARE_COSTS - k };
        weft_frame_begin(&frame, out, request, fmin(220, request->width * 0.3), false,
                         legend, DAG_COMPARE_COSTS,
                         subtitle_of(c, request, request->arena));
        if (dag_compare_next(c, request, &at))
            dag_compare_draw(&frame, c, request, swatches);
        else
            weft_frame_empty(&frame, c->n_changed ? "The structures do not differ."
                                                  : "The runs do not differ.");
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
