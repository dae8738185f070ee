/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two runs of one task-parallel program, aligned by structure: the root with the root,
 * the I-th child of a section or task with the I-th of its partner, and the task that a
 * create made with the one that its partner made.  Times and workers play no part.
 *
 * The costs of a subgraph are its work, its waiting for locks (waits for tasks are of the
 * whole run alone), and its share of the delay
 * and no-work of its run (analyse/dag_time_breakdown.h).  At each moment the delay is
 * divided evenly among the nodes that are ready, and the no-work among the nodes that are
 * running or ready.  So the costs of the root are those of the whole run, except for
 * moments at which no node is running or ready.
 */
#ifndef WEFT_ANALYSE_DAG_COMPARE_H
#define WEFT_ANALYSE_DAG_COMPARE_H

#include "domains/tasks/dag/dag.h"

/* The costs of a subgraph, in nanoseconds: its work, its waiting for locks, and its shares
   of the run's delay and no-work. */
struct weft_dag_costs {
    double work, waiting, delay, no_work;
};

/*
 * The costs (work, waiting, shares of the run's delay and no-work) of every node's
 * subgraph: a leaf; a section or task with all inside it; a create, whose delay and no-work
 * include those of the task that it made, but whose work and waiting do not.
 * weft_dag_bill_new() makes it, weft_dag_bill_free() frees it.
 */
struct weft_dag_bill;

/*
 * Computes the costs of every node's subgraph of DAG, which must outlive the bill; SOURCE
 * is DAG's trace.  The caller frees the bill with weft_dag_bill_free().  O(n log n)
 * for n nodes; 64 bytes a node meanwhile, 16 kept.  NULL with WEFT_ERR_CANCELLED if JOB
 * (may be NULL) is cancelled.
 */
struct weft_dag_bill *weft_dag_bill_new(const struct weft_dag *dag,
                                        const struct weft_source *source,
                                        struct weft_job *job,
                                        struct weft_err *err) WEFT_MUST_CHECK;
/* Frees a bill, not its DAG; NULL is fine. */
void weft_dag_bill_free(struct weft_dag_bill *bill);
/*
 * Returns the costs (work, waiting, shares of delay and no-work) of the subgraph of NODE, a
 * number below weft_dag_size() of the bill's DAG, in nanoseconds.
 */
struct weft_dag_costs weft_dag_bill_of(const struct weft_dag_bill *bill, uint32_t node);

/* Two nodes, one of each run, that have the same position in the structure. */
struct weft_dag_pair {
    uint32_t node[2]; /* the node of the first DAG, and that of the second */
    uint32_t depth;   /* 0 for the roots; children and a created task are one deeper */
    /* They differ themselves (not only inside): in kind, in number of children, in having
       created a task, or in the orders after tasks that were created in the same section;
       if one has no children, in the leaves of each kind inside. */
    bool differs;
    bool inside; /* a pair inside differs */
    /* The costs of the second node less those of the first, without listed pairs inside:
       so the sum over all pairs is the change of the roots. */
    struct weft_dag_costs own;
    double change; /* sum of the absolute values of the four costs of `own`, in ns */
};

/* The pairs of nodes of two DAGs: weft_dag_compare() makes the list, weft_dag_pairs_free()
   frees it. */
struct weft_dag_pairs {
    /* [n] sorted by change, largest first; equal changes by the first DAG's node. */
    struct weft_dag_pair *list;
    size_t n;
    uint64_t aligned;   /* all pairs, with those of equal leaves, which are not listed */
    uint64_t differing; /* pairs with `differs`; all of them are listed */
};

/*
 * Lists all pairs of sections and tasks of two DAGs, and the pairs of leaves that differ,
 * in *OUT; BILLS[i] has the costs of DAGS[i].  Children are aligned up to the end of the
 * shorter list or the first pair of different kinds, which is listed, too.  O(n log n) in
 * the smaller DAG, without recursion.  Returns false with WEFT_ERR_CANCELLED if JOB (may be
 * NULL) is cancelled; else weft_dag_pairs_free() frees *OUT.
 */
bool weft_dag_compare(const struct weft_dag *const dags[2],
                      const struct weft_dag_bill *const bills[2], struct weft_job *job,
                      struct weft_dag_pairs *out, struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the list of pairs, not PAIRS itself, which is zeroed. */
void weft_dag_pairs_free(struct weft_dag_pairs *pairs);

#endif
