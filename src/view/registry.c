/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "view/views.h"

const struct weft_view *const weft_views[] = {
    &weft_view_space_time,   &weft_view_overview,       &weft_view_state_summary,
    &weft_view_lock_summary, &weft_view_reduction_tree, &weft_view_tree_levels,
    &weft_view_tree_nodes,   &weft_view_tree_pes,       &weft_view_tree_parallelism,
    &weft_view_tree_compare,
};
const size_t weft_n_views = sizeof weft_views / sizeof *weft_views;

const struct weft_view *weft_view_find(const char *name)
{
    for (size_t i = 0; i < weft_n_views; i++)
        if (strcmp(weft_views[i]->name, name) == 0)
            return weft_views[i];
    return NULL;
}
