/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Edges between the nodes of a tree besides birth: the links of a trace whose ends are both
 * nodes (data dependence).  They are found from either end without looking at the others.
 */
#ifndef WEFT_MODEL_TREE_EDGES_H
#define WEFT_MODEL_TREE_EDGES_H

#include "model/tree.h"

struct weft_tree_edge {
    uint32_t from, to;
};

struct weft_tree_edges {
    struct weft_tree_edge *list; /* [n], in order of from, then to */
    uint32_t *by_to;             /* [n]: positions in the list, in order of to, then from */
    uint32_t n;
};

/*
 * All edges of a trace, in O(links + nodes); takes 4 bytes a node and 8 an edge meanwhile.  Errors:
 * WEFT_ERR_CANCELLED, and WEFT_ERR_LIMIT for 2^32 edges or more.
 */
struct weft_tree_edges *weft_tree_edges_read(const struct weft_tree *tree,
                                             const struct weft_source *source,
                                             struct weft_job *job,
                                             struct weft_err *err) WEFT_MUST_CHECK;
void weft_tree_edges_free(struct weft_tree_edges *edges);
size_t weft_tree_edges_bytes(const struct weft_tree_edges *edges); /* of memory */

/*
 * The first position in the list whose edge starts at NODE or a later one, and the first in
 * by_to whose edge ends there; O(log n).
 */
uint32_t weft_tree_edges_from(const struct weft_tree_edges *edges, uint32_t node);
uint32_t weft_tree_edges_to(const struct weft_tree_edges *edges, uint32_t node);

#endif
