/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of a view of arrays, given what distinguishes it: they parse the request
 * into a question (reference_selection.h), draw a picture, write a table or describe a
 * point of the picture, and end the question.
 */
#ifndef WEFT_VIEW_ARRAYS_VIEW_SKELETON_H
#define WEFT_VIEW_ARRAYS_VIEW_SKELETON_H

#include "domains/arrays/view/reference_selection.h"

/* The differences between views of arrays; weft_view.own points to one. */
struct arrays_display {
    bool all_arrays; /* allows `array=*` (the question's number is then WEFT_NONE) */
    /*
     * Returns a sentence why there is nothing to show, and then none of the functions below
     * is called; or NULL.  The pointer is NULL if there is always something to show.
     */
    const char *(*missing)(const struct arrays_question *q);
    /* Draws the whole picture, from weft_frame_begin() on.  False with *ERR. */
    bool (*draw)(struct arrays_question *q, struct weft_scene *scene, struct weft_err *err);
    /* Writes the table, which it begins and ends itself.  False with *ERR. */
    bool (*put_table)(struct arrays_question *q, struct weft_table *table,
                      struct weft_err *err);
    /* Adds rows of names and values about the point AT, in pixels of the picture, to a
       table that has begun, and sets *ID to the id of the entity there, if there is one;
       does neither if nothing is there.  False with *ERR. */
    bool (*put_point)(struct arrays_question *q, struct weft_point at, uint64_t *id,
                      struct weft_table *table, struct weft_err *err);
};

/* Returns the display of the request's view, which is its `own`. */
static inline const struct arrays_display *
arrays_display_of(const struct weft_request *request)
{
    return request->view->own;
}

/*
 * Implements `scene` of a view whose `own` is a struct arrays_display.  If there is nothing
 * to show, the picture says why.  Returns false with the errors of arrays_begin() or of
 * `draw`.
 */
bool arrays_scene(const struct weft_request *request, struct weft_scene *scene,
                  struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Implements `table` of a view whose `own` is a struct arrays_display.  Returns false with
 * WEFT_ERR_USAGE and the reason if there is nothing to show, or with the errors of
 * arrays_begin() or of `put_table`.
 */
bool arrays_table(const struct weft_request *request, struct weft_table *table,
                  struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Implements `point` of a view whose `own` is a struct arrays_display: begins and ends a
 * table of facts, empty if there is nothing to show, and sets *ID only if something is at
 * the point.  Returns false with the errors of arrays_begin() or of `put_point`.
 */
bool arrays_point(const struct weft_request *request, struct weft_point at, uint64_t *id,
                  struct weft_table *table, struct weft_err *err) WEFT_MUST_CHECK;

#endif
