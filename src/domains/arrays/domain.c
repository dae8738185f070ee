/* SPDX-License-Identifier: Apache-2.0 */
#include "base/domain.h"
#include "cli/command.h"
#include "cli/info_hooks.h"
#include "domains/arrays/view/views.h"
#include "read/reader.h"
#include "read/recording/recorder_registry.h"
#include "write/export.h"

extern const struct weft_info weft_info_arrays;
extern const struct weft_reader weft_reader_ddv;
extern const struct weft_command weft_command_distribute;
extern const struct weft_export weft_export_ddv;
extern const struct weft_recorder weft_recorder_arrays;
extern const struct weft_answers weft_answers_arrays;

static const struct weft_view *const views[] = {
    &weft_view_array_grid,       &weft_view_processor_grid, &weft_view_array_and_processors,
    &weft_view_distribution_map, &weft_view_reference_flow, NULL,
};
static const struct weft_reader *const readers[] = { &weft_reader_ddv, NULL };
static const struct weft_command *const commands[] = { &weft_command_distribute, NULL };
static const struct weft_export *const exports[] = { &weft_export_ddv, NULL };
static const struct weft_recorder *const recorders[] = { &weft_recorder_arrays, NULL };

const struct weft_domain weft_domain_arrays = {
    .name = "arrays",
    .views = views,
    .readers = readers,
    .recorders = recorders,
    .exports = exports,
    .commands = commands,
    .info = &weft_info_arrays,
    .answers = &weft_answers_arrays,
};
