/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data that the views of trees keep between frames, each with a preparation of its own: the
 * tree of a trace; the layout of a subtree for a number of rings; the edges; the numbers of
 * edges between groups of nodes; the pairs of equal nodes of two trees.
 *
 * All functions that take a weft_use return data that it holds until it ends, or NULL with
 * *ERR on failure. SOURCE is an index in the set of traces of its request.
 */
#ifndef WEFT_VIEW_TREE_PREPARED_H
#define WEFT_VIEW_TREE_PREPARED_H

#include "domains/trees/analyse/thread_span.h"
#include "domains/trees/analyse/work_span.h"
#include "domains/trees/model/tree_edges.h"
#include "domains/trees/model/tree_radial.h"
#include "domains/trees/model/tree_sizes.h"
#include "view/prepare.h"

/* Returns true if the first trace of a set has a tree: `fills` of the views. */
bool tree_set_fills(const struct weft_set *set);

extern const struct weft_preparation weft_tree_preparation; /* makes a struct weft_tree */

/*
 * Returns the tree of a trace. NULL with WEFT_ERR_USAGE when it has none, or the errors of
 * weft_tree_read().
 */
const struct weft_tree *tree_of(struct weft_use *use, size_t source, struct weft_err *err);

/* The size of a node's sector. */
enum tree_size { TREE_SIZE_WEIGHT, TREE_SIZE_COUNT, TREE_SIZE_TIME, TREE_SIZE_SELF };

/*
 * The distribution of a subtree's nodes over rows (PEs) and labels. Nodes without an entity
 * count only in `n`, `first` and `last`.
 */
struct tree_spread {
    uint64_t n;               /* nodes */
    double size;              /* sum of the nodes' own sizes */
    int64_t first, last;      /* their earliest and latest begin */
    uint64_t *nodes_of_pe;    /* [n_pes] */
    uint64_t *nodes_of_label; /* [n_labels] */
    double *of_pe;            /* [n_pes] sums of the nodes' own sizes: 1 each, or ticks */
    double *of_label;         /* [n_labels] */
    uint64_t migrated;        /* nodes below the root on another PE than their parent */
};

enum { TREE_MAX_OPENED = 64 }; /* most runs of levels that a layout opens */
const struct tree_spread *tree_spread_of(struct weft_use *use, size_t source, uint32_t root,
                                         enum tree_size size, struct weft_err *err);

const struct weft_graph *tree_graph_of(struct weft_use *use, size_t source,
                                       struct weft_err *err);

/*
 * Holds the graph of a trace while a preparation is made of it, until weft_release(); NULL
 * with *ERR on failure. tree_graph_in() returns the graph held.
 */
const struct weft_held *tree_hold_graph(const struct weft_prepare_args *args,
                                        struct weft_err *err);
const struct weft_graph *tree_graph_in(const struct weft_held *held);

/*
 * Returns true if the durations of nodes are known. They are not for VISTA's reductions:
 * there a state lasts until the next one.
 */
bool tree_knows_lengths(const struct weft_tree *tree, const struct weft_schema *schema);

/* How long each node waited, in ticks. */
struct tree_waits {
    int64_t *ticks; /* [nodes] */
    int64_t most;   /* maximum over nodes */
};
const struct tree_waits *tree_waits_of(struct weft_use *use, size_t source,
                                       struct weft_err *err);

/* Work and span of the whole tree. */
struct tree_span {
    struct weft_work_span of; /* for calls its path has those open along `threads.path` */
    enum weft_work_unit unit; /* nodes if their durations are unknown */
    struct weft_thread_span threads; /* calls only */
    bool at_least; /* several threads, but no links between them: `of.span` is a lower
                      bound */
    int64_t begin, length; /* of the run, in ticks, from the first begin to the last end */
};
/*
 * Returns text like "work 1.31 s, span 30 ms: parallelism 43.7, of which 3.2 used (7 %)".
 */
const char *tree_span_text(struct weft_arena *arena, const struct tree_span *span,
                           const struct weft_tree *tree, const struct weft_schema *schema);
/*
 * tree_span_offered() returns the parallelism, work / span (0: no work), tree_span_used()
 * how much of it the run used; an upper bound when nodes are counted instead of their time.
 */
double tree_span_offered(const struct tree_span *span);
double tree_span_used(const struct tree_span *span, const struct weft_tree *tree);
const struct tree_span *tree_span_of(struct weft_use *use, size_t source,
                                     struct weft_err *err);

/*
 * Returns the layout of the subtree of ROOT in TREE, the tree of SOURCE, by the settings
 * HOW, but with SIZE instead of how->size. Pictures so large that nothing is folded share
 * one layout.
 */
const struct weft_tree_layout *tree_layout_of(struct weft_use *use, size_t source,
                                              const struct weft_tree *tree, uint32_t root,
                                              const struct weft_tree_how *how,
                                              enum tree_size size, struct weft_err *err);

const struct weft_tree_edges *tree_edges_of(struct weft_use *use, size_t source,
                                            struct weft_err *err);

enum {
    TREE_MAX_GROUPS = 160
}; /* 25,600 pairs: many more curves than a reader can tell
                                    apart */
/*
 * Returns the number of edges from each group of nodes to each other one, [N][N]. GROUPS[N]
 * are the top nodes of the groups: a group is a subtree inside that of ROOT, without the
 * groups inside it. N is at most TREE_MAX_GROUPS.
 */
const uint32_t *tree_bundles_of(struct weft_use *use, size_t source, uint32_t root,
                                const uint32_t *groups, size_t n, struct weft_err *err);

/*
 * Returns for each node of the first trace's tree the one that it is paired with in the
 * second trace's, or WEFT_NONE (weft_tree_match).
 */
const uint32_t *tree_match_of(struct weft_use *use, struct weft_err *err);

/* Returns true if a node ran on another row (PE) than its parent; false if the parent has
   no entity or the node is the root. */
bool tree_migrated(const struct weft_tree *tree, uint32_t node);

/*
 * Returns the node that a setting names: "" is the root, "record:5" the fifth of the run,
 * "3:1" that of index 1 on PE 3, and a number is an id (as marks have). WEFT_NONE with *err
 * when there is no such node.
 */
uint32_t tree_node_named(const struct weft_tree *tree, const char *parameter,
                         const char *text, struct weft_err *err);

#endif
