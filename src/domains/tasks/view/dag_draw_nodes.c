/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the visible part of a DAG: open boxes, nodes, and the facts pinned to some. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "domains/tasks/view/dag_picture_priv.h"
#include "view/axis_ticks.h"

enum {
    MAX_TITLES =
        2500, /* marks with a tooltip in the scene; the page requests those of others */
    CORNER_STEPS = 4, /* line segments of a round corner, minus one */
    TAG_LINE = 15,    /* pixels */
    MAX_TAGS = 200,
};

struct weft_mark *dag_round_box(struct weft_scene *scene, struct weft_rect box,
                                double corner, struct weft_paint paint)
{
    struct weft_point points[4 * CORNER_STEPS];
    corner = fmin(corner, fmin(box.width, box.height) / 2);
    if (corner < 1.5)
        return weft_scene_rect(scene, box, paint);
    for (int c = 0; c < 4; c++) {
        double x = c == 0 || c == 3 ? box.x + corner : box.x + box.width - corner;
        double y = c < 2 ? box.y + corner : box.y + box.height - corner;
        for (int i = 0; i < CORNER_STEPS; i++) {
            double angle = M_PI + M_PI_2 * (c + i / (CORNER_STEPS - 1.0));
            points[c * CORNER_STEPS + i] =
                (struct weft_point){ x + corner * cos(angle), y + corner * sin(angle) };
        }
    }
    return weft_scene_polygon(scene, points, 4 * CORNER_STEPS, paint);
}

/* ---- What a click does ---- */

static bool is_open_by_depth(const struct dag_picture *p, const struct dag_place *place)
{
    return p->depth == WEFT_DAG_ALL || place->depth < p->depth;
}

/* The setting that changes if the node is opened or closed by a click. */
static const char *toggled_set(const struct dag_picture *p, const struct dag_place *place)
{
    return is_open_by_depth(p, place) ? "closed" : "opened";
}

static void tell(struct dag_picture *p, struct weft_mark *mark,
                 const struct dag_place *place, const struct weft_dag_node *all)
{
    struct weft_action open = { 0 }, tag = { WEFT_ACTION_TOGGLE, "tags",
                                             weft_dag_layout_id(place->child.node) };
    if (!mark)
        return;
    mark->id = weft_dag_mark_id(p->dag, place->child.node);
    if (place->child.kind >= WEFT_DAG_LEAF_KINDS && place->child.n)
        open = (struct weft_action){ WEFT_ACTION_TOGGLE, toggled_set(p, place),
                                     weft_dag_layout_id(place->child.node) };
    mark->action = p->click_opens && open.kind ? open : tag;
    mark->twice = p->click_opens && open.kind ? tag : open;
    if (p->n_places <= MAX_TITLES)
        mark->title = dag_title(p, place->child.node, all);
}

/* ---- Boxes and nodes ---- */

static double corner_of(const struct dag_picture *p)
{
    return fmin(0.35 * fmin(p->across, p->down), 10);
}

static void draw_open_box(struct dag_picture *p, const struct dag_place *place)
{
    const struct weft_theme *theme = p->request->theme;
    struct weft_dag_node all;
    bool is_task = place->child.kind == WEFT_DAG_TASK;
    const float part = theme->dark ? 0.006f : 0.035f;
    struct weft_paint paint = { .stroke = theme->grid, .stroke_width = 1 };
    if (fmin(place->box.width, place->box.height) < 8)
        return;
    /* Tasks are tinted and sections outlined, so that nested boxes can be told apart. */
    if (is_task && theme->name != WEFT_THEME_MONO)
        paint.fill = weft_mix(&theme->text, &part, 1, theme->panel);
    else if (theme->name == WEFT_THEME_MONO)
        paint.stroke = theme->quiet;
    if (!is_task)
        paint.dash = 3;
    weft_dag_node(p->dag, place->child.node, &all);
    tell(p, dag_round_box(p->scene, place->box, 1.4 * corner_of(p), paint), place, &all);
}

/* The shape of a node: as large as its room allows, never stretched. */
static struct weft_rect shape_of(const struct dag_picture *p, const struct dag_place *place)
{
    struct weft_rect box = place->box;
    double side = fmin(p->across, p->down) * p->radius;
    double width = p->style.scale == WEFT_DAG_ROUND ? side : p->across * p->radius;
    double height = p->style.scale == WEFT_DAG_ROUND ? side : box.height;
    if (place->child.open && !place->entered) /* too small to enter: fills all its room */
        return box;
    return (struct weft_rect){ place->at.x - width / 2, box.y + (box.height - height) / 2,
                               width, height };
}

static void draw_node(struct dag_picture *p, const struct dag_place *place)
{
    const struct weft_theme *theme = p->request->theme;
    struct weft_rect shape = shape_of(p, place);
    struct weft_dag_node all;
    const char *label;
    struct weft_mark *mark;
    bool is_leaf = place->child.kind < WEFT_DAG_LEAF_KINDS;
    bool mono = theme->name == WEFT_THEME_MONO;
    weft_dag_node(p->dag, place->child.node, &all);
    struct weft_swatch swatch = dag_swatch(p, &all, &label);
    double side = fmin(shape.width, shape.height);
    struct weft_paint paint = { .fill = swatch.fill,
                                .hatch = side >= 5 ? swatch.hatch : WEFT_HATCH_NONE };
    if (mono || (!is_leaf && side >= 6)) {
        const float part = 0.5f;
        paint.stroke = mono ? theme->text : weft_mix(&swatch.fill, &part, 1, theme->text);
        paint.stroke_width = !is_leaf && side >= 10 ? 1.5f : 0.7f;
    }
    if (side < 3) { /* at least visible */
        double width = fmax(shape.width, 1), height = fmax(shape.height, 1);
        mark = weft_scene_rect(
            p->scene,
            (struct weft_rect){ shape.x - (width - shape.width) / 2,
                                shape.y - (height - shape.height) / 2, width, height },
            (struct weft_paint){ .fill = mono ? theme->text : swatch.fill });
    } else if (is_leaf && p->style.scale == WEFT_DAG_ROUND)
        mark = weft_scene_glyph(
            p->scene, WEFT_GLYPH_CIRCLE,
            (struct weft_point){ place->at.x, shape.y + shape.height / 2 }, side, 0, paint);
    else
        mark = dag_round_box(p->scene, shape, is_leaf ? 2 : fmax(corner_of(p), 2), paint);
    tell(p, mark, place, &all);
}

static void outline(struct dag_picture *p, const struct dag_place *place, weft_color color,
                    float width)
{
    struct weft_paint paint = { .stroke = color, .stroke_width = width };
    struct weft_rect shape = place->entered ? place->box : shape_of(p, place);
    if (!place->entered && place->child.kind < WEFT_DAG_LEAF_KINDS
        && p->style.scale == WEFT_DAG_ROUND) {
        weft_scene_glyph(p->scene, WEFT_GLYPH_CIRCLE,
                         (struct weft_point){ place->at.x, shape.y + shape.height / 2 },
                         fmax(shape.width + width, 5), 0, paint);
        return;
    }
    dag_round_box(p->scene, shape, fmax(corner_of(p), 2), paint);
}

/* Draws the number of nodes in a closed box. */
static void draw_count(struct dag_picture *p, const struct dag_place *place)
{
    struct weft_rect shape = shape_of(p, place);
    struct weft_dag_node all;
    const char *label;
    if (place->entered || place->child.kind < WEFT_DAG_LEAF_KINDS || shape.height < 13
        || shape.width < 13)
        return;
    weft_dag_node(p->dag, place->child.node, &all);
    struct weft_swatch swatch = dag_swatch(p, &all, &label);
    uint64_t inside = 0;
    for (int i = 0; i < WEFT_DAG_LEAF_KINDS; i++)
        inside += all.leaves[i];
    if (p->request->theme->name == WEFT_THEME_MONO && swatch.hatch)
        return; /* text is unreadable on a hatch */
    const char *text = weft_number_text(p->arena, (double)inside, 0);
    if (weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, text) > shape.width - 4)
        return;
    weft_scene_text(
        p->scene,
        (struct weft_point){ shape.x + shape.width / 2, shape.y + shape.height / 2 + 4 },
        WEFT_ANCHOR_MIDDLE, WEFT_FONT_SANS, WEFT_SMALL_SIZE, swatch.ink, text);
}

/* ---- Tags ---- */

struct tag {
    struct weft_rect box;
    struct weft_point from;
    const char *lines[WEFT_DAG_MAX_FACTS];
    size_t n;
};

static struct tag make_tag(struct dag_picture *p, const struct dag_place *place)
{
    struct weft_dag_fact facts[WEFT_DAG_MAX_FACTS];
    struct weft_rect shape = place->entered ? place->box : shape_of(p, place);
    struct tag tag = { .from = { shape.x + shape.width,
                                 shape.y + fmin(shape.height / 2, 12) } };
    double width = 0;
    weft_dag_facts(p->source, p->dag, place->child.node, p->arena, facts, &tag.n);
    for (size_t i = 0; i < tag.n; i++) {
        tag.lines[i] =
            i ? weft_arena_printf(p->arena, "%s: %s", facts[i].name, facts[i].value)
              : facts[i].value;
        width = fmax(width, weft_text_width(i ? WEFT_FONT_SANS : WEFT_FONT_BOLD,
                                            WEFT_SMALL_SIZE, tag.lines[i]));
    }
    tag.box = (struct weft_rect){ tag.from.x + 10, tag.from.y - 8, width + 12,
                                  (double)tag.n * TAG_LINE + 6 };
    if (tag.box.x + tag.box.width > p->plot.x + p->plot.width
        && shape.x - 10 - tag.box.width > p->plot.x) { /* on the left, if there is room */
        tag.box.x = shape.x - 10 - tag.box.width;
        tag.from.x = shape.x;
    }
    /* Without room on either side, inside the plot. */
    tag.box.x = fmax(fmin(tag.box.x, p->plot.x + p->plot.width - tag.box.width), p->plot.x);
    tag.from.x = fmin(tag.from.x, p->plot.x + p->plot.width);
    tag.box.y =
        fmax(fmin(tag.box.y, p->plot.y + p->plot.height - tag.box.height), p->plot.y);
    return tag;
}

static bool touches(struct weft_rect a, struct weft_rect b)
{
    return a.x < b.x + b.width + 4 && b.x < a.x + a.width + 4 && a.y < b.y + b.height + 4
           && b.y < a.y + a.height + 4;
}

/* A tag that would cover another is moved below it. */
static void draw_tags(struct dag_picture *p)
{
    const struct weft_theme *theme = p->request->theme;
    struct tag *tags = weft_arena_zalloc(p->arena, MAX_TAGS, sizeof *tags);
    size_t n = 0;
    if (!p->tags.n_ranges)
        return;
    weft_scene_layer(p->scene, "tags", p->plot, WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    for (size_t i = 0; i < p->n_places && n < MAX_TAGS; i++) {
        const struct dag_place *place = &p->places[i];
        if (!weft_entity_set_contains(&p->tags, weft_dag_layout_id(place->child.node)))
            continue;
        struct tag *tag = &tags[n];
        *tag = make_tag(p, place);
        for (size_t k = 0; k < n; k++)
            if (touches(tag->box, tags[k].box))
                tag->box.y = tags[k].box.y + tags[k].box.height + 5;
        n++;
        weft_scene_line(p->scene, tag->from,
                        (struct weft_point){ tag->box.x > tag->from.x
                                                 ? tag->box.x
                                                 : tag->box.x + tag->box.width,
                                             tag->box.y + 8 },
                        (struct weft_paint){ .stroke = theme->quiet, .stroke_width = 1 });
        weft_scene_rect(p->scene, tag->box,
                        (struct weft_paint){ .fill = theme->panel,
                                             .stroke = theme->quiet,
                                             .stroke_width = 1 });
        for (size_t l = 0; l < tag->n; l++)
            weft_scene_text(p->scene,
                            (struct weft_point){ tag->box.x + 6,
                                                 tag->box.y + 14 + (double)l * TAG_LINE },
                            WEFT_ANCHOR_START, l ? WEFT_FONT_SANS : WEFT_FONT_BOLD,
                            WEFT_SMALL_SIZE, theme->text, tag->lines[l]);
    }
}

/* ---- All together ---- */

static void draw_critical(struct dag_picture *p)
{
    const struct weft_theme *theme = p->request->theme;
    weft_color color = weft_unhatched(theme, theme->idle);
    if (!p->critical)
        return;
    dag_draw_edges(p, true);
    for (size_t i = 0; i < p->n_places; i++)
        if (p->places[i].is_critical && !p->places[i].entered)
            outline(p, &p->places[i], color,
                    fmin(p->places[i].box.width, p->places[i].box.height) >= 8 ? 3 : 2);
}

void dag_draw(struct dag_picture *p)
{
    unsigned moves = WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y;
    weft_scene_layer(p->scene, "boxes", p->plot, moves);
    for (size_t i = 0; i < p->n_places; i++)
        if (p->places[i].entered)
            draw_open_box(p, &p->places[i]);
    weft_scene_layer(p->scene, "edges", p->plot, moves);
    dag_draw_edges(p, false);
    weft_scene_layer(p->scene, "orders", p->plot, moves);
    dag_draw_orders(p);
    weft_scene_layer(p->scene, "critical path", p->plot, moves);
    draw_critical(p);
    weft_scene_layer(p->scene, "nodes", p->plot, moves);
    for (size_t i = 0; i < p->n_places; i++)
        if (!p->places[i].entered)
            draw_node(p, &p->places[i]);
    weft_scene_layer(p->scene, "names", p->plot, moves);
    for (size_t i = 0; i < p->n_places; i++)
        draw_count(p, &p->places[i]);
    weft_scene_layer(p->scene, "marked", p->plot, moves);
    for (size_t i = 0; i < p->n_places && p->marked != WEFT_NONE; i++)
        if (p->places[i].child.node == p->marked)
            outline(p, &p->places[i], p->request->theme->accent, 2.5f);
    draw_tags(p);
}
