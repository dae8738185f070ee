/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How durations are spread: their number, sum, maximum, and quantiles within 1 %, from bins of
 * a 64th of an octave each.
 *
 * It takes two bytes a duration until counts of all bins take less (16 KB): a trace in which each
 * task has a name of its own has millions of these, of a duration or two.
 */
#ifndef WEFT_ANALYSE_DURATIONS_H
#define WEFT_ANALYSE_DURATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_durations { /* all 0: empty */
    uint64_t count;
    int64_t longest; /* ticks */
    double sum;      /* damaged ones may sum to more than an integer holds */
    /* below: its own */
    uint16_t *few; /* [count] the bin of each, while there are few; or NULL */
    size_t few_capacity;
    bool sorted;    /* those few, since the last one was added */
    uint32_t *bins; /* how many each bin has, when there are more; or NULL */
};

/* What is below 0 counts as 0. */
void weft_durations_add(struct weft_durations *durations, int64_t ticks);
/* Add those of FROM, which is empty then. */
void weft_durations_merge(struct weft_durations *into, struct weft_durations *from);
/* The nearest-rank quantile Q of 0 to 1, never beyond the longest; 0 of none.  May sort them. */
int64_t weft_durations_quantile(struct weft_durations *durations, double q);
/* Free what only quantiles need; number, sum and maximum stay. */
void weft_durations_end(struct weft_durations *durations);

#endif
