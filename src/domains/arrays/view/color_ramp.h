/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the views of arrays show numbers of references: colours of a ramp, circles whose area
 * is proportional to the number, and the legend of both.
 */
#ifndef WEFT_VIEW_ARRAYS_COLOR_RAMP_H
#define WEFT_VIEW_ARRAYS_COLOR_RAMP_H

#include <math.h>

#include "domains/arrays/view/prepared.h"

/* How the number of references at the upper end of a ramp is chosen (the parameter
   `scale`): so that it is the same for all distributions of an array, the largest in this
   picture, or NUMBER. */
struct arrays_scale {
    enum { ARRAYS_SCALE_SHARED, ARRAYS_SCALE_OWN, ARRAYS_SCALE_NUMBER } kind;
    double number; /* ARRAYS_SCALE_NUMBER: references, in the question's statistic */
};
/* Reads the request's setting `scale` into *SCALE.  Returns false with WEFT_ERR_USAGE if it
   is neither "shared", "own" nor a finite number above 0. */
bool arrays_read_scale(const struct arrays_question *q, struct arrays_scale *scale,
                       struct weft_err *err) WEFT_MUST_CHECK;

enum { ARRAYS_SHADES = 256 /* colours of a ramp (colour scale) */ };
/* A colour scale for numbers of references from 0 to MOST; arrays_ramp_make() sets it. */
struct arrays_ramp {
    const struct weft_theme *theme;
    enum arrays_quantity quantity;   /* of the numbers */
    enum arrays_statistic statistic; /* of the numbers; an average is per step */
    double most; /* the number at the ramp's end; 0 if nothing was counted */
    bool pale;   /* only the light half, as a background for circles */
    bool root;   /* the scale is a square root, so that small numbers are visible */
    weft_color shades[ARRAYS_SHADES]; /* from the colour of 0 to that of MOST */
};
/*
 * Sets *RAMP, a colour scale for numbers of references of QUANTITY and STATISTIC from 0 to
 * MOST, which arrays_most_of_cells() or arrays_most_of_processors() returns; THEME must
 * outlive it.  The scale is a square root if SCALE is the shared one and QUANTITY counts
 * only local, or only remote, references; PALE: only the light half of the colours.
 */
void arrays_ramp_make(struct arrays_ramp *ramp, const struct weft_theme *theme,
                      const struct arrays_scale *scale, enum arrays_quantity quantity,
                      enum arrays_statistic statistic, double most, bool pale);

/* Returns the position of VALUE on the ramp, from 0 to 1, clipped to these; 0 if ramp->most
   is 0. */
static inline double arrays_ramp_place(const struct arrays_ramp *ramp, double value)
{
    double place = ramp->most > 0 ? value / ramp->most : 0;
    place = place > 0 ? place < 1 ? place : 1 : 0; /* 0 for NaN */
    return ramp->root ? sqrt(place) : place;
}
/* Returns the colour of VALUE: that of the ramp's begin or end if it is beyond these. */
static inline weft_color arrays_ramp_color(const struct arrays_ramp *ramp, double value)
{
    return ramp->shades[(int)(arrays_ramp_place(ramp, value) * (ARRAYS_SHADES - 1) + 0.5)];
}

/*
 * Returns the number at the upper end of a ramp for the means of QUANTITY over a cell's
 * elements: with scale->kind NUMBER scale->number, converted from the question's statistic
 * to STATISTIC; with OWN the largest mean of QUANTITY in a cell (cells->most), with SHARED
 * that of arrays_quantity_scale(QUANTITY).  For an average it is references per step.
 * CELLS has the counts of STATISTIC.
 */
double arrays_most_of_cells(const struct arrays_question *q,
                            const struct arrays_scale *scale,
                            const struct arrays_cells *cells, enum arrays_quantity quantity,
                            enum arrays_statistic statistic);
/*
 * Returns the number at the upper end of a ramp for the counts of processors,
 * COUNTS[q->processors], of STATISTIC: with scale->kind NUMBER scale->number, converted
 * from the question's statistic to STATISTIC; with OWN the largest count of QUANTITY.  With
 * SHARED it is the mean of arrays_quantity_scale(QUANTITY) over the processors, doubled
 * until no count exceeds it, so that pictures of different distributions can be compared
 * and colours show how uneven each is.  For an average it is references per step.
 */
double arrays_most_of_processors(const struct arrays_question *q,
                                 const struct arrays_scale *scale,
                                 const struct weft_reference_counts *counts,
                                 enum arrays_quantity quantity,
                                 enum arrays_statistic statistic);

/* Returns COLOR mixed with the theme's background, for elements and processors that the
   setting `lit` does not name while it names others. */
weft_color arrays_faint(const struct weft_theme *theme, weft_color color);

/*
 * Returns the diameter, in pixels, of the circle for VALUE in a cell that is SIDE pixels
 * wide: its area is proportional to VALUE, its diameter 0.86 SIDE from ramp->most on, and
 * 1.5 at least, also in a smaller cell.  0, no circle, if VALUE or ramp->most is not above
 * 0.
 */
double arrays_circle(const struct arrays_ramp *ramp, double value, double side);

/* Returns the colour of the circle for VALUE: from 0.3 of the ramp on for the smallest
   values, so that they differ from the background, to its end for ramp->most. */
weft_color arrays_circle_color(const struct arrays_ramp *ramp, double value);

/* ---- The legend ---- */

enum { ARRAYS_LEGEND_MAX = 32 /* most entries of a legend */ };
/* A legend while it is made: the entries for weft_frame_begin(). */
struct arrays_legend {
    struct weft_legend_entry entries[ARRAYS_LEGEND_MAX];
    size_t n;
};
/* Adds up to five colours of a ramp with their values, from 0 (whose label begins with
   WHAT, such as "so far, remote reads") to ramp->most.  Entries beyond ARRAYS_LEGEND_MAX
   are left out. */
void arrays_legend_ramp(struct arrays_legend *legend, const struct arrays_question *q,
                        const struct arrays_ramp *ramp, const char *what);
/* Adds an entry with the value of the largest circle, ramp->most, or nothing if that is 0.
   WHAT comes before the word "circle": "", or "processor's" if elements have
   circles, too. */
void arrays_legend_circle(struct arrays_legend *legend, const struct arrays_question *q,
                          const struct arrays_ramp *ramp, const char *what);
/* Adds one entry with the numbers of the first four processors that the setting `lit`
   names, if there are any. */
void arrays_legend_lit(struct arrays_legend *legend, const struct arrays_question *q);
/* Adds an entry with SWATCH (colour and hatch) and LABEL, unless there are
   ARRAYS_LEGEND_MAX; LABEL is not copied, and must live as long as the scene.  Q is not
   used. */
void arrays_legend_say(struct arrays_legend *legend, const struct arrays_question *q,
                       struct weft_swatch swatch, const char *label);

/* Returns VALUE, a number of references, as text in the question's arena: "41 references",
   or if STATISTIC is ARRAYS_AVERAGE "0.500 references a step", VALUE then being divided by
   the number of steps already. */
const char *arrays_references_text(const struct arrays_question *q, double value,
                                   enum arrays_statistic statistic);
/*
 * Returns the lines of a tooltip, separated by " · ", in the question's arena: WHAT (the
 * name of the element or processor), the references in COUNTS, which cover the steps from 0
 * to the question's, and their average per step, and if owners are known "reads: 3 local, 4
 * remote" ...  If STATISTIC, that of COUNTS, is ARRAYS_STEP, they cover the question's step
 * alone, and there is no average.
 */
const char *arrays_counts_title(const struct arrays_question *q, const char *what,
                                enum arrays_statistic statistic,
                                const struct weft_reference_counts *counts);

#endif
