/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of the time of contracted nodes (drawn as one, without their inside) was work,
 * by worker.  A contracted node's duration includes delays inside it, so its worker did
 * not work all that time.  If a pixel holds many contracted nodes, each counts with the
 * average share of work of its worker.
 */
#ifndef WEFT_VIEW_TASKS_DAG_CONTRACTED_WORK_H
#define WEFT_VIEW_TASKS_DAG_CONTRACTED_WORK_H

#include "domains/tasks/dag/dag.h"
#include "view/prepare.h"

/* By worker, the share of the time of its contracted nodes in which it worked; immutable.
   A preparation (a result computed once, which pictures share): dag_contracted_of() returns
   it. */
struct dag_contracted;

/*
 * Returns the average shares of work in contracted nodes of the request's first trace, by
 * worker; valid until USE ends.  Computed once, O(nodes) if nodes are contracted.  NULL
 * with WEFT_ERR_FORMAT if the trace has no task DAG, or WEFT_ERR_CANCELLED.
 */
const struct dag_contracted *dag_contracted_of(struct weft_use *use, struct weft_err *err);
/*
 * Writes to WEIGHTS[rank], for each value of the state type TYPE of SCHEMA (rank: the field
 * of weft_value), the share, 0 to 1, of the time of such states that counts as work.  It is
 * 1, but for the values that stand for contracted nodes: the average share of work in the
 * contracted nodes of the workers with the numbers WORKERS[N]; 1 if these ran none.
 * WEIGHTS has room for schema->types[TYPE].slots numbers.
 */
void dag_contracted_weigh(const struct dag_contracted *contracted,
                          const struct weft_schema *schema, uint32_t type,
                          const uint32_t *workers, size_t n, double *weights);

#endif
