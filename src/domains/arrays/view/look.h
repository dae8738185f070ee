/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the views of arrays show numbers of references: colours of a ramp, circles whose area
 * is proportional to the number, and the legend of both.
 */
#ifndef WEFT_VIEW_ARRAYS_LOOK_H
#define WEFT_VIEW_ARRAYS_LOOK_H

#include <math.h>

#include "domains/arrays/view/prepared.h"

/* The upper end of the ramp (the parameter `scale`). */
struct arrays_scale {
    enum { ARRAYS_SCALE_SHARED, ARRAYS_SCALE_OWN, ARRAYS_SCALE_NUMBER } kind;
    double number;
};
bool arrays_read_scale(const struct arrays_question *q, struct arrays_scale *scale,
                       struct weft_err *err) WEFT_MUST_CHECK;

enum { ARRAYS_SHADES = 256 };
struct arrays_ramp {
    const struct weft_theme *theme;
    enum arrays_quantity quantity;
    enum arrays_statistic statistic;
    double most; /* the number at the ramp's end; 0 if nothing was counted */
    bool pale;   /* only the light half, as a background for circles */
    bool root;   /* the scale is a square root, so that small numbers are visible */
    weft_color shades[ARRAYS_SHADES];
};
void arrays_ramp_make(struct arrays_ramp *ramp, const struct weft_theme *theme,
                      const struct arrays_scale *scale, enum arrays_quantity quantity,
                      enum arrays_statistic statistic, double most, bool pale);

static inline double arrays_ramp_place(const struct arrays_ramp *ramp, double value)
{
    double place = ramp->most > 0 ? value / ramp->most : 0;
    place = place > 0 ? place < 1 ? place : 1 : 0; /* 0 for NaN */
    return ramp->root ? sqrt(place) : place;
}
static inline weft_color arrays_ramp_color(const struct arrays_ramp *ramp, double value)
{
    return ramp->shades[(int)(arrays_ramp_place(ramp, value) * (ARRAYS_SHADES - 1) + 0.5)];
}

/* The upper end of the ramp for an array's cells. */
double arrays_most_of_cells(const struct arrays_question *q,
                            const struct arrays_scale *scale,
                            const struct arrays_cells *cells, enum arrays_quantity quantity,
                            enum arrays_statistic statistic);
/*
 * The upper end of the ramp for processors.  With the shared scale it is a power of two
 * times the mean number of references with these operations, so that pictures of different
 * distributions can be compared and colours show how uneven each is.
 */
double arrays_most_of_processors(const struct arrays_question *q,
                                 const struct arrays_scale *scale,
                                 const struct weft_reference_counts *counts,
                                 enum arrays_quantity quantity,
                                 enum arrays_statistic statistic);

/* The faint colour of elements and processors that are not lit. */
weft_color arrays_faint(const struct weft_theme *theme, weft_color color);

/* The diameter of a value's circle in a cell that is SIDE pixels wide; 0 for no circle. */
double arrays_circle(const struct arrays_ramp *ramp, double value, double side);

weft_color arrays_circle_color(const struct arrays_ramp *ramp, double value);

/* ---- The legend ---- */

enum { ARRAYS_LEGEND_MOST = 32 };
struct arrays_legend {
    struct weft_legend_entry entries[ARRAYS_LEGEND_MOST];
    size_t n;
};
void arrays_legend_ramp(struct arrays_legend *legend, const struct arrays_question *q,
                        const struct arrays_ramp *ramp, const char *what);
/* WHAT is "processor's " if elements have circles, too. */
void arrays_legend_circle(struct arrays_legend *legend, const struct arrays_question *q,
                          const struct arrays_ramp *ramp, const char *what);
void arrays_legend_lit(struct arrays_legend *legend, const struct arrays_question *q);
void arrays_legend_say(struct arrays_legend *legend, const struct arrays_question *q,
                       struct weft_swatch swatch, const char *label);

/* "41 references", "0.5 references a step". */
const char *arrays_references_text(const struct arrays_question *q, double value,
                                   enum arrays_statistic statistic);
/* Lines of a tooltip: WHAT, then its counts, "reads: 3 local, 4 remote" ... */
const char *arrays_counts_title(const struct arrays_question *q, const char *what,
                                const struct weft_reference_counts *counts);

#endif
