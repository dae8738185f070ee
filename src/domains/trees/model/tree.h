/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of work: who created whom.  A node is a reduction of a logic program, a call, a task;
 * its parent is what created it.  One small interface builds a tree from any such structure
 * (struct weft_tree_builder); weft_tree_read feeds it from a store:
 *
 * Reductions.  A store with reductions has
 *
 *     a container type for processing elements ("PE"), whose containers, in order of their
 *         creation, are PE 0, 1, 2 ...;
 *     a state type on it, of the role reduction, with one state for each reduction, its value
 *         the procedure.  VISTA traces know one instant of a reduction: there the state lasts
 *         until the next one of its PE, and a PE's last has no length;
 *     integer fields of that state type, known by their roles (store/role.h):
 *         number                  counts a PE's reductions from 1 (absent: the order of the
 *                                 states)
 *         parent-row, parent-number  the parent: the number of its PE, and its own on that
 *                                 PE.  The type has both; a root carries neither
 *         clause                  number of the clause in the source, from 1 (optional)
 *         record-number           position in the run's order, from 1 (optional; else order
 *                                 of time).  Children of a node stand in this order
 *         since                   tick of the trace's clock since which the goal was
 *                                 suspended before it ran (optional; absent: it never was)
 *         woken                   tick at which it could run again (optional)
 *         waits                   how many times it was suspended (optional)
 *     a text field of the role object: on which variable (optional);
 *     a field of the role site and kind site: the clause's place in the source (optional);
 *     links with both from_entity and to_entity: data dependence, from the reduction whose
 *         binding woke a goal to the reduction that the goal became (optional).
 *
 * Migrations are not stored: a reduction migrated when its PE is not its parent's.
 *
 * Nested states.  Otherwise states that nest are a tree of calls: a state's parent is the state
 * around it; the outermost are children of their thread, and a thread is the child of what
 * created it (model/tree_calls.h).  Where none nests, the same is made of states of types of role
 * call, or communication, or else activity.
 *
 * Nodes are numbered in order of levels, the children of a node side by side, and the children
 * of consecutive nodes one after another.  So the nodes of any subtree are one run of numbers
 * in each level, and any walk of a subtree is a few sequential walks through arrays.
 */
#ifndef WEFT_MODEL_TREE_H
#define WEFT_MODEL_TREE_H

#include "base/map.h"
#include "store/source.h"

/* Rows that a tree may have: a node keeps the number of its row in 16 bits. */
enum { WEFT_TREE_MOST_PES = 65535 };

/* A container of the trace whose entities are nodes: a processing element or a thread. */
struct weft_tree_pe {
    const char *name;
    uint32_t container;
    uint32_t track; /* that its entities are on, or WEFT_NONE */
    uint32_t first; /* the number, while building, of its first entity's node */
    uint64_t count; /* entities on the track */
};

struct weft_tree_label {
    const char *name; /* of the procedure */
    uint32_t value;   /* in the schema, or WEFT_NONE */
    uint32_t clause;  /* 0: not known */
    uint32_t site;    /* in the schema, or WEFT_NONE */
};

struct weft_tree {
    uint32_t n;
    uint32_t n_levels;
    uint32_t *level_begin; /* [n_levels + 1]: the nodes of a level */
    uint32_t *parent;      /* WEFT_NONE for the root, which is node 0 */
    uint32_t *first_child; /* [n + 1]: the children of i are first_child[i] up to
                              first_child[i + 1] */
    uint32_t *count;       /* nodes of the subtree, its root included */
    int64_t *time;         /* ticks of the trace's clock */
    uint16_t *pe;
    uint32_t *label;
    uint32_t *ordinal; /* of the node's entity on the PE's track; WEFT_NONE: no entity */
    uint32_t *record;  /* position in the order of the run, from 1; 0: not known */
    uint32_t *index;   /* position on its PE, from 1; NULL: every ordinal plus one */

    struct weft_tree_pe *pes;
    uint32_t n_pes;
    struct weft_tree_label *labels;
    uint32_t n_labels;
    uint32_t *node_of; /* by the number that the node had while building; WEFT_NONE: the
                          node is not in the tree */
    uint32_t n_added;
    struct weft_id_map rows;    /* by track: the row */
    struct weft_id_map threads; /* by container: its node, where it is one */
    uint32_t lost;       /* nodes whose parents do not lead to the root: not in the tree */
    bool has_reductions; /* else it is a tree of calls */
    bool has_all;        /* the root was added, above several roots */
    uint32_t type;       /* of the reductions' states, or WEFT_NONE */
    struct weft_arena arena;
};

/* ---- Building ---- */

struct weft_tree_node {
    uint32_t parent; /* another node's number, filled already or not; WEFT_NONE: a root */
    uint32_t label;
    int64_t time;
    uint32_t ordinal;
    uint32_t record; /* 0: the node is ranked by its time */
    uint32_t index;  /* on its PE; 0: the ordinal plus one */
    uint16_t pe;
};

struct weft_tree_builder;
struct weft_tree_builder *weft_tree_builder_new(void);
void weft_tree_builder_free(struct weft_tree_builder *builder);
/*
 * Add a row, with room for the nodes of its COUNT entities: in order of their ordinals they
 * have the numbers from the returned row's `first` on.  NULL when there would be more rows
 * or nodes than a tree holds.
 */
const struct weft_tree_pe *weft_tree_pe(struct weft_tree_builder *builder, const char *name,
                                        uint32_t container, uint32_t track, uint64_t count);
/*
 * Add a label.  Names are copied; those of one value, and of the rows of one container that follow
 * one another, are the same, and are kept once.
 */
uint32_t weft_tree_label(struct weft_tree_builder *builder,
                         const struct weft_tree_label *label);
/* Fill the node of a number; different numbers may be filled by several threads at once. */
void weft_tree_put(struct weft_tree_builder *builder, uint32_t number,
                   const struct weft_tree_node *node);
/* The nodes of a row, from its `first` on, to fill in place; valid until a row is added. */
struct weft_tree_node *weft_tree_nodes(struct weft_tree_builder *builder, uint32_t first);
/* Add a node that is the entity of no row; returns its number. */
uint32_t weft_tree_add(struct weft_tree_builder *builder,
                       const struct weft_tree_node *node);
/*
 * Put the nodes in order.  When there are several roots, a root named "all" is added above
 * them.  Frees the builder, also on failure: WEFT_ERR_FORMAT when there is no root,
 * WEFT_ERR_CANCELLED when the job is cancelled.
 */
struct weft_tree *weft_tree_finish(struct weft_tree_builder *builder, struct weft_job *job,
                                   struct weft_err *err) WEFT_MUST_CHECK;

/* ---- Reading ---- */

/* True when the trace has reductions, or states as above. */
bool weft_tree_fills(const struct weft_source *source);
/* The tree of a trace; free it with weft_tree_free. */
struct weft_tree *weft_tree_read(const struct weft_source *source, struct weft_job *job,
                                 struct weft_err *err) WEFT_MUST_CHECK;
void weft_tree_free(struct weft_tree *tree);
size_t weft_tree_bytes(const struct weft_tree *tree); /* of memory */

/* The state type that holds reductions, or WEFT_NONE. */
uint32_t weft_tree_reduction_type(const struct weft_schema *schema);

/* The id of a node's entity (a container's for a thread), or WEFT_NO_ID; and the node of an
 * id, or WEFT_NONE.  O(1). */
uint64_t weft_tree_id(const struct weft_tree *tree, uint32_t node);
uint32_t weft_tree_find(const struct weft_tree *tree, uint64_t id);
/* The node at a position in the order of the run, and that of a PE and index, both from 1
 * as VISTA counts; WEFT_NONE when there is none. */
uint32_t weft_tree_find_record(const struct weft_tree *tree, uint64_t record);
uint32_t weft_tree_find_index(const struct weft_tree *tree, uint32_t pe, uint64_t index);
uint32_t weft_tree_index(const struct weft_tree *tree, uint32_t node); /* 0: not known */
uint32_t weft_tree_level(const struct weft_tree *tree, uint32_t node);

/* Adds the number of a subtree's nodes on each PE to OF_PE[n_pes]; returns the span of their
 * times.  O(nodes of the subtree). */
struct weft_span weft_tree_shares(const struct weft_tree *tree, uint32_t node,
                                  uint64_t *of_pe);

/* The runs of a subtree, level by level: [begin, end) at LEVEL below its root. */
struct weft_tree_run {
    uint32_t begin, end;
};
static inline struct weft_tree_run weft_tree_below(const struct weft_tree *tree,
                                                   struct weft_tree_run run)
{
    return (struct weft_tree_run){ tree->first_child[run.begin],
                                   tree->first_child[run.end] };
}

/*
 * For each node of A the node of B that is the same, or WEFT_NONE.  The two roots are the same
 * when their procedures and clauses are equal.  Below a pair of same nodes, first those
 * children are paired whose whole subtrees are equal (in whatever order they ran), then, in
 * order, those that are left and have equal procedures and clauses.  Returns A's n nodes of B,
 * which the caller frees; NULL when the job is cancelled.
 */
uint32_t *weft_tree_match(const struct weft_tree *a, const struct weft_tree *b,
                          struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

#endif
