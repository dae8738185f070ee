/* SPDX-License-Identifier: Apache-2.0 */
#include "base/binary_search.h"
#include "domains/tasks/model/dag_layout_priv.h"

#include <math.h>

/* ---- Sizes ---- */

static double height(const struct weft_dag_style *style, int64_t work)
{
    const double least = 0.25,
                 most = 1e9; /* widths: visible, and still exact in a double */
    double ns = fmax((double)work * style->ns_per_tick, 0);
    switch (style->scale) {
    case WEFT_DAG_ROUND: return 1;
    case WEFT_DAG_LINEAR: return fmin(fmax(ns / style->radix, least), most);
    case WEFT_DAG_LOGARITHMIC:
        return fmin(fmax(log1p(ns) / log(style->radix) / 4, least), most);
    case WEFT_DAG_POWER: return fmin(fmax(pow(ns, style->radix) / 20, least), most);
    }
    return 1;
}

struct weft_dag_size dag_size_of_node(const struct weft_dag_layout *layout, uint32_t node)
{
    struct weft_dag_size size = { 0.5, 0.5, 1, 0 };
    struct weft_dag_node all;
    if (layout->style.scale == WEFT_DAG_ROUND)
        return size;
    weft_dag_node(layout->dag, node, &all);
    size.down = height(&layout->style, all.work);
    return size;
}

struct dag_rest dag_put_before(const struct weft_dag_layout *layout,
                               struct weft_dag_size thing, const struct weft_dag_size *task,
                               const struct dag_rest *rest, struct dag_follow *follow)
{
    struct dag_rest all = { .size = thing };
    *follow = (struct dag_follow){ .y = thing.down + WEFT_DAG_GAP_DOWN };
    if (rest && task) {
        follow->next_x =
            rest->forks ? -rest->task_x : rest->size.left + WEFT_DAG_GAP_ACROSS / 2;
        follow->task_x =
            follow->next_x - rest->size.left - WEFT_DAG_GAP_ACROSS - task->right;
        all.forks = true;
        all.task_x = follow->task_x;
    } else if (rest && layout->style.scale != WEFT_DAG_ROUND) {
        follow->next_x = thing.tail; /* long nodes go on below a section's end */
    }
    if (rest) {
        all.size.left = fmax(all.size.left, rest->size.left - follow->next_x);
        all.size.right = fmax(all.size.right, rest->size.right + follow->next_x);
        all.size.down = follow->y + rest->size.down;
        all.size.tail = follow->next_x + rest->size.tail;
    }
    if (task) {
        all.size.left = fmax(all.size.left, task->left - follow->task_x);
        all.size.right = fmax(all.size.right, task->right + follow->task_x);
        all.size.down = fmax(all.size.down, follow->y + task->down);
    }
    return all;
}

static struct weft_dag_size dag_box_around(struct weft_dag_size inside)
{
    return (struct weft_dag_size){ inside.left + WEFT_DAG_PAD, inside.right + WEFT_DAG_PAD,
                                   inside.down + 2 * WEFT_DAG_PAD, inside.tail };
}

/* ---- Measuring ---- */

const struct dag_change *dag_change_of(const struct weft_dag_layout *layout, uint32_t node)
{
    size_t at = WEFT_FIRST(i, 0, layout->n_changes, layout->changes[i].node >= node);
    return at < layout->n_changes && layout->changes[at].node == node ? &layout->changes[at]
                                                                      : NULL;
}

const struct dag_entries *dag_entries_of(const struct weft_dag_layout *layout)
{
    return layout->base ? &layout->base->entries : &layout->entries;
}

struct dag_boxes dag_boxes_in(const struct dag_entries *entries, uint32_t entry)
{
    struct dag_boxes boxes = { entries, 0, 0 };
    if (entry == WEFT_NONE)
        return boxes;
    boxes.first = entries->list[entry].first;
    boxes.end =
        (size_t)entry + 1 < entries->n ? entries->list[entry + 1].first : entries->n;
    if (boxes.end > entries->n)
        boxes.end = entries->n;
    if (boxes.first > boxes.end)
        boxes.first = boxes.end;
    return boxes;
}

static uint32_t dag_pop_box(struct dag_boxes *boxes, uint32_t node)
{
    if (boxes->end > boxes->first && boxes->entries->list[boxes->end - 1].node == node)
        return (uint32_t)--boxes->end;
    return WEFT_NONE;
}

struct weft_dag_size dag_size_of(const struct weft_dag_layout *layout,
                                 struct dag_boxes *boxes, uint32_t node,
                                 const struct weft_dag_node *shape, uint32_t *entry,
                                 bool *open)
{
    *entry = WEFT_NONE;
    *open = false;
    if (!dag_has_inside(shape))
        return dag_size_of_node(layout, node);
    *entry = dag_pop_box(boxes, node);
    const struct dag_change *change =
        layout->n_changes ? dag_change_of(layout, node) : NULL;
    if (change && change->how == DAG_CLOSED)
        return dag_size_of_node(layout, node);
    *open = true;
    if (change)
        return change->size;
    if (*entry != WEFT_NONE)
        return boxes->entries->list[*entry].size;
    if (dag_is_small(layout, node))
        return dag_measure_all(layout, node);
    *open = false;
    return dag_size_of_node(layout, node);
}

struct weft_dag_size dag_measure(const struct weft_dag_layout *layout,
                                 const struct dag_entries *entries, uint32_t node,
                                 uint32_t entry)
{
    struct dag_boxes boxes = dag_boxes_in(entries, entry);
    struct weft_dag_node shape, inner, made;
    struct weft_dag_size task = { 0 };
    struct dag_follow follow;
    struct dag_rest rest = { 0 };
    uint32_t at;
    bool open;
    weft_dag_shape(layout->dag, node, &shape);
    for (uint32_t i = shape.n; i-- > 0;) {
        weft_dag_glance(layout->dag, shape.first + i, &inner);
        bool makes = inner.kind == WEFT_DAG_CREATE && inner.created != WEFT_NONE;
        if (makes) {
            weft_dag_glance(layout->dag, inner.created, &made);
            task = dag_size_of(layout, &boxes, inner.created, &made, &at, &open);
        }
        struct weft_dag_size thing =
            dag_size_of(layout, &boxes, shape.first + i, &inner, &at, &open);
        rest = dag_put_before(layout, thing, makes ? &task : NULL,
                              i + 1 < shape.n ? &rest : NULL, &follow);
    }
    return dag_box_around(rest.size);
}
