/* SPDX-License-Identifier: Apache-2.0 */
#include "analyse/durations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/memory.h"

enum {
    PER_OCTAVE = 64,
    BINS = 1 + 63 * PER_OCTAVE,
    MAX_EXACT = 10000, /* durations that are kept as they are */
};

/* Returns bin 0 for a duration of 0, else the bin of its octave and part. */
static size_t bin_of(int64_t duration)
{
    if (duration <= 0)
        return 0;
    unsigned octave = 63 - (unsigned)__builtin_clzll((unsigned long long)duration);
    double part = ldexp((double)duration, -(int)octave) - 1; /* 0 to 1 within the octave */
    size_t bin = 1 + octave * PER_OCTAVE + (size_t)(log2(1 + part) * PER_OCTAVE);
    return bin < BINS ? bin : BINS - 1;
}

/* Returns the geometric middle of a bin. */
static double middle_of(size_t bin)
{
    return exp2(((double)bin - 0.5) / PER_OCTAVE);
}

/* Replaces the list of durations by counts of all bins. */
static void make_bins(struct weft_durations *durations)
{
    durations->bins = weft_zalloc(BINS, sizeof *durations->bins);
    for (uint64_t i = 0; i < durations->count; i++)
        durations->bins[bin_of(durations->few[i])]++;
    free(durations->few);
    durations->few = NULL;
}

void weft_durations_add(struct weft_durations *durations, int64_t ticks)
{
    durations->sorted = false;
    if (!durations->bins && durations->count == MAX_EXACT)
        make_bins(durations);
    if (durations->bins) {
        durations->bins[bin_of(ticks)]++;
    } else {
        durations->few = weft_grow(durations->few, &durations->few_capacity,
                                   durations->count + 1, sizeof *durations->few);
        durations->few[durations->count] = ticks > 0 ? ticks : 0;
    }
    durations->count++;
    durations->sum += (double)ticks;
    durations->longest = ticks > durations->longest ? ticks : durations->longest;
}

/*
 * Merges lists or bins: both have few durations, and together, too; or both have counts;
 * or INTO is empty.
 */
static void merge_private(struct weft_durations *into, struct weft_durations *from)
{
    if (!into->count) {
        into->few = from->few;
        into->few_capacity = from->few_capacity;
        into->bins = from->bins;
        from->few = NULL;
        from->bins = NULL;
    } else if (from->few) {
        into->few = weft_grow(into->few, &into->few_capacity, into->count + from->count,
                              sizeof *into->few);
        memcpy(into->few + into->count, from->few, from->count * sizeof *from->few);
    }
    for (size_t i = 0; from->bins && i < BINS; i++)
        into->bins[i] += from->bins[i];
}

void weft_durations_merge(struct weft_durations *into, struct weft_durations *from)
{
    if (into->count + from->count > MAX_EXACT && into->few)
        make_bins(into);
    if (into->count + from->count > MAX_EXACT && from->few)
        make_bins(from);
    merge_private(into, from);
    into->sorted = false;
    into->count += from->count;
    into->sum += from->sum;
    into->longest = from->longest > into->longest ? from->longest : into->longest;
    weft_durations_end(from);
    *from = (struct weft_durations){ 0 };
}

/* Returns the duration with a rank, from 1, in ascending order, of few. */
static int64_t exact_of_rank(struct weft_durations *durations, uint64_t rank)
{
    if (!durations->sorted)
        qsort(durations->few, durations->count, sizeof *durations->few, weft_by_i64);
    durations->sorted = true;
    return durations->few[rank - 1];
}

/* Returns the bin of the duration with a rank, from 1, in ascending order, of many. */
static size_t bin_of_rank(const struct weft_durations *durations, uint64_t rank)
{
    uint64_t seen = 0;
    for (size_t bin = 0; bin < BINS; bin++)
        if ((seen += durations->bins[bin]) >= rank)
            return bin;
    return BINS - 1;
}

int64_t weft_durations_quantile(struct weft_durations *durations, double q)
{
    if (!durations->count)
        return 0;
    uint64_t rank = (uint64_t)ceil(q * (double)durations->count);
    rank = rank < 1 ? 1 : rank > durations->count ? durations->count : rank;
    if (!durations->bins)
        return exact_of_rank(durations, rank);
    size_t bin = bin_of_rank(durations, rank);
    double middle = bin == 0 ? 0 : middle_of(bin);
    return middle < (double)durations->longest ? (int64_t)llround(middle)
                                               : durations->longest;
}

void weft_durations_end(struct weft_durations *durations)
{
    free(durations->bins);
    free(durations->few);
    durations->bins = NULL;
    durations->few = NULL;
    durations->few_capacity = 0;
}
