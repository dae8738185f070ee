/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the nodes of a task DAG stand (dag/dag.h), after DAGViz (A. Huynh, "DAGViz: A DAG
 * Visualization Tool for Analyzing Task Parallel Programs", master's thesis, The University of
 * Tokyo, 2015; section 3.3 and appendices B.1 to B.4).  What follows a node stands below it.  A
 * create is followed by two: the task that it made at the left, and what it did itself next at
 * the right; the boxes around all that follows either are side by side.  A section or task that
 * is open is a box around what is inside; one that is closed stands for itself, as large as a
 * node.  No two boxes overlap, unless one is inside the other.
 *
 * The listings of the thesis are followed but for their misprints: the left follower mirrors the
 * right one, distances downwards are vertical ones, and each phase calls itself.  Where what
 * follows at the right is a create, too, its task stands straight below the create before it, as
 * lines 36 and 37 of B.1 want; what follows at the left is then moved aside by as much as that
 * needs, which they forget.
 *
 * A layout keeps the sizes of open boxes only, not where things stand: whoever draws walks from
 * the root, and enters what can be seen (weft_dag_layout_children).  So it costs what is open.
 * When everything is open, the DAG is measured once; boxes of a few nodes are then measured
 * again when they are seen, and not kept.
 *
 * Lengths are in widths of a node.  A place is that of a thing's upper end: where edges arrive.
 */
#ifndef WEFT_MODEL_DAG_LAYOUT_H
#define WEFT_MODEL_DAG_LAYOUT_H

#include "base/job.h"
#include "domains/tasks/dag/dag.h"
#include "store/entity_set.h"

/* Gaps between things side by side and above one another; from a box to what is inside. */
#define WEFT_DAG_GAP_ACROSS 0.8
#define WEFT_DAG_GAP_DOWN   0.8
#define WEFT_DAG_PAD        0.2

enum weft_dag_scale {
    WEFT_DAG_ROUND,       /* all nodes are of one size */
    WEFT_DAG_LINEAR,      /* long nodes: their work in ns, divided by the radix */
    WEFT_DAG_LOGARITHMIC, /* a quarter of the logarithm of work in ns, to the base radix */
    WEFT_DAG_POWER,       /* a twentieth of work in ns to the power radix */
};

/*
 * What is open: of the nodes above DEPTH all but those of the set `closed`, of the others those of
 * the set `opened`.  So one of the two sets alone says of a node whether it is, whatever the other
 * has kept of it from when the depth was another.
 */
struct weft_dag_expansion {
    /* Sections and tasks nested less deeply than this, the root being at 0; or WEFT_DAG_ALL. */
    uint32_t depth;
    uint32_t most; /* things that the depth may open; 0: WEFT_DAG_LAYOUT_MOST */
    const struct weft_entity_set *opened, *closed; /* of weft_dag_layout_id; NULL: empty */
};
#define WEFT_DAG_ALL UINT32_MAX

struct weft_dag_style {
    enum weft_dag_scale scale;
    double radix;
    double ns_per_tick;
};

/* A box around a thing's place: how far it reaches; and where edges leave it. */
struct weft_dag_size {
    double left, right, down;
    double tail; /* x of its last node, from its place */
};

struct weft_dag_child {
    uint32_t node;
    enum weft_dag_kind kind;
    uint32_t n;      /* what is directly inside, open or not, without created tasks */
    uint32_t entry;  /* for weft_dag_layout_children; WEFT_NONE when it is not kept */
    bool open;       /* what is inside stands here */
    bool is_created; /* a task beside its siblings; the create before it made it */
    double x, y;     /* from the place of the box that it is in */
    struct weft_dag_size size;
};

/*
 * Nodes that may stand in a layout to a given depth: it is made as much less deep as that needs.
 * When what is opened beyond it is more, the deepest levels are left closed.  So many are laid out
 * within a frame of the screen.
 */
enum { WEFT_DAG_LAYOUT_MOST = 1 << 14 };

struct weft_dag_layout; /* immutable; any number of threads may ask */

/*
 * Lay out; the sets are not needed afterwards.  O(nodes that are open); with WEFT_DAG_ALL
 * O(all nodes).  Error: WEFT_ERR_CANCELLED.
 */
struct weft_dag_layout *weft_dag_layout_new(const struct weft_dag *dag,
                                            struct weft_dag_style style,
                                            struct weft_dag_expansion expansion,
                                            struct weft_job *job,
                                            struct weft_err *err) WEFT_MUST_CHECK;
/*
 * BASE, which was made without sets, with some nodes opened and some closed, as weft_dag_layout_new
 * does: O(siblings of those and of what they are inside of).  BASE is needed as long as the layout;
 * the sets are not.
 */
struct weft_dag_layout *weft_dag_layout_change(const struct weft_dag_layout *base,
                                               const struct weft_entity_set *opened,
                                               const struct weft_entity_set *closed,
                                               struct weft_job *job,
                                               struct weft_err *err) WEFT_MUST_CHECK;
void weft_dag_layout_free(struct weft_dag_layout *layout);
size_t weft_dag_layout_bytes(const struct weft_dag_layout *layout);

/* The root, at (0, 0). */
struct weft_dag_child weft_dag_layout_root(const struct weft_dag_layout *layout);
/*
 * What is directly inside an open box, in order, each create followed by its task: an array in
 * ARENA, its length in *N.  O(n) when their sizes are kept.
 */
struct weft_dag_child *weft_dag_layout_children(const struct weft_dag_layout *layout,
                                                const struct weft_dag_child *box,
                                                struct weft_arena *arena, size_t *n);
/*
 * The depth to which things are open: less than was asked for when that would be too much.
 * WEFT_DAG_ALL when all is.
 */
uint32_t weft_dag_layout_depth(const struct weft_dag_layout *layout);
/*
 * Nodes that stand in it, closed ones as one; a sum that is not counted when all is open, or
 * something was changed: 0.
 */
uint64_t weft_dag_layout_placed(const struct weft_dag_layout *layout);

/*
 * The id of a node of the DAG in sets and marks: no entity has it, so that it can stand beside
 * those of entities and containers.
 */
static inline uint64_t weft_dag_layout_id(uint32_t node)
{
    return (uint64_t)WEFT_DAG_TRACK << 40 | node;
}

#endif
