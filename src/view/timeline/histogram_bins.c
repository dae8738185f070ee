/* SPDX-License-Identifier: Apache-2.0 */
#include "view/timeline/histogram_bins.h"

#include <math.h>

/* Returns the least of 1, 2 and 5 times a power of ten that is at least WIDTH, above 0. */
static double round_width(double width)
{
    double power = pow(10, floor(log10(width)));
    for (int i = 0; i < 2; i++, power *= 10)
        for (int k = 0; k < 3; k++) {
            static const double factors[] = { 1, 2, 5 };
            if (factors[k] * power >= width)
                return factors[k] * power;
        }
    return power;
}

static size_t linear_edges(const struct histogram_range *range, unsigned wanted,
                           double *edges)
{
    double span = range->most - range->least, most = fabs(range->most);
    double width = round_width(span > 0 ? span / wanted : most > 0 ? most / wanted : 1);
    if (range->whole && width < 1)
        width = 1;
    double first = floor(range->least / width);
    size_t n = 0;
    if (first * width > range->least) /* the division was rounded up */
        first--;
    /* Where doubles are too coarse for the width, the last edge is the next double. */
    do
        edges[n] = (first + (double)n) * width;
    while (edges[n++] <= range->most && n < HISTOGRAM_EDGES - 1);
    if (edges[n - 1] <= range->most)
        edges[n++] = nextafter(range->most, INFINITY);
    return n < 2 ? (edges[1] = nextafter(edges[0], INFINITY), 2) : n;
}

/* Returns edge K of those of which STEPS are in a decade: 3: 1, 2, 5. */
static double log_edge(int k, int steps)
{
    static const double thirds[] = { 1, 2, 5 };
    int decade = (int)floor((double)k / steps), rest = k - decade * steps;
    double power = pow(10, decade);
    return steps == 3 ? thirds[rest] * power : rest ? pow(10, (double)k / steps) : power;
}

static size_t log_edges(const struct histogram_range *range, unsigned wanted, double *edges)
{
    static const int steps_of_a_decade[] = { 20, 10, 5, 3, 1 };
    double low = log10(range->least_positive), high = log10(range->most);
    int steps = 1;
    for (size_t i = 0; i < sizeof steps_of_a_decade / sizeof *steps_of_a_decade; i++)
        if ((high - low) * steps_of_a_decade[i] <= wanted) {
            steps = steps_of_a_decade[i];
            break;
        }
    size_t n = 0;
    bool below = range->least <= 0;
    if (below)
        edges[n++] = range->least;
    size_t first = n;
    for (int k = (int)floor(low * steps) - 2; n < HISTOGRAM_EDGES - 1; k++) {
        double edge = log_edge(k, steps);
        edge = range->whole ? ceil(edge) : edge;
        if (edge <= 0 || (n > first && edge <= edges[n - 1]))
            continue;
        /* The first edge is the greatest that is not above the least value. */
        if (n > first && edge <= range->least_positive)
            n = first;
        edges[n++] = edge;
        if (edge > range->most)
            break;
    }
    return n;
}

size_t histogram_edges(const struct histogram_range *range, bool logarithmic,
                       unsigned wanted, double edges[HISTOGRAM_EDGES])
{
    if (!logarithmic)
        return linear_edges(range, wanted, edges);
    if (range->least_positive > 0)
        return log_edges(range, wanted, edges);
    edges[0] = range->least; /* nothing is above 0 */
    edges[1] = 1;
    return 2;
}
