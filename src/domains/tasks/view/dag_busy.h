/* SPDX-License-Identifier: Apache-2.0 */
/* The share of each pixel column's time in which workers of a task DAG worked. */
#ifndef WEFT_VIEW_TASKS_DAG_BUSY_H
#define WEFT_VIEW_TASKS_DAG_BUSY_H

#include "domains/tasks/view/dag_contracted.h"

/* One or more workers that share a lane. */
struct dag_busy_row {
    const uint32_t *workers; /* [n], their numbers */
    const uint32_t *tracks;  /* [n_tracks], their states; may be fewer than n */
    size_t n, n_tracks;
    double *busy; /* [columns], result: mean over the workers, 0 to 1 */
};

/* Fills `busy` of all rows, on several threads.  Contracted nodes count with their work
   only. */
void dag_busy_rows(const struct weft_source *source,
                   const struct dag_contracted *contracted, struct weft_span window,
                   size_t columns, struct weft_job *job, const struct dag_busy_row *rows,
                   size_t n);

#endif
