/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The surroundings of the data in every picture: a title and a sentence of how to read it,
 * axes with units, a legend, the range shown.  A frame lays these out, gives what is left
 * to the view as its plot, and drops what a small picture has no room for: first the
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
    double share;    /* of the time, 0 to 1; negative: none is shown */
    double weight;   /* in place of a share that is not shown: where it comes among them */
    uint32_t number; /* those that have one come first, by their numbers; 0: it has none */
};

struct weft_frame {
    struct weft_scene *scene;
    const struct weft_theme *theme;
    struct weft_rect plot; /* what is left for the data */
    double title_end, legend_top;
    bool bare;       /* a page shows title and legend */
    bool has_moment; /* the request's moment, where the view marks one */
    int64_t moment;
};

/*
 * Begin: initialise the scene, draw title and explanation, keep room for a gutter of GUTTER
 * pixels at the left, for a time axis above the plot when TIME_AXIS, and for the legend
 * below (N entries, sorted by share here).  SUBTITLE: what is shown, after the explanation
 * ("0.6 to 0.64 s; each row: 8 threads"); may be NULL.
 */
void weft_frame_begin(struct weft_frame *frame, struct weft_scene *scene,
                      struct weft_arena *arena, const struct weft_view *view,
                      const struct weft_request *request, double gutter, bool time_axis,
                      struct weft_legend_entry *legend, size_t n, const char *subtitle);
/*
 * Keeps a legend that a page shows outside the picture, for views that know it only when
 * all is drawn.  At most 1000 entries are kept, the first ones.
 */
void weft_frame_keep_legend(struct weft_scene *scene,
                            const struct weft_legend_entry *legend, size_t n);
/*
 * The time axis above the plot and its grid lines, behind what is drawn afterwards.  Labels
 * make room for that of the moment.
 */
void weft_frame_time_axis(struct weft_frame *frame, const struct weft_schema *schema,
                          struct weft_span window);
/*
 * The line at the request's moment, and its time in the axis: to be drawn last.  Nothing
 * when there is none, or when it lies outside WINDOW.
 */
void weft_frame_moment(struct weft_frame *frame, const struct weft_schema *schema,
                       struct weft_span window);
/*
 * The time that the pixel at X takes of a plot which shows WINDOW, 1 tick at least.  False:
 * it is not in the plot, or not whole in the window.
 */
bool weft_frame_pixel(struct weft_rect plot, struct weft_span window, double x,
                      struct weft_span *pixel);
/* One sentence in the middle of the plot, when there is nothing to show. */
void weft_frame_empty(struct weft_frame *frame, const char *text);

/* "all of 1.28 s", or "100 ms: 1.2 s to 1.3 s": the length, and from when to when. */
const char *weft_range_text(struct weft_arena *arena, const struct weft_schema *schema,
                            struct weft_span window);

#endif
