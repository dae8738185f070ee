/* SPDX-License-Identifier: Apache-2.0 */
/* Writes task DAGs in the text formats of other tools. */
#ifndef WEFT_DOMAINS_TASKS_WRITE_DAG_TEXT_H
#define WEFT_DOMAINS_TASKS_WRITE_DAG_TEXT_H

#include <stdio.h>

#include "base/err.h"
#include "base/job.h"
#include "store/source.h"

/* Limits of the nodes of a graph for dot, open sections and tasks included. */
enum {
    WEFT_DOT_USUAL = 2000, /* dot lays these out in about a minute */
    WEFT_DOT_MAX = 100000,
};
/*
 * Writes the task DAG of SOURCE to STREAM as a graph for Graphviz's dot: nodes as DAG
 * Recorder draws them, filled by worker, and edges by kind.  Sections and tasks at DEPTH
 * (the root: 0) are one node each; for DEPTH WEFT_NONE it is the greatest with at most
 * WEFT_DOT_USUAL nodes, but 1 at least if that has at most WEFT_DOT_MAX.  Uses 4 bytes a
 * node of the DAG. Returns false with WEFT_ERR_FORMAT if there is no task DAG,
 * WEFT_ERR_LIMIT if there would be more than WEFT_DOT_MAX nodes, WEFT_ERR_WRITE or
 * WEFT_ERR_CANCELLED.
 */
bool weft_write_dot(const struct weft_source *source, FILE *stream, uint32_t depth,
                    struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * Writes the tree of tasks of SOURCE's task DAG to STREAM as a VISTA trace: the parent of
 * each task (index 0: none, or unknown), its begin, and the worker (PE) on which it began;
 * a clause is a place where tasks begin, 1 an unknown one.  Times are in microseconds, as
 * readers of VISTA traces expect; an unknown worker is written as 0.  Uses 12 bytes a node,
 * and temporary files in FOLDER.  Returns false with WEFT_ERR_FORMAT if there is no task
 * DAG, WEFT_ERR_WRITE or WEFT_ERR_CANCELLED.
 */
bool weft_write_task_tree(const struct weft_source *source, FILE *stream,
                          const char *folder, struct weft_job *job,
                          struct weft_err *err) WEFT_MUST_CHECK;

#endif
