/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of work: a node is a reduction of a logic program, a call, or a task; its parent
 * created or called it. A struct weft_tree_builder makes a tree of nodes in any order;
 * weft_tree_read feeds it from a store:
 *
 * Reductions. A store with reductions has
 *
 *     a container type for processing elements ("PE"), whose containers, in order of their
 *         creation, are PE 0, 1, 2 ...;
 *     a state type on it, of the role reduction, with one state for each reduction; the
 *         value is the procedure. VISTA traces know one instant of a reduction: there the
 *         state lasts until the next one of its PE, and the last of a PE has no length;
 *     integer fields of that state type, known by their roles (store/role.h):
 *         number                  counts a PE's reductions from 1 (absent: the order of the
 *                                 states)
 *         parent-row, parent-number  the parent: its PE, and its number on that PE. The
 *                                 type has both fields; a root carries neither value
 *         clause                  number of the clause in the source, from 1 (optional)
 *         record-number           position in the run's order, from 1 (optional; else order
 *                                 of time). The children of a node are in this order
 *         since                   tick at which the goal was suspended before it ran
 *                                 (optional; absent: it never was)
 *         woken                   tick at which it could run again (optional)
 *         waits                   how many times it was suspended (optional)
 *     a text field of the role object: the variable that the goal waited for (optional);
 *     a field of the role site and kind site: the clause's place in the source (optional);
 *     links with both from_entity and to_entity: data dependence, from the reduction whose
 *         binding woke a goal to the reduction that the goal became (optional).
 *
 * Migrations are not stored: a reduction migrated when its PE is not its parent's.
 *
 * Calls. In other stores, nested states are a tree of calls: the parent of a state is the
 * state around it; the outermost states are children of their thread, and a thread is the
 * child of its creator (model/tree_calls.h). Where no states nest, the nodes are the states
 * of types of role call; without these of role communication; without these of role
 * activity.
 *
 * Nodes are numbered level by level, the children of a node side by side, and the children
 * of consecutive nodes one after another. So the nodes of any subtree are one run of
 * numbers in each level, and a walk of a subtree is a few sequential walks through arrays.
 */
#ifndef WEFT_MODEL_TREE_H
#define WEFT_MODEL_TREE_H

#include "base/hash_map.h"
#include "store/source.h"

/* Most rows of a tree: a node keeps the number of its row in 16 bits. */
enum { WEFT_TREE_MAX_PES = 65535 };

/* A row of a tree: a track of the trace whose entities (states) are nodes. It belongs to a
   processing element (PE), or to a thread, which may have several rows. */
struct weft_tree_pe {
    const char *name;   /* of the container; owned by the tree */
    uint32_t container; /* index in the schema's containers */
    uint32_t track;     /* the track of its entities, or WEFT_NONE */
    uint32_t first;     /* builder number of its first entity's node: index in node_of */
    uint64_t count;     /* number of entities on the track */
};

/* The name that nodes share: a procedure or the value of states, and where known its clause
   and place in the source. */
struct weft_tree_label {
    const char *name; /* in a tree: owned by the tree */
    uint32_t value;   /* index in the schema's values, or WEFT_NONE */
    uint32_t clause;  /* number in the source, from 1; 0: not known */
    uint32_t site;    /* index in the schema's sites, or WEFT_NONE */
};

/*
 * A tree of reductions, calls or tasks, with its nodes numbered level by level, and arrays
 * by node. Read-only once made, so any number of threads may read it. weft_tree_read(),
 * weft_tree_read_tasks() or weft_tree_finish() makes it; weft_tree_free() frees it.
 */
struct weft_tree {
    uint32_t n;        /* nodes, at least 1 */
    uint32_t n_levels; /* levels, at least 1; the root is level 0 */
    /* [n_levels + 1]: level l has the nodes [level_begin[l], level_begin[l + 1]). */
    uint32_t *level_begin;
    uint32_t *parent; /* WEFT_NONE for the root, which is node 0 */
    /* [n + 1]: the children of node i are [first_child[i], first_child[i + 1]). */
    uint32_t *first_child;
    uint32_t *count;   /* nodes of the subtree, including this one */
    int64_t *time;     /* begin, in ticks of the trace's clock */
    uint16_t *pe;      /* index in pes: the node's row */
    uint32_t *label;   /* index in labels */
    uint32_t *ordinal; /* of the entity on its row's track; WEFT_NONE: the node has no
                          entity */
    uint32_t *record;  /* position in the order of the run, from 1; 0: unknown */
    uint32_t *index;   /* position on its row, from 1, 0: unknown; NULL: the position of
                              every entity is its ordinal plus one */

    struct weft_tree_pe *pes; /* [n_pes] the rows, by the number in `pe` */
    uint32_t n_pes;
    struct weft_tree_label *labels; /* [n_labels] by the number in `label` */
    uint32_t n_labels;
    uint32_t *node_of; /* [n_added] node by builder number; WEFT_NONE: not in the tree */
    uint32_t n_added;  /* nodes that the builder got, and the added root */
    struct weft_id_map rows;    /* by track: the row, an index in pes */
    struct weft_id_map threads; /* by container: the node of its thread, if it has one */
    uint32_t lost;       /* nodes outside of the tree: no path of parents leads to the
                            root */
    bool has_reductions; /* false: calls, or tasks (model/tree_tasks.h) */
    bool has_all;        /* the root was added above several roots */
    uint32_t type;       /* state type of the reductions or tasks, an index in the schema's
                            types; WEFT_NONE for calls */
    struct weft_arena arena;
};

/* ---- Building ---- */

/* A node as a tree builder gets it, with the members that the arrays of struct weft_tree
   describe. Builder numbers count nodes in the order of adding, from 0. */
struct weft_tree_node {
    uint32_t parent;  /* builder number, of a node filled before or later; WEFT_NONE: a
                        root */
    uint32_t label;   /* a number from weft_tree_label() */
    int64_t time;     /* its begin, in ticks */
    uint32_t ordinal; /* of its entity on its row's track; WEFT_NONE: it has none */
    uint32_t record;  /* 0 for all nodes: those with an entity are ranked by time */
    uint32_t index;   /* position on its row, from 1; 0: unknown, and if all nodes have 0,
                        the ordinal plus one */
    uint16_t pe; /* number of its row: rows count from 0 in the order of weft_tree_pe() */
};

/* A tree that is being made, from nodes in any order. Made by weft_tree_builder_new(),
   freed by weft_tree_finish() or weft_tree_builder_free(). */
struct weft_tree_builder;
/* Returns a builder without rows and nodes, never NULL; weft_tree_finish() turns it into a
   tree, weft_tree_builder_free() gives it up. */
struct weft_tree_builder *weft_tree_builder_new(void);
/* Frees a builder that weft_tree_finish() was not called for; NULL has no effect. */
void weft_tree_builder_free(struct weft_tree_builder *builder);
/*
 * Adds a row for the COUNT entities on TRACK of CONTAINER (TRACK may be WEFT_NONE); NAME is
 * copied. The entity with ordinal I is the node with builder number `first` + I of the
 * returned row; if it is not set (weft_tree_put, weft_tree_nodes) before
 * weft_tree_finish(), the tree leaves it out. NULL when the tree would have too many rows
 * or nodes. The result is the builder's and valid until the next row is added. The rows of
 * a container must be added one after another: graphs take them for one group.
 */
const struct weft_tree_pe *weft_tree_pe(struct weft_tree_builder *builder, const char *name,
                                        uint32_t container, uint32_t track, uint64_t count);
/*
 * Adds a copy of LABEL and returns its number, from 0 on. Labels with the same `value`
 * (other than WEFT_NONE) share one copy of the name: that of the first of them.
 */
uint32_t weft_tree_label(struct weft_tree_builder *builder,
                         const struct weft_tree_label *label);
/* Sets the node with builder number NUMBER to a copy of NODE. The number must exist
   (weft_tree_pe, weft_tree_add), else the program is aborted. Several threads may set
   different nodes at once. */
void weft_tree_put(struct weft_tree_builder *builder, uint32_t number,
                   const struct weft_tree_node *node);
/* Returns the builder's array of nodes from builder number FIRST on, for the caller to
   set. Valid until a row or a node is added. */
struct weft_tree_node *weft_tree_nodes(struct weft_tree_builder *builder, uint32_t first);
/* Adds a copy of NODE, which is no entity of a row (its ordinal is WEFT_NONE), such as a
   thread; returns its builder number. All rows must have been added. Aborts beyond about
   2^32 nodes. */
uint32_t weft_tree_add(struct weft_tree_builder *builder,
                       const struct weft_tree_node *node);
/*
 * Returns the tree of the builder's nodes, to be freed with weft_tree_free(). Several roots
 * get a common root, named "all". Nodes that were not set, or are not reached from the
 * root, are left out and counted in `lost`. The caller sets `type` and `has_reductions`,
 * which are WEFT_NONE and false. Frees the builder, also on failure: NULL with
 * WEFT_ERR_FORMAT if no node is a root, or WEFT_ERR_CANCELLED if JOB (may be NULL) is
 * cancelled.
 */
struct weft_tree *weft_tree_finish(struct weft_tree_builder *builder, struct weft_job *job,
                                   struct weft_err *err) WEFT_MUST_CHECK;

/* ---- Reading ---- */

/* Returns true if the trace has reductions, or states that weft_tree_has_calls() takes as
   calls. Looks only at the schema. */
bool weft_tree_fills(const struct weft_source *source);
/*
 * Returns the tree of a trace's reductions if it has any (weft_tree_reduction_type), else
 * the tree of its calls; to be freed with weft_tree_free(). NULL with WEFT_ERR_FORMAT if no
 * node is a root (as without any node), WEFT_ERR_LIMIT for too many nodes or rows, or
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
struct weft_tree *weft_tree_read(const struct weft_source *source, struct weft_job *job,
                                 struct weft_err *err) WEFT_MUST_CHECK;
/* Frees a tree; NULL has no effect. */
void weft_tree_free(struct weft_tree *tree);
/* Returns the bytes of memory that a tree takes. */
size_t weft_tree_bytes(const struct weft_tree *tree);

/* Returns the first state type of the role reduction that has integer fields of the roles
   parent-row and parent-number, and states; WEFT_NONE if the trace has no such type. */
uint32_t weft_tree_reduction_type(const struct weft_schema *schema);

/* Returns the id of a node's entity (state); for a thread in a tree of calls, its
   container's id; for the added root "all", WEFT_NO_ID. O(1). */
uint64_t weft_tree_id(const struct weft_tree *tree, uint32_t node);
/* Returns the node of the entity (state) ID, which may be any state of a task, or of the
   thread whose container has ID; WEFT_NONE if the tree has no such node. O(1). */
uint32_t weft_tree_find(const struct weft_tree *tree, uint64_t id);
/* Returns the node at position RECORD, from 1, in the order of the run; WEFT_NONE if there
   is none. O(nodes). */
uint32_t weft_tree_find_record(const struct weft_tree *tree, uint64_t record);
/* Returns the node with position INDEX (weft_tree_index), from 1, on row PE, an index in
   tree->pes; WEFT_NONE if there is none. O(entities of the row). */
uint32_t weft_tree_find_index(const struct weft_tree *tree, uint32_t pe, uint64_t index);
/* Returns the position of a node on its row (the number of a reduction on its PE, of a call
   on its track), from 1; 0 if it is unknown or the node has no entity. O(1). */
uint32_t weft_tree_index(const struct weft_tree *tree, uint32_t node);
/* Returns the level of a node: its distance from the tree's root, whose level is 0.
   O(log levels). */
uint32_t weft_tree_level(const struct weft_tree *tree, uint32_t node);

/*
 * Counts the nodes with an entity (state) in the subtree of NODE, including NODE, by row:
 * adds the numbers to OF_PE[n_pes], which the caller zeroes. Returns the earliest begin and
 * the latest begin of all nodes of the subtree, in ticks. O(nodes of the subtree).
 */
struct weft_span weft_tree_shares(const struct weft_tree *tree, uint32_t node,
                                  uint64_t *of_pe);

/* Consecutive nodes [begin, end) of one level of a tree; or consecutive levels. */
struct weft_tree_run {
    uint32_t begin, end;
};
/* Returns the children of all nodes of RUN, which are one run on the next level; empty if
   there are none. Repeated from { node, node + 1 } on, it gives the levels of a subtree. */
static inline struct weft_tree_run weft_tree_below(const struct weft_tree *tree,
                                                   struct weft_tree_run run)
{
    return (struct weft_tree_run){ tree->first_child[run.begin],
                                   tree->first_child[run.end] };
}

/*
 * Pairs the nodes of two trees of one program. The roots are a pair if their labels (name
 * and clause) are equal. Below a pair, first the children are paired whose whole subtrees
 * are equal (equal hashes; the order of children does not matter), then the remaining
 * children with equal labels, in order. Returns an array [A's nodes], to be freed with
 * free(), of the node of B that each is paired with, or WEFT_NONE; NULL with
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
uint32_t *weft_tree_match(const struct weft_tree *a, const struct weft_tree *b,
                          struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

#endif
