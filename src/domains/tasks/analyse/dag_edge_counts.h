/* SPDX-License-Identifier: Apache-2.0 */
/* How many edges of each kind lead from which worker to which, as DAG Recorder counts. */
#ifndef WEFT_ANALYSE_DAG_EDGE_COUNTS_H
#define WEFT_ANALYSE_DAG_EDGE_COUNTS_H

#include "domains/tasks/dag/dag.h"

/* With more workers than these, edges are not told apart by worker. */
enum { WEFT_DAG_MAX_MATRIX = 256 };

/*
 * The edges of a DAG: those between its nodes, from the worker of one to that of the other,
 * and those inside of each contracted node, from its worker to itself.  Nodes that ran on
 * several workers count as one more worker.
 */
struct weft_dag_edge_counts {
    /* Numbers of workers, the last one for nodes of several; 0 if there are more than
       WEFT_DAG_MAX_MATRIX. */
    uint32_t workers;
    uint64_t all[WEFT_DAG_EDGES]; /* by kind */
    uint64_t *of;                 /* by kind, then from, then to; NULL if workers is 0 */
};

/* Counts the edges of DAG into *OUT, which weft_dag_edge_counts_free() frees.  O(nodes).
   Returns false with WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled. */
bool weft_dag_edge_counts_read(const struct weft_dag *dag, struct weft_job *job,
                               struct weft_dag_edge_counts *out,
                               struct weft_err *err) WEFT_MUST_CHECK;
/* Frees the counts, not COUNTS itself. */
void weft_dag_edge_counts_free(struct weft_dag_edge_counts *counts);
/* Returns the number of edges of KIND from worker FROM to worker TO, both below
   counts->workers. */
static inline uint64_t weft_dag_edges_between(const struct weft_dag_edge_counts *counts,
                                              enum weft_dag_edge kind, uint32_t from,
                                              uint32_t to)
{
    return counts->of[((size_t)kind * counts->workers + from) * counts->workers + to];
}

#endif
