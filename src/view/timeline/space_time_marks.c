/* SPDX-License-Identifier: Apache-2.0 */
/* Events, curves of variables and links of the space-time view. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/timeline/space_time.h"

enum { CELL = 3, MOST_ARROWHEADS = 400, LINKS_PER_PIXEL = 2, MANY = 1000 /* links */ };

/* ---- Events ---- */

struct event_walk {
    struct st_picture *p;
    const struct st_row *row;
    double y, size, last_x;
    size_t drawn, in_column;
};

static bool draw_event(void *user, const struct weft_event *event)
{
    struct event_walk *walk = user;
    struct st_picture *p = walk->p;
    double x = st_x(p, event->time);
    if (x - walk->last_x < 1) {
        walk->in_column++; /* the mark in this column stands for this event, too */
        return true;
    }
    walk->last_x = x;
    walk->drawn++;
    weft_color color = event->value == WEFT_NONE
                           ? p->request->theme->quiet
                           : st_swatch(p, event->value, walk->row->container, 1).fill;
    struct weft_mark *mark = weft_scene_glyph(
        p->scene, WEFT_GLYPH_DIAMOND, (struct weft_point){ x, walk->y }, walk->size, 0,
        (struct weft_paint){ .fill = color,
                             .stroke = p->request->theme->name == WEFT_THEME_MONO
                                           ? p->request->theme->text
                                           : p->request->theme->panel,
                             .stroke_width = 0.75f });
    if (!mark)
        return true;
    mark->id = event->id;
    char time[WEFT_TIME_TEXT];
    weft_mark_title(
        p->scene, mark, "%s · %s · %s",
        event->value == WEFT_NONE ? "event" : p->schema->values[event->value].name,
        p->schema->containers[walk->row->container].name,
        weft_duration_text(p->schema, event->time - p->schema->span.begin, time));
    return true;
}

/* More events than pixels: how many in each column, as bars. */
struct event_count {
    const struct st_picture *p;
    uint32_t *counts;
};

static bool count_event(void *user, const struct weft_event *event)
{
    struct event_count *count = user;
    double x = st_x(count->p, event->time) - count->p->frame.plot.x;
    if (x >= 0 && x < (double)count->p->columns)
        count->counts[(size_t)x]++;
    return true;
}

/* A bar from TOP to BOTTOM in one column of pixels; an edge within a pixel covers part of it. */
static void fill_bar(uint32_t *pixels, size_t columns, double top, double bottom,
                     weft_color color)
{
    for (size_t y = (size_t)top; (double)y < bottom; y++) {
        double covered = fmin(bottom, (double)y + 1) - fmax(top, (double)y);
        uint32_t alpha = (uint32_t)(covered * (color >> 24) + 0.5);
        pixels[y * columns] = (color & 0xffffffu) | alpha << 24;
    }
}

/*
 * TOP and HEIGHT: the band of the row that the bars may take.  As a raster: a mark for each
 * bar would be a hundred thousand marks.
 */
static void draw_event_bars(struct st_picture *p, uint32_t track, double top, double height)
{
    struct event_count count = { p, weft_arena_zalloc(p->arena, p->columns + 1,
                                                      sizeof *count.counts) };
    p->source->ops->events(p->source, track, p->window, count_event, &count);
    uint32_t most = 1;
    for (size_t c = 0; c < p->columns; c++)
        most = count.counts[c] > most ? count.counts[c] : most;
    double from = floor(top), bottom = top + height - from;
    size_t lines = (size_t)ceil(bottom);
    uint32_t *pixels = weft_arena_zalloc(p->arena, lines * p->columns + 1, sizeof *pixels);
    for (size_t c = 0; c < p->columns; c++) {
        double size = fmin(bottom, fmax(1.5, height * count.counts[c] / most));
        if (count.counts[c])
            fill_bar(pixels + c, p->columns, bottom - size, bottom,
                     p->request->theme->text);
    }
    weft_scene_raster(
        p->scene,
        (struct weft_rect){ p->frame.plot.x, from, (double)p->columns, (double)lines },
        &(struct weft_raster){ (uint32_t)p->columns, (uint32_t)lines, pixels, NULL });
}

/* The events of a track, in a band of a row: marks, or bars where they are dense. */
static void draw_events(struct st_picture *p, const struct st_row *row, uint32_t track,
                        double top, double height)
{
    uint64_t n = p->source->ops->density(p->source, track, p->window);
    if (n > p->columns / 3) {
        draw_event_bars(p, track, top, height);
        return;
    }
    struct event_walk walk = { p, row, top + height / 2, fmin(9, height), -1e9, 0, 0 };
    p->source->ops->events(p->source, track, p->window, draw_event, &walk);
}

void st_paint_events(struct st_picture *p)
{
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct st_row *row = &p->rows.list[i];
        double top = p->frame.plot.y + row->y, height = row->height - 1;
        if (!st_is_shown(p, row) || height < 4 || weft_job_cancelled(p->request->job))
            continue;
        if (row->kind == ST_EVENTS)
            draw_events(p, row, row->tracks[0], top, height);
        /* On top of states: at the lower edge, so that the states stay readable. */
        for (uint32_t e = 0; e < row->n_events; e++)
            draw_events(p, row, row->events[e], top + height * 0.6, height * 0.4);
    }
}

/* ---- Curves ---- */

/* Three digits that count; whole numbers as they are. */
static int decimals_of(double value)
{
    if (value == floor(value) || fabs(value) >= 100)
        return 0;
    int decimals = 2 - (int)floor(log10(fabs(value)));
    return decimals < 9 ? decimals : 9;
}

/* A row's curve, and how far it goes. */
struct curve {
    const struct st_row *row;
    struct weft_envelope *columns;
    double low, high;
};

static bool is_slope(const struct st_picture *p, uint32_t type)
{
    return weft_role_is(p->schema->types[type].role, WEFT_ROLE_CUMULATIVE);
}

const char *st_curve_name(const struct st_picture *p, uint32_t type)
{
    if (weft_role_is(p->schema->types[type].role, WEFT_ROLE_PROCESSOR_TIME))
        return "share of a processor";
    if (is_slope(p, type))
        return weft_arena_printf(p->arena, "%s, per second", p->schema->types[type].name);
    return p->schema->types[type].name;
}

/* A thread has used no processor when it begins: it has a value before the first sample. */
static void start_at_zero(const struct st_picture *p, const struct st_row *row,
                          struct weft_envelope *columns)
{
    int64_t begin = p->schema->containers[row->container].begin;
    double x = st_x(p, begin) - p->frame.plot.x;
    if (!weft_role_is(p->schema->types[row->type].role, WEFT_ROLE_PROCESSOR_TIME)
        || begin < p->window.begin || begin >= p->window.end)
        return;
    for (size_t c = x > 0 ? (size_t)x : 0; c < p->columns && isnan(columns[c].max); c++)
        columns[c] = (struct weft_envelope){ 0, 0, 0 };
}

/* The sample with an ordinal; false: the track has none. */
static bool sample_of(const struct st_picture *p, uint32_t track, uint64_t ordinal,
                      struct weft_sample *out)
{
    struct weft_run run;
    if (ordinal >= p->schema->tracks[track].count)
        return false;
    p->source->ops->run(p->source, track, ordinal, &run);
    bool found = ordinal >= run.first && ordinal - run.first < run.n;
    if (found)
        *out = run.samples[ordinal - run.first];
    return found;
}

/* How much grew, in how many seconds, beyond the columns at both ends of the window. */
struct beyond {
    double before_seconds; /* from the last sample before the window to its begin */
    double after_seconds;  /* from the window's end to the next sample */
    double after;          /* by how much that one is above the last in the window */
};

static double seconds_between(const struct weft_schema *schema, int64_t from, int64_t to)
{
    return ((double)to - (double)from) * (double)schema->ticks_denominator
           / (double)schema->ticks_numerator;
}

static struct beyond look_beyond(const struct st_picture *p, uint32_t track)
{
    const struct weft_source *source = p->source;
    uint64_t first = source->ops->rank(source, track, p->window.begin);
    uint64_t next = source->ops->rank(source, track, p->window.end);
    struct weft_sample sample, last;
    struct beyond beyond = { 0 };
    if (first && sample_of(p, track, first - 1, &sample))
        beyond.before_seconds = seconds_between(p->schema, sample.begin, p->window.begin);
    if (next && sample_of(p, track, next, &sample)
        && sample_of(p, track, next - 1, &last)) {
        beyond.after_seconds = seconds_between(p->schema, p->window.end, sample.begin);
        beyond.after = sample.value - last.value;
    }
    return beyond;
}

/*
 * What only grows to how fast it does, per second.  Between two samples it grew evenly, as
 * far as anybody knows: an increase belongs to all columns since the one before, and to what
 * lies beyond the window when one of the two samples does.
 */
static void differentiate(const struct st_picture *p, const struct st_row *row,
                          struct weft_envelope *columns)
{
    start_at_zero(p, row, columns);
    const struct weft_schema *schema = p->schema;
    double seconds =
        seconds_between(schema, p->window.begin, p->window.end) / (double)p->columns;
    struct beyond beyond = look_beyond(p, row->tracks[0]);
    /* What the program's start used before the first sample may seem more than there is. */
    bool limited =
        weft_role_is(schema->types[row->type].role, WEFT_ROLE_PROCESSOR_TIME)
        && weft_role_is(schema->containers[row->container].role, WEFT_ROLE_THREAD);
    bool open = false;
    size_t first = 0; /* of the columns that the next increase belongs to */
    double before = 0;
    for (size_t c = 0; c < p->columns; c++) {
        if (isnan(columns[c].max)) {
            open = false; /* nothing lives here */
            continue;
        }
        double now = (double)columns[c].max;
        if (!open) {
            open = true;
            first = c;
            before = (double)columns[c].min;
        }
        bool last = c + 1 == p->columns || isnan(columns[c + 1].max);
        if (now <= before && !last)
            continue;
        double gained = now - before, length = (double)(c + 1 - first) * seconds;
        if (first == 0)
            length += beyond.before_seconds;
        if (c + 1 == p->columns) {
            gained += beyond.after;
            length += beyond.after_seconds;
        }
        float slope = length > 0 ? (float)(gained / length) : 0;
        slope = limited && slope > 1 ? 1 : slope;
        for (; first <= c; first++)
            columns[first] = (struct weft_envelope){ slope, slope, slope };
        before = now;
    }
}

/* A column narrower than a tick may have none of its own: it shows that of the tick it is in. */
static void load_columns(const struct st_picture *p, struct curve *curve)
{
    double ticks = (double)p->window.end - (double)p->window.begin;
    size_t n = ticks < (double)p->columns ? (size_t)ticks : p->columns;
    curve->columns = weft_arena_alloc(p->arena, p->columns * sizeof *curve->columns);
    p->source->ops->envelope(p->source, curve->row->tracks[0], p->window, n,
                             curve->columns);
    for (size_t c = p->columns; n < p->columns && c-- > 0;)
        curve->columns[c] = curve->columns[c * n / p->columns];
}

static void load_curve(const struct st_picture *p, struct curve *curve)
{
    load_columns(p, curve);
    if (is_slope(p, curve->row->type))
        differentiate(p, curve->row, curve->columns);
    for (size_t c = 0; c < p->columns; c++)
        if (!isnan(curve->columns[c].min)) {
            curve->low = fmin(curve->low, (double)curve->columns[c].min);
            curve->high = fmax(curve->high, (double)curve->columns[c].max);
        }
}

/*
 * What is written beside a curve: of a share of a processor its mean over the part that is
 * seen, for the greatest column depends on how wide columns are; else the greatest value.
 */
static const char *curve_label(const struct st_picture *p, const struct curve *curve)
{
    const struct weft_type *type = &p->schema->types[curve->row->type];
    if (!weft_role_is(type->role, WEFT_ROLE_PROCESSOR_TIME))
        return weft_arena_printf(
            p->arena, "max %s",
            weft_number_text(p->arena, curve->high, decimals_of(curve->high)));
    double left = st_x(p, p->shown.begin) - p->frame.plot.x;
    double right = st_x(p, p->shown.end) - p->frame.plot.x, sum = 0;
    size_t from = (size_t)fmax(0, left), n = 0;
    size_t to = (size_t)fmin(ceil(fmax(0, right)), (double)p->columns);
    for (size_t c = from; c < to; c++)
        if (!isnan(curve->columns[c].mean)) {
            sum += (double)curve->columns[c].mean;
            n++;
        }
    return n ? weft_arena_printf(p->arena, "mean %.0f %%", 100 * sum / (double)n) : "";
}

/*
 * Columns side by side that all have a value: the line of their means, and the outline of the area
 * below their greatest values (from [1] on; [0] and the last close it).
 */
struct run {
    struct weft_point *mean, *area;
    size_t n;
};

/* The run, and the area below it as one shape: columns side by side would show seams. */
static void draw_run(struct st_picture *p, struct run *run, weft_color line, double zero)
{
    size_t n = run->n;
    run->n = 0;
    if (!n)
        return;
    run->area[0] = (struct weft_point){ run->area[1].x, zero };
    run->area[n + 1] = (struct weft_point){ run->area[n].x, zero };
    weft_scene_polygon(p->scene, run->area, n + 2,
                       (struct weft_paint){ .fill = (line & 0xffffffu) | 0x48000000u });
    weft_scene_polyline(p->scene, run->mean, n,
                        (struct weft_paint){ .stroke = line, .stroke_width = 1.25f });
}

/* Of a curve, which runs behind it: the text ends at RIGHT, on this line. */
static void write_label(struct st_picture *p, const char *label, double right, double line)
{
    enum { SIZE = 10, AROUND = 2 }; /* pixels */
    const struct weft_theme *theme = p->request->theme;
    double width = weft_text_width(WEFT_FONT_SANS, SIZE, label);
    if (!*label)
        return;
    weft_scene_rect(
        p->scene,
        (struct weft_rect){ right - width - AROUND, line - SIZE + 1, width + 2 * AROUND,
                            SIZE + 1 },
        (struct weft_paint){ .fill = (theme->panel & 0xffffffu) | 0xd8000000u });
    weft_scene_text(p->scene, (struct weft_point){ right, line }, WEFT_ANCHOR_END,
                    WEFT_FONT_SANS, SIZE, theme->quiet, label);
}

static void draw_curve(struct st_picture *p, const struct curve *drawn, double low,
                       double high)
{
    const struct st_row *row = drawn->row;
    const struct weft_envelope *curve = drawn->columns;
    struct weft_rect plot = p->frame.plot;
    if (!(high > low))
        high = low + 1;
    double top = plot.y + row->y + 2, height = row->height - 4;
    double per = height / (high - low), base = top + height;
    weft_color line =
        weft_name_swatch(p->request->theme, p->schema->types[row->type].name).fill;
    weft_color given =
        weft_given_color(p->request->theme, p->schema->types[row->type].color);
    line = given ? given : line;
    if (p->request->theme->name == WEFT_THEME_MONO)
        line = p->request->theme->text;
    struct run run = { weft_arena_alloc(p->arena, 2 * p->columns * sizeof *run.mean),
                       weft_arena_alloc(p->arena, (2 * p->columns + 2) * sizeof *run.area),
                       0 };
    double zero = base - (0 - low) * per;
    for (size_t c = 0; c <= p->columns; c++) {
        if (c == p->columns || isnan(curve[c].mean)) {
            draw_run(p, &run, line, zero);
            continue;
        }
        double x = plot.x + (double)c, mean = base - ((double)curve[c].mean - low) * per;
        double most_here = base - ((double)curve[c].max - low) * per;
        for (int side = 0; side < 2; side++) {
            run.mean[run.n] = (struct weft_point){ x + side, mean };
            run.area[++run.n] = (struct weft_point){ x + side, most_here };
        }
    }
    if (row->height >= 12)
        write_label(p, curve_label(p, drawn), plot.x + plot.width - 2, top + 8);
}

void st_paint_curves(struct st_picture *p)
{
    struct curve *curves = weft_arena_zalloc(p->arena, p->rows.n + 1, sizeof *curves);
    size_t n = 0;
    for (size_t i = 0; i < p->rows.n; i++)
        if (p->rows.list[i].kind == ST_CURVE && st_is_shown(p, &p->rows.list[i])
            && !weft_job_cancelled(p->request->job) && p->rows.list[i].height >= 4) {
            curves[n].row = &p->rows.list[i];
            load_curve(p, &curves[n++]);
        }
    /* All curves of a type have one scale, so that they can be compared. */
    for (size_t i = 0; i < n; i++) {
        double low = 0, high = 0;
        for (size_t j = 0; j < n; j++)
            if (curves[j].row->type == curves[i].row->type) {
                low = fmin(low, curves[j].low);
                high = fmax(high, curves[j].high);
            }
        /* A share of a processor is always drawn on a scale from 0 to a whole one. */
        if (weft_role_is(p->schema->types[curves[i].row->type].role,
                         WEFT_ROLE_PROCESSOR_TIME))
            high = fmax(high, 1);
        draw_curve(p, &curves[i], low, high);
    }
}

/* ---- Links ---- */

struct link_walk {
    struct st_picture *p;
    size_t shown, drawn, columns, lines;
    size_t enough;     /* to know that there are so many */
    uint32_t *density; /* [lines][columns] cells; NULL: links are drawn one by one */
    bool heads;
};

static bool link_ends(const struct st_picture *p, const struct weft_link *link,
                      struct weft_point *a, struct weft_point *b)
{
    if (link->from == WEFT_NONE || link->to == WEFT_NONE)
        return false;
    uint32_t from = p->rows.row_of[link->from], to = p->rows.row_of[link->to];
    if (from == WEFT_NONE || to == WEFT_NONE || !st_is_shown(p, &p->rows.list[from])
        || !st_is_shown(p, &p->rows.list[to]))
        return false;
    const struct st_row *rows = p->rows.list;
    *a = (struct weft_point){ st_x(p, link->begin),
                              p->frame.plot.y + rows[from].y + rows[from].height / 2 };
    *b = (struct weft_point){ st_x(p, link->end),
                              p->frame.plot.y + rows[to].y + rows[to].height / 2 };
    return true;
}

static bool count_link(void *user, const struct weft_link *link)
{
    struct link_walk *walk = user;
    struct weft_point a, b;
    walk->shown += link_ends(walk->p, link, &a, &b);
    return walk->shown < walk->enough && !weft_job_cancelled(walk->p->request->job);
}

static void draw_arrow(struct link_walk *walk, const struct weft_link *link,
                       struct weft_point a, struct weft_point b)
{
    struct st_picture *p = walk->p;
    /* Where there are many, they lie behind the states and have the colour of the background's lines. */
    bool many = walk->shown > ST_MOST_LINKS_IN_FRONT;
    weft_color color = many ? p->request->theme->quiet : p->request->theme->text;
    uint32_t given = link->value != WEFT_NONE ? p->schema->values[link->value].color : 0;
    if (!given)
        given = p->schema->types[link->type].color;
    given = weft_given_color(p->request->theme, given);
    color = given ? given : color;
    weft_color code = st_message_color(p, link);
    color = code ? code : color;
    /* The more there are, the more transparent, so that what lies below stays visible. */
    uint32_t alpha = code ? 0xe0 : walk->shown > MANY ? 0x40 : walk->shown > 200 ? 0x66 : 0x99;
    color = (color & 0xffffffu) | alpha << 24;
    if (a.y == b.y && b.x - a.x < 1)
        return; /* from a row to itself, in the same pixel: there is nothing to draw */
    struct weft_mark *mark =
        weft_scene_line(p->scene, a, b,
                        (struct weft_paint){ .stroke = color,
                                             .stroke_width = 1,
                                             .dash = link->flags & WEFT_INFERRED ? 3 : 0 });
    if (!mark)
        return;
    mark->id = link->id;
    char length[WEFT_TIME_TEXT];
    weft_mark_title(p->scene, mark, "%s%s%s · %s → %s · %s%s",
                    p->schema->types[link->type].name, link->value == WEFT_NONE ? "" : " ",
                    link->value == WEFT_NONE ? "" : p->schema->values[link->value].name,
                    p->schema->containers[link->from].name,
                    p->schema->containers[link->to].name,
                    weft_duration_text(p->schema, link->end - link->begin, length),
                    link->flags & WEFT_INFERRED ? " (concluded)" : "");
    if (walk->heads)
        weft_scene_glyph(p->scene, WEFT_GLYPH_ARROWHEAD, b, 5, atan2(b.y - a.y, b.x - a.x),
                         (struct weft_paint){ .fill = color });
}

/* The part of a line, from 0 to 1, that lies within the plot's width; false: none. */
static bool clip_line(double x0, double dx, double width, double *from, double *to)
{
    *from = 0;
    *to = 1;
    if (dx == 0)
        return x0 >= 0 && x0 < width;
    double enters = (dx > 0 ? -x0 : width - x0) / dx;
    double leaves = (dx > 0 ? width - x0 : -x0) / dx;
    *from = enters > 0 ? enters : 0;
    *to = leaves < 1 ? leaves : 1;
    return *from <= *to;
}

/* Count the line in every cell that it crosses, step by step; cells are counted in 2^-32. */
static void count_cells(struct link_walk *walk, struct weft_point a, struct weft_point b)
{
    enum { MOST_STEPS = 4096, FRACTION = 32 /* bits */ };
    const double unit = 0x1p32;
    struct weft_rect plot = walk->p->frame.plot;
    double x0 = (a.x - plot.x) / CELL, y0 = (a.y - plot.y) / CELL;
    double dx = (b.x - a.x) / CELL, dy = (b.y - a.y) / CELL, from, to;
    if (!isfinite(dx) || !isfinite(dy)
        || !clip_line(x0, dx, (double)walk->columns, &from, &to))
        return;
    double width = fabs(dx), height = fabs(dy), part = to - from;
    double length = (width > height ? width : height) * part;
    size_t steps = length < MOST_STEPS ? (size_t)length + 1 : MOST_STEPS, last = SIZE_MAX;
    double scale = unit * part / (double)steps;
    int64_t x = (int64_t)((x0 + from * dx) * unit), y = (int64_t)((y0 + from * dy) * unit);
    int64_t step_x = (int64_t)(dx * scale), step_y = (int64_t)(dy * scale);
    for (size_t i = 0; i <= steps; i++, x += step_x, y += step_y) {
        uint64_t column = (uint64_t)x >> FRACTION, line = (uint64_t)y >> FRACTION;
        if (column >= walk->columns || line >= walk->lines) /* also when below 0 */
            continue;
        size_t cell = line * walk->columns + column;
        walk->density[cell] += cell != last;
        last = cell;
    }
}

static bool draw_link(void *user, const struct weft_link *link)
{
    struct link_walk *walk = user;
    struct weft_point a, b;
    if (!link_ends(walk->p, link, &a, &b))
        return !weft_job_cancelled(walk->p->request->job);
    walk->drawn++;
    if (walk->density)
        count_cells(walk, a, b);
    else
        draw_arrow(walk, link, a, b);
    return !weft_job_cancelled(walk->p->request->job);
}

static void draw_density(struct link_walk *walk)
{
    struct st_picture *p = walk->p;
    uint32_t most = 1;
    for (size_t i = 0; i < walk->columns * walk->lines; i++)
        most = walk->density[i] > most ? walk->density[i] : most;
    weft_color ink = p->request->theme->text & 0xffffffu;
    double scale = 1 / log1p(most);
    for (size_t i = 0; i < walk->columns * walk->lines; i++)
        if (walk->density[i]) {
            double part = log1p(walk->density[i]) * scale;
            walk->density[i] = (uint32_t)(30 + 170 * part) << 24 | ink;
        }
    struct weft_raster raster = { (uint32_t)walk->columns, (uint32_t)walk->lines,
                                  walk->density, NULL };
    weft_scene_raster(p->scene,
                      (struct weft_rect){ p->frame.plot.x, p->frame.plot.y,
                                          (double)(walk->columns * CELL),
                                          (double)(walk->lines * CELL) },
                      &raster);
}

static void each_link(struct link_walk *walk,
                      bool (*visit)(void *user, const struct weft_link *link))
{
    const struct st_picture *p = walk->p;
    for (uint32_t t = 0; t < p->schema->n_tracks && walk->shown < walk->enough; t++)
        if (p->schema->types[p->schema->tracks[t].type].kind == WEFT_LINK)
            p->source->ops->links(p->source, t, p->window, visit, walk);
}

void st_count_links(struct st_picture *p)
{
    struct link_walk walk = { .p = p, .enough = LINKS_PER_PIXEL * p->columns + MANY };
    each_link(&walk, count_link);
    p->links = walk.shown;
}

void st_paint_links(struct st_picture *p, const char *mode)
{
    struct link_walk walk = { .p = p, .shown = p->links, .enough = SIZE_MAX };
    if (!walk.shown)
        return;
    bool density =
        strcmp(mode, "density") == 0
        || (strcmp(mode, "auto") == 0 && walk.shown > LINKS_PER_PIXEL * p->columns);
    walk.heads = walk.shown <= MOST_ARROWHEADS;
    if (density) {
        walk.columns = p->columns / CELL + 1;
        walk.lines = (size_t)p->rows.height / CELL + 1;
        walk.density =
            weft_arena_zalloc(p->arena, walk.columns * walk.lines, sizeof *walk.density);
    }
    each_link(&walk, draw_link);
    if (density) {
        draw_density(&walk);
        p->density_links = walk.drawn;
    }
}
