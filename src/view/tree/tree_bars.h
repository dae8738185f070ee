/* SPDX-License-Identifier: Apache-2.0 */
/* Bars beside names, and axes around a plot: shared by the pictures of tables. */
#ifndef WEFT_VIEW_TREE_BARS_H
#define WEFT_VIEW_TREE_BARS_H

#include "view/frame.h"

struct tree_bar {
    const char *name;
    struct weft_swatch swatch;
    double value;
    const char *numbers; /* beside the bar */
    uint64_t id;
};
/* Draw as many bars as fit, in the order given, and say how many did not. */
void tree_draw_bars(struct weft_frame *frame, const struct tree_bar *bars, size_t n);
double tree_bars_gutter(const struct weft_request *request, const struct tree_bar *bars,
                        size_t n);

/*
 * Axes around a plot whose heights go from 0 to MOST and whose x goes from LOW to HIGH (none
 * when they are equal); returns the rectangle that is left.
 */
struct weft_rect tree_draw_axes(struct weft_frame *frame, double most, const char *y_name,
                                double low, double high, const char *x_name);

#endif
