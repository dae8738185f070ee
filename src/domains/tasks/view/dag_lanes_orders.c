/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the orders of the marked node between lanes: dashed lines from where a task ended
   to where what had to follow it began. */
#include <math.h>

#include "domains/tasks/view/dag_lanes.h"

enum { MAX_ORDERS = 500 /* of one node, in each direction */ };

/* Returns the point of the lanes at which a node begins, or ends if ENDS; false if its
   worker is not known or has no lane. */
static bool point_of(const struct dag_lanes *l, uint32_t task, bool ends,
                     struct weft_point *out)
{
    struct weft_dag_node node;
    double length = l->down ? l->plot.height : l->plot.width, at;
    int64_t time;

    weft_dag_node(l->p.dag,
                  ends ? weft_dag_last(l->p.dag, task) : weft_dag_first(l->p.dag, task),
                  &node);
    if (weft_dag_is_lost(&node) || node.worker < 0
        || (uint32_t)node.worker >= weft_dag_worker_limit(l->p.dag)
        || l->lanes[node.worker] >= l->drawn)
        return false;
    time = ends ? node.end : node.begin;
    at = (double)(time - l->window.begin) / (double)(l->window.end - l->window.begin)
         * length;
    at = fmin(fmax(at, -1e6), 1e6);
    struct weft_rect part = dag_part_of_lane(l, l->lanes[node.worker], at, at, 0.45, 0.45);
    *out = (struct weft_point){ part.x, part.y };
    return true;
}

static void draw_order(const struct dag_lanes *l, const struct weft_dag_order *order)
{
    static const char *const reasons[WEFT_DAG_ORDER_KINDS] = {
        [WEFT_DAG_ORDER_DEPENDENCE] = "depends on",
        [WEFT_DAG_ORDER_EXCLUSION] = "excludes",
        [WEFT_DAG_ORDER_INCLUDED] = "waited for",
    };
    struct weft_point from, to;
    struct weft_mark *mark;

    if (!point_of(l, order->before, true, &from) || !point_of(l, order->after, false, &to))
        return;
    mark = weft_scene_line(
        l->p.scene, from, to,
        (struct weft_paint){ .stroke = l->p.request->theme->accent,
                             .stroke_width = 1.8f,
                             .dash = order->kind == WEFT_DAG_ORDER_EXCLUSION ? 2 : 4 });
    if (mark)
        weft_mark_title(l->p.scene, mark, "node %u %s task %u", order->after,
                        reasons[order->kind], order->before);
}

/* Draws the orders into and out of one node. */
static void draw_of(const struct dag_lanes *l, uint32_t node)
{
    const struct weft_dag *dag = l->p.dag;
    uint64_t n = weft_dag_orders(dag), row = weft_dag_orders_into(dag, node);
    struct weft_dag_order order;

    for (int i = 0; i < MAX_ORDERS && row < n && weft_dag_order(dag, row, &order)
                    && order.after == node;
         i++, row++)
        draw_order(l, &order);
    row = weft_dag_orders_from(dag, node);
    for (int i = 0; i < MAX_ORDERS && row < n && weft_dag_order_by_before(dag, row, &order)
                    && order.before == node;
         i++, row++)
        draw_order(l, &order);
}

void dag_draw_orders_of_marked(struct dag_lanes *l)
{
    uint32_t node = l->p.marked, task;

    if (node == WEFT_NONE || weft_dag_orders(l->p.dag) == 0)
        return;
    weft_scene_layer(l->p.scene, "orders", l->plot, l->down ? 0 : WEFT_LAYER_MOVES_X);
    draw_of(l, node);
    task = weft_dag_task_of(l->p.dag, node, NULL);
    if (task != WEFT_NONE && task != node)
        draw_of(l, task);
}
