/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How numbers of references look in the views of arrays: colours of one ramp, circles whose
 * area is the number, and the legend of both.
 */
#ifndef WEFT_VIEW_ARRAYS_LOOK_H
#define WEFT_VIEW_ARRAYS_LOOK_H

#include <math.h>

#include "domains/arrays/view/prepared.h"

/* Where the ramp ends (the parameter `scale`). */
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
    double most; /* the number at the ramp's end; 0: nothing was counted */
    bool pale;   /* the light half of it, for circles to be seen on */
    /*
     * Places are roots of parts: what is a small part of what the ramp is for is seen, too.
     */
    bool root;
    weft_color shades[ARRAYS_SHADES];
};
void arrays_ramp_make(struct arrays_ramp *ramp, const struct weft_theme *theme,
                      const struct arrays_scale *scale, enum arrays_quantity quantity,
                      enum arrays_statistic statistic, double most, bool pale);

static inline double arrays_ramp_place(const struct arrays_ramp *ramp, double value)
{
    double place = ramp->most > 0 ? value / ramp->most : 0;
    place = place > 0 ? place < 1 ? place : 1 : 0; /* also of what is no number: 0 */
    return ramp->root ? sqrt(place) : place;
}
static inline weft_color arrays_ramp_color(const struct arrays_ramp *ramp, double value)
{
    return ramp->shades[(int)(arrays_ramp_place(ramp, value) * (ARRAYS_SHADES - 1) + 0.5)];
}

/* Where the ramp of an array's cells ends. */
double arrays_most_of_cells(const struct arrays_question *q,
                            const struct arrays_scale *scale,
                            const struct arrays_cells *cells, enum arrays_quantity quantity,
                            enum arrays_statistic statistic);
/*
 * Where the ramp of processors ends.  Shared: a power of two times the mean of all
 * references of these operations, so that distributions are compared, and colours say how
 * far from even they are.
 */
double arrays_most_of_processors(const struct arrays_question *q,
                                 const struct arrays_scale *scale,
                                 const struct weft_reference_counts *counts,
                                 enum arrays_quantity quantity,
                                 enum arrays_statistic statistic);

/* What is not lit goes back behind the rest. */
weft_color arrays_faint(const struct weft_theme *theme, weft_color color);

/* The diameter of the circle of a value, in a cell that is SIDE pixels wide; 0: none. */
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
/* WHAT: "processor's ", when there are others. */
void arrays_legend_circle(struct arrays_legend *legend, const struct arrays_question *q,
                          const struct arrays_ramp *ramp, const char *what);
void arrays_legend_lit(struct arrays_legend *legend, const struct arrays_question *q);
void arrays_legend_say(struct arrays_legend *legend, const struct arrays_question *q,
                       struct weft_swatch swatch, const char *label);

/* "41 references", "0.5 references a step" */
const char *arrays_references_text(const struct arrays_question *q, double value,
                                   enum arrays_statistic statistic);
/*
 * Lines of a tooltip about counts, after what they are of: "reads: 3 local, 4 remote" ...
 */
const char *arrays_counts_title(const struct arrays_question *q, const char *what,
                                const struct weft_reference_counts *counts);

#endif
