/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hatches rows where the blocks of their tracks cannot be read.  Links are in no row: for
 * unreadable ones, a strip along the upper edge of all rows is hatched.
 */
#include "view/damage.h"
#include "view/timeline/space_time.h"

/* Returns by track the index of the row that shows it, or WEFT_NONE; in the arena. */
static uint32_t *rows_of_tracks(const struct st_picture *p)
{
    uint32_t *row_of =
        weft_arena_alloc(p->arena, (p->schema->n_tracks + 1) * sizeof *row_of);
    for (uint32_t t = 0; t < p->schema->n_tracks; t++)
        row_of[t] = WEFT_NONE;
    for (size_t r = 0; r < p->rows.n; r++) {
        const struct st_row *row = &p->rows.list[r];
        if (!st_is_shown(p, row))
            continue;
        for (uint32_t t = 0; t < row->n_tracks; t++)
            row_of[row->tracks[t]] = (uint32_t)r;
        for (uint32_t t = 0; t < row->n_events; t++)
            row_of[row->events[t]] = (uint32_t)r;
    }
    return row_of;
}

void st_paint_damage(struct st_picture *p, const struct weft_damage *list, size_t n)
{
    enum { STRIP = 8 }; /* pixels */
    const uint32_t *row_of = rows_of_tracks(p);
    for (size_t i = 0; i < n; i++) {
        struct weft_span span = list[i].span;
        if (list[i].what != WEFT_DAMAGED_ENTITIES || span.end < p->window.begin
            || span.begin > p->window.end)
            continue;
        uint32_t row = row_of[list[i].track];
        double y = p->frame.plot.y, height = STRIP;
        if (row != WEFT_NONE) {
            y += p->rows.list[row].y;
            height = p->rows.list[row].height;
        } else if (p->schema->types[p->schema->tracks[list[i].track].type].kind
                   != WEFT_LINK) {
            continue;
        }
        double left = st_x(p, span.begin), right = st_x(p, span.end);
        weft_damage_hatch(p->scene, p->request->theme,
                          (struct weft_rect){ left, y, right - left, height });
    }
}
