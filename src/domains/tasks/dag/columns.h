/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The storage of the nodes of a task DAG in grids (store/integer_grid.h).  Every node is a
 * row of WEFT_GRID_DAG_NODES.  For an ordinary leaf all other fields follow from that row
 * (dag_complete_leaf).  Every section and task, and every other leaf, also has a row of
 * WEFT_GRID_DAG_DETAILS, in the same order.  WEFT_GRID_DAG_TASKS lists the tasks inside
 * contracted nodes.
 *
 * Columns hold values that are small or similar in neighbouring rows, since these pack
 * well: durations instead of ends, gaps instead of times, differences from the expected
 * value.  Numbers that may be missing are stored + 1.
 */
#ifndef WEFT_DAG_COLUMNS_H
#define WEFT_DAG_COLUMNS_H

#include "domains/tasks/dag/dag.h"
#include "store/integer_grid.h"

/* Columns of the table (grid) WEFT_GRID_DAG_NODES: a row for each node.  They hold the
   fields of struct weft_dag_node of their names, or what is said; "+ 1": the field plus 1,
   0 if unknown. */
enum dag_node_column {
    DAG_FLAGS,    /* kind | in_edge << 3 | enum dag_flag */
    DAG_PARENT,   /* 0 for the root */
    DAG_LINK,     /* number of the first child or the created task; else as in the row
                     before */
    DAG_CHILDREN, /* number of children */
    DAG_DETAIL,   /* number of detail rows before this node's */
    DAG_WORKER,   /* -1: several, or unknown */
    DAG_BEGIN,
    DAG_TICKS,  /* end - begin */
    DAG_WAITED, /* begin - first_ready */
    DAG_EARLIEST,
    DAG_BEGIN_SITE, /* + 1 */
    DAG_END_SITE,   /* + 1 */
    DAG_CPU,        /* + 1 */
    DAG_COUNTERS,
    DAG_NODE_COLUMNS = DAG_COUNTERS + WEFT_DAG_COUNTERS,
};

/* Columns of the table (grid) WEFT_GRID_DAG_DETAILS: a row for each node with
   DAG_HAS_DETAILS, in order of nodes.  They hold the fields of struct weft_dag_node of
   their names, or what is said; arrays take several columns. */
enum dag_detail_column {
    DAG_SPREAD, /* last_start - begin */
    DAG_WORK,
    DAG_SLACK, /* work - critical_path */
    DAG_READY,
    DAG_LEAVES = DAG_READY + WEFT_DAG_EDGES,
    DAG_EDGES = DAG_LEAVES + WEFT_DAG_LEAF_KINDS, /* leaves[dag_leaf_of(kind)] - edges */
    DAG_MATERIALIZED = DAG_EDGES + WEFT_DAG_EDGES,
    DAG_LEAST,
    DAG_CREATES,
    DAG_CRITICAL_COUNTERS,
    /* Own work and delay: for contracted nodes that `knows_inside`; else 0, which takes no
       room. */
    DAG_OWN_WORK = DAG_CRITICAL_COUNTERS + WEFT_DAG_COUNTERS, /* + 1 */
    DAG_CREATE_DELAY,
    DAG_WAITING, /* of every node with a row here */
    DAG_DETAIL_COLUMNS,
};

/* Columns of the table (grid) WEFT_GRID_DAG_TASKS: a row is a struct weft_dag_tasks (tasks
   inside contracted nodes, of one place and size class). */
enum dag_tasks_column {
    DAG_TASKS_SITE, /* plus 1; 0 for WEFT_NONE */
    DAG_TASKS_COUNT,
    DAG_TASKS_STOLEN,
    DAG_TASKS_WORK,
    DAG_TASKS_SMALLEST,
    DAG_TASKS_SPREAD, /* largest - smallest */
    DAG_TASKS_COLUMNS,
};

/* Columns of the table (grid) WEFT_GRID_DAG_ORDERS: a row is a struct weft_dag_order (node
   AFTER did not begin before the task BEFORE had ended).  Rows are in order of AFTER, then
   of BEFORE. */
enum dag_order_column {
    DAG_ORDER_AFTER,
    DAG_ORDER_BEFORE,
    DAG_ORDER_KIND,
    DAG_ORDER_BY_BEFORE, /* of row R: the row that is number R in order of `before` */
    DAG_ORDER_COLUMNS,
};
static_assert((int)DAG_NODE_COLUMNS <= (int)WEFT_GRID_COLUMNS
                  && (int)DAG_DETAIL_COLUMNS <= (int)WEFT_GRID_COLUMNS,
              "a grid has room");

/* Bits of the column DAG_FLAGS, above a node's kind and in_edge. */
enum dag_flag {
    DAG_HAS_DETAILS = 1 << 6, /* the node has a row of WEFT_GRID_DAG_DETAILS */
    DAG_HAS_CREATED =
        1 << 7,            /* a create whose task is in the DAG: DAG_LINK is its number */
    DAG_JOINS_ALL = 1 << 8 /* weft_dag_node.joins_all */
};

/* Returns the kind of leaf at which edges of KIND begin, such as WEFT_DAG_CREATE for both
   edges that leave a create. */
static inline enum weft_dag_kind dag_leaf_of(enum weft_dag_edge kind)
{
    static const enum weft_dag_kind of[WEFT_DAG_EDGES] = {
        [WEFT_DAG_EDGE_END] = WEFT_DAG_END,
        [WEFT_DAG_EDGE_CREATE] = WEFT_DAG_CREATE,
        [WEFT_DAG_EDGE_CREATE_CONTINUATION] = WEFT_DAG_CREATE,
        [WEFT_DAG_EDGE_WAIT_CONTINUATION] = WEFT_DAG_WAIT,
        [WEFT_DAG_EDGE_OTHER_CONTINUATION] = WEFT_DAG_OTHER,
    };
    return of[kind];
}

/* Returns VALUE, raised to 0 or lowered to WEFT_TIME_LIMIT - 1 if it is outside of
   [0, 2^62), the range of ticks and counts. */
static inline int64_t dag_amount(int64_t value)
{
    return value < 0 ? 0 : value >= WEFT_TIME_LIMIT ? WEFT_TIME_LIMIT - 1 : value;
}

/*
 * Sets the figures of *NODE as for a leaf, from its kind, in_edge, begin, end, first_ready
 * and counters, which must be set: work and critical path are its duration, waiting is 0,
 * and so on.  Leaves the structure, the places, `earliest`, own_work, create_delay and
 * knows_inside unchanged.
 */
void dag_complete_leaf(struct weft_dag_node *node);

#endif
