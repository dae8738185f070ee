/* SPDX-License-Identifier: Apache-2.0 */
/* The views of task DAGs. */
#ifndef WEFT_DOMAINS_TASKS_VIEWS_H
#define WEFT_DOMAINS_TASKS_VIEWS_H

#include "view/view.h"

extern const struct weft_view weft_view_dag;
extern const struct weft_view weft_view_dag_box;
extern const struct weft_view weft_view_dag_timeline;
extern const struct weft_view weft_view_dag_stats;
extern const struct weft_view weft_view_dag_breakdown;
extern const struct weft_view weft_view_dag_speedup;
extern const struct weft_view weft_view_parallelism;
extern const struct weft_view weft_view_dag_tasks;
extern const struct weft_view weft_view_critical_path;
extern const struct weft_view weft_view_dag_steals;
extern const struct weft_view weft_view_dag_compare;

#endif
