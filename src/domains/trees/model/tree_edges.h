/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges between the nodes of a tree besides the hierarchy: the links of a trace with nodes
 * at both ends (data dependences, messages, wake-ups). The edges of a node are found from
 * either end without visiting others.
 */
#ifndef WEFT_MODEL_TREE_EDGES_H
#define WEFT_MODEL_TREE_EDGES_H

#include "domains/trees/model/tree.h"

/* Takes 8 bytes a node and 9 an edge. */
struct weft_tree_edges {
    uint32_t n, n_nodes;
    /* The edges out_begin[i] up to out_begin[i + 1] leave node i, in order of `to`. */
    uint32_t *out_begin; /* [n_nodes + 1] */
    uint32_t *to;        /* [n] */
    uint8_t *role;       /* [n]: see weft_tree_edge_role */
    /*
     * The edges in[in_begin[i]] up to in[in_begin[i + 1]] reach node i, in order of source.
     */
    uint32_t *in_begin; /* [n_nodes + 1] */
    uint32_t *in;       /* [n]: numbers of edges */
};

/*
 * Returns the role of the type of the link that an edge stands for (WEFT_ROLE_SPAWN,
 * WEFT_ROLE_MESSAGE, ...), or WEFT_ROLE_NONE.
 */
static inline enum weft_role weft_tree_edge_role(const struct weft_tree_edges *edges,
                                                 uint32_t edge)
{
    return edges->role[edge] ? (enum weft_role)(WEFT_ROLE_MESSAGE + edges->role[edge] - 1)
                             : WEFT_ROLE_NONE;
}

/*
 * Returns all edges between the nodes of TREE, which was read from SOURCE, in O(links +
 * nodes); takes 4 bytes a node and up to 36 an edge meanwhile. weft_tree_edges_free() frees
 * them. NULL with WEFT_ERR_CANCELLED, or WEFT_ERR_LIMIT for 2^32 edges or more.
 */
struct weft_tree_edges *weft_tree_edges_read(const struct weft_tree *tree,
                                             const struct weft_source *source,
                                             struct weft_job *job,
                                             struct weft_err *err) WEFT_MUST_CHECK;
void weft_tree_edges_free(struct weft_tree_edges *edges);
size_t weft_tree_edges_bytes(const struct weft_tree_edges *edges); /* bytes of memory */

/* Returns the node that an edge leaves. O(log nodes). */
uint32_t weft_tree_edge_from(const struct weft_tree_edges *edges, uint32_t edge);

#endif
