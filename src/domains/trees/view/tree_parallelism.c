/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows parallelism over time: how many PEs ran a reduction, how many goals were ready for
 * another PE, and how many were suspended. Running and ready ones together were available.
 * A goal exists from the reduction of its parent to its own; it is ready unless it is
 * suspended. Each number is the mean over its column of time.
 *
 * For calls: how many threads worked, and how many waited or slept inside a call. The
 * available parallelism is a profile of its own: how many threads would have worked at each
 * time after the run's begin if each piece of work had begun as soon as the pieces that it
 * waits for were done (analyse/thread_work_span.h). It ends with the span.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domains/trees/analyse/row_work_and_waits.h"
#include "domains/trees/view/tree_damage.h"
#include "domains/trees/view/tree_prepared.h"
#include "domains/trees/view/tree_words.h"
#include "domains/trees/view/views.h"
#include "store/time.h"
#include "view/bars.h"
#include "view/damage.h"

enum { RUNNING, READY, SUSPENDED, AVAILABLE, KINDS };
/*
 * Pixels: room for the axis' numbers, and its least; narrow pictures have none; between two
 * numbers.
 */
enum { GUTTER = 34, MIN_GUTTER = 20, NARROW = 240, TICK_SPACING = 32 };

struct curves {
    const struct weft_request *request;
    const struct weft_tree *tree;
    const struct weft_source *source;
    struct weft_span window;
    size_t columns;
    double *mean[KINDS]; /* [columns + 1] */
    bool has_suspensions;
    const struct tree_span *span; /* calls only */
    struct tree_damage damage;
};

/*
 * Sums intervals by column of time, N equal ones at once. An interval adds to the columns
 * at its two ends the part of each that it covers (`part`), and 1 to each column between.
 * To cost the same for any length, the latter are kept as differences (`step`), which
 * settle() adds up.
 */
struct sum {
    double *part, *step; /* [columns + 1] each */
    double begin, per;   /* `per`: columns a tick */
    double columns;
};

static void add_intervals(struct sum *sum, int64_t from, int64_t to, double n)
{
    double a = ((double)from - sum->begin) * sum->per;
    double b = ((double)to - sum->begin) * sum->per;
    a = a > 0 ? a : 0;
    b = b < sum->columns ? b : sum->columns;
    if (!(b > a))
        return;
    size_t first = (size_t)a, last = (size_t)b;
    if (first == last) {
        sum->part[first] += n * (b - a);
        return;
    }
    sum->part[first] += n * ((double)first + 1 - a);
    sum->part[last] += n * (b - (double)last);
    sum->step[first + 1] += n;
    sum->step[last] -= n;
}

static void add_interval(struct sum *sum, int64_t from, int64_t to)
{
    add_intervals(sum, from, to, 1);
}

static void settle(struct sum *sum, double *out)
{
    double level = 0;
    for (size_t c = 0; c < (size_t)sum->columns; c++) {
        level += sum->step[c];
        out[c] += level + sum->part[c];
    }
}

static struct sum new_sum(const struct curves *curves, struct weft_arena *arena)
{
    size_t n = curves->columns + 2;
    struct weft_span w = curves->window;
    return (struct sum){ weft_arena_zalloc(arena, n, sizeof(double)),
                         weft_arena_zalloc(arena, n, sizeof(double)), (double)w.begin,
                         (double)curves->columns / (double)(w.end - w.begin),
                         (double)curves->columns };
}

/* ---- Work and waiting ---- */

struct doings {
    struct sum *of[2]; /* by enum weft_row_doing */
};

static void add_doing(void *user, enum weft_row_doing doing, struct weft_span time,
                      uint32_t n)
{
    struct doings *doings = user;
    add_intervals(doings->of[doing], time.begin, time.end, n);
}

/*
 * Adds the rows of a container: together, but for a row that itself tells the idle times of
 * the others. TRACKS has room for all rows. Returns the row after the container's last.
 */
static uint32_t add_container(const struct curves *curves, struct weft_idle *idle,
                              uint32_t first, uint32_t *tracks, struct doings *doings)
{
    const struct weft_tree *tree = curves->tree;
    uint32_t p = first;
    size_t n = 0;
    for (; p < tree->n_pes && tree->pes[p].container == tree->pes[first].container; p++) {
        uint32_t track = tree->pes[p].track;
        if (track == WEFT_NONE || !tree->pes[p].count)
            continue;
        const struct weft_idle_times *times = weft_idle_of(idle, track);
        if (times == &idle->first)
            tracks[n++] = track;
        else
            weft_row_times(idle->waiting, &track, 1, times, curves->window, add_doing,
                           doings);
    }
    if (n)
        weft_row_times(idle->waiting, tracks, n, &idle->first, curves->window, add_doing,
                       doings);
    return p;
}

static void find_calls_working(struct curves *curves, struct weft_arena *arena,
                               struct doings *doings)
{
    const struct weft_tree *tree = curves->tree;
    uint32_t *tracks = weft_arena_alloc(arena, (tree->n_pes + 1) * sizeof *tracks);
    struct weft_waiting waiting;
    weft_waiting_begin(&waiting, curves->source);
    struct weft_idle idle = { .waiting = &waiting };
    for (uint32_t p = 0; p < tree->n_pes && !weft_job_cancelled(curves->request->job);)
        p = add_container(curves, &idle, p, tracks, doings);
    weft_idle_end(&idle);
    weft_waiting_end(&waiting);
}

/* Adds the times at which work could have been done, counted from the run's begin. */
static bool find_calls_available(struct curves *curves, struct sum *available,
                                 struct weft_err *err)
{
    const struct tree_span *span = tree_span_of(curves->request->use, 0, err);
    for (size_t i = 0; span && i < span->threads.n_stretches; i++) {
        const struct weft_stretch *stretch = &span->threads.stretches[i];
        int64_t begin = span->begin + stretch->first;
        add_interval(available, begin, begin + stretch->work);
    }
    curves->span = span;
    return span != NULL;
}

/* Intervals in which a PE has a state, that is, runs a reduction. */
struct running_stretch {
    struct sum *sum;
    int64_t since;
    bool runs;
};

static void end_running(struct running_stretch *r, int64_t time)
{
    if (r->runs)
        add_interval(r->sum, r->since, time);
    r->since = time;
}

static bool add_classes(void *user, const struct weft_class_run *run)
{
    struct running_stretch *r = user;
    for (size_t i = 0; i < run->n; i++) {
        end_running(r, run->times[i]);
        r->runs = run->classes[i];
    }
    return true;
}

static void find_reductions_running(struct curves *curves, struct weft_arena *arena,
                                    struct sum *sum)
{
    const struct weft_source *source = curves->source;
    const struct weft_tree *tree = curves->tree;
    uint8_t *of = weft_arena_alloc(arena, source->schema->n_values + 1);
    memset(of, 1, source->schema->n_values + 1);
    const struct weft_classing classing = { of, 0, 0, NULL };
    for (uint32_t p = 0; p < tree->n_pes; p++) {
        uint32_t track = tree->pes[p].track;
        if (track == WEFT_NONE || !tree->pes[p].count)
            continue;
        struct running_stretch r = { sum, curves->window.begin, false };
        source->ops->classes(source, track, curves->window, &classing, add_classes, &r);
        end_running(&r, curves->window.end);
    }
}

static bool copy_times(void *user, const struct weft_field_run *run)
{
    int64_t *times = user;
    for (size_t i = 0; i < run->n; i++)
        times[run->ordinals[i]] = run->values[i];
    return true;
}

static void find_suspended(struct curves *curves, struct sum *suspended)
{
    const struct weft_tree *tree = curves->tree;
    const struct weft_schema *schema = curves->source->schema;
    uint32_t since = WEFT_NONE, woken = WEFT_NONE;
    if (tree->type != WEFT_NONE) {
        since = weft_field_of_type(schema, tree->type, WEFT_ROLE_SINCE, WEFT_FIELD_INTEGER);
        woken = weft_field_of_type(schema, tree->type, WEFT_ROLE_WOKEN, WEFT_FIELD_INTEGER);
    }
    curves->has_suspensions = since != WEFT_NONE;
    for (uint32_t p = 0; since != WEFT_NONE && p < tree->n_pes; p++) {
        const struct weft_tree_pe *pe = &tree->pes[p];
        if (!pe->count)
            continue;
        int64_t *from = weft_alloc(2 * pe->count * sizeof *from), *to = from + pe->count;
        for (uint64_t i = 0; i < 2 * pe->count; i++)
            from[i] = INT64_MAX;
        curves->source->ops->column(curves->source, pe->track, since, copy_times, from);
        if (woken != WEFT_NONE)
            curves->source->ops->column(curves->source, pe->track, woken, copy_times, to);
        for (uint64_t i = 0; i < pe->count; i++) {
            uint32_t node = tree->node_of[pe->first + i];
            if (from[i] == INT64_MAX || node == WEFT_NONE)
                continue;
            int64_t end = tree->time[node] < to[i] ? tree->time[node] : to[i];
            add_interval(suspended, from[i], end);
        }
        free(from);
    }
}

static void count_reductions(struct curves *curves, struct weft_arena *arena)
{
    const struct weft_tree *tree = curves->tree;
    struct sum there = new_sum(curves, arena), suspended = new_sum(curves, arena);
    struct sum running = new_sum(curves, arena);
    double **mean = curves->mean;
    for (uint32_t i = 1; i < tree->n; i++)
        add_interval(&there, tree->time[tree->parent[i]], tree->time[i]);
    find_reductions_running(curves, arena, &running);
    find_suspended(curves, &suspended);
    settle(&running, mean[RUNNING]);
    settle(&there, mean[READY]);
    settle(&suspended, mean[SUSPENDED]);
    for (size_t c = 0; c < curves->columns; c++) {
        mean[READY][c] = fmax(0, mean[READY][c] - mean[SUSPENDED][c]);
        mean[AVAILABLE][c] = mean[RUNNING][c] + mean[READY][c];
    }
}

static bool count_calls(struct curves *curves, struct weft_arena *arena,
                        struct weft_err *err)
{
    struct sum running = new_sum(curves, arena), waiting = new_sum(curves, arena);
    struct sum available = new_sum(curves, arena);
    struct doings doings = { { [WEFT_ROW_WORKS] = &running, [WEFT_ROW_WAITS] = &waiting } };
    find_calls_working(curves, arena, &doings);
    if (!weft_job_step(curves->request->job, 0, 0, err)
        || !find_calls_available(curves, &available, err))
        return false;
    settle(&running, curves->mean[RUNNING]);
    settle(&waiting, curves->mean[SUSPENDED]);
    settle(&available, curves->mean[AVAILABLE]);
    return true;
}

static bool begin(struct curves *curves, const struct weft_request *request,
                  struct weft_span window, struct weft_arena *arena, size_t columns,
                  struct weft_err *err)
{
    *curves = (struct curves){ .request = request,
                               .source = request->set->sources[0],
                               .window = window,
                               .columns = columns };
    const struct weft_tree *tree = tree_of(request->use, 0, err);
    curves->tree = tree;
    for (int k = 0; k < KINDS && tree; k++)
        curves->mean[k] = weft_arena_zalloc(arena, columns + 1, sizeof(double));
    if (tree && tree->has_reductions)
        count_reductions(curves, arena);
    if (tree && (tree->has_reductions || count_calls(curves, arena, err))) {
        tree_damage_find(curves->source, tree, window, arena, &curves->damage);
        return true;
    }
    return false;
}

static bool has_waiting(const struct curves *curves)
{
    return curves->has_suspensions || !curves->tree->has_reductions;
}

/*
 * Returns true if a curve needs the tree: it is unknown when any row is damaged. Other
 * curves are of the rows' own states, and unknown in gaps only. Suspended reductions are
 * found through the tree.
 */
static bool needs_tree(const struct curves *curves, int kind)
{
    return kind == READY || kind == AVAILABLE
           || (kind == SUSPENDED && curves->tree->has_reductions);
}

/* Returns by column whether it is in a gap; in ARENA. */
static bool *find_gaps(const struct curves *curves, struct weft_arena *arena)
{
    const struct tree_damage *damage = &curves->damage;
    double length = (double)curves->window.end - (double)curves->window.begin;
    bool *in_gap = weft_arena_zalloc(arena, curves->columns + 1, 1);
    for (size_t i = 0; i < damage->n_gaps; i++) {
        double from = (double)damage->gaps[i].begin - (double)curves->window.begin;
        double to = (double)damage->gaps[i].end - (double)curves->window.begin;
        double n = (double)curves->columns, each = length / n;
        for (double c = fmax(0, floor(from / each)); c < n && c * each < to; c++)
            in_gap[(size_t)c] = true;
    }
    return in_gap;
}

static struct weft_cell curve_cell(const struct curves *curves, int kind, size_t column,
                                   const bool *in_gap)
{
    bool known = needs_tree(curves, kind) ? !curves->damage.any : !in_gap[column];
    return known ? weft_real_cell(curves->mean[kind][column], 3)
                 : (struct weft_cell){ .kind = WEFT_CELL_EMPTY };
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    struct curves curves;
    struct weft_span window = weft_request_instant(request);
    size_t columns = request->has_at ? 1 : (size_t)fmax(1, request->width);
    bool ok = begin(&curves, request, window, request->arena, columns, err);
    const struct weft_schema *schema = request->set->sources[0]->schema;
    int64_t length = window.end - window.begin;
    const bool *in_gap = ok ? find_gaps(&curves, request->arena) : NULL;
    if (ok)
        weft_view_begin_table(request, out);
    for (size_t c = 0; ok && c < columns; c++) {
        int64_t at = window.begin - schema->span.begin
                     + (int64_t)((__int128)length * (int64_t)c / (int64_t)columns);
        const struct weft_cell none = { .kind = WEFT_CELL_EMPTY };
        const struct weft_cell cells[] = {
            weft_integer_cell(weft_ticks_to_ns(schema, at)),
            curve_cell(&curves, RUNNING, c, in_gap),
            curves.tree->has_reductions ? curve_cell(&curves, READY, c, in_gap) : none,
            has_waiting(&curves) ? curve_cell(&curves, SUSPENDED, c, in_gap) : none,
            curve_cell(&curves, AVAILABLE, c, in_gap),
        };
        if (!out->row(out, cells))
            break;
    }
    if (ok) {
        out->end(out);
    }
    return ok;
}

/* Draws numbers at the left of a curve, with lines behind it. */
static void draw_axis(struct weft_frame *frame, struct weft_rect plot, double most)
{
    struct weft_scene *scene = frame->scene;
    struct weft_axis axis =
        weft_count_axis(scene->arena, 0, most, plot.height, TICK_SPACING);
    weft_scene_layer(scene, "numbers",
                     (struct weft_rect){ 0, plot.y - 8, scene->width, plot.height + 16 },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < axis.n_ticks; i++) {
        double y = plot.y + plot.height - axis.ticks[i].at;
        const char *label = weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                                          axis.ticks[i].label, plot.x - 5);
        weft_value_line(frame, plot, y, frame->plot.x > MIN_GUTTER ? label : NULL);
    }
}

/* A panel: a curve, and perhaps another one inside it. */
struct panel {
    int kind, behind; /* the panel's curve, and the one drawn inside it or KINDS */
    const char *name;
};

static double most_of(const struct curves *curves, int kind)
{
    double most = 0;
    for (size_t c = 0; c < curves->columns; c++)
        most = fmax(most, curves->mean[kind][c]);
    return most;
}

static void draw_steps(struct weft_frame *frame, const struct curves *curves, int kind,
                       struct weft_rect plot, double most, weft_color color)
{
    struct weft_scene *scene = frame->scene;
    color = weft_unhatched(frame->theme, color);
    struct weft_point *points =
        weft_arena_alloc(scene->arena, (2 * curves->columns + 2) * sizeof *points);
    size_t n = 0;
    double width = plot.width / (double)curves->columns;
    points[n++] = (struct weft_point){ plot.x, plot.y + plot.height };
    for (size_t c = 0; c < curves->columns; c++) {
        double y = plot.y + plot.height * (1 - curves->mean[kind][c] / most);
        points[n++] = (struct weft_point){ plot.x + (double)c * width, y };
        points[n++] = (struct weft_point){ plot.x + (double)(c + 1) * width, y };
    }
    points[n++] = (struct weft_point){ plot.x + plot.width, plot.y + plot.height };
    weft_scene_polygon(scene, points, n,
                       (struct weft_paint){ .fill = (color & 0xffffffu) | 0x70000000u,
                                            .stroke = color,
                                            .stroke_width = 1 });
}

/* Draws a panel with its own scale, since there are far more goals than PEs. */
static void draw_panel(struct weft_frame *frame, const struct curves *curves,
                       const struct panel *panel, struct weft_rect part)
{
    const struct weft_theme *theme = frame->theme;
    const weft_color colors[] = { theme->busy, theme->overhead, theme->idle,
                                  theme->overhead };
    struct weft_scene *scene = frame->scene;
    double most = fmax(most_of(curves, panel->kind), 1);
    struct weft_rect plot = part;
    if (part.height > 40) {
        plot.y += 16;
        plot.height -= 20;
    }
    bool known = !curves->damage.any || !needs_tree(curves, panel->kind);
    if (known)
        draw_axis(frame, plot, most);
    weft_scene_layer(scene, panel->name, part, WEFT_LAYER_MOVES_X);
    if (known)
        draw_steps(frame, curves, panel->kind, plot, most, colors[panel->kind]);
    else
        weft_damage_hatch(scene, theme, plot);
    if (known && panel->behind != KINDS)
        draw_steps(frame, curves, panel->behind, plot, most, colors[panel->behind]);
    if (part.height < 20)
        return;
    /* The name is above the panel, or inside it without room above. */
    double line = part.height > 40 ? plot.y - 4 : plot.y + 12;
    const char *text =
        known ? weft_arena_printf(
            scene->arena, "%s, up to %s", panel->name,
            weft_number_text(scene->arena, most, most < 10 && most > floor(most)))
              : weft_arena_printf(scene->arena, "%s: not known", panel->name);
    text = weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE, text, plot.width);
    if (text)
        weft_scene_text(scene, (struct weft_point){ plot.x + 2, line }, WEFT_ANCHOR_START,
                        WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->text, text);
}

/* Lists the panels that a trace fills: at most three. */
static size_t choose_panels(const struct curves *curves, const struct tree_words *words,
                            struct weft_arena *arena, struct panel *out)
{
    size_t n = 0;
    if (!curves->tree->has_reductions) {
        out[n++] = (struct panel){ RUNNING, KINDS,
                                   weft_arena_printf(arena, "%s at work: parallelism used",
                                                     words->rows) };
        out[n++] = (struct panel){
            AVAILABLE, RUNNING,
            weft_arena_printf(
                arena,
                "available%s: each piece of work as soon as what it comes after "
                "is done",
                curves->span->at_least ? " at most" : "")
        };
        out[n++] = (struct panel){ SUSPENDED, KINDS,
                                   weft_arena_printf(arena, "%s that wait", words->rows) };
        return n;
    }
    out[n++] = (struct panel){ RUNNING, KINDS, "PEs running: parallelism used" };
    out[n++] =
        (struct panel){ AVAILABLE, RUNNING,
                        "running or ready: parallelism available, beside that used" };
    if (curves->has_suspensions)
        out[n++] = (struct panel){ SUSPENDED, KINDS, "goals suspended" };
    return n;
}

static bool scene(const struct weft_request *request, struct weft_scene *out,
                  struct weft_err *err)
{
    struct curves curves;
    double gutter = request->width < NARROW ? 0 : GUTTER;
    size_t columns = (size_t)fmax(1, request->width - 16 - gutter);
    if (!begin(&curves, request, request->window, request->arena, columns, err))
        return false;
    const struct weft_schema *schema = curves.source->schema;
    const struct tree_words words = tree_words_of(curves.tree, schema);
    struct weft_view view = *request->view;
    struct weft_request titled = *request;
    titled.view = &view;
    if (!curves.tree->has_reductions)
        view.explanation = weft_arena_printf(
            request->arena,
            "How many %s worked, and how many waited inside of calls, over time.",
            words.rows);
    struct weft_frame frame;
    weft_frame_begin(&frame, out, &titled, gutter, true, NULL, 0,
                     weft_range_text(request->arena, schema, request->window));
    weft_frame_time_axis(&frame, schema, request->window);
    struct panel panels[3];
    size_t n = choose_panels(&curves, &words, request->arena, panels);
    struct weft_rect part = frame.plot;
    part.height /= (double)n;
    for (size_t i = 0; i < n; i++, part.y += part.height)
        draw_panel(&frame, &curves, &panels[i], part);
    weft_frame_moment(&frame, schema, request->window);
    return true;
}

static enum weft_place place(const struct weft_set *set)
{
    return weft_tree_reduction_type(set->sources[0]->schema) != WEFT_NONE
               ? WEFT_PLACE_BESIDE
               : WEFT_PLACE_NONE;
}

static const struct weft_column columns[] = {
    { .name = "time_ns" },   { .name = "running" },   { .name = "ready" },
    { .name = "suspended" }, { .name = "available" },
};

const struct weft_view weft_view_tree_parallelism = {
    .name = "tree-parallelism",
    .title = "Parallelism",
    .group = "Tree",
    .of_all = true,
    .explanation = "How many PEs ran, and how many goals waited to be run, over time.",
    .needs =
        "reductions (weft fghc), or nested calls or states, or threads that create others",
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .moment = WEFT_MOMENT_MARKED,
    .fills = tree_set_fills,
    .place = place,
    .scene = scene,
    .table = table,
};
