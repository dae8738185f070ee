/* SPDX-License-Identifier: Apache-2.0 */
/* A random DAG written into a store and opened again, for tests. */
#ifndef WEFT_TESTS_DAG_STORE_H
#define WEFT_TESTS_DAG_STORE_H

#include "random_dag.h"
#include "store/trace/trace.h"

struct dag_store {
    char *path;
    struct weft_trace *trace;
    const struct weft_source *source;
    struct weft_dag *dag;
};

/* Fails the test when it does not open. */
struct dag_store dag_store_make(const struct random_dag *from);
void dag_store_free(struct dag_store *store);

/* All that is said of each node, shapes and edges included, is what FROM has. */
void dag_store_compare(const struct weft_dag *dag, const struct random_dag *from);

#endif
