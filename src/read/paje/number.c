/* SPDX-License-Identifier: Apache-2.0 */
/* Parses times, numbers and colours.  Times are parsed in integers, to lose no digit. */
#include "read/paje/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MANTISSA_DIGITS = 19, QUICK_LENGTH = 19 };

const uint64_t paje_power10[PAJE_POWERS] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    10000000000000000000u,
};

/* A decimal number as written: mantissa * 10^exponent. */
struct decimal {
    bool negative;
    bool inexact; /* digits beyond the mantissa were cut off */
    uint64_t mantissa;
    int exponent;
    unsigned rounding; /* the first digit cut off */
};

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

static bool parse_exponent(const char *at, const char *end, int *exponent)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    if (at == end)
        return false;
    int value = 0;
    for (; at < end; at++) {
        if (!is_digit(*at))
            return false;
        if (value < 100000)
            value = value * 10 + (*at - '0');
    }
    *exponent += negative ? -value : value;
    return true;
}

static void add_digit(struct decimal *out, int *digits, char c, bool fraction)
{
    if (*digits < MANTISSA_DIGITS) {
        out->mantissa = out->mantissa * 10 + (uint64_t)(c - '0');
        *digits += out->mantissa != 0;
        out->exponent -= fraction;
        return;
    }
    if (*digits == MANTISSA_DIGITS)
        out->rounding = (unsigned)(c - '0');
    ++*digits;
    out->inexact |= c != '0';
    out->exponent += !fraction;
}

static bool parse_decimal(const char *at, const char *end, struct decimal *out)
{
    *out = (struct decimal){ .negative = at < end && *at == '-' };
    if (at < end && (*at == '-' || *at == '+'))
        at++;
    const char *first = at;
    int digits = 0;
    for (; at < end && is_digit(*at); at++)
        add_digit(out, &digits, *at, false);
    size_t n = (size_t)(at - first);
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        for (; at < end && is_digit(*at); at++)
            add_digit(out, &digits, *at, true);
        n += (size_t)(at - fraction);
    }
    if (!n)
        return false;
    if (at < end && (*at == 'e' || *at == 'E'))
        return parse_exponent(at + 1, end, &out->exponent);
    return at == end;
}

static int64_t signed_of(uint64_t magnitude, bool negative)
{
    return negative ? -(int64_t)magnitude : (int64_t)magnitude;
}

/* The time has more decimals than the clock: request them, and return the nearest time. */
static enum paje_time finer(struct paje_clock *clock, struct decimal *d, int scale,
                            int64_t *ticks)
{
    int wanted = clock->decimals - scale;
    if (wanted > clock->wanted)
        clock->wanted = wanted > clock->most ? clock->most : wanted;
    bool rounded = d->inexact || wanted > clock->most;
    int cut = -scale;
    if (cut > MANTISSA_DIGITS) {
        *ticks = 0;
    } else {
        uint64_t unit = paje_power10[cut];
        *ticks = signed_of(d->mantissa / unit + (d->mantissa % unit >= (unit + 1) / 2),
                           d->negative);
    }
    return rounded ? PAJE_TIME_ROUNDED : PAJE_TIME_OK;
}

static enum paje_time too_large(struct paje_clock *clock, const struct decimal *d,
                                int scale)
{
    /* Would the time fit with fewer decimals? */
    for (int decimals = clock->decimals - 1; decimals >= 9; decimals--) {
        int less = scale - (clock->decimals - decimals);
        if (less < 0
            || (less <= 18 && d->mantissa <= (uint64_t)INT64_MAX / paje_power10[less])) {
            clock->most = decimals;
            return PAJE_TIME_OK; /* the file will be read again */
        }
    }
    return PAJE_TIME_TOO_LARGE;
}

static enum paje_time to_ticks(struct paje_clock *clock, struct decimal *d, int64_t *ticks)
{
    *ticks = 0;
    if (!d->mantissa)
        return PAJE_TIME_OK;
    int scale = d->exponent - clock->unit + clock->decimals;
    while (scale < 0 && d->mantissa % 10 == 0) {
        d->mantissa /= 10;
        scale++;
    }
    if (scale < 0)
        return finer(clock, d, scale, ticks);
    if (scale > MANTISSA_DIGITS || d->mantissa > (uint64_t)INT64_MAX / paje_power10[scale])
        return too_large(clock, d, scale);
    *ticks = signed_of(d->mantissa * paje_power10[scale], d->negative);
    return d->inexact ? PAJE_TIME_ROUNDED : PAJE_TIME_OK;
}

/*
 * Parse eight digits at once, combined by multiplication in pairs, fours and eight (Lemire,
 * "Quickly parsing eight digits", 2022).  Returns false if one is no digit.
 */
static inline bool eight_digits(const char *text, uint64_t *value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t word;
    memcpy(&word, text, 8);
    /* A byte is a digit if its high nibble is 3, also after adding 6. */
    uint64_t high = word & 0xf0f0f0f0f0f0f0f0u;
    uint64_t added = (word + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u;
    if (high != 0x3030303030303030u || added != 0x3030303030303030u)
        return false;
    word = (word & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
    word = (word & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
    *value = (word & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
    return true;
#else
    (void)text;
    (void)value;
    return false;
#endif
}

/* Append the digits from TEXT + AT on to the mantissa; returns their end. */
static inline size_t add_digits(const char *text, size_t at, uint64_t *mantissa)
{
    uint64_t eight;
    if (eight_digits(text + at, &eight)) {
        *mantissa = *mantissa * 100000000 + eight;
        at += 8;
    }
    for (; is_digit(text[at]); at++)
        *mantissa = *mantissa * 10 + (uint64_t)(text[at] - '0');
    return at;
}

enum paje_time paje_parse_time(struct paje_clock *clock, const char *text, size_t length,
                               int64_t *ticks)
{
    /* The usual case: at most 19 characters, digits and one point. */
    uint64_t mantissa = 0;
    size_t i = 0;
    if (length <= QUICK_LENGTH && length) {
        i = add_digits(text, 0, &mantissa);
        int scale = clock->decimals - clock->unit;
        if (i < length && i && text[i] == '.') {
            size_t point = i++;
            i = add_digits(text, i, &mantissa);
            scale -= (int)(i - point - 1);
        }
        uint64_t product;
        if (i == length && scale >= 0 && scale <= MANTISSA_DIGITS
            && !__builtin_mul_overflow(mantissa, paje_power10[scale], &product)
            && product <= INT64_MAX / 2) {
            *ticks = (int64_t)product;
            return PAJE_TIME_OK;
        }
    }
    struct decimal d;
    if (!parse_decimal(text, text + length, &d))
        return PAJE_TIME_BAD;
    enum paje_time result = to_ticks(clock, &d, ticks);
    /* INT64_MAX marks special cases in the simulator, and durations must not overflow. */
    if (*ticks > INT64_MAX / 2 || *ticks < -(INT64_MAX / 2))
        return too_large(clock, &(struct decimal){ .mantissa = (uint64_t)INT64_MAX }, 0);
    return result;
}

/* The rare case: many digits, or a large exponent. */
static bool number_by_library(const char *text, size_t length, double *number)
{
    char copy[512];
    if (length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    char *end;
    *number = strtod(copy, &end);
    return end == copy + length && isfinite(*number);
}

bool paje_parse_number(const char *text, size_t length, double *number)
{
    static const double exact[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    struct decimal d;
    if (!parse_decimal(text, text + length, &d))
        return false;
    /* Both operands are exact, so the result is correctly rounded (Clinger 1990). */
    if (!d.inexact && d.mantissa <= UINT64_C(1) << 53 && d.exponent >= -22
        && d.exponent <= 22) {
        double value = (double)d.mantissa;
        value = d.exponent < 0 ? value / exact[-d.exponent] : value * exact[d.exponent];
        *number = d.negative ? -value : value;
        return true;
    }
    return number_by_library(text, length, number);
}

bool paje_parse_integer(const char *text, size_t length, int64_t *integer)
{
    struct decimal d;
    if (!length || length > MANTISSA_DIGITS + 1 || memchr(text, '.', length)
        || !parse_decimal(text, text + length, &d) || d.exponent || d.inexact
        || d.mantissa > INT64_MAX)
        return false;
    /* Only in canonical form. */
    size_t sign = text[0] == '-' || text[0] == '+';
    if (text[0] == '+' || (text[sign] == '0' && (length > 1)) || memchr(text, 'e', length)
        || memchr(text, 'E', length))
        return false;
    *integer = signed_of(d.mantissa, d.negative);
    return true;
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool hex_color(const char *text, uint32_t *color)
{
    uint32_t value = 0;
    for (int i = 0; i < 6; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0)
            return false;
        value = value << 4 | (uint32_t)digit;
    }
    *color = 0xff000000u | value;
    return true;
}

bool paje_parse_color(const char *text, size_t length, uint32_t *color)
{
    const char *at = text, *end = text + length;
    double part[4] = { 0, 0, 0, 1 };
    size_t n = 0;
    while (at < end) {
        while (at < end && (*at == ' ' || *at == ',' || *at == '\t'))
            at++;
        const char *word = at;
        while (at < end && *at != ' ' && *at != ',' && *at != '\t')
            at++;
        if (at == word)
            break;
        if (n == 0 && at - word == 6 && hex_color(word, color))
            return at == end;
        if (n == 4 || !paje_parse_number(word, (size_t)(at - word), &part[n]) || part[n] < 0
            || part[n] > 1)
            return false;
        n++;
    }
    if (n < 3)
        return false;
    uint32_t byte[4];
    for (int i = 0; i < 4; i++)
        byte[i] = (uint32_t)lround(part[i] * 255);
    *color = byte[3] << 24 | byte[0] << 16 | byte[1] << 8 | byte[2];
    return true;
}
