/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clock domains: all processes whose stamps come from one clock.  A time-stamp counter is one
 * for all processors of a machine as long as it is up; CLOCK_MONOTONIC likewise.
 *
 * Stamps become nanoseconds by lines from sample to sample (weft_clock_sample): within a
 * domain as CLOCK_MONOTONIC counts them.  Where two machines' clocks were compared (by the
 * recorder of MPI), that tells offset and drift, from each comparison to the next.  Else the other machines' are shifted to that of
 * the first domain by what each says is the time of day; how well they agree on that is not
 * known from here.
 */
#ifndef WEFT_READ_RECORDING_CLOCKS_H
#define WEFT_READ_RECORDING_CLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#include "format/recording_layout.h"

struct clock_piece { /* from TICKS on, a tick is whole + fraction / 2^64 nanoseconds */
    uint64_t ticks;
    int64_t ns;
    uint64_t whole, fraction;
    uint64_t length; /* ticks for which the quick way is safe from overflow, see clocks.c */
};

struct clock_comparison { /* of a domain's clock with another's */
    uint64_t ticks;       /* of this one ... */
    int64_t
        ns; /* ... when by the other it was this; in this one's time, where it is related */
    int64_t other_ns, error_ns;
};

struct clock_domain {
    char *host, *boot;            /* of the first process that has this clock; heap */
    enum weft_clock_source clock; /* CLOCK_MONOTONIC_NS needs no pieces */
    struct weft_clock_sample *samples;
    size_t n_samples, samples_capacity;
    struct clock_piece *pieces;
    size_t n_pieces;
    int64_t shift_ns; /* from its own CLOCK_MONOTONIC to that of the first domain */
    /* Between samples the clock may stray this far from the line, as far as is known. */
    int64_t error_ns;
    /* What the clock is related by, in order of time: none, one (an offset), or a chain of
       lines (offset and drift) from each to the next. */
    struct clock_comparison *related;
    size_t n_related;
    /* How much the time of day was set, between the first sample and the last. */
    int64_t set_ns;
};

/* Samples of 0 ticks, and of times that cannot be, are left out. */
void clock_domain_add(struct clock_domain *domain, const struct weft_clock_sample *sample);
/* Draw the lines, when all samples are there.  Without any, a tick is a nanosecond. */
void clock_domain_fit(struct clock_domain *domain);
/* Shift the domain so that it agrees with FIRST on the time of day; after both are fitted. */
void clock_domain_align(struct clock_domain *domain, const struct clock_domain *first);
/*
 * Relate the domain by comparisons, in order of their ticks, instead: by lines through the
 * first and the last, and through those between that are far enough from the others.  What the
 * rest say otherwise is part of the error.  OTHER_ERROR_NS: of the other clock.  After
 * clock_domain_align.
 */
void clock_domain_relate(struct clock_domain *domain,
                         const struct clock_comparison *comparisons, size_t n,
                         int64_t other_error_ns);
/*
 * The time of a stamp, always within 2^61 of 0.  *PIECE is where to look first, and is moved:
 * stamps that come in order cost no search.  Not decreasing with TICKS.
 */
int64_t clock_domain_ns(const struct clock_domain *domain, uint64_t ticks, size_t *piece);
/* The time of a reading of the domain's CLOCK_MONOTONIC. */
int64_t clock_domain_of_monotonic(const struct clock_domain *domain, int64_t ns);
void clock_domain_free(struct clock_domain *domain);

#endif
