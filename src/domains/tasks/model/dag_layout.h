/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The positions of the nodes of a task DAG (dag/dag.h), after DAGViz (A. Huynh, "DAGViz: A
 * DAG Visualization Tool for Analyzing Task Parallel Programs", master's thesis, The
 * University of Tokyo, 2015; section 3.3 and appendices B.1 to B.4).  The successor of a
 * node is placed below it.  A create has two successors: the task that it made, at the
 * left, and the next node of its own task, at the right; the bounding boxes of everything
 * that follows on either side are placed side by side.  An open section or task is a box
 * around its children; a closed one is drawn like a single node.  Two boxes overlap only if
 * one is inside the other.
 *
 * The layout follows the listings of the thesis without their misprints: the left successor
 * mirrors the right one, distances downwards are vertical ones, and each phase calls
 * itself.  If the right successor is a create, too, its task is placed straight below the
 * create before it, as lines 36 and 37 of B.1 want; the left side is then moved away by the
 * width that this needs, which the listings forget.
 *
 * A layout keeps the sizes of open boxes only, no positions: the caller walks from the root
 * and enters the boxes that are visible (weft_dag_layout_children).  So the cost depends on
 * the number of open boxes.  If everything is open, the DAG is measured once, and the sizes
 * of boxes with few nodes are not kept but measured again when they are visible.
 *
 * The unit of length is the width of a node.  The position of a node or box is the point at
 * its upper end where edges arrive.
 */
#ifndef WEFT_MODEL_DAG_LAYOUT_H
#define WEFT_MODEL_DAG_LAYOUT_H

#include "base/progress_and_cancel.h"
#include "domains/tasks/dag/dag.h"
#include "store/entity_set.h"

/* Horizontal gap between neighbours, in node widths. */
#define WEFT_DAG_GAP_ACROSS 0.8
/* Vertical gap between a node and the next one, in node widths. */
#define WEFT_DAG_GAP_DOWN 0.8
/* Padding of a box, on each side, in node widths. */
#define WEFT_DAG_PAD 0.2

/* How the height of a node, in node widths, follows from its work in ns and
   weft_dag_style.radix; heights other than WEFT_DAG_ROUND's are cut to 0.25 to 1e9. */
enum weft_dag_scale {
    WEFT_DAG_ROUND,       /* 1: all nodes are of one size */
    WEFT_DAG_LINEAR,      /* work / radix */
    WEFT_DAG_LOGARITHMIC, /* logarithm of work + 1 to the base radix, divided by 4 */
    WEFT_DAG_POWER,       /* work to the power radix, divided by 20 */
};

/*
 * Says which sections and tasks are open, that is, drawn as boxes around their children
 * (the others are closed: one node each).  Less deep than DEPTH all are open but those in
 * `closed`; at DEPTH and deeper only those in `opened` are.  The caller owns the sets.
 */
struct weft_dag_expansion {
    /* Nodes nested less deeply than this are open (the root is at 0); or WEFT_DAG_ALL. */
    uint32_t depth;
    /* The layout reduces DEPTH until at most so many nodes are in it; 0:
       WEFT_DAG_LAYOUT_MAX.  If it did and `opened` has nodes, WEFT_DAG_LAYOUT_MAX is the
       limit instead.  No limit if DEPTH is WEFT_DAG_ALL. */
    uint32_t most;
    const struct weft_entity_set *opened, *closed; /* of weft_dag_layout_id(); or NULL */
};
#define WEFT_DAG_ALL UINT32_MAX /* instead of a depth: everything is open */

/* How high the nodes of a layout are: by their work, if scale is not WEFT_DAG_ROUND. */
struct weft_dag_style {
    enum weft_dag_scale scale;
    double radix; /* see enum weft_dag_scale; above 0; above 1 for WEFT_DAG_LOGARITHMIC */
    double ns_per_tick; /* of the trace's clock */
};

/* The extents of a node's or box's bounding box, measured from its position, in node
   widths; and the x at which edges leave it. */
struct weft_dag_size {
    double left, right, down;
    double tail; /* x of its last node, relative to its position */
};

/* A node of the layout, seen from the box (open section or task) around it; a copy that the
   layout's functions return. */
struct weft_dag_child {
    uint32_t node;
    enum weft_dag_kind kind;
    uint32_t n;      /* number of children, open or not, without created tasks */
    uint32_t entry;  /* for the layout's functions: index of its box in the list of open
                        boxes; WEFT_NONE if it has none */
    bool open;       /* its children are in the layout */
    bool is_created; /* a task, made by the create before it in the list */
    double x, y;     /* its position, in node widths from that of the box around it */
    struct weft_dag_size size;
};

/*
 * The most nodes in a layout whose depth is not WEFT_DAG_ALL.  If a depth would exceed it,
 * the depth is reduced; if explicitly opened nodes exceed it, their deepest levels stay
 * closed.  This many are laid out within one frame of the screen.
 */
enum { WEFT_DAG_LAYOUT_MAX = 1 << 14 };

/* The positions of a task DAG's nodes: weft_dag_layout_new() or _change() makes it,
   weft_dag_layout_free() frees it.  Immutable; safe to read from any number of threads. */
struct weft_dag_layout;

/*
 * Makes a layout of DAG with the nodes open that EXPANSION says, and as high as STYLE says;
 * a depth with too many nodes is reduced (weft_dag_layout_depth).  DAG must outlive the
 * layout; the sets of EXPANSION need not outlive the call.  The caller frees it with
 * weft_dag_layout_free().  O(open nodes); O(all nodes) with WEFT_DAG_ALL.  NULL with
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
struct weft_dag_layout *weft_dag_layout_new(const struct weft_dag *dag,
                                            struct weft_dag_style style,
                                            struct weft_dag_expansion expansion,
                                            struct weft_job *job,
                                            struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Makes the layout that weft_dag_layout_new() would make with the sets OPENED and CLOSED
 * (as in weft_dag_expansion; NULL: empty) and the depth of BASE, a layout that was made
 * without sets.  The limit of nodes is not applied.  O(siblings of the changed nodes and of
 * everything around them).  BASE must outlive the layout, which the caller frees with
 * weft_dag_layout_free(); the sets need not outlive the call.  NULL with WEFT_ERR_CANCELLED
 * if JOB (may be NULL) is cancelled.
 */
struct weft_dag_layout *weft_dag_layout_change(const struct weft_dag_layout *base,
                                               const struct weft_entity_set *opened,
                                               const struct weft_entity_set *closed,
                                               struct weft_job *job,
                                               struct weft_err *err) WEFT_MUST_CHECK;
/* Frees a layout, before its base and its DAG; NULL is fine. */
void weft_dag_layout_free(struct weft_dag_layout *layout);
/* Returns the bytes of memory that a layout takes, without its base and its DAG. */
size_t weft_dag_layout_bytes(const struct weft_dag_layout *layout);

/* Returns the root node with its size; its position is (0, 0). */
struct weft_dag_child weft_dag_layout_root(const struct weft_dag_layout *layout);
/*
 * Returns the children of BOX, an open section or task that the layout has returned, in the
 * order in which they ran, each create followed by its task: *N elements, allocated in
 * ARENA.  O(*N) if the sizes of boxes inside are kept.
 */
struct weft_dag_child *weft_dag_layout_children(const struct weft_dag_layout *layout,
                                                const struct weft_dag_child *box,
                                                struct weft_arena *arena, size_t *n);
/*
 * Returns the layout's depth: nodes nested less deeply (the root: 0) are open.  Less than
 * the depth asked for if that exceeded the limit of nodes or the depth of the DAG;
 * WEFT_DAG_ALL if that was asked for.  A layout made by weft_dag_layout_change() has the
 * depth of its base.
 */
uint32_t weft_dag_layout_depth(const struct weft_dag_layout *layout);
/*
 * Returns the number of nodes in the layout, a closed one counting as one.  0 (not counted)
 * if the depth is WEFT_DAG_ALL, or for a layout made by weft_dag_layout_change.
 */
uint64_t weft_dag_layout_placed(const struct weft_dag_layout *layout);

/*
 * Returns the entity id that stands for the DAG's node NODE in entity sets and in marks of
 * a picture.  It differs from all ids of entities and containers of the trace.
 */
static inline uint64_t weft_dag_layout_id(uint32_t node)
{
    return (uint64_t)WEFT_NODE_TRACK << 40 | node;
}

#endif
