/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parallelism of a task-parallel run over time (section 3.3.4 of the thesis on DAGViz):
 * the number of running nodes of its DAG, and on top the number of ready nodes by the kind
 * of edge that made them ready.  Below it a lane for each worker, with the times at which
 * it ran nodes.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domains/tasks/view/task_runs_for_comparison.h"
#include "domains/tasks/view/views.h"
#include "domains/tasks/view/worker_load_by_column.h"
#include "store/time.h"
#include "view/bars.h"

static const struct weft_parameter parameters[] = {
    { .name = "depth",
      .kind = WEFT_PARAMETER_NUMBER,
      .maximum = 1e6,
      .fallback = "0",
      .help = "how many levels of the DAG to look into; 0: all" },
};

/* Layers from the bottom up. */
enum layer { RUNNING, CREATE, CREATE_CONT, END, WAIT_CONT, OTHER_CONT, LAYERS };
static const size_t curve_of[LAYERS] = {
    [RUNNING] = WEFT_DAG_ACTUAL,
    [CREATE] = (size_t)WEFT_DAG_AVAILABLE + WEFT_DAG_EDGE_CREATE,
    [CREATE_CONT] = (size_t)WEFT_DAG_AVAILABLE + WEFT_DAG_EDGE_CREATE_CONTINUATION,
    [END] = (size_t)WEFT_DAG_AVAILABLE + WEFT_DAG_EDGE_END,
    [WAIT_CONT] = (size_t)WEFT_DAG_AVAILABLE + WEFT_DAG_EDGE_WAIT_CONTINUATION,
    [OTHER_CONT] = (size_t)WEFT_DAG_AVAILABLE + WEFT_DAG_EDGE_OTHER_CONTINUATION,
};
static const char *const layer_names[LAYERS] = {
    "running",
    "ready: a new task",
    "ready: after a create",
    "ready: after an end",
    "ready: after a wait",
    "ready: after another break",
};

/* The thesis's colours: red; blue, pink, green, cyan; and one for a kind that it does not
   name. */
static void layer_swatches(const struct weft_theme *theme,
                           struct weft_swatch swatches[LAYERS])
{
    static const weft_color plain[LAYERS] = { 0xffd8382f, 0xff3465c8, 0xfff0a3c4,
                                              0xff4aa857, 0xff4fc6d6, 0xffd9b13b };
    static const weft_color safe[LAYERS] = { 0xffb8561f, 0xff1f4f9e, 0xffe8b4cf,
                                             0xff6f8f3a, 0xff86c5ec, 0xfff0dc7a };
    weft_hue_swatches(theme, theme->name == WEFT_THEME_CVD ? safe : plain, LAYERS,
                      swatches);
}

/* 0 means all depths, as in the pictures of the DAG. */
static uint32_t depth_of(const struct weft_request *request)
{
    double depth = weft_setting_number(request, "depth");
    return depth >= 1 ? (uint32_t)depth : WEFT_DAG_ALL_DEPTHS;
}

static const struct weft_dag_profile *use_profile(struct weft_use *use,
                                                  struct weft_err *err)
{
    return weft_use_dag_profile(use, depth_of(use->request), err);
}

/* ---- Table ---- */

struct change_writer {
    const struct weft_schema *schema;
    struct weft_table *table;
    struct weft_job *job;
    uint64_t n;
    bool once;
};

static bool write_change(void *user, int64_t time, const double values[WEFT_DAG_CURVES])
{
    struct change_writer *w = user;
    struct weft_err err;
    const struct weft_cell cells[] = {
        weft_integer_cell(weft_ticks_to_ns(w->schema, time - w->schema->span.begin)),
        weft_real_cell(values[curve_of[RUNNING]], -1),
        weft_real_cell(values[curve_of[CREATE]], -1),
        weft_real_cell(values[curve_of[CREATE_CONT]], -1),
        weft_real_cell(values[curve_of[END]], -1),
        weft_real_cell(values[curve_of[WAIT_CONT]], -1),
        weft_real_cell(values[curve_of[OTHER_CONT]], -1),
    };
    return w->table->row(w->table, cells) && !w->once
           && (++w->n % 4096 || weft_job_step(w->job, w->n, 0, &err));
}

static const struct weft_column columns[] = {
    { "time_ns", "when the numbers change, from the begin of the trace" },
    { "actual", "nodes that run then" },
    { "create", "nodes that are ready: new tasks" },
    { "create_cont", "that are ready: what follows a create" },
    { "end", "that are ready: what follows the end of a task" },
    { "wait_cont", "that are ready: what follows a wait" },
    { "other_cont", "that are ready: what follows another break, such as a barrier" },
};

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct change_writer w = { request->set->sources[0]->schema, out, request->job, 0,
                               request->has_at };
    struct weft_span window = request->window;
    const struct weft_dag_profile *profile = use_profile(request->use, err);
    if (request->has_at)
        window = (struct weft_span){ request->at, request->at + 1 };
    if (profile) {
        weft_view_begin_table(request, out);
        weft_dag_profile_changes(profile, window, write_change, &w);
        out->end(out);
    }
    weft_dag_use_end(request->use);
    return profile && weft_job_step(request->job, 0, 0, err);
}

/* ---- Picture ---- */

struct parallelism_picture {
    const struct dag_contracted *contracted;
    const struct weft_request *request;
    const struct weft_source *source;
    struct weft_frame frame;
    struct weft_swatch swatches[LAYERS];
    uint32_t workers;
    size_t columns;
    double *means; /* [WEFT_DAG_CURVES][columns] */
    double most;   /* highest column, at least the number of workers */
    struct weft_rect lanes;
    const char *limit_text; /* the limit's label, or NULL if it has no room */
    double limit_y;         /* y of its middle */
};

static void ask(struct parallelism_picture *p, const struct weft_dag_profile *profile,
                struct weft_arena *arena, double width)
{
    struct weft_span window = p->request->window;
    double ticks = (double)(window.end - window.begin);
    p->columns = (size_t)fmax(1, fmin(round(width), ticks));
    p->means = weft_arena_zalloc(arena, p->columns * WEFT_DAG_CURVES, sizeof *p->means);
    weft_dag_profile_means(profile, window, p->columns, p->means);
    /* A trace may claim more than the possible number of nodes. */
    for (size_t i = 0; i < p->columns * WEFT_DAG_CURVES; i++)
        p->means[i] = fmin(p->means[i], UINT32_MAX);
    p->most = p->workers;
    for (size_t c = 0; c < p->columns; c++) {
        double sum = 0;
        for (size_t k = 0; k < WEFT_DAG_CURVES; k++)
            sum += p->means[k * p->columns + c];
        p->most = fmax(p->most, sum);
    }
}

static size_t legend_of(const struct parallelism_picture *p,
                        struct weft_legend_entry legend[LAYERS])
{
    size_t n = 0;
    for (size_t l = 0; l < LAYERS; l++) {
        double sum = 0;
        for (size_t c = 0; c < p->columns; c++)
            sum += p->means[curve_of[l] * p->columns + c];
        if (sum > 0 || l == RUNNING)
            legend[n++] = (struct weft_legend_entry){ p->swatches[l], layer_names[l], -1,
                                                      (double)(LAYERS - l) };
    }
    return n;
}

static double y_of(const struct parallelism_picture *p, double value)
{
    struct weft_rect plot = p->frame.plot;
    return plot.y + plot.height * (1 - value / (p->most * 1.04));
}

/* The width of the gutter: numbers up to "10,000", and the limit's label if that fits. */
static double gutter_of(struct parallelism_picture *p, struct weft_arena *arena)
{
    enum { NUMBERS = 44, PAD = 10 };
    p->limit_text = weft_arena_printf(arena, "%" PRIu32 " worker%s", p->workers,
                                      p->workers == 1 ? "" : "s");
    double width = PAD + weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, p->limit_text);
    if (width <= fmax(NUMBERS, p->request->width * 0.25))
        return fmax(NUMBERS, width);
    p->limit_text = weft_arena_printf(arena, "%" PRIu32, p->workers);
    return NUMBERS;
}

enum { LINE = 13 }; /* pixels from one number to the next */

/* Places the label beside the limit's line, but above the zero. */
static void place_limit(struct parallelism_picture *p)
{
    struct weft_rect plot = p->frame.plot;
    p->limit_y = fmin(y_of(p, p->workers), plot.y + plot.height - LINE);
    if (plot.height < 2 * LINE)
        p->limit_text = NULL;
}

static void draw_numbers(struct parallelism_picture *p)
{
    struct weft_scene *scene = p->frame.scene;
    struct weft_rect plot = p->frame.plot;
    struct weft_axis axis =
        weft_value_axis(scene->arena, 0, p->most * 1.04, "", plot.height,
                        fmin(34, fmax(LINE, plot.height / 5)));
    weft_scene_layer(scene, "numbers",
                     (struct weft_rect){ 0, plot.y - 8, scene->width, plot.height + 16 },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < axis.n_ticks; i++) {
        double y = plot.y + plot.height - axis.ticks[i].at;
        bool is_free = !p->limit_text || fabs(y - p->limit_y) >= LINE;
        weft_value_line(&p->frame, plot, y, is_free ? axis.ticks[i].label : NULL);
    }
}

/* Adds a layer of the histogram to LEVEL, as steps; returns its highest step. */
static double layer_edge(const struct parallelism_picture *p, size_t layer, double *level,
                         struct weft_point *edge)
{
    double width = p->frame.plot.width / (double)p->columns, most = 0;
    size_t n = 4 * p->columns;
    for (size_t c = 0; c < p->columns; c++) {
        double x = p->frame.plot.x + (double)c * width, before = level[c];
        double value = fmax(0, p->means[curve_of[layer] * p->columns + c]);
        most = fmax(most, value);
        level[c] = before + value;
        edge[2 * c] = (struct weft_point){ x, y_of(p, before) };
        edge[2 * c + 1] = (struct weft_point){ x + width, y_of(p, before) };
        edge[n - 1 - 2 * c] = (struct weft_point){ x, y_of(p, level[c]) };
        edge[n - 2 - 2 * c] = (struct weft_point){ x + width, y_of(p, level[c]) };
    }
    return most;
}

static void draw_histogram(struct parallelism_picture *p)
{
    struct weft_scene *scene = p->frame.scene;
    double *level = weft_arena_zalloc(scene->arena, p->columns, sizeof *level);
    weft_scene_layer(scene, "histogram", p->frame.plot, WEFT_LAYER_MOVES_X);
    for (size_t l = 0; l < LAYERS; l++) {
        struct weft_point *edge =
            weft_arena_alloc(scene->arena, 4 * p->columns * sizeof *edge);
        const struct weft_swatch *swatch = &p->swatches[l];
        if (layer_edge(p, l, level, edge) > 0)
            weft_scene_polygon(
                scene, edge, 4 * p->columns,
                (struct weft_paint){ .fill = swatch->fill,
                                     .hatch = swatch->hatch,
                                     .stroke = swatch->hatch ? p->frame.theme->text : 0,
                                     .stroke_width = swatch->hatch ? 0.7f : 0 });
    }
}

/* Draws a line at the number of workers, the upper limit. */
static void draw_limit(struct parallelism_picture *p)
{
    struct weft_scene *scene = p->frame.scene;
    struct weft_rect plot = p->frame.plot;
    double y = y_of(p, p->workers);
    weft_scene_layer(scene, "limit",
                     (struct weft_rect){ 0, plot.y - 14, scene->width, plot.height + 14 },
                     WEFT_LAYER_FIXED);
    weft_scene_line(scene, (struct weft_point){ plot.x, y },
                    (struct weft_point){ plot.x + plot.width, y },
                    (struct weft_paint){
                        .stroke = p->frame.theme->text, .stroke_width = 1.2f, .dash = 5 });
    if (p->limit_text)
        weft_scene_text(scene, (struct weft_point){ plot.x - 5, p->limit_y + 4 },
                        WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        p->frame.theme->text, p->limit_text);
}

/* ---- Lanes ---- */

/* A worker and the track of its states, or WEFT_NONE. */
struct lane {
    uint32_t worker, track;
};

/* Lists the workers by number; returns how many there are. */
static size_t find_lanes(const struct parallelism_picture *p, const struct weft_dag *dag,
                         struct weft_arena *arena, struct lane **out)
{
    const struct weft_schema *schema = p->source->schema;
    uint32_t limit = weft_dag_worker_limit(dag);
    size_t n = 0;
    *out = weft_arena_alloc(arena, limit * sizeof **out);
    for (uint32_t w = 0; w < limit; w++) {
        uint32_t container = weft_dag_worker_container(dag, w);
        if (container == WEFT_NONE)
            continue;
        uint32_t position = schema->containers[container].order;
        (*out)[n] = (struct lane){ w, WEFT_NONE }; /* it may have run nothing */
        for (uint32_t i = schema->track_begin[position];
             i < schema->track_begin[position + 1]; i++) {
            uint32_t t = schema->track_at[i];
            if (weft_role_is(schema->types[schema->tracks[t].type].role,
                             WEFT_ROLE_TASK_INTERVAL))
                (*out)[n].track = t;
        }
        n++;
    }
    return n;
}

/* The shares of time in which the workers of each of some rows worked, row by row. */
static double *busy_rows(const struct parallelism_picture *p, const struct lane *lanes,
                         size_t n, size_t rows, struct weft_arena *arena)
{
    uint32_t *workers = weft_arena_alloc(arena, n * sizeof *workers);
    uint32_t *tracks = weft_arena_alloc(arena, n * sizeof *tracks);
    double *busy = weft_arena_alloc(arena, rows * p->columns * sizeof *busy);
    struct dag_busy_row *row = weft_arena_zalloc(arena, rows, sizeof *row);
    for (size_t r = 0; r < rows; r++) {
        size_t first = r * n / rows, after = (r + 1) * n / rows;
        row[r] = (struct dag_busy_row){ .workers = workers + first,
                                        .tracks = tracks + first,
                                        .n = after - first,
                                        .busy = busy + r * p->columns };
        for (size_t i = first; i < after; i++) {
            workers[i] = lanes[i].worker;
            if (lanes[i].track != WEFT_NONE)
                tracks[first + row[r].n_tracks++] = lanes[i].track;
        }
    }
    dag_busy_rows(p->source, p->contracted, p->request->window, p->columns, p->request->job,
                  row, rows);
    return busy;
}

/* Draws the lanes; workers share lanes if there are more workers than pixels. */
static void draw_lanes(struct parallelism_picture *p, const struct weft_dag *dag)
{
    struct weft_scene *scene = p->frame.scene;
    const struct weft_theme *theme = p->frame.theme;
    struct lane *lanes;
    size_t n = find_lanes(p, dag, scene->arena, &lanes);
    size_t rows = (size_t)fmin((double)n, floor(p->lanes.height / 2));
    if (!rows)
        return;
    uint32_t *pixels = weft_arena_alloc(scene->arena, rows * p->columns * sizeof *pixels);
    const double *busy = busy_rows(p, lanes, n, rows, scene->arena);
    struct weft_mixer *mixer = weft_arena_alloc(scene->arena, sizeof *mixer);
    struct weft_swatch full = { .fill = theme->name == WEFT_THEME_MONO
                                            ? theme->text
                                            : p->swatches[RUNNING].tone };
    full.tone = full.fill;
    weft_mixer_init(mixer, &full, 1, theme->empty);
    for (size_t i = 0; i < rows * p->columns; i++)
        pixels[i] = weft_mixer_mix(mixer, &(float){ (float)busy[i] }, 1, 1);
    weft_scene_layer(scene, "lanes", p->lanes, WEFT_LAYER_MOVES_X);
    struct weft_raster *raster = weft_arena_zalloc(scene->arena, 1, sizeof *raster);
    *raster = (struct weft_raster){ (uint32_t)p->columns, (uint32_t)rows, pixels };
    weft_scene_raster(scene, p->lanes, raster);
    double height = p->lanes.height / (double)rows;
    weft_scene_layer(scene, "lanes' names",
                     (struct weft_rect){ 0, p->lanes.y, scene->width, p->lanes.height },
                     WEFT_LAYER_FIXED);
    for (size_t r = 1; r < rows && height >= 4; r++) /* lanes are separated */
        weft_scene_line(scene,
                        (struct weft_point){ p->lanes.x, p->lanes.y + (double)r * height },
                        (struct weft_point){ p->lanes.x + p->lanes.width,
                                             p->lanes.y + (double)r * height },
                        (struct weft_paint){ .stroke = theme->panel, .stroke_width = 1 });
    enum { DIGITS = 9 }; /* pixels: thin lanes must not cut the first name */
    size_t step = (size_t)fmax(1, ceil(LINE / height));
    for (size_t r = 0; r < rows; r += step) {
        double y = p->lanes.y + fmax(DIGITS, ((double)r + 0.5) * height + 4);
        weft_scene_text(scene, (struct weft_point){ p->lanes.x - 5, y }, WEFT_ANCHOR_END,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet,
                        weft_arena_printf(scene->arena, "%zu", r * n / rows));
    }
}

/* Reserves room for the lanes at the bottom of the plot. */
static void cut_lanes(struct parallelism_picture *p)
{
    enum {
        LANE = 12,
        GAP = 8,
        MIN_HEIGHT = 90
    }; /* pixels; below MIN_HEIGHT only the histogram */
    struct weft_rect *plot = &p->frame.plot;
    if (plot->height < MIN_HEIGHT)
        return;
    p->lanes = *plot;
    p->lanes.height = fmin(LANE * p->workers, floor(plot->height * 0.35));
    p->lanes.y = plot->y + plot->height - p->lanes.height;
    plot->height -= p->lanes.height + GAP;
}

static const char *subtitle_of(const struct weft_request *request, struct weft_arena *arena)
{
    uint32_t depth = depth_of(request);
    const char *range =
        weft_range_text(arena, request->set->sources[0]->schema, request->window);
    return depth == WEFT_DAG_ALL_DEPTHS
               ? range
               : weft_arena_printf(arena, "depth %" PRIu32 " · %s", depth, range);
}

static void draw(struct parallelism_picture *p, const struct weft_dag *dag,
                 const struct weft_dag_profile *profile, struct weft_arena *arena,
                 struct weft_scene *out)
{
    const struct weft_schema *schema = p->source->schema;
    const struct weft_request *request = p->request;
    struct weft_legend_entry legend[LAYERS];
    p->workers = weft_dag_workers(dag);
    layer_swatches(request->theme, p->swatches);
    double gutter = gutter_of(p, arena);
    /* Curves of a depth, and the parts of the trace read for the lanes, may fill the
       memory. */
    weft_dag_make_room(weft_dag_profile_bytes(profile));
    ask(p, profile, arena, fmax(1, request->width - 16 - ceil(gutter)));
    weft_dag_make_room(weft_dag_profile_bytes(profile));
    weft_frame_begin(&p->frame, out, request, gutter, true, legend, legend_of(p, legend),
                     subtitle_of(request, arena));
    weft_frame_time_axis(&p->frame, schema, request->window);
    struct weft_rect all = p->frame.plot;
    cut_lanes(p);
    place_limit(p);
    draw_numbers(p);
    draw_histogram(p);
    draw_limit(p);
    draw_lanes(p, dag);
    p->frame.plot = all;
    weft_frame_moment(&p->frame, schema, request->window);
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct parallelism_picture p = { .request = request,
                                     .source = request->set->sources[0] };
    const struct weft_dag_profile *profile = use_profile(request->use, err);
    p.contracted = profile ? dag_contracted_of(request->use, err) : NULL;
    struct weft_dag *dag = p.contracted ? weft_dag_open(p.source, err) : NULL;
    if (dag)
        draw(&p, dag, profile, request->arena, out);
    weft_dag_use_end(request->use);
    weft_dag_close(dag);
    return dag && weft_job_step(request->job, 0, 0, err);
}

static enum weft_place place(const struct weft_set *set)
{
    return weft_dag_has_tasks(set->sources[0]) ? WEFT_PLACE_BELOW : WEFT_PLACE_NONE;
}

const struct weft_view weft_view_parallelism = {
    .name = "parallelism",
    .title = "Parallelism",
    .group = "Tasks",
    .explanation =
        "How many parts of tasks were running at a time and, on top, how many were "
        "ready, by what they had waited for; beneath, when each worker ran.",
    .needs = "a task DAG (weft record --with omp makes one)",
    .moment = WEFT_MOMENT_MARKED,
    .parameters = parameters,
    .n_parameters = sizeof parameters / sizeof *parameters,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .fills = weft_set_has_dags,
    .place = place,
    .scene = scene,
    .table = table,
};
