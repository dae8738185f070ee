/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges between the nodes of a tree besides the hierarchy: the links of a trace with nodes
 * at both ends (data dependences, messages, wake-ups). The edges of a node are found from
 * either end without visiting others.
 */
#ifndef WEFT_MODEL_TREE_CROSS_EDGES_H
#define WEFT_MODEL_TREE_CROSS_EDGES_H

#include "domains/trees/model/tree.h"

/*
 * The edges between the nodes of a tree, numbered from 0 by source node. Takes 8 bytes a
 * node and 9 an edge, and does not refer to the tree. Made by weft_tree_edges_read(), freed
 * by weft_tree_edges_free().
 */
struct weft_tree_edges {
    uint32_t n, n_nodes; /* edges; nodes of the tree */
    /* The edges [out_begin[i], out_begin[i + 1]) leave node i, in order of `to`. */
    uint32_t *out_begin; /* [n_nodes + 1] */
    uint32_t *to;        /* [n] */
    uint8_t *role;       /* [n]: a byte for each edge, which weft_tree_edge_role reads */
    /*
     * The edges in[k], k from in_begin[i] to in_begin[i + 1] - 1, reach node i, in order of
     * their source nodes.
     */
    uint32_t *in_begin; /* [n_nodes + 1] */
    uint32_t *in;       /* [n]: numbers of edges */
};

/*
 * Returns the role of the type of the link that edge number EDGE stands for
 * (WEFT_ROLE_SPAWN, WEFT_ROLE_MESSAGE, ...); WEFT_ROLE_NONE if the type has no role of
 * links.
 */
static inline enum weft_role weft_tree_edge_role(const struct weft_tree_edges *edges,
                                                 uint32_t edge)
{
    return edges->role[edge] ? (enum weft_role)(WEFT_ROLE_MESSAGE + edges->role[edge] - 1)
                             : WEFT_ROLE_NONE;
}

/*
 * Returns all edges between the nodes of TREE, which was read from SOURCE: one for each
 * link with both entities in the tree, to be freed with weft_tree_edges_free(). NULL with
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled, or WEFT_ERR_LIMIT for 2^32 edges or
 * more. O(links + nodes); takes up to 36 bytes an edge meanwhile, beside the result.
 */
struct weft_tree_edges *weft_tree_edges_read(const struct weft_tree *tree,
                                             const struct weft_source *source,
                                             struct weft_job *job,
                                             struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the edges; NULL has no effect. */
void weft_tree_edges_free(struct weft_tree_edges *edges);
/* Returns the bytes of memory that the edges take. */
size_t weft_tree_edges_bytes(const struct weft_tree_edges *edges);

/* Returns the node that edge number EDGE, below edges->n, leaves: its source. O(log
   nodes). */
uint32_t weft_tree_edge_from(const struct weft_tree_edges *edges, uint32_t edge);

#endif
