/* SPDX-License-Identifier: Apache-2.0 */
/* The views of task DAGs. */
#ifndef WEFT_DOMAINS_TASKS_VIEWS_H
#define WEFT_DOMAINS_TASKS_VIEWS_H

#include "view/view.h"

/* View "dag": the DAG of tasks, with round nodes. */
extern const struct weft_view weft_view_dag;
/* View "dag-box": the DAG of tasks, with nodes as long as their work. */
extern const struct weft_view weft_view_dag_box;
/* View "dag-timeline": a row (column) for each worker, with the nodes that it ran, over
   time. */
extern const struct weft_view weft_view_dag_timeline;
/* View "dag-levels": tasks by what had to end before they could begin. */
extern const struct weft_view weft_view_dag_levels;
/* View "dag-stats": figures of each run, as a table. */
extern const struct weft_view weft_view_dag_stats;
/* View "dag-breakdown": where the time of each run's workers went. */
extern const struct weft_view weft_view_dag_breakdown;
/* View "dag-speedup": the speedup of runs, by their number of workers. */
extern const struct weft_view weft_view_dag_speedup;
/* View "parallelism": how many nodes ran and how many were ready, over time. */
extern const struct weft_view weft_view_parallelism;
/* View "dag-tasks": sizes of tasks, by the place in the program that created them. */
extern const struct weft_view weft_view_dag_tasks;
/* View "critical-path": the path through the DAG that bounds the time of the run. */
extern const struct weft_view weft_view_critical_path;
/* View "dag-steals": nodes that started on another worker than the one that made them
   ready. */
extern const struct weft_view weft_view_dag_steals;
/* View "region-summary": parallel regions and loops by their lines, how their work was
   divided, and how long threads waited at their ends. */
extern const struct weft_view weft_view_region_summary;
/* View "dag-compare": two runs of one program, aligned by structure. */
extern const struct weft_view weft_view_dag_compare;

#endif
