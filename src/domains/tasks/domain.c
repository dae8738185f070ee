/* SPDX-License-Identifier: Apache-2.0 */
#include "base/domain.h"
#include "domains/tasks/view/views.h"
#include "read/reader.h"
#include "read/recording/recorder_registry.h"
#include "write/export.h"

extern const struct weft_reader weft_reader_dag;
extern const struct weft_export weft_export_dot, weft_export_task_tree,
    weft_export_dag_recorder;
extern const struct weft_recorder weft_recorder_omp;
extern const struct weft_release_finder weft_releases_of_tasks;
extern const struct weft_answers weft_answers_tasks;

static const struct weft_view *const views[] = {
    &weft_view_dag,
    &weft_view_dag_box,
    &weft_view_dag_levels,
    &weft_view_dag_timeline,
    &weft_view_dag_stats,
    &weft_view_dag_breakdown,
    &weft_view_dag_speedup,
    &weft_view_parallelism,
    &weft_view_dag_tasks,
    &weft_view_critical_path,
    &weft_view_dag_steals,
    &weft_view_dag_compare,
    &weft_view_region_summary,
    NULL,
};
static const struct weft_reader *const readers[] = { &weft_reader_dag, NULL };
static const struct weft_export *const exports[] = {
    &weft_export_dot,
    &weft_export_task_tree,
    &weft_export_dag_recorder,
    NULL,
};
static const struct weft_recorder *const recorders[] = { &weft_recorder_omp, NULL };

const struct weft_domain weft_domain_tasks = {
    .name = "tasks",
    .views = views,
    .readers = readers,
    .recorders = recorders,
    .exports = exports,
    .releases = &weft_releases_of_tasks,
    .answers = &weft_answers_tasks,
};
