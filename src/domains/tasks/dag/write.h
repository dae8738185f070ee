/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one writer of task DAGs (dag.h): whoever knows the nodes, a reader or the join of a
 * recording, gives them one by one, in order of their numbers.  They go into tables of the
 * store as they come.  At the end, leaves and contracted nodes become states on the tracks of
 * their workers, and what was running and ready at each time variables of the process
 * (ARCHITECTURE.md, "Tasks").
 *
 * Memory does not grow with the DAG: what must be sorted by time waits in temporary files, of
 * about 130 bytes a leaf.
 */
#ifndef WEFT_DAG_WRITE_H
#define WEFT_DAG_WRITE_H

#include "domains/tasks/dag/dag.h"
#include "store/build/builder.h"

struct weft_dag_writer;

/* Where the DAG ran.  Containers and their types are the builder's, made by the caller. */
struct weft_dag_target {
    struct weft_builder *builder;
    uint32_t process, process_type; /* gets the variables */
    const uint32_t *workers; /* containers by number of worker, or WEFT_NONE; copied */
    uint32_t n_workers;      /* of that array, at least 1 */
    uint32_t worker_type;    /* of all of them: gets the states and `worker-number` */
};

/* Defines types, values and fields.  One DAG a store. */
struct weft_dag_writer *weft_dag_writer_new(const struct weft_dag_target *target);
/*
 * The next node: the first call gives node 0.  What weft_dag_node() would say of it, with all
 * that is inside, contracted or not.  WEFT_REQUIRE: parent < its number < first, created; a
 * worker that has a container, or -1.  Times and ticks are brought within the limits that dag.h
 * promises.  The builder must be the caller's alone (no lanes).
 */
void weft_dag_writer_add(struct weft_dag_writer *writer, const struct weft_dag_node *node);
/* Tasks that have no node; in any order. */
void weft_dag_writer_add_tasks(struct weft_dag_writer *writer,
                               const struct weft_dag_tasks *tasks);
/* Nodes so far: the number that the next one gets. */
uint32_t weft_dag_writer_size(const struct weft_dag_writer *writer);
/*
 * Append states and variables, before the builder is finished; frees the writer, also on
 * failure.  With no node at all the store has no DAG.  Errors: WEFT_ERR_WRITE (temporary
 * files), WEFT_ERR_CANCELLED.
 */
bool weft_dag_writer_finish(struct weft_dag_writer *writer, struct weft_job *job,
                            struct weft_err *err) WEFT_MUST_CHECK;
void weft_dag_writer_abandon(struct weft_dag_writer *writer); /* NULL is fine */

#endif
