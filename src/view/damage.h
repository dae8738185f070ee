/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks damage in pictures, so that unreadable blocks are not taken for idle time.  A row
 * of the space-time view is hatched where its blocks are damaged, other pictures with a
 * time axis from top to bottom; a note, an entry of the legend and the subtitle say how
 * much there is.
 */
#ifndef WEFT_VIEW_DAMAGE_H
#define WEFT_VIEW_DAMAGE_H

#include "view/view.h"

/* Name of the layer of hatches; weft_view_draw() adds none to a scene that has one. */
#define WEFT_DAMAGE_LAYER "damaged"

/*
 * Sets *LIST, in ARENA, to the *N_LISTED items of damage, at most 4096, that make a
 * source's answers incomplete; returns how many there are in all.  Damaged summaries are
 * left out, since their numbers are computed from the entities; but the returned number
 * includes all items beyond the first 4096, summaries too.
 */
size_t weft_damage_list(const struct weft_source *source, struct weft_arena *arena,
                        const struct weft_damage **list, size_t *n_listed);
/*
 * Returns how many items of damage all sources of SET have: the sum of weft_damage_list().
 */
size_t weft_damage_of_set(const struct weft_set *set);
/*
 * Returns a sentence in ARENA that names the damage: which part of the store, and at which
 * byte; for a block of entities or fields also its container, type and span, in seconds
 * from the begin of the trace.
 */
const char *weft_damage_text(struct weft_arena *arena, const struct weft_schema *schema,
                             const struct weft_damage *damage);
/*
 * Returns a constant text to append to the message "this trace cannot fill the view": it
 * begins with a semicolon and says that something may be missing, if one of the traces is
 * damaged or has rows in schema->problems, be they mere notes; else "".
 */
const char *weft_damage_hint(const struct weft_set *set);
/* Returns the paint of damage: hatched, without a fill. */
struct weft_paint weft_damage_paint(const struct weft_theme *theme);
/*
 * Adds RECT, made at least 2 pixels wide, hatched to the scene's current layer, with a
 * title that says that data is damaged there.
 */
void weft_damage_hatch(struct weft_scene *scene, const struct weft_theme *theme,
                       struct weft_rect rect);

/*
 * Draws a view into SCENE, in ARENA, by weft_view_scene(), and marks damage: a note, the
 * legend and the subtitle tell the number of damaged parts of all traces; a plot with a
 * time axis is hatched at the times of the first trace's damaged entities.  Returns false
 * with *ERR if view->scene fails, and with WEFT_ERR_LIMIT if the picture takes more memory
 * than arena->most.
 */
bool weft_view_draw(const struct weft_view *view, const struct weft_request *request,
                    struct weft_arena *arena, struct weft_scene *scene,
                    struct weft_err *err) WEFT_MUST_CHECK;

#endif
