/* SPDX-License-Identifier: Apache-2.0 */
#include "base/domain.h"
#include "domains/messages/view/views.h"
#include "read/reader.h"
#include "read/recording/recorder_registry.h"
#include "write/export.h"

extern const struct weft_reader weft_reader_picl;
extern const struct weft_export weft_export_picl;
extern const struct weft_recorder weft_recorder_mpi;
extern const struct weft_wait_partners weft_wait_partners_of_messages;
extern const struct weft_release_finder weft_releases_of_messages;
extern const struct weft_answers weft_answers_messages;

static const struct weft_view *const views[] = {
    &weft_view_utilization_count,
    &weft_view_gantt,
    &weft_view_kiviat,
    &weft_view_streak,
    &weft_view_utilization_summary,
    &weft_view_utilization_meter,
    &weft_view_concurrency_profile,
    &weft_view_traffic,
    &weft_view_message_queues,
    &weft_view_comm_matrix,
    &weft_view_comm_meter,
    &weft_view_node_data,
    &weft_view_statistics,
    &weft_view_phase_portrait,
    &weft_view_processor_status,
    &weft_view_message_path,
    &weft_view_logical_time,
    &weft_view_clock,
    &weft_view_trace,
    &weft_view_task_count,
    &weft_view_task_gantt,
    &weft_view_task_speed,
    &weft_view_task_status,
    &weft_view_task_summary,
    &weft_view_task_surface,
    &weft_view_task_work,
    &weft_view_animation,
    &weft_view_hypercube,
    &weft_view_network,
    NULL,
};
static const struct weft_reader *const readers[] = { &weft_reader_picl, NULL };
static const struct weft_export *const exports[] = { &weft_export_picl, NULL };
static const struct weft_recorder *const recorders[] = { &weft_recorder_mpi, NULL };

const struct weft_domain weft_domain_messages = {
    .name = "messages",
    .views = views,
    .readers = readers,
    .recorders = recorders,
    .exports = exports,
    .wait_partners = &weft_wait_partners_of_messages,
    .releases = &weft_releases_of_messages,
    .answers = &weft_answers_messages,
};
