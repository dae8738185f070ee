/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks.  A run on several hosts is stamped by several clocks, which start at different
 * times and run at slightly different speeds.  A store keeps one time, that of the reference
 * clock; the entities of a container were stamped by the container's clock and corrected when
 * they were stored.  The correction is kept: it can be shown with its error, and undone.
 *
 * A correction is a chain of straight lines through knots; one line is an offset and a drift.
 * Before the first knot and after the last the nearest line goes on; a single knot is an
 * offset.
 */
#ifndef WEFT_STORE_CLOCK_H
#define WEFT_STORE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_host {
    const char *name;
    const char *identity; /* tells hosts of one name apart (a boot id), or "" */
    uint32_t processors;  /* 0: not known */
};

struct weft_clock_knot {
    int64_t raw;       /* what the clock said, in its own ticks ... */
    int64_t corrected; /* ... when the store's time was this */
};

struct weft_clock {
    const char *name;
    uint32_t host; /* WEFT_NONE: not known */
    const struct weft_clock_knot
        *knots; /* both members grow strictly; none: no correction */
    size_t n_knots;
    int64_t error; /* corrected times may be wrong by this many ticks of the store, either
                      way; negative: not known */
};

/* From the clock's own ticks to the store's, rounded down; saturates at the ends of int64. */
int64_t weft_clock_correct(const struct weft_clock *clock, int64_t raw);
/*
 * The smallest raw time that weft_clock_correct turns into CORRECTED or more.  It is the
 * time that was stamped where the store's ticks are not longer than the clock's.
 */
int64_t weft_clock_raw(const struct weft_clock *clock, int64_t corrected);

/* May KNOTS be a correction: do both members grow strictly? */
bool weft_clock_knots_valid(const struct weft_clock_knot *knots, size_t n);

#endif
