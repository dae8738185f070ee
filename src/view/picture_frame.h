/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The surroundings of the data in every picture: a title, a sentence of how to read it,
 * axes with units, a legend, the range shown.  A frame lays these out, gives the rest to
 * the view as its plot, and drops what a small picture has no room for: first the
 * explanation, then the legend, then the title.
 */
#ifndef WEFT_VIEW_PICTURE_FRAME_H
#define WEFT_VIEW_PICTURE_FRAME_H

#include "view/axis_ticks.h"
#include "view/text.h"
#include "view/view.h"

/* Pixels: labels; ticks and legends; the title.  Below 11 DejaVu Sans is hard to read. */
enum { WEFT_FONT_SIZE = 12, WEFT_SMALL_SIZE = 11, WEFT_TITLE_SIZE = 15 };

/* An entry of the legend below a picture: a swatch and its name. */
struct weft_legend_entry {
    struct weft_swatch swatch;
    const char *label; /* copied when drawn */
    double share;      /* of the time, 0 to 1; negative: none is shown */
    double weight;     /* sorts entries without a share, greatest first */
    uint32_t number;   /* entries with a number come first, by it; 0: none */
};

/* The surroundings of a picture; weft_frame_begin() sets it. */
struct weft_frame {
    struct weft_scene *scene;
    const struct weft_theme *theme;
    struct weft_rect plot; /* pixels of the picture that are left for the data */
    double legend_top;     /* y of the picture; 0 if no legend is drawn */
    bool bare;             /* title, explanation and legend are left to the page */
    bool has_moment;       /* the view marks the request's moment */
    int64_t moment;        /* ticks of the trace's clock */
};

/*
 * Begins a picture of request->width by height pixels: initialises SCENE in the request's
 * arena, draws title and explanation, and keeps room for a gutter of GUTTER pixels at the
 * left, for a time axis above the plot if TIME_AXIS (weft_frame_time_axis() draws it), and
 * for the legend below, which it draws (N entries of LEGEND, which it sorts by number, then
 * by share or weight).  SUBTITLE, which may be NULL, is kept, not copied, and says what is
 * shown, beside the title ("0.6 to 0.64 s; each row: 8 threads").  Titles need a height of
 * 120 pixels, legends 180, explanations 260 and the width for their whole text; a bare
 * picture (request->bare) has none of them.  frame->plot is at least 1 by 1 pixel.
 */
void weft_frame_begin(struct weft_frame *frame, struct weft_scene *scene,
                      const struct weft_request *request, double gutter, bool time_axis,
                      struct weft_legend_entry *legend, size_t n, const char *subtitle);
/*
 * Copies the first 1000 entries of a legend into the scene, instead of those of
 * weft_frame_begin(), for a page that shows it beside the picture; for views that know the
 * legend only when all is drawn.  Draws nothing, and does not sort.
 */
void weft_frame_keep_legend(struct weft_scene *scene,
                            const struct weft_legend_entry *legend, size_t n);
/*
 * Draws the time axis of WINDOW (ticks of the trace's clock), which the plot's width shows,
 * above the plot and its grid lines, behind later marks; leaves room among the labels for
 * that of weft_frame_moment().  weft_frame_begin() was told TIME_AXIS.
 */
void weft_frame_time_axis(struct weft_frame *frame, const struct weft_schema *schema,
                          struct weft_span window);
/*
 * Draws a line at the request's moment (`at`) and its time on the axis; call it last.
 * Draws nothing without a moment, or if it lies outside WINDOW.
 */
void weft_frame_moment(struct weft_frame *frame, const struct weft_schema *schema,
                       struct weft_span window);
/*
 * Sets *PIXEL to the span of time, at least 1 tick, of the column of pixels at X (pixels of
 * the picture), in a plot whose width shows WINDOW.  Returns false, *PIXEL without meaning,
 * if X is not in the plot, the plot is less than 2 pixels wide, or the span ends after the
 * window.
 */
bool weft_frame_pixel(struct weft_rect plot, struct weft_span window, double x,
                      struct weft_span *pixel);
/* Writes TEXT, a sentence, shortened if needed, in the middle of a plot without data. */
void weft_frame_empty(struct weft_frame *frame, const char *text);

/*
 * Returns the length, begin and end of WINDOW as a text in ARENA, "100 ms: 1.2 s to 1.3 s",
 * counted from the begin of the trace's span; "all of 1.28 s" if it covers the span.
 */
const char *weft_range_text(struct weft_arena *arena, const struct weft_schema *schema,
                            struct weft_span window);

#endif
