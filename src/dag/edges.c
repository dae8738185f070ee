/* SPDX-License-Identifier: Apache-2.0 */
/* Where sections and tasks are entered and left, and the edges: they follow from the structure. */
#include "dag/dag.h"

uint32_t weft_dag_first(const struct weft_dag *dag, uint32_t node)
{
    for (;;) {
        struct weft_dag_node shape;
        weft_dag_shape(dag, node, &shape);
        if (!shape.n)
            return node;
        node = shape.first;
    }
}

uint32_t weft_dag_last(const struct weft_dag *dag, uint32_t node)
{
    for (;;) {
        struct weft_dag_node shape;
        weft_dag_shape(dag, node, &shape);
        if (!shape.n)
            return node;
        node = shape.first + shape.n - 1;
    }
}

/* The node behind NODE in its section or task; WEFT_NONE: it is the last, or a task. */
static uint32_t next_of(const struct weft_dag *dag, uint32_t node,
                        const struct weft_dag_node *shape)
{
    struct weft_dag_node parent;
    if (shape->parent == WEFT_NONE)
        return WEFT_NONE;
    weft_dag_shape(dag, shape->parent, &parent);
    return parent.n && node - parent.first < parent.n - 1 ? node + 1 : WEFT_NONE;
}

/* The section that a create is in, or the one around a section or task; WEFT_NONE: none is. */
static uint32_t section_around(const struct weft_dag *dag, uint32_t node)
{
    struct weft_dag_node shape;
    do {
        weft_dag_shape(dag, node, &shape);
        node = shape.parent;
        if (node != WEFT_NONE)
            weft_dag_shape(dag, node, &shape);
    } while (node != WEFT_NONE && shape.kind != WEFT_DAG_SECTION);
    return node;
}

/* What follows the wait that joins the task in which NODE is, or that it is. */
static uint32_t task_joined_at(const struct weft_dag *dag, uint32_t node)
{
    struct weft_dag_node shape, wait;
    bool own = true; /* the section is that of the task's create */
    for (weft_dag_shape(dag, node, &shape); shape.kind != WEFT_DAG_TASK;
         weft_dag_shape(dag, node, &shape)) {
        if (shape.parent == WEFT_NONE)
            return WEFT_NONE;
        node = shape.parent;
    }
    while ((node = section_around(dag, node)) != WEFT_NONE) {
        weft_dag_shape(dag, node, &shape);
        weft_dag_shape(dag, shape.n ? shape.first + shape.n - 1 : node, &wait);
        if (wait.kind == WEFT_DAG_WAIT && (own || wait.joins_all))
            return next_of(dag, node, &shape);
        own = false;
    }
    return WEFT_NONE;
}

/* What follows the wait NODE: that of the section which it ends. */
static uint32_t waited_at(const struct weft_dag *dag, uint32_t node)
{
    struct weft_dag_node shape;
    uint32_t section = section_around(dag, node);
    if (section == WEFT_NONE)
        return WEFT_NONE;
    weft_dag_shape(dag, section, &shape);
    return next_of(dag, section, &shape);
}

static bool all_open(void *user, uint32_t node)
{
    (void)user;
    (void)node;
    return true;
}

/* The first leaf, or closed node, in NODE. */
static uint32_t entry_of(const struct weft_dag *dag, uint32_t node,
                         bool (*is_open)(void *user, uint32_t node), void *user)
{
    for (;;) {
        struct weft_dag_node shape;
        weft_dag_shape(dag, node, &shape);
        if (!shape.n || !is_open(user, node))
            return node;
        node = shape.first;
    }
}

size_t weft_dag_successors_of_closed(const struct weft_dag *dag, uint32_t node,
                                     bool (*is_open)(void *user, uint32_t node), void *user,
                                     struct weft_dag_arc out[WEFT_DAG_ARCS])
{
    static const enum weft_dag_edge along[WEFT_DAG_KINDS] = {
        [WEFT_DAG_CREATE] = WEFT_DAG_EDGE_CREATE_CONTINUATION,
        [WEFT_DAG_WAIT] = WEFT_DAG_EDGE_WAIT_CONTINUATION,
        [WEFT_DAG_OTHER] = WEFT_DAG_EDGE_OTHER_CONTINUATION,
        [WEFT_DAG_END] = WEFT_DAG_EDGE_END,
        [WEFT_DAG_SECTION] = WEFT_DAG_EDGE_WAIT_CONTINUATION,
        [WEFT_DAG_TASK] = WEFT_DAG_EDGE_END,
    };
    struct weft_dag_node shape;
    size_t n = 0;
    weft_dag_shape(dag, node, &shape);
    if (shape.n && is_open(user, node))
        return 0;
    if (shape.created != WEFT_NONE)
        out[n++] = (struct weft_dag_arc){ entry_of(dag, shape.created, is_open, user),
                                          WEFT_DAG_EDGE_CREATE };
    uint32_t next = shape.kind == WEFT_DAG_TASK ? WEFT_NONE : next_of(dag, node, &shape);
    if (next == WEFT_NONE && shape.kind == WEFT_DAG_WAIT)
        next = waited_at(dag, node);
    else if (next == WEFT_NONE
             && (shape.kind == WEFT_DAG_END || shape.kind == WEFT_DAG_TASK))
        next = task_joined_at(dag, node);
    if (next != WEFT_NONE)
        out[n++] =
            (struct weft_dag_arc){ entry_of(dag, next, is_open, user), along[shape.kind] };
    return n;
}

size_t weft_dag_successors(const struct weft_dag *dag, uint32_t node,
                           struct weft_dag_arc out[WEFT_DAG_ARCS])
{
    return weft_dag_successors_of_closed(dag, node, all_open, NULL, out);
}
