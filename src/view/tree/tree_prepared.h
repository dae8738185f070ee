/* SPDX-License-Identifier: Apache-2.0 */
/* What the views of trees keep between frames: the tree, some layouts of it, its edges. */
#ifndef WEFT_VIEW_TREE_PREPARED_H
#define WEFT_VIEW_TREE_PREPARED_H

#include "model/tree_radial.h"
#include "view/view.h"

struct tree_prepared;

extern const struct weft_preparation weft_tree_preparation;

struct tree_view { /* one use of it */
    const struct tree_prepared *prepared;
    void *own; /* made for this call alone */
};
/* The request's, or one of its own. */
bool tree_view_begin(struct tree_view *view, const struct weft_request *request,
                     struct weft_err *err) WEFT_MUST_CHECK;
void tree_view_end(struct tree_view *view);

const struct weft_tree *tree_prepared_tree(const struct tree_prepared *prepared,
                                           size_t source);

/* A layout, and how the nodes of its subtree are spread. */
struct tree_layout {
    struct weft_tree_layout *layout;
    uint64_t *of_pe;    /* [n_pes] nodes */
    uint64_t *of_label; /* [n_labels] */
};
/* Found, or made; give each back. */
const struct tree_layout *tree_layout_get(const struct tree_prepared *prepared,
                                          size_t source, uint32_t root, uint32_t most);
void tree_layout_release(const struct tree_prepared *prepared,
                         const struct tree_layout *layout);

/* All edges of the first source's links, sorted by from; made when first asked for. */
const struct weft_tree_edge *tree_prepared_edges(const struct tree_prepared *prepared,
                                                 size_t *n);

/* The second tree's nodes that are the same as the first's (weft_tree_match). */
const uint32_t *tree_prepared_match(const struct tree_prepared *prepared);

/*
 * The node that a person names: "" is the root, "record:5" the fifth of the run, "3:1" the
 * one of index 1 on PE 3, a number an id (as marks carry).  WEFT_NONE with an error else.
 */
uint32_t tree_node_named(const struct weft_tree *tree, const char *parameter,
                         const char *text, struct weft_err *err);

#endif
