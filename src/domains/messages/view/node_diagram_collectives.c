/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective operations as stars: a diamond amid the participants and a line to each.  At a
 * moment each pending operation is a star; in a window all operations of a communicator are
 * one star.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/binary_search.h"
#include "domains/messages/view/node_diagram.h"

enum { MAX_STARS = 12, APART = 14 /* pixels between diamonds */ };

struct star {
    const struct weft_collective *one; /* the star's members are its processors */
    uint64_t operations;
};

static bool is_pending(const struct weft_collective *collective, int64_t time)
{
    return collective->begin <= time && time < collective->end;
}

/*
 * Searches backwards from the last operation that begins at TIME or before; stops where
 * `reach` says that all earlier ones have ended.
 */
static size_t find_pending(const struct weft_traffic *traffic, int64_t time,
                           struct star *stars)
{
    const struct weft_collective *list = traffic->collectives;
    size_t at = WEFT_FIRST(i, 0, traffic->n_collectives, list[i].begin > time), n = 0;
    while (at-- > 0 && traffic->reach[at] > time && n < MAX_STARS)
        if (is_pending(&list[at], time))
            stars[n++] = (struct star){ &list[at], 1 };
    return n;
}

static size_t find_of_window(const struct weft_traffic *traffic, struct weft_span window,
                             struct star *stars)
{
    size_t n = 0;
    for (size_t i = 0; i < traffic->n_collectives; i++) {
        const struct weft_collective *collective = &traffic->collectives[i];
        if (collective->begin < window.begin || collective->begin >= window.end)
            continue;
        size_t k = 0;
        while (k < n && stars[k].one->communicator != collective->communicator)
            k++;
        if (k < n)
            stars[k].operations++;
        else if (n < MAX_STARS)
            stars[n++] = (struct star){ collective, 1 };
    }
    return n;
}

static void title_star(struct weft_frame *frame, const struct diagram *d,
                       const struct star *star, struct weft_mark *mark)
{
    const struct weft_schema *schema = d->processors->source->schema;
    uint32_t communicator = star->one->communicator;
    const char *of = communicator < schema->n_containers
                         ? schema->containers[communicator].name
                         : "a communicator";
    if (d->request->has_at)
        weft_mark_title(frame->scene, mark,
                        "collective operation of %" PRIu32 " processors · %s",
                        star->one->n_calls, of);
    else
        weft_mark_title(frame->scene, mark,
                        "%" PRIu64 " collective operations · %s · %" PRIu32 " processors",
                        star->operations, of, star->one->n_calls);
}

static void draw_star(struct weft_frame *frame, const struct diagram *d,
                      const struct diagram_nodes *nodes, const struct star *star,
                      struct diagram_labels *taken)
{
    const struct weft_theme *theme = frame->theme;
    weft_color color = theme->name == WEFT_THEME_MONO
                           ? theme->text
                           : diagram_swatch(theme, DIAGRAM_COLLECTIVE).fill;
    bool *member = weft_arena_zalloc(d->arena, d->n_groups + 1, sizeof *member);
    const struct weft_collective_call *calls = d->traffic->calls + star->one->first_call;
    for (uint32_t i = 0; i < star->one->n_calls; i++)
        member[d->group_of[calls[i].processor]] = true;
    double x = 0, y = 0, n = 0;
    for (uint32_t g = 0; g < d->n_groups; g++)
        if (member[g]) {
            x += nodes->spots[g].x;
            y += nodes->spots[g].y;
            n++;
        }
    if (n == 0)
        return;
    struct weft_point middle = { x / n, y / n };
    while (!diagram_try(taken, (struct weft_rect){ middle.x, middle.y, APART, APART }))
        middle.x += APART;
    for (uint32_t g = 0; g < d->n_groups; g++)
        if (member[g])
            weft_scene_line(
                frame->scene, (struct weft_point){ nodes->spots[g].x, nodes->spots[g].y },
                middle,
                (struct weft_paint){ .stroke = color, .stroke_width = 1.5f, .dash = 2 });
    title_star(frame, d, star,
               weft_scene_glyph(frame->scene, WEFT_GLYPH_DIAMOND, middle, 12, 0,
                                (struct weft_paint){ .fill = color,
                                                     .stroke = theme->text,
                                                     .stroke_width = 1 }));
}

void diagram_choose_stars(struct diagram *d)
{
    d->stars = d->collectives == WEFT_COLLECTIVES_GROUP;
    if (d->stars)
        d->collectives = WEFT_COLLECTIVES_NONE;
}

void diagram_draw_stars(struct weft_frame *frame, const struct diagram *d,
                        const struct diagram_nodes *nodes)
{
    if (!d->stars)
        return;
    struct star stars[MAX_STARS];
    const struct weft_schema *schema = d->processors->source->schema;
    size_t n = d->request->has_at
                   ? find_pending(d->traffic, d->request->at, stars)
                   : find_of_window(
                       d->traffic, weft_window_with_end(schema, d->request->window), stars);
    weft_scene_layer(frame->scene, "collectives", frame->plot, WEFT_LAYER_FIXED);
    struct diagram_labels taken = { .arena = d->arena };
    for (size_t i = 0; i < n; i++)
        draw_star(frame, d, nodes, &stars[i], &taken);
}
