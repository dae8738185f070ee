/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The colours of tasks (Heath, Finger: ParaGraph, 2003, section 5.3): 64, so far apart for
 * successive numbers that neighbours are told apart.
 */
#ifndef WEFT_VIEW_TASK_COLOR_CODE_H
#define WEFT_VIEW_TASK_COLOR_CODE_H

#include "domains/messages/model/processors.h"
#include "view/picture_frame.h"

enum { WEFT_TASK_COLORS = 64 };

/* The colours of tasks in a theme; made by weft_task_colors_make, nothing to free. */
struct weft_task_colors {
    const struct weft_theme *theme;
    weft_color
        colors[WEFT_TASK_COLORS]; /* a rainbow; task n has that of (n % 8) * 8 + n / 8 */
};
/* Returns the colours of tasks in THEME, which must outlive them. */
struct weft_task_colors weft_task_colors_make(const struct weft_theme *theme);
/*
 * Returns the look of the task with NUMBER, the same for all numbers that are equal modulo
 * 64; in black and white one of eight patterns.
 */
struct weft_swatch weft_task_swatch(const struct weft_task_colors *colors, int64_t number);
/*
 * Sets *NUMBER to that of the innermost task that processor INDEX (in
 * processors->processors) is in at TIME.  Returns false, *NUMBER as it was, if it is in
 * none, or in one without a number.
 */
bool weft_task_at(const struct weft_processors *processors, uint32_t index, int64_t time,
                  int64_t *number);

#endif
