/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding the visible nodes of a tree and their sectors, ring by ring from the root.  A
 * node whose sector is below one pixel on the circle of the next level is left out with its
 * whole subtree, and its parent keeps their number (Park 1991, figure 26).  A node beyond
 * the picture's edge is left out, too, and counted as such.  The cost is that of the
 * visible nodes and their children, however large the tree is.
 */
#include <math.h>
#include <stdlib.h>

#include "view/tree/reduction_tree.h"

enum { WIDE_GAP = 3 }; /* pixels: a gap that is narrower takes in the next child */

/* Tell the page which point of the picture stays in place when it zooms. */
static void tell_anchor(struct rt_picture *p)
{
    p->scene->frame.zooms = true;
    p->scene->frame.anchor = p->root;
}

void rt_place_root(struct rt_picture *p)
{
    const struct weft_view *view = p->view;
    double x = weft_setting_number(view, p->request, "x");
    double y = weft_setting_number(view, p->request, "y");
    double zoom = weft_setting_number(view, p->request, "zoom");
    const struct weft_rect plot = p->frame.plot;
    double rings = p->look.laid->layout->rings.n;
    p->plot = plot;
    if (p->layout == RT_RADIAL) {
        double radius = fmin(plot.width, plot.height) / 2 - 4;
        p->step = fmax(radius / fmax(rings - 1, 1), 0.01) * zoom;
        p->root = (struct weft_point){ plot.x + x * plot.width, plot.y + y * plot.height };
        tell_anchor(p);
        return;
    }
    double lines = p->layout == RT_ICICLE ? rings : rings - 1;
    double pad = p->layout == RT_ICICLE ? 0 : 5;
    p->width = plot.width * zoom;
    p->step = (plot.height - 2 * pad) / fmax(lines, 1);
    if (p->layout == RT_ICICLE)
        p->step = fmin(p->step, 28);
    p->step *= zoom;
    p->root = (struct weft_point){ plot.x + x * plot.width,
                                   plot.y + pad + (y - 0.5) * plot.height };
    tell_anchor(p);
}

struct weft_point rt_point_at(const struct rt_picture *p, double ring, double part)
{
    if (p->layout == RT_RADIAL) {
        double angle = 2 * M_PI * part, radius = ring * p->step;
        return (struct weft_point){ p->root.x + radius * cos(angle),
                                    p->root.y + radius * sin(angle) };
    }
    return (struct weft_point){ p->root.x + (part - 0.5) * p->width,
                                p->root.y + ring * p->step };
}

double rt_pixels(const struct rt_picture *p, uint32_t ring, double part)
{
    return part
           * (p->layout == RT_RADIAL ? 2 * M_PI * p->step * ((double)ring + 1) : p->width);
}

static bool overlaps(const struct rt_picture *p, double left, double top, double right,
                     double bottom)
{
    const double slack = 8; /* pixels, for dots and the widths of lines */
    return right > p->plot.x - slack && left < p->plot.x + p->plot.width + slack
           && bottom > p->plot.y - slack && top < p->plot.y + p->plot.height + slack;
}

bool rt_may_show(const struct rt_picture *p, uint32_t ring, struct weft_tree_sector s)
{
    double inner = ring * p->step, outer = p->look.laid->layout->rings.n * p->step;
    if (p->layout != RT_RADIAL) {
        struct weft_point from = rt_point_at(p, ring, s.from);
        return overlaps(p, from.x, from.y, from.x + s.size * p->width, p->root.y + outer);
    }
    if (s.size > 0.24)
        return true;
    double a = 2 * M_PI * s.from, b = a + 2 * M_PI * s.size;
    double x[2] = { cos(a), cos(b) }, y[2] = { sin(a), sin(b) };
    double left = fmin(x[0], x[1]), right = fmax(x[0], x[1]);
    double top = fmin(y[0], y[1]), bottom = fmax(y[0], y[1]);
    /* Where the arc crosses an axis, it reaches further than its ends. */
    for (double axis = ceil(a / M_PI_2) * M_PI_2; axis <= b; axis += M_PI_2) {
        left = fmin(left, cos(axis));
        right = fmax(right, cos(axis));
        top = fmin(top, sin(axis));
        bottom = fmax(bottom, sin(axis));
    }
    return overlaps(p, p->root.x + left * (left < 0 ? outer : inner),
                    p->root.y + top * (top < 0 ? outer : inner),
                    p->root.x + right * (right > 0 ? outer : inner),
                    p->root.y + bottom * (bottom > 0 ? outer : inner));
}

static struct rt_place *add_place(struct rt_picture *p, uint32_t node, uint32_t ring,
                                  struct weft_tree_sector sector)
{
    p->places =
        weft_grow(p->places, &p->place_capacity, p->n_places + 1, sizeof *p->places);
    double shift = p->layout == RT_ICICLE ? 0 : 0.5;
    p->places[p->n_places] =
        (struct rt_place){ .node = node,
                           .ring = ring,
                           .sector = sector,
                           .at = rt_point_at(p, ring, sector.from + shift * sector.size) };
    return &p->places[p->n_places++];
}

static void add_gap(struct rt_picture *p, size_t parent, uint32_t child, double from,
                    double to)
{
    uint64_t count = p->look.tree->count[child];
    struct rt_place *place = &p->places[parent];
    struct rt_gap *last = place->n_gaps ? &p->gaps[p->n_gaps - 1] : NULL;
    place->hidden += count;
    p->hidden += count;
    /* Gaps stay a few pixels wide, so that shades vary along the circle as the nodes do. */
    if (last && last->run.end == child
        && rt_pixels(p, place->ring, last->sector.size) < WIDE_GAP) {
        last->sector.size = to - last->sector.from;
        last->run.end = child + 1;
        last->count += count;
        return;
    }
    p->gaps = weft_grow(p->gaps, &p->gap_capacity, p->n_gaps + 1, sizeof *p->gaps);
    if (!place->n_gaps)
        place->first_gap = (uint32_t)p->n_gaps;
    place->n_gaps++;
    p->gaps[p->n_gaps++] =
        (struct rt_gap){ { from, to - from }, { child, child + 1 }, count };
}

/* Compute the sectors of a place's children, and make places of the visible ones. */
static void open_place(struct rt_picture *p, size_t index)
{
    const struct weft_tree_layout *layout = p->look.laid->layout;
    const struct weft_tree *tree = p->look.tree;
    struct rt_place place = p->places[index];
    struct weft_tree_run run = weft_tree_hangs(layout, place.ring, place.node);
    uint32_t ring = place.ring + 1;
    if (run.begin == run.end)
        return;
    double from = place.sector.from;
    double share =
        place.sector.size / (double)weft_tree_weight_below(layout, place.ring, place.node);
    double smallest = 1 / rt_pixels(p, ring, 1);
    p->places[index].first = (uint32_t)p->n_places;
    for (uint32_t child = run.begin; child < run.end; child++) {
        struct weft_tree_sector sector = {
            from, share * (double)weft_tree_weight(layout, ring, child)
        };
        from += sector.size;
        if (tree->time[child] > p->at) {
            p->later++;
        } else if (sector.size < smallest) {
            add_gap(p, index, child, sector.from, from);
        } else if (!rt_may_show(p, place.ring, sector)) {
            p->outside++;
        } else {
            add_place(p, child, ring, sector);
            p->places[index].n++;
        }
    }
}

void rt_walk(struct rt_picture *p)
{
    uint32_t root = p->look.laid->layout->root;
    if (p->look.tree->time[root] > p->at) {
        p->later++;
        return;
    }
    add_place(p, root, 0, (struct weft_tree_sector){ 0, 1 });
    for (size_t i = 0; i < p->n_places; i++)
        open_place(p, i);
}

void rt_walk_free(struct rt_picture *p)
{
    free(p->places);
    free(p->gaps);
    p->places = NULL;
    p->gaps = NULL;
}
