/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks.  A run on several hosts has timestamps of several clocks, which start at
 * different times and run at slightly different speeds.  All times in a store are those of
 * one reference clock: the times of a container's entities were read from the container's
 * clock and corrected when they were stored.  The correction is stored, too: it can be
 * shown with its error, and undone.
 *
 * A correction is piecewise linear, through knots; one straight line is an offset and a
 * drift.  Before the first knot and after the last the nearest line goes on; a single knot
 * is an offset.
 */
#ifndef WEFT_STORE_CLOCK_H
#define WEFT_STORE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A machine that a run used; a row of the schema's hosts. */
struct weft_host {
    const char *name;
    const char *identity; /* tells hosts of one name apart (a boot id), or "" */
    uint32_t processors;  /* 0: unknown */
};

/* A point of a correction: a reading of the clock, and the store's time then. */
struct weft_clock_knot {
    int64_t raw;       /* reading of the clock, in its own ticks ... */
    int64_t corrected; /* ... at this time of the store */
};

/* A clock whose readings some containers' times were; a row of the schema's clocks. */
struct weft_clock {
    const char *name;
    uint32_t host; /* WEFT_NONE: unknown */
    /* raw and corrected both grow strictly; no knots: no correction */
    const struct weft_clock_knot *knots;
    size_t n_knots;
    /*
     * bound of the error of corrected times, in ticks of the store, either way; negative:
     * unknown
     */
    int64_t error;
};

/*
 * Converts a reading of the clock, in its ticks, to the store's time, rounded down: on the
 * straight line between the knots around RAW, before the first and behind the last knot on
 * the nearest such line.  A single knot is an offset; without knots it returns RAW.
 * Saturates at the ends of int64.
 */
int64_t weft_clock_correct(const struct weft_clock *clock, int64_t raw);
/*
 * Returns the smallest raw time that weft_clock_correct() maps to CORRECTED or more: the
 * original timestamp, if the store's ticks are not longer than the clock's.  Saturates at
 * the ends of int64; without knots it returns CORRECTED.
 */
int64_t weft_clock_raw(const struct weft_clock *clock, int64_t corrected);

/* Returns true if both members of the N knots grow strictly (always for fewer than two). */
bool weft_clock_knots_valid(const struct weft_clock_knot *knots, size_t n);

#endif
