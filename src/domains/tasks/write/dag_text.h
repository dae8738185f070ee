/* SPDX-License-Identifier: Apache-2.0 */
/* Task DAGs as texts of others. */
#ifndef WEFT_DOMAINS_TASKS_WRITE_DAG_TEXT_H
#define WEFT_DOMAINS_TASKS_WRITE_DAG_TEXT_H

#include <stdio.h>

#include "base/err.h"
#include "base/job.h"
#include "store/source.h"

/*
 * The task DAG as a graph for Graphviz's dot: nodes as DAG Recorder draws them, filled by
 * worker, and edges by kind.  Sections and tasks deeper than DEPTH are one node each; DEPTH
 * WEFT_NONE: as deep as WEFT_DOT_USUAL nodes allow.  Takes 4 bytes a node of the DAG.  Errors:
 * WEFT_ERR_USAGE when there is no task DAG, WEFT_ERR_LIMIT when more than WEFT_DOT_MOST nodes
 * were to be written, WEFT_ERR_WRITE, WEFT_ERR_CANCELLED.
 */
enum {
    WEFT_DOT_USUAL = 2000, /* what dot lays out in about a minute */
    WEFT_DOT_MOST = 100000,
};
bool weft_write_dot(const struct weft_source *source, FILE *stream, uint32_t depth,
                    struct weft_job *job, struct weft_err *err) WEFT_MUST_CHECK;

/*
 * The tree of the tasks of a task DAG, as a VISTA trace: who created whom, when, and on which
 * worker each began (PE); a clause is a place where tasks begin.  Times are microseconds, which
 * is what readers of VISTA traces expect.  Takes 8 bytes a node, and temporary files in FOLDER.
 * Errors: as of weft_write_dot.
 */
bool weft_write_task_tree(const struct weft_source *source, FILE *stream,
                          const char *folder, struct weft_job *job,
                          struct weft_err *err) WEFT_MUST_CHECK;

#endif
