/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of the views of arrays: begin a question, draw it, write its table or describe
 * a point, and end the question.
 */
#ifndef WEFT_VIEW_ARRAYS_DISPLAY_H
#define WEFT_VIEW_ARRAYS_DISPLAY_H

#include "domains/arrays/view/arrays.h"

struct arrays_display {
    const struct weft_view *view;
    bool all_arrays; /* allows `array=*` */
    /*
     * Returns why there is nothing to show, in which case none of the functions below is
     * called; or NULL.  The pointer is NULL if there is always something to show.
     */
    const char *(*missing)(const struct arrays_question *q);
    bool (*draw)(struct arrays_question *q, struct weft_scene *scene, struct weft_err *err);
    bool (*put_table)(struct arrays_question *q, struct weft_table *table,
                      struct weft_err *err);
    /* Adds rows of names and values, and sets the id; does neither if nothing is at the
       point. */
    bool (*put_point)(struct arrays_question *q, struct weft_point at, uint64_t *id,
                      struct weft_table *table, struct weft_err *err);
};

/*
 * The functions of a view.  If there is nothing to show, the picture says why, the table
 * fails with that text, and no point has anything.
 */
bool arrays_display_scene(const struct arrays_display *display,
                          const struct weft_request *request, struct weft_arena *arena,
                          struct weft_scene *scene, struct weft_err *err) WEFT_MUST_CHECK;
bool arrays_display_table(const struct arrays_display *display,
                          const struct weft_request *request, struct weft_table *table,
                          struct weft_err *err) WEFT_MUST_CHECK;
bool arrays_display_point(const struct arrays_display *display,
                          const struct weft_request *request, struct weft_point at,
                          uint64_t *id, struct weft_table *table,
                          struct weft_err *err) WEFT_MUST_CHECK;

#endif
