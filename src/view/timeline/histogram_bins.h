/* SPDX-License-Identifier: Apache-2.0 */
/* Round bins for a histogram. */
#ifndef WEFT_VIEW_HISTOGRAM_BINS_H
#define WEFT_VIEW_HISTOGRAM_BINS_H

#include <stdbool.h>
#include <stddef.h>

/* Most edges of bins: a decade each for all doubles, and one for what is not above 0. */
enum { HISTOGRAM_EDGES = 1024 };

/* The values that are to be put into bins. */
struct histogram_range {
    double least, most;    /* of all values, least <= most, finite */
    double least_positive; /* the least above 0; not below `least`; if there is none: 0 */
    bool whole;            /* all are whole numbers, and so are edges then */
};

/*
 * Sets EDGES to rising edges of about WANTED (1 to 200) bins, half-open from one edge to
 * the next, such that the first is at most the least value and the last above the most;
 * returns their number, one more than there are bins.  Edges are equally spaced, by 1, 2 or
 * 5 times a power of ten; if LOGARITHMIC, a decade has 1, 3 (at 1, 2, 5), 5, 10 or 20 bins,
 * and all values of 0 and below have one bin together.
 */
size_t histogram_edges(const struct histogram_range *range, bool logarithmic,
                       unsigned wanted, double edges[HISTOGRAM_EDGES]);

#endif
