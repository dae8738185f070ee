/* SPDX-License-Identifier: Apache-2.0 */
#include "model/dag_layout_priv.h"

#include <stdlib.h>

#include "base/memory.h"

/* The box that a node is directly inside of: of a task, that of the create which made it. */
static uint32_t box_of(const struct weft_dag *dag, uint32_t node)
{
    struct weft_dag_node shape, parent;
    weft_dag_shape(dag, node, &shape);
    if (shape.parent == WEFT_NONE || shape.parent >= node)
        return WEFT_NONE;
    weft_dag_shape(dag, shape.parent, &parent);
    return parent.kind == WEFT_DAG_CREATE ? parent.parent : shape.parent;
}

/* By node; of those of one node what is asked for comes before what it is around. */
static int by_node(const void *a, const void *b)
{
    const struct dag_change *x = a, *y = b;
    return x->node != y->node ? (x->node < y->node ? -1 : 1) : (int)y->how - (int)x->how;
}

static void add_change(struct weft_dag_layout *layout, size_t *capacity, uint32_t node,
                       enum dag_change_how how)
{
    layout->changes = weft_grow(layout->changes, capacity, layout->n_changes + 1,
                                sizeof *layout->changes);
    layout->changes[layout->n_changes++] = (struct dag_change){ .node = node, .how = how };
}

/* A node is opened below the depth, or closed above it; what else a set says has no effect. */
static void add_node(struct weft_dag_layout *layout, size_t *capacity, uint32_t node,
                     enum dag_change_how how)
{
    struct weft_dag_node shape;
    uint32_t depth = 0;
    weft_dag_shape(layout->dag, node, &shape);
    if (!dag_has_inside(&shape))
        return;
    for (uint32_t at = box_of(layout->dag, node); at != WEFT_NONE;
         at = box_of(layout->dag, at))
        depth++;
    bool by_depth = layout->depth == WEFT_DAG_ALL || depth < layout->depth;
    if (by_depth != (how == DAG_CLOSED))
        return;
    add_change(layout, capacity, node, how);
    while ((node = box_of(layout->dag, node)) != WEFT_NONE)
        add_change(layout, capacity, node, DAG_AROUND);
}

static bool add_set(struct weft_dag_layout *layout, size_t *capacity,
                    const struct weft_entity_set *set, enum dag_change_how how,
                    struct weft_job *job, struct weft_err *err)
{
    uint32_t size = weft_dag_size(layout->dag);
    for (size_t i = 0; set && i < set->n_ranges; i++) {
        struct weft_entity_range range = set->ranges[i];
        if (weft_entity_track(range.first) != WEFT_DAG_TRACK)
            continue;
        for (uint64_t id = range.first; id <= range.last; id++) {
            if (weft_entity_ordinal(id) >= size)
                break;
            add_node(layout, capacity, (uint32_t)weft_entity_ordinal(id), how);
            if (!weft_job_step(job, i, set->n_ranges, err))
                return false;
        }
    }
    return true;
}

/* By number, each once. */
static void settle(struct weft_dag_layout *layout)
{
    size_t kept = 0;
    if (layout->n_changes)
        qsort(layout->changes, layout->n_changes, sizeof *layout->changes, by_node);
    for (size_t i = 0; i < layout->n_changes; i++)
        if (!kept || layout->changes[kept - 1].node != layout->changes[i].node)
            layout->changes[kept++] = layout->changes[i];
    layout->n_changes = kept;
}

/* The entry of each change, from the root down: boxes have smaller numbers than theirs. */
static void find_entries(const struct weft_dag_layout *layout, uint32_t *entries)
{
    const struct dag_entries *all = dag_entries_of(layout);
    for (size_t i = 0; i < layout->n_changes; i++)
        entries[i] = WEFT_NONE;
    if (layout->n_changes && layout->changes[0].node == 0 && all->n)
        entries[0] = 0;
    for (size_t i = 0; i < layout->n_changes; i++) {
        struct dag_boxes boxes = dag_boxes_in(all, entries[i]);
        for (size_t e = boxes.first; e < boxes.end; e++) {
            const struct dag_change *change = dag_change_of(layout, all->list[e].node);
            if (change)
                entries[change - layout->changes] = (uint32_t)e;
        }
    }
}

/* From the insides outwards.  A box around a change that is closed itself stays closed. */
static void measure_changes(struct weft_dag_layout *layout, const uint32_t *entries)
{
    for (size_t i = layout->n_changes; i-- > 0;) {
        struct dag_change *change = &layout->changes[i];
        if (change->how == DAG_AROUND && entries[i] == WEFT_NONE && !layout->small)
            change->how = DAG_CLOSED;
        if (change->how != DAG_CLOSED)
            change->size =
                dag_measure(layout, dag_entries_of(layout), change->node, entries[i]);
    }
}

struct weft_dag_layout *weft_dag_layout_change(const struct weft_dag_layout *base,
                                               const struct weft_entity_set *opened,
                                               const struct weft_entity_set *closed,
                                               struct weft_job *job, struct weft_err *err)
{
    struct weft_dag_layout *layout = weft_zalloc(1, sizeof *layout);
    size_t capacity = 0;
    *layout = (struct weft_dag_layout){ .dag = base->dag,
                                        .style = base->style,
                                        .small = base->small,
                                        .depth = base->depth,
                                        .base = base };
    if (!add_set(layout, &capacity, opened, DAG_OPENED, job, err)
        || !add_set(layout, &capacity, closed, DAG_CLOSED, job, err)) {
        weft_dag_layout_free(layout);
        return NULL;
    }
    settle(layout);
    uint32_t *entries = weft_alloc((layout->n_changes + 1) * sizeof *entries);
    find_entries(layout, entries);
    measure_changes(layout, entries);
    free(entries);
    return layout;
}
