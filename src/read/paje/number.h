/* SPDX-License-Identifier: Apache-2.0 */
/* Parses times, numbers and colours. */
#ifndef WEFT_READ_PAJE_NUMBER_H
#define WEFT_READ_PAJE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The length of a tick, and the tick that the times so far would need.  A pass begins with
 * WANTED equal to DECIMALS; if paje_clock_is_wrong() afterwards, its times are wrong, and
 * the file must be read again with other decimals.
 */
struct paje_clock {
    int decimals; /* a tick is 10^-decimals seconds */
    int unit;     /* a number in the text counts 10^-unit seconds */
    int most;     /* upper limit of decimals, beyond which some time exceeds 63 bits */
    int wanted;   /* decimals that the finest time so far needs */
};

static inline bool paje_clock_is_wrong(const struct paje_clock *clock)
{
    return clock->wanted > clock->decimals || clock->most < clock->decimals;
}

/* Powers of ten that fit in 64 bits. */
enum { PAJE_POWERS = 20 };
extern const uint64_t paje_power10[PAJE_POWERS];

enum paje_time {
    PAJE_TIME_OK,
    PAJE_TIME_BAD,
    PAJE_TIME_ROUNDED, /* digits finer than 10^-15 s, or than `most` allows */
    PAJE_TIME_TOO_LARGE,
};
/* Convert decimal text to ticks, exactly.  TEXT is readable for 8 bytes beyond LENGTH. */
enum paje_time paje_parse_time(struct paje_clock *clock, const char *text, size_t length,
                               int64_t *ticks);
/* Parse a finite number, correctly rounded; returns false if it is none. */
bool paje_parse_number(const char *text, size_t length, double *number);
/*
 * Parse LENGTH bytes of TEXT as a decimal integer in canonical form: not "+1", "01", "-0".
 * Returns false if it is none, or if its magnitude exceeds INT64_MAX.
 */
bool paje_parse_integer(const char *text, size_t length, int64_t *integer);
/*
 * Parse LENGTH bytes of a colour to *COLOR, 0xAARRGGBB: 3 or 4 numbers from 0 to 1 (red,
 * green, blue, and alpha, else 1) separated by blanks or commas, or 6 hexadecimal digits.
 * Returns false for other text.
 */
bool paje_parse_color(const char *text, size_t length, uint32_t *color);

#endif
