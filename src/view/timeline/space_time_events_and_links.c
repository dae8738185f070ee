/* SPDX-License-Identifier: Apache-2.0 */
/* Draws events and links of the space-time view. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/timeline/space_time.h"

enum { CELL = 3, MAX_ARROWHEADS = 400, LINKS_PER_PIXEL = 2, MANY = 1000 /* links */ };

/* ---- Events ---- */

struct event_walk {
    struct st_picture *p;
    const struct st_row *row;
    double y, size, last_x;
    size_t drawn, in_column;
};

/* Returns the sign of an event: that of a filter for its value, or a diamond. */
static enum weft_glyph glyph_of(const struct st_picture *p, uint32_t value)
{
    static const enum weft_glyph glyphs[] = {
        [WEFT_SHAPE_USUAL] = WEFT_GLYPH_DIAMOND,
        [WEFT_SHAPE_DIAMOND] = WEFT_GLYPH_DIAMOND,
        [WEFT_SHAPE_CIRCLE] = WEFT_GLYPH_CIRCLE,
        [WEFT_SHAPE_TRIANGLE] = WEFT_GLYPH_TRIANGLE,
        [WEFT_SHAPE_SQUARE] = WEFT_GLYPH_SQUARE,
        [WEFT_SHAPE_CROSS] = WEFT_GLYPH_CROSS,
        [WEFT_SHAPE_LINE] = WEFT_GLYPH_TICK,
    };
    return glyphs[value == WEFT_NONE ? WEFT_SHAPE_USUAL : p->schema->values[value].shape];
}

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
    weft_color edge = p->request->theme->name == WEFT_THEME_MONO ? p->request->theme->text
                                                                 : p->request->theme->panel;
    if (event->flags & WEFT_DIMMED) {
        color = st_pale(p, color);
        edge = st_pale(p, edge);
    }
    struct weft_mark *mark = weft_scene_glyph(
        p->scene, glyph_of(p, event->value), (struct weft_point){ x, walk->y }, walk->size,
        0, (struct weft_paint){ .fill = color, .stroke = edge, .stroke_width = 0.75f });
    if (!mark)
        return true;
    mark->id = event->id;
    char time[WEFT_TIME_TEXT];
    weft_mark_title(
        p->scene, mark, "%s · %s · %s",
        event->value == WEFT_NONE ? "event" : p->schema->values[event->value].name,
        p->schema->containers[st_owner(p, walk->row, event->id)].name,
        weft_duration_text(p->schema, event->time - p->schema->span.begin, time));
    return true;
}

/* For more events than pixels: the number in each column, as bars. */
struct event_count {
    const struct st_picture *p;
    uint32_t *counts, *dimmed; /* [columns]: of all, and of those that a filter dims */
};

static bool count_event(void *user, const struct weft_event *event)
{
    struct event_count *count = user;
    double x = st_x(count->p, event->time) - count->p->frame.plot.x;
    if (x >= 0 && x < (double)count->p->columns) {
        count->counts[(size_t)x]++;
        count->dimmed[(size_t)x] += (event->flags & WEFT_DIMMED) != 0;
    }
    return true;
}

/* Fills a bar from TOP to BOTTOM in one column of pixels; an edge within a pixel covers
   part of it. */
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
 * Draws the bars as a raster, in the row's band of HEIGHT at TOP: a mark for each bar would
 * be a hundred thousand marks.
 */
static void draw_event_bars(struct st_picture *p, const struct event_count *of, double top,
                            double height)
{
    const struct event_count count = *of;
    uint32_t most = 1;
    for (size_t c = 0; c < p->columns; c++)
        most = count.counts[c] > most ? count.counts[c] : most;
    double from = floor(top), bottom = top + height - from;
    size_t lines = (size_t)ceil(bottom);
    uint32_t *pixels = weft_arena_zalloc(p->arena, lines * p->columns + 1, sizeof *pixels);
    for (size_t c = 0; c < p->columns; c++) {
        uint32_t lit = count.counts[c] - count.dimmed[c];
        double size = fmin(bottom, fmax(1.5, height * count.counts[c] / most));
        double bright = fmin(bottom, fmax(1.5, height * lit / most));
        if (count.dimmed[c])
            fill_bar(pixels + c, p->columns, bottom - size, bottom,
                     st_pale(p, p->request->theme->text));
        if (lit)
            fill_bar(pixels + c, p->columns, bottom - bright, bottom,
                     p->request->theme->text);
    }
    weft_scene_raster(
        p->scene,
        (struct weft_rect){ p->frame.plot.x, from, (double)p->columns, (double)lines },
        &(struct weft_raster){ (uint32_t)p->columns, (uint32_t)lines, pixels });
}

/*
 * Draws the events of tracks in a band of a row: marks, or bars of all of them together
 * where they are dense.
 */
static void draw_events(struct st_picture *p, const struct st_row *row,
                        const uint32_t *tracks, uint32_t n_tracks, double top,
                        double height)
{
    struct event_count count = { p, NULL, NULL };
    for (uint32_t t = 0; t < n_tracks && !weft_job_cancelled(p->request->job); t++) {
        if (p->source->ops->density(p->source, tracks[t], p->window) <= p->columns / 3) {
            struct event_walk walk = {
                p, row, top + height / 2, fmin(9, height), -1e9, 0, 0
            };
            p->source->ops->events(p->source, tracks[t], p->window, draw_event, &walk);
            continue;
        }
        if (!count.counts) {
            count.counts =
                weft_arena_zalloc(p->arena, 2 * p->columns + 1, sizeof *count.counts);
            count.dimmed = count.counts + p->columns;
        }
        p->source->ops->events(p->source, tracks[t], p->window, count_event, &count);
    }
    if (count.counts)
        draw_event_bars(p, &count, top, height);
}

void st_paint_events(struct st_picture *p)
{
    for (size_t i = 0; i < p->rows.n; i++) {
        const struct st_row *row = &p->rows.list[i];
        double top = p->frame.plot.y + row->y, height = row->height - 1;
        if (!st_is_shown(p, row) || height < 4 || weft_job_cancelled(p->request->job))
            continue;
        if (row->kind == ST_EVENTS)
            draw_events(p, row, row->tracks, row->n_tracks, top, height);
        /* On top of states: at the lower edge, so that the states stay readable. */
        draw_events(p, row, row->events, row->n_events, top + height * 0.6, height * 0.4);
    }
}

/* ---- Links ---- */

struct link_walk {
    struct st_picture *p;
    size_t shown, drawn, columns, lines;
    size_t enough;     /* stop counting here */
    uint32_t *density; /* [lines][columns] cells; NULL: links are drawn one by one */
    uint32_t *dimmed;  /* the same, of links that a filter dims */
    bool heads;
};

/*
 * Returns the row itself, or below a row with only a name the first row of states of what
 * its container holds.
 */
static uint32_t row_below(const struct st_picture *p, uint32_t row)
{
    const struct st_row *of = &p->rows.list[row];
    return of->kind == ST_HEADER && of->states_below != WEFT_NONE ? of->states_below : row;
}

uint32_t st_row_of_end(const struct st_picture *p, uint32_t container, uint64_t entity)
{
    uint32_t row = WEFT_NONE;
    if (entity != WEFT_NO_ID && weft_entity_track(entity) < p->schema->n_tracks)
        row = p->row_of_track[weft_entity_track(entity)];
    if (row == WEFT_NONE) {
        row = p->rows.row_of[container];
        row = row == WEFT_NONE ? row : row_below(p, row);
    }
    return row;
}

bool st_link_row(const struct st_picture *p, uint32_t container, uint64_t entity, double *y)
{
    uint32_t row = st_row_of_end(p, container, entity);
    if (row == WEFT_NONE || !st_is_shown(p, &p->rows.list[row]))
        return false;
    *y = p->frame.plot.y + p->rows.list[row].y + p->rows.list[row].height / 2;
    return true;
}

static bool link_ends(const struct st_picture *p, const struct weft_link *link,
                      struct st_line *line)
{
    *line = (struct st_line){ .link = link, .bytes = -1 };
    if (link->from == WEFT_NONE || link->to == WEFT_NONE
        || !st_link_row(p, link->from, link->from_entity, &line->a.y)
        || !st_link_row(p, link->to, link->to_entity, &line->b.y))
        return false;
    line->a.x = st_x(p, link->begin);
    line->b.x = st_x(p, link->end);
    return true;
}

static bool count_line(void *user, const struct st_line *line)
{
    struct link_walk *walk = user;
    (void)line;
    walk->shown++;
    return walk->shown < walk->enough && !weft_job_cancelled(walk->p->request->job);
}

static bool count_link(void *user, const struct weft_link *link)
{
    struct link_walk *walk = user;
    struct st_line line;
    if (!st_link_is_summed(walk->p, link) && link_ends(walk->p, link, &line))
        return count_line(walk, &line);
    return !weft_job_cancelled(walk->p->request->job);
}

/* Sets the title of a line's mark. */
static void title_line(struct st_picture *p, struct weft_mark *mark,
                       const struct st_line *line)
{
    const struct weft_link *link = line->link;
    const char *type = p->schema->types[link->type].name;
    const char *value = link->value == WEFT_NONE ? "" : p->schema->values[link->value].name;
    char length[WEFT_TIME_TEXT];
    weft_duration_text(p->schema, link->end - link->begin, length);
    if (line->part == ST_LINK)
        weft_mark_title(p->scene, mark, "%s%s%s · %s → %s · %s%s", type,
                        value[0] ? " " : "", value, p->schema->containers[link->from].name,
                        p->schema->containers[link->to].name, length,
                        link->flags & WEFT_INFERRED ? " (concluded)" : "");
    else
        weft_mark_title(p->scene, mark, "%s%s%s · %s · %s", type, value[0] ? " " : "",
                        value, p->schema->containers[link->from].name, length);
}

/* Returns the paint of a line, after WALK has counted the lines. */
static struct weft_paint line_paint(struct link_walk *walk, const struct st_line *line)
{
    struct st_picture *p = walk->p;
    const struct weft_link *link = line->link;
    /* Many links lie behind the states, and have a quieter colour. */
    bool many = walk->shown > ST_MAX_LINKS_IN_FRONT;
    weft_color color = many ? p->request->theme->quiet : p->request->theme->text;
    uint32_t given = link->value != WEFT_NONE ? p->schema->values[link->value].color : 0;
    if (!given)
        given = p->schema->types[link->type].color;
    given = line->part == ST_LINK ? weft_given_color(p->request->theme, given) : 0;
    color = given ? given : color;
    weft_color code = p->layers ? p->layers->color(p, line) : 0;
    color = code ? code : color;
    /* The more links, the more transparent, so that rows below them stay visible. */
    uint32_t alpha = code                 ? 0xe0
                     : walk->shown > MANY ? 0x40
                     : walk->shown > 200  ? 0x66
                                          : 0x99;
    if (link->flags & WEFT_DIMMED)
        alpha /= 4;
    bool dashed = link->flags & WEFT_INFERRED || line->part == ST_STAR_LINE;
    return (struct weft_paint){ .stroke = (color & 0xffffffu) | alpha << 24,
                                .stroke_width = 1,
                                .dash = dashed ? 3 : 0 };
}

static void draw_arrow(struct link_walk *walk, const struct st_line *line)
{
    enum { CENTRE = 7 }; /* pixels: of a star */
    struct st_picture *p = walk->p;
    struct weft_point a = line->a, b = line->b;
    struct weft_paint paint = line_paint(walk, line);
    struct weft_mark *mark;
    if (line->part == ST_STAR_CENTRE) {
        mark = weft_scene_glyph(p->scene, WEFT_GLYPH_DIAMOND, b, CENTRE, 0,
                                (struct weft_paint){ .fill = p->request->theme->text,
                                                     .stroke = p->request->theme->panel,
                                                     .stroke_width = 0.75f });
    } else if (a.y == b.y && b.x - a.x < 1) {
        return; /* from a row to itself, within a pixel */
    } else {
        mark = weft_scene_line(p->scene, a, b, paint);
    }
    if (!mark)
        return;
    mark->id = line->link->id;
    title_line(p, mark, line);
    if (walk->heads && line->part == ST_LINK)
        weft_scene_glyph(p->scene, WEFT_GLYPH_ARROWHEAD, b, 5, atan2(b.y - a.y, b.x - a.x),
                         (struct weft_paint){ .fill = paint.stroke });
}

/*
 * Finds the part of a line, from 0 to 1, that lies within the plot's width; false if none
 * does.
 */
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

/*
 * Counts the line in every cell that it crosses, stepping in fixed point with 32 fraction
 * bits.
 */
static void count_cells(struct link_walk *walk, uint32_t *cells, struct weft_point a,
                        struct weft_point b)
{
    enum { MAX_STEPS = 4096, FRACTION = 32 /* bits */ };
    const double unit = 0x1p32;
    struct weft_rect plot = walk->p->frame.plot;
    double x0 = (a.x - plot.x) / CELL, y0 = (a.y - plot.y) / CELL;
    double dx = (b.x - a.x) / CELL, dy = (b.y - a.y) / CELL, from, to;
    if (!isfinite(dx) || !isfinite(dy)
        || !clip_line(x0, dx, (double)walk->columns, &from, &to))
        return;
    double width = fabs(dx), height = fabs(dy), part = to - from;
    double length = (width > height ? width : height) * part;
    size_t steps = length < MAX_STEPS ? (size_t)length + 1 : MAX_STEPS, last = SIZE_MAX;
    double scale = unit * part / (double)steps;
    int64_t x = (int64_t)((x0 + from * dx) * unit), y = (int64_t)((y0 + from * dy) * unit);
    int64_t step_x = (int64_t)(dx * scale), step_y = (int64_t)(dy * scale);
    for (size_t i = 0; i <= steps; i++, x += step_x, y += step_y) {
        uint64_t column = (uint64_t)x >> FRACTION, line = (uint64_t)y >> FRACTION;
        if (column >= walk->columns || line >= walk->lines) /* also true when below 0 */
            continue;
        size_t cell = line * walk->columns + column;
        cells[cell] += cell != last;
        last = cell;
    }
}

static bool draw_line(void *user, const struct st_line *line)
{
    struct link_walk *walk = user;
    walk->drawn++;
    bool dimmed = line->link && line->link->flags & WEFT_DIMMED;
    if (walk->density)
        count_cells(walk, dimmed ? walk->dimmed : walk->density, line->a, line->b);
    else
        draw_arrow(walk, line);
    return !weft_job_cancelled(walk->p->request->job);
}

static bool draw_link(void *user, const struct weft_link *link)
{
    struct link_walk *walk = user;
    struct st_line line;
    if (!st_link_is_summed(walk->p, link) && link_ends(walk->p, link, &line))
        return draw_line(walk, &line);
    return !weft_job_cancelled(walk->p->request->job);
}

/* Draws a link that is alone in its sum, also beside a density of others. */
static bool draw_single(void *user, const struct weft_link *link)
{
    struct link_walk *walk = user;
    struct st_line line;
    if (link_ends(walk->p, link, &line))
        draw_arrow(walk, &line);
    return true;
}

static void draw_density(struct link_walk *walk)
{
    struct st_picture *p = walk->p;
    uint32_t most = 1, *density = walk->density, *dimmed = walk->dimmed;
    for (size_t i = 0; i < walk->columns * walk->lines; i++) {
        most = density[i] > most ? density[i] : most;
        most = dimmed[i] > most ? dimmed[i] : most;
    }
    weft_color ink = p->request->theme->text & 0xffffffu;
    double scale = 1 / log1p(most);
    for (size_t i = 0; i < walk->columns * walk->lines; i++)
        if (density[i] || dimmed[i]) {
            double part = log1p(density[i] ? density[i] : dimmed[i]) * scale;
            uint32_t alpha = (uint32_t)(30 + 170 * part) / (density[i] ? 1 : 4);
            density[i] = alpha << 24 | ink;
        }
    struct weft_raster raster = { (uint32_t)walk->columns, (uint32_t)walk->lines,
                                  walk->density };
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
    size_t n_others = 1;
    if (st_sum_links(p, &n_others))
        walk.shown = st_link_sums_count(p->link_sums);
    walk.enough += walk.shown;
    if (n_others)
        each_link(&walk, count_link);
    p->only_sums = !n_others;
    if (p->layers)
        p->layers->each_line(p, count_line, &walk);
    p->links = walk.shown;
}

void st_paint_links(struct st_picture *p, const char *mode)
{
    struct link_walk walk = { .p = p, .shown = p->links, .enough = SIZE_MAX };
    if (!walk.shown)
        return;
    size_t sums = p->link_sums ? st_link_sums_count(p->link_sums) : 0;
    bool density =
        strcmp(mode, "density") == 0
        || (strcmp(mode, "auto") == 0 && walk.shown - sums > LINKS_PER_PIXEL * p->columns);
    walk.heads = walk.shown <= MAX_ARROWHEADS;
    if (density) {
        walk.columns = p->columns / CELL + 1;
        walk.lines = (size_t)p->rows.height / CELL + 1;
        walk.density =
            weft_arena_zalloc(p->arena, walk.columns * walk.lines, sizeof *walk.density);
        walk.dimmed =
            weft_arena_zalloc(p->arena, walk.columns * walk.lines, sizeof *walk.dimmed);
    }
    if (!p->only_sums)
        each_link(&walk, draw_link);
    if (p->layers)
        p->layers->each_line(p, draw_line, &walk);
    if (density && walk.drawn) {
        draw_density(&walk);
        p->density_links = walk.drawn;
    }
    if (p->link_sums)
        st_paint_link_sums(p, draw_single, &walk);
}
