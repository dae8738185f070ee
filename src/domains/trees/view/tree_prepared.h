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

#include "domains/trees/analyse/thread_work_span.h"
#include "domains/trees/analyse/work_span.h"
#include "domains/trees/model/tree_cross_edges.h"
#include "domains/trees/model/tree_radial.h"
#include "domains/trees/model/tree_time_sizes.h"
#include "view/prepare.h"

/* Returns true if the first trace of a set has a tree of reductions or calls
   (weft_tree_fills): the callback `fills` of the views of trees. */
bool tree_set_fills(const struct weft_set *set);

/* The preparation (result computed once and cached) of a trace's tree by weft_tree_read():
   the result is a struct weft_tree; it has no parameters, and its set is one trace. */
extern const struct weft_preparation weft_tree_preparation;

/*
 * Returns the tree of the trace with index SOURCE in the set of the request of USE, from a
 * cache if it was made before; valid until USE ends. NULL with WEFT_ERR_USAGE if the trace
 * has neither reductions nor calls, or with the errors of weft_tree_read().
 */
const struct weft_tree *tree_of(struct weft_use *use, size_t source, struct weft_err *err);

/* The size of a node, to which its sector is in proportion: VISTA's weight, the nodes of
   its subtree, its time (WEFT_TREE_TIME), or its time without waiting (WEFT_TREE_SELF). */
enum tree_size { TREE_SIZE_WEIGHT, TREE_SIZE_COUNT, TREE_SIZE_TIME, TREE_SIZE_SELF };

/*
 * The distribution of a subtree's nodes over rows (PEs) and labels (names). Nodes without
 * an entity count only in `n`, `first`, `last` and `migrated`. A node's own size is 1, or
 * its ticks without its children's. Owned by the use that tree_spread_of() was asked with.
 */
struct tree_spread {
    uint64_t n;               /* nodes */
    double size;              /* sum of the nodes' own sizes */
    int64_t first, last;      /* their earliest and latest begin */
    uint64_t *nodes_of_pe;    /* [tree->n_pes] nodes with an entity on each row */
    uint64_t *nodes_of_label; /* [tree->n_labels] nodes with an entity and this label */
    double *of_pe;            /* [tree->n_pes] sums of these nodes' own sizes */
    double *of_label;         /* [tree->n_labels] likewise, by label */
    uint64_t migrated;        /* nodes below the root on another PE than their parent */
};

enum { TREE_MAX_OPENED = 64 /* most how->n_opened of tree_layout_of() */ };
/*
 * Returns how the nodes of the subtree of ROOT, in the tree of the trace with index SOURCE
 * in the request's set, are spread over rows and labels; valid until USE ends. With a SIZE
 * of time, a node's own size is its work and waiting in ticks (TREE_SIZE_SELF: its work),
 * else 1. NULL with *ERR on failure.
 */
const struct tree_spread *tree_spread_of(struct weft_use *use, size_t source, uint32_t root,
                                         enum tree_size size, struct weft_err *err);

/* Returns the graph (times and edges) over the tree of the trace with index SOURCE in the
   request's set, valid until USE ends; NULL with *ERR on failure. */
const struct weft_graph *tree_graph_of(struct weft_use *use, size_t source,
                                       struct weft_err *err);

/*
 * Returns a hold on the graph (tree with times and edges) of the first trace of args->set,
 * which keeps it in the cache: for a preparation that is made from the graph.
 * tree_graph_in() returns the graph, and the caller ends the hold with weft_release().
 * Makes the graph if it does not exist. NULL with *ERR on failure.
 */
const struct weft_held *tree_hold_graph(const struct weft_prepare_args *args,
                                        struct weft_err *err);
/* Returns the graph that HELD, a result of tree_hold_graph(), holds; valid until
   weft_release(HELD). */
const struct weft_graph *tree_graph_in(const struct weft_held *held);

/*
 * Returns true if the durations of the nodes of TREE are known. They are not for reductions
 * without times of suspension, as in VISTA's traces: there a state lasts until the next
 * one.
 */
bool tree_knows_lengths(const struct weft_tree *tree, const struct weft_schema *schema);

/*
 * How long each node of a tree waited, in ticks. A reduction waited from its suspension
 * until it was woken (until it ran, if that is not known); a call as weft_graph_waited()
 * says, without the calls inside it. Made by tree_waits_of().
 */
struct tree_waits {
    int64_t *ticks; /* [nodes] */
    int64_t most;   /* maximum over nodes, at least 0 */
};
/* Returns how long the nodes of the tree of the trace with index SOURCE in the request's
   set waited, valid until USE ends; NULL with *ERR on failure. */
const struct tree_waits *tree_waits_of(struct weft_use *use, size_t source,
                                       struct weft_err *err);

/* Work and span (the longest path of work that has to be done in order) of a whole tree of
   reductions or calls. Made by tree_span_of(). */
struct tree_span {
    struct weft_work_span of; /* for calls, its path has those that are open at the begin
                                 and end of the first 20,000 stretches of `threads.path` */
    enum weft_work_unit unit; /* nodes if their durations are unknown */
    struct weft_thread_span threads; /* calls only; else zeroed */
    bool at_least; /* several rows of calls, but no links between their threads: `of.span`
                      is a lower bound */
    int64_t begin, length; /* of the run, in ticks, from the first begin to the last end */
};
/*
 * Returns text on SPAN, the work and span of TREE, a tree of the trace with SCHEMA: "work
 * 1.31 s, span 30 ms: parallelism 43.7, of which 3.2 used (7 %)", also what limits these
 * numbers. The text is in ARENA or static.
 */
const char *tree_span_text(struct weft_arena *arena, const struct tree_span *span,
                           const struct weft_tree *tree, const struct weft_schema *schema);
/* Returns the parallelism of the program: its work divided by its span; 0 if the span is
   0. */
double tree_span_offered(const struct tree_span *span);
/*
 * Returns the parallelism that the run of TREE used: its work divided by its length; 0 for
 * a run without length. If nodes are counted instead of their time, an upper bound: the
 * number of rows with nodes, or tree_span_offered() if less.
 */
double tree_span_used(const struct tree_span *span, const struct weft_tree *tree);
/* Returns work and span of the tree of the trace with index SOURCE in the request's set,
   valid until USE ends; NULL with *ERR on failure. */
const struct tree_span *tree_span_of(struct weft_use *use, size_t source,
                                     struct weft_err *err);

/*
 * Returns the layout of the subtree of ROOT in TREE, the tree of the trace with index
 * SOURCE in the request's set; valid until USE ends. The settings are `most`, `depth`,
 * `opened` and `n_opened` (at most TREE_MAX_OPENED) of HOW, with SIZE instead of its `size`
 * and `sums`; a SIZE of time becomes TREE_SIZE_COUNT if the whole tree, from node 0, has a
 * time of 0. Pictures so large that nothing is folded share one layout. NULL with *ERR on
 * failure.
 */
const struct weft_tree_layout *tree_layout_of(struct weft_use *use, size_t source,
                                              const struct weft_tree *tree, uint32_t root,
                                              const struct weft_tree_how *how,
                                              enum tree_size size, struct weft_err *err);

/* Returns the edges between the nodes of the tree of the trace with index SOURCE in the
   request's set, valid until USE ends; NULL with *ERR on failure. */
const struct weft_tree_edges *tree_edges_of(struct weft_use *use, size_t source,
                                            struct weft_err *err);

/* Most groups of tree_bundles_of(): 25,600 pairs, far more curves than can be told
   apart. */
enum { TREE_MAX_GROUPS = 160 };
/*
 * Returns the numbers of edges between groups of nodes, an array [N][N]: first index the
 * group of the source, second that of the target, 0 within a group; valid until USE ends.
 * The tree is that of the trace with index SOURCE in the request's set. GROUPS[N] are the
 * top nodes of the groups: a group is a subtree inside that of ROOT, without the groups
 * inside it. N is at most TREE_MAX_GROUPS. NULL with *ERR on failure.
 */
const uint32_t *tree_bundles_of(struct weft_use *use, size_t source, uint32_t root,
                                const uint32_t *groups, size_t n, struct weft_err *err);

/*
 * Returns for each node of the first trace's tree the node of the second trace's tree that
 * it is paired with, or WEFT_NONE (weft_tree_match); an array [nodes], valid until USE
 * ends. NULL with WEFT_ERR_USAGE if the request has fewer than two traces, or another *ERR.
 */
const uint32_t *tree_match_of(struct weft_use *use, struct weft_err *err);

/* Returns true if a node is on another row (PE, or track of a thread) than its parent;
   false if the node is the root, or its parent has no entity (a thread, the added root). */
bool tree_migrated(const struct weft_tree *tree, uint32_t node);

/*
 * Returns the node that TEXT, the value of the setting called PARAMETER, names: "" is the
 * root, "record:5" the fifth of the run, "3:1" that of index 1 on row (PE) 3, and a number
 * is the id of an entity or container, as marks of scenes have. WEFT_NONE with
 * WEFT_ERR_USAGE, which names PARAMETER, when there is no such node.
 */
uint32_t tree_node_named(const struct weft_tree *tree, const char *parameter,
                         const char *text, struct weft_err *err);

#endif
