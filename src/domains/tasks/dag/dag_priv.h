/* SPDX-License-Identifier: Apache-2.0 */
/* Inside a DAG that is read: access to its rows, and the checks of their structure
   (check.c). */
#ifndef WEFT_DAG_PRIV_H
#define WEFT_DAG_PRIV_H

#include <stdatomic.h>

#include "domains/tasks/dag/columns.h"
#include "domains/tasks/dag/dag.h"

struct weft_dag {
    const struct weft_source *source;
    uint32_t n;
    uint32_t n_workers, worker_limit;
    uint32_t *workers; /* container of each worker number, or WEFT_NONE */
    uint32_t node_field, running, ready[WEFT_DAG_EDGES];
    /* Result of the check of each block.  Threads may check the same block at once, with
       the same result. */
    _Atomic uint8_t *seen;
    _Atomic uint32_t *n_seen;  /* blocks checked, approximately */
    _Atomic uint32_t *entered; /* a bit for each node whose inside was checked and fits */
};

/* The structure that a row claims; numbers are below 2^32, or -1 if they were not. */
struct dag_claims {
    unsigned kind;
    int64_t parent, link, children;
    bool created, joins_all;
};

static inline int64_t dag_cell(const unsigned char *bytes, enum dag_node_column column,
                               uint32_t node)
{
    return weft_grid_cell(bytes, column, node % WEFT_BLOCK_ROWS);
}

/* A hostile file's cell may hold any value; -1 if it cannot be a node number or count. */
static inline int64_t dag_number(int64_t value)
{
    return value >= 0 && value <= UINT32_MAX ? value : -1;
}

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

static inline struct dag_claims dag_claims_of(const unsigned char *bytes, uint32_t node)
{
    int64_t flags = dag_cell(bytes, DAG_FLAGS, node);
    return dag_claims_from(
        flags, dag_cell(bytes, DAG_PARENT, node), dag_cell(bytes, DAG_LINK, node),
        (flags & 7) >= WEFT_DAG_SECTION ? dag_cell(bytes, DAG_CHILDREN, node) : 0);
}

/* The bytes of a block, whose structure is unchecked; NULL if it is damaged. */
const unsigned char *dag_raw_block(const struct weft_dag *dag, uint32_t block);
/*
 * Returns true if the rows of a block agree with their neighbours and parents, and their
 * children can exist.  Some ten nanoseconds a row.
 */
bool dag_block_fits(const struct weft_dag *dag, const unsigned char *bytes, uint32_t block);
/*
 * Returns true if the first and the last child of a node, whose block fits, name it as
 * their parent.  This reads other blocks, so it is done for single nodes when their inside
 * is read.
 */
bool dag_inside_fits(const struct weft_dag *dag, uint32_t node,
                     const struct dag_claims *of);

#endif
