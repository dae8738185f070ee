/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws the places: grey rings, sectors where sizes are times, a polygon or line for each
 * family, dots for the nodes; or the bars of an icicle; and the marked node.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domains/trees/view/reduction_tree.h"
#include "store/time.h"

enum {
    /* Most marks with a text for pointing; beyond, the page asks for the text. */
    MAX_TITLES = 2000,
    MAX_CORNERS = 4096, /* most corners of a polygon: more cannot be told apart on one
                            screen */
    MANY_CHILDREN = 24, /* with more children a polygon is a wide fan, drawn transparent */
};

/* ---- Colours ---- */

/* Returns a colour of VISTA's spectrum, from blue over green, yellow and red to magenta. */
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

void rt_choose_ramp(struct rt_picture *p)
{
    const struct weft_theme *grey = weft_theme_get(WEFT_THEME_GREY);
    p->ramp = weft_arena_alloc(p->arena, RT_RAMP * sizeof *p->ramp);
    weft_hue_ramp(p->request->theme, p->ramp, RT_RAMP);
    for (int i = 0; i < RT_RAMP; i++) {
        double amount = (double)i / (RT_RAMP - 1);
        if (p->color == RT_BY_WAITING)
            p->ramp[i] = weft_ramp(p->request->theme, 0.3 + 0.7 * amount);
        else if (p->spectrum)
            p->ramp[i] = spectrum(amount);
        else if (p->color == RT_BY_PE_AND_TIME)
            /* Hues are for PEs, so time has lightness. */
            p->ramp[i] = weft_ramp(grey, p->request->theme->dark ? 1 - 0.8 * amount
                                                                 : 0.1 + 0.9 * amount);
    }
}

weft_color rt_time_color(const struct rt_picture *p, double amount)
{
    int step = (int)(amount * (RT_RAMP - 1) + 0.5);
    return p->ramp[step < 0 ? 0 : step < RT_RAMP ? step : RT_RAMP - 1];
}

/*
 * Returns the part of the subtree's time that has passed at a node; for the other run, the
 * part of the run's time.
 */
static double time_amount(const struct rt_picture *p, const struct rt_look *look,
                          uint32_t node)
{
    struct weft_span span = look->schema->span;
    if (look == &p->look)
        span = (struct weft_span){ look->spread->first, look->spread->last };
    double length = (double)(span.end - span.begin);
    return length > 0 ? (double)(look->tree->time[node] - span.begin) / length : 0;
}

/*
 * Returns the colour of a node's waiting time, on a logarithmic scale that ends at the
 * longest wait and begins at a thousandth of it.
 */
static weft_color waiting_color(const struct rt_picture *p, const struct rt_look *look,
                                uint32_t node)
{
    const struct tree_waits *waits = look->waits;
    if (!waits || waits->ticks[node] <= 0)
        return p->request->theme->grid;
    double part = (double)waits->ticks[node] / (double)waits->most;
    return rt_time_color(p, fmax(0, 1 + log10(part) / RT_WAIT_DECADES));
}

static bool in_window(const struct rt_picture *p, uint32_t node)
{
    int64_t time = p->look.tree->time[node];
    return time >= p->request->window.begin && time <= p->request->window.end;
}

/*
 * Returns a node's swatch in the colours of one of the runs, without ink: few marks have
 * text, and choosing its colour takes long.
 */
static struct weft_swatch look_swatch(const struct rt_picture *p,
                                      const struct rt_look *look, uint32_t node,
                                      enum rt_color color)
{
    const struct weft_tree *tree = look->tree;
    const struct weft_tree_label *label = &tree->labels[tree->label[node]];
    const struct weft_theme *theme = p->request->theme;
    struct weft_swatch swatch = { .fill = theme->quiet };
    if (color == RT_BY_WAITING) {
        swatch.fill = waiting_color(p, look, node);
    } else if (color == RT_BY_TIME) {
        swatch.fill = rt_time_color(p, time_amount(p, look, node));
    } else if (tree->ordinal[node] == WEFT_NONE) {
        ; /* a thread or the added root: it has neither PE nor procedure */
    } else if (color == RT_BY_PROCEDURE) {
        if (label->value != WEFT_NONE)
            swatch = look->by_value[label->value];
    } else {
        swatch = look->by_pe[tree->pe[node]];
    }
    return swatch;
}

/* Returns the part of a run's order or time that has passed at a node: 0 to 1. */
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

/* Returns a node's swatch in the other run: its colour there, or that of the difference. */
static struct weft_swatch other_swatch(const struct rt_picture *p, uint32_t node,
                                       enum rt_color color)
{
    const struct weft_theme *theme = p->request->theme;
    uint32_t same = p->match[node];
    weft_color fill = theme->grid;
    if (same == WEFT_NONE)
        return (struct weft_swatch){ .fill = theme->panel, .hatch = WEFT_HATCH_DIAGONAL };
    if (p->difference == RT_OWN)
        return look_swatch(p, p->other, same, color);
    if (p->difference != RT_IN_PE)
        fill = weft_two_sided(theme, 2
                                         * (part_of(p->other, same, p->difference)
                                            - part_of(&p->look, node, p->difference)));
    else if (p->look.tree->pe[node] != p->other->tree->pe[same])
        return p->other->by_pe[p->other->tree->pe[same]];
    return (struct weft_swatch){ .fill = fill };
}

static struct weft_swatch swatch_by(const struct rt_picture *p, uint32_t node,
                                    enum rt_color color)
{
    if (p->difference != RT_SAME)
        return other_swatch(p, node, color);
    bool lit = !p->found || p->found[p->look.tree->label[node]];
    if (lit && in_window(p, node))
        return look_swatch(p, &p->look, node, color);
    return (struct weft_swatch){ .fill = p->request->theme->grid };
}

struct weft_swatch rt_swatch(const struct rt_picture *p, uint32_t node)
{
    return swatch_by(p, node, p->color);
}

struct weft_swatch rt_family_swatch(const struct rt_picture *p, uint32_t node)
{
    return swatch_by(p, node, p->color == RT_BY_PE_AND_TIME ? RT_BY_TIME : p->color);
}

/*
 * Returns text on where and when a node ran in the other run; empty without a comparison.
 */
static const char *other_text(const struct rt_picture *p, uint32_t node)
{
    char time[WEFT_TIME_TEXT];
    if (!p->match)
        return "";
    uint32_t same = p->match[node];
    if (same == WEFT_NONE)
        return " · not in the second run";
    const struct weft_tree *tree = p->other->tree;
    const struct weft_schema *schema = p->other->schema;
    return weft_arena_printf(
        p->arena, " · second run: %s at %s",
        weft_name_cut(tree->pes[tree->pe[same]].name, p->arena),
        weft_duration_text(schema, tree->time[same] - schema->span.begin, time));
}

const char *rt_node_text(const struct rt_picture *p, const struct rt_place *place)
{
    const struct weft_tree *tree = p->look.tree;
    const struct weft_tree_label *label = &tree->labels[tree->label[place->node]];
    char time[WEFT_TIME_TEXT], clause[32] = "";
    const char *hidden = "", *pe = "";
    if (label->clause)
        snprintf(clause, sizeof clause, " · clause %u", label->clause);
    if (place->hidden)
        hidden = weft_arena_printf(p->arena, " · %s more below are too small to see",
                                   weft_number_text(p->arena, (double)place->hidden, 0));
    if (tree->ordinal[place->node] != WEFT_NONE)
        pe = weft_arena_printf(
            p->arena, " · %s, %u",
            weft_name_cut(tree->pes[tree->pe[place->node]].name, p->arena),
            weft_tree_index(tree, place->node));
    weft_duration_text(p->look.schema, tree->time[place->node] - p->look.schema->span.begin,
                       time);
    const char *times = "";
    if (place->times > 1)
        times = weft_arena_printf(p->arena, " ×%s (the first of them",
                                  weft_number_text(p->arena, place->times, 0));
    return weft_arena_printf(p->arena, "%s%s%s%s · at %s%s%s%s",
                             weft_name_cut(label->name, p->arena), times, clause, pe, time,
                             *times ? ")" : "", hidden, other_text(p, place->node));
}

static void tell(struct rt_picture *p, struct weft_mark *mark, const struct rt_place *place)
{
    if (!mark)
        return;
    mark->id = weft_tree_id(p->look.tree, place->node);
    if (place->times > 1 || (place->links && place->folded))
        mark->action = (struct weft_action){ WEFT_ACTION_TOGGLE, "opened",
                                             weft_tree_id(p->look.tree,
                                                          p->places[place->chain].node) };
    if (p->n_places <= MAX_TITLES)
        mark->title = rt_node_text(p, place);
}

/* ---- Rings ---- */

/* Circles a few pixels apart would look like a grey plane. */
uint32_t rt_next_circle(const struct rt_picture *p, uint32_t ring)
{
    const double apart = 9;
    uint32_t n = p->look.layout->rings.n, next = ring + 1;
    while (next < n && p->reach[next] - p->reach[ring] < apart)
        next++;
    return next;
}

/* Sets the least and the greatest distance of the plot's points from the root. */
static void reach_of_plot(const struct rt_picture *p, double *nearest, double *farthest)
{
    struct weft_rect r = p->plot;
    double dx = fmax(fmax(r.x - p->root.x, p->root.x - r.x - r.width), 0);
    double dy = fmax(fmax(r.y - p->root.y, p->root.y - r.y - r.height), 0);
    *nearest = hypot(dx, dy);
    *farthest = hypot(fmax(fabs(r.x - p->root.x), fabs(r.x + r.width - p->root.x)),
                      fmax(fabs(r.y - p->root.y), fabs(r.y + r.height - p->root.y)));
}

/*
 * Sets the range of angles in which a root outside of the plot sees it; the full circle if
 * the root is inside.
 */
static void angles_of_plot(const struct rt_picture *p, double *from, double *size)
{
    struct weft_rect r = p->plot;
    double middle = atan2(r.y + r.height / 2 - p->root.y, r.x + r.width / 2 - p->root.x);
    double most = 0;
    *from = 0;
    *size = 2 * M_PI;
    if (p->root.x > r.x && p->root.x < r.x + r.width && p->root.y > r.y
        && p->root.y < r.y + r.height)
        return;
    for (int corner = 0; corner < 4; corner++) {
        double angle = atan2(r.y + (corner / 2) * r.height - p->root.y,
                             r.x + (corner % 2) * r.width - p->root.x);
        most = fmax(most, fabs(remainder(angle - middle, 2 * M_PI)));
    }
    *from = middle - most;
    *size = 2 * most;
}

/* Draws an arc as a polyline that is off by at most a quarter of a pixel. */
static void draw_arc(struct rt_picture *p, double radius, double from, double size,
                     struct weft_paint paint)
{
    enum { MAX_POINTS = 2048 };
    struct weft_point points[MAX_POINTS + 1];
    double corners = ceil(size * 0.71 * sqrt(radius)) + 2;
    int n = corners < MAX_POINTS ? (int)corners : MAX_POINTS;
    for (int i = 0; i <= n; i++) {
        double angle = from + size * i / n;
        points[i] = (struct weft_point){ p->root.x + radius * cos(angle),
                                         p->root.y + radius * sin(angle) };
    }
    weft_scene_polyline(p->scene, points, (size_t)n + 1, paint);
}

static void draw_rings(struct rt_picture *p)
{
    const struct weft_theme *theme = p->request->theme;
    const struct weft_paint paint = { .stroke = theme->grid, .stroke_width = 1 };
    uint32_t n = p->look.layout->rings.n;
    double nearest, farthest, from, size;
    if (!p->rings || p->layout == RT_ICICLE)
        return;
    weft_scene_layer(p->scene, "rings", p->plot, WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    reach_of_plot(p, &nearest, &farthest);
    angles_of_plot(p, &from, &size);
    for (uint32_t ring = rt_next_circle(p, 0); ring < n; ring = rt_next_circle(p, ring)) {
        double radius = p->reach[ring];
        if (p->layout != RT_RADIAL)
            weft_scene_line(
                p->scene, (struct weft_point){ p->plot.x, p->root.y + radius },
                (struct weft_point){ p->plot.x + p->plot.width, p->root.y + radius },
                paint);
        else if (radius > nearest && radius < farthest)
            draw_arc(p, radius, from, size, paint);
    }
}

/* ---- Families ---- */

/*
 * Returns true if a colour may be as pale as the ground, since it means that little or
 * nothing differs.
 */
static bool may_be_pale(const struct rt_picture *p, weft_color fill)
{
    return p->difference == RT_IN_ORDER || p->difference == RT_IN_TIME
           || (p->difference == RT_IN_PE && fill == p->request->theme->grid);
}

/* Returns the colour of the edge of a fill: darker on light ground, lighter on dark. */
static weft_color edge_color(const struct rt_picture *p, weft_color fill)
{
    const float part = 0.55f;
    return weft_mix(&fill, &part, 1, p->request->theme->text);
}

/*
 * Draws the line to a single child in black and white, where a line has no colour: a band
 * with the legend's hatch if there is room, else dashes.
 */
static struct weft_mark *draw_band(struct rt_picture *p, const struct rt_place *from,
                                   const struct rt_place *to, enum weft_hatch hatch)
{
    static const float dashes[] = { 0, 6, 3, 1.5f };
    const double widest = 8, least = 4; /* pixels: a narrower band shows no hatch */
    struct weft_paint paint = { .fill = p->request->theme->panel,
                                .stroke = p->request->theme->text,
                                .stroke_width = 0.7f,
                                .hatch = hatch };
    double room = 2 * rt_pixels(p, from->ring, to->sector.size) / 3;
    double length = hypot(to->at.x - from->at.x, to->at.y - from->at.y);
    if (room < least || length < least) {
        paint.dash = dashes[hatch % 4];
        paint.stroke_width = hatch >= 4 ? 2 : 1;
        return weft_scene_line(p->scene, from->at, to->at, paint);
    }
    double half = fmin(room, widest) / 2 / length;
    double x = (to->at.y - from->at.y) * half, y = (from->at.x - to->at.x) * half;
    const struct weft_point corners[] = { { from->at.x + x, from->at.y + y },
                                          { to->at.x + x, to->at.y + y },
                                          { to->at.x - x, to->at.y - y },
                                          { from->at.x - x, from->at.y - y } };
    return weft_scene_polygon(p->scene, corners, 4, paint);
}

static void draw_family(struct rt_picture *p, const struct rt_place *place)
{
    struct weft_point corners[MAX_CORNERS];
    struct weft_swatch swatch = rt_family_swatch(p, place->node);
    bool wide = rt_step(p, place->ring) >= 10;
    struct weft_paint paint = { .stroke = swatch.fill,
                                .stroke_width = wide ? 1.5f : 1.0f,
                                .hatch = WEFT_HATCH_NONE };
    /* White shapes on white need an edge. */
    if (p->request->theme->name == WEFT_THEME_MONO) {
        paint.stroke = p->request->theme->text;
        paint.hatch = wide ? swatch.hatch : WEFT_HATCH_NONE;
    }
    bool edged = may_be_pale(p, swatch.fill);
    if (edged && p->request->theme->name != WEFT_THEME_MONO)
        paint.stroke = edge_color(p, swatch.fill);
    const struct rt_place *children = p->places + place->first;
    size_t n = place->n < MAX_CORNERS - 1 ? place->n : MAX_CORNERS - 1;
    struct weft_mark *mark;
    if (n == 0)
        return;
    if (n == 1 && p->request->theme->name == WEFT_THEME_MONO) {
        mark = draw_band(p, place, &children[0], swatch.hatch);
    } else if (n == 1) {
        mark = weft_scene_line(p->scene, place->at, children[0].at, paint);
    } else {
        bool pale = wide && p->request->theme->name != WEFT_THEME_MONO && !edged;
        paint.fill = pale ? (swatch.fill & 0xffffffu) | 0x90000000u : swatch.fill;
        /* An opaque fan would hide what is behind it. */
        if (n > MANY_CHILDREN && !paint.hatch)
            paint.fill = (swatch.fill & 0xffffffu) | 0x38000000u;
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
    if (may_be_pale(p, swatch.fill))
        paint.fill = edge_color(p, swatch.fill);
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
    weft_scene_layer(p->scene, "families", p->plot, moves);
    for (size_t i = 0; i < p->n_places; i++)
        draw_family(p, &p->places[i]);
    weft_scene_layer(p->scene, "nodes", p->plot, moves);
    for (size_t i = 0; i < p->n_places; i++) {
        const struct rt_place *place = &p->places[i];
        double room = rt_pixels(p, place->ring, place->sector.size);
        double size = fmin(fmax(rt_step(p, place->ring) * 0.42, 1.5), 9);
        /*
         * A polygon shows its parent, too; leaves and corners of another colour need dots.
         */
        if (place->n == 0 || size >= 5 || p->color == RT_BY_PE_AND_TIME || place->ring == 0)
            draw_dot(p, place, fmax(fmin(size, fmax(room, 1)), 1));
    }
}

static void draw_icicle(struct rt_picture *p)
{
    weft_scene_layer(p->scene, "nodes", p->plot, WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    for (size_t i = 0; i < p->n_places; i++) {
        const struct rt_place *place = &p->places[i];
        struct weft_swatch swatch = rt_family_swatch(p, place->node);
        double width = place->sector.size * p->width, gap = width > 4 ? 1 : 0;
        double step = rt_step(p, place->ring), line = step > 4 ? 1 : 0;
        struct weft_mark *mark = weft_scene_rect(
            p->scene,
            (struct weft_rect){ place->at.x, place->at.y, width - gap, step - line },
            (struct weft_paint){ .fill = swatch.fill,
                                 .stroke = p->request->theme->text,
                                 .stroke_width =
                                     p->request->theme->name == WEFT_THEME_MONO ? 0.5f : 0,
                                 .hatch = swatch.hatch });
        tell(p, mark, place);
        if (p->color == RT_BY_PE_AND_TIME && step >= 6) {
            swatch = rt_swatch(p, place->node);
            weft_scene_rect(p->scene,
                            (struct weft_rect){ place->at.x, place->at.y, width - gap,
                                                fmin(4, step / 3) },
                            (struct weft_paint){ .fill = swatch.fill });
        }
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
                                                place->sector.size * p->width,
                                                rt_step(p, place->ring) },
                            paint);
        else
            weft_scene_glyph(p->scene, WEFT_GLYPH_CIRCLE, place->at, 14, 0, paint);
        return;
    }
}

/*
 * Draws the sectors where sizes are times: a leaf that took most of the run would else be a
 * dot.
 */
static void draw_sectors(struct rt_picture *p)
{
    const double least = 2; /* pixels: a narrower sector is a line */
    if (p->layout != RT_RADIAL || p->look.layout->how.size != WEFT_TREE_SIZE_SUMS)
        return;
    weft_scene_layer(p->scene, "sectors", p->plot, WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    for (size_t i = 0; i < p->n_places; i++) {
        const struct rt_place *place = &p->places[i];
        if (!place->ring || 2 * M_PI * p->reach[place->ring] * place->sector.size < least)
            continue;
        weft_color fill = rt_flat_color(rt_family_swatch(p, place->node));
        struct weft_mark *mark = weft_scene_sector(
            p->scene, p->root, p->reach[place->ring - 1], p->reach[place->ring],
            2 * M_PI * place->sector.from, 2 * M_PI * place->sector.size,
            (struct weft_paint){ .fill = (fill & 0xffffffu) | 0x38000000u,
                                 .stroke = p->request->theme->panel,
                                 .stroke_width = 1 });
        tell(p, mark, place);
    }
}

void rt_draw(struct rt_picture *p)
{
    draw_sectors(p);
    draw_rings(p);
    rt_draw_shades(p);
    if (p->layout == RT_ICICLE)
        draw_icicle(p);
    else
        draw_nodes(p);
    rt_draw_names(p);
    draw_marked(p);
}
