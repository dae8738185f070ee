/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/tasks/model/dag_layout_priv.h"

#include <stdlib.h>

#include "base/memory.h"

enum {
    /* If everything is open, boxes with fewer nodes have no entry: measuring one again
       takes a microsecond, and most boxes are that small. */
    SMALL = 16,
    /* With fewer nodes all boxes have entries. */
    KEEP_ALL = 1 << 17,
    MAX_LOCAL_BOXES = 2 * SMALL, /* boxes in a small box; more only in a damaged file */
};

/* ---- Which boxes are open ---- */

static bool in_set(const struct weft_entity_set *set, uint32_t node)
{
    return set && set->n_ranges && weft_entity_set_contains(set, weft_dag_layout_id(node));
}

static bool is_open(const struct weft_dag_expansion *expansion, uint32_t node,
                    uint32_t depth)
{
    bool by_depth = expansion->depth == WEFT_DAG_ALL || depth < expansion->depth;
    return by_depth ? !in_set(expansion->closed, node) : in_set(expansion->opened, node);
}

bool dag_is_small(const struct weft_dag_layout *layout, uint32_t node)
{
    struct weft_dag_node all;
    if (!layout->small)
        return false;
    weft_dag_node(layout->dag, node, &all);
    return all.materialized < layout->small;
}

static void add_entry(struct dag_entries *entries, uint32_t node, uint32_t depth)
{
    if (!entries->is_fixed)
        entries->list = weft_grow(entries->list, &entries->capacity, entries->n + 1,
                                  sizeof *entries->list);
    else if (entries->n == entries->capacity)
        return;
    entries->list[entries->n++] = (struct dag_entry){ .node = node, .depth = depth };
}

struct box_listing {
    const struct weft_dag_layout *layout;
    const struct weft_dag_expansion *expansion;
    struct dag_entries *entries;
    bool keeps_small;
    uint64_t below; /* nodes in the boxes added last, without created tasks */
};

static void list_one(struct box_listing *l, uint32_t node,
                     const struct weft_dag_node *shape, uint32_t depth)
{
    if (!dag_has_inside(shape) || !is_open(l->expansion, node, depth)
        || (!l->keeps_small && dag_is_small(l->layout, node)))
        return;
    add_entry(l->entries, node, depth);
    l->below += shape->n;
}

/* Lists the open boxes directly inside a box; returns the number of nodes in it. */
static uint64_t list_inside(struct box_listing *l, size_t index)
{
    const struct weft_dag *dag = l->layout->dag;
    struct dag_entry box = l->entries->list[index];
    struct weft_dag_node shape, inner, task;
    uint64_t n = 0;
    l->entries->list[index].first = (uint32_t)l->entries->n;
    weft_dag_shape(dag, box.node, &shape);
    for (uint32_t i = 0; i < shape.n; i++, n++) {
        weft_dag_glance(dag, shape.first + i, &inner);
        list_one(l, shape.first + i, &inner, box.depth + 1);
        if (inner.kind != WEFT_DAG_CREATE || inner.created == WEFT_NONE)
            continue;
        weft_dag_glance(dag, inner.created, &task);
        list_one(l, inner.created, &task, box.depth + 1);
        n++;
    }
    return n;
}

/* Removes the boxes at DEPTH and below. */
static void cut_at(struct weft_dag_layout *layout, uint32_t depth)
{
    struct dag_entries *entries = &layout->entries;
    while (entries->n && entries->list[entries->n - 1].depth >= depth)
        entries->n--;
    layout->depth = depth;
}

/*
 * Lists the open boxes with at most MOST nodes in total; if there are more, the levels that
 * exceed it are removed.  A level whose size is known to be too large is not visited, since
 * visiting takes most of the time.
 */
static bool list_boxes(struct weft_dag_layout *layout,
                       const struct weft_dag_expansion *expansion, uint64_t most,
                       struct weft_job *job, struct weft_err *err)
{
    struct box_listing listing = { layout, expansion, &layout->entries, !layout->small, 0 };
    struct weft_dag_node shape;
    uint32_t level = 0;
    uint64_t above = 1; /* nodes placed if this level is closed */
    uint64_t known = 0; /* lower bound of the nodes of the next level */
    layout->placed = 1;
    layout->depth = expansion->depth;
    layout->entries.n = 0;
    weft_dag_shape(layout->dag, 0, &shape);
    if (dag_has_inside(&shape) && is_open(expansion, 0, 0))
        add_entry(&layout->entries, 0, 0);
    for (size_t i = 0; i < layout->entries.n; i++) {
        if (layout->entries.list[i].depth > level) {
            level = layout->entries.list[i].depth;
            above = layout->placed;
            known = listing.below;
            listing.below = 0;
        }
        if (expansion->depth == WEFT_DAG_ALL || layout->placed + known <= most)
            layout->placed += list_inside(&listing, i);
        else
            layout->placed += known;
        known = 0;
        if (expansion->depth != WEFT_DAG_ALL && layout->placed > most) {
            layout->placed = above;
            cut_at(layout, level);
            return true;
        }
        if (i % DAG_LAYOUT_STEP == 0 && !weft_job_step(job, i, 0, err))
            return false;
    }
    return true;
}

/* Measures a box of few nodes in which everything is open. */
struct weft_dag_size dag_measure_all(const struct weft_dag_layout *layout, uint32_t node)
{
    struct dag_entry list[MAX_LOCAL_BOXES];
    struct dag_entries entries = { list, 0, MAX_LOCAL_BOXES, true };
    const struct weft_dag_expansion all = { .depth = WEFT_DAG_ALL };
    struct weft_dag_layout local = { .dag = layout->dag, .style = layout->style };
    struct box_listing listing = { &local, &all, &entries, true, 0 };
    add_entry(&entries, node, 0);
    for (size_t i = 0; i < entries.n; i++)
        list_inside(&listing, i);
    for (size_t i = entries.n; i-- > 0;)
        list[i].size = dag_measure(&local, &entries, list[i].node, (uint32_t)i);
    return list[0].size;
}

/* Limits the depth to that of the DAG, so that one level less has an effect. */
static void limit_depth(struct weft_dag_layout *layout,
                        const struct weft_dag_expansion *expansion)
{
    const struct dag_entries *entries = &layout->entries;
    uint32_t levels = entries->n ? entries->list[entries->n - 1].depth + 1 : 1;
    bool some_closed = expansion->closed && expansion->closed->n_ranges;
    if (layout->depth != WEFT_DAG_ALL && levels < layout->depth && !some_closed)
        layout->depth = levels;
}

struct weft_dag_layout *weft_dag_layout_new(const struct weft_dag *dag,
                                            struct weft_dag_style style,
                                            struct weft_dag_expansion expansion,
                                            struct weft_job *job, struct weft_err *err)
{
    struct weft_dag_layout *layout = weft_zalloc(1, sizeof *layout);
    struct dag_entries *entries = &layout->entries;
    layout->dag = dag;
    layout->style = style;
    uint64_t most = expansion.most ? expansion.most : WEFT_DAG_LAYOUT_MAX;
    if (expansion.depth == WEFT_DAG_ALL && weft_dag_size(dag) > KEEP_ALL)
        layout->small = SMALL;
    bool ok = list_boxes(layout, &expansion, most, job, err);
    bool opens = expansion.opened && expansion.opened->n_ranges;
    if (ok && opens
        && layout->depth < expansion.depth) { /* again: opened nodes may be deeper */
        expansion.depth = layout->depth;
        ok = list_boxes(layout, &expansion, WEFT_DAG_LAYOUT_MAX, job, err);
    }
    if (ok)
        limit_depth(layout, &expansion);
    for (size_t i = entries->n; ok && i-- > 0;) {
        entries->list[i].size =
            dag_measure(layout, entries, entries->list[i].node, (uint32_t)i);
        if (i % DAG_LAYOUT_STEP == 0)
            ok = weft_job_step(job, entries->n - i, entries->n, err);
    }
    if (ok)
        return layout;
    weft_dag_layout_free(layout);
    return NULL;
}

void weft_dag_layout_free(struct weft_dag_layout *layout)
{
    if (!layout)
        return;
    free(layout->entries.list);
    free(layout->changes);
    free(layout);
}

size_t weft_dag_layout_bytes(const struct weft_dag_layout *layout)
{
    return sizeof *layout + layout->entries.capacity * sizeof *layout->entries.list
           + layout->n_changes * sizeof *layout->changes;
}

uint32_t weft_dag_layout_depth(const struct weft_dag_layout *layout)
{
    return layout->depth;
}

uint64_t weft_dag_layout_placed(const struct weft_dag_layout *layout)
{
    return layout->depth == WEFT_DAG_ALL ? 0 : layout->placed;
}

/* ---- Asking ---- */

struct weft_dag_child weft_dag_layout_root(const struct weft_dag_layout *layout)
{
    const struct dag_entries *entries = dag_entries_of(layout);
    const struct dag_change *change = dag_change_of(layout, 0);
    struct weft_dag_node shape;
    weft_dag_shape(layout->dag, 0, &shape);
    struct weft_dag_child root = { .kind = shape.kind, .n = shape.n, .entry = WEFT_NONE };
    if (entries->n && entries->list[0].node == 0)
        root.entry = 0;
    root.open = change ? change->how != DAG_CLOSED : root.entry != WEFT_NONE;
    root.size = !root.open ? dag_size_of_node(layout, 0)
                : change   ? change->size
                           : entries->list[0].size;
    return root;
}

static struct weft_dag_child child_of(const struct weft_dag_layout *layout,
                                      struct dag_boxes *boxes, uint32_t node,
                                      const struct weft_dag_node *shape)
{
    struct weft_dag_child child = { .node = node, .kind = shape->kind, .n = shape->n };
    child.size = dag_size_of(layout, boxes, node, shape, &child.entry, &child.open);
    return child;
}

/* Fills the list from END backwards; x and y of each child are at first the position of its
   successor, relative to it. */
static struct weft_dag_child *fill_backwards(const struct weft_dag_layout *layout,
                                             const struct weft_dag_child *box,
                                             const struct weft_dag_node *shape,
                                             struct weft_dag_child *end)
{
    struct dag_boxes boxes = dag_boxes_in(dag_entries_of(layout), box->entry);
    struct weft_dag_child *at = end;
    struct dag_rest rest = { 0 };
    struct dag_follow follow;
    for (uint32_t i = shape->n; i-- > 0;) {
        struct weft_dag_node inner, made;
        struct weft_dag_child task = { 0 };
        weft_dag_glance(layout->dag, shape->first + i, &inner);
        bool makes = inner.kind == WEFT_DAG_CREATE && inner.created != WEFT_NONE;
        if (makes) {
            weft_dag_glance(layout->dag, inner.created, &made);
            task = child_of(layout, &boxes, inner.created, &made);
            task.is_created = true;
        }
        struct weft_dag_child thing = child_of(layout, &boxes, shape->first + i, &inner);
        rest = dag_put_before(layout, thing.size, makes ? &task.size : NULL,
                              i + 1 < shape->n ? &rest : NULL, &follow);
        thing.x = follow.next_x;
        thing.y = follow.y;
        task.x = follow.task_x;
        if (makes)
            *--at = task;
        *--at = thing;
    }
    return at;
}

struct weft_dag_child *weft_dag_layout_children(const struct weft_dag_layout *layout,
                                                const struct weft_dag_child *box,
                                                struct weft_arena *arena, size_t *n)
{
    struct weft_dag_node shape;
    weft_dag_shape(layout->dag, box->node, &shape);
    size_t most = 2 * (size_t)shape.n;
    struct weft_dag_child *list = weft_arena_alloc(arena, (most + 1) * sizeof *list);
    struct weft_dag_child *begin = fill_backwards(layout, box, &shape, list + most);
    double x = 0, y = WEFT_DAG_PAD, next_x = 0, next_y = WEFT_DAG_PAD;
    *n = (size_t)(list + most - begin);
    for (size_t i = 0; i < *n; i++) {
        struct weft_dag_child *child = &begin[i];
        if (child->is_created) {
            child->x += x;
            child->y = next_y;
            continue;
        }
        x = next_x;
        y = next_y;
        next_x = x + child->x;
        next_y = y + child->y;
        child->x = x;
        child->y = y;
    }
    return begin;
}
