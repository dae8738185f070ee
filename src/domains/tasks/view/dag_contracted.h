/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contracted nodes last through the delays of what they stand for, so their worker does not work in
 * all of their time.  Where a pixel holds many, they count by their worker's average.
 */
#ifndef WEFT_VIEW_TASKS_DAG_CONTRACTED_H
#define WEFT_VIEW_TASKS_DAG_CONTRACTED_H

#include "domains/tasks/dag/dag.h"
#include "view/prepare.h"

struct dag_contracted;

/* Of the request's first trace; held by USE.  Made once: O(nodes) where something is contracted. */
const struct dag_contracted *dag_contracted_of(struct weft_use *use, struct weft_err *err);
/*
 * What time in the values of each slot of a type of states counts, into WEIGHTS[slots]: all of it,
 * or of contracted nodes the part in which those of these N workers worked.
 */
void dag_contracted_weigh(const struct dag_contracted *contracted,
                          const struct weft_schema *schema, uint32_t type,
                          const uint32_t *workers, size_t n, double *weights);

#endif
