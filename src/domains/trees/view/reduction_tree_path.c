/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws the longest path through creation and data dependences (the span) over the tree: no
 * number of PEs makes the run shorter than it.
 */
#include "base/hash_map.h"
#include "domains/trees/view/reduction_tree.h"

bool rt_draw_path(struct rt_picture *p, struct weft_err *err)
{
    enum { MAX_CORNERS = 20000 }; /* corners: more is a blur */
    struct weft_id_map places = { 0 };
    const struct tree_span *span = tree_span_of(p->request->use, 0, err);
    if (!span)
        return false;
    struct weft_point *points = weft_arena_alloc(p->arena, MAX_CORNERS * sizeof *points);
    size_t n = 0;
    for (size_t i = 0; i < p->n_places; i++)
        weft_id_map_put(&places, p->places[i].node, (uint32_t)i);
    for (uint32_t i = 0; i < span->of.n_path && n < MAX_CORNERS; i++) {
        uint32_t place = weft_id_map_get(&places, span->of.path[i]);
        if (place != WEFT_MAP_NONE)
            points[n++] = rt_middle_of(p, &p->places[place]);
    }
    weft_id_map_free(&places);
    weft_scene_layer(p->scene, "span", p->plot, WEFT_LAYER_MOVES_X | WEFT_LAYER_MOVES_Y);
    if (n < 2)
        return true;
    weft_scene_polyline(
        p->scene, points, n,
        (struct weft_paint){ .stroke = p->request->theme->panel, .stroke_width = 5 });
    struct weft_mark *mark = weft_scene_polyline(
        p->scene, points, n,
        (struct weft_paint){ .stroke = p->request->theme->text, .stroke_width = 2 });
    weft_mark_title(p->scene, mark, "the longest way: %u nodes", span->of.n_path);
    return true;
}
