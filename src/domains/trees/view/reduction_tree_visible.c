/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the visible nodes of a tree and their sectors, ring by ring from the root. A node
 * whose sector is below one pixel on the circle of the next level is left out with its
 * whole subtree, and its parent keeps the number of these nodes (Park 1991, figure 26). A
 * node beyond the picture's edge is left out and counted, too. The cost is that of the
 * visible nodes and their children, whatever the size of the tree.
 */
#include <math.h>
#include <stdlib.h>

#include "domains/trees/view/reduction_tree.h"

/* Tells the page which point of the picture stays in place when it zooms. */
static void tell_anchor(struct rt_picture *p)
{
    p->scene->frame.zooms = true;
    p->scene->frame.anchor = p->root;
}

/* Places the rings, LENGTH pixels from the first to the last. */
static void place_rings(struct rt_picture *p, double length)
{
    const struct weft_tree_layout *layout = p->look.layout;
    bool icicle = p->layout == RT_ICICLE;
    uint32_t n = layout->rings.n;
    double *edges = weft_arena_alloc(p->arena, ((size_t)n + 2) * sizeof *edges);
    weft_tree_edges_of_rings(layout, !icicle, edges);
    edges[n + 1] = edges[n];
    p->reach = edges + !icicle; /* nodes are at the outer edges of their rings */
    for (uint32_t i = 0; i <= n; i++)
        p->reach[i] *= length;
}

void rt_place_root(struct rt_picture *p)
{
    double x = weft_setting_number(p->request, "x");
    double y = weft_setting_number(p->request, "y");
    double zoom = weft_setting_number(p->request, "zoom");
    const struct weft_rect plot = p->frame.plot;
    p->plot = plot;
    if (p->layout == RT_RADIAL) {
        place_rings(p, fmax(fmin(plot.width, plot.height) / 2 - 4, 0.01) * zoom);
        p->root = (struct weft_point){ plot.x + x * plot.width, plot.y + y * plot.height };
        tell_anchor(p);
        return;
    }
    double pad = p->layout == RT_ICICLE ? 0 : 5;
    p->width = plot.width * zoom;
    place_rings(p, fmax(plot.height - 2 * pad, 0.01) * zoom);
    p->root = (struct weft_point){ plot.x + x * plot.width,
                                   plot.y + pad + (y - 0.5) * plot.height };
    tell_anchor(p);
}

double rt_reach(const struct rt_picture *p, double ring)
{
    uint32_t n = p->look.layout->rings.n;
    uint32_t inner = ring < n ? (uint32_t)ring : n;
    double next = inner < n ? p->reach[inner + 1] : p->reach[n];
    return p->reach[inner] + (ring - inner) * (next - p->reach[inner]);
}

double rt_step(const struct rt_picture *p, uint32_t ring)
{
    uint32_t n = p->look.layout->rings.n;
    if (ring + 1 < n || p->layout == RT_ICICLE)
        return p->reach[ring + 1] - p->reach[ring];
    return ring ? p->reach[ring] - p->reach[ring - 1] : fmin(p->plot.width, p->plot.height);
}

struct weft_point rt_point_at(const struct rt_picture *p, double ring, double part)
{
    double far = rt_reach(p, ring);
    if (p->layout == RT_RADIAL)
        return (struct weft_point){ p->root.x + far * cos(2 * M_PI * part),
                                    p->root.y + far * sin(2 * M_PI * part) };
    return (struct weft_point){ p->root.x + (part - 0.5) * p->width, p->root.y + far };
}

double rt_pixels(const struct rt_picture *p, uint32_t ring, double part)
{
    uint32_t last = p->look.layout->rings.n - 1;
    double far = ring < last ? p->reach[ring + 1] : p->reach[last] + rt_step(p, last);
    return part * (p->layout == RT_RADIAL ? 2 * M_PI * far : p->width);
}

static bool overlaps(const struct rt_picture *p, double left, double top, double right,
                     double bottom)
{
    const double slack = 8; /* pixels for dots and line widths */
    return right > p->plot.x - slack && left < p->plot.x + p->plot.width + slack
           && bottom > p->plot.y - slack && top < p->plot.y + p->plot.height + slack;
}

bool rt_may_show(const struct rt_picture *p, uint32_t ring, struct weft_tree_sector s)
{
    uint32_t rings = p->look.layout->rings.n;
    double inner = p->reach[ring], outer = p->reach[rings - 1] + rt_step(p, rings - 1);
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
    /* An arc that crosses an axis reaches further than its ends. */
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

void rt_walk(struct rt_picture *p)
{
    uint32_t root = p->look.layout->root;
    if (p->look.tree->time[root] > p->at) {
        p->later += p->look.tree->count[root];
        return;
    }
    rt_open_root(p);
    for (size_t i = 0; i < p->n_places; i++)
        rt_open_place(p, i);
}

void rt_walk_free(struct rt_picture *p)
{
    free(p->places);
    free(p->gaps);
    p->places = NULL;
    p->gaps = NULL;
}
