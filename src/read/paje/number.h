/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses times, numbers and colours.  Texts are LENGTH bytes, without blanks around them,
 * and need no NUL.
 */
#ifndef WEFT_READ_PAJE_NUMBER_H
#define WEFT_READ_PAJE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The length of a tick, and the tick that the times so far would need.  A pass over the
 * file begins with `wanted` equal to `decimals`, and paje_parse_time() changes `wanted` and
 * `most`; if paje_clock_is_wrong() afterwards, the times are wrong, and the file must be
 * read again with decimals = wanted = the lesser of `wanted` and `most`.
 */
struct paje_clock {
    int decimals; /* a tick is 10^-decimals seconds */
    int unit;     /* a number in the text counts 10^-unit seconds */
    int most;     /* upper limit of decimals: with more, some time would exceed 62 bits */
    int wanted;   /* decimals that the finest time so far needs, at most `most` */
};

/* Returns true if a time was finer than a tick, or would not fit. */
static inline bool paje_clock_is_wrong(const struct paje_clock *clock)
{
    return clock->wanted > clock->decimals || clock->most < clock->decimals;
}

/* The number of powers of ten that fit in 64 bits: 10^0 to 10^19. */
enum { PAJE_POWERS = 20 };
/* paje_power10[I] is 10^I. */
extern const uint64_t paje_power10[PAJE_POWERS];

/* The result of paje_parse_time(). */
enum paje_time {
    PAJE_TIME_OK,        /* exact, unless paje_clock_is_wrong() now */
    PAJE_TIME_BAD,       /* the text is no number; *ticks is undefined */
    PAJE_TIME_ROUNDED,   /* more than 19 digits, or finer than clock->most allows */
    PAJE_TIME_TOO_LARGE, /* beyond 2^62 ticks, even of 10^-9 s; *ticks is undefined */
};
/*
 * Converts TEXT, the LENGTH bytes of a decimal number without blanks ("-12.5", "1e-3"), in
 * the clock's unit, to *TICKS, rounded to the nearest tick if it is finer; that and a time
 * that fits only into coarser ticks are recorded in CLOCK.  TEXT must be readable for 8
 * bytes beyond LENGTH.
 */
enum paje_time paje_parse_time(struct paje_clock *clock, const char *text, size_t length,
                               int64_t *ticks);
/*
 * Parses TEXT, the LENGTH bytes of a decimal number without blanks, correctly rounded, to
 * *NUMBER.  Returns false, *NUMBER undefined, for other text ("nan", "0x1"), a number
 * beyond a double, and many digits or a large exponent in a text of 512 bytes or more.
 */
bool paje_parse_number(const char *text, size_t length, double *number);
/*
 * Parses TEXT, the LENGTH bytes of a decimal integer in canonical form (not "+1", "01",
 * "-0"), to *INTEGER.  Returns false, *INTEGER unchanged, for other text, or if its
 * magnitude exceeds INT64_MAX.
 */
bool paje_parse_integer(const char *text, size_t length, int64_t *integer);
/*
 * Parses TEXT, the LENGTH bytes of a colour, to *COLOR, 0xAARRGGBB: 3 or 4 numbers from 0
 * to 1 (red, green, blue, and alpha, else 1) separated by blanks or commas, or 6
 * hexadecimal digits RRGGBB.  Returns false for other text; *COLOR is undefined then.
 */
bool paje_parse_color(const char *text, size_t length, uint32_t *color);

#endif
