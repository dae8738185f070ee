/* SPDX-License-Identifier: Apache-2.0 */
/* Writes task DAGs in the formats of other tools. */
#ifndef WEFT_DOMAINS_TASKS_WRITE_DAG_TEXT_H
#define WEFT_DOMAINS_TASKS_WRITE_DAG_TEXT_H

#include <stdio.h>

#include "base/err.h"
#include "base/progress_and_cancel.h"
#include "store/source.h"

/* Limits of the number of nodes of a graph for dot, open sections and tasks included. */
enum {
    WEFT_DOT_USUAL = 2000, /* if no depth is given: dot lays these out in about a minute */
    WEFT_DOT_MAX = 100000, /* if a depth is given; more is an error */
};
/*
 * Writes the task DAG of SOURCE to STREAM as a graph for Graphviz's dot: nodes as DAG
 * Recorder draws them, filled by worker, and edges by kind.  Nodes down to DEPTH (the root:
 * 0) are written, sections and tasks at DEPTH as one node each.  If DEPTH is WEFT_NONE, it
 * is the greatest one with at most WEFT_DOT_USUAL nodes, but 1 at least if that has at most
 * WEFT_DOT_MAX.  STREAM stays open.  Uses 4 bytes a node of the DAG.  Returns false with
 * WEFT_ERR_FORMAT if there is no task DAG, WEFT_ERR_LIMIT if there would be more than
 * WEFT_DOT_MAX nodes, WEFT_ERR_WRITE, or WEFT_ERR_CANCELLED if JOB (may be NULL) is
 * cancelled.
 */
bool weft_write_dot(const struct weft_source *source, FILE *stream, uint32_t depth,
                    struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Writes the tree of tasks of SOURCE's task DAG to STREAM as a VISTA trace, in order of
 * begin: of each task its begin in microseconds, its clause (the place where it begins; 1:
 * unknown), the worker (PE) on which it began (0 if unknown), its index among that worker's
 * tasks, from 1, and worker and index of the task that created it (index 0: none, or
 * unknown).  STREAM stays open.  Uses 20 bytes a node, and temporary files in FOLDER.
 * Returns false with WEFT_ERR_FORMAT if there is no task DAG, WEFT_ERR_WRITE, or
 * WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
bool weft_write_task_tree(const struct weft_source *source, FILE *stream,
                          const char *folder, struct weft_job *job,
                          struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Writes the task DAG of SOURCE to STREAM as a file of DAG Recorder (version 1.24), with
 * times in nanoseconds.  Sets *LOSSES, NULL at first, to a text that says what the format
 * has no place for, if anything; the caller frees it.  STREAM stays open.  O(nodes).
 * Returns false with WEFT_ERR_FORMAT if there is no task DAG, WEFT_ERR_READ if a node is
 * damaged, WEFT_ERR_WRITE, or WEFT_ERR_CANCELLED if JOB (may be NULL) is cancelled.
 */
bool weft_write_dag_recorder(const struct weft_source *source, FILE *stream, char **losses,
                             struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

#endif
