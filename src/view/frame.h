/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The surroundings of the data in every picture: a title, a sentence of how to read it,
 * axes with units, a legend, the range shown.  A frame lays these out, gives the rest to
 * the view as its plot, and drops what a small picture has no room for: first the
 * explanation, then the legend, then the title.
 */
#ifndef WEFT_VIEW_FRAME_H
#define WEFT_VIEW_FRAME_H

#include "view/scale.h"
#include "view/text.h"
#include "view/view.h"

/* Pixels: labels; ticks and legends; the title.  Below 11 DejaVu Sans is hard to read. */
enum { WEFT_FONT_SIZE = 12, WEFT_SMALL_SIZE = 11, WEFT_TITLE_SIZE = 15 };

struct weft_legend_entry {
    struct weft_swatch swatch;
    const char *label;
    double share;    /* of the time, 0 to 1; negative: not shown */
    double weight;   /* sorts entries without a share */
    uint32_t number; /* entries with a number come first, by it; 0: none */
};

struct weft_frame {
    struct weft_scene *scene;
    const struct weft_theme *theme;
    struct weft_rect plot;        /* what is left for the data */
    double title_end, legend_top; /* y of the picture */
    bool bare;                    /* draw no title and legend: the page shows them */
    bool has_moment;              /* the view marks the request's moment */
    int64_t moment;
};

/*
 * Begins a picture: initialises the scene, draws title and explanation, and keeps room for
 * a gutter of GUTTER pixels at the left, for a time axis above the plot if TIME_AXIS, and
 * for the legend below (N entries, which it sorts by share).  SUBTITLE, which may be NULL,
 * says what is shown, behind the explanation ("0.6 to 0.64 s; each row: 8 threads").
 */
void weft_frame_begin(struct weft_frame *frame, struct weft_scene *scene,
                      const struct weft_request *request, double gutter, bool time_axis,
                      struct weft_legend_entry *legend, size_t n, const char *subtitle);
/*
 * Copies the first 1000 entries of a legend into the scene, for a page that shows it beside
 * the picture; for views that know the legend only when all is drawn.
 */
void weft_frame_keep_legend(struct weft_scene *scene,
                            const struct weft_legend_entry *legend, size_t n);
/*
 * Draws the time axis of WINDOW above the plot and its grid lines, behind later marks, and
 * leaves room among the labels for that of weft_frame_moment().
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
 * Sets *PIXEL to the span, at least 1 tick, of the pixel column at X of the picture, in a
 * plot of WINDOW.  Returns false if X is not in the plot, or its span not in the window.
 */
bool weft_frame_pixel(struct weft_rect plot, struct weft_span window, double x,
                      struct weft_span *pixel);
/* Writes TEXT, a sentence, in the middle of a plot that has nothing to show. */
void weft_frame_empty(struct weft_frame *frame, const char *text);

/* Returns "all of 1.28 s", or "100 ms: 1.2 s to 1.3 s": length, begin and end. */
const char *weft_range_text(struct weft_arena *arena, const struct weft_schema *schema,
                            struct weft_span window);

#endif
