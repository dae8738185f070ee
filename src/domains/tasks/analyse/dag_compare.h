/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs of one task-parallel program, aligned by structure: the root with the root, the I-th
 * child of a section or task with the I-th of its partner, and the task that a create made with
 * the one that its partner made.  Neither times nor workers say what belongs together.
 *
 * What a subgraph cost: its work; and its parts of the delay and no-work of its run
 * (analyse/dag_time.h), which are shared out as they arise.  At each moment the delay is shared
 * evenly by the nodes that are ready, and the no-work by those that are running or ready,
 * since they are all that there is to do.  So the costs of the root are those of its run, but
 * for moments at which no node is running or ready.
 */
#ifndef WEFT_ANALYSE_DAG_COMPARE_H
#define WEFT_ANALYSE_DAG_COMPARE_H

#include "domains/tasks/dag/dag.h"

struct weft_dag_costs { /* in nanoseconds */
    double work, delay, no_work;
};

/* Costs of subgraphs: of a section or task with all inside, of a create with its task. */
struct weft_dag_bill;

/* O(n log n); 64 bytes a node meanwhile, 16 kept.  DAG must outlive it. */
struct weft_dag_bill *weft_dag_bill_new(const struct weft_dag *dag,
                                        const struct weft_schema *schema,
                                        struct weft_job *job,
                                        struct weft_err *err) WEFT_MUST_CHECK;
void weft_dag_bill_free(struct weft_dag_bill *bill); /* NULL is fine */
struct weft_dag_costs weft_dag_bill_of(const struct weft_dag_bill *bill, uint32_t node);

struct weft_dag_pair {
    uint32_t node[2]; /* sections, tasks or leaves that differ, one of each DAG */
    uint32_t depth;   /* of the nest; the root's is 0 */
    bool differs;     /* in kind, in how many children it has, or in what it has inside */
    double change;    /* the changes of the three costs, without sign, in nanoseconds */
};

struct weft_dag_pairs {
    struct weft_dag_pair
        *list; /* by change, falling; those of one change in order of node */
    size_t n;
    uint64_t aligned;   /* nodes that have a partner */
    uint64_t differing; /* of them, those that differ */
};

/*
 * All pairs of sections and tasks, and of leaves that differ.  Where the numbers of children
 * differ, as many as both have are aligned, up to the first of different kinds.  O(n log n) in
 * the smaller DAG, without recursion.  Error: WEFT_ERR_CANCELLED.
 */
bool weft_dag_compare(const struct weft_dag *const dags[2],
                      const struct weft_dag_bill *const bills[2], struct weft_job *job,
                      struct weft_dag_pairs *out, struct weft_err *err) WEFT_MUST_CHECK;
void weft_dag_pairs_free(struct weft_dag_pairs *pairs);

#endif
