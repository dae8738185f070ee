/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the names of procedures, the lengths of folded chains, and the numbers of hidden
 * nodes, where there is room.
 */
#include <math.h>

#include "domains/trees/view/reduction_tree.h"

/*
 * Most names; pixels of a cell of the grid; least height of a row with a name, in pixels.
 */
enum { MAX_LABELS = 400, CELL = 4, MIN_ROW = 14 };

struct grid { /* the cells of the plot, 1 where text or marks are */
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

static void occupy_point(struct grid *grid, struct weft_point at)
{
    double x = at.x - grid->plot.x, y = at.y - grid->plot.y;
    if (x >= 0 && y >= 0 && x <= grid->plot.width && y <= grid->plot.height)
        grid->cells[(size_t)(y / CELL) * grid->columns + (size_t)(x / CELL)] = 1;
}

static struct weft_point between(struct weft_point a, struct weft_point b, double t)
{
    return (struct weft_point){ a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t };
}

/*
 * Takes the cells of nodes, lines and polygons point by point, so that no name covers them.
 */
static void occupy_family(const struct rt_picture *p, struct grid *grid,
                          const struct rt_place *place)
{
    enum { MAX_STEPS = 300 };
    const struct rt_place *children = p->places + place->first;
    for (int x = -4; x <= 4; x += 4)
        for (int y = -4; y <= 4; y += 4)
            occupy_point(grid, (struct weft_point){ place->at.x + x, place->at.y + y });
    for (uint32_t c = 0; c < place->n; c++) {
        struct weft_point a = children[c].at, b = c ? children[c - 1].at : a;
        double far = hypot(a.x - place->at.x, a.y - place->at.y);
        double wide = hypot(a.x - b.x, a.y - b.y);
        int out = (int)fmin(far / CELL + 1, MAX_STEPS);
        int across = (int)fmin(wide / CELL + 1, MAX_STEPS);
        for (int i = 0; i <= across; i++)
            for (int k = 1; k < out; k++)
                occupy_point(grid, between(place->at, between(a, b, (double)i / across),
                                           (double)k / out));
    }
}

/*
 * Returns one of four spots for a name, across the direction of the tree's lines: first
 * beside a node above or below the root, and above or below a node that is left or right of
 * it.
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

static const char *name_of(const struct rt_picture *p, const struct rt_place *place)
{
    const struct weft_tree *tree = p->look.tree;
    const char *name = weft_name_cut(tree->labels[tree->label[place->node]].name, p->arena);
    if (place->times == 1)
        return name;
    return weft_arena_printf(p->arena, "%s ×%s", name,
                             weft_number_text(p->arena, place->times, 0));
}

static bool label_node(struct rt_picture *p, struct grid *grid,
                       const struct rt_place *place)
{
    const char *name = name_of(p, place);
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
    double left = fmax(place->at.x, p->plot.x);
    double right =
        fmin(place->at.x + place->sector.size * p->width, p->plot.x + p->plot.width);
    double step = rt_step(p, place->ring);
    if (step < MIN_ROW || right - left < 24)
        return;
    const char *name = weft_text_fit(p->arena, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                                     name_of(p, place), right - left - 8);
    if (name)
        weft_scene_text(
            p->scene, (struct weft_point){ left + 4, place->at.y + fmin(step, 28) / 2 + 4 },
            WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
            weft_ink(rt_family_swatch(p, place->node).fill), name);
}

/*
 * Writes on the line of a folded chain how many nodes it stands for. PLACE is the end of
 * the chain.
 */
static void count_links(struct rt_picture *p, struct grid *grid,
                        const struct rt_place *place)
{
    enum { FEW = 3 }; /* with fewer nodes than FEW a line, the lines tell as much */
    const uint32_t *level = p->look.layout->level;
    const struct rt_place *first = &p->places[place->chain];
    uint32_t nodes = level[place->ring] - level[first->ring];
    if (first == place || place->links || nodes < FEW * (place->ring - first->ring))
        return;
    const char *text =
        weft_arena_printf(p->arena, "%s in a row", weft_number_text(p->arena, nodes, 0));
    double width = weft_text_width(WEFT_FONT_SANS, WEFT_SMALL_SIZE, text);
    struct weft_point at = { (first->at.x + place->at.x) / 2,
                             (first->at.y + place->at.y) / 2 };
    if (hypot(first->at.x - place->at.x, first->at.y - place->at.y) < width)
        return;
    for (int which = 0; which < 4; which++) {
        struct weft_point spot = label_spot(p, at, width, which);
        if (!is_free(grid, (struct weft_rect){ spot.x, spot.y, width, 12 }, true))
            continue;
        weft_scene_text(p->scene, (struct weft_point){ spot.x, spot.y + 10 },
                        WEFT_ANCHOR_START, WEFT_FONT_SANS, WEFT_SMALL_SIZE,
                        p->request->theme->quiet, text);
        return;
    }
}

/* Writes the number of nodes that are too small to see onto their shade. */
static void count_hidden(struct rt_picture *p, struct grid *grid,
                         const struct rt_place *place)
{
    const double size = WEFT_SMALL_SIZE;
    if (!place->hidden || place->n)
        return; /* no room between visible children */
    const char *text = weft_number_text(p->arena, (double)place->hidden, 0);
    double width = weft_text_width(WEFT_FONT_SANS, size, text);
    double ring = place->ring + (p->layout == RT_ICICLE ? 1.5 : 0.5);
    if (rt_pixels(p, place->ring, place->sector.size) < 2 * width)
        return;
    struct weft_point at =
        rt_point_at(p, ring, place->sector.from + place->sector.size / 2);
    if (is_free(grid, (struct weft_rect){ at.x - width / 2, at.y - 6, width, 12 }, true))
        weft_scene_text(p->scene, (struct weft_point){ at.x, at.y + 4 }, WEFT_ANCHOR_MIDDLE,
                        WEFT_FONT_SANS, size, p->request->theme->text, text);
}

void rt_draw_names(struct rt_picture *p)
{
    size_t most = MAX_LABELS;
    if (!p->labels)
        return;
    weft_scene_layer(p->scene, "names", p->plot, WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    struct grid grid = { .columns = (size_t)(p->plot.width / CELL) + 2,
                         .rows = (size_t)(p->plot.height / CELL) + 2,
                         .plot = p->plot };
    grid.cells = weft_arena_zalloc(p->arena, grid.columns * grid.rows, 1);
    for (size_t i = 0; p->layout != RT_ICICLE && i < p->n_places; i++)
        occupy_family(p, &grid, &p->places[i]);
    for (size_t i = 0; i < p->n_places && most; i++) {
        const struct rt_place *place = &p->places[i];
        if (p->layout == RT_ICICLE)
            label_bar(p, place);
        else if (rt_step(p, place->ring) >= 18
                 && (rt_pixels(p, place->ring, place->sector.size) >= 14
                     || place->ring == 0))
            most -= label_node(p, &grid, place);
    }
    for (size_t i = 0; i < p->n_places && p->layout != RT_ICICLE; i++)
        count_links(p, &grid, &p->places[i]);
    for (size_t i = 0; i < p->n_places; i++)
        if (rt_step(p, p->places[i].ring) >= MIN_ROW)
            count_hidden(p, &grid, &p->places[i]);
}
