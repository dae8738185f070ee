/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What views of arrays have in common: each asks its question, then draws it, writes its
 * numbers or says what is at a point, and lets go of what it asked for.
 */
#ifndef WEFT_VIEW_ARRAYS_DISPLAY_H
#define WEFT_VIEW_ARRAYS_DISPLAY_H

#include "domains/arrays/view/arrays.h"

struct arrays_display {
    const struct weft_view *view;
    bool all_arrays; /* it may be asked for `array=*` */
    /*
     * Why there is nothing to show, so that nothing below is called; or NULL.  The function
     * is NULL when there always is.
     */
    const char *(*missing)(const struct arrays_question *q);
    bool (*draw)(struct arrays_question *q, struct weft_scene *scene, struct weft_err *err);
    bool (*put_table)(struct arrays_question *q, struct weft_table *table,
                      struct weft_err *err);
    /* Rows of names and values, and the id; neither where nothing is. */
    bool (*put_point)(struct arrays_question *q, struct weft_point at, uint64_t *id,
                      struct weft_table *table, struct weft_err *err);
};

/*
 * As the functions of a view.  Why nothing is there is said in the picture, and is the
 * error of the table; nothing is at any point then.
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
