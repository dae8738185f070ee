/* SPDX-License-Identifier: Apache-2.0 */
#include "base/compare.h"
#include "domains/tasks/model/dag_layout_priv.h"

#include <stdlib.h>

#include "base/hash_map.h"
#include "base/memory.h"

/* Finds the boxes that change.  Results are cached by box, so that the climb from a node to
   the root stops at the first box seen before: nodes may be many and deeply nested. */
struct change_search {
    struct weft_dag_layout *layout;
    size_t capacity;
    struct weft_id_map depths; /* by node: number of boxes around it */
    struct weft_id_map around; /* boxes listed as DAG_AROUND */
    uint64_t looked_at;
    struct weft_job *job;
    struct weft_err *err;
};

static bool go_on(struct change_search *c)
{
    return c->looked_at++ % DAG_LAYOUT_STEP
           || weft_job_step(c->job, c->looked_at, 0, c->err);
}

/* The innermost box around a node; for a task, the one around its create. */
static uint32_t box_of(const struct weft_dag *dag, uint32_t node)
{
    struct weft_dag_node shape, parent;
    weft_dag_shape(dag, node, &shape);
    if (shape.parent == WEFT_NONE || shape.parent >= node)
        return WEFT_NONE;
    weft_dag_shape(dag, shape.parent, &parent);
    return parent.kind == WEFT_DAG_CREATE ? parent.parent : shape.parent;
}

/* By node; for equal nodes DAG_OPENED and DAG_CLOSED come before DAG_AROUND. */
static int by_node(const void *a, const void *b)
{
    const struct dag_change *x = a, *y = b;
    return WEFT_COMPARE(x->node, y->node) ?: WEFT_COMPARE(y->how, x->how);
}

static void add_change(struct change_search *c, uint32_t node, enum dag_change_how how)
{
    struct weft_dag_layout *layout = c->layout;
    layout->changes = weft_grow(layout->changes, &c->capacity, layout->n_changes + 1,
                                sizeof *layout->changes);
    layout->changes[layout->n_changes++] = (struct dag_change){ .node = node, .how = how };
}

/* Sets *DEPTH to the number of boxes around a node. */
static bool find_depth(struct change_search *c, uint32_t node, uint32_t *depth)
{
    uint32_t above = 0, known = WEFT_MAP_NONE, at = node;
    while (at != WEFT_NONE && (known = weft_id_map_get(&c->depths, at)) == WEFT_MAP_NONE) {
        above++;
        at = box_of(c->layout->dag, at);
        if (!go_on(c))
            return false;
    }
    *depth = at == WEFT_NONE ? above - 1 : above + known;
    for (uint32_t is = *depth; node != at; node = box_of(c->layout->dag, node))
        weft_id_map_put(&c->depths, node, is--);
    return true;
}

/* Adds a change if a node is opened below the depth or closed above it; other members of a
   set have no effect. */
static bool add_node(struct change_search *c, uint32_t node, enum dag_change_how how)
{
    const struct weft_dag_layout *layout = c->layout;
    struct weft_dag_node shape;
    uint32_t depth = 0;
    weft_dag_shape(layout->dag, node, &shape);
    if (!dag_has_inside(&shape))
        return true;
    if (layout->depth != WEFT_DAG_ALL && !find_depth(c, node, &depth))
        return false;
    bool by_depth = layout->depth == WEFT_DAG_ALL || depth < layout->depth;
    if (by_depth != (how == DAG_CLOSED))
        return true;
    add_change(c, node, how);
    while ((node = box_of(layout->dag, node)) != WEFT_NONE
           && weft_id_map_get(&c->around, node) == WEFT_MAP_NONE) {
        weft_id_map_put(&c->around, node, 1);
        add_change(c, node, DAG_AROUND);
        if (!go_on(c))
            return false;
    }
    return true;
}

static bool add_set(struct change_search *c, const struct weft_entity_set *set,
                    enum dag_change_how how)
{
    uint32_t size = weft_dag_size(c->layout->dag);
    for (size_t i = 0; set && i < set->n_ranges; i++) {
        struct weft_entity_range range = set->ranges[i];
        if (weft_entity_track(range.first) != WEFT_NODE_TRACK)
            continue;
        for (uint64_t id = range.first; id <= range.last; id++) {
            if (weft_entity_ordinal(id) >= size)
                break;
            if (!go_on(c) || !add_node(c, (uint32_t)weft_entity_ordinal(id), how))
                return false;
        }
    }
    return true;
}

static bool find_changes(struct weft_dag_layout *layout,
                         const struct weft_entity_set *opened,
                         const struct weft_entity_set *closed, struct weft_job *job,
                         struct weft_err *err)
{
    struct change_search c = { .layout = layout, .job = job, .err = err };
    bool ok = add_set(&c, opened, DAG_OPENED) && add_set(&c, closed, DAG_CLOSED);
    weft_id_map_free(&c.depths);
    weft_id_map_free(&c.around);
    return ok;
}

/* Sorts the changes by node and removes duplicates. */
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

/* Finds the entry of each change, from the root down, since boxes have lower numbers than
   those inside. */
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

/* Measures the changes from the inside outwards.  A box around a change that is closed
   itself stays closed. */
static bool measure_changes(struct weft_dag_layout *layout, const uint32_t *entries,
                            struct weft_job *job, struct weft_err *err)
{
    for (size_t i = layout->n_changes; i-- > 0;) {
        struct dag_change *change = &layout->changes[i];
        if (change->how == DAG_AROUND && entries[i] == WEFT_NONE && !layout->small)
            change->how = DAG_CLOSED;
        if (change->how != DAG_CLOSED)
            change->size =
                dag_measure(layout, dag_entries_of(layout), change->node, entries[i]);
        if (i % DAG_LAYOUT_STEP == 0
            && !weft_job_step(job, layout->n_changes - i, layout->n_changes, err))
            return false;
    }
    return true;
}

struct weft_dag_layout *weft_dag_layout_change(const struct weft_dag_layout *base,
                                               const struct weft_entity_set *opened,
                                               const struct weft_entity_set *closed,
                                               struct weft_job *job, struct weft_err *err)
{
    struct weft_dag_layout *layout = weft_zalloc(1, sizeof *layout);
    *layout = (struct weft_dag_layout){ .dag = base->dag,
                                        .style = base->style,
                                        .small = base->small,
                                        .depth = base->depth,
                                        .base = base };
    bool ok = find_changes(layout, opened, closed, job, err);
    if (ok) {
        settle(layout);
        uint32_t *entries = weft_alloc((layout->n_changes + 1) * sizeof *entries);
        find_entries(layout, entries);
        ok = measure_changes(layout, entries, job, err);
        free(entries);
    }
    if (ok)
        return layout;
    weft_dag_layout_free(layout);
    return NULL;
}
