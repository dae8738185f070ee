/* SPDX-License-Identifier: Apache-2.0 */
/* Bars beside names, and columns over a value axis: what the pictures of tables share. */
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
/* Draw as many bars as fit, in the order given, and say how many did not. */
void weft_bars_draw(struct weft_frame *frame, const struct weft_bar *bars, size_t n);
/* The same of N bars that are the first of so many OTHERS more. */
void weft_bars_draw_some(struct weft_frame *frame, const struct weft_bar *bars, size_t n,
                         uint64_t others);
/*
 * The same with a second part behind each bar's value, RESTS[n] in REST's look; numbers
 * stand behind both.  The longest bar of all, OTHERS among them, has MOST.
 */
void weft_bars_draw_parts(struct weft_frame *frame, const struct weft_bar *bars,
                          const double *rests, const struct weft_swatch *rest, size_t n,
                          uint64_t others, double most);
/* So many bars are looked at for a picture: who has more needs not make the others. */
size_t weft_bars_looked_at(const struct weft_request *request);
double weft_bars_gutter(const struct weft_request *request, const struct weft_bar *bars,
                        size_t n);

/*
 * Axes around a plot whose heights go from 0 to MOST and whose x goes from LOW to HIGH
 * (none when they are equal), both of which count things; returns the rectangle that is
 * left.
 */
struct weft_rect weft_axes_draw(struct weft_frame *frame, double most, const char *y_name,
                                double low, double high, const char *x_name);

#endif
