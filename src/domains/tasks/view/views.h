/* SPDX-License-Identifier: Apache-2.0 */
/* The views of task DAGs. */
#ifndef WEFT_DOMAINS_TASKS_VIEWS_H
#define WEFT_DOMAINS_TASKS_VIEWS_H

#include "view/view.h"

/* Each is the view (view/view.h) of that name, for domain.c's list of views. */
extern const struct weft_view weft_view_dag;           /* the DAG, with round nodes */
extern const struct weft_view weft_view_dag_box;       /* ... as long as their work */
extern const struct weft_view weft_view_dag_timeline;  /* a lane of nodes a worker */
extern const struct weft_view weft_view_dag_stats;     /* figures of each run, as a table */
extern const struct weft_view weft_view_dag_breakdown; /* where each run's time went */
extern const struct weft_view weft_view_dag_speedup;   /* speedup by number of workers */
extern const struct weft_view weft_view_parallelism;   /* running, ready nodes over time */
extern const struct weft_view weft_view_dag_tasks;     /* tasks by place of creation */
extern const struct weft_view weft_view_critical_path; /* the path that bounds it */
extern const struct weft_view weft_view_dag_steals;    /* nodes that changed workers */
extern const struct weft_view weft_view_dag_compare;   /* two runs, aligned by structure */

#endif
