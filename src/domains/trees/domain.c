/* SPDX-License-Identifier: Apache-2.0 */
#include "base/domain.h"
#include "cli/command.h"
#include "cli/info_hooks.h"
#include "cli/recover_hooks.h"
#include "domains/trees/view/views.h"
#include "read/reader.h"

extern const struct weft_info weft_info_trees;
extern const struct weft_recovery weft_recovery_fghc;
extern const struct weft_reader weft_reader_vista;
extern const struct weft_command weft_command_fghc;
extern const struct weft_answers weft_answers_trees;

static const struct weft_view *const views[] = {
    &weft_view_reduction_tree,
    &weft_view_tree_levels,
    &weft_view_tree_nodes,
    &weft_view_tree_pes,
    &weft_view_tree_parallelism,
    &weft_view_tree_compare,
    NULL,
};
static const struct weft_reader *const readers[] = { &weft_reader_vista, NULL };
static const struct weft_command *const commands[] = { &weft_command_fghc, NULL };

const struct weft_domain weft_domain_trees = {
    .name = "trees",
    .views = views,
    .readers = readers,
    .commands = commands,
    .info = &weft_info_trees,
    .recovery = &weft_recovery_fghc,
    .answers = &weft_answers_trees,
};
