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
 *         until the next one of its PE;
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
 * Nested states.  Otherwise each track of states that nest is a tree of calls: a state's
 * parent is the state around it; the outermost are children of their thread, the threads of
 * one root.
 *
 * Nodes are numbered in order of levels, the children of a node side by side, and the children
 * of consecutive nodes one after another.  So the nodes of any subtree are one run of numbers
 * in each level, and any walk of a subtree is a few sequential walks through arrays.
 */
#ifndef WEFT_MODEL_TREE_H
#define WEFT_MODEL_TREE_H

#include "store/source.h"

enum { WEFT_TREE_MOST_PES = 65535 };

struct weft_tree_pe { /* a row of the trace that nodes are on: PE, thread */
    const char *name;
    uint32_t container;
    uint32_t track; /* of its entities, or WEFT_NONE */
    uint32_t first; /* number (while building) of its first entity's node */
    uint64_t count; /* of its entities */
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
    uint32_t *count;       /* nodes of the subtree, with itself */
    int64_t *time;         /* ticks of the own clock */
    uint16_t *pe;
    uint32_t *label;
    uint32_t *ordinal; /* of its entity on the PE's track; WEFT_NONE: it has none */
    uint32_t *record;  /* position in the order of the run, from 1; 0: it has none */
    uint32_t *index;   /* on its PE, from 1; NULL: the ordinal and one */

    struct weft_tree_pe *pes;
    uint32_t n_pes;
    struct weft_tree_label *labels;
    uint32_t n_labels;
    uint32_t *node_of; /* by number while building; WEFT_NONE: not in the tree */
    uint32_t n_added;
    uint32_t lost;       /* nodes whose parents lead nowhere: not in the tree */
    bool has_reductions; /* else it is a tree of calls */
    bool has_all;        /* the root stands above several */
    uint32_t type;       /* of the reductions' states, or WEFT_NONE */
    struct weft_arena arena;
};

/* ---- Building ---- */

struct weft_tree_node {
    uint32_t parent; /* a number that was or will be given to a node; WEFT_NONE: a root */
    uint32_t label;
    int64_t time;
    uint32_t ordinal;
    uint32_t record; /* 0: rank it by time */
    uint32_t index;  /* on its PE; 0: the ordinal and one */
    uint16_t pe;
};

struct weft_tree_builder;
struct weft_tree_builder *weft_tree_builder_new(void);
void weft_tree_builder_free(struct weft_tree_builder *builder);
/*
 * A row for nodes, and room for the COUNT nodes of its entities: their numbers are the
 * returned row's `first` on, in order of their ordinals.  NULL: more rows or nodes than fit.
 */
const struct weft_tree_pe *weft_tree_pe(struct weft_tree_builder *builder, const char *name,
                                        uint32_t container, uint32_t track, uint64_t count);
uint32_t weft_tree_label(struct weft_tree_builder *builder,
                         const struct weft_tree_label *label);
/* Fill the node of a number; different numbers may be filled by several threads at once. */
void weft_tree_put(struct weft_tree_builder *builder, uint32_t number,
                   const struct weft_tree_node *node);
/* The nodes of a row from its `first` on, to fill in place: until the next row is added. */
struct weft_tree_node *weft_tree_nodes(struct weft_tree_builder *builder, uint32_t first);
/* One more node, beside those of the rows; its number. */
uint32_t weft_tree_add(struct weft_tree_builder *builder,
                       const struct weft_tree_node *node);
/*
 * Order the nodes.  Several roots get one root above them, "all".  Frees the builder, also on
 * failure: WEFT_ERR_FORMAT when there is no root, WEFT_ERR_CANCELLED.
 */
struct weft_tree *weft_tree_finish(struct weft_tree_builder *builder, struct weft_job *job,
                                   struct weft_err *err) WEFT_MUST_CHECK;

/* ---- Reading ---- */

/* Has the trace reductions, or states inside states? */
bool weft_tree_fills(const struct weft_source *source);
/* The tree of a trace; free it with weft_tree_free. */
struct weft_tree *weft_tree_read(const struct weft_source *source, struct weft_job *job,
                                 struct weft_err *err) WEFT_MUST_CHECK;
void weft_tree_free(struct weft_tree *tree);
size_t weft_tree_bytes(const struct weft_tree *tree); /* of memory */

/* The state type that holds reductions, or WEFT_NONE. */
uint32_t weft_tree_reduction_type(const struct weft_schema *schema);

/* The entity of a node (a container's id for a thread), or WEFT_NO_ID; and back. */
uint64_t weft_tree_id(const struct weft_tree *tree, uint32_t node);
uint32_t weft_tree_find(const struct weft_tree *tree, uint64_t id);
/* By position in the order of the run, and by PE and index as VISTA counts. */
uint32_t weft_tree_find_record(const struct weft_tree *tree, uint64_t record);
uint32_t weft_tree_find_index(const struct weft_tree *tree, uint32_t pe, uint64_t index);
uint32_t weft_tree_index(const struct weft_tree *tree, uint32_t node); /* 0: it has none */
uint32_t weft_tree_level(const struct weft_tree *tree, uint32_t node);

/* The nodes of a subtree by PE (adds to OF_PE[n_pes]) and its times; O(its size). */
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
 * The nodes of B that are the same as those of A: [A's n], WEFT_NONE where there is none.
 * Roots are the same when their procedures are; children of the same nodes are when all below
 * them is (whatever order they ran in), else when their procedures and clauses are, in order.
 * In memory that the caller frees; NULL when the job is cancelled.
 */
uint32_t *weft_tree_match(const struct weft_tree *a, const struct weft_tree *b,
                          struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

#endif
