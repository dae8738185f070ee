/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drawing the places: grey rings, a polygon or line for each family, dots for the nodes, pale
 * sectors for what is too small to see, names where there is room.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "store/time.h"
#include "view/reduction_tree.h"

enum { MOST_TITLES = 3000, MOST_LABELS = 400, CELL = 4, MOST_CORNERS = 4096 };

/* ---- Colours ---- */

/* VISTA's spectrum: from blue over green, yellow and red to magenta. */
static weft_color spectrum(double amount)
{
    double hue = 240 - 300 * amount;
    double sixth = (hue < 0 ? hue + 360 : hue) / 60;
    int part = (int)sixth;
    double up = sixth - part;
    unsigned rise = (unsigned)(255 * up + 0.5), fall = 255 - rise;
    switch (part) {
    case 0: return 0xffff0000u | rise << 8;
    case 1: return 0xff00ff00u | fall << 16;
    case 2: return 0xff00ff00u | rise;
    case 3: return 0xff0000ffu | fall << 8;
    case 4: return 0xff0000ffu | rise << 16;
    default: return 0xffff0000u | fall;
    }
}

weft_color rt_time_color(const struct rt_picture *p, double amount)
{
    if (p->spectrum)
        return spectrum(amount);
    /* The ramp's first steps are for backgrounds: here each amount must be seen. */
    return weft_ramp(p->request->theme, 0.16 + 0.84 * amount);
}

/* Within the subtree that is shown; of the other run: within the whole of it. */
static double time_amount(const struct rt_picture *p, const struct rt_look *look,
                          uint32_t node)
{
    struct weft_span span = look->schema->span;
    if (look == &p->look)
        span = (struct weft_span){ look->laid->layout->first, look->laid->layout->last };
    double length = (double)(span.end - span.begin);
    return length > 0 ? (double)(look->tree->time[node] - span.begin) / length : 0;
}

static bool in_window(const struct rt_picture *p, uint32_t node)
{
    int64_t time = p->look.tree->time[node];
    return time >= p->request->window.begin && time <= p->request->window.end;
}

/* In the colours of one of the runs. */
static struct weft_swatch look_swatch(const struct rt_picture *p,
                                      const struct rt_look *look, uint32_t node,
                                      enum rt_color color)
{
    const struct weft_tree *tree = look->tree;
    const struct weft_tree_label *label = &tree->labels[tree->label[node]];
    const struct weft_theme *theme = p->request->theme;
    struct weft_swatch swatch = { theme->quiet, weft_ink(theme->quiet), WEFT_HATCH_NONE };
    if (color == RT_BY_TIME) {
        swatch.fill = rt_time_color(p, time_amount(p, look, node));
        swatch.ink = weft_ink(swatch.fill);
    } else if (tree->ordinal[node] == WEFT_NONE) {
        ; /* a thread, or all of them: no PE, no procedure */
    } else if (color == RT_BY_PROCEDURE) {
        if (label->value != WEFT_NONE)
            swatch = look->by_value[label->value];
    } else {
        swatch = look->by_pe[tree->pe[node]];
    }
    return swatch;
}

/* The part of a run's order, or of its time, that has passed at a node. */
static double part_of(const struct rt_look *look, uint32_t node, enum rt_difference in)
{
    const struct weft_tree *tree = look->tree;
    struct weft_span span = look->schema->span;
    if (in == RT_IN_ORDER)
        return tree->n > 1 ? (double)tree->record[node] / tree->n : 0;
    return span.end > span.begin
               ? (double)(tree->time[node] - span.begin) / (double)(span.end - span.begin)
               : 0;
}

/* Of a node in the other run: its colour there, or where it differs from this one's. */
static struct weft_swatch other_swatch(const struct rt_picture *p, uint32_t node,
                                       enum rt_color color)
{
    const struct weft_theme *theme = p->request->theme;
    uint32_t same = p->match[node];
    weft_color fill = theme->grid;
    if (same == WEFT_NONE)
        return (struct weft_swatch){ theme->panel, theme->text, WEFT_HATCH_DIAGONAL };
    if (p->difference == RT_OWN)
        return look_swatch(p, p->other, same, color);
    if (p->difference != RT_IN_PE)
        fill = weft_two_sided(theme, 2
                                         * (part_of(p->other, same, p->difference)
                                            - part_of(&p->look, node, p->difference)));
    else if (p->look.tree->pe[node] != p->other->tree->pe[same])
        return p->other->by_pe[p->other->tree->pe[same]];
    return (struct weft_swatch){ fill, weft_ink(fill), WEFT_HATCH_NONE };
}

static struct weft_swatch swatch_by(const struct rt_picture *p, uint32_t node,
                                    enum rt_color color)
{
    if (p->difference != RT_SAME)
        return other_swatch(p, node, color);
    if (in_window(p, node))
        return look_swatch(p, &p->look, node, color);
    return (struct weft_swatch){ p->request->theme->grid, p->request->theme->text,
                                 WEFT_HATCH_NONE };
}

struct weft_swatch rt_swatch(const struct rt_picture *p, uint32_t node)
{
    return swatch_by(p, node, p->color);
}

/* Of the polygon or line of a node and its children. */
static struct weft_swatch family_swatch(const struct rt_picture *p, uint32_t node)
{
    return swatch_by(p, node, p->color == RT_BY_PE_AND_TIME ? RT_BY_TIME : p->color);
}

const char *rt_node_text(const struct rt_picture *p, const struct rt_place *place)
{
    const struct weft_tree *tree = p->look.tree;
    const struct weft_tree_label *label = &tree->labels[tree->label[place->node]];
    char time[WEFT_TIME_TEXT];
    const char *clause = "", *hidden = "", *pe = "";
    if (label->clause)
        clause = weft_arena_printf(p->arena, " · clause %u", label->clause);
    if (place->hidden)
        hidden = weft_arena_printf(p->arena, " · %s more below are too small to see",
                                   weft_number_text(p->arena, (double)place->hidden, 0));
    if (tree->ordinal[place->node] != WEFT_NONE)
        pe = weft_arena_printf(p->arena, " · %s, %u", tree->pes[tree->pe[place->node]].name,
                               weft_tree_index(tree, place->node));
    weft_duration_text(p->look.schema, tree->time[place->node] - p->look.schema->span.begin,
                       time);
    return weft_arena_printf(p->arena, "%s%s%s · at %s%s", label->name, clause, pe, time,
                             hidden);
}

static void tell(struct rt_picture *p, struct weft_mark *mark, const struct rt_place *place)
{
    if (!mark)
        return;
    mark->id = weft_tree_id(p->look.tree, place->node);
    if (p->n_places <= MOST_TITLES)
        mark->title = rt_node_text(p, place);
}

/* ---- Rings ---- */

/* Closer together than some pixels, circles would be a grey plane. */
uint32_t rt_ring_step(const struct rt_picture *p)
{
    static const uint32_t rounds[] = { 1, 2, 5 };
    uint32_t each = 1;
    for (uint32_t ten = 1, i = 0; each * p->step < 9 && ten < 100000000; i++) {
        each = ten * rounds[i % 3];
        ten *= i % 3 == 2 ? 10 : 1;
    }
    return each;
}

static void draw_rings(struct rt_picture *p)
{
    const struct weft_theme *theme = p->request->theme;
    const struct weft_paint paint = { .stroke = theme->grid, .stroke_width = 1 };
    uint32_t n = p->look.laid->layout->rings.n;
    if (!p->rings || p->layout == RT_ICICLE)
        return;
    uint32_t each = rt_ring_step(p);
    weft_scene_layer(p->scene, "rings", p->plot, WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    for (uint32_t ring = each; ring < n; ring += each) {
        double radius = ring * p->step;
        if (p->layout == RT_RADIAL)
            weft_scene_sector(p->scene, p->root, radius, radius, 0, 2 * M_PI, paint);
        else
            weft_scene_line(
                p->scene, (struct weft_point){ p->plot.x, p->root.y + radius },
                (struct weft_point){ p->plot.x + p->plot.width, p->root.y + radius },
                paint);
    }
}

/* ---- What is too small ---- */

static void draw_gaps(struct rt_picture *p)
{
    const struct weft_theme *theme = p->request->theme;
    const struct weft_paint paint = { .fill = (theme->quiet & 0xffffffu) | 0x38000000u };
    weft_scene_layer(p->scene, "condensed", p->plot,
                     WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    for (size_t i = 0; i < p->n_places; i++) {
        const struct rt_place *place = &p->places[i];
        for (uint32_t g = 0; g < place->n_gaps; g++) {
            const struct rt_gap *gap = &p->gaps[place->first_gap + g];
            double pixels = rt_pixels(p, place->ring, gap->sector.size);
            struct weft_mark *mark;
            if (pixels < 0.7)
                continue; /* its parent still carries the count */
            struct weft_point a = rt_point_at(p, place->ring, gap->sector.from);
            if (p->layout == RT_RADIAL)
                mark = weft_scene_sector(
                    p->scene, p->root, place->ring * p->step, (place->ring + 1) * p->step,
                    2 * M_PI * gap->sector.from, 2 * M_PI * gap->sector.size, paint);
            else
                mark = weft_scene_rect(
                    p->scene,
                    (struct weft_rect){ a.x, a.y + (p->layout == RT_ICICLE) * p->step,
                                        gap->sector.size * p->width, p->step },
                    paint);
            if (mark && p->n_places <= MOST_TITLES)
                weft_mark_title(p->scene, mark, "%s nodes, each below a pixel",
                                weft_number_text(p->arena, (double)gap->count, 0));
        }
    }
}

/* ---- Families ---- */

static void draw_family(struct rt_picture *p, const struct rt_place *place)
{
    struct weft_point corners[MOST_CORNERS];
    struct weft_swatch swatch = family_swatch(p, place->node);
    bool wide = p->step >= 10;
    struct weft_paint paint = { .stroke = swatch.fill,
                                .stroke_width = wide ? 1.5f : 1.0f,
                                .hatch = WEFT_HATCH_NONE };
    if (p->request->theme->name == WEFT_THEME_MONO) { /* white on white needs its edge */
        paint.stroke = p->request->theme->text;
        paint.hatch = wide ? swatch.hatch : WEFT_HATCH_NONE;
    }
    const struct rt_place *children = p->places + place->first;
    size_t n = place->n < MOST_CORNERS - 1 ? place->n : MOST_CORNERS - 1;
    struct weft_mark *mark;
    if (n == 0)
        return;
    if (n == 1) {
        mark = weft_scene_line(p->scene, place->at, children[0].at, paint);
    } else {
        paint.fill =
            wide && !paint.hatch ? (swatch.fill & 0xffffffu) | 0x90000000u : swatch.fill;
        corners[0] = place->at;
        for (size_t i = 0; i < n; i++)
            corners[i + 1] = children[i].at;
        mark = weft_scene_polygon(p->scene, corners, n + 1, paint);
    }
    tell(p, mark, place);
}

static void draw_dot(struct rt_picture *p, const struct rt_place *place, double size)
{
    struct weft_swatch swatch = rt_swatch(p, place->node);
    struct weft_paint paint = { .fill = swatch.fill };
    struct weft_mark *mark;
    if (size < 3)
        mark = weft_scene_rect(p->scene,
                               (struct weft_rect){ place->at.x - size / 2,
                                                   place->at.y - size / 2, size, size },
                               paint);
    else {
        bool mono = p->request->theme->name == WEFT_THEME_MONO;
        paint.stroke = mono        ? p->request->theme->text
                       : size >= 6 ? p->request->theme->panel
                                   : 0;
        paint.stroke_width = 1;
        mark = weft_scene_glyph(p->scene, WEFT_GLYPH_CIRCLE, place->at, size, 0, paint);
    }
    tell(p, mark, place);
}

static void draw_nodes(struct rt_picture *p)
{
    unsigned moves = WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y;
    double size = fmin(fmax(p->step * 0.42, 1.5), 9);
    weft_scene_layer(p->scene, "families", p->plot, moves);
    for (size_t i = 0; i < p->n_places; i++)
        draw_family(p, &p->places[i]);
    weft_scene_layer(p->scene, "nodes", p->plot, moves);
    for (size_t i = 0; i < p->n_places; i++) {
        const struct rt_place *place = &p->places[i];
        double room = rt_pixels(p, place->ring, place->sector.size);
        /* A family shows its parent too; leaves, and corners of another colour, need dots. */
        if (place->n == 0 || size >= 5 || p->color == RT_BY_PE_AND_TIME || place->ring == 0)
            draw_dot(p, place, fmax(fmin(size, fmax(room, 1)), 1));
    }
}

static void draw_icicle(struct rt_picture *p)
{
    weft_scene_layer(p->scene, "nodes", p->plot, WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    for (size_t i = 0; i < p->n_places; i++) {
        const struct rt_place *place = &p->places[i];
        struct weft_swatch swatch = family_swatch(p, place->node);
        double width = place->sector.size * p->width, gap = width > 4 ? 1 : 0;
        double line = p->step > 4 ? 1 : 0;
        struct weft_mark *mark = weft_scene_rect(
            p->scene,
            (struct weft_rect){ place->at.x, place->at.y, width - gap, p->step - line },
            (struct weft_paint){ .fill = swatch.fill,
                                 .stroke = p->request->theme->text,
                                 .stroke_width =
                                     p->request->theme->name == WEFT_THEME_MONO ? 0.5f : 0,
                                 .hatch = swatch.hatch });
        tell(p, mark, place);
        if (p->color == RT_BY_PE_AND_TIME && p->step >= 6) {
            swatch = rt_swatch(p, place->node);
            weft_scene_rect(p->scene,
                            (struct weft_rect){ place->at.x, place->at.y, width - gap,
                                                fmin(4, p->step / 3) },
                            (struct weft_paint){ .fill = swatch.fill });
        }
    }
}

/* ---- Names ---- */

struct grid { /* which cells of the plot have text on them */
    uint8_t *cells;
    size_t columns, rows;
    struct weft_rect plot;
};

static bool is_free(struct grid *grid, struct weft_rect box, bool take)
{
    double left = box.x - grid->plot.x, top = box.y - grid->plot.y;
    if (left < 0 || top < 0 || left + box.width > grid->plot.width
        || top + box.height > grid->plot.height)
        return false;
    for (size_t y = (size_t)top / CELL; y <= (size_t)(top + box.height) / CELL; y++)
        for (size_t x = (size_t)left / CELL; x <= (size_t)(left + box.width) / CELL; x++) {
            if (grid->cells[y * grid->columns + x])
                return false;
        }
    for (size_t y = (size_t)top / CELL; take && y <= (size_t)(top + box.height) / CELL; y++)
        for (size_t x = (size_t)left / CELL; x <= (size_t)(left + box.width) / CELL; x++)
            grid->cells[y * grid->columns + x] = 1;
    return true;
}

/*
 * Where a name may stand: across the direction of the tree's lines, so beside a node that is
 * above or below the root, and above or below one that is beside it.
 */
static struct weft_point label_spot(const struct rt_picture *p, struct weft_point at,
                                    double width, int which)
{
    double x = at.x - p->root.x, y = at.y - p->root.y;
    bool beside = p->layout == RT_TOP_DOWN || fabs(x) < 2 * fabs(y) || (x == 0 && y == 0);
    bool right = x >= 0;
    if (which >= 2)
        beside = !beside;
    if (which & 1)
        right = !right;
    if (beside)
        return (struct weft_point){ right ? at.x + 8 : at.x - 8 - width, at.y - 6 };
    return (struct weft_point){ at.x - width / 2, right ? at.y - 20 : at.y + 8 };
}

static bool label_node(struct rt_picture *p, struct grid *grid,
                       const struct rt_place *place)
{
    const struct weft_tree *tree = p->look.tree;
    const char *name = tree->labels[tree->label[place->node]].name;
    const double size = WEFT_SMALL_SIZE;
    double width = weft_text_width(WEFT_FONT_SANS, size, name);
    for (int which = 0; which < 4; which++) {
        struct weft_point spot = label_spot(p, place->at, width, which);
        if (!is_free(grid, (struct weft_rect){ spot.x, spot.y, width, 12 }, true))
            continue;
        weft_scene_text(p->scene, (struct weft_point){ spot.x, spot.y + 10 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, size, p->request->theme->text,
                        name);
        return true;
    }
    return false;
}

static void label_bar(struct rt_picture *p, const struct rt_place *place)
{
    const struct weft_tree *tree = p->look.tree;
    double left = fmax(place->at.x, p->plot.x);
    double right =
        fmin(place->at.x + place->sector.size * p->width, p->plot.x + p->plot.width);
    if (p->step < 14 || right - left < 30)
        return;
    const char *name =
        weft_text_fit(p->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                      tree->labels[tree->label[place->node]].name, right - left - 8);
    if (name)
        weft_scene_text(p->scene,
                        (struct weft_point){ left + 4, place->at.y + p->step / 2 + 4 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        family_swatch(p, place->node).ink, name);
}

static void draw_labels(struct rt_picture *p)
{
    size_t most = MOST_LABELS;
    if (!p->labels || (p->layout != RT_ICICLE && p->step < 18))
        return;
    weft_scene_layer(p->scene, "names", p->plot, WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    struct grid grid = { .columns = (size_t)(p->plot.width / CELL) + 2,
                         .rows = (size_t)(p->plot.height / CELL) + 2,
                         .plot = p->plot };
    grid.cells = weft_arena_zalloc(p->arena, grid.columns * grid.rows, 1);
    /* Names keep off the nodes. */
    for (size_t i = 0; p->layout != RT_ICICLE && i < p->n_places; i++)
        is_free(&grid,
                (struct weft_rect){ p->places[i].at.x - 3, p->places[i].at.y - 3, 5, 5 },
                true);
    for (size_t i = 0; i < p->n_places && most; i++) {
        const struct rt_place *place = &p->places[i];
        if (p->layout == RT_ICICLE)
            label_bar(p, place);
        else if (rt_pixels(p, place->ring, place->sector.size) >= 14 || place->ring == 0)
            most -= label_node(p, &grid, place);
    }
}

/* ---- The marked node ---- */

static void draw_marked(struct rt_picture *p)
{
    if (p->marked == WEFT_NONE)
        return;
    for (size_t i = 0; i < p->n_places; i++) {
        const struct rt_place *place = &p->places[i];
        if (place->node != p->marked)
            continue;
        struct weft_paint paint = { .stroke = p->request->theme->accent,
                                    .stroke_width = 2 };
        weft_scene_layer(p->scene, "marked", p->plot,
                         WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
        if (p->layout == RT_ICICLE)
            weft_scene_rect(p->scene,
                            (struct weft_rect){ place->at.x, place->at.y,
                                                place->sector.size * p->width, p->step },
                            paint);
        else
            weft_scene_glyph(p->scene, WEFT_GLYPH_CIRCLE, place->at, 14, 0, paint);
        return;
    }
}

void rt_draw(struct rt_picture *p)
{
    draw_rings(p);
    draw_gaps(p);
    if (p->layout == RT_ICICLE)
        draw_icicle(p);
    else
        draw_nodes(p);
    draw_labels(p);
    draw_marked(p);
}
