/* SPDX-License-Identifier: Apache-2.0 */
#include "base/domain.h"
#include "cli/info_hooks.h"
#include "domains/threads/view/views.h"
#include "read/recording/recorder_registry.h"

extern const struct weft_info weft_info_threads;
extern const struct weft_release_finder weft_releases_of_threads;
extern const struct weft_recorder weft_recorder_threads;
extern const struct weft_recorder weft_recorder_memory;

static const struct weft_view *const views[] = {
    &weft_view_threads,
    &weft_view_lock_summary,
    &weft_view_wait_summary,
    &weft_view_memory,
    NULL,
};
static const struct weft_recorder *const recorders[] = { &weft_recorder_threads,
                                                         &weft_recorder_memory, NULL };

const struct weft_domain weft_domain_threads = {
    .name = "threads",
    .views = views,
    .recorders = recorders,
    .releases = &weft_releases_of_threads,
    .info = &weft_info_threads,
};
