/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The colours of tasks (Heath, Finger: ParaGraph, 2003, section 5.3): 64, so far apart for
 * successive numbers that neighbours are told apart; a reader's file may replace some.
 *
 * A file of colours has a line for each: the number of the colour, 0 to 63, and its red,
 * green and blue, 0 to 255.  Task n has the colour with the number n modulo 64.  Empty
 * lines, and lines that begin with '#', are ignored.
 */
#ifndef WEFT_VIEW_TASK_COLOR_CODE_H
#define WEFT_VIEW_TASK_COLOR_CODE_H

#include "domains/messages/model/processors.h"
#include "view/picture_frame.h"

enum { WEFT_TASK_COLORS = 64 };

/* Initializer of a struct weft_parameter: the setting `colors`, the colours of tasks. */
#define WEFT_PARAMETER_OF_TASK_COLORS                                                      \
 {                                                                                         \
  .name = "colors", .kind = WEFT_PARAMETER_FILE, .choices = "rainbow",                     \
  .fallback = "rainbow",                                                                   \
  .help = "of tasks: 64 of a rainbow, or lines of task, red, green, blue that replace "    \
          "some",                                                                          \
  .file = ".pgcolors", .seldom = true, .shared = true                                      \
 }

/* The colours of tasks in a theme; set by weft_task_colors_make, nothing to free. */
struct weft_task_colors {
    const struct weft_theme *theme;
    weft_color colors[WEFT_TASK_COLORS]; /* by number of the task, modulo 64 */
};
/*
 * Sets *COLORS to those of tasks in THEME, which must outlive them.  SETTING is "rainbow"
 * or the text of a file of colours (not its path), which counts in themes with hues (light,
 * dark).  Fails with WEFT_ERR_USAGE if a line of it is malformed.
 */
bool weft_task_colors_make(struct weft_task_colors *colors, const struct weft_theme *theme,
                           const char *setting, struct weft_err *err) WEFT_MUST_CHECK;
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
