/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "view/views.h"

const struct weft_view *const weft_views[] = {
    &weft_view_space_time,
    &weft_view_overview,
    &weft_view_state_summary,
    &weft_view_lock_summary,
    &weft_view_reduction_tree,
    &weft_view_tree_levels,
    &weft_view_tree_nodes,
    &weft_view_tree_pes,
    &weft_view_tree_parallelism,
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

int64_t weft_lived(const struct weft_schema *schema, uint32_t track, struct weft_span window)
{
    const struct weft_container *c = &schema->containers[schema->tracks[track].container];
    int64_t from = c->begin > window.begin ? c->begin : window.begin;
    int64_t to = c->end < window.end ? c->end : window.end;
    return to > from ? to - from : 0;
}
