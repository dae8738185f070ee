/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/trees/view/tree_damage.h"

#include "view/damage.h"

void tree_damage_find(const struct weft_source *source, const struct weft_tree *tree,
                      struct weft_span window, struct weft_arena *arena,
                      struct tree_damage *out)
{
    const struct weft_damage *list;
    size_t n, all = weft_damage_list(source, arena, &list, &n);
    const bool unlisted = all > n; /* unlisted damage may be on any row, at any time */
    *out = (struct tree_damage){ .any = unlisted };
    if (!all)
        return;
    bool *rows = weft_arena_zalloc(arena, (size_t)source->schema->n_tracks + 1, 1);
    bool *in_window = weft_arena_zalloc(arena, (size_t)source->schema->n_tracks + 1, 1);
    out->of_row = weft_arena_zalloc(arena, (size_t)tree->n_pes + 1, 1);
    out->gaps = weft_arena_alloc(arena, (n + 1) * sizeof *out->gaps);
    for (uint32_t p = 0; p < tree->n_pes; p++)
        if (tree->pes[p].track != WEFT_NONE)
            rows[tree->pes[p].track] = true;
    for (size_t i = 0; i < n; i++) {
        bool of_states = list[i].what == WEFT_DAMAGED_ENTITIES;
        if ((!of_states && list[i].what != WEFT_DAMAGED_FIELDS)
            || list[i].track == WEFT_NONE || !rows[list[i].track])
            continue;
        out->any = true;
        if (of_states)
            out->gaps[out->n_gaps++] = list[i].span;
        if (list[i].span.begin <= window.end && list[i].span.end >= window.begin)
            in_window[list[i].track] = true;
    }
    if (unlisted)
        out->gaps[out->n_gaps++] = window;
    for (uint32_t p = 0; p < tree->n_pes; p++)
        out->of_row[p] =
            tree->pes[p].track != WEFT_NONE && (unlisted || in_window[tree->pes[p].track]);
}
