/* SPDX-License-Identifier: Apache-2.0 */
/* Inside a DAG that is read: access to the rows of its nodes, and the checks that they form
   a tree (check.c). */
#ifndef WEFT_DAG_PRIV_H
#define WEFT_DAG_PRIV_H

#include <stdatomic.h>

#include "domains/tasks/dag/columns.h"
#include "domains/tasks/dag/dag.h"

/* The task DAG of a trace that is read; weft_dag_open() makes it, weft_dag_close() frees
 * it. */
struct weft_dag {
    const struct weft_source *source; /* borrowed */
    uint32_t n;                       /* nodes */
    uint32_t n_workers, worker_limit; /* workers; the highest worker number + 1 */
    bool several;      /* several programs made tasks: the root is around their roots */
    uint32_t *workers; /* [worker_limit], container of each worker number, or WEFT_NONE */
    /* Indices in the schema: of the field of a state with its node's number; of the tracks
       of the variables weft_dag_running(), _waiting() and _ready(); or WEFT_NONE. */
    uint32_t node_field, running, waiting, ready[WEFT_DAG_EDGES];
    /* A byte for each block of rows (dag.c): 0: not checked yet; good; or bad.  Threads may
       check the same block at once, with the same result.  */
    _Atomic uint8_t *seen;
    _Atomic uint32_t *n_seen;  /* [1]: number of blocks checked, approximately */
    _Atomic uint32_t *entered; /* a bit for each node whose inside was checked and fits */
};

/* The position in the DAG that a node's row states, unchecked.  Numbers are below 2^32; -1
   stands for any other value. */
struct dag_claims {
    unsigned kind;    /* 0 to 7: enum weft_dag_kind, or an impossible one */
    int64_t parent;   /* number of its parent; 0 for the root */
    int64_t link;     /* number of its first child, or of the task that it created */
    int64_t children; /* how many; 0 for a leaf */
    bool created;     /* a create whose task is LINK */
    bool joins_all;   /* a wait with weft_dag_node.joins_all */
};

/* Returns the value of a column in NODE's row; BYTES is the block of the grid of nodes that
   has the row (dag_raw_block()). */
static inline int64_t dag_cell(const unsigned char *bytes, enum dag_node_column column,
                               uint32_t node)
{
    return weft_grid_cell(bytes, column, node % WEFT_BLOCK_ROWS);
}

/* Returns VALUE, read from the file, if it is within 0 to UINT32_MAX, so that it can be the
   number of a node or a count; else -1. */
static inline int64_t dag_number(int64_t value)
{
    return value >= 0 && value <= UINT32_MAX ? value : -1;
}

/* Returns the position that the cells DAG_FLAGS, DAG_PARENT, DAG_LINK and DAG_CHILDREN of a
   node's row state, unchecked. */
static inline struct dag_claims dag_claims_from(int64_t flags, int64_t parent, int64_t link,
                                                int64_t children)
{
    struct dag_claims claims = { .kind = (unsigned)(flags & 7),
                                 .parent = dag_number(parent),
                                 .link = dag_number(link) };
    if (claims.kind >= WEFT_DAG_SECTION)
        claims.children = dag_number(children);
    claims.created = claims.kind == WEFT_DAG_CREATE && flags & DAG_HAS_CREATED;
    claims.joins_all = claims.kind == WEFT_DAG_WAIT && flags & DAG_JOINS_ALL;
    return claims;
}

/* Returns the position that NODE's row states, unchecked; BYTES is the block of the grid of
   nodes that has the row (dag_raw_block()). */
static inline struct dag_claims dag_claims_of(const unsigned char *bytes, uint32_t node)
{
    int64_t flags = dag_cell(bytes, DAG_FLAGS, node);
    return dag_claims_from(
        flags, dag_cell(bytes, DAG_PARENT, node), dag_cell(bytes, DAG_LINK, node),
        (flags & 7) >= WEFT_DAG_SECTION ? dag_cell(bytes, DAG_CHILDREN, node) : 0);
}

/* Returns the bytes of block number BLOCK of the grid of nodes; NULL if it is damaged.  The
   structure of its rows is unchecked. */
const unsigned char *dag_raw_block(const struct weft_dag *dag, uint32_t block);
/*
 * Returns true if the rows of block number BLOCK, whose bytes are BYTES, agree with their
 * neighbours and parents, and the numbers of their children are possible.  Rows of damaged
 * blocks contradict nothing.  Some ten nanoseconds a row.
 */
bool dag_block_fits(const struct weft_dag *dag, const unsigned char *bytes, uint32_t block);
/*
 * Returns true if the first and the last child of NODE (or what it created, which must be
 * a task) name it as their parent; a last child in a damaged block passes, and if the first
 * is in one, both pass.  OF (dag_claims_of) is what
 * NODE's row says: that it has children or created a task; the caller has tested this, and
 * NODE's block has passed dag_block_fits().  The function reads other blocks, so it is
 * called for single nodes when their inside is read.
 */
bool dag_inside_fits(const struct weft_dag *dag, uint32_t node,
                     const struct dag_claims *of);

#endif
