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

/*
 * A piece of the piecewise linear function from ticks to time: at `ticks` the time is `ns`,
 * and from there to the next piece a tick takes whole + fraction / 2^64 nanoseconds.  The
 * first piece also holds before its begin, the last one without end.
 */
struct clock_piece {
    uint64_t ticks;
    int64_t ns;
    uint64_t whole, fraction;
    uint64_t length; /* ticks from the begin on for which 64-bit arithmetic suffices */
};

/* One comparison of a domain's clock with the clock of another domain. */
struct clock_comparison {
    uint64_t ticks; /* the domain's stamp */
    int64_t ns;     /* its time in the domain's own ns; set by clock_domain_relate() */
    /* the time then by the other domain's clock, on the axis that all domains share
       (clock_domain_ns); bound of its error */
    int64_t other_ns, error_ns;
};

/*
 * A clock domain: the processes whose stamps come from one clock (of one boot of a
 * machine), and the function from its stamps to time.  recording_load() makes the domains,
 * recording_free() frees them.
 */
struct clock_domain {
    char *host, *boot; /* machine and boot id of the first process with this clock; heap */
    enum weft_clock_source clock;      /* WEFT_CLOCK_MONOTONIC_NS needs no pieces */
    struct weft_clock_sample *samples; /* [n_samples], sorted once it is fitted; heap */
    size_t n_samples, samples_capacity;
    struct clock_piece *pieces; /* [n_pieces], by ticks; heap; none: a tick is a ns */
    size_t n_pieces;
    int64_t shift_ns; /* added to its CLOCK_MONOTONIC: that of the first domain */
    /*
     * Bound of the time's error: the largest distance of a sample from the lines, with the
     * error of its reading; and that of the comparisons, if the clock was related.
     */
    int64_t error_ns;
    /*
     * Comparisons that relate the clock, sorted by time: none; one (an offset); or knots of
     * a piecewise linear function (offset and drift).
     */
    struct clock_comparison *related;
    size_t n_related;
    /* How far the time of day was set forward between the first sample and the last; below
       0: back. */
    int64_t set_ns;
};

/*
 * Adds a copy of SAMPLE, before clock_domain_fit(); one with 0 ticks or impossible times is
 * left out.
 */
void clock_domain_add(struct clock_domain *domain, const struct weft_clock_sample *sample);
/*
 * Sorts the samples by ticks, and draws the lines (pieces) by which ticks become ns:
 * through the first and the last sample, and those between that are 0.1 s apart.  Call it
 * once, when all samples are added.  Without samples, or if the clock counts nanoseconds,
 * there are no pieces, and a tick is a nanosecond.  Also sets `set_ns` if there are
 * samples, and `error_ns` if there are pieces.
 */
void clock_domain_fit(struct clock_domain *domain);
/*
 * Sets domain->shift_ns so that the first samples of DOMAIN and of the domain FIRST agree
 * on the time of day.  Both must be fitted (clock_domain_fit).  No effect if one of them
 * has no samples.
 */
void clock_domain_align(struct clock_domain *domain, const struct clock_domain *first);
/*
 * Replaces the shift of clock_domain_align(), which must come first, by N comparisons with
 * another clock, sorted by ticks and copied (their `ns` need not be set): by lines through
 * the first, the last, and those between that are 0.1 s apart.  If no line may join the
 * first and the last (too close, or a drift of a thousandth or more), the first gives a
 * constant offset.  The largest deviation of a comparison and OTHER_ERROR_NS, the error of
 * the other clock, are added to domain->error_ns.  No effect if N is 0.
 */
void clock_domain_relate(struct clock_domain *domain,
                         const struct clock_comparison *comparisons, size_t n,
                         int64_t other_error_ns);
/*
 * Returns the time in ns of a stamp of TICKS on the time axis that all domains share (the
 * CLOCK_MONOTONIC of the first).  It is within 2^61 of 0 and does not decrease with TICKS.
 * *PIECE (0 at first, then as it was left) is the index in domain->pieces where the search
 * begins, and is updated: stamps in order need no search.
 */
int64_t clock_domain_ns(const struct clock_domain *domain, uint64_t ticks, size_t *piece);
/*
 * Returns the time in ns, on the time axis that all domains share, at which the domain's
 * CLOCK_MONOTONIC read NS; limited to 2^61 from 0.
 */
int64_t clock_domain_of_monotonic(const struct clock_domain *domain, int64_t ns);
/* Frees what DOMAIN points to, not DOMAIN itself. */
void clock_domain_free(struct clock_domain *domain);

#endif
