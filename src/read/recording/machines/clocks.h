/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts the time stamps of several machines' clocks to one time.  A clock domain is the
 * set of processes whose stamps come from one clock.  All processors of a machine share one
 * time-stamp counter while it is up, and one CLOCK_MONOTONIC.
 *
 * Stamps are converted to nanoseconds by lines from sample to sample (weft_clock_sample),
 * within a domain to its CLOCK_MONOTONIC.  If the clocks of two machines were compared (by
 * the recorder of MPI), offset and drift follow from each comparison to the next.  Else the
 * clock is shifted to that of the first domain by the machines' time of day, whose
 * agreement is unknown.
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
    uint64_t length; /* ticks for which 64-bit arithmetic cannot overflow, see clocks.c */
};

struct clock_comparison { /* of a domain's clock with another's */
    uint64_t ticks;       /* of the domain's clock */
    int64_t ns;           /* its time then; set by clock_domain_relate */
    int64_t other_ns, error_ns;
};

struct clock_domain {
    char *host, *boot;            /* of the first process with this clock; heap */
    enum weft_clock_source clock; /* WEFT_CLOCK_MONOTONIC_NS needs no pieces */
    struct weft_clock_sample *samples;
    size_t n_samples, samples_capacity;
    struct clock_piece *pieces;
    size_t n_pieces;
    int64_t shift_ns; /* from its CLOCK_MONOTONIC to that of the first domain */
    /* Largest known distance of the clock from the lines between samples. */
    int64_t error_ns;
    /*
     * Comparisons that relate the clock, sorted by time: none; one (an offset); or knots of
     * a piecewise linear function (offset and drift).
     */
    struct clock_comparison *related;
    size_t n_related;
    /* How far the time of day was set between the first sample and the last. */
    int64_t set_ns;
};

/* Add a sample; samples with 0 ticks or impossible times are left out. */
void clock_domain_add(struct clock_domain *domain, const struct weft_clock_sample *sample);
/* Make the pieces, once all samples are added.  Without samples a tick is a nanosecond. */
void clock_domain_fit(struct clock_domain *domain);
/* Set shift_ns so that the first samples of both domains agree on the time of day. */
void clock_domain_align(struct clock_domain *domain, const struct clock_domain *first);
/*
 * Replace the shift of clock_domain_align(), which must come first, by N comparisons with
 * another clock, sorted by ticks: by lines through the first, the last, and those between
 * that are far enough apart.  Deviations of the others count as error.  OTHER_ERROR_NS is
 * the error of the other clock.
 */
void clock_domain_relate(struct clock_domain *domain,
                         const struct clock_comparison *comparisons, size_t n,
                         int64_t other_error_ns);
/*
 * Returns the time in ns of a stamp of TICKS, always within 2^61 of 0; it does not decrease
 * with TICKS.  *PIECE (0 at first) is the index of the piece where the search begins, and
 * is updated: stamps in order need no search.
 */
int64_t clock_domain_ns(const struct clock_domain *domain, uint64_t ticks, size_t *piece);
/* Returns the time in ns at which the domain's CLOCK_MONOTONIC read NS. */
int64_t clock_domain_of_monotonic(const struct clock_domain *domain, int64_t ns);
void clock_domain_free(struct clock_domain *domain);

#endif
