/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random task DAGs, series-parallel by construction, run by some workers in random order and
 * contracted at random.  What is known of each node is worked out here in the slowest and most
 * obvious way: over the flat DAG of all leaves, whose edges are listed one by one, with the set
 * of leaves inside each node.  Nothing of dag/ is used but its names.
 */
#ifndef WEFT_TESTS_RANDOM_DAG_H
#define WEFT_TESTS_RANDOM_DAG_H

#include "domains/tasks/dag/dag.h"

struct random_arc {
    uint32_t from, to;
    enum weft_dag_edge kind;
};

/* A wait for tasks of a worker. */
struct random_wait {
    uint32_t worker;
    int64_t begin, end;
};

struct random_dag {
    struct weft_dag_node *nodes;
    uint32_t n, n_workers;
    /* Between leaves and contracted nodes that are here. */
    struct random_arc *arcs;
    uint32_t n_arcs;
    uint32_t n_sites; /* sites are below this, or WEFT_NONE */
    /* Tasks without nodes: a random DAG has none of which anything is known. */
    struct weft_dag_tasks *tasks;
    size_t n_tasks;
    struct weft_dag_order *orders; /* [n_orders]; a random DAG has none */
    size_t n_orders;
    struct random_wait waits[16]; /* [n_waits]; a random DAG has none */
    size_t n_waits;
};

/*
 * The same for each SEED.  CONTRACT: in percent, how many sections and tasks are contracted.
 * MOST: about how many leaves it has before that.
 */
struct random_dag random_dag_make(uint64_t seed, unsigned contract, uint32_t most);
void random_dag_free(struct random_dag *dag);

#endif
