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
    uint64_t id;         /* of the thing that a click on the bar opens, or WEFT_NO_ID */
};
/* Draws as many bars as fit, in the given order, and says how many did not. */
void weft_bars_draw(struct weft_frame *frame, const struct weft_bar *bars, size_t n);
/* Like weft_bars_draw(), but counts OTHERS bars after the N given as not drawn, too. */
void weft_bars_draw_some(struct weft_frame *frame, const struct weft_bar *bars, size_t n,
                         uint64_t others);
/*
 * Like weft_bars_draw_some(), but each bar goes on behind its value by RESTS[N], painted as
 * REST; the numbers stand behind both.  MOST is the greatest value plus rest of all bars,
 * OTHERS included.
 */
void weft_bars_draw_parts(struct weft_frame *frame, const struct weft_bar *bars,
                          const double *rests, const struct weft_swatch *rest, size_t n,
                          uint64_t others, double most);
/* Returns how many bars a picture of this height uses at most; no more need be made. */
size_t weft_bars_looked_at(const struct weft_request *request);
/* Returns the pixels left of the bars that their names need. */
double weft_bars_gutter(const struct weft_request *request, const struct weft_bar *bars,
                        size_t n);

/* Returns the width in pixels of the widest label of an axis; 0 if it has none. */
double weft_labels_width(const struct weft_axis *axis);
/* Draws a line across PLOT at Y of the picture, and left of it LABEL, unless NULL. */
void weft_value_line(struct weft_frame *frame, struct weft_rect plot, double y,
                     const char *label);
/*
 * Draws axes in the frame's plot: y from 0 to MOST, x from LOW to HIGH, both counts; no x
 * axis if LOW is HIGH.  Returns the rectangle that is left for the data.
 */
struct weft_rect weft_axes_draw(struct weft_frame *frame, double most, const char *y_name,
                                double low, double high, const char *x_name);

#endif
