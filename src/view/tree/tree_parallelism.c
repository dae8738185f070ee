/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parallelism over time: how many PEs ran a reduction, how many goals were ready for another
 * PE to take, and how many were suspended.  A goal exists from the reduction of its
 * parent to its own; it is ready unless it is suspended.  Each number is the mean over its
 * column of time.
 */
#include <math.h>
#include <stdlib.h>

#include "store/time.h"
#include "view/bars.h"
#include "view/tree/tree_prepared.h"
#include "view/views.h"

enum { RUNNING, READY, SUSPENDED, KINDS };
/* Pixels: for the numbers, which a narrow picture does without; between two of them. */
enum { GUTTER = 34, LEAST_GUTTER = 20, NARROW = 240, TICK_SPACING = 32 };

struct curves {
    struct weft_use use;
    const struct weft_tree *tree;
    const struct weft_source *source;
    struct weft_span window;
    size_t columns;
    double *mean[KINDS]; /* [columns + 1] */
    bool has_suspensions;
};

/*
 * Sums intervals by column of time.  An interval adds to the columns at its two ends the
 * part of each that it covers (`part`), and to all columns between 1.  To cost the same
 * however long the interval is, the latter are kept as differences (`step`), which settle()
 * adds up.
 */
struct sum {
    double *part, *step; /* [columns + 1] each */
    double begin, per;   /* columns a tick */
    double columns;
};

static void add_interval(struct sum *sum, int64_t from, int64_t to)
{
    double a = ((double)from - sum->begin) * sum->per;
    double b = ((double)to - sum->begin) * sum->per;
    a = a > 0 ? a : 0;
    b = b < sum->columns ? b : sum->columns;
    if (!(b > a))
        return;
    size_t first = (size_t)a, last = (size_t)b;
    if (first == last) {
        sum->part[first] += b - a;
        return;
    }
    sum->part[first] += (double)first + 1 - a;
    sum->part[last] += b - (double)last;
    sum->step[first + 1]++;
    sum->step[last]--;
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

/* Tracks of one type. */
static void add_shares(struct curves *curves, const uint32_t *tracks, size_t n)
{
    const struct weft_schema *schema = curves->source->schema;
    unsigned slots = schema->types[schema->tracks[tracks[0]].type].slots;
    float *shares = weft_zalloc(curves->columns * slots, sizeof *shares);
    struct weft_share_query query = { tracks, n, curves->window, curves->columns, shares };
    curves->source->ops->shares(curves->source, &query);
    for (size_t c = 0; c < curves->columns; c++)
        for (unsigned s = 0; s < slots; s++)
            curves->mean[RUNNING][c] += (double)shares[c * slots + s];
    free(shares);
}

/* All in one question, and nothing for those that did nothing: there may be 65,535 of them. */
static void find_running(struct curves *curves, struct weft_arena *arena)
{
    const struct weft_track *tracks = curves->source->schema->tracks;
    const struct weft_tree *tree = curves->tree;
    uint32_t *list = weft_arena_alloc(arena, (tree->n_pes + 1) * sizeof *list), n = 0;
    for (uint32_t p = 0; p < tree->n_pes; p++) {
        uint32_t track = tree->pes[p].track;
        if (track == WEFT_NONE || !tree->pes[p].count)
            continue;
        if (n && tracks[list[0]].type != tracks[track].type) {
            add_shares(curves, list, n);
            n = 0;
        }
        list[n++] = track;
    }
    if (n)
        add_shares(curves, list, n);
}

static bool take_times(void *user, const struct weft_field_run *run)
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
        curves->source->ops->column(curves->source, pe->track, since, take_times, from);
        if (woken != WEFT_NONE)
            curves->source->ops->column(curves->source, pe->track, woken, take_times, to);
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

static bool begin(struct curves *curves, const struct weft_request *request,
                  struct weft_span window, struct weft_arena *arena, size_t columns,
                  struct weft_err *err)
{
    *curves = (struct curves){ .source = request->set->sources[0],
                               .window = window,
                               .columns = columns };
    weft_use_begin(&curves->use, request);
    const struct weft_tree *tree = tree_of(&curves->use, 0, err);
    curves->tree = tree;
    if (!tree) {
        weft_use_end(&curves->use);
        return false;
    }
    for (int k = 0; k < KINDS; k++)
        curves->mean[k] = weft_arena_zalloc(arena, columns + 1, sizeof(double));
    struct sum there = new_sum(curves, arena), suspended = new_sum(curves, arena);
    for (uint32_t i = 1; i < tree->n && tree->has_reductions; i++)
        add_interval(&there, tree->time[tree->parent[i]], tree->time[i]);
    find_running(curves, arena);
    find_suspended(curves, &suspended);
    settle(&there, curves->mean[READY]);
    settle(&suspended, curves->mean[SUSPENDED]);
    for (size_t c = 0; c < columns; c++)
        curves->mean[READY][c] =
            fmax(0, curves->mean[READY][c] - curves->mean[SUSPENDED][c]);
    return true;
}

static bool table(const struct weft_request *request, struct weft_table *out,
                  struct weft_err *err)
{
    static const char *const names[] = { "time_ns", "running", "ready", "suspended" };
    struct weft_arena arena = { 0 };
    struct curves curves;
    struct weft_span window = weft_request_instant(request);
    size_t columns = request->has_at ? 1 : (size_t)fmax(1, request->width);
    bool ok = begin(&curves, request, window, &arena, columns, err);
    const struct weft_schema *schema = request->set->sources[0]->schema;
    int64_t length = window.end - window.begin;
    if (ok)
        out->begin(out, names, 4);
    for (size_t c = 0; ok && c < columns; c++) {
        int64_t at = window.begin - schema->span.begin
                     + (int64_t)((__int128)length * (int64_t)c / (int64_t)columns);
        const struct weft_cell none = { .kind = WEFT_CELL_EMPTY };
        const struct weft_cell cells[] = {
            weft_integer_cell(weft_ticks_to_ns(schema, at)),
            weft_real_cell(curves.mean[RUNNING][c], 3),
            curves.tree->has_reductions ? weft_real_cell(curves.mean[READY][c], 3) : none,
            curves.has_suspensions ? weft_real_cell(curves.mean[SUSPENDED][c], 3) : none,
        };
        if (!out->row(out, cells))
            break;
    }
    if (ok) {
        out->end(out);
        weft_use_end(&curves.use);
    }
    weft_arena_free(&arena);
    return ok;
}

/* How many: numbers at the left of a curve, with lines behind it. */
static void draw_axis(struct weft_frame *frame, struct weft_rect plot, double most)
{
    struct weft_scene *scene = frame->scene;
    const struct weft_theme *theme = frame->theme;
    struct weft_axis axis =
        weft_count_axis(scene->arena, 0, most, plot.height, TICK_SPACING);
    weft_scene_layer(scene, "numbers",
                     (struct weft_rect){ 0, plot.y - 8, scene->width, plot.height + 16 },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < axis.n_ticks; i++) {
        double y = plot.y + plot.height - axis.ticks[i].at;
        weft_scene_line(scene, (struct weft_point){ plot.x, y },
                        (struct weft_point){ plot.x + plot.width, y },
                        (struct weft_paint){ .stroke = theme->grid, .stroke_width = 1 });
        const char *label = weft_text_fit(scene->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                                          axis.ticks[i].label, plot.x - 5);
        if (label && frame->plot.x > LEAST_GUTTER)
            weft_scene_text(scene, (struct weft_point){ plot.x - 5, y + 4 },
                            WEFT_ANCHOR_END, WEFT_FONT_SANS, WEFT_SMALL_SIZE, theme->quiet,
                            label);
    }
}

/* One curve as a step line in its own panel: goals are far more than PEs. */
static void draw_curve(struct weft_frame *frame, const struct curves *curves, int kind,
                       struct weft_rect part, weft_color color)
{
    static const char *const names[] = { "PEs running", "goals ready", "goals suspended" };
    struct weft_scene *scene = frame->scene;
    double most = 0;
    for (size_t c = 0; c < curves->columns; c++)
        most = fmax(most, curves->mean[kind][c]);
    most = fmax(most, 1);
    struct weft_rect plot = part;
    if (part.height > 40) {
        plot.y += 16;
        plot.height -= 20;
    }
    draw_axis(frame, plot, most);
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
    weft_scene_layer(scene, names[kind], part, WEFT_LAYER_MOVES_X);
    weft_scene_polygon(scene, points, n,
                       (struct weft_paint){ .fill = (color & 0xffffffu) | 0x70000000u,
                                            .stroke = color,
                                            .stroke_width = 1 });
    if (part.height < 20)
        return;
    /* The name is above the panel, or inside it when there is no room above. */
    double line = part.height > 40 ? plot.y - 4 : plot.y + 12;
    const char *name = curves->tree->has_reductions ? names[kind] : "rows in a state";
    const char *text = weft_arena_printf(
        scene->arena, "%s, up to %s", name,
        weft_number_text(scene->arena, most, most < 10 && most > floor(most)));
    weft_scene_text(scene, (struct weft_point){ plot.x + 2, line }, WEFT_ANCHOR_START,
                    WEFT_FONT_SANS, WEFT_SMALL_SIZE, frame->theme->text, text);
}

static bool scene(const struct weft_request *request, struct weft_arena *arena,
                  struct weft_scene *out, struct weft_err *err)
{
    struct curves curves;
    const struct weft_theme *theme = request->theme;
    double gutter = request->width < NARROW ? 0 : GUTTER;
    size_t columns = (size_t)fmax(1, request->width - 16 - gutter);
    if (!begin(&curves, request, request->window, arena, columns, err))
        return false;
    const weft_color colors[] = { theme->busy, theme->overhead, theme->idle };
    struct weft_frame frame;
    weft_frame_begin(&frame, out, arena, &weft_view_tree_parallelism, request, gutter, true,
                     NULL, 0,
                     weft_range_text(arena, curves.source->schema, request->window));
    weft_frame_time_axis(&frame, curves.source->schema, request->window);
    int shown = 1 + curves.tree->has_reductions
                + (curves.tree->has_reductions && curves.has_suspensions);
    struct weft_rect part = frame.plot;
    part.height /= shown;
    for (int k = 0; k < shown; k++, part.y += part.height)
        draw_curve(&frame, &curves, k, part, colors[k]);
    weft_frame_moment(&frame, curves.source->schema, request->window);
    weft_use_end(&curves.use);
    return true;
}

static bool fills(const struct weft_set *set)
{
    return weft_tree_fills(set->sources[0]);
}

static enum weft_place place(const struct weft_set *set)
{
    return weft_tree_reduction_type(set->sources[0]->schema) != WEFT_NONE
               ? WEFT_PLACE_BESIDE
               : WEFT_PLACE_NONE;
}

const struct weft_view weft_view_tree_parallelism = {
    .name = "tree-parallelism",
    .title = "Parallelism",
    .group = "Tree",
    .of_all = true,
    .explanation = "How many PEs ran, and how many goals waited to be run, over time.",
    .needs = "reductions (weft fghc), or states inside states",
    .moment = WEFT_MOMENT_MARKED,
    .fills = fills,
    .place = place,
    .scene = scene,
    .table = table,
};
