/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damage in pictures: nobody shall take for an idle time what cannot be read.  A row of the
 * space-time view is hatched where its blocks are damaged, other pictures with a time axis
 * from top to bottom; a line, an entry of the legend and the subtitle say how much there
 * is.
 */
#ifndef WEFT_VIEW_DAMAGE_H
#define WEFT_VIEW_DAMAGE_H

#include "view/view.h"

/* The name of the layer of hatches: a view that draws one itself gets no other. */
#define WEFT_DAMAGE_LAYER "damaged"

/*
 * Lists in *LIST, in ARENA, the damage known to be missing from a source's answers, at most
 * 4096 entries; returns how much there is in all.  Damaged summaries are not among it:
 * nothing is missing.
 */
size_t weft_damage_list(const struct weft_source *source, struct weft_arena *arena,
                        const struct weft_damage **list, size_t *n_listed);
/*
 * How much is missing from answers of all sources of a set; with one, that of
 * weft_damage_list().
 */
size_t weft_damage_of_set(const struct weft_set *set);
/*
 * A sentence that names the damage and its place: which part of the file, of which
 * container and type, when (from the begin of the trace), and at which byte.  In ARENA.
 */
const char *weft_damage_text(struct weft_arena *arena, const struct weft_schema *schema,
                             const struct weft_damage *damage);
/*
 * The text to append to "this trace cannot fill the view" when one of the traces has
 * problems or is damaged, with a "; " in front; "" when none is.
 */
const char *weft_damage_hint(const struct weft_set *set);
/* How what is damaged is drawn: hatched, without a fill. */
struct weft_paint weft_damage_paint(const struct weft_theme *theme);
/* A hatched rectangle in the current layer. */
void weft_damage_hatch(struct weft_scene *scene, const struct weft_theme *theme,
                       struct weft_rect rect);

/*
 * Draw a view, and mark what it could not read.  Returns false with *ERR like view->scene.
 */
bool weft_view_draw(const struct weft_view *view, const struct weft_request *request,
                    struct weft_arena *arena, struct weft_scene *scene,
                    struct weft_err *err) WEFT_MUST_CHECK;

#endif
