/* SPDX-License-Identifier: Apache-2.0 */
/* Bars beside names, and axes around a plot: shared by the pictures of tables. */
#ifndef WEFT_VIEW_BARS_H
#define WEFT_VIEW_BARS_H

#include "view/picture_frame.h"

/*
 * One horizontal bar of a chart, as a view describes it.  The view owns it and its texts;
 * drawing copies them.
 */
struct weft_bar {
    const char *name; /* left of the bar, shortened if needed */
    struct weft_swatch swatch;
    double value; /* in any unit, the same for all bars; 0 or less: no bar is seen */
    /* right of the bar: parts joined by " · ", of which those that fit; not NULL */
    const char *numbers;
    uint64_t id; /* of the thing that a click on the bar opens, or WEFT_NO_ID */
    /*
     * a selection of what the bar counts (analyse/where_selection.h), which a click lists,
     * or NULL
     */
    const char *where;
};
/* Returns the height of the row of each of N bars in FRAME's plot, in pixels: 22 if they
   are many, at most 72 if they are few. */
double weft_bars_row(const struct weft_frame *frame, size_t n);
/*
 * Draws as many of N horizontal bars as fit into the frame's plot, 22 pixels each, in the
 * given order; the greatest value of all N sets the scale, and a value above 0 has at least
 * half a pixel.  A line below says how many did not fit.
 */
void weft_bars_draw(struct weft_frame *frame, const struct weft_bar *bars, size_t n);
/*
 * Draws as many of N horizontal bars as fit into the frame's plot, like weft_bars_draw();
 * the line below counts OTHERS more bars, which were not given, as not drawn, too.
 */
void weft_bars_draw_some(struct weft_frame *frame, const struct weft_bar *bars, size_t n,
                         uint64_t others);
/*
 * Like weft_bars_draw_some(), but bar i goes on behind its value by RESTS[i], in the same
 * unit, painted as REST; the numbers stand behind both.  MOST is the greatest value plus
 * rest of all bars, OTHERS included, and sets the scale (if it is less than that of a given
 * bar, that does).
 */
void weft_bars_draw_parts(struct weft_frame *frame, const struct weft_bar *bars,
                          const double *rests, const struct weft_swatch *rest, size_t n,
                          uint64_t others, double most);
/*
 * Returns how many bars a bar chart of request->height uses at most (as many as fit, and
 * 200 at least): a view need not make more, but passes the number of the others to
 * weft_bars_draw_some().
 */
size_t weft_bars_looked_at(const struct weft_request *request);
/*
 * Returns the width in pixels of the column left of N bars for their names, the gutter for
 * weft_frame_begin(): as the widest name of the first 200 needs, at least 40, but never
 * more than 30% of the picture.
 */
double weft_bars_gutter(const struct weft_request *request, const struct weft_bar *bars,
                        size_t n);

/* Returns the width in pixels of the widest label of an axis; 0 if it has none. */
double weft_labels_width(const struct weft_axis *axis);
/*
 * Draws a horizontal grid line across PLOT at Y, in pixels of the picture, and LABEL,
 * unless NULL, left of PLOT beside the line.
 */
void weft_value_line(struct weft_frame *frame, struct weft_rect plot, double y,
                     const char *label);
/*
 * Draws axes in the frame's plot: y from 0 to MOST with grid lines, x from LOW to HIGH,
 * both with ticks at whole numbers and their names; no x axis if HIGH is not above LOW.
 * Y_NAME is left out in a plot of at most 60 pixels.  Returns the rectangle that is left
 * for the data, at least 1 by 1 pixel: its bottom is y 0, its top MOST.
 */
struct weft_rect weft_axes_draw(struct weft_frame *frame, double most, const char *y_name,
                                double low, double high, const char *x_name);

#endif
