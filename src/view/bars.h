/* SPDX-License-Identifier: Apache-2.0 */
/* Bars beside names, and axes around a plot: shared by the pictures of tables. */
#ifndef WEFT_VIEW_BARS_H
#define WEFT_VIEW_BARS_H

#include "view/frame.h"

struct weft_bar {
    const char *name;
    struct weft_swatch swatch;
    double value;
    const char *numbers; /* beside the bar */
    uint64_t id;
};
/* Draws as many bars as fit, in the given order, and says how many did not. */
void weft_bars_draw(struct weft_frame *frame, const struct weft_bar *bars, size_t n);
/* Does the same for N bars that are the first of N + OTHERS. */
void weft_bars_draw_some(struct weft_frame *frame, const struct weft_bar *bars, size_t n,
                         uint64_t others);
/*
 * Does the same with a second part behind each bar's value, RESTS[n] in REST's look;
 * numbers stand behind both.  MOST is the length of the longest of all bars, OTHERS
 * included.
 */
void weft_bars_draw_parts(struct weft_frame *frame, const struct weft_bar *bars,
                          const double *rests, const struct weft_swatch *rest, size_t n,
                          uint64_t others, double most);
/* Returns how many bars a picture uses at most; a caller need not make more. */
size_t weft_bars_looked_at(const struct weft_request *request);
double weft_bars_gutter(const struct weft_request *request, const struct weft_bar *bars,
                        size_t n);

/* Returns the width of the widest label of an axis; 0 if it has none. */
double weft_labels_width(const struct weft_axis *axis);
/* Draws a line at height Y across PLOT, and left of it the label, if not NULL. */
void weft_value_line(struct weft_frame *frame, struct weft_rect plot, double y,
                     const char *label);
/*
 * Draws axes around a plot whose heights go from 0 to MOST and whose x goes from LOW to
 * HIGH, both counts; without an x axis if these are equal.  Returns the rectangle that is
 * left.
 */
struct weft_rect weft_axes_draw(struct weft_frame *frame, double most, const char *y_name,
                                double low, double high, const char *x_name);

#endif
