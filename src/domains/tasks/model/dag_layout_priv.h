/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the layout of a task DAG: dag_layout.c lists the open boxes and answers queries,
 * dag_layout_sizes.c computes sizes, dag_layout_change.c opens and closes nodes of an
 * existing layout.
 */
#ifndef WEFT_MODEL_DAG_LAYOUT_PRIV_H
#define WEFT_MODEL_DAG_LAYOUT_PRIV_H

#include "domains/tasks/model/dag_layout.h"

enum { DAG_LAYOUT_STEP = 4096 /* boxes between two looks whether the job is cancelled */ };

/* An open section or task, drawn as a box. */
struct dag_entry {
    uint32_t node, depth; /* number in the DAG; boxes around it */
    /* Index, in the same list, of the first entry directly inside it; they end where the
       next entry's begin. */
    uint32_t first;
    struct weft_dag_size size;
};

/* The open boxes of a layout, level by level; those inside one box are consecutive. */
struct dag_entries {
    struct dag_entry *list;
    size_t n, capacity;
    bool is_fixed; /* the list may not grow: entries beyond its capacity are dropped */
};

/* How a box of a layout differs from that of the base layout. */
enum dag_change_how {
    DAG_AROUND, /* a box around one that changes */
    DAG_OPENED, /* open, and closed in the base */
    DAG_CLOSED  /* closed, and perhaps open in the base */
};

/* A section or task that weft_dag_layout_change() opens or closes, or whose box has another
   size than in the base layout. */
struct dag_change {
    uint32_t node;
    enum dag_change_how how;
    struct weft_dag_size size; /* of its open box; not set for DAG_CLOSED */
};

/* The layout of a task DAG (dag_layout.h): the sizes of its open boxes, or, if it has a
   base, how these differ from the base's.  It owns its entries and changes. */
struct weft_dag_layout {
    const struct weft_dag *dag;
    struct weft_dag_style style;
    struct dag_entries entries; /* empty if it has a base */
    uint32_t small;  /* open boxes with fewer nodes inside have no entry; 0: all have one */
    uint32_t depth;  /* nodes nested less deeply are open, or WEFT_DAG_ALL */
    uint64_t placed; /* nodes in the layout; 0: not counted */
    const struct weft_dag_layout *base; /* layout that has the entries; NULL: this one */
    struct dag_change *changes;         /* sorted by node */
    size_t n_changes;
};

/* ---- dag_layout.c ---- */

/* Returns true for a section or task with children; SHAPE is from weft_dag_glance() or
   weft_dag_shape(). */
static inline bool dag_has_inside(const struct weft_dag_node *shape)
{
    return shape->kind >= WEFT_DAG_LEAF_KINDS && shape->n > 0;
}

/* Returns true if the layout keeps no entry (size) of NODE's open box, since fewer than
   layout->small nodes are in it; false for all if that is 0. */
bool dag_is_small(const struct weft_dag_layout *layout, uint32_t node);
/* Returns the size of the box of NODE, which has few nodes inside (dag_is_small) and so no
   entry in LAYOUT, with everything inside open. */
struct weft_dag_size dag_measure_all(const struct weft_dag_layout *layout, uint32_t node);

/* ---- dag_layout_sizes.c ---- */

/* A node and its later siblings, with the tasks that these created: their bounding box,
   relative to the position of the first node, in node widths. */
struct dag_rest {
    struct weft_dag_size size;
    bool forks;    /* the first one is a create that has a task and a next sibling */
    double task_x; /* then: x of that create's task, relative to the create */
};

/* Positions of a node's next sibling and of the task that it created, relative to its own,
   in node widths; both have the same y, downwards. */
struct dag_follow {
    double next_x, task_x, y;
};

/* The open boxes directly inside a box that are still to be met: entries [first, end) of
   `entries`.  The caller goes through the box's children backwards, and lowers `end`. */
struct dag_boxes {
    const struct dag_entries *entries;
    size_t first, end;
};

/* Returns the size of NODE, a leaf or closed, by its work and the layout's style. */
struct weft_dag_size dag_size_of_node(const struct weft_dag_layout *layout, uint32_t node);
/*
 * Puts a node of size THING, and the TASK that it created (its size; NULL: none), above its
 * later siblings REST (NULL: it is the last).  Sets *FOLLOW to the positions of the next
 * sibling and the task relative to the node's, and returns the bounding box of the node,
 * its task and its later siblings.
 */
struct dag_rest dag_put_before(const struct weft_dag_layout *layout,
                               struct weft_dag_size thing, const struct weft_dag_size *task,
                               const struct dag_rest *rest, struct dag_follow *follow);
/* Returns the change of a node from the base layout, or NULL if there is none. */
const struct dag_change *dag_change_of(const struct weft_dag_layout *layout, uint32_t node);
/* Returns the entries (open boxes) of the layout's base, which owns them, or of the layout
   itself if it has none. */
const struct dag_entries *dag_entries_of(const struct weft_dag_layout *layout);
/* Returns the entries (open boxes) directly inside the box with index ENTRY in ENTRIES;
   none for WEFT_NONE. */
struct dag_boxes dag_boxes_in(const struct dag_entries *entries, uint32_t entry);
/*
 * Returns the size of NODE, a child of a box (SHAPE has its weft_dag_glance), and sets
 * *ENTRY and *OPEN as in weft_dag_child.  Called for the box's children from the last to
 * the first, a create's task before the create: takes the node's entry, if any, off
 * BOXES.
 */
struct weft_dag_size dag_size_of(const struct weft_dag_layout *layout,
                                 struct dag_boxes *boxes, uint32_t node,
                                 const struct weft_dag_node *shape, uint32_t *entry,
                                 bool *open);
/* Returns the size of NODE's open box, computed from those of its children, so open boxes
   inside it must have been measured before.  ENTRY is NODE's index in ENTRIES, or WEFT_NONE
   if it has none. */
struct weft_dag_size dag_measure(const struct weft_dag_layout *layout,
                                 const struct dag_entries *entries, uint32_t node,
                                 uint32_t entry);

#endif
