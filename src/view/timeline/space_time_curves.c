/* SPDX-License-Identifier: Apache-2.0 */
/* Draws curves of variables in the space-time view. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/damage.h"
#include "view/timeline/space_time.h"

int st_value_decimals(double value)
{
    if (value == floor(value) || fabs(value) >= 100)
        return 0;
    int decimals = 2 - (int)floor(log10(fabs(value)));
    return decimals < 9 ? decimals : 9;
}

/* A row's curve, and its extremes. */
struct curve {
    const struct st_row *row;
    struct weft_envelope *columns;
    double low, high;
    bool damaged; /* a visible part cannot be read */
};

/* Returns true if the row's curve is the sum of several. */
static bool is_sum(const struct st_row *row)
{
    return row->reduction && row->reduction->sums && row->n_tracks > 1;
}

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

/* A thread's processor time is 0 at its begin, before the first sample. */
static void start_at_zero(const struct st_picture *p, const struct st_row *row,
                          uint32_t container, struct weft_envelope *columns)
{
    int64_t begin = p->schema->containers[container].begin;
    double x = st_x(p, begin) - p->frame.plot.x;
    if (!weft_role_is(p->schema->types[row->type].role, WEFT_ROLE_PROCESSOR_TIME)
        || begin < p->window.begin || begin >= p->window.end)
        return;
    for (size_t c = x > 0 ? (size_t)x : 0; c < p->columns && isnan(columns[c].max); c++)
        columns[c] = (struct weft_envelope){ 0, 0, 0 };
}

/* Reads the sample with an ordinal; false if the track has none. */
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

/* Samples beyond both ends of the window: how far away, and how much the value grew. */
struct beyond {
    double before_seconds; /* from the last sample before the window to its begin */
    double after_seconds;  /* from the window's end to the next sample */
    double after;          /* the next sample minus the last in the window */
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
 * Replaces a cumulative variable by its slope per second.  Between two samples the growth
 * is assumed to be even: an increase is spread over all columns since the previous sample,
 * and beyond the window if one of the samples is there.
 */
static void differentiate(const struct st_picture *p, const struct st_row *row,
                          uint32_t track, struct weft_envelope *columns)
{
    uint32_t container = p->schema->tracks[track].container;
    start_at_zero(p, row, container, columns);
    const struct weft_schema *schema = p->schema;
    double seconds =
        seconds_between(schema, p->window.begin, p->window.end) / (double)p->columns;
    struct beyond beyond = look_beyond(p, track);
    /* A thread's slope is at most 1; its first sample includes the program's start. */
    bool limited = weft_role_is(schema->types[row->type].role, WEFT_ROLE_PROCESSOR_TIME)
                   && weft_role_is(schema->containers[container].role, WEFT_ROLE_THREAD);
    bool open = false;
    size_t first = 0; /* of the columns that the next increase is spread over */
    double before = 0;
    for (size_t c = 0; c < p->columns; c++) {
        if (isnan(columns[c].max)) {
            open = false; /* the container does not live here */
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

/* Loads the columns of a track; columns narrower than a tick share that tick's value. */
static void load_columns(const struct st_picture *p, const struct st_row *row,
                         uint32_t track, struct weft_envelope *columns)
{
    double ticks = (double)p->window.end - (double)p->window.begin;
    size_t n = ticks < (double)p->columns ? (size_t)ticks : p->columns;
    p->source->ops->envelope(p->source, track, p->window, n, columns);
    for (size_t c = p->columns; n < p->columns && c-- > 0;)
        columns[c] = columns[c * n / p->columns];
    if (is_slope(p, row->type))
        differentiate(p, row, track, columns);
}

/* Adds COLUMNS of one more member to those of a reduced row; N[c] have a value there. */
static void add_member(struct curve *curve, const struct weft_envelope *columns,
                       uint32_t *n, size_t n_columns)
{
    for (size_t c = 0; c < n_columns; c++) {
        struct weft_envelope *all = &curve->columns[c];
        if (isnan(columns[c].mean))
            continue;
        if (!n[c]++) {
            *all = columns[c];
            continue;
        }
        all->min = fminf(all->min, columns[c].min);
        all->max = fmaxf(all->max, columns[c].max);
        all->mean += columns[c].mean;
    }
}

/*
 * Loads the curve of several members: their sum, or their mean between the least and the
 * greatest value of any.  A member without a value somewhere does not count there.
 */
static void load_members(const struct st_picture *p, struct curve *curve)
{
    const struct st_row *row = curve->row;
    struct weft_envelope *columns = weft_alloc((p->columns + 1) * sizeof *columns);
    uint32_t *n = weft_zalloc(p->columns + 1, sizeof *n);
    for (size_t c = 0; c < p->columns; c++)
        curve->columns[c] = (struct weft_envelope){ NAN, NAN, NAN };
    for (uint32_t t = 0; t < row->n_tracks && !weft_job_cancelled(p->request->job); t++) {
        load_columns(p, row, row->tracks[t], columns);
        add_member(curve, columns, n, p->columns);
    }
    for (size_t c = 0; c < p->columns; c++) {
        struct weft_envelope *all = &curve->columns[c];
        if (is_sum(row))
            all->min = all->max = all->mean;
        else if (n[c])
            all->mean /= (float)n[c];
    }
    free(n);
    free(columns);
}

static void load_curve(const struct st_picture *p, struct curve *curve)
{
    curve->columns = weft_arena_alloc(p->arena, (p->columns + 1) * sizeof *curve->columns);
    if (curve->row->n_tracks > 1)
        load_members(p, curve);
    else
        load_columns(p, curve->row, curve->row->tracks[0], curve->columns);
    for (size_t c = 0; c < p->columns; c++)
        if (!isnan(curve->columns[c].min)) {
            curve->low = fmin(curve->low, (double)curve->columns[c].min);
            curve->high = fmax(curve->high, (double)curve->columns[c].max);
        }
}

/*
 * Finds curves with damaged samples in the visible part.  There may be thousands of curves
 * and of damaged parts: the list is read once for all.
 */
static void find_damaged(const struct st_picture *p, struct curve *curves, size_t n)
{
    const struct weft_damage *list;
    size_t n_listed, all = n ? weft_damage_list(p->source, p->arena, &list, &n_listed) : 0;
    if (!all)
        return;
    bool *of_track = weft_arena_zalloc(p->arena, (size_t)p->schema->n_tracks + 1, 1);
    for (size_t i = 0; i < n_listed; i++)
        if (list[i].what == WEFT_DAMAGED_ENTITIES && list[i].track != WEFT_NONE
            && list[i].span.begin <= p->shown.end && list[i].span.end >= p->shown.begin)
            of_track[list[i].track] = true;
    for (size_t c = 0; c < n; c++) {
        const struct st_row *row = curves[c].row;
        curves[c].damaged = all > n_listed; /* an unlisted damage may be on any track */
        for (uint32_t t = 0; t < row->n_tracks && !curves[c].damaged; t++)
            curves[c].damaged = of_track[row->tracks[t]];
    }
}

/*
 * Returns the label of an undamaged curve: for a share of a processor its mean over the
 * visible part, since the maximum depends on the columns' width; else the maximum.
 */
static const char *curve_label(const struct st_picture *p, const struct curve *curve)
{
    const struct weft_type *type = &p->schema->types[curve->row->type];
    bool sum = is_sum(curve->row);
    if (curve->damaged)
        return "";
    if (!weft_role_is(type->role, WEFT_ROLE_PROCESSOR_TIME) && !sum)
        return weft_arena_printf(
            p->arena, "max %s",
            weft_number_text(p->arena, curve->high, st_value_decimals(curve->high)));
    double left = st_x(p, p->shown.begin) - p->frame.plot.x;
    double right = st_x(p, p->shown.end) - p->frame.plot.x, total = 0;
    size_t from = (size_t)fmax(0, left), n = 0;
    size_t to = (size_t)fmin(ceil(fmax(0, right)), (double)p->columns);
    for (size_t c = from; c < to; c++)
        if (!isnan(curve->columns[c].mean)) {
            total += (double)curve->columns[c].mean;
            n++;
        }
    if (!n)
        return "";
    double mean = total / (double)n;
    return sum ? weft_arena_printf(
               p->arena, "sum, on average %s",
               weft_number_text(p->arena, mean, st_value_decimals(mean)))
               : weft_arena_printf(p->arena, "mean %.0f %%", 100 * mean);
}

/*
 * Adjacent columns with values: the line of their means, and the outline of the area below
 * their maxima (from [1] on; [0] and the last close it).
 */
struct column_run {
    struct weft_point *mean, *area;
    struct weft_point *least; /* of several members; or NULL */
    size_t n;
};

/* Draws the run, and the area below it as one shape: single columns would show seams. */
static void draw_run(struct st_picture *p, struct column_run *run, weft_color line,
                     double zero)
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
    if (run->least)
        weft_scene_polyline(
            p->scene, run->least, n,
            (struct weft_paint){ .stroke = line, .stroke_width = 0.75f, .dash = 2 });
}

/* Writes a curve's label on a background; it ends at RIGHT, on this line. */
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
    if (p->schema->dimmed && p->schema->dimmed[row->tracks[0]] == WEFT_DIMS_ALL)
        line = st_pale(p, line);
    struct column_run run = {
        weft_arena_alloc(p->arena, 2 * p->columns * sizeof *run.mean),
        weft_arena_alloc(p->arena, (2 * p->columns + 2) * sizeof *run.area), NULL, 0
    };
    if (row->n_tracks > 1 && row->reduction && !row->reduction->sums)
        run.least = weft_arena_alloc(p->arena, 2 * p->columns * sizeof *run.least);
    double zero = base - (0 - low) * per;
    for (size_t c = 0; c <= p->columns; c++) {
        if (c == p->columns || isnan(curve[c].mean)) {
            draw_run(p, &run, line, zero);
            continue;
        }
        double x = plot.x + (double)c, mean = base - ((double)curve[c].mean - low) * per;
        double most_here = base - ((double)curve[c].max - low) * per;
        double least = base - ((double)curve[c].min - low) * per;
        for (int side = 0; side < 2; side++) {
            if (run.least)
                run.least[run.n] = (struct weft_point){ x + side, least };
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
    find_damaged(p, curves, n);
    /* All curves of a type have one scale, so that they can be compared; sums another. */
    for (size_t i = 0; i < n; i++) {
        double low = 0, high = 0;
        for (size_t j = 0; j < n; j++)
            if (curves[j].row->type == curves[i].row->type
                && is_sum(curves[j].row) == is_sum(curves[i].row)) {
                low = fmin(low, curves[j].low);
                high = fmax(high, curves[j].high);
            }
        /* A share of a processor always has a scale from 0 to at least 1. */
        if (weft_role_is(p->schema->types[curves[i].row->type].role,
                         WEFT_ROLE_PROCESSOR_TIME))
            high = fmax(high, 1);
        draw_curve(p, &curves[i], low, high);
    }
}
