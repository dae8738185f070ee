/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of states.  A state at least a pixel wide is a rectangle; where states are denser
 * than pixels, each pixel column shows the shares of time of its values, stacked if the row
 * is tall enough, else mixed in linear light.  Both come from queries whose cost depends on
 * the pixels, not on the trace's length; rows are painted in parallel.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/call_stack_profile.h"
#include "base/parallel.h"
#include "store/time.h"
#include "view/timeline/space_time_painter.h"

enum {
    LANE = 4, /* least height of lanes for nested states */
    MAX_TITLES = 2000,
    MIN_LANE = 10,          /* lower ones have no names in them */
    SHORTEST_NAME = 11,     /* bytes, with the dots: what a shortened name must keep */
    SHORTEST_FUNCTION = 16, /* likewise, of a function's name */
    MAX_GAP = 3,            /* pixels between bars of one stretch */
    MIN_FUNCTION = 60,      /* pixels of a bar in which a thread's function is named */
    MIN_PIXELS = 2,         /* a change, on average; denser rows are drawn as shares */
};

struct row_walk {
    const struct st_picture *p;
    const struct st_row *row;
    struct row_result *result;
    uint8_t *dense; /* by column: 0, or a mark of states narrower than a pixel */
    size_t n_dense;
};

static bool add_state(void *user, const struct weft_state *state)
{
    struct row_walk *walk = user;
    const struct st_picture *p = walk->p;
    struct weft_rect plot = p->frame.plot;
    double x0 = st_x(p, state->begin), x1 = st_x(p, state->end);
    if (x1 - x0 < 1) {
        double first = fmax(0, x0 - plot.x),
               last = fmin(x1 - plot.x, (double)p->columns - 1);
        uint32_t rank = p->schema->values[state->value].rank;
        uint32_t slot = rank < WEFT_MAX_SLOTS ? rank : WEFT_MAX_SLOTS - 1;
        uint32_t base = state->flags & WEFT_DIMMED ? DENSE_PALE : DENSE_SLOT;
        uint8_t mark = state->end > state->begin ? (uint8_t)(base + slot) : DENSE_EMPTY;
        for (size_t c = (size_t)first; (double)c <= last; c++) {
            walk->n_dense += !walk->dense[c];
            walk->dense[c] = walk->dense[c] > mark ? walk->dense[c] : mark;
        }
        return true;
    }
    struct row_result *result = walk->result;
    result->pieces =
        weft_grow(result->pieces, &result->capacity, result->n + 1, sizeof *result->pieces);
    result->pieces[result->n++] = (struct state_bar){ state->id,
                                                      state->begin,
                                                      state->end,
                                                      fmax(x0, plot.x),
                                                      fmin(x1, plot.x + plot.width),
                                                      state->value,
                                                      state->depth,
                                                      state->flags };
    return true;
}

/* Below a row's bars a pixel stays free; if links pass behind, more. */
double st_bar_height(const struct st_picture *p, const struct st_row *row)
{
    enum { MIN_WITH_MARGIN = 14, MAX_MARGIN = 16 }; /* pixels */
    if (row->height < 6)
        return row->height;
    if (!p->links_behind || row->height < MIN_WITH_MARGIN)
        return row->height - 1;
    return row->height - fmin(MAX_MARGIN, row->height / 4);
}

/*
 * Returns the lines of pixels that a row reaches: at least one, all within the painter's.
 */
static struct lines lines_of(const struct painter *painter, const struct st_row *row)
{
    double height = (double)painter->height,
           gap = row->height - st_bar_height(painter->p, row);
    size_t top = (size_t)fmin(fmax(0, round(row->y)), height),
           bottom = (size_t)fmin(fmax(0, round(row->y + row->height - gap)), height);
    if (bottom > top)
        return (struct lines){ top, bottom };
    /*
     * A row that begins in the last half pixel shares the last line with those before it.
     */
    top = top < painter->height ? top : painter->height - 1;
    return (struct lines){ top, top + 1 };
}

static bool is_painted(const struct st_picture *p, const struct st_row *row)
{
    return row->kind == ST_STATES && row->y >= 0 && row->y < p->frame.plot.height;
}

/*
 * Gives each line of pixels to the first row that reaches it: rows thinner than a pixel
 * share lines, and rows are painted in parallel.
 */
static void share_out_lines(struct painter *painter)
{
    const struct st_rows *rows = &painter->p->rows;
    size_t taken = 0;
    painter->lines = weft_arena_zalloc(painter->p->arena, rows->n, sizeof *painter->lines);
    for (size_t i = 0; i < rows->n; i++) {
        if (!is_painted(painter->p, &rows->list[i]))
            continue;
        struct lines lines = lines_of(painter, &rows->list[i]);
        lines.top = lines.top > taken ? lines.top : taken;
        if (lines.top >= lines.bottom)
            continue;
        painter->lines[i] = lines;
        taken = lines.bottom;
    }
}

static void paint_row(void *user, size_t index)
{
    struct painter *painter = user;
    struct st_picture *p = painter->p;
    const struct st_row *row = &p->rows.list[index];
    struct lines lines = painter->lines[index];
    if (lines.top == lines.bottom || weft_job_cancelled(p->request->job))
        return;
    if (st_is_shaded(p, row)) {
        st_paint_shades(painter, row);
        return;
    }
    uint64_t changes = 0;
    for (uint32_t t = 0; t < row->n_tracks; t++)
        changes += p->source->ops->density(p->source, row->tracks[t], p->window);
    bool shares =
        st_row_lanes(row) > 1 || row->height < STACKED || changes * MIN_PIXELS > p->columns;
    if (shares) {
        enum weft_theme_name theme = p->request->theme->name;
        bool hueless = theme == WEFT_THEME_MONO || theme == WEFT_THEME_GREY;
        bool plain = st_row_lanes(row) == 1 && p->color == ST_BY_VALUE && row->height >= 6;
        st_paint_shares(painter, row, NULL,
                        hueless && plain ? &painter->results[index] : NULL);
        return;
    }
    struct row_walk walk = { p, row, &painter->results[index],
                             weft_zalloc(p->columns + 1, 1), 0 };
    for (uint32_t t = 0; t < row->n_tracks; t++)
        p->source->ops->states(p->source, row->tracks[t], p->window, add_state, &walk);
    if (walk.n_dense)
        st_paint_shares(painter, row, walk.dense, NULL);
    free(walk.dense);
}

static weft_color seam(const struct st_picture *p)
{
    const struct weft_theme *theme = p->request->theme;
    return theme->name == WEFT_THEME_MONO ? theme->text
                                          : (theme->panel & 0xffffffu) | 0x60000000u;
}

/*
 * Finds the place of a state in its row: nested ones have lanes of their own if there is
 * room.
 */
static void lane_of(const struct st_picture *p, const struct st_row *row,
                    const struct state_bar *bar, double *y, double *height)
{
    *height = fmin(row->height - 1, st_bar_height(p, row));
    *y = p->frame.plot.y + row->y;
    if (!bar->whole && row->max_depth > 1 && *height / row->max_depth >= LANE) {
        *height /= row->max_depth;
        *y += *height * bar->depth;
    }
}

static bool runs(const struct st_picture *p, const struct state_bar *bar)
{
    return bar->id != WEFT_NO_ID && bar->depth == 0
           && weft_role_is(p->schema->values[bar->value].role, WEFT_ROLE_RUNNING);
}

/*
 * Finds the functions of a row's stretches of running that are long enough for a name.  A
 * thread that loses its processor for a moment goes on with the same stretch.
 */
static void find_functions(const struct st_picture *p, const struct st_row *row,
                           struct row_result *result)
{
    for (size_t i = 0, next; row->n_tracks == 1 && i < result->n; i = next) {
        struct state_bar *first = &result->pieces[i], *last = first;
        next = i + 1;
        if (!runs(p, first))
            continue;
        while (next < result->n && runs(p, last + 1) && last[1].x0 - last->x1 <= MAX_GAP) {
            last++;
            next++;
        }
        if (last->x1 - first->x0 < MIN_FUNCTION)
            continue;
        struct st_function function = st_function_of(
            p, row->container, (struct weft_span){ first->begin, last->end });
        for (struct state_bar *bar = first; function.name && bar <= last; bar++) {
            bar->function = function;
            bar->stretch = bar == first ? last->x1 - first->x0 : 0;
        }
    }
}

/* A state as a rectangle. */
static void draw_piece(struct st_picture *p, const struct st_row *row,
                       const struct state_bar *bar, bool titled)
{
    double lane, y;
    lane_of(p, row, bar, &y, &lane);
    struct weft_swatch swatch =
        st_swatch(p, bar->value, row->container, bar->end - bar->begin);
    struct weft_paint paint = { .fill = swatch.fill, .hatch = swatch.hatch };
    double width = bar->x1 - bar->x0;
    if (bar->flags & WEFT_END_IMPLIED) {
        paint.hatch = WEFT_HATCH_CROSS;
        p->endless |= width > 4;
    }
    bool dimmed = bar->flags & WEFT_DIMMED;
    if (dimmed)
        paint = (struct weft_paint){ .fill = st_pale(p, swatch.tone) };
    if (width > 4 && row->height >= 6) {
        paint.stroke = dimmed ? st_pale(p, p->request->theme->text) : seam(p);
        paint.stroke_width = 1;
    } else {
        /* Without an outline white would be a gap, and one line of a hatch says nothing. */
        paint.fill = dimmed ? paint.fill : swatch.tone;
        if (width <= 4)
            paint.hatch = WEFT_HATCH_NONE;
    }
    struct weft_mark *mark =
        weft_scene_rect(p->scene, (struct weft_rect){ bar->x0, y, width, lane }, paint);
    if (!mark)
        return;
    mark->id = bar->id;
    const char *value = p->schema->values[bar->value].name;
    if (titled && bar->id != WEFT_NO_ID) {
        char length[WEFT_TIME_TEXT], begin[WEFT_TIME_TEXT];
        weft_mark_title(
            p->scene, mark, "%s · %s%s · %s · begins %s%s", value,
            weft_duration_text(p->schema, bar->end - bar->begin, length),
            bar->flags & WEFT_END_IMPLIED ? " (no end in the trace)" : "",
            p->schema->containers[st_owner(p, row, bar->id)].name,
            weft_duration_text(p->schema, bar->begin - p->schema->span.begin, begin),
            st_function_text(p, &bar->function));
    }
}

/* Returns NAME, maybe shortened, but no stump such as "bl...ex"; NULL if it has no room. */
static const char *fit(const struct st_picture *p, const char *name, double width,
                       size_t shortest)
{
    const char *label =
        name ? weft_text_fit(p->arena, WEFT_FONT_SANS, 11, name, width - 8) : NULL;
    return label && (strcmp(label, name) == 0 || strlen(label) >= shortest) ? label : NULL;
}

/* Draws the name of a state, or of the function that was executed, if there is room. */
static void draw_name(struct st_picture *p, const struct st_row *row,
                      const struct state_bar *bar)
{
    double lane, y;
    lane_of(p, row, bar, &y, &lane);
    double left = fmax(bar->x0, st_x(p, p->shown.begin));
    double right = bar->function.name ? bar->x0 + bar->stretch : bar->x1;
    double width = fmin(right, st_x(p, p->shown.end)) - left;
    if (lane < MIN_LANE || width < 34)
        return;
    /* A lock's idle state needs no name. */
    if (row->secondary && weft_value_order(p->schema, bar->value))
        return;
    const char *label = fit(p, bar->function.name, width, SHORTEST_FUNCTION);
    if (!label)
        label = fit(p, p->schema->values[bar->value].name, width, SHORTEST_NAME);
    if (!label)
        return;
    struct weft_swatch swatch =
        st_swatch(p, bar->value, row->container, bar->end - bar->begin);
    /*
     * Letters and the lines of a hatch have the same colour: put the name on a background.
     */
    bool dimmed = bar->flags & WEFT_DIMMED;
    if (p->request->theme->name == WEFT_THEME_MONO && swatch.hatch != WEFT_HATCH_NONE
        && !dimmed)
        weft_scene_rect(p->scene,
                        (struct weft_rect){ left + 2, y + lane / 2 - 6,
                                            weft_text_width(WEFT_FONT_SANS, 11, label) + 4,
                                            12 },
                        (struct weft_paint){ .fill = swatch.fill });
    weft_scene_text(p->scene, (struct weft_point){ left + 4, y + lane / 2 + 4 },
                    WEFT_ANCHOR_START, WEFT_FONT_SANS, 11,
                    dimmed ? p->request->theme->quiet : swatch.ink, label);
}

void st_paint_states(struct st_picture *p)
{
    struct painter painter = { .p = p };
    painter.height = (size_t)fmax(1, ceil(p->rows.height));
    painter.results = weft_arena_zalloc(p->arena, p->rows.n, sizeof *painter.results);
    painter.painted = weft_arena_zalloc(p->arena, p->rows.n, sizeof *painter.painted);
    st_load_slots(&painter);
    share_out_lines(&painter);
    weft_parallel(p->rows.n, p->rows.n > 256 ? 8 : 1, paint_row, &painter);
    st_draw_painted(p, &painter);
    size_t n = 0;
    bool has_samples = weft_has_samples(p->schema);
    for (size_t i = 0; i < p->rows.n; i++)
        n += painter.results[i].n;
    for (size_t i = 0; i < p->rows.n; i++) {
        if (has_samples)
            find_functions(p, &p->rows.list[i], &painter.results[i]);
        for (size_t j = 0; j < painter.results[i].n; j++)
            draw_piece(p, &p->rows.list[i], &painter.results[i].pieces[j], n <= MAX_TITLES);
    }
    for (size_t i = 0; i < p->rows.n; i++) {
        for (size_t j = 0; j < painter.results[i].n; j++)
            draw_name(p, &p->rows.list[i], &painter.results[i].pieces[j]);
        free(painter.results[i].pieces);
    }
}
