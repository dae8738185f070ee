/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes task DAGs (dag.h) into a store; used by readers and by the join of recordings.
 * The caller passes the nodes one by one, in order of their numbers, and they go into
 * tables of the store.  At the end, leaves and contracted nodes become states on the tracks
 * of their workers, and the numbers of running and ready nodes over time become variables
 * of the process.
 *
 * Memory does not grow with the DAG: data to be sorted by time goes to temporary files,
 * about 130 bytes a leaf.
 */
#ifndef WEFT_DAG_WRITE_H
#define WEFT_DAG_WRITE_H

#include "domains/tasks/dag/dag.h"
#include "store/build/builder.h"

/* Writes one task DAG into a store: weft_dag_writer_new() makes it;
   weft_dag_writer_finish() or weft_dag_writer_abandon() frees it.  For one thread. */
struct weft_dag_writer;

/* The containers (process and threads) that get the DAG.  The caller has made them, and
   their types, with BUILDER, which the caller owns. */
struct weft_dag_target {
    struct weft_builder *builder;
    /* The container that gets the variables (numbers of running and ready nodes over time),
       and its type. */
    uint32_t process, process_type;
    /* [n_workers] by worker number: its container, or WEFT_NONE if no worker has the
       number; copied. */
    const uint32_t *workers;
    uint32_t n_workers;   /* at least 1 (WEFT_REQUIRE) */
    uint32_t worker_type; /* type of the workers' containers: gets a type of states (nodes)
                             and a field (worker number) */
};

/* Returns a writer of a task DAG; defines the DAG's types, values and fields in TARGET's
   builder, and gives each worker's container its number.  A store has one DAG at most.
   Never NULL; weft_dag_writer_finish() or weft_dag_writer_abandon() frees it. */
struct weft_dag_writer *weft_dag_writer_new(const struct weft_dag_target *target);
/*
 * Adds the next node; the first call adds node 0.  The fields are those that
 * weft_dag_node() will return.  The caller ensures (WEFT_REQUIRE): parent < the node's
 * number < first, created (node 0 has the parent WEFT_NONE; only a section or task has
 * children, only a create has `created`); the worker has a container, or is -1.  Times and
 * ticks are brought within the limits of dag.h.  No other thread may use the builder during
 * the call.
 */
void weft_dag_writer_add(struct weft_dag_writer *writer, const struct weft_dag_node *node);
/* Adds a row of the table of tasks that have no node, since a node around them was
   contracted: those of one place and size class, such as weft_dag_make_tasks() returns. */
void weft_dag_writer_add_tasks(struct weft_dag_writer *writer,
                               const struct weft_dag_tasks *tasks);
/* Writes the orders between nodes: ORDERS[N], sorted by rising `after` (WEFT_REQUIRE), then
   `before`.  Called once at most, after all nodes were added. */
void weft_dag_writer_add_orders(struct weft_dag_writer *writer,
                                const struct weft_dag_order *orders, size_t n);
/*
 * Adds a wait for tasks of WORKER, which has a container (WEFT_REQUIRE), from BEGIN to END:
 * while it runs no node in that time, it waits, and is neither delayed nor without work.
 * Waits of a worker may overlap.  Called before weft_dag_writer_finish(), at any time.
 */
void weft_dag_writer_add_wait(struct weft_dag_writer *writer, uint32_t worker,
                              int64_t begin, int64_t end);
/* Returns the number of nodes added so far, which is the number of the next one. */
uint32_t weft_dag_writer_size(const struct weft_dag_writer *writer);
/*
 * Appends the nodes' states and the variables to the builder; called before that is
 * finished.  Frees the writer, also on failure.  Without any node the store has no DAG.
 * Returns false with WEFT_ERR_WRITE (temporary files) or WEFT_ERR_CANCELLED if JOB (may be
 * NULL) is cancelled.
 */
bool weft_dag_writer_finish(struct weft_dag_writer *writer, struct weft_job *job,
                            struct weft_err *err) WEFT_MUST_CHECK;
/* Frees a writer without weft_dag_writer_finish(); the caller then abandons the builder,
   too.  NULL is fine. */
void weft_dag_writer_abandon(struct weft_dag_writer *writer);

#endif
