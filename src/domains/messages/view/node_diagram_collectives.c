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

static bool is_pending(const struct weft_collective *collective, int64_t time)
{
    return collective->begin <= time && time < collective->end;
}

static void add_star(struct diagram *d, const struct weft_collective *one)
{
    if (d->n_stars_in_all++ < MAX_STARS)
        d->star_list[d->n_stars++] = (struct diagram_star){ one, 1 };
}

/*
 * Searches backwards from the last operation that begins at TIME or before; stops where
 * `reach` says that all earlier ones have ended.
 */
static void find_pending(struct diagram *d, int64_t time)
{
    const struct weft_traffic *traffic = d->traffic;
    const struct weft_collective *list = traffic->collectives;
    bool all = d->collectives != WEFT_COLLECTIVES_DATA;
    size_t at = WEFT_FIRST(i, 0, traffic->n_collectives, list[i].begin > time);
    while (at-- > 0 && traffic->reach[at] > time)
        if (is_pending(&list[at], time) && (all || list[at].barrier))
            add_star(d, &list[at]);
}

static void find_of_window(struct diagram *d, struct weft_span window)
{
    const struct weft_traffic *traffic = d->traffic;
    const struct weft_schema *schema = d->processors->source->schema;
    /* by communicator, the last is for unknown ones: its star, from 1; 0: none yet */
    size_t *star_of =
        weft_arena_zalloc(d->arena, schema->n_containers + (size_t)1, sizeof *star_of);
    for (size_t i = 0; i < traffic->n_collectives; i++) {
        const struct weft_collective *collective = &traffic->collectives[i];
        if (collective->begin < window.begin || collective->begin >= window.end
            || (d->collectives == WEFT_COLLECTIVES_DATA && !collective->barrier))
            continue;
        size_t *star = &star_of[collective->communicator < schema->n_containers
                                    ? collective->communicator
                                    : schema->n_containers];
        if (!*star) {
            add_star(d, collective);
            *star = d->n_stars_in_all;
        } else if (*star <= d->n_stars) {
            d->star_list[*star - 1].operations++;
        }
    }
}

static void title_star(struct weft_frame *frame, const struct diagram *d,
                       const struct diagram_star *star, struct weft_mark *mark)
{
    const struct weft_schema *schema = d->processors->source->schema;
    uint32_t communicator = star->one->communicator;
    const char *of = communicator < schema->n_containers
                         ? schema->containers[communicator].name
                         : "a communicator";
    const char *what = star->one->barrier ? "barrier" : "collective operation";
    if (d->request->has_at)
        weft_mark_title(frame->scene, mark, "%s of %" PRIu32 " processors · %s", what,
                        star->one->n_calls, of);
    else
        weft_mark_title(frame->scene, mark,
                        "%" PRIu64 " %s%s · %s · %" PRIu32 " processors", star->operations,
                        d->collectives == WEFT_COLLECTIVES_DATA ? what
                                                                : "collective operation",
                        star->operations == 1 ? "" : "s", of, star->one->n_calls);
}

static void draw_star(struct weft_frame *frame, const struct diagram *d,
                      const struct diagram_nodes *nodes, const struct diagram_star *star,
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
    bool data = d->collectives == WEFT_COLLECTIVES_DATA;
    d->stars = d->collectives == WEFT_COLLECTIVES_GROUP || data;
    d->n_stars = d->n_stars_in_all = 0;
    if (!d->stars)
        return;
    d->star_list = weft_arena_alloc(d->arena, MAX_STARS * sizeof *d->star_list);
    if (d->request->has_at)
        find_pending(d, d->request->at);
    else
        find_of_window(
            d, weft_window_with_end(d->processors->source->schema, d->request->window));
    if (!data)
        d->collectives = WEFT_COLLECTIVES_NONE;
}

void diagram_draw_stars(struct weft_frame *frame, const struct diagram *d,
                        const struct diagram_nodes *nodes)
{
    if (!d->stars)
        return;
    weft_scene_layer(frame->scene, "collectives", frame->plot, WEFT_LAYER_FIXED);
    struct diagram_labels taken = { .arena = d->arena };
    for (size_t i = 0; i < d->n_stars; i++)
        draw_star(frame, d, nodes, &d->star_list[i], &taken);
}
