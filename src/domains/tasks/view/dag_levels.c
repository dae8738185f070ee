/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks by level: each is below its creator and below all tasks that must have ended before
 * it begins.  So a DAG by dependences, whose tasks one task has created, has the shape that
 * these give it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/sites_by_line.h"
#include "domains/tasks/analyse/dag_levels.h"
#include "domains/tasks/view/dag_facts.h"
#include "domains/tasks/view/task_runs_for_comparison.h"
#include "domains/tasks/view/views.h"
#include "store/time.h"
#include "view/picture_frame.h"

enum {
    MAX_DOTS = 30000,  /* tasks that are drawn one by one; of more, levels are bars */
    MAX_LINES = 40000, /* orders that are drawn */
    MAX_SITES = 12,    /* places that the legend names */
};

/* ---- What is prepared ---- */

static void free_levels(void *thing)
{
    weft_dag_levels_free(thing);
    free(thing);
}

static bool make_levels(const struct weft_prepare_args *args, void **thing, size_t *bytes,
                        struct weft_err *err)
{
    struct weft_dag *dag = weft_dag_open(args->set->sources[0], err);
    struct weft_dag_levels *levels = weft_zalloc(1, sizeof *levels);
    bool ok = dag && weft_dag_has_figures(dag, err)
              && weft_dag_levels_read(dag, args->job, levels, err);
    *thing = levels;
    *bytes = sizeof *levels + (dag ? 8 * (size_t)weft_dag_size(dag) : 0);
    weft_dag_close(dag);
    if (!ok)
        free_levels(levels);
    return ok;
}

static const struct weft_preparation preparation = { "levels of tasks", make_levels,
                                                     free_levels };

static const struct weft_dag_levels *use_levels(struct weft_use *use, struct weft_err *err)
{
    const struct weft_set one = { use->request->set->sources, 1 };
    return weft_use_get(use, &preparation, &one, "", 0, err);
}

/* The place at which a task was created; WEFT_NONE for the root. */
static uint32_t site_of(const struct weft_dag *dag, uint32_t task)
{
    struct weft_dag_node node;
    weft_dag_shape(dag, task, &node);
    if (node.parent == WEFT_NONE)
        return WEFT_NONE;
    weft_dag_node(dag, node.parent, &node);
    return node.end_site;
}

/* ---- The table ---- */

static const struct weft_column columns[] = {
    { "task", "the task, by its number; 0 is the root" },
    { "level", "how far it is below the root: one more than the lowest of those above it" },
    { "site", "where it was created" },
    { "worker", "the worker that ran it; empty: several, or not known" },
    { "begin_ns", "when it began, from the begin of the trace" },
    { "end_ns", "when it ended" },
    { "work_ns", "what it worked, with all that it created and waited for" },
    {
        "waits_for",
        "tasks that had to end before it, by depend or exclusion",
    },
    { "held_up", "tasks that had to wait for its end in this way" },
};

/* Counts the orders into a task, or out of it. */
static uint64_t count_orders(const struct weft_dag *dag, uint32_t task, bool out)
{
    uint64_t n = weft_dag_orders(dag), count = 0;
    struct weft_dag_order order;
    if (n == 0)
        return 0;
    for (uint64_t row = out ? weft_dag_orders_from(dag, task)
                            : weft_dag_orders_into(dag, task);
         row < n
         && (out ? weft_dag_order_by_before(dag, row, &order)
                 : weft_dag_order(dag, row, &order))
         && (out ? order.before : order.after) == task;
         row++)
        count++;
    return count;
}

static bool put_row(const struct weft_dag *dag, const struct weft_schema *schema,
                    uint32_t task, uint32_t level, struct weft_table *out)
{
    static const struct weft_cell empty = { .kind = WEFT_CELL_EMPTY };
    struct weft_arena arena = { 0 };
    struct weft_dag_node node;
    int64_t zero = schema->span.begin;
    weft_dag_node(dag, task, &node);
    bool lost = weft_dag_is_lost(&node);
    const struct weft_cell cells[] = {
        weft_integer_cell(task),
        weft_integer_cell(level),
        weft_text_cell(weft_site_text(&arena, schema, site_of(dag, task))),
        lost || node.worker < 0 ? empty : weft_integer_cell(node.worker),
        lost ? empty : weft_integer_cell(weft_ticks_to_ns(schema, node.begin - zero)),
        lost ? empty : weft_integer_cell(weft_ticks_to_ns(schema, node.end - zero)),
        lost ? empty : weft_integer_cell(weft_ticks_to_ns(schema, node.work)),
        weft_integer_cell((int64_t)count_orders(dag, task, false)),
        weft_integer_cell((int64_t)count_orders(dag, task, true)),
    };
    bool more = out->row(out, cells);
    weft_arena_free(&arena);
    return more;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    const struct weft_schema *schema = request->set->sources[0]->schema;
    struct weft_dag *dag = weft_dag_open(request->set->sources[0], err);
    const struct weft_dag_levels *levels = dag ? use_levels(request->use, err) : NULL;
    if (levels) {
        bool more = true;
        weft_view_begin_table(request, out);
        for (uint32_t i = 0; more && i < levels->n_tasks; i++)
            more =
                put_row(dag, schema, levels->tasks[i], levels->of[levels->tasks[i]], out);
        out->end(out);
    }
    weft_dag_close(dag);
    return levels;
}

/* ---- The picture ---- */

struct level_picture {
    const struct weft_request *request;
    const struct weft_dag *dag;
    const struct weft_dag_levels *levels;
    struct weft_frame frame;
    const uint32_t *alike; /* by site */
    uint32_t *numbers; /* [n_sites + 1] by site, the root's last: of its colour, from 1 */
    uint32_t n_numbers;
    struct weft_point *at; /* by index in levels->tasks; NULL for bars */
    double row, radius;
};

static double middle_of(const struct level_picture *p, uint32_t level)
{
    return p->frame.plot.y + (level + 0.5) * p->row;
}

/* The colour of a task's place, and the place's text; places are numbered as they come. */
static struct weft_swatch look_of(struct level_picture *p, uint32_t task, const char **text)
{
    const struct weft_schema *schema = p->request->set->sources[0]->schema;
    uint32_t site = site_of(p->dag, task);
    site = site < schema->n_sites ? p->alike[site] : schema->n_sites;
    if (p->numbers[site] == 0)
        p->numbers[site] = ++p->n_numbers;
    *text = site == schema->n_sites ? "no known place"
                                    : weft_site_text(p->request->arena, schema, site);
    if (task == 0)
        *text = "root task";
    return weft_number_swatch(p->request->theme, p->numbers[site] - 1);
}

/* Counts the places of the tasks for the legend; those beyond MAX_SITES have none. */
static size_t legend_of(struct level_picture *p, struct weft_legend_entry *legend)
{
    size_t n = 0;
    for (uint32_t i = 0; i < p->levels->n_tasks && i < MAX_DOTS; i++) {
        const char *text;
        struct weft_swatch swatch = look_of(p, p->levels->tasks[i], &text);
        size_t k = 0;
        while (k < n && strcmp(legend[k].label, text) != 0)
            k++;
        if (k == n && n < MAX_SITES)
            legend[n++] = (struct weft_legend_entry){ swatch, text, -1, 0, 0 };
        if (k < n)
            legend[k].weight++;
    }
    return n;
}

static void place_dots(struct level_picture *p)
{
    const struct weft_dag_levels *levels = p->levels;
    struct weft_rect plot = p->frame.plot;
    const double least = 1.2; /* pixels; smaller dots are not seen */
    double gap = plot.width / fmax(levels->widest, 1);
    p->at = weft_arena_alloc(p->request->arena, (levels->n_tasks + 1) * sizeof *p->at);
    p->radius = fmax(fmin(fmin(p->row, gap) * 0.36, 9), least);
    for (uint32_t level = 0; level < levels->n; level++) {
        uint64_t first = levels->begin[level], n = levels->begin[level + 1] - first;
        double step = fmin(plot.width / (double)n, fmax(gap, p->row * 2));
        double left = plot.x + plot.width / 2 - step * (double)(n - 1) / 2;
        for (uint64_t i = 0; i < n; i++)
            p->at[first + i] =
                (struct weft_point){ left + step * (double)i, middle_of(p, level) };
    }
}

/* The index of a task in levels->tasks: those of a level are in order of their numbers. */
static uint64_t index_of(const struct weft_dag_levels *levels, uint32_t task)
{
    uint32_t level = levels->of[task];
    uint64_t low = levels->begin[level], high = levels->begin[level + 1];
    while (low + 1 < high) {
        uint64_t middle = low + (high - low) / 2;
        if (levels->tasks[middle] <= task)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Draws a line from one task to another that is below it. */
static void draw_line(struct level_picture *p, uint32_t from, uint32_t to, uint32_t alpha,
                      float width)
{
    if (p->levels->of[from] == WEFT_NONE || p->levels->of[to] == WEFT_NONE)
        return;
    weft_scene_line(
        p->frame.scene, p->at[index_of(p->levels, from)], p->at[index_of(p->levels, to)],
        (struct weft_paint){ .stroke = (p->request->theme->text & 0xffffffu) | alpha << 24,
                             .stroke_width = width });
}

/* Draws the orders, and where tasks are few, lines from their creators. */
static void draw_lines(struct level_picture *p)
{
    enum { FEW = 2000 };
    uint64_t n = weft_dag_orders(p->dag);
    for (uint32_t i = 0; i < p->levels->n_tasks && p->levels->n_tasks <= FEW; i++) {
        struct weft_dag_node node;
        uint32_t creator;
        weft_dag_shape(p->dag, p->levels->tasks[i], &node);
        creator = node.parent == WEFT_NONE ? WEFT_NONE
                                           : weft_dag_task_of(p->dag, node.parent, NULL);
        if (creator != WEFT_NONE)
            draw_line(p, creator, p->levels->tasks[i], 0x28, 0.8f);
    }
    for (uint64_t row = 0; row < n && n <= MAX_LINES; row++) {
        struct weft_dag_order order;
        if (weft_dag_order(p->dag, row, &order))
            draw_line(p, order.before, order.after, n > FEW ? 0x28 : 0xc0,
                      n > FEW ? 0.4f : 1.0f);
    }
}

static void draw_dots(struct level_picture *p)
{
    place_dots(p);
    draw_lines(p);
    for (uint32_t i = 0; i < p->levels->n_tasks; i++) {
        uint32_t task = p->levels->tasks[i];
        const char *text;
        struct weft_swatch swatch = look_of(p, task, &text);
        struct weft_mark *mark = weft_scene_glyph(
            p->frame.scene, WEFT_GLYPH_CIRCLE, p->at[i], 2 * p->radius, 0,
            (struct weft_paint){ .fill = swatch.fill,
                                 .stroke = p->radius > 3 ? p->request->theme->text : 0,
                                 .stroke_width = 0.5f });
        if (!mark)
            continue;
        mark->id = weft_dag_mark_id(p->dag, task);
        weft_mark_title(p->frame.scene, mark, "task %" PRIu32 " · %s · level %" PRIu32,
                        task, text, p->levels->of[task]);
    }
}

/* Draws too many tasks as bars: each row of pixels as long as the most tasks of a level. */
static void draw_bars(struct level_picture *p)
{
    const struct weft_dag_levels *levels = p->levels;
    struct weft_rect plot = p->frame.plot;
    size_t rows = (size_t)fmax(1, fmin(levels->n, plot.height));
    for (size_t r = 0; r < rows; r++) {
        uint64_t first = (uint64_t)levels->n * r / rows;
        uint64_t after = (uint64_t)levels->n * (r + 1) / rows, most = 0;
        for (uint64_t level = first; level < after; level++)
            if (levels->begin[level + 1] - levels->begin[level] > most)
                most = levels->begin[level + 1] - levels->begin[level];
        double width = plot.width * (double)most / fmax(levels->widest, 1);
        struct weft_mark *mark = weft_scene_rect(
            p->frame.scene,
            (struct weft_rect){ plot.x + (plot.width - width) / 2,
                                plot.y + plot.height * (double)r / (double)rows, width,
                                plot.height / (double)rows },
            (struct weft_paint){ .fill = p->request->theme->accent });
        weft_mark_title(p->frame.scene, mark, "level %" PRIu64 " · %" PRIu64 " tasks",
                        first, most);
    }
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    const struct weft_source *source = request->set->sources[0];
    struct level_picture p = { .request = request };
    struct weft_legend_entry legend[MAX_SITES];
    struct weft_dag *dag = weft_dag_open(source, err);
    p.dag = dag;
    p.levels = dag ? use_levels(request->use, err) : NULL;
    if (p.levels) {
        uint64_t n_orders = weft_dag_orders(dag);
        const char *tasks = weft_number_text(request->arena, p.levels->n_tasks, 0);
        p.alike = weft_sites_alike(request->arena, source->schema);
        p.numbers = weft_arena_zalloc(request->arena, source->schema->n_sites + 1,
                                      sizeof *p.numbers);
        size_t n = p.levels->n_tasks <= MAX_DOTS ? legend_of(&p, legend) : 0;
        weft_frame_begin(
            &p.frame, out, request, 8, false, legend, n,
            weft_arena_printf(request->arena, "%s tasks on %" PRIu32 " levels · %s orders",
                              tasks, p.levels->n,
                              weft_number_text(request->arena, (double)n_orders, 0)));
        weft_scene_layer(out, "tasks", p.frame.plot, WEFT_LAYER_FIXED);
        p.row = p.frame.plot.height / fmax(p.levels->n, 1);
        if (p.levels->n_tasks <= MAX_DOTS && p.row >= 2
            && p.frame.plot.width >= 2.0 * p.levels->widest)
            draw_dots(&p);
        else
            draw_bars(&p);
    }
    weft_dag_close(dag);
    return p.levels;
}

const struct weft_view weft_view_dag_levels = {
    .name = "dag-levels",
    .title = "Tasks by level",
    .group = "Tasks",
    .explanation =
        "Each task is below the one that created it, and below all that had to end "
        "before it (depend), which lines show; colours: where it was created.",
    .needs = "a task DAG (weft record --with omp makes one)",
    .of_run = true,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = weft_set_has_dags,
    .scene = scene,
    .table = table,
};
