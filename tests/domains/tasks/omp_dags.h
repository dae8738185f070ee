/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Task DAGs of recordings that are described in tests (tests/unit/recording/synthetic.h).  The
 * clocks count nanoseconds, so that a record's number is its time; processes end at 9000.
 */
#ifndef WEFT_TESTS_OMP_DAGS_H
#define WEFT_TESTS_OMP_DAGS_H

#include "domains/tasks/dag/dag.h"
#include "tests/unit/recording/synthetic.h"

/* How a description begins: a process with tasks, of which all nodes are kept. */
#define PROCESS                                                                            \
 "fact contraction=off\n"                                                                  \
 "host alpha boot-a ns\n"                                                                  \
 "process 10 tasks\n"                                                                      \
 "families 16\n"

/* Returns the DAG of a description, in *RECORDED, which the caller forgets after it. */
struct weft_dag *dag_of(struct recorded *recorded, const char *description);
/* Fails unless the nest of nodes of the DAG is EXPECTED: "task(end 1000-9000@0)". */
void check_dag(const char *description, const char *expected);

#endif
