/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The picture of logical time.  Few events are cells, with messages as lines between them;
 * otherwise each pixel shows the latest of its events.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/binary_search.h"
#include "base/compare.h"
#include "base/parallel.h"
#include "domains/messages/view/logical_time.h"
#include "store/time.h"

enum {
    MAX_CELLS = 4000, /* events that are cells of their own */
    MANY = 600,       /* events, of which the lines are pale */
    AXIS_HEIGHT = 20, /* pixels above the plot that the frame keeps for an axis */
    LEGEND_STEPS = 5,
    WIDEST = 28,  /* pixels of a cell */
    SHADES = 256, /* of pixels */
};

static weft_color color_of(const struct logical_picture *p, float lateness)
{
    float part = p->latest > 0 ? lateness / p->latest : 0;
    return weft_ramp(p->request->theme,
                     0.12 + 0.88 * (double)(part > 0 ? part < 1 ? part : 1 : 0));
}

static bool has_cells(const struct logical_picture *p)
{
    return p->rows.size == 1 && p->n <= MAX_CELLS;
}

/* Returns the pixels of one step, and in x_of the middle of STEP, also outside the plot. */
static double pitch_of(const struct logical_picture *p)
{
    return p->rows.part.width / ((double)p->last - (double)p->first + 1);
}
static double x_of(const struct logical_picture *p, uint32_t step)
{
    return p->rows.part.x + ((double)step - (double)p->first + 0.5) * pitch_of(p);
}
static double cell_width(const struct logical_picture *p)
{
    double pitch = pitch_of(p);
    return fmin(WIDEST, fmax(1, pitch > 6 ? pitch * 0.55 : pitch - (pitch >= 3)));
}
static double y_of(const struct logical_picture *p, uint32_t row)
{
    return p->rows.part.y
           + (weft_row_top(&p->rows, row) + weft_row_bottom(&p->rows, row)) / 2;
}

/* ---- Frame ---- */

static size_t legend_of(const struct logical_picture *p, struct weft_legend_entry *legend)
{
    size_t n = p->latest > 0 ? LEGEND_STEPS : 1;
    for (size_t i = 0; i < n; i++) {
        char text[WEFT_TIME_TEXT];
        float late = p->latest * (float)i / (LEGEND_STEPS - 1);
        weft_color fill = color_of(p, late);
        int64_t ticks = late < 9e18f ? (int64_t)late : INT64_MAX;
        legend[i] = (struct weft_legend_entry){
            .swatch = { fill, fill, weft_ink(fill), WEFT_HATCH_NONE },
            .label =
                weft_arena_printf(p->request->arena, i ? "%s late" : "first of its step",
                                  weft_duration_text(p->shown.schema, ticks, text)),
            .share = -1,
            .weight = (double)(LEGEND_STEPS - i),
        };
    }
    return n;
}

static const char *note_of(const struct logical_picture *p)
{
    struct weft_arena *arena = p->request->arena;
    char at[WEFT_TIME_TEXT];
    if (p->first > p->last)
        return "";
    const char *moment = "";
    if (p->request->has_at)
        moment = weft_arena_printf(
            arena, " · left of the line: until %s",
            weft_duration_text(p->shown.schema,
                               p->request->at - p->shown.schema->span.begin, at));
    return weft_arena_printf(
        arena, " · a column is a step of Lamport's clock: %s to %s%s%s",
        weft_number_text(arena, p->first, 0), weft_number_text(arena, p->last, 0), moment,
        p->n > MAX_CELLS ? " · messages are drawn in shorter ranges" : "");
}

void logical_lay_out(struct logical_picture *p, struct weft_scene *scene)
{
    struct weft_legend_entry legend[LEGEND_STEPS];
    size_t n = legend_of(p, legend);
    weft_processor_rows_begin(&p->rows, &p->shown, &p->frame, scene, p->request, legend, n,
                              note_of(p));
    p->rows.part.x = p->frame.plot.x;
    p->rows.part.width = p->frame.plot.width;
    uint32_t n_all = p->shown.processors->n;
    p->row_of =
        weft_arena_alloc(p->request->arena, ((size_t)n_all + 1) * sizeof *p->row_of);
    for (uint32_t i = 0; i < n_all; i++)
        p->row_of[i] = WEFT_NONE;
    for (uint32_t i = 0; i < p->shown.list.n; i++)
        p->row_of[p->shown.list.index[i]] = i / p->rows.size;
}

static void draw_axis(const struct logical_picture *p)
{
    struct weft_scene *scene = p->frame.scene;
    struct weft_rect plot = p->rows.part;
    struct weft_axis axis = weft_count_axis(scene->arena, (double)p->first - 0.5,
                                            (double)p->last + 0.5, plot.width, 60);
    weft_scene_layer(scene, "step axis",
                     (struct weft_rect){ plot.x - 40, plot.y - AXIS_HEIGHT, plot.width + 48,
                                         plot.height + AXIS_HEIGHT },
                     WEFT_LAYER_FIXED);
    for (size_t i = 0; i < axis.n_ticks; i++) {
        double x = plot.x + axis.ticks[i].at;
        weft_scene_line(
            scene, (struct weft_point){ x, plot.y - 4 },
            (struct weft_point){ x, plot.y + plot.height },
            (struct weft_paint){ .stroke = p->frame.theme->grid, .stroke_width = 1 });
        const char *text =
            i ? axis.ticks[i].label
              : weft_arena_printf(scene->arena, "step %s", axis.ticks[i].label);
        double half = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, text) / 2;
        double middle = fmin(fmax(x, fmax(2, plot.x - 8) + half), scene->width - half - 2);
        weft_scene_text(scene, (struct weft_point){ middle, plot.y - 7 },
                        WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        p->frame.theme->quiet, text);
    }
}

/* ---- Lines ---- */

/* Draws a line between two events, of which FROM comes first; either may be undrawn. */
static void draw_line(const struct logical_picture *p, uint32_t from, uint32_t from_step,
                      uint32_t to, uint32_t to_step, float dash, uint64_t id)
{
    if (p->row_of[from] == WEFT_NONE || p->row_of[to] == WEFT_NONE)
        return;
    uint32_t alpha = p->n > MANY ? 0x70 : 0xff;
    struct weft_paint paint = { .stroke =
                                    (p->request->theme->quiet & 0xffffffu) | alpha << 24,
                                .stroke_width = 1,
                                .dash = dash };
    struct weft_mark *mark = weft_scene_line(
        p->frame.scene, (struct weft_point){ x_of(p, from_step), y_of(p, p->row_of[from]) },
        (struct weft_point){ x_of(p, to_step), y_of(p, p->row_of[to]) }, paint);
    if (!mark)
        return;
    mark->id = id;
    struct weft_arena *arena = p->frame.scene->arena;
    const struct weft_processor *of = p->shown.processors->processors;
    weft_mark_title(
        p->frame.scene, mark, "%s %s → %s · step %s to %s",
        dash > 0 ? "collective operation" : "message",
        weft_processor_text(arena, &of[from]), weft_processor_text(arena, &of[to]),
        weft_number_text(arena, from_step, 0), weft_number_text(arena, to_step, 0));
}

/* An event that is drawn as a cell. */
struct cell {
    uint32_t row; /* in shown.list, too */
    size_t i;     /* the event */
    struct logical_facts facts;
    struct weft_link link; /* of a message; its id is WEFT_NO_ID if it is damaged */
};

/* Draws the message of CELL, unless another event of the window draws it. */
static void draw_message(const struct logical_picture *p, const struct cell *cell)
{
    const struct weft_logical *logical = p->logical;
    const struct weft_logical_event *event = &logical->events[cell->i];
    uint32_t partner = cell->facts.partner, here = p->shown.list.index[cell->row];
    if (cell->link.id == WEFT_NO_ID || partner == WEFT_NONE
        || p->row_of[partner] == WEFT_NONE)
        return;
    bool sends = weft_logical_kind_of(event) == WEFT_LOGICAL_SEND;
    struct weft_span window = weft_window_with_end(p->shown.schema, p->request->window);
    int64_t sent = cell->link.begin;
    if (!sends && sent >= window.begin && sent < window.end)
        return;
    uint32_t what = weft_logical_number(event)
                    | (uint32_t)(sends ? WEFT_LOGICAL_RECEIVE : WEFT_LOGICAL_SEND)
                          << WEFT_LOGICAL_NUMBER_BITS;
    size_t other = weft_logical_find(logical, partner, sends ? cell->link.end : sent, what);
    if (other == logical->n)
        return;
    uint32_t step = logical->events[other].step;
    if (sends)
        draw_line(p, here, event->step, partner, step, 0, cell->facts.id);
    else
        draw_line(p, partner, step, here, event->step, 0, cell->facts.id);
}

/* Returns the index of the event of call NUMBER. */
static size_t event_of_call(const struct logical_picture *p, uint64_t number)
{
    const struct weft_collective_call *call = &p->logical->traffic->calls[number];
    return weft_logical_find(p->logical, call->processor, call->entry,
                             (uint32_t)WEFT_LOGICAL_CALL << WEFT_LOGICAL_NUMBER_BITS
                                 | (uint32_t)number);
}

static uint32_t root_call(const struct weft_traffic *traffic,
                          const struct weft_collective *of)
{
    for (uint32_t k = 0; k < of->n_calls && of->root != WEFT_NONE; k++)
        if (traffic->calls[of->first_call + k].processor == of->root)
            return k;
    return WEFT_NONE;
}

/*
 * Draws the lines of an operation: from call to call where all share a step, else from each
 * call to those that depend on it.
 */
static void draw_operation(const struct logical_picture *p,
                           const struct weft_collective *of)
{
    const struct weft_collective_call *calls = p->logical->traffic->calls + of->first_call;
    bool rooted =
        of->pattern == WEFT_ROLE_ONE_TO_ALL || of->pattern == WEFT_ROLE_ALL_TO_ONE;
    uint32_t root = rooted ? root_call(p->logical->traffic, of) : WEFT_NONE;
    for (uint32_t k = rooted ? 0 : 1; k < of->n_calls; k++) {
        uint32_t other = rooted ? root : k - 1;
        if (other == WEFT_NONE || other == k)
            continue;
        bool to_root = of->pattern == WEFT_ROLE_ALL_TO_ONE;
        uint32_t from = to_root ? k : other, to = to_root ? other : k;
        size_t a = event_of_call(p, of->first_call + from),
               b = event_of_call(p, of->first_call + to);
        if (a < p->logical->n && b < p->logical->n)
            draw_line(p, calls[from].processor, p->logical->events[a].step,
                      calls[to].processor, p->logical->events[b].step, 3, of->event);
    }
}

static void draw_lines(const struct logical_picture *p, const struct cell *cells)
{
    uint32_t *operations =
        weft_arena_alloc(p->request->arena, (p->n + 1) * sizeof *operations);
    size_t n = 0, n_calls = 0;
    for (const struct cell *cell = cells; cell < cells + p->n; cell++) {
        const struct weft_logical_event *event = &p->logical->events[cell->i];
        if (weft_logical_kind_of(event) == WEFT_LOGICAL_CALL)
            operations[n++] = p->logical->operation_of[weft_logical_number(event)];
        else
            draw_message(p, cell);
    }
    if (n > 1)
        qsort(operations, n, sizeof *operations, weft_by_u32);
    for (size_t i = 0; i < n; i++) {
        const struct weft_collective *of = &p->logical->traffic->collectives[operations[i]];
        if ((i && operations[i] == operations[i - 1])
            || (n_calls += of->n_calls) > MAX_CELLS)
            continue;
        draw_operation(p, of);
    }
}

/* ---- Cells ---- */

static void draw_cell(const struct logical_picture *p, const struct cell *cell)
{
    const struct logical_facts *facts = &cell->facts;
    uint32_t row = cell->row;
    struct weft_arena *arena = p->frame.scene->arena;
    const struct weft_logical_event *event = &p->logical->events[cell->i];
    const struct weft_processor *of = p->shown.processors->processors;
    double width = cell_width(p), top = p->rows.part.y + weft_row_top(&p->rows, row),
           height = p->rows.part.y + weft_row_bottom(&p->rows, row) - top;
    double tall = height > 12 ? fmax(10, fmin(height * 0.7, WIDEST)) : height;
    int64_t late = weft_logical_lateness(p->logical, cell->i);
    weft_color fill = color_of(p, (float)late);
    bool edged = width >= 5 && tall >= 5;
    struct weft_mark *mark =
        weft_scene_rect(p->frame.scene,
                        (struct weft_rect){ x_of(p, event->step) - width / 2,
                                            top + (height - tall) / 2, width, tall },
                        (struct weft_paint){ .fill = fill,
                                             .stroke = edged ? p->request->theme->quiet : 0,
                                             .stroke_width = edged ? 1 : 0 });
    if (!mark)
        return;
    mark->id = facts->id;
    char lateness[WEFT_TIME_TEXT], at[WEFT_TIME_TEXT];
    bool call = weft_logical_kind_of(event) == WEFT_LOGICAL_CALL;
    bool sends = weft_logical_kind_of(event) == WEFT_LOGICAL_SEND;
    weft_mark_title(
        p->frame.scene, mark, "processor %s · step %s · %s%s%s · at %s · %s late",
        p->shown.names[row], weft_number_text(arena, event->step, 0), facts->kind,
        facts->partner == WEFT_NONE ? ""
        : call                      ? ", root "
        : sends                     ? " to "
                                    : " from ",
        facts->partner == WEFT_NONE ? "" : weft_processor_text(arena, &of[facts->partner]),
        weft_duration_text(p->shown.schema,
                           weft_ticks_between(p->shown.schema->span.begin, event->time),
                           at),
        weft_duration_text(p->shown.schema, late, lateness));
}

static void draw_cells(const struct logical_picture *p)
{
    struct cell *cells = weft_arena_alloc(p->request->arena, (p->n + 1) * sizeof *cells);
    size_t n = 0;
    for (uint32_t row = 0; row < p->shown.list.n; row++)
        for (size_t i = p->from[row]; i < p->after[row]; i++, n++) {
            cells[n].row = row;
            cells[n].i = i;
            logical_facts_of(p->logical, i, &cells[n].facts, &cells[n].link);
        }
    draw_lines(p, cells);
    weft_scene_layer(p->frame.scene, "events", p->rows.part, WEFT_LAYER_FIXED);
    for (size_t i = 0; i < n; i++)
        draw_cell(p, &cells[i]);
}

/* ---- Pixels ---- */

struct pixels {
    const struct logical_picture *p;
    size_t columns, height;
    uint32_t *pixels; /* [height][columns] */
    bool has_bins;    /* there are bins that are narrow enough: */
    unsigned binning;
    uint32_t *edges;           /* [columns + 1]: the first step of each column */
    weft_color colors[SHADES]; /* by lateness, from none to the greatest */
};

static void raise(float *latest, float late)
{
    *latest = late > *latest ? late : *latest;
}

/*
 * Raises LATEST[columns] to the lateness of the events from FROM to before AFTER of one
 * processor, from *COLUMN on, and sets that to the column of the last.
 */
static void raise_by_events(const struct pixels *x, size_t from, size_t after,
                            size_t *column, float *latest)
{
    for (; from < after; from++) {
        while (x->p->logical->events[from].step >= x->edges[*column + 1])
            ++*column;
        raise(&latest[*column], (float)weft_logical_lateness(x->p->logical, from));
    }
}

/*
 * Does the same by bins where bins are no wider than a column; a bin counts in the column
 * of its first step.  Bins at the ends have events beyond FROM and AFTER.
 */
static void raise_columns(const struct pixels *x, uint32_t processor, size_t from,
                          size_t after, float *latest)
{
    const struct weft_logical *logical = x->p->logical;
    const struct weft_logical_event *events = logical->events;
    size_t column = 0;
    unsigned shift = logical->bin_shift + x->binning;
    if (!x->has_bins || after <= from) {
        raise_by_events(x, from, after, &column, latest);
        return;
    }
    size_t first = ((size_t)events[from].step + ((size_t)1 << shift) - 1) >> shift,
           end = ((size_t)events[after - 1].step + 1) >> shift;
    size_t until = WEFT_FIRST(i, from, after, (size_t)events[i].step >> shift >= first);
    raise_by_events(x, from, until, &column, latest);
    const float *bins =
        logical->binnings[x->binning] + processor * weft_logical_bins(logical, x->binning);
    for (size_t bin = first; bin < end; bin++) {
        while (bin << shift >= x->edges[column + 1])
            column++;
        raise(&latest[column], bins[bin]);
    }
    if (first < end)
        until = WEFT_FIRST(i, until, after, (size_t)events[i].step >> shift >= end);
    raise_by_events(x, until, after, &column, latest);
}

/* Chooses the widest bins that are no wider than a column. */
static void choose_bins(struct pixels *x, size_t steps)
{
    const struct weft_logical *logical = x->p->logical;
    for (unsigned l = 0; l < logical->n_binnings; l++)
        if ((size_t)1 << (logical->bin_shift + l) <= steps / x->columns) {
            x->has_bins = true;
            x->binning = l;
        }
}

static size_t shade_of(const struct logical_picture *p, float lateness)
{
    float part = p->latest > 0 ? lateness / p->latest : 0;
    return (size_t)(part < 1 ? part * (SHADES - 1) : SHADES - 1);
}

static void paint_row(void *user, size_t i)
{
    const struct pixels *x = user;
    const struct logical_picture *p = x->p;
    uint32_t row = (uint32_t)i;
    if (weft_job_cancelled(p->request->job))
        return;
    float *latest = weft_alloc(x->columns * sizeof *latest);
    for (size_t c = 0; c < x->columns; c++)
        latest[c] = -1;
    for (uint32_t k = row * p->rows.size;
         k < (row + 1) * p->rows.size && k < p->shown.list.n; k++)
        raise_columns(x, p->shown.list.index[k], p->from[k], p->after[k], latest);
    size_t top = (size_t)round(weft_row_top(&p->rows, row)),
           bottom = (size_t)round(weft_row_bottom(&p->rows, row));
    top = top < x->height ? top : x->height - 1;
    bottom = bottom > top ? bottom < x->height ? bottom : x->height : top + 1;
    uint32_t *pixels = x->pixels + top * x->columns;
    for (size_t c = 0; c < x->columns; c++)
        pixels[c] = latest[c] < 0 ? 0 : x->colors[shade_of(p, latest[c])];
    for (size_t y = top + 1; y < bottom; y++)
        memcpy(x->pixels + y * x->columns, pixels, x->columns * sizeof *pixels);
    free(latest);
}

static void paint_rows(const struct logical_picture *p)
{
    struct pixels x = { .p = p,
                        .columns = (size_t)fmax(1, round(p->rows.part.width)),
                        .height = (size_t)fmax(1, round(p->rows.part.height)) };
    size_t steps = (size_t)p->last - p->first + 1;
    x.columns = steps < x.columns ? steps : x.columns; /* a cell at least a step */
    x.pixels =
        weft_arena_zalloc(p->frame.scene->arena, x.height * x.columns, sizeof *x.pixels);
    x.edges = weft_arena_alloc(p->request->arena, (x.columns + 1) * sizeof *x.edges);
    for (size_t c = 0; c <= x.columns; c++)
        x.edges[c] = p->first + (uint32_t)(steps * c / x.columns);
    choose_bins(&x, steps);
    for (size_t i = 0; i < SHADES; i++)
        x.colors[i] = color_of(p, p->latest * (float)i / (SHADES - 1));
    weft_parallel(p->rows.n, 1, paint_row, &x);
    weft_scene_raster(
        p->frame.scene, p->rows.part,
        &(struct weft_raster){ (uint32_t)x.columns, (uint32_t)x.height, x.pixels, NULL });
}

/* ---- The moment ---- */

/*
 * Draws a line behind the last event of each row until the moment: what is left of it has
 * happened by then.
 */
static void draw_moment(const struct logical_picture *p)
{
    struct weft_rect part = p->rows.part;
    const struct weft_logical *logical = p->logical;
    struct weft_point *points =
        weft_arena_alloc(p->request->arena, (2 * (size_t)p->rows.n + 1) * sizeof *points);
    size_t n = 0;
    for (uint32_t row = 0; row < p->rows.n; row++) {
        struct weft_processor_list list = weft_group_of(&p->shown, row, p->rows.size);
        uint32_t step = 0;
        for (uint32_t i = 0; i < list.n; i++) {
            size_t until = logical_until_moment(p, list.index[i]);
            if (until > logical->first[list.index[i]]
                && logical->events[until - 1].step > step)
                step = logical->events[until - 1].step;
        }
        double x = fmin(fmax(x_of(p, step) + pitch_of(p) / 2, part.x + 1),
                        part.x + part.width - 1);
        points[n++] = (struct weft_point){ x, part.y + weft_row_top(&p->rows, row) };
        points[n++] = (struct weft_point){ x, part.y + weft_row_top(&p->rows, row + 1) };
    }
    weft_scene_layer(p->frame.scene, "moment", part, WEFT_LAYER_FIXED);
    weft_scene_polyline(
        p->frame.scene, points, n,
        (struct weft_paint){ .stroke = p->request->theme->accent, .stroke_width = 1.5f });
}

/* ---- All together ---- */

bool logical_draw(struct logical_picture *p, struct weft_scene *scene)
{
    logical_lay_out(p, scene);
    if (!p->rows.n || p->first > p->last)
        return false;
    draw_axis(p);
    weft_processor_rows_names(&p->rows, &p->frame);
    weft_scene_layer(scene, "lines", p->rows.part, WEFT_LAYER_FIXED);
    if (has_cells(p))
        draw_cells(p);
    else
        paint_rows(p);
    if (p->request->has_at)
        draw_moment(p);
    return true;
}

size_t logical_event_at(const struct logical_picture *p, struct weft_point at)
{
    struct weft_rect part = p->rows.part;
    size_t best = p->logical->n;
    if (!p->rows.n || p->first > p->last || at.x < part.x || at.x >= part.x + part.width
        || at.y < part.y || at.y >= part.y + part.height)
        return best;
    /* A cell is one step, or as many as share a pixel. */
    double half = fmax(cell_width(p) / 2, 0.5) / pitch_of(p);
    double step = (double)p->first + (at.x - part.x) / pitch_of(p) - 0.5;
    uint32_t row = weft_row_at(&p->rows, at.y);
    for (uint32_t i = row * p->rows.size;
         i < (row + 1) * p->rows.size && i < p->shown.list.n; i++) {
        const struct weft_logical_event *events = p->logical->events;
        size_t from =
            WEFT_FIRST(k, p->from[i], p->after[i], (double)events[k].step >= step - half);
        size_t after =
            WEFT_FIRST(k, from, p->after[i], (double)events[k].step > step + half);
        for (size_t k = from; k < after; k++)
            if (best == p->logical->n
                || weft_logical_lateness(p->logical, k)
                       > weft_logical_lateness(p->logical, best))
                best = k;
    }
    return best;
}
