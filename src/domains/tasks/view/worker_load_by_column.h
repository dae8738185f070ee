/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the share of each pixel column's time in which workers of a task DAG worked. */
#ifndef WEFT_VIEW_TASKS_WORKER_LOAD_BY_COLUMN_H
#define WEFT_VIEW_TASKS_WORKER_LOAD_BY_COLUMN_H

#include "domains/tasks/view/dag_contracted_work.h"

/* One or more workers that are drawn in one row; the caller owns the arrays. */
struct dag_busy_row {
    const uint32_t *workers; /* [n], their numbers */
    const uint32_t *tracks;  /* [n_tracks], tracks of their states, indices in the schema's
                                tracks; may be fewer than n */
    size_t n, n_tracks;      /* if n_tracks is 0, `busy` is 0 */
    double *busy; /* [columns], result: share of time worked, mean over the N workers, 0 to
                     1 */
};

/*
 * Fills `busy` of ROWS[N] with the share of the time, 0 to 1, in which the row's workers
 * worked in each of COLUMNS equal parts of WINDOW (in ticks) of the trace SOURCE, on
 * several threads. Contracted nodes count with the average share of work in those of the
 * row's workers, from CONTRACTED.  When JOB, which may be NULL, is cancelled the shares are
 * not to be used.
 */
void dag_busy_rows(const struct weft_source *source,
                   const struct dag_contracted *contracted, struct weft_span window,
                   size_t columns, struct weft_job *job, const struct dag_busy_row *rows,
                   size_t n);

#endif
