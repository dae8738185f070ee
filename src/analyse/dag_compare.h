/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs of one task-parallel program, aligned by structure: the root with the root, the I-th
 * child of a section or task with the I-th of its partner, the task that a create made with the
 * one that the partner made.  Neither times nor workers say which nodes belong together.  Where
 * one DAG is contracted, or has another number or kinds of children, the alignment ends: the two
 * nodes are compared as wholes, and the structures differ there if their logical counts do.
 */
#ifndef WEFT_ANALYSE_DAG_COMPARE_H
#define WEFT_ANALYSE_DAG_COMPARE_H

#include "dag/dag.h"

/* What a subgraph (or leaf) has in one run, in nanoseconds. */
struct weft_dag_costs {
    int64_t work;
    int64_t delay;   /* its parts were ready, and not running */
    int64_t no_work; /* of the time from its first part ready to its end, what its critical path
                        and its parts' waiting leave: idle because of what it waits for */
};
struct weft_dag_costs weft_dag_costs_of(const struct weft_schema *schema,
                                        const struct weft_dag_node *node);

struct weft_dag_pair {
    uint32_t node[2]; /* in each DAG */
    uint32_t depth;   /* of the nest */
    struct weft_dag_costs costs[2];
    bool differs; /* their structures do: here the alignment ends */
};

struct weft_dag_pairs {
    struct weft_dag_pair *list;
    size_t n;
    uint64_t aligned;   /* pairs of nodes that were looked at */
    uint64_t differing; /* of them, those whose structures differ */
};

/*
 * The pairs of sections and tasks that changed most, by the sum of the changes of their three
 * costs without sign, largest first, and of those that differ in structure all that are among
 * the first MOST in order of nodes.  At most 2 x MOST.  O(smaller DAG), on one thread, without
 * recursion.  Error: WEFT_ERR_CANCELLED.
 */
bool weft_dag_compare(const struct weft_dag *const dags[2],
                      const struct weft_schema *const schemas[2], size_t most,
                      struct weft_job *job, struct weft_dag_pairs *out,
                      struct weft_err *err) WEFT_MUST_CHECK;
void weft_dag_pairs_free(struct weft_dag_pairs *pairs);

#endif
