/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores with the task DAGs of small programs, run by a simulated pool of workers: each has a
 * deque of nodes that are ready, takes the one that came last, and steals the one that came first.
 * Nodes are numbered breadth first.
 */
#ifndef WEFT_TESTS_SIMULATED_DAG_H
#define WEFT_TESTS_SIMULATED_DAG_H

#include <stdint.h>

enum simulated_program {
    SIMULATED_FIB,  /* fib(SIZE): a section of two tasks in each task */
    SIMULATED_SORT, /* SIZE elements: four sorts, then two merges, then one */
    SIMULATED_LOOP, /* a section of SIZE tasks */
    SIMULATED_NEST, /* SIZE sections, each inside the one before */
};

struct simulated_dag {
    enum simulated_program program;
    uint32_t size;
    uint32_t workers;
    uint32_t contracted; /* tasks smaller than this have no inside here */
};

/* Write the store at PATH; returns how many nodes it has.  Aborts when that fails. */
uint32_t simulated_dag_write(const char *path, const struct simulated_dag *what);

#endif
