/* SPDX-License-Identifier: Apache-2.0 */
/* Times, numbers and colours as they are written in a trace.  Functions without state. */
#ifndef WEFT_READ_PAJE_NUMBER_H
#define WEFT_READ_PAJE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a tick is, and what the times read so far would need.  A reading begins with WANTED
 * equal to DECIMALS; when paje_clock_is_wrong() afterwards, the times read with it are wrong,
 * and the file must be read again with other decimals.
 */
struct paje_clock {
    int decimals; /* a tick is 10^-decimals seconds */
    int unit;     /* a number in the text counts 10^-unit seconds */
    int most;     /* decimals must not exceed this: some time would not fit in 63 bits */
    int wanted;   /* what the finest time so far needs */
};

static inline bool paje_clock_is_wrong(const struct paje_clock *clock)
{
    return clock->wanted > clock->decimals || clock->most < clock->decimals;
}

/* The powers of ten that 64 bits hold. */
enum { PAJE_POWERS = 20 };
extern const uint64_t paje_power10[PAJE_POWERS];

enum paje_time {
    PAJE_TIME_OK,
    PAJE_TIME_BAD,
    PAJE_TIME_ROUNDED, /* it has digits finer than 10^-15 s, or than `most` allows */
    PAJE_TIME_TOO_LARGE,
};
/* Decimal text to whole ticks, exactly.  TEXT must be readable for 8 bytes beyond its end. */
enum paje_time paje_parse_time(struct paje_clock *clock, const char *text, size_t length,
                               int64_t *ticks);
/* A finite number, correctly rounded; false: it is none. */
bool paje_parse_number(const char *text, size_t length, double *number);
/* An integer that would be printed as it stands; false: it is none. */
bool paje_parse_integer(const char *text, size_t length, int64_t *integer);
/* "1 0.5 0", "1 0 0 1" or "ff0000"; 0xAARRGGBB. */
bool paje_parse_color(const char *text, size_t length, uint32_t *color);

#endif
