/* SPDX-License-Identifier: Apache-2.0 */
/* Inside a DAG that is read: its rows, and whether they can be believed (check.c). */
#ifndef WEFT_DAG_PRIV_H
#define WEFT_DAG_PRIV_H

#include <stdatomic.h>

#include "domains/tasks/dag/columns.h"
#include "domains/tasks/dag/dag.h"

struct weft_dag {
    const struct weft_source *source;
    uint32_t n;
    uint32_t n_workers, worker_limit;
    uint32_t *workers; /* containers by number, WEFT_NONE: of nobody */
    uint32_t node_field, running, ready[WEFT_DAG_EDGES];
    /* By block.  Two threads may check one at once: they find the same. */
    _Atomic uint8_t *seen;
    _Atomic uint32_t *n_seen;  /* blocks, about */
    _Atomic uint32_t *entered; /* a bit for each node: what is inside fits */
};

/* What a row says of the structure; the numbers may be any below 2^32, or -1. */
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

/* A hostile file's cell may be anything; what no node or count can be is -1. */
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

/* The bytes of a block, whose structure is not known to be right; NULL: damaged. */
const unsigned char *dag_raw_block(const struct weft_dag *dag, uint32_t block);
/*
 * Does what a block's rows say agree with what their neighbours and parents say, and can there be
 * what they have inside?  Some ten nanoseconds a row.
 */
bool dag_block_fits(const struct weft_dag *dag, const unsigned char *bytes, uint32_t block);
/*
 * Do the first and the last thing inside a node, whose block fits, say so, too?  This looks
 * at other blocks, so it is asked of a node when that is.
 */
bool dag_inside_fits(const struct weft_dag *dag, uint32_t node,
                     const struct dag_claims *of);

#endif
