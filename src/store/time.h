/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts times between ticks, nanoseconds and text that users read and type.  All in
 * integers, so that no digit is lost; double only for drawing.
 */
#ifndef WEFT_STORE_TIME_H
#define WEFT_STORE_TIME_H

#include "base/err.h"
#include "store/schema.h"

/* Bytes of the buffer for a text of the functions below; its NUL is included. */
enum { WEFT_TIME_TEXT = 48 };

/* Returns the ticks from BEGIN to END, clamped to int64_t. */
static inline int64_t weft_ticks_between(int64_t begin, int64_t end)
{
    int64_t ticks;
    if (__builtin_sub_overflow(end, begin, &ticks))
        return end < begin ? INT64_MIN : INT64_MAX;
    return ticks;
}

/* Returns the ticks from BEGIN to END, clamped to int64_t; 0 if END is before BEGIN. */
static inline int64_t weft_ticks_length(int64_t begin, int64_t end)
{
    return end <= begin ? 0 : weft_ticks_between(begin, end);
}

/*
 * Returns the sum of two durations, saturated: sums over many tracks may exceed 64 bits
 * (10^4 tracks for eleven days in nanoseconds).
 */
static inline int64_t weft_ticks_add(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

/* Returns a duration in ticks as nanoseconds, rounded to nearest, clamped to int64_t. */
int64_t weft_ticks_to_ns(const struct weft_schema *schema, int64_t ticks);
/* Returns TICKS / N in nanoseconds, rounded, within +-9.2 * 10^18; 0 if N is 0. */
int64_t weft_mean_to_ns(const struct weft_schema *schema, double ticks, uint64_t n);
/* Returns nanoseconds as ticks, rounded to nearest, clamped to int64_t. */
int64_t weft_ns_to_ticks(const struct weft_schema *schema, int64_t ns);
/* Returns a duration in ticks as seconds, rounded to a double. */
double weft_ticks_to_seconds(const struct weft_schema *schema, int64_t ticks);

/*
 * Writes a time of the trace's own clock in seconds into TEXT, which it returns:
 * "190.339329".  Every digit, no trailing zeros, if the ticks per second are a power of
 * ten; else 15 significant digits.
 */
const char *weft_time_exact(const struct weft_schema *schema, int64_t ticks,
                            char text[WEFT_TIME_TEXT]);
/*
 * Writes a duration with three digits and a unit, from seconds to femtoseconds, into TEXT,
 * which it returns: "97.3 ms"; 0 is "0 s".  Seconds from 1000 on have all their whole
 * digits; nanoseconds have no decimals if a tick is a nanosecond.
 */
const char *weft_duration_text(const struct weft_schema *schema, int64_t ticks,
                               char text[WEFT_TIME_TEXT]);

/*
 * Writes a duration in nanoseconds, for instance a sum over several traces, with three
 * digits and a unit, from seconds to femtoseconds, into TEXT, which it returns: "97.3 ms";
 * 0 is "0 s".  Seconds from 1000 on have all their whole digits; nanoseconds have no
 * decimals.
 */
const char *weft_nanoseconds_text(double nanoseconds, char text[WEFT_TIME_TEXT]);

/*
 * Parses LENGTH bytes, a time as users type it: 1.5s 20ms 300us 5000ns 50% (of the span)
 * or plain seconds, from the start of the span; "@" before one, except of %, says that it
 * is a time of the trace's own clock.  Sets *TICKS on that clock, clamped to
 * WEFT_TIME_LIMIT.  Returns false with WEFT_ERR_USAGE, *TICKS unchanged.
 */
bool weft_parse_time(const struct weft_schema *schema, const char *text, size_t length,
                     int64_t *ticks, struct weft_err *err) WEFT_MUST_CHECK;
/*
 * Parses T0:T1, T0+D, T0: or :T1, where T0 and T1 are times that weft_parse_time() accepts
 * (1.5s, 50%, @T), D is a length, and a missing one is the begin or end of the trace's
 * span.  Sets *RANGE, half-open, on the trace's own clock.
 * Returns false with WEFT_ERR_USAGE, *RANGE undefined; also for an empty range, unless the
 * span itself is empty.
 */
bool weft_parse_range(const struct weft_schema *schema, const char *text,
                      struct weft_span *range, struct weft_err *err) WEFT_MUST_CHECK;

#endif
