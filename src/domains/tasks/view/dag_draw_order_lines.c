/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the orders of a DAG: dashed lines from tasks to what could not begin before. */
#include <math.h>
#include <stdlib.h>

#include "base/hash_map.h"
#include "domains/tasks/view/dag_picture_priv.h"

enum { MAX_ORDERS = 2000 /* more are drawn for the marked node only */ };

/* Places by their nodes, of one picture. */
struct places {
    const struct dag_picture *p;
    struct weft_id_map by_node; /* index in p->places */
};

/* Returns the place of a node, or of the closed box around it that shows it; NULL if it is
   outside the picture. */
static const struct dag_place *place_of(const struct places *places, uint32_t node)
{
    while (node != WEFT_NONE) {
        uint32_t index = weft_id_map_get(&places->by_node, node);
        struct weft_dag_node shape;
        if (index != WEFT_MAP_NONE)
            return &places->p->places[index];
        weft_dag_shape(places->p->dag, node, &shape);
        node = shape.parent;
    }
    return NULL;
}

static void draw_order(const struct places *places, const struct weft_dag_order *order,
                       bool marked)
{
    const struct dag_picture *p = places->p;
    const struct weft_theme *theme = p->request->theme;
    const struct dag_place *from = place_of(places, order->before);
    const struct dag_place *to = place_of(places, order->after);
    struct weft_point begin, end;

    if (!from || !to || from == to)
        return;
    begin = (struct weft_point){ from->box.x + from->box.width / 2,
                                 from->box.y + from->box.height };
    end = (struct weft_point){ to->entered ? to->box.x + to->box.width / 2 : to->at.x,
                               to->entered ? to->box.y : to->at.y };
    weft_scene_line(
        p->scene, begin, end,
        (struct weft_paint){ .stroke = marked ? theme->accent : theme->text,
                             .stroke_width = marked ? 1.8f : 1,
                             .dash = order->kind == WEFT_DAG_ORDER_EXCLUSION ? 2 : 4 });
}

/* Draws the orders into and out of the marked node. */
static void draw_of_marked(const struct places *places)
{
    const struct weft_dag *dag = places->p->dag;
    uint32_t node = places->p->marked;
    uint64_t n = weft_dag_orders(dag);
    struct weft_dag_order order;

    for (uint64_t row = weft_dag_orders_into(dag, node);
         row < n && weft_dag_order(dag, row, &order) && order.after == node; row++)
        draw_order(places, &order, true);
    for (uint64_t row = weft_dag_orders_from(dag, node);
         row < n && weft_dag_order_by_before(dag, row, &order) && order.before == node;
         row++)
        draw_order(places, &order, true);
}

void dag_draw_orders(struct dag_picture *p)
{
    uint64_t n = weft_dag_orders(p->dag);
    struct places places = { .p = p };
    struct weft_dag_order order;

    if (n == 0 || p->edges == DAG_NO_EDGES)
        return;
    for (size_t i = 0; i < p->n_places; i++)
        weft_id_map_put(&places.by_node, p->places[i].child.node, (uint32_t)i);
    for (uint64_t row = 0; row < n && n <= MAX_ORDERS; row++)
        if (weft_dag_order(p->dag, row, &order))
            draw_order(&places, &order, false);
    if (p->marked != WEFT_NONE)
        draw_of_marked(&places);
    weft_id_map_free(&places.by_node);
}
