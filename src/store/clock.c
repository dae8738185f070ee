/* SPDX-License-Identifier: Apache-2.0 */
#include "store/clock.h"

#include "base/binary_search.h"

/* A point on a line through two knots: A is the given axis, B the wanted one. */
struct line {
    int64_t a0, a1, b0, b1;
};

static int64_t saturated(__int128 value)
{
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

static __int128 floor_div(__int128 dividend, __int128 divisor)
{
    __int128 quotient = dividend / divisor;
    return quotient - (dividend % divisor != 0 && (dividend < 0) != (divisor < 0));
}

/*
 * (at - a0) times (b1 - b0) may need 130 bits: differences of int64 have 65 each.  Knots
 * and times of real clocks are far below; at the ends of int64 the factors are halved.
 */
static int64_t on_line(const struct line *line, int64_t at, bool up)
{
    __int128 from = (__int128)at - line->a0, rise = (__int128)line->b1 - line->b0;
    __int128 run = (__int128)line->a1 - line->a0;
    while (rise > INT64_MAX || run > INT64_MAX) {
        rise /= 2;
        run /= 2;
    }
    run = run ? run : 1;
    while (from > INT64_MAX || from < INT64_MIN) {
        from /= 2;
        run = run > 1 ? run / 2 : 1;
    }
    __int128 product = from * rise;
    __int128 quotient = up ? -floor_div(-product, run) : floor_div(product, run);
    return saturated(quotient + line->b0);
}

/*
 * Returns the knot at which the line that AT lies on begins; there are at least two knots.
 */
static size_t knot_before(const struct weft_clock *clock, int64_t at, bool by_corrected)
{
    const struct weft_clock_knot *knots = clock->knots;
    return WEFT_LAST(i, 0, clock->n_knots - 1,
                     (by_corrected ? knots[i].corrected : knots[i].raw) <= at);
}

int64_t weft_clock_correct(const struct weft_clock *clock, int64_t raw)
{
    const struct weft_clock_knot *knots = clock->knots;
    if (!clock->n_knots)
        return raw;
    if (clock->n_knots == 1)
        return saturated((__int128)raw - knots->raw + knots->corrected);
    knots += knot_before(clock, raw, false);
    struct line line = { knots[0].raw, knots[1].raw, knots[0].corrected,
                         knots[1].corrected };
    return on_line(&line, raw, false);
}

int64_t weft_clock_raw(const struct weft_clock *clock, int64_t corrected)
{
    const struct weft_clock_knot *knots = clock->knots;
    if (!clock->n_knots)
        return corrected;
    if (clock->n_knots == 1)
        return saturated((__int128)corrected - knots->corrected + knots->raw);
    knots += knot_before(clock, corrected, true);
    struct line line = { knots[0].corrected, knots[1].corrected, knots[0].raw,
                         knots[1].raw };
    return on_line(&line, corrected, true);
}

bool weft_clock_knots_valid(const struct weft_clock_knot *knots, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (knots[i].raw <= knots[i - 1].raw
            || knots[i].corrected <= knots[i - 1].corrected)
            return false;
    return true;
}
