/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the edges of a DAG: straight lines, lines with two corners, or curves. */
#include <math.h>

#include "domains/tasks/view/dag_picture_priv.h"

enum {
    MAX_ARCS = 20000, /* more would merge into a grey area */
    STEPS = 10,       /* line segments of a curve */
};

void dag_add_edge(struct dag_picture *p, struct weft_point from, struct weft_point to,
                  bool is_critical)
{
    const double least = 1.5; /* pixels */
    struct weft_rect plot = p->plot;
    if (p->edges == DAG_NO_EDGES && !is_critical)
        return;
    if (fmax(from.x, to.x) < plot.x || fmin(from.x, to.x) > plot.x + plot.width
        || fmax(from.y, to.y) < plot.y || fmin(from.y, to.y) > plot.y + plot.height)
        return;
    if (fabs(to.x - from.x) < least && fabs(to.y - from.y) < least)
        return;
    if (p->n_arcs >= MAX_ARCS && !is_critical)
        return;
    p->arcs = weft_grow(p->arcs, &p->arc_capacity, p->n_arcs + 1, sizeof *p->arcs);
    p->arcs[p->n_arcs++] = (struct dag_edge){ from, to, is_critical };
}

/* Computes the points of an edge; returns their number. */
static size_t path(const struct dag_picture *p, const struct dag_edge *edge,
                   struct weft_point out[STEPS + 1])
{
    struct weft_point a = edge->from, b = edge->to;
    /* The corners are in the gap above the target, where there are no nodes. */
    double turn = b.y - WEFT_DAG_GAP_DOWN / 2 * p->down;
    turn = fmax(fmin(turn, b.y), fmin(a.y, b.y));
    if (p->edges == DAG_DOWN && fabs(a.x - b.x) > 0.5) {
        out[0] = a;
        out[1] = (struct weft_point){ a.x, turn };
        out[2] = (struct weft_point){ b.x, turn };
        out[3] = b;
        return 4;
    }
    if (p->edges == DAG_WINDING && fabs(a.x - b.x) > 0.5) {
        double reach = (b.y - a.y) / 2; /* of a cubic curve whose ends are vertical */
        for (int i = 0; i <= STEPS; i++) {
            double t = (double)i / STEPS, u = 1 - t;
            double x =
                a.x * (u * u * u + 3 * u * u * t) + b.x * (3 * u * t * t + t * t * t);
            double y = u * u * u * a.y + 3 * u * u * t * (a.y + reach)
                       + 3 * u * t * t * (b.y - reach) + t * t * t * b.y;
            out[i] = (struct weft_point){ x, y };
        }
        return STEPS + 1;
    }
    out[0] = a;
    out[1] = b;
    return 2;
}

/* Many thin lines are drawn pale, so that they hide nothing. */
static unsigned opacity(const struct dag_picture *p)
{
    const double most = 144, least = 28, many = 400;
    return (unsigned)fmin(fmax(most * many / fmax((double)p->n_arcs, 1), least), most);
}

void dag_draw_edges(struct dag_picture *p, bool critical)
{
    const struct weft_theme *theme = p->request->theme;
    double unit = fmin(p->across, p->down);
    struct weft_paint paint = { .stroke = theme->quiet,
                                .stroke_width = unit >= 8 ? 1 : 0.7f };
    if (critical)
        paint = (struct weft_paint){ .stroke = weft_unhatched(theme, theme->idle),
                                     .stroke_width = unit >= 8 ? 3 : 2 };
    else if (unit < 8)
        paint.stroke = (theme->quiet & 0xffffffu) | opacity(p) << 24;
    for (size_t i = 0; i < p->n_arcs; i++) {
        struct weft_point points[STEPS + 1];
        if (p->arcs[i].is_critical != critical)
            continue;
        size_t n = path(p, &p->arcs[i], points);
        if (n == 2)
            weft_scene_line(p->scene, points[0], points[1], paint);
        else
            weft_scene_polyline(p->scene, points, n, paint);
    }
}
