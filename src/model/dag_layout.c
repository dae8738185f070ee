/* SPDX-License-Identifier: Apache-2.0 */
#include "model/dag_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    /*
     * When everything is open, a box of fewer nodes is not kept: measuring it again takes a
     * microsecond, and most boxes are such.
     */
    SMALL = 16,
    /* Below so many nodes all boxes are kept. */
    KEEP_ALL = 1 << 17,
    MOST_LOCAL = 2 * SMALL, /* boxes in a small box: more only if the file is damaged */
    STEP = 4096,            /* boxes between two looks at the job */
};

/* An open box.  Boxes are kept level by level, those inside one box side by side. */
struct entry {
    uint32_t node, depth;
    uint32_t first; /* the first box inside it */
    struct weft_dag_size size;
};

struct entries {
    struct entry *list;
    size_t n, capacity;
    bool is_fixed; /* the list may not grow */
};

/* A box whose size differs from that in the layout that this one is made from. */
struct change {
    uint32_t node;
    bool is_closed;
    struct weft_dag_size size;
};

struct weft_dag_layout {
    const struct weft_dag *dag;
    struct weft_dag_style style;
    struct entries entries;
    uint32_t small; /* boxes of fewer nodes are open and not kept; 0: there are none */
    uint32_t depth;
    uint64_t placed;
    const struct weft_dag_layout *base; /* whose entries are used; or NULL */
    struct change *changes;             /* by node */
    size_t n_changes;
};

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

/* A leaf, or what is closed. */
static struct weft_dag_size size_of_node(const struct weft_dag_layout *layout,
                                         uint32_t node)
{
    struct weft_dag_size size = { 0.5, 0.5, 1, 0 };
    struct weft_dag_node all;
    if (layout->style.scale == WEFT_DAG_ROUND)
        return size;
    weft_dag_node(layout->dag, node, &all);
    size.down = height(&layout->style, all.work);
    return size;
}

/* What follows a node in its box, as a box around the first thing of it. */
struct rest {
    struct weft_dag_size size;
    bool forks;    /* it begins with a create, whose task is */
    double task_x; /* here */
};

/* Where what follows a thing stands, from its place. */
struct follow {
    double next_x, task_x, y;
};

/* Put THING, and the TASK that it made (or NULL), before the REST (or NULL) of its box. */
static struct rest put_before(const struct weft_dag_layout *layout,
                              struct weft_dag_size thing, const struct weft_dag_size *task,
                              const struct rest *rest, struct follow *follow)
{
    struct rest all = { .size = thing };
    *follow = (struct follow){ .y = thing.down + WEFT_DAG_GAP_DOWN };
    if (rest && task) {
        follow->next_x =
            rest->forks ? -rest->task_x : rest->size.left + WEFT_DAG_GAP_ACROSS / 2;
        follow->task_x =
            follow->next_x - rest->size.left - WEFT_DAG_GAP_ACROSS - task->right;
        all.forks = true;
        all.task_x = follow->task_x;
    } else if (rest && layout->style.scale != WEFT_DAG_ROUND) {
        follow->next_x = thing.tail; /* long nodes go on below the end of a section */
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

static struct weft_dag_size box_around(struct weft_dag_size inside)
{
    return (struct weft_dag_size){ inside.left + WEFT_DAG_PAD, inside.right + WEFT_DAG_PAD,
                                   inside.down + 2 * WEFT_DAG_PAD, inside.tail };
}

/* ---- Which boxes are open ---- */

static bool in_set(const struct weft_entity_set *set, uint32_t node)
{
    return set && set->n_ranges && weft_entity_set_contains(set, weft_dag_layout_id(node));
}

static bool has_inside(const struct weft_dag_node *shape)
{
    return shape->kind >= WEFT_DAG_LEAF_KINDS && shape->n > 0;
}

static bool is_open(const struct weft_dag_expansion *expansion, uint32_t node,
                    uint32_t depth)
{
    if (in_set(expansion->opened, node))
        return true;
    return (expansion->depth == WEFT_DAG_ALL || depth < expansion->depth)
           && !in_set(expansion->closed, node);
}

static bool is_small(const struct weft_dag_layout *layout, uint32_t node)
{
    struct weft_dag_node all;
    if (!layout->small)
        return false;
    weft_dag_node(layout->dag, node, &all);
    return all.materialized < layout->small;
}

static void add_entry(struct entries *entries, uint32_t node, uint32_t depth)
{
    if (!entries->is_fixed)
        entries->list = weft_grow(entries->list, &entries->capacity, entries->n + 1,
                                  sizeof *entries->list);
    else if (entries->n == entries->capacity)
        return;
    entries->list[entries->n++] = (struct entry){ .node = node, .depth = depth };
}

struct listing {
    const struct weft_dag_layout *layout;
    const struct weft_dag_expansion *expansion;
    struct entries *entries;
    bool keeps_small;
};

static void list_one(const struct listing *l, uint32_t node,
                     const struct weft_dag_node *shape, uint32_t depth)
{
    if (has_inside(shape) && is_open(l->expansion, node, depth)
        && (l->keeps_small || !is_small(l->layout, node)))
        add_entry(l->entries, node, depth);
}

/* List the open boxes directly inside one; returns how many things are inside. */
static uint64_t list_inside(const struct listing *l, size_t index)
{
    const struct weft_dag *dag = l->layout->dag;
    struct entry box = l->entries->list[index];
    struct weft_dag_node shape, inner, task;
    uint64_t n = 0;
    l->entries->list[index].first = (uint32_t)l->entries->n;
    weft_dag_shape(dag, box.node, &shape);
    for (uint32_t i = 0; i < shape.n; i++, n++) {
        weft_dag_shape(dag, shape.first + i, &inner);
        list_one(l, shape.first + i, &inner, box.depth + 1);
        if (inner.kind != WEFT_DAG_CREATE || inner.created == WEFT_NONE)
            continue;
        weft_dag_shape(dag, inner.created, &task);
        list_one(l, inner.created, &task, box.depth + 1);
        n++;
    }
    return n;
}

/* Forget the boxes at DEPTH and below. */
static void cut_at(struct weft_dag_layout *layout, uint32_t depth)
{
    struct entries *entries = &layout->entries;
    while (entries->n && entries->list[entries->n - 1].depth >= depth)
        entries->n--;
    layout->depth = depth;
}

/* At most MOST things; when there are more, the levels that they are on are cut. */
static bool list_boxes(struct weft_dag_layout *layout,
                       const struct weft_dag_expansion *expansion, uint64_t most,
                       struct weft_job *job, struct weft_err *err)
{
    struct listing listing = { layout, expansion, &layout->entries, !layout->small };
    struct weft_dag_node shape;
    uint32_t level = 0;
    uint64_t above = 1; /* things placed when this level is closed */
    layout->placed = 1;
    layout->depth = expansion->depth;
    layout->entries.n = 0;
    weft_dag_shape(layout->dag, 0, &shape);
    if (has_inside(&shape) && is_open(expansion, 0, 0))
        add_entry(&layout->entries, 0, 0);
    for (size_t i = 0; i < layout->entries.n; i++) {
        if (layout->entries.list[i].depth > level) {
            level = layout->entries.list[i].depth;
            above = layout->placed;
        }
        layout->placed += list_inside(&listing, i);
        if (expansion->depth != WEFT_DAG_ALL && layout->placed > most) {
            layout->placed = above;
            cut_at(layout, level);
            return true;
        }
        if (i % STEP == 0 && !weft_job_step(job, i, 0, err))
            return false;
    }
    return true;
}

/* ---- Measuring ---- */

static const struct change *change_of(const struct weft_dag_layout *layout, uint32_t node)
{
    size_t low = 0, high = layout->n_changes;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (layout->changes[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < layout->n_changes && layout->changes[low].node == node
               ? &layout->changes[low]
               : NULL;
}

static const struct entries *entries_of(const struct weft_dag_layout *layout)
{
    return layout->base ? &layout->base->entries : &layout->entries;
}

/* Walks the boxes inside a box beside its children, from the last one to the first. */
struct boxes {
    const struct entries *entries;
    size_t first, end;
};

static struct boxes boxes_in(const struct entries *entries, uint32_t entry)
{
    struct boxes boxes = { entries, 0, 0 };
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

static uint32_t take_box(struct boxes *boxes, uint32_t node)
{
    if (boxes->end > boxes->first && boxes->entries->list[boxes->end - 1].node == node)
        return (uint32_t)--boxes->end;
    return WEFT_NONE;
}

static struct weft_dag_size measure_small(const struct weft_dag_layout *layout,
                                          uint32_t node);

/* The size of a thing inside a box; *ENTRY and *OPEN say what it is. */
static struct weft_dag_size size_of(const struct weft_dag_layout *layout,
                                    struct boxes *boxes, uint32_t node,
                                    const struct weft_dag_node *shape, uint32_t *entry,
                                    bool *open)
{
    *entry = WEFT_NONE;
    *open = false;
    if (!has_inside(shape))
        return size_of_node(layout, node);
    *entry = take_box(boxes, node);
    const struct change *change = layout->n_changes ? change_of(layout, node) : NULL;
    if (change && change->is_closed)
        return size_of_node(layout, node);
    *open = true;
    if (change)
        return change->size;
    if (*entry != WEFT_NONE)
        return boxes->entries->list[*entry].size;
    if (is_small(layout, node))
        return measure_small(layout, node);
    *open = false;
    return size_of_node(layout, node);
}

/* The size of an open box, from those of what is directly inside. */
static struct weft_dag_size measure(const struct weft_dag_layout *layout,
                                    const struct entries *entries, uint32_t node,
                                    uint32_t entry)
{
    struct boxes boxes = boxes_in(entries, entry);
    struct weft_dag_node shape, inner, made;
    struct weft_dag_size task = { 0 };
    struct follow follow;
    struct rest rest = { 0 };
    uint32_t at;
    bool open;
    weft_dag_shape(layout->dag, node, &shape);
    for (uint32_t i = shape.n; i-- > 0;) {
        weft_dag_shape(layout->dag, shape.first + i, &inner);
        bool makes = inner.kind == WEFT_DAG_CREATE && inner.created != WEFT_NONE;
        if (makes) {
            weft_dag_shape(layout->dag, inner.created, &made);
            task = size_of(layout, &boxes, inner.created, &made, &at, &open);
        }
        struct weft_dag_size thing =
            size_of(layout, &boxes, shape.first + i, &inner, &at, &open);
        rest = put_before(layout, thing, makes ? &task : NULL,
                          i + 1 < shape.n ? &rest : NULL, &follow);
    }
    return box_around(rest.size);
}

/* Measure a box of few nodes, in which everything is open. */
static struct weft_dag_size measure_small(const struct weft_dag_layout *layout,
                                          uint32_t node)
{
    struct entry list[MOST_LOCAL];
    struct entries entries = { list, 0, MOST_LOCAL, true };
    const struct weft_dag_expansion all = { .depth = WEFT_DAG_ALL };
    struct weft_dag_layout local = { .dag = layout->dag, .style = layout->style };
    struct listing listing = { &local, &all, &entries, true };
    add_entry(&entries, node, 0);
    for (size_t i = 0; i < entries.n; i++)
        list_inside(&listing, i);
    for (size_t i = entries.n; i-- > 0;)
        list[i].size = measure(&local, &entries, list[i].node, (uint32_t)i);
    return list[0].size;
}

struct weft_dag_layout *weft_dag_layout_new(const struct weft_dag *dag,
                                            struct weft_dag_style style,
                                            struct weft_dag_expansion expansion,
                                            struct weft_job *job, struct weft_err *err)
{
    struct weft_dag_layout *layout = weft_zalloc(1, sizeof *layout);
    struct entries *entries = &layout->entries;
    layout->dag = dag;
    layout->style = style;
    uint64_t most = expansion.most ? expansion.most : WEFT_DAG_LAYOUT_MOST;
    if (expansion.depth == WEFT_DAG_ALL && weft_dag_size(dag) > KEEP_ALL)
        layout->small = SMALL;
    bool ok = list_boxes(layout, &expansion, most, job, err);
    if (ok
        && layout->depth
               < expansion.depth) { /* so deep at most; and what is opened below */
        expansion.depth = layout->depth;
        ok = list_boxes(layout, &expansion, WEFT_DAG_LAYOUT_MOST, job, err);
    }
    for (size_t i = entries->n; ok && i-- > 0;) {
        entries->list[i].size =
            measure(layout, entries, entries->list[i].node, (uint32_t)i);
        if (i % STEP == 0)
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
    const struct entries *entries = entries_of(layout);
    const struct change *change = change_of(layout, 0);
    struct weft_dag_node shape;
    weft_dag_shape(layout->dag, 0, &shape);
    struct weft_dag_child root = { .kind = shape.kind, .n = shape.n, .entry = WEFT_NONE };
    if (entries->n && entries->list[0].node == 0)
        root.entry = 0;
    root.open = root.entry != WEFT_NONE && !(change && change->is_closed);
    root.size = !root.open ? size_of_node(layout, 0)
                : change   ? change->size
                           : entries->list[0].size;
    return root;
}

static struct weft_dag_child child_of(const struct weft_dag_layout *layout,
                                      struct boxes *boxes, uint32_t node,
                                      const struct weft_dag_node *shape)
{
    struct weft_dag_child child = { .node = node, .kind = shape->kind, .n = shape->n };
    child.size = size_of(layout, boxes, node, shape, &child.entry, &child.open);
    return child;
}

/* From END backwards: x and y of each child are where what follows it stands, from its place. */
static struct weft_dag_child *fill_backwards(const struct weft_dag_layout *layout,
                                             const struct weft_dag_child *box,
                                             const struct weft_dag_node *shape,
                                             struct weft_dag_child *end)
{
    struct boxes boxes = boxes_in(entries_of(layout), box->entry);
    struct weft_dag_child *at = end;
    struct rest rest = { 0 };
    struct follow follow;
    for (uint32_t i = shape->n; i-- > 0;) {
        struct weft_dag_node inner, made;
        struct weft_dag_child task = { 0 };
        weft_dag_shape(layout->dag, shape->first + i, &inner);
        bool makes = inner.kind == WEFT_DAG_CREATE && inner.created != WEFT_NONE;
        if (makes) {
            weft_dag_shape(layout->dag, inner.created, &made);
            task = child_of(layout, &boxes, inner.created, &made);
            task.is_created = true;
        }
        struct weft_dag_child thing = child_of(layout, &boxes, shape->first + i, &inner);
        rest = put_before(layout, thing.size, makes ? &task.size : NULL,
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

/* ---- Closing some of what is all open ---- */

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

static int by_node(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    return x->node != y->node ? (x->node < y->node ? -1 : 1) : y->is_closed - x->is_closed;
}

static void add_change(struct weft_dag_layout *layout, size_t *capacity, uint32_t node,
                       bool is_closed)
{
    layout->changes = weft_grow(layout->changes, capacity, layout->n_changes + 1,
                                sizeof *layout->changes);
    layout->changes[layout->n_changes++] =
        (struct change){ .node = node, .is_closed = is_closed };
}

/* The closed nodes and all boxes that they are inside of, by number, each once. */
static bool list_changes(struct weft_dag_layout *layout,
                         const struct weft_entity_set *closed, struct weft_job *job,
                         struct weft_err *err)
{
    uint32_t size = weft_dag_size(layout->dag);
    size_t capacity = 0, kept = 0;
    for (size_t i = 0; i < closed->n_ranges; i++) {
        struct weft_entity_range range = closed->ranges[i];
        if (weft_entity_track(range.first) != WEFT_DAG_TRACK)
            continue;
        for (uint64_t id = range.first; id <= range.last; id++) {
            if (weft_entity_ordinal(id) >= size)
                break;
            uint32_t node = (uint32_t)weft_entity_ordinal(id);
            add_change(layout, &capacity, node, true);
            while ((node = box_of(layout->dag, node)) != WEFT_NONE)
                add_change(layout, &capacity, node, false);
            if (!weft_job_step(job, i, closed->n_ranges, err))
                return false;
        }
    }
    if (layout->n_changes)
        qsort(layout->changes, layout->n_changes, sizeof *layout->changes, by_node);
    for (size_t i = 0; i < layout->n_changes; i++)
        if (!kept || layout->changes[kept - 1].node != layout->changes[i].node)
            layout->changes[kept++] = layout->changes[i];
    layout->n_changes = kept;
    return true;
}

/* The entry of each change, found from the root down: boxes have smaller numbers than theirs. */
static uint32_t entry_of(const struct weft_dag_layout *layout, uint32_t node,
                         const uint32_t *entries)
{
    const struct entries *all = entries_of(layout);
    if (node == 0)
        return all->n ? 0 : WEFT_NONE;
    const struct change *box = change_of(layout, box_of(layout->dag, node));
    if (!box || entries[box - layout->changes] == WEFT_NONE)
        return WEFT_NONE;
    struct boxes boxes = boxes_in(all, entries[box - layout->changes]);
    for (size_t i = boxes.first; i < boxes.end; i++)
        if (all->list[i].node == node)
            return (uint32_t)i;
    return WEFT_NONE;
}

struct weft_dag_layout *weft_dag_layout_close(const struct weft_dag_layout *base,
                                              const struct weft_entity_set *closed,
                                              struct weft_job *job, struct weft_err *err)
{
    struct weft_dag_layout *layout = weft_zalloc(1, sizeof *layout);
    *layout = (struct weft_dag_layout){ .dag = base->dag,
                                        .style = base->style,
                                        .small = base->small,
                                        .depth = base->depth,
                                        .base = base };
    if (!list_changes(layout, closed, job, err)) {
        weft_dag_layout_free(layout);
        return NULL;
    }
    uint32_t *entries = weft_zalloc(layout->n_changes + 1, sizeof *entries);
    for (size_t i = 0; i < layout->n_changes; i++)
        entries[i] = entry_of(layout, layout->changes[i].node, entries);
    for (size_t i = layout->n_changes; i-- > 0;)
        if (!layout->changes[i].is_closed)
            layout->changes[i].size =
                measure(layout, entries_of(layout), layout->changes[i].node, entries[i]);
    free(entries);
    return layout;
}
