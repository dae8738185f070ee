/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the views of arrays show numbers of references: colours of a ramp, circles whose area
 * is proportional to the number, and the legend of both.
 */
#ifndef WEFT_VIEW_ARRAYS_RAMP_H
#define WEFT_VIEW_ARRAYS_RAMP_H

#include <math.h>

#include "domains/arrays/view/prepared.h"

/* The upper end of the ramp (the parameter `scale`). */
struct arrays_scale {
    enum { ARRAYS_SCALE_SHARED, ARRAYS_SCALE_OWN, ARRAYS_SCALE_NUMBER } kind;
    double number;
};
/* Reads the setting `scale`.  Returns false with WEFT_ERR_USAGE if it is neither "shared",
   "own" nor a number above 0. */
bool arrays_read_scale(const struct arrays_question *q, struct arrays_scale *scale,
                       struct weft_err *err) WEFT_MUST_CHECK;

enum { ARRAYS_SHADES = 256 };
/* Colours for the numbers from 0 to MOST. */
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

/* Returns the position of VALUE on the ramp, from 0 to 1. */
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

/*
 * Returns the upper end of the ramp for the mean counts of an array's cells, by SCALE: its
 * number, the largest mean of QUANTITY in a cell, or that of
 * arrays_quantity_scale(QUANTITY); converted to STATISTIC (an average is for each step).
 */
double arrays_most_of_cells(const struct arrays_question *q,
                            const struct arrays_scale *scale,
                            const struct arrays_cells *cells, enum arrays_quantity quantity,
                            enum arrays_statistic statistic);
/*
 * Returns the upper end of the ramp for the counts of processors, COUNTS[q->processors]:
 * the number of SCALE, or its own, the largest count.  With the shared scale it is a power
 * of two times the mean of arrays_quantity_scale(), so that pictures of different
 * distributions can be compared and colours show how uneven each is.  It is converted to
 * STATISTIC.
 */
double arrays_most_of_processors(const struct arrays_question *q,
                                 const struct arrays_scale *scale,
                                 const struct weft_reference_counts *counts,
                                 enum arrays_quantity quantity,
                                 enum arrays_statistic statistic);

/* Returns a faint COLOR, for elements and processors that are not lit while others are. */
weft_color arrays_faint(const struct weft_theme *theme, weft_color color);

/* Returns the diameter of a value's circle, in pixels, in a cell that is SIDE pixels wide;
   0 for no circle. */
double arrays_circle(const struct arrays_ramp *ramp, double value, double side);

weft_color arrays_circle_color(const struct arrays_ramp *ramp, double value);

/* ---- The legend ---- */

enum { ARRAYS_LEGEND_MAX = 32 };
struct arrays_legend {
    struct weft_legend_entry entries[ARRAYS_LEGEND_MAX];
    size_t n;
};
/* Adds up to five colours of a ramp with their values; WHAT says what is counted.  Entries
   beyond ARRAYS_LEGEND_MAX are left out. */
void arrays_legend_ramp(struct arrays_legend *legend, const struct arrays_question *q,
                        const struct arrays_ramp *ramp, const char *what);
/* Adds the value of the largest circle, or nothing if no reference was counted.  WHAT is
   "", or "processor's " if elements have circles, too. */
void arrays_legend_circle(struct arrays_legend *legend, const struct arrays_question *q,
                          const struct arrays_ramp *ramp, const char *what);
/* Adds one entry with the numbers of the first four lit processors, if any are lit. */
void arrays_legend_lit(struct arrays_legend *legend, const struct arrays_question *q);
void arrays_legend_say(struct arrays_legend *legend, const struct arrays_question *q,
                       struct weft_swatch swatch, const char *label);

/* Returns "41 references", or for an average "0.5 references a step". */
const char *arrays_references_text(const struct arrays_question *q, double value,
                                   enum arrays_statistic statistic);
/* Returns the lines of a tooltip, separated by " · ", in the question's arena: WHAT, then
   the references of its counts, and if owners are known "reads: 3 local, 4 remote" ... */
const char *arrays_counts_title(const struct arrays_question *q, const char *what,
                                const struct weft_reference_counts *counts);

#endif
