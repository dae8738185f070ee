/* SPDX-License-Identifier: Apache-2.0 */
/* What one sees in a random DAG by looking at all of its nodes. */
#ifndef TESTS_DAG_LOOKS_H
#define TESTS_DAG_LOOKS_H

#include "random_dag.h"

enum { DAGS = 500 };

bool is_here(const struct weft_dag_node *node);
/* The first of a node's leaves. */
uint32_t first_of(const struct random_dag *dag, uint32_t node);
/* All moments at which anything changes, in order: room for 4 of each node. */
size_t list_times(const struct random_dag *dag, int64_t *times);
/* But for what rounding does. */
void assert_near(double got, double expected);

#endif
